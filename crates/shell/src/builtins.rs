//! What the shell does itself.

use crate::Host;
use crate::state::{self, LoopControl, Output, Shell};
use crate::text::{number_text, span, unescape};

/// Runs a builtin; `None` if it is none.
pub(crate) fn run(shell: &mut Shell, host: &mut dyn Host, words: &[String], input: &str) -> Option<Output> {
    let arguments = &words[1..];
    Some(match words[0].as_str() {
        ":" | "true" => Output::default(),
        "false" => Output::ended(1),
        "echo" => echo(arguments),
        "printf" => printf(arguments),
        "exit" | "return" => {
            shell.is_over = true;
            Output::ended(arguments.first().and_then(|code| code.parse().ok()).unwrap_or(shell.last) & 255)
        }
        "break" => control(shell, LoopControl::Break),
        "continue" => control(shell, LoopControl::Continue),
        "export" | "local" | "declare" | "readonly" => export(shell, arguments),
        "unset" => {
            for name in arguments {
                shell.variables.remove(name);
                shell.functions.remove(name);
            }
            Output::default()
        }
        "set" => {
            shell.fails_fast |= arguments.iter().any(|a| a.starts_with('-') && a.contains('e') && !a.starts_with("--"));
            Output::default()
        }
        "shift" => {
            if !shell.arguments.is_empty() {
                shell.arguments.remove(0);
            }
            Output::default()
        }
        "test" => test("test", arguments, host),
        "[" | "[[" => {
            let close = if words[0] == "[" { "]" } else { "]]" };
            match arguments.split_last() {
                Some((last, inner)) if last == close => test(&words[0], inner, host),
                _ => Output::failed(2, format!("sh: {}: missing `{close}'\n", words[0])),
            }
        }
        "cd" => match host.change_folder(arguments.first().map_or("", |path| path)) {
            Ok(()) => Output::default(),
            Err(why) => Output::failed(1, format!("sh: cd: {}: {why}\n", arguments.join(" "))),
        },
        "alias" | "trap" | "umask" | "ulimit" if words[0] != "ulimit" => Output::default(),
        "sleep" => sleep(shell, host, arguments),
        "wait" => wait(shell, host),
        "timeout" => timeout(shell, host, arguments, input),
        "time" | "command" | "exec" | "nohup" | "sudo" | "env" | "stdbuf"
            if arguments.first().is_some_and(|word| !word.starts_with('-')) =>
        {
            prefixed(shell, host, words, input)
        }
        "command" | "type" | "which" => which(host, arguments),
        "eval" => nested(shell, host, &arguments.join(" "), input),
        "sh" | "bash" | "/bin/sh" | "/bin/bash" | "ash" => script(shell, host, arguments, input)?,
        "read" => {
            let line = input.lines().next();
            let name = arguments.iter().find(|a| !a.starts_with('-')).map_or("REPLY", |name| name);
            shell.variables.insert(name.into(), line.unwrap_or_default().into());
            Output::ended(i32::from(line.is_none()))
        }
        "source" | "." | "jobs" | "fg" | "bg" | "kill" | "ssh" | "vi" | "vim" | "nano" | "less" | "more" | "watch"
            if !host.has_tool(&words[0]) =>
        {
            Output::failed(127, format!("sh: {}: not supported here\n", words[0]))
        }
        _ => return None,
    })
}

fn control(shell: &mut Shell, what: LoopControl) -> Output {
    shell.loop_control = Some(what);
    Output::default()
}

fn export(shell: &mut Shell, arguments: &[String]) -> Output {
    for argument in arguments {
        if let Some((name, value)) = argument.split_once('=') {
            shell.variables.insert(name.into(), value.into());
        }
    }
    Output::default()
}

fn echo(arguments: &[String]) -> Output {
    let mut arguments = arguments;
    let (mut newline, mut escapes) = (true, false);
    while let Some(first) = arguments.first()
        && let Some(letters) = first.strip_prefix('-').filter(|l| !l.is_empty() && l.chars().all(|c| "neE".contains(c)))
    {
        newline &= !letters.contains('n');
        escapes = letters.contains('e') || (escapes && !letters.contains('E'));
        arguments = &arguments[1..];
    }
    let text = arguments.join(" ");
    let mut text = if escapes { unescape(&text) } else { text };
    if newline {
        text.push('\n');
    }
    Output::printed(text)
}

