//! What is sent back, and how badly.

use serde_json::Value;

/// A reply, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FakeReply {
    /// The status.
    pub status: u16,
    /// The headers, without the length of the body.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// How a reply is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// As it should be.
    Whole,
    /// In pieces, over so many milliseconds.
    Slowly(u32),
    /// Half of the body, then nothing until the client leaves.
    Stalling,
    /// Half of the body, then the connection is closed.
    CutOff,
    /// All of it, but only half is promised; then the connection is closed.
    Understated,
    /// Nothing, and the connection is closed.
    Closed,
    /// Nothing, until the client leaves.
    Silent,
}

impl FakeReply {
    /// A JSON text.
    pub fn json(status: u16, body: &Value, mut headers: Vec<(&'static str, String)>) -> FakeReply {
        headers.push(("content-type", "application/json".to_string()));
        FakeReply { status, headers, body: body.to_string().into_bytes() }
    }

    /// A stream of events.
    pub fn events(text: &str, mut headers: Vec<(&'static str, String)>) -> FakeReply {
        headers.push(("content-type", "text/event-stream; charset=utf-8".to_string()));
        FakeReply { status: 200, headers, body: text.as_bytes().to_vec() }
    }

    /// The same head with another body.
    pub fn with(self, body: &[u8]) -> FakeReply {
        FakeReply { body: body.to_vec(), ..self }
    }

    /// The head as it is sent, with the length that is promised for the body.
    pub fn head(&self, length: usize, keep_alive: bool) -> String {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        for (name, value) in &self.headers {
            head.extend([*name, ": ", value, "\r\n"]);
        }
        let after = if keep_alive { "keep-alive" } else { "close" };
        head.push_str(&format!("content-length: {length}\r\nconnection: {after}\r\n\r\n"));
        head
    }
}

/// The words for a status.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        413 => "Content Too Large",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        529 => "Site is overloaded",
        _ => "Status",
    }
}
