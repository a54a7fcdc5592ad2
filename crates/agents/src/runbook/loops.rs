//! Failures that keep themselves alive: their trigger is gone, so no setting is at fault. They are known by what piles up
//! together, and they end when less work is let in, or more of it is done, until what piled up is gone.

use super::notebook::{Notebook, tier};
use super::playbook::Idea;
use super::remedy::RunbookFix;

/// A loop as an operator's handbook tells of it.
struct KnownLoop {
    /// What the catalogue of causes calls it.
    cause: &'static str,
    /// Words of lines that are all written somewhere; the first is written by the service in which the loop turns.
    lines: &'static [&'static str],
    /// Words of lines that speak for something else.
    unless: &'static [&'static str],
    /// Whether fewer workers end it, because they ask less at once; else more of them do, because they drain what waits.
    fewer: bool,
}

const LOOPS: &[KnownLoop] = &[
    KnownLoop {
        cause: "cold_cache",
        lines: &["of its usual size, warming", "slow fill", FULL],
        unless: &["had just expired", "evict first"],
        fewer: true,
    },
    KnownLoop {
        cause: "connection_storm",
        lines: &["new connections in the last second, authentication waits", "gave up waiting for a connection", FULL],
        unless: &[],
        fewer: true,
    },
    KnownLoop {
        cause: "retry_storm",
        lines: &[FULL, "peer closed the connection before the answer"],
        unless: &["run queue", "gave up waiting for a connection", "statement timeout"],
        fewer: false,
    },
];

/// What callers write when more waits than they can take.
const FULL: &str = "workers busy and the backlog is full";
/// The setting that says how much is done at once.
const WORKERS: &str = "MAX_WORKERS";
/// A loop is broken before its consequences are looked into, which are loud and no cause.
const FIRST: f64 = 9.6;

/// Whether work piles up somewhere: then what is loud may be a consequence, and all lines are read before anything is done.
pub fn is_piled_up(notebook: &Notebook) -> bool {
    is_written(notebook, FULL) || is_written(notebook, " 503 ---- ")
}

/// A service whose lines are needed to tell a loop, and were not read yet.
pub fn unread(notebook: &Notebook) -> Option<usize> {
    notebook.sheets.iter().position(|sheet| tier(&sheet.name) > 0 && sheet.logs.is_none())
}

/// The service whose settings are needed to break a loop, if they are not known yet.
pub fn unknown_setting(notebook: &Notebook) -> Option<usize> {
    known(notebook)?;
    callers(notebook).filter(|at| notebook.sheets[*at].config.is_none())
}

/// Whether a line speaks for a loop, or against one.
pub fn tells(line: &str) -> bool {
    LOOPS.iter().flat_map(|one| one.lines.iter().chain(one.unless)).any(|words| line.contains(words))
}

/// How to break the loop that the lines tell of.
pub fn of(notebook: &Notebook) -> Option<Idea> {
    let (one, at) = (known(notebook)?, callers(notebook)?);
    let now: u64 = notebook.value(at, WORKERS)?.parse().ok()?;
    let to = if one.fewer { (now.saturating_mul(3) / 10).max(1) } else { now.saturating_add(now / 2) };
    let turns = (0..notebook.sheets.len()).find(|at| writes(notebook, *at, one.lines[0]))?;
    let remedy = RunbookFix::Ease {
        service: notebook.sheets[at].name.clone(),
        key: WORKERS.to_string(),
        from: now.to_string(),
        to: to.to_string(),
        turns: notebook.sheets[turns].name.clone(),
        cause: one.cause,
    };
    (to != now).then_some(Idea { score: FIRST, remedy })
}

/// The loop that all lines together tell of: those of every service behind the edge.
fn known(notebook: &Notebook) -> Option<&'static KnownLoop> {
    if unread(notebook).is_some() {
        return None;
    }
    let all = |words: &[&str]| words.iter().all(|words| is_written(notebook, words));
    let none = |words: &[&str]| !words.iter().any(|words| is_written(notebook, words));
    LOOPS.iter().find(|one| all(one.lines) && none(one.unless))
}

/// The service whose workers are all busy.
fn callers(notebook: &Notebook) -> Option<usize> {
    (0..notebook.sheets.len()).find(|at| writes(notebook, *at, FULL))
}

fn is_written(notebook: &Notebook, words: &str) -> bool {
    (0..notebook.sheets.len()).any(|at| writes(notebook, at, words))
}

fn writes(notebook: &Notebook, at: usize, words: &str) -> bool {
    notebook.sheets[at].logs.iter().flatten().any(|line| line.text.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runbook::notebook::LookKind;

    /// What is done about these lines of the web servers, the cache and the database.
    fn eased(web: &str, cache: &str, database: &str) -> Option<String> {
        let mut notebook = Notebook::new("", &["web_server", "cache", "database"].map(String::from));
        for (at, lines) in [web, cache, database].into_iter().enumerate() {
            notebook.note(at, LookKind::Logs, &format!("logs\n{lines}\n{lines}"));
        }
        notebook.note(0, LookKind::Config, "configuration\nMAX_WORKERS  40  workers of one instance");
        of(&notebook).map(|idea| idea.remedy.call())
    }

    #[test]
    fn a_loop_is_known_by_what_piles_up_together() {
        let check = |web: &str, cache: &str, database: &str, expect: Option<&str>| {
            assert_eq!(eased(web, cache, database).as_deref(), expect, "{web} / {cache} / {database}");
        };
        let full = "12:00:00 ERROR 503 request 1 dropped: all 40 workers busy and the backlog is full";
        let left = format!("{full}\n12:00:01 ERROR aborted: peer closed the connection before the answer was complete");
        let cold =
            "12:00:00 WARN  dataset is 4% of its usual size, warming\n12:00:01 WARN  slow fill: loaders take 900ms";
        let storm = "12:00:00 WARN  90 new connections in the last second, authentication waits for CPU\n12:00:01 ERROR pooler: client gave up waiting for a connection";
        check(full, cold, "", Some("update_config(web_server, MAX_WORKERS, 12)"));
        check(full, "", storm, Some("update_config(web_server, MAX_WORKERS, 12)"));
        check(&left, "", "", Some("update_config(web_server, MAX_WORKERS, 60)"));
        check(&left, "", "12:00:00 ERROR canceling statement due to statement timeout", None);
        check("", cold, storm, None);
        check(full, "", "", None);
    }

    #[test]
    fn nothing_is_known_before_all_lines_are_read() {
        let mut notebook = Notebook::new("", &["web_server", "cache"].map(String::from));
        let full = "12:00:00 ERROR dropped: all 4 workers busy and the backlog is full";
        notebook.note(0, LookKind::Logs, &format!("logs\n{full}\n{full}"));
        assert!(is_piled_up(&notebook) && of(&notebook).is_none() && unknown_setting(&notebook).is_none());
    }
}
