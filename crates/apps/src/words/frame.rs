//! The frame of a log line: time, level and place, as loggers of each language write them.

use cluster::Stamp;

use crate::scatter::mix;
use crate::spec::{ContainerProgram, Language, LoggerStyle};

/// How grave a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogLevel {
    Info,
    Error,
    Fatal,
}

/// Who writes a line: the name of the program, and the port on which it serves if it does already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogPlace<'a> {
    pub(crate) name: &'a str,
    pub(crate) port: Option<u16>,
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// `16/Nov/2026:04:27:31 +0000`, as access logs write it.
fn apache_time(at: Stamp) -> String {
    let (year, month, day, hour, minute, second) = at.civil();
    let month = MONTHS[(month as usize).clamp(1, 12) - 1];
    format!("{day:02}/{month}/{year}:{hour:02}:{minute:02}:{second:02} +0000")
}

/// A message in the frame of its logger.
pub(crate) fn frame(
    program: &ContainerProgram,
    at: Stamp,
    level: LogLevel,
    place: LogPlace<'_>,
    message: &str,
) -> String {
    let word = |info: &'static str, error: &'static str, fatal: &'static str| match level {
        LogLevel::Info => info,
        LogLevel::Error => error,
        LogLevel::Fatal => fatal,
    };
    let second = at.rfc3339();
    let plain = second.trim_end_matches('Z').replace('T', " ");
    let (micros, name) = (at.0.rem_euclid(1_000_000), place.name);
    let millis = micros / 1000;
    match program.logger {
        Some(LoggerStyle::Slog) => {
            let (time, level) = (at.rfc3339_micro(), word("INFO", "ERROR", "ERROR"));
            return format!(
                "{{\"time\":\"{time}\",\"level\":\"{level}\",\"msg\":{}}}",
                serde_json::Value::from(message)
            );
        }
        Some(LoggerStyle::Log4j) => {
            let level = word("INFO ", "ERROR", "FATAL");
            return format!("{plain}.{millis:03} [main] {level} {name} - {message}");
        }
        Some(LoggerStyle::GoLog) => {
            return format!("{} {} {message}", plain.replace('-', "/"), word("INFO", "ERROR", "ERROR"));
        }
        Some(LoggerStyle::Uvicorn) => return format!("{:<9} {message}", word("INFO:", "ERROR:", "CRITICAL:")),
        Some(LoggerStyle::Locust) => {
            let level = word("INFO/locust.main", "ERROR/locust.user.task", "CRITICAL/locust.main");
            return format!("[{plain},{millis:03}] {name}/{level}: {message}");
        }
        Some(LoggerStyle::Bare) => return message.into(),
        None => {}
    }
    match program.language {
        Language::Go => format!("{second} {} {} > {message}", word("INF", "ERR", "FTL"), go_caller(place, message)),
        Language::Cpp => {
            let (year, month, day, hour, minute, second) = at.civil();
            let month = MONTHS[(month as usize).clamp(1, 12) - 1];
            let level = word("info", "error", "fatal");
            format!("[{year}-{month}-{day:02} {hour:02}:{minute:02}:{second:02}.{micros:06}] <{level}>: {message}")
        }
        Language::Java => {
            let (logger, message) = spring_logger(place, message);
            let logger = shortened(logger);
            let (level, thread) = (word(" INFO", "ERROR", "ERROR"), spring_thread(program, at, place));
            format!("{plain}.{millis:03} {level} 1 --- [{thread:>15}] {logger:<40} : {message}")
        }
        Language::Python => format!("{plain},{millis:03} {} [{name}] - {message}", word("INFO", "ERROR", "CRITICAL")),
        Language::Dotnet => format!("{}: {name}[0]\n      {message}", word("info", "fail", "crit")),
        Language::Rust => format!("{second} {} {name}: {message}", word(" INFO", "ERROR", "ERROR")),
        Language::Nginx if level == LogLevel::Info => match message.split_once(" - - \"") {
            Some((client, request)) => format!("{client} - - [{}] \"{request}", apache_time(at)),
            None => format!("{} [notice] 1#1: {message}", plain.replace('-', "/")),
        },
        Language::Nginx => {
            let level = word("notice", "error", "emerg");
            // Each connection has a number, and they are counted from the start.
            let (worker, connection) = (7, at.secs().rem_euclid(86_400) * 3 + millis % 3);
            format!("{} [{level}] {worker}#{worker}: *{connection} {message}", plain.replace('-', "/"))
        }
        // Requests stand in the access log, which has a form of its own.
        Language::Envoy if message.starts_with('"') => {
            format!("[{}.{millis:03}Z] {message}", second.trim_end_matches('Z'))
        }
        Language::Envoy => format!("[{plain}.{millis:03}][1][{}][main] {message}", word("info", "warning", "critical")),
        Language::Node | Language::Ruby | Language::Php | Language::Plain => message.into(),
    }
}

