//! What models write, and the action in it. Each case is an output and what is taken from it: the
//! text of the action, with `+N` before it if N others stood behind, or `-` if there is none.

use super::{Extracted, extract};

const TOOLS: &[&str] = &[
    "inspect_logs",
    "inspect_metrics",
    "check_status",
    "inspect_config",
    "restart_service",
    "update_config",
    "resolve_incident",
    "escalate",
    "list_changes",
];

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (output, expect) in cases {
        let shown = match extract(output, TOOLS) {
            Extracted::Found { text, more: 0 } => text,
            Extracted::Found { text, more } => format!("+{more} {text}"),
            Extracted::NotFound => "-".to_string(),
        };
        assert_eq!(shown, *expect, "\n{output}\n");
    }
}

#[test]
fn plain_calls() {
    check(&[
        ("inspect_logs(cache)", "inspect_logs(cache)"),
        ("  inspect_logs(cache)\n", "inspect_logs(cache)"),
        ("inspect_logs(cache).", "inspect_logs(cache)"),
        ("inspect_logs(service=\"cache\");", "inspect_logs(service=\"cache\")"),
        ("list_changes()", "list_changes()"),
        ("Inspect_Logs (cache)", "Inspect_Logs (cache)"),
        ("inspect\\_logs(web\\_server)", "inspect_logs(web_server)"),
        ("`inspect_logs(cache)`", "inspect_logs(cache)"),
        ("**inspect_logs(cache)**", "inspect_logs(cache)"),
        ("> inspect_logs(cache)", "inspect_logs(cache)"),
        ("- inspect_logs(cache)", "inspect_logs(cache)"),
        ("1. inspect_logs(cache)", "inspect_logs(cache)"),
        (">>> inspect_logs(\"cache\")", "inspect_logs(\"cache\")"),
        ("[inspect_logs(service=\"cache\")]", "inspect_logs(service=\"cache\")"),
        ("print(default_api.inspect_logs(service=\"cache\"))", "inspect_logs(service=\"cache\")"),
        ("functions.inspect_logs(service=\"cache\")", "inspect_logs(service=\"cache\")"),
        (
            "resolve_incident(\n    root_cause=\"the pool was cut to 5\",\n    fix=\"set DB_POOL_SIZE back to 50\",\n)",
            "resolve_incident(\n    root_cause=\"the pool was cut to 5\",\n    fix=\"set DB_POOL_SIZE back to 50\",\n)",
        ),
        ("escalate(\"I can't tell (yet), sorry\")", "escalate(\"I can't tell (yet), sorry\")"),
        ("escalate(I can't tell, sorry (really))", "escalate(I can't tell, sorry (really))"),
        (
            "escalate(reason=\"inspect_logs(cache) shows nothing\")",
            "escalate(reason=\"inspect_logs(cache) shows nothing\")",
        ),
    ]);
}

#[test]
fn prose_around_a_call() {
    check(&[
        ("I will look at the logs first.\n\ninspect_logs(cache)", "inspect_logs(cache)"),
        ("inspect_logs(cache)\n\nThis will show whether the cache is evicting keys.", "inspect_logs(cache)"),
        ("inspect_logs(cache) to see what is going on.", "inspect_logs(cache)"),
        ("Let me run inspect_logs(cache) to see what is going on.", "inspect_logs(cache)"),
        ("Let's check `inspect_metrics(database)` next.", "inspect_metrics(database)"),
        (
            "Sure! Here is my next action:\n\n`check_status(web_server)`\n\nLet me know what you see.",
            "check_status(web_server)",
        ),
        ("The p95 is high (2300 ms) and hits fall (see above). inspect_config(cache)", "inspect_config(cache)"),
        ("The hit rate fell after 10:02 (deploy?).\n\n→ list_changes()", "list_changes()"),
    ]);
}

