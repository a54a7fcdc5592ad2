//! From signs to remedies: what the handbook says of the lines that were read, with the values of this place.

use super::history;
use super::notebook::{Notebook, host, tier};
use super::playbook::Idea;
use super::reading::{LogLevel, LogRow};
use super::remedy::{Death, RunbookFix};
use super::signs::{self, HandbookCure, HandbookSign};
use super::suspects::is_alerted;
use super::values::more;

/// So often a line must have been seen: one alone may be a false alarm, unless nothing of the kind is ever harmless.
const ALONE: f64 = 8.5;

/// What the signs in a service's own lines call for.
pub fn of(notebook: &Notebook, at: usize) -> Vec<Idea> {
    let sheet = &notebook.sheets[at];
    let mut found: Vec<(&'static HandbookSign, Option<String>, usize)> = Vec::new();
    for line in sheet.logs.iter().flatten().filter(|line| line.level > LogLevel::Info) {
        let Some(sign) = signs::read(&line.text) else { continue };
        let index = signs::index(&line.text).filter(|_| sign.cure == HandbookCure::Index);
        match found.iter_mut().find(|(known, of, _)| known.cure == sign.cure && *of == index) {
            Some((_, _, count)) => *count += 1,
            None => found.push((sign, index, 1)),
        }
    }
    let counts = |(sign, _, count): &&(&HandbookSign, Option<String>, usize)| *count > 1 || sign.sure >= ALONE;
    let idea = |(sign, index, count): &(&HandbookSign, Option<String>, usize)| {
        idea(notebook, at, (sign, index.as_deref()), *count)
    };
    found.iter().filter(counts).filter_map(idea).collect()
}

fn idea(notebook: &Notebook, at: usize, (sign, index): (&HandbookSign, Option<&str>), count: usize) -> Option<Idea> {
    let service = notebook.sheets[at].name.clone();
    // Now and then a message fails for good; it is a matter of attempts where an alert says that too many do.
    let is_common = sign.cause == "retry_limit" && notebook.alerts.is_some() && !fires(notebook, at, "dead_letter");
    if is_common {
        return None;
    }
    let remedy = match sign.cure {
        HandbookCure::Restart => {
            let why = match sign.cause {
                "crash" => Death::Process,
                "worker_crash" => Death::Workers,
                "memory_leak" => Death::Leak,
                other => Death::Other(other),
            };
            RunbookFix::Restart { service, why }
        }
        HandbookCure::Rollback(what) => {
            let id = history::last(notebook, at, what)?.id.clone();
            RunbookFix::TakeBack { service, id, cause: sign.cause }
        }
        HandbookCure::RollbackOrRestart => match history::shortly_before(notebook, at, "deploy") {
            Some(row) => RunbookFix::TakeBack { service, id: row.id.clone(), cause: "bad_build" },
            None => RunbookFix::Restart { service, why: Death::Leak },
        },
        HandbookCure::Set(key, to) => set(notebook, at, key, to.to_string())?,
        HandbookCure::Index => set(notebook, at, index?, "true".to_string())?,
        HandbookCure::EvenShare(key) => set(notebook, at, key, "50".to_string())?,
        HandbookCure::RightHost(key) => set(notebook, at, key, right_host(notebook, at, key)?)?,
        HandbookCure::Raise(key) => {
            if let Some(row) = history::across(notebook, at).filter(|_| pushed(notebook, at, key).is_none()) {
                let remedy = RunbookFix::TakeBack { service, id: row.id.clone(), cause: "correlated_push" };
                return Some(Idea { score: sign.sure.max(SPREAD), remedy });
            }
            let now: u64 = notebook.value(at, key)?.parse().ok()?;
            let before = pushed(notebook, at, key).and_then(|(from, _)| from.parse::<u64>().ok());
            let enough = before.filter(|from| *from > now).unwrap_or_else(|| more(key, now));
            set(notebook, at, key, enough.to_string())?
        }
    };
    // What is said often is meant; what is behind others is likelier the cause.
    let depth = f64::from(super::notebook::tier(&notebook.sheets[at].name));
    let changed = if was_lowered(notebook, at, sign.cure) { LOWERED } else { 0.0 };
    Some(Idea { score: sign.sure + changed + 0.1 * count.min(6) as f64 + 0.1 * depth, remedy })
}

/// A limit that is reached is the likelier cause if it was lowered shortly before.
const LOWERED: f64 = 2.5;
/// One change to several services is the cause where the settings of one of them are felt.
const SPREAD: f64 = 7.5;
/// Work that piles up behind nothing else since a deployment.
const SLOW_BUILD: f64 = 6.5;

/// Whether the setting that a sign is about was lowered shortly before the service went bad.
fn was_lowered(notebook: &Notebook, at: usize, cure: HandbookCure) -> bool {
    let HandbookCure::Raise(key) = cure else { return false };
    let (service, now) = (&notebook.sheets[at].name, notebook.value(at, key));
    let number = |text: &str| text.parse::<f64>().ok();
    let Some(onset) = history::onset(notebook, at) else { return false };
    let rows = notebook.changes.iter().flatten().filter(|row| row.service == *service && row.key == key);
    let mut lowering = rows.filter(|row| Some(&row.to) == now.as_ref() && number(&row.from) > number(&row.to));
    lowering.any(|row| history::is_shortly_before(row.at, onset))
}

/// Whether an alert of a service whose rule has this word fires or soon will.
fn fires(notebook: &Notebook, at: usize, word: &str) -> bool {
    let name = &notebook.sheets[at].name;
    notebook.alerts.iter().flatten().any(|alert| alert.owner == *name && alert.rule.contains(word))
}

/// A service that is busy with itself since a deployment, while nothing behind it complains: the build is slow.
pub fn slow_build(notebook: &Notebook, at: usize) -> Option<Idea> {
    let is_busy = |line: &LogRow| line.text.contains("workers busy") || line.text.contains("consumers busy");
    let waits = |line: &LogRow| line.text.contains("gave no answer within") || line.text.contains("loading takes");
    let lines = || notebook.sheets[at].logs.iter().flatten();
    let depth = tier(&notebook.sheets[at].name);
    let complains = |other: usize| tier(&notebook.sheets[other].name) > depth && is_alerted(notebook, other);
    if !lines().any(is_busy) || lines().any(waits) || (0..notebook.sheets.len()).any(complains) {
        return None;
    }
    let row = history::shortly_before(notebook, at, "deploy")?;
    let service = notebook.sheets[at].name.clone();
    Some(Idea { score: SLOW_BUILD, remedy: RunbookFix::TakeBack { service, id: row.id.clone(), cause: "bad_build" } })
}

/// Sets a key, unless it is so already.
fn set(notebook: &Notebook, at: usize, key: &str, to: String) -> Option<RunbookFix> {
    let now = notebook.value(at, key);
    if now.as_deref() == Some(to.as_str()) {
        return None;
    }
    let change = pushed(notebook, at, key).filter(|(from, _)| *from == to).map(|(_, id)| id);
    let from = now.unwrap_or_else(|| if to == "true" { "false".to_string() } else { "true".to_string() });
    Some(RunbookFix::Set { service: notebook.sheets[at].name.clone(), key: key.to_string(), from, to, change })
}

/// What a key was before the last push that still stands, and that push.
fn pushed(notebook: &Notebook, at: usize, key: &str) -> Option<(String, String)> {
    let service = &notebook.sheets[at].name;
    let now = notebook.value(at, key);
    let stands = |to: &String| now.as_ref().is_none_or(|now| now == to);
    let rows = notebook.changes.iter().flatten();
    let own = rows.into_iter().find(|row| row.service == *service && row.key == key && stands(&row.to))?;
    Some((own.from.clone(), own.id.clone()))
}

/// The host of the service that a key is named after: `CACHE_HOST` is where the cache is. Of several it is the one whose name
/// begins as that of the service does.
fn right_host(notebook: &Notebook, at: usize, key: &str) -> Option<String> {
    let wanted = key.split('_').next()?.to_ascii_lowercase();
    let is_meant = |name: &str| name.ends_with(&wanted) || wanted == "cache" && name.ends_with("redis");
    let own = &notebook.sheets[at].name;
    let alike = |name: &str| own.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    let named = notebook.sheets.iter().map(|sheet| &sheet.name).filter(|name| is_meant(name));
    let best = named.max_by_key(|name| alike(name))?;
    Some(format!("{}internal", host(best)))
}
