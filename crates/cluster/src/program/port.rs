//! What programs answer on their ports, as bytes.

use super::ContainerRun;

/// What a program answers to the bytes that came on a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortAnswer {
    /// How many of the bytes it has dealt with; the rest is handed in again with what comes next.
    pub consumed: usize,
    /// What it sends back.
    pub reply: Vec<u8>,
    /// Whether it closes the connection.
    pub closes: bool,
}

/// A request as HTTP writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpAsk {
    /// `GET`.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// An answer as HTTP writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpAnswer {
    /// 200.
    pub status: u16,
    /// `text/plain`.
    pub content_type: String,
    /// The body.
    pub body: Vec<u8>,
}

/// Answers requests with a function; bytes that are no HTTP get a 400, part of a request gets nothing yet.
pub fn answer_http(bytes: &[u8], mut answer: impl FnMut(&HttpAsk) -> HttpAnswer) -> PortAnswer {
    if bytes.is_empty() {
        return PortAnswer::default();
    }
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        let is_http = bytes.iter().take(8).all(|byte| byte.is_ascii_uppercase() || matches!(byte, b' ' | b'/'));
        return match is_http && bytes.len() < 64 << 10 {
            true => PortAnswer::default(),
            false => refusal(bytes.len()),
        };
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(path), Some(version)) = (first.next(), first.next(), first.next()) else {
        return refusal(bytes.len());
    };
    if !version.starts_with("HTTP/1") {
        return refusal(bytes.len());
    }
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_string()))
        .collect();
    let header = |name: &str| headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
    let length = header("content-length").and_then(|length| length.parse::<usize>().ok()).unwrap_or(0).min(16 << 20);
    let Some(body) = bytes.get(end + 4..end + 4 + length) else { return PortAnswer::default() };
    let closes = header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close")) || version == "HTTP/1.0";
    let is_head = method == "HEAD";
    let ask = HttpAsk { method: method.into(), path: path.into(), headers: headers.clone(), body: body.to_vec() };
    let answer = answer(&ask);
    let reply = written(&answer, closes, is_head);
    PortAnswer { consumed: end + 4 + length, reply, closes }
}

fn refusal(consumed: usize) -> PortAnswer {
    let answer = HttpAnswer { status: 400, content_type: "text/plain".into(), body: b"400 Bad Request".to_vec() };
    PortAnswer { consumed, reply: written(&answer, true, false), closes: true }
}

fn written(answer: &HttpAnswer, closes: bool, is_head: bool) -> Vec<u8> {
    let HttpAnswer { status, content_type, body } = answer;
    let connection = if closes { "close" } else { "keep-alive" };
    let head = format!(
        "HTTP/1.1 {status} {}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\nConnection: {connection}\r\n\r\n",
        reason(*status),
        body.len()
    );
    let body = if is_head { &[][..] } else { body };
    [head.as_bytes(), body].concat()
}

/// The words that go with a status.
pub fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        304 => "Not Modified",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Unknown",
    }
}

/// What a program without a life of its own says: that it is there.
pub(super) fn greeting(container: &ContainerRun, ask: &HttpAsk, status: u16) -> HttpAnswer {
    let body = match status {
        200 => format!("{} {} answered by {}\n", ask.method, ask.path, container.pod),
        status => format!("{}\n", reason(status)),
    };
    HttpAnswer { status, content_type: "text/plain; charset=utf-8".into(), body: body.into_bytes() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_answered_when_they_are_whole() {
        let serve = |bytes: &[u8]| {
            let answer = answer_http(bytes, |ask| greeting(&ContainerRun::default(), ask, 200));
            (answer.consumed, answer.reply.len(), answer.closes)
        };
        assert_eq!(serve(b""), (0, 0, false));
        assert_eq!(serve(b"GET / HT"), (0, 0, false));
        let whole = b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
        assert_eq!(serve(whole).0, whole.len());
        assert_eq!(serve(b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc").0, 0);
        assert!(serve(b"\x16\x03\x01 tls hello").2);
    }
}
