//! The Model Context Protocol over a session: the tool table as tools, the page as a prompt, the end
//! of the incident as tools. Messages in, messages out; the owner of a socket or a pipe calls this.
//!
//! Written by hand and not on a library because three contracts meet at one endpoint that no library
//! serves together: the revisions with a handshake, the one in which every request stands alone, and
//! OpenEnv's, which wants an answer even to `{}` and has methods of its own.

mod era;
mod rpc;
mod single;
#[cfg(test)]
mod tests;
mod tools;

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::session::{ClientView, Refusal, SessionId, Sessions, StartRequest};
use era::Era;
use rpc::Message;

pub use era::{HANDSHAKE, Headers, STATELESS};
pub use rpc::UNSUPPORTED_VERSION;
pub use rpc::{
    HEADER_MISMATCH, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, RpcError, SERVER_ERROR,
};
pub use single::{OneEpisode, answer_one_episode};
pub use tools::tool_entry;

/// One client, for as long as it takes to answer it.
pub struct Client<'a> {
    /// All sessions.
    pub sessions: &'a Sessions,
    /// The time.
    pub now: Duration,
    /// A new id.
    pub fresh: &'a dyn Fn() -> SessionId,
    /// The session that the client is in. A handshake puts it into one.
    pub bound: Option<SessionId>,
    /// Whether it must stay in that one: it was given this session, and not the server.
    pub confined: bool,
    /// What it plays if it does not say.
    pub usual: StartRequest,
}

/// Answers a message, or several in a list as the oldest revisions have them; nothing if no answer is expected.
pub fn answer(client: &mut Client<'_>, message: &Value) -> Option<Value> {
    match message.as_array() {
        Some(list) if !list.is_empty() && list.len() <= MOST_AT_ONCE => {
            let answers: Vec<Value> = list.iter().filter_map(|message| answer_one(client, message)).collect();
            (!answers.is_empty()).then_some(Value::Array(answers))
        }
        _ => answer_one(client, message),
    }
}

/// Longer lists are refused.
const MOST_AT_ONCE: usize = 50;

fn answer_one(client: &mut Client<'_>, message: &Value) -> Option<Value> {
    match Message::read(message) {
        Message::Notice => None,
        Message::Broken { id, fault } => Some(fault.answer(&id)),
        Message::Request { id, method, params } => Some(match client.dispatch(method, params) {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(fault) => fault.answer(id),
        }),
    }
}

