//! Requests and responses as plain values: the owner of a socket reads and writes them.

/// A request to one of the servers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TelemetryRequest {
    /// `GET`, `POST`, …
    pub method: String,
    /// The path, still escaped, without the query.
    pub path: String,
    /// What stands behind the question mark, still escaped.
    pub query: String,
    /// The body's type, without parameters; empty where none was sent.
    pub content_type: String,
    /// The body.
    pub body: Vec<u8>,
}

/// A response of one of the servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TelemetryResponse {
    /// The status code.
    pub status: u16,
    /// The body's type; empty where there is no body.
    pub content_type: &'static str,
    /// Further headers.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
}

pub(crate) const JSON: &str = "application/json";
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";

impl TelemetryRequest {
    /// A request for a path with parameters in its query.
    pub fn get(path: &str, params: &[(&str, &str)]) -> Self {
        Self { method: "GET".to_owned(), path: path.to_owned(), query: encode(params), ..Self::default() }
    }

    /// A request with parameters in a form.
    pub fn post_form(path: &str, params: &[(&str, &str)]) -> Self {
        Self {
            method: "POST".to_owned(),
            path: path.to_owned(),
            content_type: "application/x-www-form-urlencoded".to_owned(),
            body: encode(params).into_bytes(),
            ..Self::default()
        }
    }

    /// A request with a JSON body.
    pub fn json(method: &str, path: &str, body: &str) -> Self {
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            content_type: JSON.to_owned(),
            body: body.as_bytes().to_vec(),
            ..Self::default()
        }
    }

    /// The parts of the path, unescaped.
    pub(crate) fn segments(&self) -> Vec<String> {
        self.path.split('/').filter(|s| !s.is_empty()).map(|s| decode(s, false)).collect()
    }

    /// All parameters: those of a form first, as Go reads them.
    pub(crate) fn params(&self) -> Params {
        let mut pairs = Vec::new();
        if self.content_type.starts_with("application/x-www-form-urlencoded") {
            pairs.extend(pairs_of(&String::from_utf8_lossy(&self.body)));
        }
        pairs.extend(pairs_of(&self.query));
        Params(pairs)
    }
}

impl TelemetryResponse {
    pub(crate) fn json(status: u16, body: impl Into<String>) -> Self {
        Self { status, content_type: JSON, headers: Vec::new(), body: body.into().into_bytes() }
    }

    pub(crate) fn text(status: u16, body: impl Into<String>) -> Self {
        Self { status, content_type: TEXT, headers: Vec::new(), body: body.into().into_bytes() }
    }

    pub(crate) fn empty(status: u16) -> Self {
        Self { status, content_type: "", headers: Vec::new(), body: Vec::new() }
    }

    pub(crate) fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The body as text.
    pub fn body_text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Parameters in their order.
pub(crate) struct Params(Vec<(String, String)>);

impl Params {
    /// The first value of a parameter, empty where there is none.
    pub fn get(&self, name: &str) -> &str {
        self.find(name).unwrap_or("")
    }

    pub fn find(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    pub fn all<'p>(&'p self, name: &'p str) -> impl Iterator<Item = &'p str> {
        self.0.iter().filter(move |(n, _)| n == name).map(|(_, v)| v.as_str())
    }
}

fn pairs_of(text: &str) -> Vec<(String, String)> {
    text.split('&')
        .filter(|part| !part.is_empty())
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decode(name, true), decode(value, true))
        })
        .collect()
}

/// Parameters as a person reads them: `query=count(up) time=60`.
pub fn readable_params(text: &str) -> String {
    let pairs: Vec<String> = pairs_of(text).into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join(" ")
}

fn encode(params: &[(&str, &str)]) -> String {
    let pairs: Vec<String> = params.iter().map(|(n, v)| format!("{}={}", escape(n), escape(v))).collect();
    pairs.join("&")
}

/// Percent-encoding of everything that is not plainly safe.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(byte as char),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

/// Unescapes `%41`, and `+` where it means a blank.
pub(crate) fn decode(text: &str, plus: bool) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = || bytes.get(at + 1..at + 3).and_then(|h| std::str::from_utf8(h).ok());
        match bytes[at] {
            b'%' => match hex().and_then(|h| u8::from_str_radix(h, 16).ok()) {
                Some(byte) => {
                    out.push(byte);
                    at += 2;
                }
                None => out.push(b'%'),
            },
            b'+' if plus => out.push(b' '),
            byte => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_survive_the_way() {
        let params = [("query", "sum(up{a=\"é b\"}) + 1 & 2%"), ("match[]", "x")];
        for request in [TelemetryRequest::get("/", &params), TelemetryRequest::post_form("/", &params)] {
            let read = request.params();
            assert_eq!(read.get("query"), params[0].1);
            assert_eq!(read.all("match[]").collect::<Vec<_>>(), ["x"]);
            assert_eq!(read.find("nope"), None);
        }
        assert_eq!(decode("a+b%2Bc%zz", true), "a b+c%zz");
        assert_eq!(readable_params("query=count%28up%29&time=60"), "query=count(up) time=60");
    }
}
