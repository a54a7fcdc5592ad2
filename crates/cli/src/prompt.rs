//! Where a person's lines come from: a terminal with history and completion, or a pipe.

use std::io::{self, BufRead, IsTerminal};

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use crate::completion::CompletionWords;
use crate::say;

/// A source of lines.
pub enum LineSource {
    /// A person at a terminal.
    Terminal(Box<Editor<Completion, DefaultHistory>>),
    /// Another program, or a file.
    Pipe,
}

impl LineSource {
    /// The terminal if there is one.
    pub fn open(words: CompletionWords) -> anyhow::Result<LineSource> {
        if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            return Ok(LineSource::Pipe);
        }
        // All that fits is shown at the first Tab, as shells do.
        let config = Config::builder().completion_type(CompletionType::List).completion_show_all_if_ambiguous(true);
        let mut editor = Editor::with_config(config.build())?;
        editor.set_helper(Some(Completion(words)));
        Ok(LineSource::Terminal(Box::new(editor)))
    }

    /// The next line; `None` at the end of the input.
    pub fn line(&mut self, prompt: &str) -> anyhow::Result<Option<String>> {
        match self {
            LineSource::Terminal(editor) => typed(editor, prompt),
            LineSource::Pipe => piped(prompt),
        }
    }
}

fn typed(editor: &mut Editor<Completion, DefaultHistory>, prompt: &str) -> anyhow::Result<Option<String>> {
    loop {
        match editor.readline(prompt) {
            Ok(line) => {
                editor.add_history_entry(&line)?;
                return Ok(Some(line));
            }
            Err(ReadlineError::Interrupted) => say::note("`quit` or Ctrl-D gives up"),
            Err(ReadlineError::Eof) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
}

/// The prompt and the line are shown, so that a transcript reads like a session.
fn piped(prompt: &str) -> anyhow::Result<Option<String>> {
    let mut line = Vec::new();
    if io::stdin().lock().read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let line = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_string();
    say::print(&format!("{prompt}{line}\n"))?;
    Ok(Some(line))
}

/// Completion on the Tab key.
pub struct Completion(CompletionWords);

impl Completer for Completion {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.0.complete(&line[..at]))
    }
}

impl Hinter for Completion {
    type Hint = String;
}

impl Highlighter for Completion {}
impl Validator for Completion {}
impl Helper for Completion {}