impl Client<'_> {
    fn dispatch(&mut self, method: &str, params: &Map<String, Value>) -> Result<Value, RpcError> {
        let era = Era::of(params)?;
        let (result, is_list) = match method {
            "initialize" => (self.initialize(params)?, false),
            "server/discover" => (self.discover()?, true),
            "ping" => (json!({}), false),
            "tools/list" => (self.list_tools(params)?, true),
            "tools/call" => (self.call_tool(params)?, false),
            "prompts/list" => (list_prompts(), true),
            "prompts/get" => (self.get_prompt(params)?, false),
            "openenv/session/create" => (self.create(params)?, false),
            "openenv/session/close" => (self.close(params)?, false),
            _ => return Err(RpcError::new(rpc::METHOD_NOT_FOUND, "there is no such method here")),
        };
        Ok(era.complete(result, is_list))
    }

    /// The handshake of the earlier era, which begins an episode unless one is given.
    fn initialize(&mut self, params: &Map<String, Value>) -> Result<Value, RpcError> {
        if self.bound.is_none() {
            let id = (self.fresh)();
            self.sessions.open_with(id, self.usual.clone(), self.now)?;
            self.bound = Some(id);
        }
        Ok(json!({
            "protocolVersion": era::agree(params.get("protocolVersion")),
            "capabilities": capabilities(),
            "serverInfo": era::server_info(),
            "instructions": self.instructions()?,
        }))
    }

    fn discover(&mut self) -> Result<Value, RpcError> {
        let instructions = self.instructions()?;
        Ok(json!({ "supportedVersions": STATELESS, "capabilities": capabilities(), "instructions": instructions }))
    }

    /// What a model is told before anything else: the page, or how to get one.
    fn instructions(&self) -> Result<String, RpcError> {
        match self.bound {
            Some(id) => Ok(self.view(id)?.brief.text.clone()),
            None => Ok(tools::BEGIN.to_string()),
        }
    }

    fn list_tools(&self, params: &Map<String, Value>) -> Result<Value, RpcError> {
        let tools = match self.session(params)? {
            Some(id) => tools::bound(&self.view(id)?),
            None => tools::unbound(self.sessions.catalogue().tools()),
        };
        Ok(json!({ "tools": tools }))
    }

    fn call_tool(&mut self, params: &Map<String, Value>) -> Result<Value, RpcError> {
        let Some(name) = params.get("name").and_then(Value::as_str) else {
            return Err(invalid("`name` takes the name of a tool"));
        };
        let mut arguments = match params.get("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments.clone(),
            Some(_) => return Err(invalid("`arguments` takes an object")),
        };
        match self.session(params)? {
            Some(id) => self.call(id, name, &arguments),
            None if name == tools::START => self.start(&arguments),
            None => {
                let handle = arguments.remove(tools::HANDLE);
                let handle = handle.as_ref().and_then(Value::as_str).and_then(SessionId::parse);
                let id = handle.ok_or_else(|| invalid(tools::NO_HANDLE))?;
                self.call(id, name, &arguments)
            }
        }
    }

    fn call(&mut self, id: SessionId, name: &str, arguments: &Map<String, Value>) -> Result<Value, RpcError> {
        let view = self.sessions.call(id, name, arguments, self.now)?;
        Ok(tools::result(&view))
    }

    /// Begins an episode for a client that is in no session, and tells it the handle.
    fn start(&mut self, arguments: &Map<String, Value>) -> Result<Value, RpcError> {
        let request = self.request(arguments)?;
        let id = (self.fresh)();
        let view = self.sessions.open_with(id, request, self.now)?;
        Ok(tools::started(&view, id))
    }

    fn get_prompt(&self, params: &Map<String, Value>) -> Result<Value, RpcError> {
        if params.get("name").and_then(Value::as_str) != Some(PAGE) {
            return Err(invalid(format!("there is one prompt, `{PAGE}`")));
        }
        let text = match self.session(params)? {
            Some(id) => self.view(id)?.brief.text.clone(),
            None => tools::BEGIN.to_string(),
        };
        let content = json!({ "type": "text", "text": text });
        Ok(json!({ "description": ABOUT_PAGE, "messages": [{ "role": "user", "content": content }] }))
    }

    fn create(&mut self, params: &Map<String, Value>) -> Result<Value, RpcError> {
        if let Some(id) = self.bound {
            return Ok(json!({ "session_id": id.to_string() }));
        }
        let request = self.request(params)?;
        let id = (self.fresh)();
        self.sessions.open_with(id, request, self.now)?;
        Ok(json!({ "session_id": id.to_string() }))
    }

    fn close(&mut self, params: &Map<String, Value>) -> Result<Value, RpcError> {
        let Some(given) = params.get("session_id").and_then(Value::as_str) else {
            return Err(invalid("`session_id` is missing"));
        };
        let id = self.session(params)?.ok_or(Refusal::UnknownSession)?;
        if self.bound == Some(id) {
            return Err(RpcError::new(rpc::INVALID_REQUEST, "this session ends with its connection"));
        }
        self.sessions.close(id, self.now)?;
        Ok(json!({ "session_id": given, "closed": true }))
    }

    /// The session that a request is about: the one that it names, or else the client's own.
    fn session(&self, params: &Map<String, Value>) -> Result<Option<SessionId>, RpcError> {
        match params.get("session_id") {
            None | Some(Value::Null) => Ok(self.bound),
            Some(named) => {
                let id = named.as_str().and_then(SessionId::parse).ok_or(Refusal::UnknownSession)?;
                let strange = self.confined && self.bound != Some(id);
                if strange { Err(Refusal::UnknownSession.into()) } else { Ok(Some(id)) }
            }
        }
    }

    /// What a client asks for, on top of what it usually plays.
    fn request(&self, fields: &Map<String, Value>) -> Result<StartRequest, RpcError> {
        let own = fields.iter().filter(|(name, _)| *name != "_meta" && *name != "session_id");
        let asked = StartRequest::read(&own.map(|(name, value)| (name.clone(), value.clone())).collect())?;
        Ok(asked.over(&self.usual))
    }

    fn view(&self, id: SessionId) -> Result<ClientView, RpcError> {
        Ok(self.sessions.with(id, self.now, |session| session.view())??)
    }
}

const PAGE: &str = "page";
const ABOUT_PAGE: &str = "The page that you were woken with, and what you can do about it";

fn list_prompts() -> Value {
    json!({ "prompts": [{ "name": PAGE, "title": "The page", "description": ABOUT_PAGE }] })
}

fn capabilities() -> Value {
    json!({ "tools": { "listChanged": false }, "prompts": { "listChanged": false } })
}

fn invalid(problem: impl Into<String>) -> RpcError {
    RpcError::new(rpc::INVALID_PARAMS, problem)
}
