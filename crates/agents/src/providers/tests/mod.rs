//! Requests and replies of every provider, as data.

mod parse;
mod replies;
mod requests;
mod secrets;

use crate::model::Target;

use super::{ALL, Env, Keys};

/// What no output may contain.
const CANARY: &str = "sk-canary-7f3a9c";

/// Every variable that holds a key of some provider.
fn key_variables() -> impl Iterator<Item = &'static str> {
    ALL.iter()
        .flat_map(|provider| match provider.keys {
            Keys::Needed(names) | Keys::Optional(names) => names,
            Keys::Aws => &["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"][..],
        })
        .copied()
}

/// An environment in which every key is set to the canary.
fn env() -> Env {
    let env = key_variables().fold(Env::default(), |env, name| env.with(name, CANARY));
    env.with("AWS_REGION", "eu-central-1").with("SRE_ZERO_BASE_URL", "http://127.0.0.1:9/v1")
}

fn target(provider: &str) -> Target {
    Target::parse(&format!("{provider}/some-model"), &env()).unwrap_or_else(|problem| panic!("{problem}"))
}

/// The same with other keys.
fn other_target(provider: &str) -> Target {
    let env = key_variables().fold(env(), |env, name| env.with(name, "another key"));
    Target::parse(&format!("{provider}/some-model"), &env).unwrap_or_else(|problem| panic!("{problem}"))
}

#[test]
fn names_are_unique_and_every_provider_says_what_it_is() {
    let mut names: Vec<&str> = ALL.iter().map(|provider| provider.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), ALL.len());
    for provider in ALL {
        assert!(!provider.about.is_empty() && !provider.example.is_empty(), "{}", provider.name);
        assert!(!provider.base_variables.is_empty(), "{} can be pointed elsewhere", provider.name);
    }
}
