//! Keys go into the headers that carry them, and nowhere else.

use super::{CANARY, env, target};
use crate::model::{ChatMessage, ModelRequest, Secret, UnixSeconds};

#[test]
fn keys_are_in_headers_alone() {
    let ask = ModelRequest { messages: vec![ChatMessage::user("hello")], ..ModelRequest::default() };
    for provider in super::ALL {
        let target = target(provider.name);
        let request = target.request(&ask, UnixSeconds(1));
        let keyed = !target.credentials.secrets().is_empty();
        assert_eq!(keyed, request.headers.iter().any(|(_, value)| value.contains(CANARY)), "{}", provider.name);
        let seen = [
            request.url.clone(),
            String::from_utf8_lossy(&request.body).into_owned(),
            format!("{request:?}"),
            format!("{target:?} {target} {:?}", target.credentials),
        ];
        assert!(!seen.iter().any(|text| text.contains(CANARY)), "{}: {seen:?}", provider.name);
    }
}

#[test]
fn what_a_server_repeats_is_hidden() {
    let body = format!("{{\"error\": {{\"message\": \"wrong key {CANARY}\", \"code\": \"invalid_api_key\"}}}}");
    for provider in super::ALL {
        let target = target(provider.name);
        let failure = target.reply(401, &[], body.as_bytes(), UnixSeconds(1)).expect_err("it is refused");
        assert!(!format!("{failure:?} {failure}").contains(CANARY), "{}: {failure}", provider.name);
    }
}

#[test]
fn keys_that_others_mask_are_hidden_too() {
    let masked =
        r#"{"error": {"message": "Incorrect API key provided: sk-proj-ab****wxyz. You can find yours online."}}"#;
    let failure = target("openai").reply(401, &[], masked.as_bytes(), UnixSeconds(1)).expect_err("it is refused");
    assert_eq!(failure.message, "Incorrect API key provided: [hidden] You can find yours online.");
}

#[test]
fn a_secret_is_never_shown() {
    let secret = Secret::new(CANARY);
    assert_eq!(format!("{secret} {secret:?}"), "[hidden] [hidden]");
    assert_eq!(secret.hide_in(&format!("a {CANARY} b")), "a [hidden] b");
    assert!(!format!("{:?}", env()).contains(CANARY));
}
