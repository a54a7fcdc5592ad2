//! Agents without a model: the two bounds, an honest runbook, and those that try to cheat.
//!
//! This crate knows neither the world nor the tools: an agent gets a brief and the text of
//! observations, and answers with the text of an action. Only kinds that say so see an answer key.

mod dice;
pub mod exploits;
pub mod model;
mod plan;
pub mod random;
pub mod runbook;
pub mod scripted;

use harness::AgentKind;

/// Every kind of agent, in the order in which tables show them.
pub const ALL: &[&dyn AgentKind] = &[
    &random::Random,
    &runbook::Runbook,
    &scripted::Scripted,
    &exploits::noop::Noop,
    &exploits::restart_all::RestartAll,
    &exploits::rollback_last::RollbackLast,
    &exploits::max_knobs::MaxKnobs,
    &exploits::stuff_keywords::StuffKeywords,
    &exploits::list_all_causes::ListAllCauses,
    &exploits::resolve_at_once::ResolveAtOnce,
    &exploits::fix_the_distractor::FixTheDistractor,
    &exploits::silence_the_alert::SilenceTheAlert,
];

/// The kind of that name, or an error that says which was probably meant.
pub fn find(name: &str) -> Result<&'static dyn AgentKind, String> {
    ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> String {
    let folded = name.trim().to_ascii_lowercase().replace(['_', ' '], "-");
    let close = ALL.iter().map(|kind| (edits(&folded, kind.name()), kind.name())).min();
    match close {
        Some((far, close)) if far <= (folded.len() / 3).max(2) => {
            format!("unknown agent `{name}`: did you mean `{close}`?")
        }
        _ => {
            let known: Vec<&str> = ALL.iter().map(|kind| kind.name()).collect();
            format!("unknown agent `{name}`; known are {}", known.join(", "))
        }
    }
}

/// Letters to add, remove or replace to get from one name to the other; a part of a name is near it.
fn edits(a: &str, b: &str) -> usize {
    if a.len() >= 3 && b.contains(a) {
        return 1;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_found_by_name_or_the_nearest_is_offered() {
        let check = |name: &str, expect: &str| {
            let found = find(name).map(|kind| kind.name().to_string());
            assert_eq!(found.unwrap_or_else(|problem| problem), expect);
        };
        check("random", "random");
        check("silence-the-alert", "silence-the-alert");
        check("randm", "unknown agent `randm`: did you mean `random`?");
        check("restart_all", "unknown agent `restart_all`: did you mean `restart-all`?");
        check("silence", "unknown agent `silence`: did you mean `silence-the-alert`?");
        check(
            "gpt",
            "unknown agent `gpt`; known are random, runbook, scripted, noop, restart-all, rollback-last, max-knobs, stuff-keywords, \
             list-all-causes, resolve-at-once, fix-the-distractor, silence-the-alert",
        );
    }

    #[test]
    fn names_are_unique_and_only_the_bounds_see_the_answer() {
        let mut names: Vec<&str> = ALL.iter().map(|kind| kind.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
        let with_key: Vec<&str> = ALL.iter().filter(|kind| kind.uses_answer_key()).map(|kind| kind.name()).collect();
        assert_eq!(with_key, ["scripted", "fix-the-distractor"]);
        assert!(ALL.iter().all(|kind| !kind.about().is_empty()));
    }
}