/// The format is used again until all arguments are used up.
fn printf(arguments: &[String]) -> Output {
    let Some((format, mut rest)) = arguments.split_first() else {
        return Output::failed(2, "sh: printf: usage: printf [-v var] format [arguments]\n");
    };
    let format = unescape(format);
    let mut out = String::new();
    loop {
        let before = rest.len();
        out.push_str(&formatted(&format, &mut |_| match rest.split_first() {
            Some((first, more)) => {
                rest = more;
                first.clone()
            }
            None => String::new(),
        }));
        if rest.is_empty() || rest.len() == before || out.len() > 1 << 20 {
            return Output::printed(out);
        }
    }
}

/// Fills the `%s`, `%d`, `%5.2f`, ... of a format.
pub(crate) fn formatted(format: &str, next: &mut dyn FnMut(char) -> String) -> String {
    let mut out = String::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut flags = String::new();
        while let Some(c) = chars.next_if(|c| "-+ 0#".contains(*c)) {
            flags.push(c);
        }
        let mut digits = String::new();
        while let Some(c) = chars.next_if(|c| c.is_ascii_digit() || *c == '.' || *c == '*') {
            if c == '*' { digits.push_str(&next('d')) } else { digits.push(c) }
        }
        let Some(kind) = chars.next() else { break };
        if kind == '%' {
            out.push('%');
            continue;
        }
        let (width, precision) = match digits.split_once('.') {
            Some((width, precision)) => (width.parse().unwrap_or(0), Some(precision.parse::<usize>().unwrap_or(0))),
            None => (digits.parse::<usize>().unwrap_or(0), None),
        };
        let (width, precision) = (width.min(1000), precision.map(|p| p.min(100)));
        let value = next(kind);
        let number = || value.trim().parse::<f64>().unwrap_or(0.0);
        let text = match kind {
            'd' | 'i' | 'u' => format!("{}", number().trunc() as i64),
            'f' | 'F' => format!("{:.*}", precision.unwrap_or(6), number()),
            'e' => format!("{:.*e}", precision.unwrap_or(6), number()),
            'g' => number_text(number()),
            'x' => format!("{:x}", number() as i64),
            'X' => format!("{:X}", number() as i64),
            'o' => format!("{:o}", number() as i64),
            'c' => value.chars().next().map(String::from).unwrap_or_default(),
            'b' => unescape(&value),
            'q' => format!("'{value}'"),
            _ => match precision {
                Some(most) => value.chars().take(most).collect(),
                None => value,
            },
        };
        let missing = width.saturating_sub(text.chars().count());
        if flags.contains('-') {
            out.push_str(&text);
            out.extend(std::iter::repeat_n(' ', missing));
        } else if flags.contains('0') && kind != 's' {
            out.extend(std::iter::repeat_n('0', missing));
            out.push_str(&text);
        } else {
            out.extend(std::iter::repeat_n(' ', missing));
            out.push_str(&text);
        }
    }
    out
}

fn sleep(shell: &mut Shell, host: &mut dyn Host, arguments: &[String]) -> Output {
    let mut micros = 0;
    for argument in arguments {
        match span(argument) {
            Some(more) => micros += more,
            None => return Output::failed(1, format!("sleep: invalid time interval '{argument}'\n")),
        }
    }
    let end = host.now().saturating_add(micros);
    let until = host.deadline().map_or(end, |deadline| deadline.min(end));
    host.wait_until(shell, until);
    Output::ended(if until < end { 124 } else { 0 })
}

fn wait(shell: &mut Shell, host: &mut dyn Host) -> Output {
    while let Some(due) = shell.next_due() {
        if host.deadline().is_some_and(|deadline| due > deadline) {
            break;
        }
        host.wait_until(shell, due);
        shell.run_due(host);
    }
    let mut output = std::mem::take(&mut shell.job_output);
    output.code = 0;
    output
}

fn timeout(shell: &mut Shell, host: &mut dyn Host, arguments: &[String], input: &str) -> Output {
    let mut rest = arguments;
    while let Some(first) = rest.first().filter(|word| word.starts_with('-')) {
        let takes_value = matches!(first.as_str(), "-k" | "-s");
        rest = rest.get(if takes_value { 2 } else { 1 }..).unwrap_or_default();
    }
    let Some(((text, words), micros)) = rest.split_first().and_then(|split| Some((split, span(split.0)?))) else {
        return Output::failed(125, "timeout: missing or invalid operand\n");
    };
    let _ = text;
    if words.is_empty() {
        return Output::failed(125, "timeout: missing operand\n");
    }
    let end = host.now().saturating_add(micros);
    let before = *host.deadline();
    *host.deadline() = Some(before.map_or(end, |other| other.min(end)));
    let mut output = shell.program(host, words, input);
    *host.deadline() = before;
    if host.now() >= end && output.code != 0 {
        output.code = 124;
    }
    output
}

