//! JSON-RPC 2.0: what a message is, and what an answer looks like.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::session::Refusal;

/// What went wrong, by JSON-RPC's and MCP's numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcError {
    /// The number.
    pub code: i64,
    /// What was wrong, and what to do.
    pub message: String,
    /// More for programs.
    pub data: Option<Value>,
}

/// The message is no JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The message is no request.
pub const INVALID_REQUEST: i64 = -32600;
/// There is no such method.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The method takes something else.
pub const INVALID_PARAMS: i64 = -32602;
/// The server cannot do it now.
pub const SERVER_ERROR: i64 = -32000;
/// The headers say something else than the body.
pub const HEADER_MISMATCH: i64 = -32020;
/// The protocol's revision is none that is spoken here.
pub const UNSUPPORTED_VERSION: i64 = -32022;

impl RpcError {
    /// One without further data.
    pub fn new(code: i64, message: impl Into<String>) -> RpcError {
        RpcError { code, message: message.into(), data: None }
    }

    /// The answer to the request with that id.
    pub fn answer(&self, id: &Value) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        json!({ "jsonrpc": "2.0", "id": id, "error": error })
    }
}

impl From<Refusal> for RpcError {
    fn from(refusal: Refusal) -> RpcError {
        let code = match refusal {
            Refusal::UnknownSession | Refusal::Invalid(_) => INVALID_PARAMS,
            Refusal::NoEpisode => INVALID_REQUEST,
            Refusal::Full(_) | Refusal::Unplayable => SERVER_ERROR,
        };
        RpcError::new(code, refusal.to_string())
    }
}

/// A message from a client, as far as it can be told.
pub(super) enum Message<'a> {
    Request {
        id: &'a Value,
        method: &'a str,
        params: &'a Map<String, Value>,
    },
    /// No answer is expected: a notification, or the answer to something we never asked.
    Notice,
    Broken {
        id: Value,
        fault: RpcError,
    },
}

impl Message<'_> {
    /// Reads one message.
    pub fn read(message: &Value) -> Message<'_> {
        static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
        let broken = |id: Value, code, problem: &str| Message::Broken { id, fault: RpcError::new(code, problem) };
        let Some(fields) = message.as_object() else {
            return broken(Value::Null, INVALID_REQUEST, "a message is a JSON object");
        };
        let id = fields.get("id");
        let known = id.filter(|id| id.is_string() || id.is_number()).cloned().unwrap_or(Value::Null);
        if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return broken(known, INVALID_REQUEST, "`jsonrpc` must be \"2.0\"");
        }
        let Some(method) = fields.get("method") else {
            let answers = fields.contains_key("result") || fields.contains_key("error");
            return if answers { Message::Notice } else { broken(known, INVALID_REQUEST, "`method` is missing") };
        };
        let Some(method) = method.as_str() else {
            return broken(known, INVALID_REQUEST, "`method` takes text");
        };
        let params = match fields.get("params") {
            None | Some(Value::Null) => &NONE,
            Some(Value::Object(params)) => params,
            Some(_) => return broken(known, INVALID_PARAMS, "`params` takes an object"),
        };
        match id {
            None => Message::Notice,
            Some(id) if id.is_string() || id.is_number() => Message::Request { id, method, params },
            Some(_) => broken(Value::Null, INVALID_REQUEST, "`id` takes text or a number"),
        }
    }
}
