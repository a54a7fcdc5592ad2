//! Preference pairs: two ways through the same incident, of which one ended it and the other did not, in the shape
//! that TRL's `DPOTrainer` reads.

use std::collections::BTreeMap;
use std::io::Write;

use record::Split;
use serde_json::{Value, json};

use super::chat::messages;
use super::{Export, ExportEpisode, ExportError, ExportFilter, Format, Only, Shelf, tools};

/// `preferences`.
pub struct Preferences;

impl Format for Preferences {
    fn name(&self) -> &'static str {
        "preferences"
    }

    fn about(&self) -> &'static str {
        "preference pairs for DPO: JSON lines of prompt, chosen and rejected; a success and a failure on one incident"
    }

    fn extension(&self) -> Option<&'static str> {
        Some("jsonl")
    }

    fn usual(&self) -> ExportFilter {
        ExportFilter { only: Only::All, split: Some(Split::Train), min_reward: None }
    }

    /// An agent that was cut off says nothing of what it would have done.
    fn takes_provider_failures(&self) -> bool {
        false
    }

    fn start(&self) -> Result<Box<dyn Export>, ExportError> {
        Ok(Box::new(Pairs::default()))
    }
}

/// The best success and the worst failure of each incident. Episodes come by agent, so both are kept until the end.
#[derive(Default)]
struct Pairs {
    incidents: BTreeMap<Incident, Sides>,
}

/// Task, seed and what else made it the same incident: noise and the tools at hand.
type Incident = (String, u64, u8, String);

#[derive(Default)]
struct Sides {
    chosen: Option<Side>,
    rejected: Option<Side>,
    tools: Value,
}

struct Side {
    reward: f64,
    messages: Vec<Value>,
}

impl Export for Pairs {
    fn add(&mut self, entry: &ExportEpisode, _shelf: &mut dyn Shelf) -> Result<(), ExportError> {
        let Some(messages) = messages(entry) else { return Ok(()) };
        let (header, score) = (entry.header(), &entry.score);
        let incident = (header.task.id.clone(), header.seed, header.noise, header.tools.to_string());
        let sides = self.incidents.entry(incident).or_default();
        let side = Side { reward: score.reward, messages };
        if sides.tools.is_null() {
            sides.tools = json!(tools::definitions(entry));
        }
        // The first one stays where two are equal: the order of episodes is fixed.
        if score.success && sides.chosen.as_ref().is_none_or(|best| best.reward < side.reward) {
            sides.chosen = Some(side);
        } else if !score.success && sides.rejected.as_ref().is_none_or(|worst| worst.reward > side.reward) {
            sides.rejected = Some(side);
        }
        Ok(())
    }

    fn finish(self: Box<Self>, shelf: &mut dyn Shelf) -> Result<(), ExportError> {
        let mut file = shelf.create("preferences.jsonl")?;
        for sides in self.incidents.into_values() {
            if let (Some(chosen), Some(rejected)) = (sides.chosen, sides.rejected) {
                writeln!(file, "{}", pair(&chosen, &rejected, &sides.tools))?;
            }
        }
        Ok(file.keep()?)
    }
}

/// What both did alike belongs to the prompt; the preference is about what came after.
fn pair(chosen: &Side, rejected: &Side, tools: &Value) -> Value {
    let both = chosen.messages.iter().zip(&rejected.messages);
    let alike = both.take_while(|(one, other)| one == other).count();
    // A prompt ends with what was shown, so that an answer can follow; and neither answer may be empty.
    let shortest = chosen.messages.len().min(rejected.messages.len());
    let alike = alike.min(shortest - 1);
    let is_shown = |message: &Value| message["role"] != "assistant";
    let end = (2..=alike).rev().find(|end| is_shown(&chosen.messages[end - 1])).unwrap_or(2);
    json!({
        "prompt": &chosen.messages[..end],
        "chosen": &chosen.messages[end..],
        "rejected": &rejected.messages[end..],
        "tools": tools,
        "chosen_reward": chosen.reward,
        "rejected_reward": rejected.reward,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(turns: &[&str]) -> Side {
        let mut messages = vec![json!({"role": "system", "content": "s"}), json!({"role": "user", "content": "page"})];
        for turn in turns {
            messages.push(json!({"role": "assistant", "content": turn}));
            messages.push(json!({"role": "tool", "content": format!("saw {turn}")}));
        }
        messages.pop();
        Side { reward: 0.5, messages }
    }

    #[test]
    fn what_both_did_alike_is_the_prompt() {
        let check = |one: &[&str], other: &[&str], prompt: usize| {
            let pair = pair(&side(one), &side(other), &Value::Null);
            assert_eq!(pair["prompt"].as_array().map(Vec::len), Some(prompt), "{pair}");
            for answer in ["chosen", "rejected"] {
                assert_eq!(pair[answer][0]["role"], "assistant", "{pair}");
                assert_eq!(
                    pair[answer].as_array().and_then(|all| all.last()).map(|last| &last["role"]),
                    Some(&json!("assistant"))
                );
            }
        };
        check(&["a", "fix"], &["b", "fix"], 2);
        check(&["a", "fix"], &["a", "wait"], 4);
        check(&["a", "b", "fix"], &["a", "b"], 4);
        check(&["a"], &["a"], 2);
    }
}
