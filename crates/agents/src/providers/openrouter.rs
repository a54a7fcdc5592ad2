//! `openrouter`: many hosts behind one door.

use serde_json::json;

use crate::model::Sampling;

use super::chat::ChatWire;
use super::writing::{BodyFields, put};
use super::{Keys, Provider};

pub(super) static PROVIDER: Provider = Provider {
    name: "openrouter",
    about: "OpenRouter, chat completions",
    wire: &ChatWire { max_tokens: "max_tokens", reasoning, soft_switch: false },
    base_url: "https://openrouter.ai/api/v1",
    base_variables: &["OPENROUTER_BASE_URL"],
    keys: Keys::Needed(&["OPENROUTER_API_KEY"]),
    cannot: &[],
    example: "qwen/qwen3-32b",
};

fn reasoning(sampling: &Sampling, body: &mut BodyFields) {
    let mut wanted = BodyFields::new();
    put(&mut wanted, "effort", sampling.effort.map(|effort| effort.word()));
    put(&mut wanted, "max_tokens", sampling.thinking_tokens);
    put(&mut wanted, "exclude", sampling.exclude_reasoning.then_some(true));
    put(&mut wanted, "enabled", sampling.no_think.then_some(false));
    if !wanted.is_empty() {
        body.insert("reasoning".into(), json!(wanted));
    }
}
