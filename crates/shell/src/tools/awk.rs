//! awk: patterns, fields, variables, arrays, conditions, loops, print and printf, the usual functions.

mod parse;
mod run;

use super::{ToolInput, done};
use crate::state::Output;

pub(super) fn awk(call: &mut ToolInput<'_>) -> Output {
    let mut words = call.words[1..].iter();
    let mut variables = Vec::new();
    let mut separator = None;
    let mut program = None;
    let mut paths = Vec::new();
    while let Some(word) = words.next() {
        let mut value =
            |glued: &str| if glued.is_empty() { words.next().cloned().unwrap_or_default() } else { glued.into() };
        match word.as_str() {
            _ if program.is_some() => paths.push(word.clone()),
            word if word.starts_with("-F") => separator = Some(crate::text::unescape(&value(&word[2..]))),
            word if word.starts_with("-v") => variables.push(value(&word[2..])),
            word if word.starts_with('-') && word.len() > 1 => {
                return Output::failed(2, format!("awk: not an option: {word}\n"));
            }
            _ => program = Some(word.clone()),
        }
    }
    let Some(program) = program else { return Output::failed(2, "usage: awk [-F fs][-v var=value][prog][file ...]\n") };
    let program = match parse::parse(&program) {
        Ok(program) => program,
        Err(why) => return Output::failed(2, format!("awk: {why}\n")),
    };
    let (text, complaints) = call.joined(&paths);
    let mut run = run::Run::new(separator, &variables);
    match run.all(&program, &text) {
        Ok(code) => Output { code, ..done(run.take_output(), complaints) },
        Err(why) => Output::failed(2, format!("awk: {why}\n")),
    }
}
