//! `redis-cli` and `valkey-cli`: options, the connection's password, and how replies are shown.

use cluster::ExecEnd;

use super::RedisStore;
use super::commands::{Link, RedisReply};
use crate::stores::ConsoleCall;
use crate::stores::console::Options;

const WITH_VALUE: &[&str] =
    &["-h", "-p", "-a", "-n", "-u", "-r", "-i", "-s", "-d", "--user", "--pass", "--pattern", "--count"];

/// Runs the client.
pub(super) fn console(store: &mut RedisStore, call: &ConsoleCall) -> ExecEnd {
    let name = call.words.first().map_or("redis-cli", |name| name.rsplit('/').next().unwrap_or(name));
    let end = call.words[1..].iter().scan(false, |is_value, word| {
        // Options end where the command begins.
        let is_option = *is_value || word.starts_with('-');
        *is_value = !*is_value && WITH_VALUE.contains(&&**word);
        is_option.then_some(())
    });
    let (options, command) = call.words[1..].split_at(end.count());
    let options = Options::read(options, WITH_VALUE);
    let mut printed = String::new();
    let mut complaints = String::new();
    if options.has(&["--version", "-v"]) {
        return ConsoleCall::prints(format!("{name} {}\n", store.version));
    }
    let variable = if name.starts_with("valkey") { "VALKEYCLI_AUTH" } else { "REDISCLI_AUTH" };
    let password = options.get(&["-a", "--pass"]).map(Into::into).or_else(|| call.env.get(variable).cloned());
    let mut link = Link { is_known: store.password().is_empty(), now: call.now };
    if let Some(password) = password {
        if options.has(&["-a", "--pass"]) && !options.has(&["--no-auth-warning"]) {
            complaints.push_str(
                "Warning: Using a password with '-a' or '-u' option on the command line interface may not be safe.\n",
            );
        }
        match store.check_password(&password, false) {
            Ok(()) => link.is_known = true,
            Err(why) => complaints.push_str(&format!("AUTH failed: {why}\n")),
        }
    }
    let is_plain = !call.terminal || options.has(&["--raw"]);
    let mut run = |words: &[String]| {
        let reply = store.run(&mut link, words);
        printed.push_str(&if is_plain { plain(&reply) } else { dressed(&reply, 0) });
        printed.push('\n');
    };
    if options.has(&["--scan"]) {
        let pattern = options.get(&["--pattern"]).unwrap_or("*").to_string();
        run(&["KEYS".into(), pattern]);
    } else if command.is_empty() {
        for line in call.input.lines().filter(|line| !line.trim().is_empty()) {
            run(&words(line));
        }
    } else {
        run(command);
    }
    ExecEnd { stdout: printed.into_bytes(), stderr: complaints.into_bytes(), code: 0, ..ExecEnd::default() }
}

/// What comes back of lines that were typed at the port, as the protocol writes it.
pub(super) fn typed(store: &mut RedisStore, text: &str, now: cluster::Stamp) -> String {
    let mut link = Link { is_known: store.password().is_empty(), now };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| written(&store.run(&mut link, &words(line)))).collect()
}

fn written(reply: &RedisReply) -> String {
    match reply {
        RedisReply::Status(text) => format!("+{text}\r\n"),
        RedisReply::Error(text) => format!("-{text}\r\n"),
        RedisReply::Number(number) => format!(":{number}\r\n"),
        RedisReply::Nothing => "$-1\r\n".into(),
        RedisReply::Text(text) => format!("${}\r\n{text}\r\n", text.len()),
        RedisReply::List(items) => format!("*{}\r\n{}", items.len(), items.iter().map(written).collect::<String>()),
    }
}

/// A typed line as words, with quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.trim().chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ' ') => words.push(String::new()),
            (_, c) => words.last_mut().expect("there is always a word").push(c),
        }
    }
    words
}

/// As shown to a pipe.
fn plain(reply: &RedisReply) -> String {
    match reply {
        RedisReply::Status(text) | RedisReply::Text(text) | RedisReply::Error(text) => text.clone(),
        RedisReply::Number(number) => number.to_string(),
        RedisReply::Nothing => String::new(),
        RedisReply::List(items) => items.iter().map(plain).collect::<Vec<_>>().join("\n"),
    }
}

/// As shown on a terminal.
fn dressed(reply: &RedisReply, depth: usize) -> String {
    match reply {
        RedisReply::Status(text) => text.clone(),
        RedisReply::Text(text) if text.contains("\r\n") => text.clone(),
        RedisReply::Text(text) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        RedisReply::Error(text) => format!("(error) {text}"),
        RedisReply::Number(number) => format!("(integer) {number}"),
        RedisReply::Nothing => "(nil)".into(),
        RedisReply::List(items) if items.is_empty() => "(empty array)".into(),
        RedisReply::List(items) => {
            let rows = items.iter().enumerate();
            let rows = rows.map(|(at, item)| format!("{}) {}", at + 1, dressed(item, depth + 1)));
            rows.collect::<Vec<_>>().join(&format!("\n{}", "   ".repeat(depth)))
        }
    }
}
