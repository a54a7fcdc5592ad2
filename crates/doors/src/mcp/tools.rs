//! The tool table for clients of the protocol, and what a call comes back with.

use faces::{Effect, ToolDoc, ToolSet};
use harness::OVER;
use serde_json::{Value, json};

use crate::session::{ClientView, SessionId};

/// The tool that begins an episode, for clients that are in no session.
pub(super) const START: &str = "start_incident";
/// The argument by which such a client says which episode it means.
pub(super) const HANDLE: &str = "session";

/// What a client is told that is in no session.
pub(super) const BEGIN: &str = "You are on call. Call `start_incident`: it answers with the page and with a \
     `session`, which every other tool takes.";
/// What a client is told that has forgotten its handle.
pub(super) const NO_HANDLE: &str = "`session` is missing or is no session's; `start_incident` gives one";

/// The tools of an episode.
pub(super) fn bound(view: &ClientView) -> Vec<Value> {
    // Also those that the brief does not list: other names for the same.
    view.brief.toolset.docs(&view.brief.services).iter().map(tool_entry).collect()
}

/// The same tools with a handle each, and the one that begins an episode.
pub(super) fn unbound(set: ToolSet) -> Vec<Value> {
    let handled = |tool: ToolDoc| {
        let mut schema = tool.schema();
        schema["properties"][HANDLE] =
            json!({ "type": "string", "description": "the session that start_incident gave you" });
        if let Some(required) = schema["required"].as_array_mut() {
            required.insert(0, json!(HANDLE));
        }
        entry(&tool, schema)
    };
    std::iter::once(start()).chain(set.docs(&[]).into_iter().map(handled)).collect()
}

fn start() -> Value {
    let whole = |about: &str| json!({ "type": "integer", "minimum": 0, "description": about });
    json!({
        "name": START,
        "description": "take over an incident: answers with the page and with the session that the other tools take",
        "inputSchema": {
            "type": "object",
            "properties": { "index": whole("which task, by its place"), "seed": whole("the seed") },
            "additionalProperties": false,
        },
    })
}

/// A tool as the protocol lists it.
pub fn tool_entry(tool: &ToolDoc) -> Value {
    entry(tool, tool.schema())
}

fn entry(tool: &ToolDoc, schema: Value) -> Value {
    let looks = tool.effect == Effect::Look;
    json!({
        "name": tool.name,
        "description": tool.about,
        "inputSchema": schema,
        // An action can make an incident worse, and the end of one cannot be taken back.
        "annotations": { "readOnlyHint": looks, "destructiveHint": !looks, "openWorldHint": false },
    })
}

/// What a call brought. A reward, where there is one, is for programs that train and not for the model:
/// it is no content.
pub(super) fn result(view: &ClientView) -> Value {
    let mut content = vec![text(&view.observation)];
    if !view.is_over() {
        content.push(text(&format!("{} of {} actions are left.", view.steps_left(), view.brief.steps)));
    }
    let mut meta = json!({
        "sre-zero/done": view.is_over(),
        "sre-zero/terminated": view.is_terminated(),
        "sre-zero/truncated": view.is_truncated(),
    });
    if let Some(rewards) = view.rewards {
        meta["sre-zero/reward"] = json!(rewards.last);
    }
    // A call after the end did nothing: a client that only looks at `isError` must not take it for an action.
    let is_error = view.error.is_some() || view.observation == OVER;
    json!({ "content": content, "isError": is_error, "_meta": meta })
}

/// The page, and the handle.
pub(super) fn started(view: &ClientView, id: SessionId) -> Value {
    let handle = format!("session: {id}\nGive it to every tool as `{HANDLE}`.");
    json!({ "content": [text(&view.brief.text), text(&handle)], "isError": false, "_meta": { "sre-zero/session": id.to_string() } })
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}
