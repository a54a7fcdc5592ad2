//! The protocol of JSON lines, as docs/clients/exec.md has it.

use harness::{Brief, Player, ToolDoc, action_text};
use serde_json::{Map, Value, json};

/// The protocol's version. What is added to it later does not change it.
pub const VERSION: u32 = 1;

/// The variables that every program finds, beside the usual ones.
pub fn environment() -> Vec<(&'static str, String)> {
    vec![("SRE_ZERO_PROTOCOL", VERSION.to_string())]
}

/// What a program is told first.
pub fn brief(brief: &Brief, seed: u64) -> String {
    let tool = |tool: &ToolDoc| json!({ "name": tool.name, "signature": tool.signature, "about": tool.about, "parameters": tool.schema() });
    let tools: Vec<Value> = brief.tools.iter().map(tool).collect();
    json!({
        "type": "brief",
        "protocol": VERSION,
        "incident": brief.incident,
        "text": brief.text,
        "page": brief.page,
        "services": brief.services,
        "tools": tools,
        "steps": brief.steps,
        "seed": seed,
    })
    .to_string()
}

/// What a program is told after each action.
pub fn observation(player: &Player) -> String {
    let last = player.shown().next_back();
    json!({
        "type": "observation",
        "text": player.observation(),
        "error": last.and_then(|step| step.invalid()),
        "step": player.steps_taken(),
        "steps_left": player.steps_left(),
        "done": player.is_over(),
        "ending": player.ending(),
    })
    .to_string()
}

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub enum ProgramMessage {
    /// Do this. Whether it is a valid action is for the episode to say, which charges for one that is not.
    Act(String),
    /// I give up.
    GiveUp,
}

/// Reads a line. Whatever is none of the protocol's forms is taken for the text of an action.
pub fn read(line: &str) -> ProgramMessage {
    let line = line.trim();
    let Ok(Value::Object(fields)) = serde_json::from_str(line) else { return ProgramMessage::Act(line.to_string()) };
    if fields.get("give_up") == Some(&Value::Bool(true)) {
        return ProgramMessage::GiveUp;
    }
    match (fields.get("action"), fields.get("tool"), fields.get("arguments")) {
        (Some(Value::String(text)), None, None) if is_alone(&fields) => ProgramMessage::Act(text.trim().to_string()),
        (None, Some(Value::String(tool)), None) => ProgramMessage::Act(action_text(tool, &Map::new())),
        (None, Some(Value::String(tool)), Some(Value::Object(arguments))) => {
            ProgramMessage::Act(action_text(tool, arguments))
        }
        _ => ProgramMessage::Act(line.to_string()),
    }
}

/// Whether an action stands alone; beside it there may be what the program thinks.
fn is_alone(fields: &Map<String, Value>) -> bool {
    fields.keys().all(|name| ["action", "thought", "protocol", "type"].contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page must show what is really said.
    #[test]
    fn the_page_has_every_field() {
        let page = include_str!("../../../../docs/clients/exec.md");
        let shown = page.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next());
        let shown: Vec<Value> = shown.map(|text| serde_json::from_str(text).expect(text)).collect();
        let task = harness::suites::select(harness::tasks::embedded(), "srezero-40").expect("it is there").remove(0);
        let scenario = harness::Scenario::prepare(&task, 0, harness::Noise(0)).expect("it can be played");
        let episode = harness::Episode::start(&std::sync::Arc::new(scenario), harness::EpisodeOptions::default());
        let mut player = harness::Referee::new().seat(episode);
        let first = brief(player.brief(), 7);
        let ProgramMessage::Act(text) = read(&shown[1].to_string()) else { panic!("{} is an action", shown[1]) };
        player.step(&text);
        let fields = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
        for (said, shown) in [(first, &shown[0]), (observation(&player), &shown[2])] {
            let said: Value = serde_json::from_str(&said).expect("it is JSON");
            assert_eq!(fields(&said), fields(shown));
            if let Some(tool) = said["tools"].get(0) {
                assert_eq!(fields(tool), fields(&shown["tools"][0]));
            }
        }
        assert!(page.contains(&format!("Version {VERSION}.")));
    }

    #[test]
    fn a_line_is_an_action_or_the_end() {
        let check = |line: &str, expect: &str| {
            let said = match read(line) {
                ProgramMessage::Act(text) => text,
                ProgramMessage::GiveUp => "<give up>".to_string(),
            };
            assert_eq!(said, expect, "{line}");
        };
        check(r#"{"action": "inspect_logs(cache)"}"#, "inspect_logs(cache)");
        check(r#"{"action": " inspect_logs(cache) ", "thought": "slow"}"#, "inspect_logs(cache)");
        check(
            r#"{"tool": "inspect_logs", "arguments": {"service": "cache"}}"#,
            r#"{"action":"inspect_logs","service":"cache"}"#,
        );
        check(r#"{"tool": "list_alerts"}"#, r#"{"action":"list_alerts"}"#);
        check(r#"{"give_up": true}"#, "<give up>");
        check(r#"{"give_up": false}"#, r#"{"give_up": false}"#);
        // What the episode reads by itself, or refuses.
        check(r#"{"action":"inspect_logs","service":"cache"}"#, r#"{"action":"inspect_logs","service":"cache"}"#);
        check("inspect_logs(cache)\r", "inspect_logs(cache)");
        check(r#"{"tool": 3}"#, r#"{"tool": 3}"#);
        check("Traceback (most recent call last):", "Traceback (most recent call last):");
        check("[1]", "[1]");
    }
}