/// `env A=B command`, `time command`, `sudo command`.
fn prefixed(shell: &mut Shell, host: &mut dyn Host, words: &[String], input: &str) -> Output {
    let mut rest = &words[1..];
    let mut before = Vec::new();
    while let Some((name, value)) = rest.first().and_then(|word| word.split_once('=')) {
        before.push((name.to_string(), shell.variables.insert(name.into(), value.into())));
        rest = &rest[1..];
    }
    let output = match rest.is_empty() || !shell.enters() {
        true => Output::default(),
        false => shell.program(host, rest, input),
    };
    shell.leaves();
    for (name, old) in before {
        match old {
            Some(old) => shell.variables.insert(name, old),
            None => shell.variables.remove(&name),
        };
    }
    output
}

fn which(host: &mut dyn Host, arguments: &[String]) -> Output {
    let names = arguments.iter().filter(|word| !word.starts_with('-'));
    let mut output = Output::default();
    for name in names {
        if host.has_tool(name) {
            output.stdout.push_str(&format!("/usr/bin/{name}\n"));
        } else {
            output.code = 1;
        }
    }
    output
}

fn script(shell: &mut Shell, host: &mut dyn Host, arguments: &[String], input: &str) -> Option<Output> {
    let at = arguments.iter().position(|word| word.starts_with('-') && word.ends_with('c'));
    Some(match (at, arguments) {
        (Some(at), _) => {
            let text = arguments.get(at + 1)?.clone();
            let mut child = shell.clone();
            child.arguments = arguments.get(at + 3..).unwrap_or_default().to_vec();
            nested(&mut child, host, &text, input)
        }
        (None, []) => nested(&mut shell.clone(), host, input, ""),
        (None, [path, rest @ ..]) => match state::read(host, path) {
            Ok(text) => {
                let mut child = shell.clone();
                child.arguments = rest.to_vec();
                nested(&mut child, host, &text, input)
            }
            Err(why) => Output::failed(127, format!("sh: {path}: {why}\n")),
        },
    })
}

fn nested(shell: &mut Shell, host: &mut dyn Host, text: &str, input: &str) -> Output {
    let output = match shell.enters() {
        true => shell.run(host, text, input),
        false => Output::failed(1, "sh: stopped: too deeply nested\n"),
    };
    shell.leaves();
    output
}

fn test(name: &str, words: &[String], host: &mut dyn Host) -> Output {
    match decide(words, host) {
        Ok(holds) => Output::ended(i32::from(!holds)),
        Err(why) => Output::failed(2, format!("sh: {name}: {why}\n")),
    }
}

fn decide(words: &[String], host: &mut dyn Host) -> Result<bool, String> {
    for (sign, both) in [(["-o", "||"], false), (["-a", "&&"], true)] {
        if let Some(at) = words.iter().position(|word| sign.contains(&word.as_str())).filter(|at| *at > 0) {
            let (left, right) = (decide(&words[..at], host)?, decide(&words[at + 1..], host)?);
            return Ok(if both { left && right } else { left || right });
        }
    }
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    let number = |text: &str| text.trim().parse::<i64>().map_err(|_| format!("{text}: integer expression expected"));
    Ok(match *texts {
        [] => false,
        ["!", ..] => !decide(&words[1..], host)?,
        [one] => !one.is_empty(),
        ["-z", text] => text.is_empty(),
        ["-n", text] => !text.is_empty(),
        ["-f" | "-e" | "-r" | "-s", path] => state::read(host, path).is_ok(),
        ["-d" | "-x" | "-L", _] => false,
        [left, "=" | "==", right] => left == right || (right.contains('*') && crate::expand::glob_matches(right, left)),
        [left, "!=", right] => left != right,
        [left, "=~", right] => {
            crate::pattern(right, crate::Dialect::Extended, false).map_err(|why| why.to_string())?.is_match(left)
        }
        [left, "-eq", right] => number(left)? == number(right)?,
        [left, "-ne", right] => number(left)? != number(right)?,
        [left, "-lt", right] => number(left)? < number(right)?,
        [left, "-le", right] => number(left)? <= number(right)?,
        [left, "-gt", right] => number(left)? > number(right)?,
        [left, "-ge", right] => number(left)? >= number(right)?,
        _ => return Err("too many arguments".into()),
    })
}
