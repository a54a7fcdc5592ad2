//! Who is it? Each service is weighed by what it says of itself and what others say of it.

use std::collections::BTreeSet;

use super::notebook::{LookKind, Notebook, host, tier, wording};
use super::reading::LogLevel;
use super::signs::{self, HandbookCure, HandbookSign};

/// How suspicious a service is.
pub fn suspicion(notebook: &Notebook, service: usize) -> f64 {
    let sheet = &notebook.sheets[service];
    let paged = if service == notebook.paged() { 2.0 } else { 0.0 };
    let state = match sheet.status.as_ref().map(|status| status.state.as_str()) {
        Some("down") => 5.0,
        Some("degraded") => 0.5,
        _ => 0.0,
    };
    let blamed = weight(notebook.blames(service).map(|line| (line.level, &line.text)), 2.5, 0.8).min(5.0);
    let blamed = if passes_on(notebook, service) { blamed * 0.4 } else { blamed };
    let own = weight(notebook.own_lines(service).map(|line| (line.level, &line.text)), 0.6, 0.3).min(2.0);
    let unusual = (0.3 * notebook.unusual(service).len() as f64).min(1.5);
    paged
        + state
        + blamed
        + own
        + unusual
        + alerted(notebook, service)
        + behind(notebook, service)
        + pushed(notebook, service)
        + earliness(notebook, service)
        - cleared(notebook, service)
        - silence(notebook, service)
}

/// Whether an alert of a service fires or soon will.
pub fn is_alerted(notebook: &Notebook, service: usize) -> bool {
    let name = &notebook.sheets[service].name;
    notebook.alerts.iter().flatten().any(|alert| alert.owner == *name)
}

/// What went bad first is nearer to the cause: the first gets all of it, the last nothing.
fn earliness(notebook: &Notebook, service: usize) -> f64 {
    const FIRST: f64 = 3.0;
    let first = |at: usize| {
        let own = notebook.alerts.iter().flatten().filter(|alert| alert.owner == notebook.sheets[at].name);
        own.filter_map(|alert| alert.since).min()
    };
    let Some(own) = first(service) else { return 0.0 };
    let all: Vec<u32> = (0..notebook.sheets.len()).filter_map(first).collect();
    let before = all.iter().filter(|other| **other < own).count();
    FIRST * (1.0 - before as f64 / all.len() as f64)
}

/// Where others complain, who does not is less interesting.
fn silence(notebook: &Notebook, service: usize) -> f64 {
    let complains = (0..notebook.sheets.len()).any(|at| is_alerted(notebook, at));
    if complains && !is_alerted(notebook, service) { 2.0 } else { 0.0 }
}

/// A service behind this one, or blamed by it, that complains and was not read yet: it may be what this one suffers from.
pub fn unread_behind(notebook: &Notebook, service: usize) -> Option<usize> {
    let depth = tier(&notebook.sheets[service].name);
    let own: Vec<&str> = notebook.sheets[service].logs.iter().flatten().map(|line| line.text.as_str()).collect();
    let is_behind = |at: &usize| {
        let sheet = &notebook.sheets[*at];
        let blamed = own.iter().any(|line| line.contains(&host(&sheet.name)));
        let earlier = earliness(notebook, *at) > earliness(notebook, service);
        *at != service
            && sheet.logs.is_none()
            && is_alerted(notebook, *at)
            && (blamed || tier(&sheet.name) > depth || tier(&sheet.name) == depth && earlier)
    };
    let open = (0..notebook.sheets.len()).filter(is_behind);
    open.max_by(|a, b| suspicion(notebook, *a).total_cmp(&suspicion(notebook, *b)))
}

/// Rules that watch what users feel: they fire wherever the cause is.
const GENERAL: &[&str] = &["latency", "error", "5xx", "saturation", "timeouts", "busy", "wait", "aborts", "backlog"];
/// This one watches what a store refuses, which no other service does for it.
const REFUSED: &str = "write_errors";

/// How much its alerts say of a service.
pub fn alerted(notebook: &Notebook, service: usize) -> f64 {
    let name = &notebook.sheets[service].name;
    let own = notebook.alerts.iter().flatten().filter(|alert| alert.owner == *name);
    let weight = |alert: &super::reading::AlertRow| {
        let is_general = alert.rule != REFUSED && GENERAL.iter().any(|word| alert.rule.contains(word));
        let tells = if is_general { 1.0 } else { 3.0 };
        if alert.firing { tells } else { 0.5 * tells }
    };
    own.map(weight).sum::<f64>().min(5.0)
}

/// Whether a service that is blamed blames another in its turn: then the trail leads on.
fn passes_on(notebook: &Notebook, service: usize) -> bool {
    let own = notebook.own_lines(service).count();
    let loud = notebook.sheets[service].logs.iter().flatten().filter(|line| line.level == LogLevel::Error);
    let all = notebook.sheets[service].logs.as_ref().map_or(0, Vec::len);
    all > own && loud.count() > 0
}

