//! xargs.

use super::ToolInput;
use crate::state::Output;

pub(super) fn xargs(call: &mut ToolInput<'_>) -> Output {
    // Options end where the command begins: its own options are not ours.
    let (mut most, mut replaced, mut skips_empty, mut by_line, mut at) = (usize::MAX, None, false, false, 1);
    while let Some(word) = call.words.get(at).filter(|word| word.starts_with('-')) {
        let (flag, glued) = word.split_at(word.len().min(2));
        let mut value = || {
            if !glued.is_empty() {
                return glued.to_string();
            }
            at += 1;
            call.words.get(at).cloned().unwrap_or_default()
        };
        match flag {
            "-n" | "-L" => most = value().parse().unwrap_or(1).max(1),
            "-I" | "-i" => replaced = Some(value()),
            "-r" => skips_empty = true,
            "-t" | "-0" => {}
            "-P" => drop(value()),
            "-d" => {
                by_line = true;
                drop(value());
            }
            "--" if word == "--no-run-if-empty" => skips_empty = true,
            "--" if word.starts_with("--max-args=") => most = word[11..].parse().unwrap_or(1).max(1),
            _ => return Output::failed(1, format!("xargs: invalid option -- '{word}'\n")),
        }
        at += 1;
    }
    let command: Vec<String> = match call.words.get(at..) {
        Some([]) | None => vec!["echo".into()],
        Some(command) => command.to_vec(),
    };
    let items: Vec<String> = match replaced.is_some() || by_line {
        true => call.input.lines().map(|line| line.trim_start().to_string()).filter(|line| !line.is_empty()).collect(),
        false => words(call.input),
    };
    if items.is_empty() && (skips_empty || replaced.is_some()) {
        return Output::default();
    }
    let lines: Vec<Vec<String>> = match &replaced {
        Some(sign) => {
            items.iter().map(|item| command.iter().map(|word| word.replace(&**sign, item)).collect()).collect()
        }
        None if items.is_empty() => vec![command],
        None => items.chunks(most.min(5000)).map(|chunk| command.iter().chain(chunk).cloned().collect()).collect(),
    };
    let mut output = Output::default();
    for line in lines.iter().take(1000) {
        let of_line = call.shell.program(call.host, line, "");
        output.stdout.push_str(&of_line.stdout);
        output.stderr.push_str(&of_line.stderr);
        if of_line.code != 0 {
            output.code = 123;
        }
    }
    output
}

/// Words at blanks, with quotes.
fn words(text: &str) -> Vec<String> {
    let (mut out, mut current, mut quote, mut is_word) = (Vec::new(), String::new(), None, false);
    for c in text.chars() {
        match quote {
            Some(sign) if c == sign => quote = None,
            Some(_) => current.push(c),
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                is_word = true;
            }
            None if c.is_whitespace() => {
                if is_word {
                    out.push(std::mem::take(&mut current));
                }
                is_word = false;
            }
            None => {
                is_word = true;
                current.push(c);
            }
        }
    }
    if is_word {
        out.push(current);
    }
    out
}
