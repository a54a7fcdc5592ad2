//! Bytes of a reply, and what becomes of the connection.

use serde_json::Value;

use super::Sends;

/// The answer that a good provider would have given.
pub struct Good {
    pub json: Value,
}

/// What goes over the wire.
pub struct Wire {
    pub bytes: Vec<u8>,
    pub after: After,
}

/// What becomes of the connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// The next request may come.
    Keep,
    /// It is closed.
    Close,
    /// Nothing happens until the client leaves.
    Hold,
    /// More of the last byte comes, without end.
    Flood,
}

impl Wire {
    pub fn new(bytes: impl Into<Vec<u8>>, after: After) -> Wire {
        Wire { bytes: bytes.into(), after }
    }

    /// A reply with these headers and the right length.
    pub fn reply(status: u16, headers: &str, body: &[u8]) -> Wire {
        let mut head = format!("HTTP/1.1 {status} So\r\n");
        for line in headers.lines().filter(|line| !line.is_empty()) {
            head.push_str(line);
            head.push_str("\r\n");
        }
        head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
        Wire::new([head.as_bytes(), body].concat(), After::Keep)
    }

    /// A JSON text.
    pub fn json(body: &[u8]) -> Wire {
        Wire::reply(200, "content-type: application/json", body)
    }

    /// Any head before any body.
    pub fn raw(head: &str, body: &[u8], after: After) -> Wire {
        Wire::new([head.as_bytes(), body].concat(), after)
    }
}

impl Good {
    pub fn body(&self) -> Vec<u8> {
        self.json.to_string().into_bytes()
    }

    /// The reply as it should be.
    pub fn wire(&self) -> Wire {
        Wire::json(&self.body())
    }
}

impl Sends {
    /// What is sent instead of a good answer; a reset sends nothing.
    pub fn wire(&self, good: &Good) -> Wire {
        match self {
            Sends::Status(status, headers, body) => Wire::reply(*status, headers, body.as_bytes()),
            Sends::Body(body) => Wire::json(body.as_bytes()),
            Sends::Json(change) => {
                let mut json = good.json.clone();
                change(&mut json);
                Wire::json(json.to_string().as_bytes())
            }
            Sends::Bytes(make) => make(good),
            Sends::Reset => Wire::new("", After::Close),
        }
    }
}
