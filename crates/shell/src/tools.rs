//! The text tools that people pipe into.

pub mod awk;
mod columns;
mod filter;
mod grep;
pub mod jq;
mod order;
mod sed;
mod xargs;

use crate::Host;
use crate::state::{self, Output, Shell};

/// A call of a tool.
pub struct ToolInput<'a> {
    /// The shell that calls.
    pub shell: &'a mut Shell,
    /// Where it runs.
    pub host: &'a mut dyn Host,
    /// The name and the arguments.
    pub words: &'a [String],
    /// What was piped in.
    pub input: &'a str,
}

/// A text tool.
pub type TextTool = fn(&mut ToolInput<'_>) -> Output;

/// The tools by name.
const TOOLS: &[(&str, TextTool)] = &[
    ("awk", awk::awk),
    ("base64", filter::base64),
    ("basename", filter::basename),
    ("cat", filter::cat),
    ("column", columns::column),
    ("cut", columns::cut),
    ("date", filter::date),
    ("dirname", filter::dirname),
    ("egrep", grep::grep),
    ("fgrep", grep::grep),
    ("gawk", awk::awk),
    ("grep", grep::grep),
    ("head", filter::head),
    ("jq", jq::jq),
    ("mawk", awk::awk),
    ("nl", filter::nl),
    ("paste", columns::paste),
    ("rev", filter::rev),
    ("sed", sed::sed),
    ("seq", filter::seq),
    ("sort", order::sort),
    ("tac", filter::tac),
    ("tail", filter::tail),
    ("tee", filter::tee),
    ("tr", filter::tr),
    ("uniq", order::uniq),
    ("wc", filter::wc),
    ("xargs", xargs::xargs),
    ("yes", filter::yes),
];

/// The names of all tools.
pub fn names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|(name, _)| *name)
}

pub(crate) fn find(name: &str) -> Option<TextTool> {
    let name = name.strip_prefix("/usr/bin/").or_else(|| name.strip_prefix("/bin/")).unwrap_or(name);
    TOOLS.iter().find(|(known, _)| *known == name).map(|(_, tool)| *tool)
}

/// The options of a call, each with its value, and the other words.
pub(crate) struct Options {
    pub(crate) set: Vec<(char, String)>,
    pub(crate) rest: Vec<String>,
}

impl Options {
    pub(crate) fn has(&self, letter: char) -> bool {
        self.set.iter().any(|(known, _)| *known == letter)
    }

    pub(crate) fn value(&self, letter: char) -> Option<&str> {
        self.set.iter().rev().find(|(known, _)| *known == letter).map(|(_, value)| value.as_str())
    }
}

impl ToolInput<'_> {
    pub(crate) fn name(&self) -> &str {
        &self.words[0]
    }

    /// Reads options as getopt does: letters, `:` after those with a value; long names stand for letters.
    pub(crate) fn options(&self, letters: &str, long: &[(&str, char)]) -> Result<Options, Output> {
        let takes = |letter: char| letters.contains(&format!("{letter}:"));
        let known = |letter: char| letter != ':' && letters.contains(letter);
        let name = self.name();
        let mut options = Options { set: Vec::new(), rest: Vec::new() };
        let mut words = self.words[1..].iter();
        while let Some(word) = words.next() {
            if word == "--" {
                options.rest.extend(words.by_ref().cloned());
            } else if let Some(full) = word.strip_prefix("--") {
                let (key, value) = full.split_once('=').map_or((full, None), |(key, value)| (key, Some(value)));
                let Some((_, letter)) = long.iter().find(|(known, _)| *known == key) else {
                    return Err(Output::failed(2, format!("{name}: unrecognized option '--{key}'\n")));
                };
                let value = match (takes(*letter), value) {
                    (true, Some(value)) => value.to_string(),
                    (true, None) => words.next().cloned().unwrap_or_default(),
                    (false, _) => String::new(),
                };
                options.set.push((*letter, value));
            } else if word.len() > 1 && word.starts_with('-') && !word[1..].starts_with(|c: char| c.is_ascii_digit()) {
                let mut rest = word[1..].chars();
                while let Some(letter) = rest.next() {
                    if !known(letter) {
                        return Err(Output::failed(2, format!("{name}: invalid option -- '{letter}'\n")));
                    }
                    if takes(letter) {
                        let glued = rest.as_str();
                        let value = if glued.is_empty() { words.next().cloned() } else { Some(glued.into()) };
                        let Some(value) = value else {
                            let why = format!("{name}: option requires an argument -- '{letter}'\n");
                            return Err(Output::failed(2, why));
                        };
                        options.set.push((letter, value));
                        break;
                    }
                    options.set.push((letter, String::new()));
                }
            } else {
                options.rest.push(word.clone());
            }
        }
        Ok(options)
    }

    /// The texts of the named files, or what was piped in; complaints about those that cannot be read.
    pub(crate) fn texts(&mut self, paths: &[String]) -> (Vec<(String, String)>, String) {
        if paths.is_empty() {
            return (vec![(String::new(), self.input.to_string())], String::new());
        }
        let (mut texts, mut complaints) = (Vec::new(), String::new());
        for path in paths {
            if path == "-" {
                texts.push((path.clone(), self.input.to_string()));
                continue;
            }
            match state::read(self.host, path) {
                Ok(text) => texts.push((path.clone(), text)),
                Err(why) => complaints.push_str(&format!("{}: {path}: {why}\n", self.name())),
            }
        }
        (texts, complaints)
    }

    /// All texts as one.
    pub(crate) fn joined(&mut self, paths: &[String]) -> (String, String) {
        let (texts, complaints) = self.texts(paths);
        (texts.into_iter().map(|(_, text)| text).collect(), complaints)
    }
}

pub(crate) fn done(stdout: String, stderr: String) -> Output {
    let code = i32::from(!stderr.is_empty());
    Output { stdout, stderr, code }
}
