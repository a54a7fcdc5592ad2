//! Heads of replies: how long to wait, what the body is said to be, and what is no head at all.

use harness::ProviderFault::{MalformedReply, Network, RateLimit};

use super::Dialect::{Chat, Converse, Gemini, Messages, Responses};
use super::Means::{Answer, Fault};
use super::Sends::{Bytes, Status};
use super::{After, Good, Mode, Wire, mode};

/// A refusal that says when to come back; nonsense is as good as no word.
const fn later(name: &'static str, headers: &'static str) -> Mode {
    mode(Chat, name, Status(429, headers, ""), Fault(RateLimit, "429: too many requests"))
}

/// A good answer under another type.
const fn typed(name: &'static str, make: fn(&Good) -> Wire, words: &'static str) -> Mode {
    mode(Chat, name, Bytes(make), Fault(MalformedReply, words))
}

pub const MODES: &[Mode] = &[
    later("later-0", "retry-after: 0"),
    later("later-tiny", "retry-after: 0.001"),
    later("later-past", "retry-after: Sun, 06 Nov 1994 08:49:37 GMT"),
    later("later-ms", "retry-after-ms: 1"),
    later("later-negative", "retry-after: -30"),
    later("later-words", "retry-after: when it suits you"),
    later("later-empty", "retry-after:"),
    later("later-infinite", "retry-after: 1e999"),
    later("later-nan", "retry-after: NaN"),
    later("later-2-64", "retry-after: 18446744073709551616"),
    later("later-hex", "retry-after: 0x1e"),
    later("later-twice", "retry-after: 0\nretry-after: 999999"),
    later("later-bad-date", "retry-after: Sun, 99 Nov 2026 99:99:99 GMT"),
    later("later-reset-past", "x-ratelimit-remaining: 0\nx-ratelimit-reset: 1000000000"),
    later("later-reset-words", "x-ratelimit-remaining-requests: 0\nx-ratelimit-reset-requests: 6 fortnights"),
    typed("type-html", |good| of_type("content-type: text/html", good), "the reply is text/html, not JSON"),
    typed("type-text", |good| of_type("content-type: text/plain", good), "the reply is text/plain, not JSON"),
    typed("type-events", |good| of_type("content-type: text/event-stream", good), "text/event-stream, not JSON"),
    typed("type-empty", |good| of_type("content-type:", good), "not JSON"),
    typed("type-xml", |good| of_type("content-type: application/xml", good), "application/xml, not JSON"),
    mode(Messages, "type-none", Bytes(|good| of_type("", good)), Answer),
    mode(Gemini, "type-loud", Bytes(|good| of_type("Content-Type: APPLICATION/JSON;CHARSET=UTF-8", good)), Answer),
    mode(Responses, "type-problem", Bytes(|good| of_type("content-type: application/problem+json", good)), Answer),
    mode(Converse, "type-amazon", Bytes(|good| of_type("content-type: application/x-amz-json-1.1", good)), Answer),
    mode(
        Chat,
        "head-strange",
        Bytes(|good| of_type("content-type: application/json\nx-a: \u{fc}\u{1f525}", good)),
        Answer,
    ),
    mode(Chat, "head-strange-name", Bytes(|good| of_type("\u{fc}: a", good)), Fault(MalformedReply, "header")),
    mode(Chat, "head-no-reason", Bytes(|good| under("HTTP/1.1 200\r\n", good)), Answer),
    mode(Chat, "head-http-1.0", Bytes(|good| until_closed("HTTP/1.0 200 OK\r\n\r\n", good)), Answer),
    mode(Chat, "head-no-length", Bytes(|good| until_closed("HTTP/1.1 200 OK\r\n\r\n", good)), Answer),
    mode(Chat, "head-100-first", Bytes(|good| under("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n", good)), Answer),
    mode(
        Chat,
        "head-hints-first",
        Bytes(|good| under("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n", good)),
        Answer,
    ),
    mode(Chat, "head-lines-lf", Bytes(lines_without_return), Answer),
    mode(Chat, "head-many", Bytes(|good| of_type(&"x-a: b\n".repeat(60), good)), Answer),
    mode(
        Chat,
        "head-too-many",
        Bytes(|good| of_type(&"x-a: b\n".repeat(10_000), good)),
        Fault(MalformedReply, "header"),
    ),
    mode(
        Chat,
        "head-too-long",
        Bytes(|good| of_type(&format!("x-a: {}", "b".repeat(400_000)), good)),
        Fault(Network, "disconnected"),
    ),
    mode(
        Chat,
        "head-endless",
        Bytes(|_| Wire::new("HTTP/1.1 200 OK\r\nx-a: b", After::Flood)),
        Fault(Network, "disconnected"),
    ),
    mode(
        Chat,
        "head-no-colon",
        Bytes(|good| under("HTTP/1.1 200 OK\r\nnothing\r\n", good)),
        Fault(MalformedReply, "header"),
    ),
    mode(
        Chat,
        "head-nul",
        Bytes(|good| under("HTTP/1.1 200 OK\r\nx-a: b\0c\r\n", good)),
        Fault(MalformedReply, "header"),
    ),
    mode(Chat, "head-bad-status", Bytes(|good| under("HTTP/1.1 abc OK\r\n", good)), Fault(MalformedReply, "http")),
    mode(Chat, "head-status-0", Bytes(|good| under("HTTP/1.1 000 OK\r\n", good)), Fault(MalformedReply, "http")),
    mode(Chat, "head-http-2", Bytes(|good| under("HTTP/2 200 OK\r\n", good)), Fault(MalformedReply, "http")),
    mode(Chat, "head-no-head", Bytes(|good| Wire::new(good.body(), After::Close)), Fault(MalformedReply, "http")),
    mode(
        Chat,
        "head-other-protocol",
        Bytes(|_| Wire::new("220 mail.example ESMTP\r\n", After::Close)),
        Fault(MalformedReply, "http"),
    ),
    mode(
        Chat,
        "head-tls",
        Bytes(|_| Wire::new(*b"\x15\x03\x01\x00\x02\x02\x46\r\n\r\n", After::Close)),
        Fault(MalformedReply, "http"),
    ),
];

fn of_type(headers: &str, good: &Good) -> Wire {
    Wire::reply(200, headers, &good.body())
}

/// The good body under another first line.
fn under(head: &str, good: &Good) -> Wire {
    let body = good.body();
    Wire::raw(&format!("{head}content-length: {}\r\n\r\n", body.len()), &body, After::Keep)
}

/// The end of the connection is the end of the body.
fn until_closed(head: &str, good: &Good) -> Wire {
    Wire::raw(head, &good.body(), After::Close)
}

fn lines_without_return(good: &Good) -> Wire {
    let body = good.body();
    Wire::raw(&format!("HTTP/1.1 200 OK\ncontent-length: {}\n\n", body.len()), &body, After::Keep)
}
