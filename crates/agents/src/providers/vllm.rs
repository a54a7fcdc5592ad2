//! `vllm`: a vLLM server, on this machine unless told otherwise.

use serde_json::json;

use crate::model::Sampling;

use super::chat::ChatWire;
use super::writing::{BodyFields, put};
use super::{Keys, Provider};

pub(super) static PROVIDER: Provider = Provider {
    name: "vllm",
    about: "a vLLM server of your own",
    wire: &ChatWire { max_tokens: "max_tokens", reasoning, soft_switch: false },
    base_url: "http://127.0.0.1:8000/v1",
    base_variables: &["VLLM_BASE_URL"],
    keys: Keys::Optional(&["VLLM_API_KEY"]),
    cannot: &["thinking_tokens"],
    example: "Qwen/Qwen3-8B",
};

fn reasoning(sampling: &Sampling, body: &mut BodyFields) {
    put(body, "reasoning_effort", sampling.effort.map(|effort| effort.word()));
    put(body, "include_reasoning", sampling.exclude_reasoning.then_some(false));
    put(body, "chat_template_kwargs", sampling.no_think.then(|| json!({"enable_thinking": false})));
}
