//! awk: patterns, fields, variables, arrays, conditions, loops, print and printf, the usual functions.

mod parse;
mod run;

use super::{ToolInput, done};
use crate::run::Output;

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
            word if word.starts_with("-F") => separator = Some(crate::builtins::unescape(&value(&word[2..]))),
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

/// A number as awk prints it: whole numbers without a point, others with six digits.
pub fn number_text(number: f64) -> String {
    if number == number.trunc() && number.abs() < 1e15 {
        return format!("{}", number as i64);
    }
    if !number.is_finite() {
        return if number.is_nan() {
            "nan".into()
        } else if number > 0.0 {
            "inf".into()
        } else {
            "-inf".into()
        };
    }
    let exponent = {
        let text = format!("{:e}", number.abs());
        text.split_once('e').and_then(|(_, e)| e.parse::<i32>().ok()).unwrap_or(0)
    };
    if !(-5..15).contains(&exponent) {
        return format!("{number:.5e}");
    }
    let digits = (5 - exponent).clamp(0, 17) as usize;
    let text = format!("{number:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}
