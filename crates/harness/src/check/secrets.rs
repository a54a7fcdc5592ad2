//! What must not be seen: names of the task and of its fault, the answer in its own words, the fix, and the setting at
//! fault with its value where no setting should be shown.

use std::collections::BTreeSet;

use faces::{Run, ToolSet};

use crate::scenario::Scenario;

/// Tools that are there to show settings and their changes.
const SETTINGS: &[&str] = &["inspect_config", "list_changes"];
const SETTINGS_LOGS_AND_STATUS: &[&str] =
    &["inspect_config", "list_changes", "inspect_logs", "search_logs", "check_status"];

/// So many words of the answer in a row are no accident.
const RUN: usize = 5;

/// A text that must not be seen, in plain words.
pub(super) struct HiddenText {
    pub what: &'static str,
    pub text: String,
    /// Words that stand apart: all of them on one line.
    apart: Vec<String>,
    /// Whether it is in words that a place which was never hit may use as well.
    pub in_plain_words: bool,
    /// Where it may be seen all the same.
    pub allowed_in: &'static [&'static str],
}

impl HiddenText {
    fn new(what: &'static str, text: &str) -> HiddenText {
        HiddenText {
            what,
            text: plain(text).trim().to_string(),
            apart: Vec::new(),
            in_plain_words: false,
            allowed_in: &[],
        }
    }

    /// Whether it stands in a text of plain words.
    pub fn is_in(&self, text: &str) -> bool {
        if self.apart.is_empty() {
            return has(text, &self.text);
        }
        text.lines().any(|line| self.apart.iter().all(|word| has(line, word)))
    }
}

/// Whether words stand in a line as whole words.
fn has(text: &str, words: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let alone = |at: usize| !part(text[..at].chars().next_back()) && !part(text[at + words.len()..].chars().next());
    !words.is_empty() && text.match_indices(words).any(|(at, _)| alone(at))
}

/// Lower case, with one space wherever names have a dash or an underscore: a name leaks in any spelling.
pub(super) fn plain(text: &str) -> String {
    let line = |line: &str| {
        let words = line.split(|c: char| c.is_whitespace() || c == '_' || c == '-').filter(|w| !w.is_empty());
        words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// All secrets of an incident.
pub(super) fn of(scenario: &Scenario) -> Vec<HiddenText> {
    let task = scenario.task();
    let mut secrets =
        vec![HiddenText::new("the task's id", &task.id), HiddenText::new("the task's title", &task.title)];
    for fault in &task.faults {
        secrets.push(HiddenText::new("the fault's name", fault.fault.name()));
        if let (Some(key), Some(value)) = (fault.args.0.get("key"), fault.args.0.get("value")) {
            secrets.push(HiddenText {
                apart: vec![plain(key), plain(value)],
                in_plain_words: true,
                allowed_in: SETTINGS,
                ..HiddenText::new("the setting at fault and its value", &format!("{key} {value}"))
            });
        }
    }
    secrets.extend(
        task.families().iter().map(|family| HiddenText::new("the family of the fault", &format!("{family} fault"))),
    );
    secrets.extend(concepts(scenario));
    for text in &scenario.solution() {
        let Ok(call) = faces::parse(text, ToolSet::FULL, scenario.at_page().view()) else { continue };
        match call.tool.run() {
            Run::Look(_) => {}
            Run::Act(_) => secrets.push(HiddenText::new("the fix", &call.canonical())),
            Run::End(_) => call.args.iter().for_each(|(_, words)| secrets.extend(runs(words))),
        }
    }
    secrets.retain(|s| !s.text.is_empty());
    secrets
}

/// The names of the concepts. Alerts, metrics and settings of the same name are no secret, and services may say what
/// they are in their logs and on their status page.
fn concepts(scenario: &Scenario) -> Vec<HiddenText> {
    let plan = scenario.at_page().plan();
    let is_alert = |name: &str| plan.alerts.iter().any(|alert| alert.name().ends_with(name));
    let is_metric = |name: &str| plan.services.iter().any(|s| s.kind.metrics().iter().any(|m| m.name.contains(name)));
    let names = scenario.task().concepts.iter().filter(|c| c.contains('_') && !is_alert(c) && !is_metric(c));
    names
        .map(|c| HiddenText {
            in_plain_words: true,
            allowed_in: SETTINGS_LOGS_AND_STATUS,
            ..HiddenText::new("the concept behind it", c)
        })
        .collect()
}

/// Every few words in a row of an answer.
fn runs(words: &str) -> Vec<HiddenText> {
    let plain = plain(words);
    let words: Vec<&str> = plain.split_whitespace().map(|w| w.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let all: BTreeSet<String> = words.windows(RUN).map(|run| run.join(" ")).collect();
    let secret = |text: String| HiddenText {
        in_plain_words: true,
        allowed_in: SETTINGS,
        ..HiddenText::new("words of the answer", &text)
    };
    all.into_iter().map(secret).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_found_in_any_spelling() {
        let check = |secret: &str, text: &str, expect: bool| {
            assert_eq!(HiddenText::new("it", secret).is_in(&plain(text)), expect, "{secret} in {text}");
        };
        check("big_bang", "see Big-Bang there", true);
        check("big_bang", "big banged", false);
        check("config_push", "config push", true);
        check("crash", "crash loop", true);
        check("crash", "crashed", false);
    }

    #[test]
    fn an_answer_leaks_by_a_few_words_in_a_row() {
        let secrets = runs("the cache crashed and was not running");
        assert_eq!(secrets.len(), 3);
        assert!(secrets.iter().any(|s| s.is_in(&plain("it seems the cache crashed and was gone"))));
        assert!(!secrets.iter().any(|s| s.is_in(&plain("the cache has crashed"))));
    }

    #[test]
    fn a_setting_and_its_value_stand_on_one_line() {
        let secret = HiddenText { apart: vec!["ttl seconds".into(), "5".into()], ..HiddenText::new("it", "x") };
        assert!(secret.is_in(&plain("TTL_SECONDS is 5 now")));
        assert!(!secret.is_in(&plain("TTL_SECONDS is 50 now")));
        assert!(!secret.is_in(&plain("TTL_SECONDS\n5")));
    }
}
