//! jq: a useful subset.

mod eval;
mod functions;
mod parse;
mod value;

use super::ToolInput;
use crate::state::Output;
use eval::Eval;
use value::Json;

pub(super) fn jq(call: &mut ToolInput<'_>) -> Output {
    let mut style = value::Style { indent: Some("  ".into()), sorts: false };
    let (mut raw, mut joins, mut slurps, mut nulls, mut exit_status) = (false, false, false, false, false);
    let mut variables = Vec::new();
    let mut filter = None;
    let mut paths = Vec::new();
    let mut words = call.words[1..].iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--arg" | "--argjson" => {
                let (Some(name), Some(text)) = (words.next(), words.next()) else {
                    return Output::failed(2, format!("jq: {word} takes two parameters\n"));
                };
                let value = match word == "--arg" {
                    true => Json::Text(text.clone()),
                    false => match value::read_all(text) {
                        Ok(mut values) if values.len() == 1 => values.remove(0),
                        _ => return Output::failed(2, "jq: Invalid JSON text passed to --argjson\n"),
                    },
                };
                variables.push((name.clone(), value));
            }
            "--raw-output" => raw = true,
            "--compact-output" => style.indent = None,
            "--slurp" => slurps = true,
            "--null-input" => nulls = true,
            "--exit-status" => exit_status = true,
            "--sort-keys" => style.sorts = true,
            "--join-output" => joins = true,
            "--tab" => style.indent = Some("\t".into()),
            "--color-output" | "--monochrome-output" => {}
            word if word.len() > 1 && word.starts_with('-') && !word.starts_with("--") => {
                for letter in word[1..].chars() {
                    match letter {
                        'r' => raw = true,
                        'c' => style.indent = None,
                        's' => slurps = true,
                        'n' => nulls = true,
                        'e' => exit_status = true,
                        'S' => style.sorts = true,
                        'j' => (raw, joins) = (true, true),
                        'M' | 'C' => {}
                        other => return Output::failed(2, format!("jq: Unknown option: -{other}\n")),
                    }
                }
            }
            _ if filter.is_none() => filter = Some(word.clone()),
            _ => paths.push(word.clone()),
        }
    }
    let filter = match parse::parse(filter.as_deref().unwrap_or(".")) {
        Ok(filter) => filter,
        Err(why) => return Output::failed(3, format!("jq: error: {why}\njq: 1 compile error\n")),
    };
    let (text, complaints) = call.joined(&paths);
    if !complaints.is_empty() {
        return Output::failed(2, complaints.replace("jq: ", "jq: error: Could not open "));
    }
    let (inputs, broken) = match value::read_all(&text) {
        Ok(inputs) => (inputs, None),
        Err((inputs, why)) => (inputs, Some(why)),
    };
    let inputs = match (nulls, slurps) {
        (true, _) => vec![Json::Null],
        (false, true) => vec![Json::List(inputs)],
        (false, false) => inputs,
    };
    let mut output = Output::default();
    let mut last = None;
    let mut eval = Eval::new(call.host.now());
    for input in inputs {
        let mut results = Vec::new();
        let outcome = eval.eval(&filter, &input, &variables, &mut results);
        for result in &results {
            match result {
                Json::Text(text) if raw => output.stdout.push_str(text),
                other => other.write(&style, &mut output.stdout),
            }
            if !joins {
                output.stdout.push('\n');
            }
        }
        last = results.pop().or(last);
        if let Err(why) = outcome {
            output.stderr.push_str(&format!("jq: error (at <stdin>:0): {}\n", why.text()));
            output.code = 5;
        }
    }
    if let Some(why) = broken.filter(|_| !nulls) {
        output.stderr.push_str(&format!("jq: parse error: {why}\n"));
        output.code = 2;
    }
    if exit_status && output.code == 0 {
        output.code = match last {
            None => 4,
            Some(Json::Null | Json::Bool(false)) => 1,
            Some(_) => 0,
        };
    }
    output
}
