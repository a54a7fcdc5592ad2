//! From signs to remedies: what the handbook says of the lines that were read, with the values of this place.

use super::notebook::{Notebook, host};
use super::playbook::Idea;
use super::reading::LogLevel;
use super::remedy::{Death, RunbookFix};
use super::signs::{self, HandbookCure, HandbookSign};
use super::values::more;

/// So often a line must have been seen: one alone may be a false alarm, unless nothing of the kind is ever harmless.
const ALONE: f64 = 8.5;

/// What the signs in a service's own lines call for.
pub fn of(notebook: &Notebook, at: usize) -> Vec<Idea> {
    let sheet = &notebook.sheets[at];
    let mut found: Vec<(&'static HandbookSign, usize)> = Vec::new();
    for line in sheet.logs.iter().flatten().filter(|line| line.level > LogLevel::Info) {
        let Some(sign) = signs::read(&line.text) else { continue };
        match found.iter_mut().find(|(known, _)| known.cure == sign.cure) {
            Some((_, count)) => *count += 1,
            None => found.push((sign, 1)),
        }
    }
    let counts = |(sign, count): &&(&HandbookSign, usize)| *count > 1 || sign.sure >= ALONE;
    found.iter().filter(counts).filter_map(|(sign, count)| idea(notebook, at, sign, *count)).collect()
}

fn idea(notebook: &Notebook, at: usize, sign: &HandbookSign, count: usize) -> Option<Idea> {
    let service = notebook.sheets[at].name.clone();
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
        HandbookCure::Rollback => {
            let id = notebook.deploys.iter().flatten().find(|row| row.service == service)?.id.clone();
            RunbookFix::TakeBack { service, id, cause: sign.cause }
        }
        HandbookCure::Set(key, to) => set(notebook, at, key, to.to_string())?,
        HandbookCure::EvenShare(key) => set(notebook, at, key, "50".to_string())?,
        HandbookCure::RightHost(key) => set(notebook, at, key, right_host(notebook, key)?)?,
        HandbookCure::Raise(key) => {
            let now: u64 = notebook.value(at, key)?.parse().ok()?;
            let before = pushed(notebook, at, key).and_then(|(from, _)| from.parse::<u64>().ok());
            let enough = before.filter(|from| *from > now).unwrap_or_else(|| more(key, now));
            set(notebook, at, key, enough.to_string())?
        }
    };
    // What is said often is meant; what is behind others is likelier the cause.
    let depth = f64::from(super::notebook::tier(&notebook.sheets[at].name));
    Some(Idea { score: sign.sure + 0.1 * count.min(6) as f64 + 0.1 * depth, remedy })
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

/// The host of the service that a key is named after: `CACHE_HOST` is where the cache is.
fn right_host(notebook: &Notebook, key: &str) -> Option<String> {
    let wanted = key.split('_').next()?.to_ascii_lowercase();
    let sheet = notebook.sheets.iter().find(|sheet| sheet.name.ends_with(&wanted))?;
    Some(format!("{}internal", host(&sheet.name)))
}
