//! What others read of an episode, to the letter.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::stage::{modelled, only, parse, unzip};

fn check(value: &Value, expect: Expect) {
    expect.assert_eq(&serde_json::to_string_pretty(value).expect("it is JSON"));
}

#[test]
fn a_conversation_has_native_calls() {
    let line = parse(&only("chat", modelled("react@p/m", "secret", 0)));
    check(
        &line["messages"],
        expect![[r#"
        [
          {
            "content": "You are the engineer on call for a company's services. Work on the incident with the tools, one call at a time: look before you change anything, change only what the evidence points to, check that it helped, and close the incident when it is over.",
            "role": "system"
          },
          {
            "content": "INC-1: you have been paged.\n\nServices: web, cache.\nFind the cause.",
            "role": "user"
          },
          {
            "content": "Is it up?",
            "role": "assistant",
            "tool_calls": [
              {
                "function": {
                  "arguments": "{\"service\":\"cache\"}",
                  "name": "check_status"
                },
                "id": "call_1",
                "type": "function"
              }
            ]
          },
          {
            "content": "cache: down",
            "role": "tool",
            "tool_call_id": "call_1"
          },
          {
            "content": "Let me think.",
            "role": "assistant"
          },
          {
            "content": "error: no action",
            "role": "user"
          },
          {
            "content": null,
            "role": "assistant",
            "tool_calls": [
              {
                "function": {
                  "arguments": "{\"fix\":\"restarted it\",\"root_cause\":\"the cache crashed\"}",
                  "name": "resolve_incident"
                },
                "id": "call_3",
                "type": "function"
              }
            ]
          }
        ]"#]],
    );
    let names: Vec<&Value> = line["tools"].as_array().expect("tools").iter().map(|t| &t["function"]["name"]).collect();
    assert_eq!(names.len(), 8);
    assert_eq!(line["tools"][0]["function"]["parameters"]["properties"]["service"]["enum"], json!(["web", "cache"]));
    assert_eq!(line.as_object().map(|line| line.len()), Some(2), "messages, tools and nothing else");
}

#[test]
fn a_trajectory_has_harbors_shape() {
    let mut trajectory = parse(&only("atif", modelled("react@p/m", "a", 0)));
    assert_eq!(trajectory["agent"]["tool_definitions"].as_array().map(Vec::len), Some(8));
    trajectory["agent"]["tool_definitions"] = json!("left out here");
    assert_eq!(trajectory["extra"]["score"]["task"], "a");
    trajectory["extra"]["score"] = json!("left out here");
    trajectory["trajectory_id"] = json!("left out here");
    check(
        &trajectory,
        expect![[r#"
            {
              "agent": {
                "extra": {
                  "prompt": "react-1",
                  "sampling": {}
                },
                "model_name": "p/m",
                "name": "react@p/m",
                "tool_definitions": "left out here",
                "version": "0.1.0"
              },
              "extra": {
                "incident": "INC-1",
                "noise": 0,
                "provider_failure": null,
                "record_version": 3,
                "score": "left out here",
                "suite_version": 1,
                "task": "a",
                "tools": "classic",
                "world_version": 1
              },
              "final_metrics": {
                "extra": {
                  "reward": 0.6625,
                  "steps": 3,
                  "success": true
                },
                "total_cached_tokens": 180,
                "total_completion_tokens": 30,
                "total_cost_usd": 0.75,
                "total_prompt_tokens": 300,
                "total_steps": 4
              },
              "notes": "Timestamps are those of the simulated clock; nothing in this file depends on the day it was made.",
              "schema_version": "ATIF-v1.7",
              "session_id": "react@p/m/a/0",
              "steps": [
                {
                  "message": "INC-1: you have been paged.\n\nServices: web, cache.\nFind the cause.",
                  "source": "user",
                  "step_id": 1,
                  "timestamp": "1970-01-01T12:00:00.000+00:00"
                },
                {
                  "extra": {
                    "reward": 0.0,
                    "took_ms": 30000
                  },
                  "llm_call_count": 1,
                  "message": "Is it up?\nAction: check_status(cache)",
                  "metrics": {
                    "cached_tokens": 60,
                    "completion_tokens": 10,
                    "cost_usd": 0.25,
                    "extra": {
                      "reasoning_tokens": 4
                    },
                    "prompt_tokens": 100
                  },
                  "observation": {
                    "results": [
                      {
                        "content": "cache: down",
                        "source_call_id": "call_1"
                      }
                    ]
                  },
                  "reasoning_content": "The page says down.",
                  "source": "agent",
                  "step_id": 2,
                  "timestamp": "1970-01-01T12:00:00.000+00:00",
                  "tool_calls": [
                    {
                      "arguments": {
                        "service": "cache"
                      },
                      "function_name": "check_status",
                      "tool_call_id": "call_1"
                    }
                  ]
                },
                {
                  "extra": {
                    "invalid": "no action",
                    "reward": 0.0,
                    "took_ms": 30000
                  },
                  "llm_call_count": 1,
                  "message": "Let me think.",
                  "metrics": {
                    "cached_tokens": 60,
                    "completion_tokens": 10,
                    "cost_usd": 0.25,
                    "extra": {
                      "reasoning_tokens": 4
                    },
                    "prompt_tokens": 100
                  },
                  "observation": {
                    "results": [
                      {
                        "content": "error: no action"
                      }
                    ]
                  },
                  "source": "agent",
                  "step_id": 3,
                  "timestamp": "1970-01-01T12:00:30.000+00:00"
                },
                {
                  "extra": {
                    "reward": 0.5,
                    "took_ms": 30000
                  },
                  "llm_call_count": 1,
                  "message": "resolve_incident(\"the cache crashed\", \"restarted it\")",
                  "metrics": {
                    "cached_tokens": 60,
                    "completion_tokens": 10,
                    "cost_usd": 0.25,
                    "extra": {
                      "reasoning_tokens": 4
                    },
                    "prompt_tokens": 100
                  },
                  "observation": {
                    "results": [
                      {
                        "content": "closed",
                        "source_call_id": "call_3"
                      }
                    ]
                  },
                  "source": "agent",
                  "step_id": 4,
                  "timestamp": "1970-01-01T12:01:00.000+00:00",
                  "tool_calls": [
                    {
                      "arguments": {
                        "fix": "restarted it",
                        "root_cause": "the cache crashed"
                      },
                      "function_name": "resolve_incident",
                      "tool_call_id": "call_3"
                    }
                  ]
                }
              ],
              "trajectory_id": "left out here"
            }"#]],
    );
}

#[test]
fn a_sample_has_inspects_shape() {
    let log = unzip(&only("inspect", modelled("react@p/m", "a", 7)));
    let names: Vec<&str> = log.keys().map(String::as_str).collect();
    let expected = "_journal/start.json _journal/summaries/1.json header.json samples/a_epoch_1.json summaries.json";
    assert_eq!(names, expected.split(' ').collect::<Vec<_>>());
    let mut sample = log["samples/a_epoch_1.json"].clone();
    sample["uuid"] = json!("left out here");
    sample["metadata"]["record"] = json!("left out here");
    check(
        &sample,
        expect![[r#"
            {
              "completed_at": "1970-01-01T12:01:30.000+00:00",
              "epoch": 1,
              "id": "a",
              "input": "INC-1: you have been paged.\n\nServices: web, cache.\nFind the cause.",
              "messages": [
                {
                  "content": "INC-1: you have been paged.\n\nServices: web, cache.\nFind the cause.",
                  "role": "user",
                  "source": "input"
                },
                {
                  "content": [
                    {
                      "reasoning": "The page says down.",
                      "type": "reasoning"
                    },
                    {
                      "text": "Is it up?\nAction: check_status(cache)",
                      "type": "text"
                    }
                  ],
                  "model": "p/m",
                  "role": "assistant",
                  "source": "generate",
                  "tool_calls": [
                    {
                      "arguments": {
                        "service": "cache"
                      },
                      "function": "check_status",
                      "id": "call_1",
                      "type": "function"
                    }
                  ]
                },
                {
                  "content": "cache: down",
                  "function": "check_status",
                  "role": "tool",
                  "tool_call_id": "call_1"
                },
                {
                  "content": "Let me think.",
                  "model": "p/m",
                  "role": "assistant",
                  "source": "generate"
                },
                {
                  "content": "error: no action",
                  "role": "user"
                },
                {
                  "content": "resolve_incident(\"the cache crashed\", \"restarted it\")",
                  "model": "p/m",
                  "role": "assistant",
                  "source": "generate",
                  "tool_calls": [
                    {
                      "arguments": {
                        "fix": "restarted it",
                        "root_cause": "the cache crashed"
                      },
                      "function": "resolve_incident",
                      "id": "call_3",
                      "type": "function"
                    }
                  ]
                },
                {
                  "content": "closed",
                  "function": "resolve_incident",
                  "role": "tool",
                  "tool_call_id": "call_3"
                }
              ],
              "metadata": {
                "budget": 8,
                "cluster": "kind of a of cache",
                "component": "cache",
                "difficulty": "easy",
                "end": "resolved",
                "ending": "resolved",
                "failure_mode": "success",
                "family": "kind of a",
                "incident": "INC-1",
                "noise": 0,
                "record": "left out here",
                "repeat": 0,
                "seed": 7,
                "split": "train",
                "steps": 3,
                "task": "a",
                "tools": "classic"
              },
              "model_usage": {
                "p/m": {
                  "input_tokens": 120,
                  "input_tokens_cache_read": 180,
                  "output_tokens": 30,
                  "reasoning_tokens": 12,
                  "total_cost": 0.75,
                  "total_tokens": 330
                }
              },
              "output": {
                "choices": [
                  {
                    "message": {
                      "content": "resolve_incident(\"the cache crashed\", \"restarted it\")",
                      "model": "p/m",
                      "role": "assistant",
                      "source": "generate",
                      "tool_calls": [
                        {
                          "arguments": {
                            "fix": "restarted it",
                            "root_cause": "the cache crashed"
                          },
                          "function": "resolve_incident",
                          "id": "call_3",
                          "type": "function"
                        }
                      ]
                    },
                    "stop_reason": "tool_calls"
                  }
                ],
                "model": "p/m"
              },
              "scores": {
                "clean": {
                  "explanation": "1 if nothing unrelated was left changed where it healed",
                  "value": 1.0
                },
                "efficiency": {
                  "explanation": "share of the budget left at a success",
                  "value": 0.625
                },
                "evidence": {
                  "explanation": "share of the evidence that was seen",
                  "value": 1.0
                },
                "evidence_before_fix": {
                  "explanation": "share of the evidence seen before the fix held",
                  "value": 1.0
                },
                "healed": {
                  "explanation": "1 if the defect is gone and users are served",
                  "value": 1.0
                },
                "invalid_actions": {
                  "explanation": "steps that were no valid action",
                  "value": 1.0
                },
                "minutes_to_resolution": {
                  "explanation": "simulated minutes from the page to the resolution",
                  "value": 1.5
                },
                "remediation": {
                  "explanation": "the fix held at the end",
                  "value": 0.0
                },
                "reward": {
                  "explanation": "the reward, between 0 and 1",
                  "value": 0.6625
                },
                "root_cause": {
                  "explanation": "the diagnosis was right",
                  "value": 1.0
                },
                "steps": {
                  "explanation": "steps taken",
                  "value": 3.0
                },
                "success": {
                  "answer": "resolve_incident(\"the cache crashed\", \"restarted it\")",
                  "explanation": "resolved",
                  "metadata": {
                    "checks": [
                      {
                        "found": "gone",
                        "name": "defect",
                        "ok": true
                      }
                    ],
                    "parts": {
                      "coverage": 1.0,
                      "efficiency": 0.625,
                      "penalty": 5,
                      "remediation": false,
                      "resolution": true,
                      "root_cause": true
                    }
                  },
                  "value": "C"
                },
                "wrong_remediations": {
                  "explanation": "changes that brought the fix no nearer",
                  "value": 0.0
                }
              },
              "started_at": "1970-01-01T12:00:00.000+00:00",
              "target": "the cache died",
              "total_time": 90.0,
              "uuid": "left out here",
              "working_time": 90.0
            }"#]],
    );
}