#[test]
fn markdown() {
    check(&[
        ("```\ninspect_logs(cache)\n```", "inspect_logs(cache)"),
        ("```python\ninspect_logs(\"cache\")\n```", "inspect_logs(\"cache\")"),
        ("```json\n{\"action\": \"inspect_logs\", \"service\": \"cache\"}\n```", "inspect_logs(service=\"cache\")"),
        ("```inspect_logs(cache)```", "inspect_logs(cache)"),
        ("```tool_code\nprint(inspect_logs(service='cache'))\n```", "inspect_logs(service='cache')"),
        (
            "Plan:\n- inspect_logs(cache)\n- restart_service(cache)\n\n```\ninspect_metrics(cache)\n```",
            "inspect_metrics(cache)",
        ),
        ("### Action\n\n```\nrestart_service(cache)\n```\n\nThis clears the stuck workers.", "restart_service(cache)"),
        ("```bash\n# look at the logs first\ninspect_logs(cache)\n```", "inspect_logs(cache)"),
        ("```\ninspect_logs(cache)", "inspect_logs(cache)"),
        (
            "Logs:\n```\n10:02 ERROR pool exhausted (50/50)\n```\nNext: inspect_config(database)",
            "inspect_config(database)",
        ),
    ]);
}

#[test]
fn markers() {
    check(&[
        ("Action: inspect_logs(cache)", "inspect_logs(cache)"),
        ("action: inspect_logs(cache)", "inspect_logs(cache)"),
        ("**Action:** inspect_logs(cache)", "inspect_logs(cache)"),
        ("**Action**: `inspect_logs(cache)`", "inspect_logs(cache)"),
        ("Action 3: inspect_logs(cache)", "inspect_logs(cache)"),
        ("Next action: inspect_logs(cache)", "inspect_logs(cache)"),
        ("Action：inspect_logs(cache)", "inspect_logs(cache)"),
        ("Action:\n```\ninspect_logs(cache)\n```", "inspect_logs(cache)"),
        ("Action:\n\n{\"action\": \"check_status\", \"service\": \"cache\"}", "check_status(service=\"cache\")"),
        (
            "Thought: The pool looks exhausted. I should read the settings.\nAction: inspect_config(database)",
            "inspect_config(database)",
        ),
        (
            "Thought: restart_service(cache) would lose the evidence.\nAction: inspect_logs(cache)",
            "inspect_logs(cache)",
        ),
        (
            "Thought: logs first\nAction: inspect_logs\nAction Input: {\"service\": \"cache\"}",
            "inspect_logs(service=\"cache\")",
        ),
        ("Thought: logs first\nAction: inspect_logs\nAction Input: cache", "inspect_logs(\"cache\")"),
        (
            "Action: `list_changes()`\nObservation: nothing changed\nThought: odd\nAction: inspect_logs(cache)",
            "+1 list_changes()",
        ),
        ("Action: I will look at the settings: inspect_config(cache)", "inspect_config(cache)"),
        ("Action: drop_table(users)", "drop_table(users)"),
        ("Action: inspect_logs cache", "inspect_logs cache"),
        ("Action: wait for more data", "-"),
        ("Tool: inspect_logs\nArguments: {\"service\": \"cache\"}", "inspect_logs(service=\"cache\")"),
        (
            "Action: resolve_incident(root_cause=\"leak: 5 \"stuck\" connections\", fix=\"restart\")",
            "resolve_incident(root_cause=\"leak: 5 \"stuck\" connections\", fix=\"restart\")",
        ),
    ]);
}

