//! `ollama`: models on this machine.

use super::chat::{ChatWire, reasoning_effort};
use super::{Keys, Provider};

pub(super) static PROVIDER: Provider = Provider {
    name: "ollama",
    about: "Ollama on this machine",
    wire: &ChatWire { max_tokens: "max_tokens", reasoning: reasoning_effort, soft_switch: false },
    base_url: "http://127.0.0.1:11434/v1",
    base_variables: &["OLLAMA_BASE_URL"],
    keys: Keys::Optional(&["OLLAMA_API_KEY"]),
    cannot: &["thinking_tokens", "exclude_reasoning"],
    example: "qwen3:8b",
};
