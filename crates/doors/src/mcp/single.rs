//! The protocol for one episode that its owner holds: what it is told, its tools, and calls of these.

use serde_json::{Map, Value, json};

use super::era::{self, Era, STATELESS};
use super::rpc::{INVALID_PARAMS, METHOD_NOT_FOUND, Message, RpcError};

/// An episode that clients play with tools.
pub trait OneEpisode {
    /// What a model is told before anything else.
    fn instructions(&mut self) -> String;
    /// Its tools, as the protocol lists them.
    fn tools(&mut self) -> Vec<Value>;
    /// Calls a tool: what it says, and whether the call was wrong; nothing if there is no such tool.
    fn call(&mut self, name: &str, arguments: &Map<String, Value>) -> Option<(String, bool)>;
}

/// Answers a message; nothing if no answer is expected.
pub fn answer_one_episode(episode: &mut dyn OneEpisode, message: &Value) -> Option<Value> {
    match Message::read(message) {
        Message::Notice => None,
        Message::Broken { id, fault } => Some(fault.answer(&id)),
        Message::Request { id, method, params } => Some(match dispatch(episode, method, params) {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(fault) => fault.answer(id),
        }),
    }
}

fn dispatch(episode: &mut dyn OneEpisode, method: &str, params: &Map<String, Value>) -> Result<Value, RpcError> {
    let era = Era::of(params)?;
    let capabilities = json!({ "tools": { "listChanged": false } });
    let (result, is_list) = match method {
        "initialize" => {
            let version = era::agree(params.get("protocolVersion"));
            let told = episode.instructions();
            let result = json!({
                "protocolVersion": version, "capabilities": capabilities, "serverInfo": era::server_info(),
                "instructions": told,
            });
            (result, false)
        }
        "server/discover" => {
            let told = episode.instructions();
            (json!({ "supportedVersions": STATELESS, "capabilities": capabilities, "instructions": told }), true)
        }
        "ping" => (json!({}), false),
        "tools/list" => (json!({ "tools": episode.tools() }), true),
        "tools/call" => (call(episode, params)?, false),
        _ => return Err(RpcError::new(METHOD_NOT_FOUND, "there is no such method here")),
    };
    Ok(era.complete(result, is_list))
}

fn call(episode: &mut dyn OneEpisode, params: &Map<String, Value>) -> Result<Value, RpcError> {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let arguments = params.get("arguments").and_then(Value::as_object).cloned().unwrap_or_default();
    let Some((text, is_error)) = episode.call(name, &arguments) else {
        return Err(RpcError::new(INVALID_PARAMS, "there is no such tool; tools/list names them"));
    };
    Ok(json!({ "content": [{ "type": "text", "text": text }], "isError": is_error }))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Echo;

    impl OneEpisode for Echo {
        fn instructions(&mut self) -> String {
            "page".to_string()
        }

        fn tools(&mut self) -> Vec<Value> {
            vec![json!({ "name": "echo" })]
        }

        fn call(&mut self, name: &str, arguments: &Map<String, Value>) -> Option<(String, bool)> {
            (name == "echo").then(|| (Value::Object(arguments.clone()).to_string(), false))
        }
    }

    #[test]
    fn messages_are_answered() {
        let check = |method: &str, params: Value, at: &str, expect: Value| {
            let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
            let answer = answer_one_episode(&mut Echo, &message).expect("a request is answered");
            assert_eq!(answer.pointer(at), Some(&expect), "{answer}");
        };
        check("initialize", json!({ "protocolVersion": "2024-11-05" }), "/result/protocolVersion", json!("2024-11-05"));
        check("initialize", json!({}), "/result/instructions", json!("page"));
        check("tools/list", json!({}), "/result/tools/0/name", json!("echo"));
        let arguments = json!({ "name": "echo", "arguments": { "a": 1 } });
        check("tools/call", arguments, "/result/content/0/text", json!("{\"a\":1}"));
        check("tools/call", json!({ "name": "other" }), "/error/code", json!(INVALID_PARAMS));
        check("resources/list", json!({}), "/error/code", json!(METHOD_NOT_FOUND));
        let notice = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(answer_one_episode(&mut Echo, &notice), None);
    }
}
