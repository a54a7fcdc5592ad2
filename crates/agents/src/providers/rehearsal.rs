//! `rehearsal`: our own stand-in for a provider, started by `sre-zero rehearse`.

use super::chat::{ChatWire, reasoning_effort};
use super::{Keys, Provider};

pub(super) static PROVIDER: Provider = Provider {
    name: "rehearsal",
    about: "`sre-zero rehearse` on this machine: nothing to pay",
    wire: &ChatWire { max_tokens: "max_tokens", reasoning: reasoning_effort, soft_switch: false },
    base_url: "http://127.0.0.1:8088/v1",
    base_variables: &["SRE_ZERO_REHEARSAL_URL"],
    keys: Keys::Optional(&["SRE_ZERO_REHEARSAL_KEY"]),
    cannot: &["thinking_tokens", "exclude_reasoning"],
    example: "runbook",
};
