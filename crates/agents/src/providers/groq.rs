//! `groq`: open models on fast hardware.

use crate::model::Sampling;

use super::chat::{ChatWire, reasoning_effort};
use super::writing::{BodyFields, put};
use super::{Keys, Provider};

pub(super) static PROVIDER: Provider = Provider {
    name: "groq",
    about: "Groq, chat completions",
    wire: &ChatWire { max_tokens: "max_completion_tokens", reasoning, soft_switch: false },
    base_url: "https://api.groq.com/openai/v1",
    base_variables: &["GROQ_BASE_URL"],
    keys: Keys::Needed(&["GROQ_API_KEY"]),
    cannot: &["thinking_tokens"],
    example: "llama-3.3-70b-versatile",
};

fn reasoning(sampling: &Sampling, body: &mut BodyFields) {
    reasoning_effort(sampling, body);
    put(body, "include_reasoning", sampling.exclude_reasoning.then_some(false));
}
