//! `openai`: chat completions at OpenAI.

use super::chat::{ChatWire, reasoning_effort};
use super::{Keys, Provider};

pub(super) static PROVIDER: Provider = Provider {
    name: "openai",
    about: "OpenAI, chat completions",
    wire: &ChatWire { max_tokens: "max_completion_tokens", reasoning: reasoning_effort, soft_switch: false },
    base_url: "https://api.openai.com/v1",
    base_variables: &["OPENAI_BASE_URL"],
    keys: Keys::Needed(&["OPENAI_API_KEY"]),
    cannot: &["thinking_tokens", "exclude_reasoning"],
    example: "gpt-5.4-mini",
};
