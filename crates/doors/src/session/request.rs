//! What a client asks for when it starts an episode, read from JSON at the edge.

use serde_json::{Map, Value};

use super::refusal::Refusal;
use harness::catalogue::{IncidentChoice, clip};

const LONGEST_ID: usize = 255;
const LONGEST_NAME: usize = 64;

/// Which incident, for whom. What is left out is for the server to choose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartRequest {
    /// The task: its place as `GET /tasks` lists it, or its published id.
    pub task: Option<String>,
    /// The task by its place in the list, or in the list of its split.
    pub index: Option<usize>,
    /// Only tasks of this split.
    pub split: Option<String>,
    /// The world's seed.
    pub seed: Option<u64>,
    /// The agent's name in the record.
    pub agent: Option<String>,
    /// The client's own name for the episode, which it gets back.
    pub episode_id: Option<String>,
}

impl StartRequest {
    /// Reads the fields of a request. What is `null` was not given; an unknown name is
    /// refused, because a misspelt seed would give another incident in silence.
    pub fn read(fields: &Map<String, Value>) -> Result<StartRequest, Refusal> {
        let mut request = StartRequest::default();
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
            match name.as_str() {
                "task_id" | "taskId" | "task" => request.task = Some(text(name, value, LONGEST_ID)?),
                "index" => request.index = Some(whole(name, value)? as usize),
                "split" => request.split = Some(text(name, value, LONGEST_NAME)?),
                "seed" => request.seed = Some(whole(name, value)?),
                "agent" => request.agent = Some(agent(text(name, value, LONGEST_NAME)?)?),
                "episode_id" => request.episode_id = Some(text(name, value, LONGEST_ID)?),
                _ => return Err(invalid(format!("unknown field `{}`; {FIELDS}", clip(name)))),
            }
        }
        Ok(request)
    }

    /// Which incident it is about.
    pub fn choice(&self) -> IncidentChoice {
        let StartRequest { task, index, split, seed, .. } = self.clone();
        IncidentChoice { task, index, split, seed }
    }

    /// This request, with what it leaves open taken from another.
    pub fn over(self, usual: &StartRequest) -> StartRequest {
        let placed = self.task.is_some() || self.index.is_some() || self.split.is_some();
        let usual = usual.clone();
        // A task of the user's is not to be mixed with the usual split.
        let (task, index, split) =
            if placed { (self.task, self.index, self.split) } else { (usual.task, usual.index, usual.split) };
        StartRequest {
            task,
            index,
            split,
            seed: self.seed.or(usual.seed),
            agent: self.agent.or(usual.agent),
            episode_id: self.episode_id.or(usual.episode_id),
        }
    }
}

const FIELDS: &str = "there are task_id, index, split, seed, agent and episode_id";

/// A name that becomes part of a path.
fn agent(name: String) -> Result<String, Refusal> {
    let good = |c: char| c.is_ascii_alphanumeric() || "-_.@".contains(c);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(good) {
        return Err(invalid("`agent` takes letters, digits, -, _, . and @, and starts with no dot"));
    }
    Ok(name)
}

fn text(name: &str, value: &Value, longest: usize) -> Result<String, Refusal> {
    match value {
        Value::String(text) if text.chars().nth(longest).is_none() => Ok(text.clone()),
        Value::String(_) => Err(invalid(format!("`{name}` takes at most {longest} characters"))),
        _ => Err(invalid(format!("`{name}` takes text"))),
    }
}

/// A whole number; a query has it as text.
fn whole(name: &str, value: &Value) -> Result<u64, Refusal> {
    let read = match value {
        Value::String(digits) => digits.parse().ok(),
        _ => value.as_u64(),
    };
    read.ok_or_else(|| invalid(format!("`{name}` takes a whole number from 0 up")))
}

fn invalid(problem: impl Into<String>) -> Refusal {
    Refusal::Invalid(problem.into())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_is_read_or_refused() {
        let check = |value: Value, expect: Expect| {
            let read = StartRequest::read(value.as_object().expect("an object"));
            expect.assert_eq(&read.map_or_else(
                |e| e.to_string(),
                |request| {
                    format!(
                        "{:?} {:?} {:?} {:?} {:?}",
                        request.task, request.index, request.split, request.seed, request.agent
                    )
                },
            ));
        };
        check(json!({}), expect!["None None None None None"]);
        check(json!({"seed": 7, "task_id": null}), expect!["None None None Some(7) None"]);
        check(json!({"split": "test", "index": "3"}), expect![[r#"None Some(3) Some("test") None None"#]]);
        check(json!({"agent": "mine@v2"}), expect![[r#"None None None None Some("mine@v2")"#]]);
        check(
            json!({"agent": "../up"}),
            expect!["`agent` takes letters, digits, -, _, . and @, and starts with no dot"],
        );
        check(json!({"agent": ".."}), expect!["`agent` takes letters, digits, -, _, . and @, and starts with no dot"]);
        check(json!({"seed": -1}), expect!["`seed` takes a whole number from 0 up"]);
        check(json!({"seed": 1.5}), expect!["`seed` takes a whole number from 0 up"]);
        check(json!({"seed": true}), expect!["`seed` takes a whole number from 0 up"]);
        check(json!({"seed": 1e20}), expect!["`seed` takes a whole number from 0 up"]);
        check(json!({"task_id": ["x"]}), expect!["`task_id` takes text"]);
        check(json!({"episode_id": "x".repeat(256)}), expect!["`episode_id` takes at most 255 characters"]);
        check(
            json!({"sead": 1}),
            expect!["unknown field `sead`; there are task_id, index, split, seed, agent and episode_id"],
        );
    }
}
