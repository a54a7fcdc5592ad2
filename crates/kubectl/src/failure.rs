//! Why a command failed, and how kubectl words it.

use serde_json::Value;

use crate::json;

/// Why a command failed.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// What the server said: a `Status`.
    Status(Box<Value>),
    /// In kubectl's own words, with the exit code. Printed with `error: ` before it unless it begins so.
    Text(String, i32),
    /// Printed as it is.
    Verbatim(String, i32),
    /// Several.
    Many(Vec<Failure>),
    /// Everything was said already.
    Silent(i32),
}

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self::Text(text.into(), 1)
    }

    /// Several failures as one; nothing if there are none.
    pub(crate) fn all(mut failures: Vec<Failure>) -> Result<(), Failure> {
        match failures.len() {
            0 => Ok(()),
            1 => Err(failures.remove(0)),
            _ => Err(Self::Many(failures)),
        }
    }

    /// The reason that the server gave.
    pub(crate) fn reason(&self) -> &str {
        match self {
            Self::Status(status) => json::text(status, "reason"),
            _ => "",
        }
    }

    pub(crate) fn is_not_found(&self) -> bool {
        self.reason() == "NotFound"
    }

    /// The words of the server or of kubectl, without what is printed before them.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::Status(status) => json::text(status, "message").into(),
            Self::Text(text, _) | Self::Verbatim(text, _) => text.clone(),
            Self::Many(all) => {
                let all: Vec<_> = all.iter().map(Self::message).collect();
                format!("[{}]", all.join(", "))
            }
            Self::Silent(_) => String::new(),
        }
    }

    /// With words before the server's: `error when creating "a.yaml": `.
    pub(crate) fn prefixed(self, prefix: &str) -> Self {
        match self {
            Self::Status(mut status) => {
                let message = format!("{prefix}{}", json::text(&status, "message"));
                json::set(&mut status, "message", message);
                Self::Status(status)
            }
            Self::Text(text, code) => Self::Text(format!("{prefix}{text}"), code),
            other => other,
        }
    }

    /// What is printed on stderr.
    pub(crate) fn words(&self) -> String {
        let text = match self {
            Self::Status(status) if json::text(status, "reason") == "Invalid" => invalid(status),
            Self::Status(_) => self.line(),
            Self::Text(text, _) if text.starts_with("error: ") => text.clone(),
            Self::Text(text, _) => format!("error: {text}"),
            Self::Verbatim(text, _) => text.clone(),
            Self::Many(all) => all.iter().map(Self::line).collect::<Vec<_>>().join("\n"),
            Self::Silent(_) => return String::new(),
        };
        if text.ends_with('\n') { text } else { format!("{text}\n") }
    }

    fn line(&self) -> String {
        match self {
            Self::Status(status) => {
                let message = json::text(status, "message");
                match json::text(status, "reason") {
                    "Unauthorized" => format!("error: You must be logged in to the server ({message})"),
                    "" => format!("Error from server: {message}"),
                    reason => format!("Error from server ({reason}): {message}"),
                }
            }
            other => other.message(),
        }
    }

    /// The exit code.
    pub(crate) fn code(&self) -> i32 {
        match self {
            Self::Text(_, code) | Self::Verbatim(_, code) | Self::Silent(code) => *code,
            _ => 1,
        }
    }
}

/// A refused object: its kind and name, and each cause on a line of its own.
fn invalid(status: &Value) -> String {
    let (message, details) = (json::text(status, "message"), json::at(status, "details"));
    if details.is_null() {
        return format!("The request is invalid: {message}");
    }
    let (kind, name) = (json::text(details, "kind"), json::text(details, "name"));
    let mut causes: Vec<String> = Vec::new();
    for cause in json::list(details, "causes") {
        let line = format!("{}: {}", json::text(cause, "field"), json::text(cause, "message"));
        if !causes.contains(&line) {
            causes.push(line);
        }
    }
    let head = match (kind, name) {
        ("", "") if causes.is_empty() && !message.is_empty() => format!("The request is invalid: {message}"),
        ("", "") => "The request is invalid".into(),
        _ => format!("The {kind} {name:?} is invalid"),
    };
    match &*causes {
        [] => head,
        [one] => format!("{head}: {one}"),
        many => format!("{head}: \n{}", many.iter().map(|line| format!("* {line}\n")).collect::<String>()),
    }
}
