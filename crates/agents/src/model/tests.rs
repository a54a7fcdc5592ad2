//! What is stored comes back, and what is sent is canonical.

use serde_json::json;

use super::{
    ChatMessage, Effort, ModelAnswer, ModelRequest, ProviderFault, RequestFailure, Sampling, ToolCall, ToolSpec, Usage,
};

#[test]
fn asks_and_answers_read_back() {
    let call = ToolCall { id: "c".into(), name: "look".into(), arguments: "{\"a\": ".into() };
    let ask = ModelRequest {
        system: "s".into(),
        messages: vec![
            ChatMessage::user("u"),
            ChatMessage::Assistant { text: "a".into(), tool_calls: vec![call.clone()], carry: vec![json!({"x": 1})] },
            ChatMessage::Tool { call_id: "c".into(), name: "look".into(), text: "t".into() },
        ],
        tools: vec![ToolSpec { name: "look".into(), description: "d".into(), parameters: json!({}) }],
        sampling: Sampling { effort: Some(Effort::XHigh), no_think: true, ..Sampling::default() },
    };
    let read: ModelRequest = serde_json::from_slice(&ask.canonical()).expect("it was written just now");
    assert_eq!((read.canonical(), read), (ask.canonical(), ask));
    let answer = ModelAnswer {
        text: "a".into(),
        reasoning: Some("r".into()),
        tool_calls: vec![call],
        usage: Usage { input: 1, output: 2, reasoning: 3, cached: 4 },
        finish: "stop".into(),
        carry: vec![json!([1])],
    };
    let text = serde_json::to_string(&answer).expect("plain data");
    assert_eq!(serde_json::from_str::<ModelAnswer>(&text).expect("it was written just now"), answer);
}

#[test]
fn only_what_was_said_is_sent_and_recorded() {
    let check = |sampling: Sampling, expect: serde_json::Value| assert_eq!(json!(sampling.to_map()), expect);
    check(Sampling::default(), json!({}));
    let some = Sampling { temperature: Some(0.0), seed: Some(0), no_think: true, ..Sampling::default() };
    check(some.clone(), json!({"temperature": 0.0, "seed": 0, "no_think": true}));
    let usual = Sampling { temperature: Some(1.0), max_tokens: Some(9), ..Sampling::default() };
    check(some.or(&usual), json!({"temperature": 0.0, "max_tokens": 9, "seed": 0, "no_think": true}));
    let extra = |name: &str, n: u32| Sampling { extra: [(name.to_string(), json!(n))].into(), ..Sampling::default() };
    check(extra("a", 1).or(&extra("a", 2)), json!({"extra": {"a": 1}}));
    check(extra("a", 1).or(&extra("b", 2)), json!({"extra": {"a": 1, "b": 2}}));
}

#[test]
fn efforts_are_read_by_their_words() {
    for effort in Effort::ALL {
        assert_eq!(effort.word().to_uppercase().parse(), Ok(*effort));
        assert_eq!(json!(effort), json!(effort.word()));
    }
    assert!("none".parse::<Effort>().is_err_and(|problem| problem.ends_with("minimal, low, medium, high, xhigh, max")));
}

#[test]
fn failures_are_short_and_on_one_line() {
    let check = |message: &str, expect: &str| {
        assert_eq!(
            RequestFailure::new(ProviderFault::ServerError, message).at(503).to_string(),
            format!("503: {expect}")
        );
    };
    check("busy\n  now", "busy now");
    check("key sk-abcdef0123 is wrong", "key [hidden] is wrong");
    check("(AKIAIOSFODNN7EXAMPLE)", "[hidden]");
    check("the disk-full task-list is fine", "the disk-full task-list is fine");
    check(&"é".repeat(400), &format!("{}...", "é".repeat(300)));
    for fault in ProviderFault::ALL {
        use ProviderFault::{Authentication, ContextTooLong, Filtered, Refused};
        let lasting = matches!(fault, Authentication | Filtered | ContextTooLong | Refused);
        assert_eq!(RequestFailure::new(fault, "x").retryable, !lasting, "{fault}");
    }
}
