//! What is sent: one conversation in every wire format, and each setting in every dialect.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::{CANARY, target};
use crate::model::{ChatMessage, Effort, HttpRequest, ModelRequest, Sampling, ToolCall, ToolSpec, UnixSeconds};

const NOW: UnixSeconds = UnixSeconds(1_440_938_160);

/// A conversation with everything in it.
fn talk() -> ModelRequest {
    let call = ToolCall { id: "c1".into(), name: "look".into(), arguments: r#"{"service":"cache"}"#.into() };
    ModelRequest {
        system: "Be brief.".into(),
        messages: vec![
            ChatMessage::user("brief"),
            ChatMessage::Assistant { text: "hm".into(), tool_calls: vec![call], carry: Vec::new() },
            ChatMessage::Tool { call_id: "c1".into(), name: "look".into(), text: "seen".into() },
        ],
        tools: vec![ToolSpec {
            name: "look".into(),
            description: "looks".into(),
            parameters: json!({"type": "object", "properties": {"service": {"type": "string"}}, "required": ["service"]}),
        }],
        sampling: Sampling { temperature: Some(0.5), max_tokens: Some(64), ..Sampling::default() },
    }
}

fn shown(request: &HttpRequest) -> String {
    let body: Value = serde_json::from_slice(&request.body).expect("bodies are JSON");
    let mut out = format!("{:?}", HttpRequest { body: Vec::new(), ..request.clone() });
    for (name, value) in body.as_object().expect("bodies are objects") {
        out += &format!("  {name}: {value}\n");
    }
    out
}

fn check(provider: &str, expect: Expect) {
    expect.assert_eq(&shown(&target(provider).request(&talk(), NOW)));
}

#[test]
fn chat_completions() {
    check(
        "openai",
        expect![[r#"
        POST https://api.openai.com/v1/chat/completions
        content-type: application/json
        accept: application/json
        authorization: [hidden]
          max_completion_tokens: 64
          messages: [{"content":"Be brief.","role":"system"},{"content":"brief","role":"user"},{"content":"hm","role":"assistant","tool_calls":[{"function":{"arguments":"{\"service\":\"cache\"}","name":"look"},"id":"c1","type":"function"}]},{"content":"seen","role":"tool","tool_call_id":"c1"}]
          model: "some-model"
          temperature: 0.5
          tools: [{"function":{"description":"looks","name":"look","parameters":{"properties":{"service":{"type":"string"}},"required":["service"],"type":"object"}},"type":"function"}]
    "#]],
    );
}

#[test]
fn responses() {
    check(
        "openai-responses",
        expect![[r#"
        POST https://api.openai.com/v1/responses
        content-type: application/json
        accept: application/json
        authorization: [hidden]
          include: ["reasoning.encrypted_content"]
          input: [{"content":"brief","role":"user"},{"content":"hm","role":"assistant"},{"arguments":"{\"service\":\"cache\"}","call_id":"c1","name":"look","type":"function_call"},{"call_id":"c1","output":"seen","type":"function_call_output"}]
          instructions: "Be brief."
          max_output_tokens: 64
          model: "some-model"
          store: false
          temperature: 0.5
          tools: [{"description":"looks","name":"look","parameters":{"properties":{"service":{"type":"string"}},"required":["service"],"type":"object"},"strict":false,"type":"function"}]
    "#]],
    );
}

#[test]
fn messages() {
    check(
        "anthropic",
        expect![[r#"
        POST https://api.anthropic.com/v1/messages
        content-type: application/json
        accept: application/json
        x-api-key: [hidden]
        anthropic-version: 2023-06-01
          max_tokens: 64
          messages: [{"content":[{"text":"brief","type":"text"}],"role":"user"},{"content":[{"text":"hm","type":"text"},{"id":"c1","input":{"service":"cache"},"name":"look","type":"tool_use"}],"role":"assistant"},{"content":[{"content":"seen","tool_use_id":"c1","type":"tool_result"}],"role":"user"}]
          model: "some-model"
          system: "Be brief."
          temperature: 0.5
          tools: [{"description":"looks","input_schema":{"properties":{"service":{"type":"string"}},"required":["service"],"type":"object"},"name":"look"}]
    "#]],
    );
}

#[test]
fn converse() {
    check(
        "bedrock",
        expect![[r#"
        POST https://bedrock-runtime.eu-central-1.amazonaws.com/model/some-model/converse
        content-type: application/json
        accept: application/json
        authorization: [hidden]
        x-amz-date: 20150830T123600Z
        x-amz-security-token: [hidden]
          inferenceConfig: {"maxTokens":64,"temperature":0.5}
          messages: [{"content":[{"text":"brief"}],"role":"user"},{"content":[{"text":"hm"},{"toolUse":{"input":{"service":"cache"},"name":"look","toolUseId":"c1"}}],"role":"assistant"},{"content":[{"toolResult":{"content":[{"text":"seen"}],"toolUseId":"c1"}}],"role":"user"}]
          system: [{"text":"Be brief."}]
          toolConfig: {"tools":[{"toolSpec":{"description":"looks","inputSchema":{"json":{"properties":{"service":{"type":"string"}},"required":["service"],"type":"object"}},"name":"look"}}]}
    "#]],
    );
}

#[test]
fn generate_content() {
    check(
        "gemini",
        expect![[r#"
        POST https://generativelanguage.googleapis.com/v1beta/models/some-model:generateContent
        content-type: application/json
        accept: application/json
        x-goog-api-key: [hidden]
          contents: [{"parts":[{"text":"brief"}],"role":"user"},{"parts":[{"text":"hm"},{"functionCall":{"args":{"service":"cache"},"name":"look"}}],"role":"model"},{"parts":[{"functionResponse":{"name":"look","response":{"output":"seen"}}}],"role":"user"}]
          generationConfig: {"maxOutputTokens":64,"temperature":0.5}
          systemInstruction: {"parts":[{"text":"Be brief."}]}
          tools: [{"functionDeclarations":[{"description":"looks","name":"look","parameters":{"properties":{"service":{"type":"string"}},"required":["service"],"type":"object"}}]}]
    "#]],
    );
}

/// The fields of a body that settings add to a bare question.
fn fields(provider: &str, sampling: Sampling) -> String {
    let ask =
        |sampling| ModelRequest { messages: vec![ChatMessage::user("hello")], sampling, ..ModelRequest::default() };
    let body = |sampling| -> Value {
        let request = target(provider).request(&ask(sampling), NOW);
        serde_json::from_slice(&request.body).expect("bodies are JSON")
    };
    let (bare, with) = (body(Sampling::default()), body(sampling));
    let added = with.as_object().expect("an object").iter().filter(|(name, value)| bare.get(*name) != Some(value));
    let added: Vec<String> = added.map(|(name, value)| format!("{name}={value}")).collect();
    added.join(" ")
}

#[test]
fn settings_cannot_change_who_is_asked_nor_what() {
    let check = |sampling: Sampling, expect: &str| {
        let problem = target("openai").check(&sampling).expect_err("it is refused");
        assert!(problem.contains(expect) && !problem.contains(CANARY), "{problem}");
    };
    let extra =
        |name: &str, value: &str| Sampling { extra: [(name.to_string(), json!(value))].into(), ..Sampling::default() };
    check(extra("model", "another"), "`model` is no setting");
    check(extra("messages", ""), "`messages` is no setting");
    check(extra("", "x"), "`` is no setting");
    check(extra("user", CANARY), "would be in every record");
    check(Sampling { temperature: Some(f64::NAN), ..Sampling::default() }, "temperature is a number");
    check(Sampling { temperature: Some(-1.0), ..Sampling::default() }, "temperature is a number");
    check(Sampling { top_p: Some(1.5), ..Sampling::default() }, "from 0 to 1");
}

#[test]
fn every_setting_has_a_place_or_is_refused() {
    let settings: Vec<(&str, Sampling)> = vec![
        ("temperature", Sampling { temperature: Some(0.0), ..Sampling::default() }),
        ("top_p", Sampling { top_p: Some(0.9), ..Sampling::default() }),
        ("max_tokens", Sampling { max_tokens: Some(9), ..Sampling::default() }),
        ("seed", Sampling { seed: Some(7), ..Sampling::default() }),
        ("effort", Sampling { effort: Some(Effort::Low), ..Sampling::default() }),
        ("thinking_tokens", Sampling { thinking_tokens: Some(1024), ..Sampling::default() }),
        ("no_think", Sampling { no_think: true, ..Sampling::default() }),
        ("extra", Sampling { extra: [("top_k".to_string(), json!(40))].into(), ..Sampling::default() }),
    ];
    let mut out = String::new();
    for provider in super::ALL {
        out += &format!("{}\n", provider.name);
        for (name, sampling) in &settings {
            let shown = match target(provider.name).check(sampling) {
                Ok(()) => fields(provider.name, sampling.clone()),
                Err(_) => "refused".to_string(),
            };
            assert!(!shown.is_empty(), "{} drops {name} without a word", provider.name);
            out += &format!("  {name}: {shown}\n");
        }
        let quiet = Sampling { effort: Some(Effort::High), exclude_reasoning: true, ..Sampling::default() };
        let shown = match target(provider.name).check(&quiet) {
            Ok(()) => fields(provider.name, quiet),
            Err(_) => "refused".to_string(),
        };
        out += &format!("  exclude_reasoning with effort: {shown}\n");
    }
    expect![[r#"
        openai
          temperature: temperature=0.0
          top_p: top_p=0.9
          max_tokens: max_completion_tokens=9
          seed: seed=7
          effort: reasoning_effort="low"
          thinking_tokens: refused
          no_think: reasoning_effort="none"
          extra: top_k=40
          exclude_reasoning with effort: refused
        openai-responses
          temperature: temperature=0.0
          top_p: top_p=0.9
          max_tokens: max_output_tokens=9
          seed: refused
          effort: reasoning={"effort":"low","summary":"auto"}
          thinking_tokens: refused
          no_think: reasoning={"effort":"none"}
          extra: top_k=40
          exclude_reasoning with effort: reasoning={"effort":"high"}
        anthropic
          temperature: temperature=0.0
          top_p: top_p=0.9
          max_tokens: max_tokens=9
          seed: refused
          effort: output_config={"effort":"low"} thinking={"type":"adaptive"}
          thinking_tokens: max_tokens=5120 thinking={"budget_tokens":1024,"type":"enabled"}
          no_think: thinking={"type":"disabled"}
          extra: top_k=40
          exclude_reasoning with effort: output_config={"effort":"high"} thinking={"display":"omitted","type":"adaptive"}
        bedrock
          temperature: inferenceConfig={"temperature":0.0}
          top_p: inferenceConfig={"topP":0.9}
          max_tokens: inferenceConfig={"maxTokens":9}
          seed: refused
          effort: additionalModelRequestFields={"reasoning_effort":"low"}
          thinking_tokens: additionalModelRequestFields={"thinking":{"budget_tokens":1024,"type":"enabled"}}
          no_think: additionalModelRequestFields={"thinking":{"type":"disabled"}}
          extra: top_k=40
          exclude_reasoning with effort: refused
        gemini
          temperature: generationConfig={"temperature":0.0}
          top_p: generationConfig={"topP":0.9}
          max_tokens: generationConfig={"maxOutputTokens":9}
          seed: generationConfig={"seed":7}
          effort: generationConfig={"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"low"}}
          thinking_tokens: generationConfig={"thinkingConfig":{"includeThoughts":true,"thinkingBudget":1024}}
          no_think: generationConfig={"thinkingConfig":{"thinkingBudget":0}}
          extra: top_k=40
          exclude_reasoning with effort: generationConfig={"thinkingConfig":{"includeThoughts":false,"thinkingLevel":"high"}}
        openrouter
          temperature: temperature=0.0
          top_p: top_p=0.9
          max_tokens: max_tokens=9
          seed: seed=7
          effort: reasoning={"effort":"low"}
          thinking_tokens: reasoning={"max_tokens":1024}
          no_think: reasoning={"enabled":false}
          extra: top_k=40
          exclude_reasoning with effort: reasoning={"effort":"high","exclude":true}
        groq
          temperature: temperature=0.0
          top_p: top_p=0.9
          max_tokens: max_completion_tokens=9
          seed: seed=7
          effort: reasoning_effort="low"
          thinking_tokens: refused
          no_think: reasoning_effort="none"
          extra: top_k=40
          exclude_reasoning with effort: include_reasoning=false reasoning_effort="high"
        vllm
          temperature: temperature=0.0
          top_p: top_p=0.9
          max_tokens: max_tokens=9
          seed: seed=7
          effort: reasoning_effort="low"
          thinking_tokens: refused
          no_think: chat_template_kwargs={"enable_thinking":false}
          extra: top_k=40
          exclude_reasoning with effort: include_reasoning=false reasoning_effort="high"
        ollama
          temperature: temperature=0.0
          top_p: top_p=0.9
          max_tokens: max_tokens=9
          seed: seed=7
          effort: reasoning_effort="low"
          thinking_tokens: refused
          no_think: reasoning_effort="none"
          extra: top_k=40
          exclude_reasoning with effort: refused
        lmstudio
          temperature: temperature=0.0
          top_p: top_p=0.9
          max_tokens: max_tokens=9
          seed: seed=7
          effort: reasoning_effort="low"
          thinking_tokens: refused
          no_think: messages=[{"content":"/no_think","role":"system"},{"content":"hello","role":"user"}]
          extra: top_k=40
          exclude_reasoning with effort: refused
        custom
          temperature: temperature=0.0
          top_p: top_p=0.9
          max_tokens: max_tokens=9
          seed: seed=7
          effort: reasoning_effort="low"
          thinking_tokens: refused
          no_think: messages=[{"content":"/no_think","role":"system"},{"content":"hello","role":"user"}]
          extra: top_k=40
          exclude_reasoning with effort: refused
        rehearsal
          temperature: temperature=0.0
          top_p: top_p=0.9
          max_tokens: max_tokens=9
          seed: seed=7
          effort: reasoning_effort="low"
          thinking_tokens: refused
          no_think: reasoning_effort="none"
          extra: top_k=40
          exclude_reasoning with effort: refused
    "#]].assert_eq(&out);
}

#[test]
fn bodies_depend_on_the_ask_alone() {
    for provider in super::ALL {
        let (one, other) = (target(provider.name), super::other_target(provider.name));
        let body = |target: &crate::model::Target, now| target.request(&talk(), UnixSeconds(now)).body;
        assert_eq!(body(&one, 1), body(&other, 2), "{}", provider.name);
    }
}

#[test]
fn fields_of_the_user_are_merged_over_ours() {
    let extra = [("generationConfig".to_string(), json!({"topK": 3, "temperature": 1.0}))].into();
    let sampling = Sampling { temperature: Some(0.0), top_p: Some(0.5), extra, ..Sampling::default() };
    let expect = r#"generationConfig={"temperature":1.0,"topK":3,"topP":0.5}"#;
    assert_eq!(fields("gemini", sampling), expect);
}

/// The path is encoded once for the request and once more for the signature.
#[test]
fn names_of_models_are_safe_in_paths() {
    let url = |name: &str| {
        let target = crate::model::Target::parse(name, &super::env()).unwrap_or_else(|problem| panic!("{problem}"));
        target.request(&talk(), NOW).url
    };
    let bedrock = "https://bedrock-runtime.eu-central-1.amazonaws.com/model";
    assert_eq!(url("bedrock/us.a.b-v1:0"), format!("{bedrock}/us.a.b-v1%3A0/converse"));
    let arn = "arn:aws:bedrock:us-east-1:1:inference-profile/x";
    assert_eq!(
        url(&format!("bedrock/{arn}")),
        format!("{bedrock}/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fx/converse")
    );
    assert!(url("gemini/gemini-x?key=y").ends_with("/models/gemini-x%3Fkey%3Dy:generateContent"));
}

#[test]
fn results_of_one_turn_stand_side_by_side_where_turns_must_alternate() {
    let call = |id: &str| ToolCall { id: id.into(), name: "look".into(), arguments: "{}".into() };
    let result = |id: &str| ChatMessage::Tool { call_id: id.into(), name: "look".into(), text: "seen".into() };
    let called =
        ChatMessage::Assistant { text: String::new(), tool_calls: vec![call("a"), call("b")], carry: Vec::new() };
    let messages = vec![ChatMessage::user("brief"), called, result("a"), result("b")];
    let ask = ModelRequest { messages, ..ModelRequest::default() };
    let check = |provider: &str, turns: &str, parts: &str| {
        let body: Value = serde_json::from_slice(&target(provider).request(&ask, NOW).body).expect("bodies are JSON");
        let sizes: Vec<usize> = body[turns]
            .as_array()
            .expect("turns")
            .iter()
            .map(|turn| turn[parts].as_array().map_or(0, Vec::len))
            .collect();
        assert_eq!(sizes, [1, 2, 2], "{provider}");
    };
    check("anthropic", "messages", "content");
    check("bedrock", "messages", "content");
    check("gemini", "contents", "parts");
}