#[test]
fn objects() {
    check(&[
        (r#"{"action": "inspect_logs", "service": "cache"}"#, "inspect_logs(service=\"cache\")"),
        (
            r#"{"thought": "logs (first)", "action": "inspect_logs", "service": "cache"}"#,
            "inspect_logs(service=\"cache\")",
        ),
        (r#"{"thought": "x", "action": "inspect_logs(cache)"}"#, "inspect_logs(cache)"),
        (r#"{"tool": "inspect_logs", "args": {"service": "cache"}}"#, "inspect_logs(service=\"cache\")"),
        (r#"{"name": "inspect_logs", "arguments": {"service": "cache"}}"#, "inspect_logs(service=\"cache\")"),
        (r#"{"name": "inspect_logs", "parameters": {"service": "cache"}}"#, "inspect_logs(service=\"cache\")"),
        (r#"{"name": "inspect_logs", "arguments": "{\"service\": \"cache\"}"}"#, "inspect_logs(service=\"cache\")"),
        (r#"{"action": "inspect_logs", "action_input": "cache"}"#, "inspect_logs(\"cache\")"),
        (r#"{"action": {"tool": "inspect_logs", "service": "cache"}}"#, "inspect_logs(service=\"cache\")"),
        (
            r#"{"function": {"name": "inspect_logs", "arguments": {"service": "cache"}}}"#,
            "inspect_logs(service=\"cache\")",
        ),
        (r#"{"type":"function","function":{"name":"list_changes","arguments":"{}"}}"#, "list_changes()"),
        (
            r#"{"tool_calls": [{"function": {"name": "inspect_logs", "arguments": "{\"service\": \"cache\"}"}}]}"#,
            "inspect_logs(service=\"cache\")",
        ),
        (r#"[{"name": "inspect_logs", "arguments": {"service": "cache"}}]"#, "inspect_logs(service=\"cache\")"),
        (r#"{"inspect_logs": {"service": "cache"}}"#, "inspect_logs(service=\"cache\")"),
        (
            r#"{"tool_name": "update_config", "tool_input": {"service": "cache", "key": "TTL_SECONDS", "value": 300}}"#,
            "update_config(key=\"TTL_SECONDS\", service=\"cache\", value=300)",
        ),
        (
            r#"{"action": "escalate", "reason": "he said \"no\"\nand left"}"#,
            "escalate(reason=\"he said \\\"no\\\"\\nand left\")",
        ),
        (r#"{"action": "inspect_config", "service": "cache", "key": null}"#, "inspect_config(service=\"cache\")"),
        ("{'action': 'inspect_logs', 'service': 'cache'}", "inspect_logs(service=\"cache\")"),
        ("{action: inspect_logs, service: cache}", "inspect_logs(service=\"cache\")"),
        ("{\"action\": \"inspect_logs\", \"service\": \"cache\",}", "inspect_logs(service=\"cache\")"),
        ("{“action”: “inspect_logs”, “service”: “cache”}", "inspect_logs(service=\"cache\")"),
        ("{\"action\": \"inspect_logs\", // look first\n \"service\": \"cache\"}", "inspect_logs(service=\"cache\")"),
        (
            "Here is the call:\n{\"action\": \"inspect_logs\", \"service\": \"cache\"}\nIt shows the errors.",
            "inspect_logs(service=\"cache\")",
        ),
        (
            "The limits are {\"max\": 5}. {\"action\": \"check_status\", \"service\": \"cache\"}",
            "check_status(service=\"cache\")",
        ),
        (r#"{"action": "reboot", "service": "cache"}"#, "reboot(service=\"cache\")"),
        (r#"{"service": "cache", "ttl": 5}"#, "-"),
        (r#"{"action": "inspect_logs", "service": "cac"#, "-"),
    ]);
}

#[test]
fn tags_and_tokens() {
    check(&[
        (
            "<tool_call>\n{\"name\": \"inspect_logs\", \"arguments\": {\"service\": \"cache\"}}\n</tool_call>",
            "inspect_logs(service=\"cache\")",
        ),
        ("<function=inspect_logs>{\"service\": \"cache\"}</function>", "inspect_logs(service=\"cache\")"),
        (
            "<tool_call>\n<function=inspect_logs>\n<parameter=service>\ncache\n</parameter>\n</function>\n</tool_call>",
            "inspect_logs(service=\"cache\")",
        ),
        (
            "<function_calls>\n<invoke name=\"inspect_logs\">\n<parameter name=\"service\">cache</parameter>\n</invoke>\n</function_calls>",
            "inspect_logs(service=\"cache\")",
        ),
        ("<inspect_logs>\n<service>cache</service>\n</inspect_logs>", "inspect_logs(service=\"cache\")"),
        ("<action>inspect_logs(cache)</action>", "inspect_logs(cache)"),
        (
            "<tool><name>inspect_logs</name><arguments><service>cache</service></arguments></tool>",
            "inspect_logs(service=\"cache\")",
        ),
        ("<|python_tag|>inspect_logs(service=\"cache\")<|eom_id|>", "inspect_logs(service=\"cache\")"),
        (
            "[TOOL_CALLS][{\"name\": \"inspect_logs\", \"arguments\": {\"service\": \"cache\"}}]",
            "inspect_logs(service=\"cache\")",
        ),
        (
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>inspect_logs\n```json\n{\"service\": \"cache\"}\n```<｜tool▁call▁end｜>",
            "inspect_logs(service=\"cache\")",
        ),
        (
            "<|channel|>analysis<|message|>restart_service(cache)? No.<|end|><|start|>assistant<|channel|>final<|message|>inspect_logs(cache)",
            "inspect_logs(cache)",
        ),
    ]);
}

#[test]
fn thoughts() {
    check(&[
        (
            "<think>Maybe restart_service(cache)? No, first the logs.</think>\n\ninspect_logs(cache)",
            "inspect_logs(cache)",
        ),
        ("<thinking>restart_service(cache)</thinking>inspect_logs(cache)", "inspect_logs(cache)"),
        ("Okay, so restart_service(cache) would be rash.\n</think>\n\ninspect_logs(cache)", "inspect_logs(cache)"),
        ("<think>I would say inspect_logs(cache), but", "-"),
        ("<think>inspect_logs(cache)</think>", "-"),
        ("<THINK>no</THINK>Action: inspect_logs(cache)", "inspect_logs(cache)"),
    ]);
}

#[test]
fn several_calls() {
    check(&[
        ("inspect_logs(cache)\ninspect_metrics(cache)", "+1 inspect_logs(cache)"),
        ("1. inspect_logs(cache)\n2. inspect_config(cache)\n3. restart_service(cache)", "+2 inspect_logs(cache)"),
        ("inspect_logs(cache); inspect_logs(cache)", "inspect_logs(cache)"),
        ("Action: inspect_logs(cache)\n\n```\ninspect_logs(\"cache\")\n```", "inspect_logs(cache)"),
        (
            r#"{"action": "inspect_logs", "service": "cache"} {"action": "list_changes"}"#,
            "+1 inspect_logs(service=\"cache\")",
        ),
        (
            "{\"action\": \"inspect_logs\", \"service\": \"cache\"}\nthat is, inspect_logs(cache)",
            "inspect_logs(service=\"cache\")",
        ),
        (
            "resolve_incident(root_cause=\"x\", fix=\"restart_service(cache)\")",
            "resolve_incident(root_cause=\"x\", fix=\"restart_service(cache)\")",
        ),
    ]);
}

#[test]
fn typography() {
    check(&[
        ("inspect_logs(“cache”)", "inspect_logs(\"cache\")"),
        ("inspect_logs(‘cache’)", "inspect_logs('cache')"),
        ("escalate(“it’s odd, really”)", "escalate(\"it’s odd, really\")"),
        ("escalate(\"the “pool” is full\")", "escalate(\"the “pool” is full\")"),
        ("inspect_logs(\u{a0}cache)", "inspect_logs( cache)"),
        ("escalate(&quot;no idea&quot;)", "escalate(\"no idea\")"),
    ]);
}

#[test]
fn nothing_to_find() {
    check(&[
        ("", "-"),
        ("   \n", "-"),
        ("I would look at the logs of the cache first.", "-"),
        ("I'm sorry, but I can't help with that.", "-"),
        ("The average (over 5 minutes) is 3 (three).", "-"),
        ("max(1, 2)", "-"),
        ("We should use inspect_logs to see more.", "-"),
        ("inspect_logs", "inspect_logs"),
        ("```\nsleep_ms(500)\n```\nThen inspect_logs(cache).", "inspect_logs(cache)"),
        ("restart_cache(now)", "restart_cache(now)"),
        ("```\n\n```", "-"),
        (&"{".repeat(50_000), "-"),
        (&"{\"a\":".repeat(20_000), "-"),
        (&"[{".repeat(20_000), "-"),
        (&"(".repeat(50_000), "-"),
        ("<<<<", "-"),
        ("((((((", "-"),
    ]);
}

/// Whatever a model writes, looking for an action in it ends, and ends without a panic.
#[test]
fn any_text_can_be_searched() {
    use proptest::prelude::*;
    let piece = prop_oneof![
        Just("inspect_logs("),
        Just("Action:"),
        Just("```"),
        Just("{\"action\":"),
        Just("<think>"),
        Just("</think>"),
        Just("<function="),
        Just("<invoke name="),
        Just("\""),
        Just("'"),
        Just(")"),
        Just("}"),
        Just("\n"),
        Just("“"),
        Just("é"),
        Just("\\"),
        Just("<|"),
        Just("|>"),
        Just("｜"),
        Just("cache"),
        Just(","),
        Just(": "),
        Just("["),
    ];
    let text = prop::collection::vec(prop_oneof![piece.prop_map(str::to_string), ".{0,4}"], 0..24);
    proptest!(|(parts in text)| {
        let text = parts.concat();
        if let Extracted::Found { text, .. } = extract(&text, TOOLS) {
            prop_assert!(!text.trim().is_empty());
        }
    });
}
