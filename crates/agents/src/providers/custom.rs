//! `custom`: whatever speaks chat completions at a base URL of yours.

use super::chat::ChatWire;
use super::writing::put;
use super::{Keys, Provider};

pub(super) static PROVIDER: Provider = Provider {
    name: "custom",
    about: "any server with chat completions",
    wire: &ChatWire {
        max_tokens: "max_tokens",
        reasoning: |sampling, body| put(body, "reasoning_effort", sampling.effort.map(|effort| effort.word())),
        soft_switch: true,
    },
    base_url: "",
    base_variables: &["SRE_ZERO_BASE_URL"],
    keys: Keys::Optional(&["SRE_ZERO_API_KEY"]),
    cannot: &["thinking_tokens", "exclude_reasoning"],
    example: "my-model",
};
