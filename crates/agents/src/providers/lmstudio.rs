//! `lmstudio`: models on this machine.

use super::chat::ChatWire;
use super::writing::put;
use super::{Keys, Provider};

pub(super) static PROVIDER: Provider = Provider {
    name: "lmstudio",
    about: "LM Studio on this machine",
    wire: &ChatWire {
        max_tokens: "max_tokens",
        reasoning: |sampling, body| put(body, "reasoning_effort", sampling.effort.map(|effort| effort.word())),
        soft_switch: true,
    },
    base_url: "http://127.0.0.1:1234/v1",
    base_variables: &["LMSTUDIO_BASE_URL"],
    keys: Keys::Optional(&["LMSTUDIO_API_KEY"]),
    cannot: &["thinking_tokens", "exclude_reasoning"],
    example: "qwen/qwen3-8b",
};
