//! The frame of a log line: time, level and place, as loggers of each language write them.

use cluster::Stamp;

use crate::spec::{ContainerProgram, Language, LoggerStyle};

/// How grave a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogLevel {
    Info,
    Error,
    Fatal,
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// `16/Nov/2026:04:27:31 +0000`, as access logs write it.
fn apache_time(at: Stamp) -> String {
    let (year, month, day, hour, minute, second) = at.civil();
    let month = MONTHS[(month as usize).clamp(1, 12) - 1];
    format!("{day:02}/{month}/{year}:{hour:02}:{minute:02}:{second:02} +0000")
}

/// A message in the frame of its logger. `place` is the name of the program.
pub(crate) fn frame(program: &ContainerProgram, at: Stamp, level: LogLevel, place: &str, message: &str) -> String {
    let word = |info: &'static str, error: &'static str, fatal: &'static str| match level {
        LogLevel::Info => info,
        LogLevel::Error => error,
        LogLevel::Fatal => fatal,
    };
    let second = at.rfc3339();
    let plain = second.trim_end_matches('Z').replace('T', " ");
    let millis = at.0.rem_euclid(1_000_000) / 1000;
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
            return format!("{plain}.{millis:03} [main] {level} {place} - {message}");
        }
        None => {}
    }
    match program.language {
        Language::Go => format!("{second} {} cmd/{place}/main.go > {message}", word("INF", "ERR", "FTL")),
        Language::Cpp => {
            let (year, month, day, hour, minute, second) = at.civil();
            let month = MONTHS[(month as usize).clamp(1, 12) - 1];
            let level = word("info", "error", "fatal");
            format!("[{year}-{month}-{day:02} {hour:02}:{minute:02}:{second:02}.{millis:03}000] <{level}>: {message}")
        }
        Language::Java => {
            let level = word(" INFO", "ERROR", "ERROR");
            format!("{plain}.{millis:03} {level} 1 --- [           main] {place} : {message}")
        }
        Language::Python => format!("{plain},{millis:03} {} [{place}] - {message}", word("INFO", "ERROR", "CRITICAL")),
        Language::Dotnet => format!("{}: {place}[0]\n      {message}", word("info", "fail", "crit")),
        Language::Rust => format!("{second} {} {place}: {message}", word(" INFO", "ERROR", "ERROR")),
        Language::Nginx if level == LogLevel::Info => match message.split_once(" - - \"") {
            Some((client, request)) => format!("{client} - - [{}] \"{request}", apache_time(at)),
            None => format!("{} [notice] 1#1: {message}", plain.replace('-', "/")),
        },
        Language::Nginx => {
            let level = word("notice", "error", "emerg");
            format!("{} [{level}] 7#7: *1 {message}", plain.replace('-', "/"))
        }
        Language::Envoy => format!("[{plain}.{millis:03}][1][{}][main] {message}", word("info", "warning", "critical")),
        Language::Node | Language::Ruby | Language::Php | Language::Plain => message.into(),
    }
}
