//! Laws of the runbook: no text, however odd, makes it stumble.

use std::sync::Arc;

use harness::{AgentKind, AnswerKey, Brief, ExchangeLog, Move, Start, ToolDoc, ToolSet, Turn};
use proptest::prelude::*;

use super::{Runbook, reading};

fn brief(page: &str, history: bool) -> Brief {
    let tool = ToolDoc::of(ToolSet::FULL.find("list_changes").expect("a tool"), &[]);
    Brief {
        incident: "INC-1".into(),
        text: String::new(),
        page: page.into(),
        services: ["load_balancer", "web_server", "cache", "database"].map(String::from).to_vec(),
        tools: if history { vec![tool] } else { Vec::new() },
        steps: 8,
        toolset: ToolSet::CLASSIC,
        messages: None,
    }
}

/// Text that looks like an observation, more or less.
fn observation() -> impl Strategy<Value = String> {
    let bits = prop::sample::select(vec![
        "cache is ",
        "down at",
        "12:00:00 ERROR ",
        "12:00:00 WARN  ",
        "database.internal ",
        "\n",
        "  ",
        "all 40 workers busy",
        "MAX_WORKERS  40  workers",
        "TTL_SECONDS  0  life",
        "TTL  18446744073709551615  x",
        "A_HOST  cache-x.y  z",
        "X_PATH  /x  y",
        "é",
        "instances\n",
        "  cache-1: not running",
        "notes\n",
        "1 of 9 workers",
        "set A from 1 to 2",
        ".",
        "",
    ]);
    prop_oneof![any::<String>(), prop::collection::vec(bits, 0..40).prop_map(|bits| bits.concat())]
}

proptest! {
    #[test]
    fn any_text_can_be_read(text in observation()) {
        reading::metrics(&text);
        reading::logs(&text);
        reading::settings(&text);
        reading::status(&text);
        reading::changes(&text);
        reading::page(&text, &["cache".to_string()]);
    }

    #[test]
    fn any_answer_can_be_followed(page in observation(), answers in prop::collection::vec(observation(), 8), history: bool) {
        let brief = brief(&page, history);
        let mut agent = Runbook.start(&brief, Start { seed: 0, key: &AnswerKey::default(), memory: Arc::default(), exchanges: ExchangeLog::in_memory() });
        for (step, observation) in (1..).zip(&answers) {
            let turn = Turn { brief: &brief, observation, invalid: false, step, steps_left: 9 - step };
            prop_assert!(matches!(agent.act(&turn), Move::Act(saying) if !saying.text.is_empty()));
        }
    }
}
