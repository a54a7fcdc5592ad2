//! Reads requests of HTTP/1.1 from a connection, one after the other.

use std::io::{self, BufRead, Read, Take, Write};

/// A request.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `POST`.
    pub method: String,
    /// The path, and what follows a question mark.
    pub target: String,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// Whether another request may follow.
    pub keep_alive: bool,
}

/// Why there is no request.
#[derive(Debug)]
pub enum ReadFailure {
    /// The client left, or the connection broke.
    Gone,
    /// The request cannot be read: the status to answer with, and why.
    Bad(u16, &'static str),
}

/// Heads and bodies beyond these are no honest client's.
const MOST_HEAD: u64 = 64 * 1024;
const MOST_BODY: u64 = 32 * 1024 * 1024;

impl From<io::Error> for ReadFailure {
    fn from(_: io::Error) -> ReadFailure {
        ReadFailure::Gone
    }
}

impl Request {
    /// Reads the next request. `back` is told to go on where a client waits for that.
    pub fn read(from: &mut impl BufRead, back: &mut impl Write) -> Result<Request, ReadFailure> {
        let mut head = from.by_ref().take(MOST_HEAD);
        let (method, target, version) = opening(&line(&mut head)?)?;
        let mut headers = Vec::new();
        loop {
            let line = line(&mut head)?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').ok_or(ReadFailure::Bad(400, "a header has no colon"))?;
            headers.push((name.to_string(), value.trim().to_string()));
        }
        let says = |name: &str, word: &str| {
            let mut all = headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
            all.any(|(_, value)| value.to_ascii_lowercase().contains(word))
        };
        if says("expect", "100-continue") {
            back.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        let body = if says("transfer-encoding", "chunked") { chunked(from)? } else { counted(from, &headers)? };
        let keep_alive = !says("connection", "close") && (version == "HTTP/1.1" || says("connection", "keep-alive"));
        Ok(Request { method, target, headers, body, keep_alive })
    }
}

/// `POST /v1/messages HTTP/1.1`.
fn opening(line: &str) -> Result<(String, String, String), ReadFailure> {
    let words: Vec<&str> = line.split(' ').collect();
    match words[..] {
        [method, target, version] if version.starts_with("HTTP/1.") && target.starts_with('/') => {
            Ok((method.to_string(), target.to_string(), version.to_string()))
        }
        _ => Err(ReadFailure::Bad(400, "the first line is no request of HTTP/1.1")),
    }
}

/// A line without its end.
fn line(from: &mut Take<impl BufRead>) -> Result<String, ReadFailure> {
    let mut line = Vec::new();
    from.read_until(b'\n', &mut line)?;
    if line.pop() != Some(b'\n') {
        return Err(if from.limit() == 0 { ReadFailure::Bad(431, "the head is too long") } else { ReadFailure::Gone });
    }
    line.pop_if(|last| *last == b'\r');
    String::from_utf8(line).map_err(|_| ReadFailure::Bad(400, "the head is no UTF-8"))
}

fn counted(from: &mut impl BufRead, headers: &[(String, String)]) -> Result<Vec<u8>, ReadFailure> {
    let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = length.map_or(Ok(0), |(_, value)| value.parse::<u64>());
    let length = length.map_err(|_| ReadFailure::Bad(400, "content-length is no number"))?;
    exactly(from, length, Vec::new())
}

fn exactly(from: &mut impl BufRead, length: u64, mut body: Vec<u8>) -> Result<Vec<u8>, ReadFailure> {
    if body.len() as u64 + length > MOST_BODY {
        return Err(ReadFailure::Bad(413, "the body is too large"));
    }
    let read = from.by_ref().take(length).read_to_end(&mut body)?;
    if read as u64 == length { Ok(body) } else { Err(ReadFailure::Gone) }
}

fn chunked(from: &mut impl BufRead) -> Result<Vec<u8>, ReadFailure> {
    let mut body = Vec::new();
    loop {
        let size = line(&mut from.by_ref().take(MOST_HEAD))?;
        let size = size.split(';').next().unwrap_or_default().trim();
        let size =
            u64::from_str_radix(size, 16).map_err(|_| ReadFailure::Bad(400, "the size of a chunk is no number"))?;
        body = exactly(from, size, body)?;
        // The end of the chunk; after the last one there may be trailers before it.
        while !line(&mut from.by_ref().take(MOST_HEAD))?.is_empty() {
            if size > 0 {
                return Err(ReadFailure::Bad(400, "a chunk is longer than it says"));
            }
        }
        if size == 0 {
            return Ok(body);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read, as text: the request, or the trouble; and what was told back.
    fn read(bytes: &str) -> (String, String) {
        let mut back = Vec::new();
        let text = match Request::read(&mut bytes.as_bytes(), &mut back) {
            Ok(r) => {
                format!(
                    "{} {} {} {} {}",
                    r.method,
                    r.target,
                    r.headers.len(),
                    String::from_utf8_lossy(&r.body),
                    r.keep_alive
                )
            }
            Err(ReadFailure::Gone) => "gone".to_string(),
            Err(ReadFailure::Bad(status, why)) => format!("{status} {why}"),
        };
        (text, String::from_utf8_lossy(&back).into_owned())
    }

    #[test]
    fn requests_are_read() {
        let check = |bytes: &str, expect: &str| assert_eq!(read(bytes).0, expect, "{bytes}");
        check("GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n", "GET /v1/models 1  true");
        check("POST /a?b=c HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcd", "POST /a?b=c 1 abc true");
        check("POST /a HTTP/1.1\r\ncontent-length: 1\r\nConnection: Close\r\n\r\na", "POST /a 2 a false");
        check("GET / HTTP/1.0\r\n\r\n", "GET / 0  false");
        check("GET / HTTP/1.0\nConnection: keep-alive\n\n", "GET / 1  true");
        let chunks = "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n";
        check(
            &format!("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}"),
            "POST /a 1 abc0123456789 true",
        );
    }

    #[test]
    fn what_is_no_request_is_told_apart() {
        let check = |bytes: &str, expect: &str| assert_eq!(read(bytes).0, expect, "{bytes:.80}");
        check("", "gone");
        check("POST /a HT", "gone");
        check("POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nab", "gone");
        check("hello\r\n\r\n", "400 the first line is no request of HTTP/1.1");
        check("GET / HTTP/2\r\n\r\n", "400 the first line is no request of HTTP/1.1");
        check("GET / HTTP/1.1\r\nx\r\n\r\n", "400 a header has no colon");
        check("POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n", "400 content-length is no number");
        check("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", "413 the body is too large");
        check(&format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "y".repeat(70_000)), "431 the head is too long");
        check(&format!("GET / HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(20_000)), "431 the head is too long");
        let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        check(&format!("{chunked}zz\r\n"), "400 the size of a chunk is no number");
        check(&format!("{chunked}1\r\nab\r\n"), "400 a chunk is longer than it says");
        check(&format!("{chunked}FFFFFFFF\r\n"), "413 the body is too large");
    }

    #[test]
    fn a_client_that_waits_is_told_to_go_on() {
        let (text, back) = read("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\na");
        assert_eq!((text.as_str(), back.as_str()), ("POST / 2 a true", "HTTP/1.1 100 Continue\r\n\r\n"));
    }
}
