//! The protocol's two eras: a handshake and a session, or every request on its own.

use serde_json::{Map, Value, json};

use super::rpc::{HEADER_MISMATCH, INVALID_REQUEST, RpcError, UNSUPPORTED_VERSION};

/// Revisions in which every request stands on its own.
pub const STATELESS: &[&str] = &["2026-07-28"];
/// Revisions that begin with `initialize`, the latest first.
pub const HANDSHAKE: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// How a request is to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    Handshake,
    Stateless,
}

impl Era {
    /// The era of a request; only those of the later one say their revision themselves.
    pub fn of(params: &Map<String, Value>) -> Result<Era, RpcError> {
        match params.get("_meta").and_then(|meta| meta.get(VERSION_KEY)) {
            None => Ok(Era::Handshake),
            Some(Value::String(version)) if STATELESS.contains(&version.as_str()) => Ok(Era::Stateless),
            Some(version) => Err(unsupported(version)),
        }
    }

    /// A result with what the era wants in it.
    pub fn complete(self, mut result: Value, is_list: bool) -> Value {
        if self == Era::Stateless {
            result["resultType"] = json!("complete");
            result["_meta"][SERVER_KEY] = server_info();
            if is_list {
                // What is listed depends on the episode, so no proxy may keep it for others.
                result["ttlMs"] = json!(0);
                result["cacheScope"] = json!("private");
            }
        }
        result
    }
}

/// Who we are.
pub(super) fn server_info() -> Value {
    json!({ "name": "sre-zero", "title": "SRE-Zero", "version": env!("CARGO_PKG_VERSION") })
}

/// The revision that both sides speak after a handshake.
pub(super) fn agree(asked: Option<&Value>) -> &'static str {
    let asked = asked.and_then(Value::as_str).unwrap_or_default();
    HANDSHAKE.iter().copied().find(|version| *version == asked).unwrap_or(HANDSHAKE[0])
}

fn unsupported(version: &Value) -> RpcError {
    let data = json!({ "supported": STATELESS, "requested": version });
    RpcError {
        data: Some(data),
        ..RpcError::new(UNSUPPORTED_VERSION, "this revision of the protocol is not spoken here")
    }
}

/// What the headers of an HTTP request say of its body; in the later era both must agree.
#[derive(Clone, Copy, Debug, Default)]
pub struct Headers<'a> {
    /// `MCP-Protocol-Version`.
    pub version: Option<&'a str>,
    /// `Mcp-Method`.
    pub method: Option<&'a str>,
    /// `Mcp-Name`.
    pub name: Option<&'a str>,
}

impl Headers<'_> {
    /// What is wrong with them, if something is.
    pub fn check(&self, message: &Value) -> Result<(), RpcError> {
        let params = &message["params"];
        let stated = params["_meta"][VERSION_KEY].as_str();
        let known = |version: &str| STATELESS.contains(&version) || HANDSHAKE.contains(&version);
        match (self.version, stated) {
            (Some(version), _) if !known(version) => Err(unsupported_header(version)),
            (None, None) => Ok(()),
            (Some(version), None) if HANDSHAKE.contains(&version) => Ok(()),
            (version, stated) if version != stated => mismatch("MCP-Protocol-Version"),
            _ if self.method != message["method"].as_str() => mismatch("Mcp-Method"),
            _ if self.name.is_some() && self.name != params["name"].as_str() => mismatch("Mcp-Name"),
            _ => Ok(()),
        }
    }
}

fn unsupported_header(version: &str) -> RpcError {
    let mut fault = unsupported(&json!(version));
    if !version.starts_with("20") {
        fault.code = INVALID_REQUEST;
    }
    fault
}

fn mismatch(header: &str) -> Result<(), RpcError> {
    Err(RpcError::new(HEADER_MISMATCH, format!("the header {header} says something else than the body")))
}