/// The sum over different messages, by how loud they are.
fn weight<'a>(lines: impl Iterator<Item = (LogLevel, &'a String)>, error: f64, warn: f64) -> f64 {
    let different: BTreeSet<(LogLevel, String)> = lines.map(|(level, text)| (level, wording(text))).collect();
    different.iter().map(|(level, _)| if *level == LogLevel::Error { error } else { warn }).sum()
}

/// What stands behind a service that is known to suffer may be what it suffers from.
fn behind(notebook: &Notebook, service: usize) -> f64 {
    let depth = tier(&notebook.sheets[service].name);
    let suffers = |at: usize| {
        let sheet = &notebook.sheets[at];
        at != service && tier(&sheet.name) < depth && sheet.logs.as_ref().is_some_and(|lines| !lines.is_empty())
    };
    if (0..notebook.sheets.len()).any(suffers) { 1.0 } else { 0.0 }
}

/// A configuration was pushed there.
fn pushed(notebook: &Notebook, service: usize) -> f64 {
    let name = &notebook.sheets[service].name;
    let changes = notebook.changes.iter().flatten();
    if changes.into_iter().any(|change| change.service == *name) { 1.0 } else { 0.0 }
}

/// A service that was looked through without a find is less interesting.
fn cleared(notebook: &Notebook, service: usize) -> f64 {
    let sheet = &notebook.sheets[service];
    let quiet = notebook.own_lines(service).next().is_none();
    let read = f64::from(u8::from(sheet.config.is_some()));
    2.0 * read + if sheet.logs.is_some() && quiet { 1.5 } else { 0.0 }
}

/// The next look: the most telling one that is open. Every service has a first page to read before
/// any has its last.
pub fn next_look(notebook: &Notebook) -> Option<(usize, LookKind)> {
    let services = 0..notebook.sheets.len();
    let open = services.filter_map(|at| {
        let look = unread(notebook, at)?;
        Some((suspicion(notebook, at) + worth(look), at, look))
    });
    let best = open.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    best.map(|(_, at, look)| (at, look))
}

/// What a look usually brings: lines name causes, settings are causes, numbers are mostly symptoms.
fn worth(look: LookKind) -> f64 {
    match look {
        LookKind::Logs => 5.0,
        LookKind::Config => 0.5,
        LookKind::Metrics => -1.0,
        LookKind::Status => -2.0,
    }
}

/// A service whose lines call for more of a setting that is not known yet.
pub fn unknown_setting(notebook: &Notebook) -> Option<usize> {
    surest_unknown(notebook).map(|(_, at)| at)
}

/// The same, if its sign is surer than this.
pub fn surer_unknown(notebook: &Notebook, than: f64) -> Option<usize> {
    surest_unknown(notebook).filter(|(sure, _)| *sure > than).map(|(_, at)| at)
}

fn surest_unknown(notebook: &Notebook) -> Option<(f64, usize)> {
    let mut best: Option<(f64, usize)> = None;
    for (at, sheet) in notebook.sheets.iter().enumerate().filter(|(_, sheet)| sheet.config.is_none()) {
        for line in sheet.logs.iter().flatten() {
            let sure = match signs::read(&line.text) {
                Some(HandbookSign { cure: HandbookCure::Raise(_), sure, .. }) => *sure,
                _ => continue,
            };
            if best.is_none_or(|(most, _)| sure > most) {
                best = Some((sure, at));
            }
        }
    }
    best
}

/// Whether a line calls for taking something back that was released.
pub fn blames_a_release(notebook: &Notebook) -> bool {
    let lines = notebook.sheets.iter().flat_map(|sheet| sheet.logs.iter().flatten());
    let blames = |cure: HandbookCure| matches!(cure, HandbookCure::Rollback(_) | HandbookCure::RollbackOrRestart);
    lines.into_iter().any(|line| signs::read(&line.text).is_some_and(|sign| blames(sign.cure)))
}

/// Whether what was changed would help to read the lines: a build may be bad, a limit lowered.
pub fn asks_for_history(notebook: &Notebook) -> bool {
    let lines = notebook.sheets.iter().flat_map(|sheet| sheet.logs.iter().flatten());
    let raises = |cure: HandbookCure| matches!(cure, HandbookCure::Raise(_));
    blames_a_release(notebook)
        || lines.into_iter().any(|line| signs::read(&line.text).is_some_and(|sign| raises(sign.cure)))
}

/// What is still to be read of a service, the most telling first.
fn unread(notebook: &Notebook, service: usize) -> Option<LookKind> {
    let sheet = &notebook.sheets[service];
    let probe = service == notebook.paged() && notebook.page.metric.is_none() && notebook.page.service.is_some();
    let looks = [
        (probe && sheet.status.is_none(), LookKind::Status),
        (sheet.logs.is_none(), LookKind::Logs),
        (sheet.config.is_none(), LookKind::Config),
        (sheet.metrics.is_none(), LookKind::Metrics),
        (sheet.status.is_none(), LookKind::Status),
    ];
    looks.into_iter().find(|(open, _)| *open).map(|(_, look)| look)
}
