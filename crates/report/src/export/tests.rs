//! What every export keeps to: counts, equal bytes, and no truth where a model learns.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::stage::{broken_off, export, format, modelled, only, parse, solved, unzip};
use super::*;

/// Two agents on two tasks, one of them under two seeds, and one episode whose provider failed.
fn several() -> Vec<ExportEpisode> {
    vec![
        modelled("one", "a", 0),
        modelled("one", "a", 1),
        broken_off("one", "b", 0),
        modelled("two", "a", 0),
        modelled("two", "b", 0),
    ]
}

#[test]
fn both_kinds_of_log_say_the_same() {
    let logs = export(format("inspect"), &several());
    let texts = export(format("inspect-json"), &several());
    assert_eq!(logs.keys().collect::<Vec<_>>(), ["all_one.eval", "all_two.eval"]);
    let named = |name: &String| name.starts_with("1970-01-01T00-00-00") && name.ends_with(".json");
    assert!(texts.keys().all(named), "{:?}", texts.keys());
    for (zipped, text) in logs.values().zip(texts.values()) {
        let (zipped, mut text) = (unzip(zipped), parse(text));
        let samples = text.as_object_mut().and_then(|log| log.remove("samples")).expect("samples");
        assert_eq!(text, zipped["header.json"]);
        let members: Vec<&Value> =
            zipped.iter().filter(|(name, _)| name.starts_with("samples/")).map(|(_, sample)| sample).collect();
        assert_eq!(samples.as_array().expect("a list").iter().collect::<Vec<_>>(), members);
        assert_eq!(zipped["summaries.json"].as_array().map(Vec::len), Some(members.len()));
    }
}

#[test]
fn seeds_are_epochs_and_providers_failures_are_errors() {
    let logs = export(format("inspect"), &several());
    let log = unzip(&logs["all_one.eval"]);
    let (header, failed) = (&log["header.json"], &log["samples/b_epoch_1.json"]);
    assert_eq!(log["samples/a_epoch_2.json"]["metadata"]["seed"], 1);
    assert_eq!(header["eval"]["config"]["epochs"], 2);
    assert_eq!(header["eval"]["dataset"]["sample_ids"], json!(["a", "b"]));
    assert_eq!((&header["results"]["total_samples"], &header["results"]["completed_samples"]), (&json!(3), &json!(2)));
    let success = &header["results"]["scores"][0];
    assert_eq!((&success["metrics"]["accuracy"]["value"], &success["unscored_samples"]), (&json!(1.0), &json!(1)));
    assert_eq!(failed["error"]["message"], "the provider failed: rate_limit");
    assert_eq!(failed["scores"], Value::Null);
    // Three steps each, and the one step of the episode that broke off.
    let used = &header["stats"]["model_usage"]["p/m"];
    assert_eq!((&used["total_tokens"], &used["total_cost"]), (&json!(7 * 110), &json!(1.75)));
}

#[test]
fn the_same_episodes_give_the_same_bytes() {
    for format in ALL.iter().filter(|format| format.start().is_ok()) {
        let (one, other) = (export(*format, &several()), export(*format, &several()));
        assert!(!one.is_empty() && one == other, "{}", format.name());
    }
}

#[test]
fn every_episode_is_somewhere() {
    let lines = export(format("chat"), &several());
    assert_eq!(String::from_utf8_lossy(&lines["chat.jsonl"]).lines().count(), several().len());
    let files = export(format("atif"), &several());
    let keys: Vec<String> = several().iter().map(|entry| format!("{}.json", entry.key())).collect();
    assert_eq!(files.into_keys().collect::<Vec<_>>(), keys);
}

#[test]
fn the_same_key_of_two_runs_is_two_trajectories() {
    let files = export(format("atif"), &[modelled("one", "a", 0), modelled("one", "a", 0)]);
    assert_eq!(files.keys().collect::<Vec<_>>(), ["one/a/0-2.json", "one/a/0.json"]);
}

/// A conversation holds what the agent saw and what it said. All that it says is looked up in the
/// record, and the task's id, its fault and its answer stand nowhere but in the agent's own words.
#[test]
fn no_truth_is_in_a_conversation() {
    let tasks = harness::tasks::embedded().len();
    assert!(tasks >= 40);
    for at in 0..tasks {
        let entry = solved(at);
        assert!(entry.score.success, "{}", entry.key());
        let seen: BTreeSet<String> =
            entry.steps().map(|step| step.observation.clone()).chain([entry.page().1.to_string()]).collect();
        let card = entry.header().task.clone();
        let mut truth = vec![card.id.clone(), card.digest, entry.digest.clone()];
        truth.extend(entry.seal().map(|seal| seal.fault.clone()));
        truth.extend(card.evidence.clone());
        truth.extend(entry.steps().last().and_then(|step| step.args.get("root_cause").cloned()));
        let text = String::from_utf8(only("chat", entry)).expect("text");
        assert!(!text.contains(&card.id), "{} is named", card.id);
        let line = parse(text.as_bytes());
        let messages = line["messages"].as_array().expect("messages");
        assert_eq!(messages.last().map(|last| &last["role"]), Some(&json!("assistant")));
        for message in messages.iter().filter(|m| m["role"] == "user" || m["role"] == "tool") {
            let said = message["content"].as_str().expect("text");
            assert!(seen.contains(said), "{}: no reader was shown {said}", card.id);
        }
        let told: Vec<&Value> = messages.iter().filter(|m| m["role"] != "assistant").collect();
        let told = json!([told, line["tools"]]).to_string();
        for word in truth {
            assert!(!told.contains(&word), "{}: {word} is told", card.id);
        }
    }
}

#[test]
fn a_filter_says_why() {
    let (good, broken) = (modelled("one", "a", 0), broken_off("one", "a", 0));
    let check = |filter: ExportFilter, entry: &ExportEpisode, expect: Option<LeftOut>| {
        assert_eq!(filter.leaves_out(&entry.score, true), expect, "{filter:?}");
    };
    let all = ExportFilter::default();
    check(all.clone(), &good, None);
    check(all.clone(), &broken, None);
    check(ExportFilter { only: Only::Success, ..all.clone() }, &good, None);
    check(ExportFilter { only: Only::Failure, ..all.clone() }, &good, Some(LeftOut::Outcome));
    check(ExportFilter { only: Only::Failure, ..all.clone() }, &broken, Some(LeftOut::ProviderFailed));
    check(ExportFilter { split: Some(record::Split::Test), ..all.clone() }, &good, Some(LeftOut::Split));
    check(ExportFilter { min_reward: Some(1.0), ..all.clone() }, &good, Some(LeftOut::Reward));
    check(ExportFilter { min_reward: Some(0.0), ..all.clone() }, &broken, Some(LeftOut::ProviderFailed));
    assert_eq!(all.leaves_out(&broken.score, false), Some(LeftOut::ProviderFailed));
}

#[test]
fn places_put_what_belongs_together_side_by_side() {
    let place = |agent: &str, task: &str, seed: u64| ExportOrder::of(modelled(agent, task, seed).header());
    let sorted =
        [place("a", "x", 9), place("a", "y", 0), place("a/b", "x", 0), place("b", "x", 0), place("b", "x", 10)];
    assert!(sorted.is_sorted());
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_format_that_is_not_built_says_how_to_get_it() {
    let error = format("parquet").start().err().expect("it is not built").to_string();
    expect_test::expect![
        "this program was built without parquet; build it with `cargo build --release --features parquet`"
    ]
    .assert_eq(&error);
}
