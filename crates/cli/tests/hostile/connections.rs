//! Connections that break, wait for ever, or promise what they do not keep.

use harness::ProviderFault::{EmptyReply, MalformedReply, Network, Timeout};

use super::Dialect::{Chat, Gemini, Messages, Responses};
use super::Means::{Answer, Fault};
use super::Sends::{Bytes, Reset};
use super::{After, Good, Mode, Wire, mode};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

pub const MODES: &[Mode] = &[
    mode(Chat, "cut-at-once", Bytes(|_| Wire::new("", After::Close)), Fault(Network, "disconnected")),
    mode(Chat, "cut-in-first-line", Bytes(|_| Wire::new("HTTP/1.1 2", After::Close)), Fault(Network, "disconnected")),
    mode(
        Chat,
        "cut-after-first-line",
        Bytes(|_| Wire::new("HTTP/1.1 200 OK\r\n", After::Close)),
        Fault(Network, "disconnected"),
    ),
    mode(Chat, "cut-in-head", Bytes(|_| Wire::new(&OK[..40], After::Close)), Fault(Network, "disconnected")),
    mode(Chat, "cut-before-body", Bytes(|good| promised(good, 1, 0, After::Close)), Fault(Network, "disconnected")),
    mode(Messages, "cut-in-body", Bytes(|good| promised(good, 1, 2, After::Close)), Fault(Network, "disconnected")),
    mode(Chat, "cut-in-answer-until-closed", Bytes(half_until_closed), Fault(MalformedReply, "no JSON")),
    // It is told as reset or as closed, by which of the two the system hears first.
    mode(Gemini, "reset", Reset, Fault(Network, "network: io")),
    mode(Chat, "length-too-large", Bytes(|good| promised(good, 2, 1, After::Close)), Fault(Network, "disconnected")),
    mode(Chat, "length-too-small", Bytes(understated), Fault(MalformedReply, "no JSON")),
    mode(Chat, "length-zero", Bytes(|good| sized("0", good)), Fault(EmptyReply, "no body")),
    mode(Chat, "length-negative", Bytes(|good| sized("-1", good)), Fault(MalformedReply, "content-length")),
    mode(Chat, "length-words", Bytes(|good| sized("many", good)), Fault(MalformedReply, "content-length")),
    mode(
        Chat,
        "length-2-64",
        Bytes(|good| sized("18446744073709551616", good)),
        Fault(MalformedReply, "content-length"),
    ),
    mode(Chat, "length-1-petabyte", Bytes(|good| sized("1125899906842624", good)), Fault(Network, "disconnected")),
    mode(Chat, "length-two", Bytes(two_lengths), Fault(MalformedReply, "content-length")),
    mode(Chat, "chunked", Bytes(|good| chunks(good, "", "0\r\n\r\n")), Answer),
    mode(Chat, "chunked-with-notes", Bytes(|good| chunks(good, ";note=\"x\"", "0\r\nx-trailer: y\r\n\r\n")), Answer),
    mode(Chat, "chunked-and-length", Bytes(chunked_and_length), Answer),
    mode(Chat, "chunked-no-end", Bytes(|good| chunks(good, "", "")), Fault(Network, "disconnected")),
    mode(Responses, "chunked-bad-size", Bytes(|_| chunked("zz\r\n{}\r\n0\r\n\r\n")), Fault(MalformedReply, "chunk")),
    mode(Chat, "chunked-huge-size", Bytes(|_| chunked("ffffffffffffffffff\r\n{}")), Fault(MalformedReply, "chunk")),
    mode(Chat, "chunked-negative-size", Bytes(|_| chunked("-2\r\n{}\r\n0\r\n\r\n")), Fault(MalformedReply, "chunk")),
    mode(Chat, "chunked-cut", Bytes(|_| chunked("ff\r\n{\"choices\"")), Fault(Network, "disconnected")),
    mode(Chat, "chunked-too-long", Bytes(|_| chunked("1\r\n{}{}\r\n0\r\n\r\n")), Fault(MalformedReply, "chunk")),
    // The connection is kept, and something is wrong with it when the next request comes.
    mode(Chat, "kept-then-closed", Bytes(|good| kept(good, After::Close)), Answer),
    mode(Chat, "closed-as-said", Bytes(closed_as_said), Answer),
    mode(
        Chat,
        "kept-with-rest",
        Bytes(|good| kept_with(good, b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")),
        Answer,
    ),
    mode(Chat, "kept-with-garbage", Bytes(|good| kept_with(good, b"\r\n\r\n\0\0garbage")), Answer),
    // Nothing more comes, and the connection stays open.
    mode(Chat, "silent", Bytes(|_| Wire::new("", After::Hold)), Fault(Timeout, "timeout")),
    mode(Gemini, "silent-in-head", Bytes(|_| Wire::new(&OK[..30], After::Hold)), Fault(Timeout, "timeout")),
    mode(Chat, "silent-before-body", Bytes(|good| promised(good, 1, 0, After::Hold)), Fault(Timeout, "timeout")),
    mode(Messages, "silent-in-body", Bytes(|good| promised(good, 1, 2, After::Hold)), Fault(Timeout, "timeout")),
    mode(
        Chat,
        "silent-before-end",
        Bytes(|good| Wire { after: After::Hold, ..chunks(good, "", "") }),
        Fault(Timeout, "timeout"),
    ),
    mode(
        Chat,
        "silent-100",
        Bytes(|_| Wire::new("HTTP/1.1 100 Continue\r\n\r\n", After::Hold)),
        Fault(Timeout, "timeout"),
    ),
];

/// A length that is so many times the body's, and one part of so many of the body; none if that is 0.
fn promised(good: &Good, times: usize, parts: usize, after: After) -> Wire {
    let body = good.body();
    let sent = body.len().checked_div(parts).unwrap_or(0);
    Wire::raw(&format!("{OK}content-length: {}\r\n\r\n", body.len() * times), &body[..sent], after)
}

fn half_until_closed(good: &Good) -> Wire {
    let body = good.body();
    Wire::raw(&format!("{OK}\r\n"), &body[..body.len() / 2], After::Close)
}

fn understated(good: &Good) -> Wire {
    let body = good.body();
    Wire::raw(&format!("{OK}content-length: {}\r\nconnection: close\r\n\r\n", body.len() / 2), &body, After::Close)
}

fn sized(length: &str, good: &Good) -> Wire {
    Wire::raw(&format!("{OK}content-length: {length}\r\nconnection: close\r\n\r\n"), &good.body(), After::Close)
}

fn two_lengths(good: &Good) -> Wire {
    let body = good.body();
    Wire::raw(&format!("{OK}content-length: 2\r\ncontent-length: {}\r\n\r\n", body.len()), &body, After::Close)
}

fn chunked(rest: &str) -> Wire {
    Wire::raw(&format!("{OK}transfer-encoding: chunked\r\nconnection: close\r\n\r\n"), rest.as_bytes(), After::Close)
}

fn chunks(good: &Good, note: &str, end: &str) -> Wire {
    let body: String = good.json.to_string();
    let pieces: Vec<char> = body.chars().collect();
    let coded = pieces.chunks(100).map(|piece| {
        let piece: String = piece.iter().collect();
        format!("{:x}{note}\r\n{piece}\r\n", piece.len())
    });
    chunked(&(coded.collect::<String>() + end))
}

/// Both kinds of length: chunks win, as the standard has it.
fn chunked_and_length(good: &Good) -> Wire {
    let plain = chunks(good, "", "0\r\n\r\n");
    let text = String::from_utf8(plain.bytes).expect("it was made of text");
    Wire::new(text.replacen("transfer-encoding", "content-length: 3\r\ntransfer-encoding", 1), After::Close)
}

fn kept(good: &Good, after: After) -> Wire {
    Wire { after, ..good.wire() }
}

fn closed_as_said(good: &Good) -> Wire {
    let body = good.body();
    Wire::raw(&format!("{OK}content-length: {}\r\nconnection: close\r\n\r\n", body.len()), &body, After::Close)
}

fn kept_with(good: &Good, rest: &[u8]) -> Wire {
    let good = good.wire();
    Wire::new([&good.bytes[..], rest].concat(), After::Keep)
}
