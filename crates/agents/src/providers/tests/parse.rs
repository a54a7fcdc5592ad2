//! Names of targets, and what is said when something is missing.

use crate::model::Target;
use crate::providers::{ALL, Env};

fn check(name: &str, env: &Env, expect: &str) {
    let shown = Target::parse(name, env).map_or_else(|problem| format!("! {problem}"), |target| format!("{target:?}"));
    assert_eq!(shown, expect, "{name}");
}

#[test]
fn targets_are_found_by_name() {
    let env = super::env();
    let check = |name: &str, expect: &str| check(name, &env, expect);
    check("openai/gpt-5", "openai/gpt-5 at https://api.openai.com/v1 (chat completions)");
    check(" OpenAI/gpt-5 ", "openai/gpt-5 at https://api.openai.com/v1 (chat completions)");
    check("openai_responses/gpt-5", "openai-responses/gpt-5 at https://api.openai.com/v1 (responses)");
    check("anthropic/claude-x", "anthropic/claude-x at https://api.anthropic.com (messages)");
    check(
        "bedrock/us.a.b-v1:0",
        "bedrock/us.a.b-v1:0 at https://bedrock-runtime.eu-central-1.amazonaws.com (converse)",
    );
    check("gemini/g", "gemini/g at https://generativelanguage.googleapis.com/v1beta (generateContent)");
    check("openrouter/qwen/qwen3-32b", "openrouter/qwen/qwen3-32b at https://openrouter.ai/api/v1 (chat completions)");
    check("custom/m", "custom/m at http://127.0.0.1:9/v1 (chat completions)");
    check("rehearsal/runbook", "rehearsal/runbook at http://127.0.0.1:8088/v1 (chat completions)");
}

#[test]
fn servers_on_this_machine_need_no_key() {
    let check = |name: &str, expect: &str| check(name, &Env::default(), expect);
    check("ollama/qwen3:8b", "ollama/qwen3:8b at http://127.0.0.1:11434/v1 (chat completions)");
    check("vllm/m", "vllm/m at http://127.0.0.1:8000/v1 (chat completions)");
    check("lmstudio/m", "lmstudio/m at http://127.0.0.1:1234/v1 (chat completions)");
    check("rehearsal/m", "rehearsal/m at http://127.0.0.1:8088/v1 (chat completions)");
}

#[test]
fn every_provider_can_be_pointed_elsewhere() {
    let set = |variable: &str, url: &str| super::env().with(variable, url);
    let here = "http://127.0.0.1:8088";
    check(
        "openai/m",
        &set("OPENAI_BASE_URL", &format!("{here}/v1/")),
        &format!("openai/m at {here}/v1 (chat completions)"),
    );
    check("anthropic/m", &set("ANTHROPIC_BASE_URL", here), &format!("anthropic/m at {here} (messages)"));
    check("bedrock/m", &set("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", here), &format!("bedrock/m at {here} (converse)"));
    let level = format!("rehearsal/m at {here}/v1 (chat completions)");
    check("rehearsal/m", &set("SRE_ZERO_REHEARSAL_URL", here), &level);
    check("rehearsal/m", &set("SRE_ZERO_REHEARSAL_URL", &format!("{here}/v1")), &level);
}

#[test]
fn what_is_missing_is_named_with_how_to_set_it() {
    let none = Env::default();
    let check_none = |name: &str, expect: &str| check(name, &none, expect);
    check_none(
        "openai/gpt-5",
        "! openai needs OPENAI_API_KEY: export OPENAI_API_KEY=..., or write OPENAI_API_KEY=... into a file named .env here",
    );
    check_none(
        "gemini/g",
        "! gemini needs GEMINI_API_KEY or GOOGLE_API_KEY: export GEMINI_API_KEY=..., or write GEMINI_API_KEY=... into a file named .env here",
    );
    check_none(
        "bedrock/m",
        "! bedrock needs AWS_ACCESS_KEY_ID (or AWS_BEARER_TOKEN_BEDROCK): export AWS_ACCESS_KEY_ID=..., or write AWS_ACCESS_KEY_ID=... into a file named .env here",
    );
    check(
        "bedrock/m",
        &none.clone().with("AWS_BEARER_TOKEN_BEDROCK", "token"),
        "! bedrock needs AWS_REGION: export AWS_REGION=..., or write AWS_REGION=... into a file named .env here",
    );
    check_none(
        "custom/m",
        "! custom needs a base URL: export SRE_ZERO_BASE_URL=http://HOST/v1, or write that into a file named .env here",
    );
    for key in ["sk-\u{e9}", "sk-1\n2"] {
        check(
            "openai/gpt-5",
            &none.clone().with("OPENAI_API_KEY", key),
            "! the key of openai has a line break or a letter that no key has; copy it again",
        );
    }
    check_none("openai", "! `openai` names no model; write openai/MODEL, such as openai/gpt-5.4-mini");
    check_none("opnai/gpt-5", "! unknown provider `opnai`: did you mean `openai`?");
    let all: Vec<&str> = ALL.iter().map(|provider| provider.name).collect();
    let known = format!("! unknown provider `gpt-5`; write provider/model, with one of {}", all.join(", "));
    check_none("gpt-5", &known);
    for url in ["127.0.0.1:11434", "http://[::1"] {
        check(
            "ollama/m",
            &none.clone().with("OLLAMA_BASE_URL", url),
            "! the base URL of ollama (OLLAMA_BASE_URL) must be http:// or https:// with a host, and no user or password",
        );
    }
}

#[test]
fn an_empty_key_is_no_key() {
    let env = Env::default().with("OPENAI_API_KEY", "  ");
    assert!(Target::parse("openai/gpt-5", &env).is_err_and(|problem| problem.contains("OPENAI_API_KEY")));
}
