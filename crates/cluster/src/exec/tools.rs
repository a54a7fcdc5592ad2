//! The programs of images: what each is called, which images have it, and what it does.

mod files;
mod host;
mod network;
mod processes;
mod system;
mod tar;

use super::{CommandOutput, ContainerHost};
use crate::program::Toolbox;

/// One call of a program.
pub(crate) struct ContainerToolCall<'a> {
    pub(crate) name: &'a str,
    pub(crate) words: &'a [String],
    pub(crate) input: &'a [u8],
    pub(crate) output: &'a mut CommandOutput,
}

/// A program: its exit code.
pub(crate) type ContainerTool = fn(&mut ContainerHost<'_>, &mut ContainerToolCall<'_>) -> i32;

/// The smallest images that have a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Since {
    /// Busybox has it, and so has every larger image.
    Small,
    /// Images of a distribution have it.
    Large,
}

const TABLES: [&[(&str, Since, ContainerTool)]; 6] =
    [system::TOOLS, files::TOOLS, host::TOOLS, processes::TOOLS, network::TOOLS, tar::TOOLS];

/// What the shell does itself, in every image that has a shell.
const BUILT_IN: [&str; 12] =
    ["[", "ash", "echo", "false", "printf", "sh", "sleep", "test", "timeout", "true", "which", "type"];

/// A program of ours by its name or path, if an image has it.
pub(super) fn find(name: &str, toolbox: Toolbox) -> Option<ContainerTool> {
    let short = short(name)?;
    let mut all = TABLES.iter().flat_map(|table| table.iter());
    all.find(|(own, since, _)| *own == short && is_in(*since, toolbox)).map(|(.., tool)| *tool)
}

/// Whether an image has a program: one of ours, a text tool, or what the shell does itself.
pub(super) fn has(name: &str, toolbox: Toolbox) -> bool {
    let Some(short) = short(name).filter(|_| toolbox != Toolbox::Nothing) else { return false };
    let is_text = || shell::tools::names().any(|own| own == short) && !(short == "jq" && toolbox == Toolbox::Busybox);
    let is_bash = short == "bash" && toolbox == Toolbox::Distribution;
    find(name, toolbox).is_some() || BUILT_IN.contains(&short) || is_bash || is_text()
}

fn short(name: &str) -> Option<&str> {
    match name.rsplit_once('/') {
        None => Some(name),
        Some(("/bin" | "/usr/bin" | "/sbin" | "/usr/sbin" | "/usr/local/bin", short)) => Some(short),
        Some(_) => None,
    }
}

fn is_in(since: Since, toolbox: Toolbox) -> bool {
    match toolbox {
        Toolbox::Nothing => false,
        Toolbox::Busybox => since == Since::Small,
        Toolbox::Distribution => true,
    }
}

impl ContainerToolCall<'_> {
    fn print(&mut self, text: &str) {
        self.output.stdout.extend_from_slice(text.as_bytes());
    }

    fn line(&mut self, text: &str) {
        self.print(text);
        self.output.stdout.push(b'\n');
    }

    /// A complaint, with the program's name before it; the exit code of one that failed.
    fn fail(&mut self, why: &str) -> i32 {
        self.output.stderr.extend(format!("{}: {why}\n", self.name).into_bytes());
        1
    }

    fn complain(&mut self, text: &str) {
        self.output.stderr.extend(format!("{text}\n").into_bytes());
    }

    /// Whether a one-letter option is given, alone or among others: `-la`.
    fn has(&self, letter: char) -> bool {
        let before_names = self.words.iter().take_while(|word| *word != "--");
        let mut letters = before_names.filter(|word| word.starts_with('-') && !word.starts_with("--"));
        letters.any(|word| word[1..].contains(letter))
    }

    /// The value of an option: `-n 5`, `-n5`, `--lines=5`.
    fn value(&self, letter: &str, long: &str) -> Option<String> {
        let mut words = self.words.iter();
        while let Some(word) = words.next() {
            let assigned = word.strip_prefix(long).filter(|_| !long.is_empty()).and_then(|rest| rest.strip_prefix('='));
            if let Some(value) = assigned {
                return Some(value.into());
            }
            if word == letter || !long.is_empty() && word == long {
                return words.next().cloned();
            }
            let glued = word.strip_prefix(letter).filter(|rest| !rest.is_empty());
            if let Some(value) = glued.filter(|_| letter.len() == 2 && !word.starts_with("--")) {
                return Some(value.into());
            }
        }
        None
    }

    /// The words that are no options; those in `takes` have a value that is none either.
    fn plain(&self, takes: &[&str]) -> Vec<String> {
        let mut all = Vec::new();
        let mut words = self.words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--" => all.extend(words.by_ref().cloned()),
                word if takes.contains(&word) => drop(words.next()),
                word if word.starts_with('-') && word.len() > 1 => {}
                word => all.push(word.into()),
            }
        }
        all
    }
}