/// The file and line of a Go program that prints a message: the same words come from the same line.
fn go_caller(place: LogPlace<'_>, message: &str) -> String {
    let words = message.split([':', '[']).next().unwrap_or_default();
    let line = 20 + mix(crate::scatter::stir(words)) % 90;
    match place.port {
        Some(_) => format!("services/{}/server.go:{}", place.name, line + 40),
        None => format!("cmd/{}/main.go:{line}", place.name),
    }
}

/// The logger of a Spring program: `contacts.service.ContactsServiceImpl : done` names its own.
fn spring_logger<'a>(place: LogPlace<'a>, message: &'a str) -> (&'a str, &'a str) {
    let own = message.split_once(" : ").filter(|(logger, _)| logger.contains('.') && !logger.contains(' '));
    own.unwrap_or((place.name, message))
}

/// A logger's name in at most 39 letters where its packages can be written by their first letter.
fn shortened(logger: &str) -> String {
    let mut parts: Vec<&str> = logger.split('.').collect();
    for at in 0..parts.len() - 1 {
        if parts.iter().map(|part| part.len() + 1).sum::<usize>() <= 40 {
            break;
        }
        parts[at] = parts[at].get(..1).unwrap_or_default();
    }
    parts.join(".")
}

/// The thread of a Spring program, of which fifteen letters are printed.
fn spring_thread(program: &ContainerProgram, at: Stamp, place: LogPlace<'_>) -> String {
    let Some(port) = place.port else { return "main".into() };
    let number = 1 + mix(at.0 as u64);
    let thread = match program.passes_on {
        true => format!("reactor-http-epoll-{}", number % 4 + 1),
        false => format!("http-nio-{port}-exec-{}", number % 10 + 1),
    };
    thread[thread.len().saturating_sub(15)..].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_look_as_their_loggers_write_them() {
        let at = Stamp(1_794_700_800_000_000 + 7_012_345);
        let check = |language: Language, port: Option<u16>, message: &str, expect: &str| {
            let program = ContainerProgram { language, ..ContainerProgram::default() };
            assert_eq!(frame(&program, at, LogLevel::Info, LogPlace { name: "geo", port }, message), expect);
        };
        check(Language::Cpp, None, "up", "[2026-Nov-15 00:00:07.012345] <info>: up");
        check(
            Language::Java,
            None,
            "o.s.b.w.embedded.tomcat.TomcatWebServer : Tomcat started",
            "2026-11-15 00:00:07.012  INFO 1 --- [           main] o.s.b.w.embedded.tomcat.TomcatWebServer  : Tomcat started",
        );
        check(
            Language::Nginx,
            Some(80),
            "10.0.0.7 - - \"GET / HTTP/1.1\" 200 612",
            "10.0.0.7 - - [15/Nov/2026:00:00:07 +0000] \"GET / HTTP/1.1\" 200 612",
        );
        check(Language::Envoy, Some(80), "\"GET / HTTP/1.1\" 500", "[2026-11-15T00:00:07.012Z] \"GET / HTTP/1.1\" 500");
    }

    #[test]
    fn threads_of_requests_are_named_by_their_port() {
        let at = Stamp(1_794_700_800_000_000);
        let place = LogPlace { name: "contacts", port: Some(12347) };
        let thread = spring_thread(&ContainerProgram::default(), at, place);
        assert!(thread.starts_with("io-12347-exec-") || thread.starts_with("o-12347-exec-"), "{thread}");
    }
}
