//! Sweeps as the tests of the view see them.

use std::time::Duration;

use harness::{ProviderFault, Usage};

use super::snapshot::Snapshot;
use crate::sweeping::live::{LiveEvent, Traffic};

/// A sweep in its middle: two models, three episodes being played, so many messages.
pub fn middle(messages: u64) -> Snapshot {
    let calm = Traffic { calls: 40, answered: 38, took: Duration::from_millis(12_160), ..traffic(38) };
    let faults = [(ProviderFault::RateLimit, 12), (ProviderFault::Timeout, 3), (ProviderFault::EmptyReply, 3)];
    let rough = Traffic {
        calls: 61,
        answered: 42,
        took: Duration::from_secs(63),
        faults: faults.into(),
        trouble: Some("rate_limit: 429 too many requests: slow down".into()),
        missing: 1,
        ..traffic(42)
    };
    let mut sum = Traffic { calls: 101, answered: 80, cost: calm.cost + rough.cost, ..rough.clone() };
    sum.usage += calm.usage;
    Snapshot {
        what: "srezero-40: 4 agents x 40 tasks x 1 seed".to_string(),
        folder: "runs/srezero-40-3f2a".into(),
        elapsed: Duration::from_secs(75),
        left: Some(Duration::from_secs(250)),
        all: 160,
        skipped: 20,
        done: 24,
        successes: 19,
        missing: 1,
        failed: 1,
        running: ["react@here/calm/disk/7", "react@here/rough/disk/7", "tools@here/rough/cart/7-r1"]
            .iter()
            .zip([130, 62, 4])
            .map(|(key, age)| (key.to_string(), Duration::from_secs(age)))
            .collect(),
        targets: vec![("here/calm".to_string(), calm), ("here/rough".to_string(), rough)],
        sum,
        tail: (messages.saturating_sub(100)..messages).map(said).collect(),
        said: messages,
        ..Snapshot::default()
    }
}

fn traffic(answers: u64) -> Traffic {
    Traffic {
        usage: Usage { input: answers * 900, output: answers * 40, reasoning: answers * 8, cached: answers * 300 },
        cost: answers as f64 * 0.0125,
        slowest: Duration::from_millis(2750),
        episodes: 12,
        successes: 9,
        ..Traffic::default()
    }
}

fn said(number: u64) -> LiveEvent {
    let text = match number % 3 {
        0 => format!("react@here/calm/disk/{number}: success, reward 0.750, 6 steps"),
        1 => "here/rough: rate_limit: 429 too many requests: slow down, or ask for more; again in 2.0 s".to_string(),
        _ => format!("tools@here/rough/cart/{number}: budget, reward 0.125, 20 steps"),
    };
    LiveEvent { at: format!("12:{:02}:{:02}", number / 60 % 60, number % 60).into(), text: text.into() }
}
