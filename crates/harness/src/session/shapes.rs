//! What goes over the wire: a client's view in the published shape and in OpenEnv's.

use serde_json::{Map, Value, json};

use super::client_view::ClientView;
use super::refusal::Refusal;

/// What an episode's reset answers, in the published shape.
pub fn published_reset(view: &ClientView, session_id: &str) -> Value {
    json!({ "session_id": session_id, "observation": published(view), "info": info(view) })
}

/// What a step answers, in the published shape.
pub fn published_step(view: &ClientView) -> Value {
    json!({
        "observation": published(view),
        "reward": view.reward(),
        "done": view.is_over(),
        "terminated": view.is_terminated(),
        "truncated": view.is_truncated(),
        "info": info(view),
    })
}

fn published(view: &ClientView) -> Value {
    let tools: Vec<&str> = view.brief.tools.iter().map(|tool| tool.signature).collect();
    json!({
        "incident_id": view.brief.incident,
        "step": view.step,
        "steps_remaining": view.steps_left(),
        "alert": view.brief.page,
        "last_action": view.last_action,
        "last_result": { "summary": view.observation, "details": {}, "error": view.error },
        "known_findings": view.findings,
        "available_tools": tools,
        "done": view.is_over(),
    })
}

fn info(view: &ClientView) -> Value {
    let actions: Vec<&str> = view.brief.tools.iter().map(|tool| tool.name).collect();
    json!({
        "task_id": view.brief.incident,
        "available_actions": actions,
        "terminated": view.is_terminated(),
        "truncated": view.is_truncated(),
        "ending": view.ending,
        "total_reward": view.total_reward(),
        "world_time_ms": view.time,
    })
}

/// An observation in OpenEnv's shape; a reset has no reward, and a measured agent gets none. What newer clients look for inside stands
/// beside it too, for older ones.
pub fn openenv(view: &ClientView, session_id: &str) -> Value {
    let reward = if view.step == 0 { Value::Null } else { json!(view.reward()) };
    let (done, terminated, truncated) = (view.is_over(), view.is_terminated(), view.is_truncated());
    let metadata = json!({
        "session_id": session_id,
        "incident_id": view.brief.incident,
        "terminated": terminated,
        "truncated": truncated,
        "ending": view.ending,
        "total_reward": view.total_reward(),
        "world_time_ms": view.time,
    });
    let observation = json!({
        "text": view.observation,
        "step": view.step,
        "steps_left": view.steps_left(),
        "error": view.error,
        "reward": reward,
        "done": done,
        "terminated": terminated,
        "truncated": truncated,
        "metadata": metadata,
    });
    json!({
        "observation": observation,
        "reward": reward,
        "done": done,
        "terminated": terminated,
        "truncated": truncated,
        "metadata": metadata,
    })
}

/// A session's state in OpenEnv's shape; without an episode all of it is empty.
pub fn openenv_state(view: Option<&ClientView>) -> Value {
    let Some(view) = view else { return json!({ "episode_id": null, "step_count": 0 }) };
    json!({
        "episode_id": view.episode_id.as_ref().unwrap_or(&view.brief.incident),
        "step_count": view.step,
        "incident_id": view.brief.incident,
        "steps_left": view.steps_left(),
        "done": view.is_over(),
        "terminated": view.is_terminated(),
        "truncated": view.is_truncated(),
        "total_reward": view.total_reward(),
        "world_time_ms": view.time,
    })
}

/// The JSON Schemas of OpenEnv's action, observation and state. The action has one needed field, so
/// that clients can take a model's raw text for it.
pub fn openenv_schemas() -> Value {
    let (text, whole, flag) = (json!({ "type": "string" }), json!({ "type": "integer" }), json!({ "type": "boolean" }));
    let (number, object) = (json!({ "type": ["number", "null"] }), json!({ "type": "object" }));
    let maybe = json!({ "type": ["string", "null"] });
    let command = json!({
        "type": "string",
        "description": "one action, as a call such as inspect_logs(cache) or as a JSON object",
    });
    json!({
        "action": {
            "title": "Action", "type": "object", "required": ["command"], "additionalProperties": false,
            "properties": { "command": command, "metadata": object },
        },
        "observation": {
            "title": "Observation", "type": "object", "required": ["text"],
            "properties": {
                "text": text, "step": whole, "steps_left": whole, "error": maybe, "reward": number, "done": flag,
                "terminated": flag, "truncated": flag, "metadata": object,
            },
        },
        "state": {
            "title": "State", "type": "object",
            "properties": {
                "episode_id": maybe, "step_count": whole, "incident_id": text, "steps_left": whole, "done": flag,
                "terminated": flag, "truncated": flag, "total_reward": number, "world_time_ms": whole,
            },
        },
    })
}

/// The text of an OpenEnv action, which has `command` and nothing else of meaning.
pub fn openenv_action(action: &Map<String, Value>) -> Result<&str, Refusal> {
    let known = ["command", "metadata"];
    if let Some(name) = action.keys().find(|name| !known.contains(&name.as_str())) {
        let name = crate::catalogue::clip(name);
        return Err(Refusal::Invalid(format!("unknown field `{name}`; an action is {{\"command\": \"...\"}}")));
    }
    let command = action.get("command").and_then(Value::as_str);
    command.ok_or_else(|| Refusal::Invalid("`command` takes the text of one action".to_string()))
}

/// The text of a published action: text to the letter, or an object whose `action_type` is the tool.
pub fn published_action(action: &Value) -> Result<String, Refusal> {
    let fields = match action {
        Value::String(text) => return Ok(text.clone()),
        Value::Object(fields) => fields,
        _ => return Err(Refusal::Invalid("`action` takes text or an object".to_string())),
    };
    let rename = |name: &str| match name {
        "action_type" | "actionType" => "action".to_string(),
        "rootCause" => "root_cause".to_string(),
        name => name.to_string(),
    };
    // A field that is null was left out.
    let given = fields.iter().filter(|(_, value)| !value.is_null());
    let renamed: Map<String, Value> = given.map(|(name, value)| (rename(name), value.clone())).collect();
    Ok(Value::Object(renamed).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_action_has_one_text() {
        let check = |action: Value, expect: &str| {
            assert_eq!(published_action(&action).unwrap_or_else(|e| e.to_string()), expect);
        };
        check(json!("inspect_logs(cache) "), "inspect_logs(cache) ");
        check(
            json!({"action_type": "inspect_logs", "service": "cache", "key": null}),
            r#"{"action":"inspect_logs","service":"cache"}"#,
        );
        check(json!({"actionType": "x", "rootCause": "y"}), r#"{"action":"x","root_cause":"y"}"#);
        check(json!(3), "`action` takes text or an object");
    }

    #[test]
    fn an_openenv_action_has_one_field() {
        let check = |action: Value, expect: &str| {
            let fields = action.as_object().expect("an object");
            assert_eq!(openenv_action(fields).map_or_else(|e| e.to_string(), str::to_string), expect);
        };
        check(json!({"command": "x", "metadata": {}}), "x");
        check(json!({"command": 3}), "`command` takes the text of one action");
        check(json!({"__proto__": 3}), "unknown field `__proto__`; an action is {\"command\": \"...\"}");
        let schema = openenv_schemas();
        assert_eq!(schema["action"]["required"], json!(["command"]));
    }
}
