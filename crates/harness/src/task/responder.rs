//! Earlier responders: a colleague was there before the agent and made a change that did not help. It
//! stands in the change history, and an incident is over only when it has been taken back as well.

use world::{Blueprint, Span};

use super::condition::{key, service};
use super::file::{ResponderPart, scalar};
use super::{Compare, EarlierResponse, FixCheck, TaskDraft, compile};
use crate::record::Fix;

/// An earlier responder hands over after this long at the latest.
const LATEST_MINS: u64 = 120;
const AUTHOR: &str = "on-call";

/// Reads all of them, the earliest first.
pub(super) fn all(raw: &[ResponderPart], plan: &Blueprint) -> Result<Vec<EarlierResponse>, String> {
    let mut all = compile::all(raw, |r| one(r, plan), |at, e| format!("[[responder]] {}: {e}", at + 1))?;
    all.sort_by_key(|r| r.after);
    Ok(all)
}

fn one(raw: &ResponderPart, plan: &Blueprint) -> Result<EarlierResponse, String> {
    if !(1..=LATEST_MINS).contains(&raw.minutes_after_onset) {
        return Err(format!("minutes_after_onset: takes 1 to {LATEST_MINS}; got {}", raw.minutes_after_onset));
    }
    let at = service(plan, &raw.service)?;
    let (set, usual) = match (&raw.key, &raw.value, raw.restart) {
        (Some(name), Some(value), false) => {
            let key = key(plan, at, name)?;
            let (info, old) = (&plan.services[at].kind.keys()[key], &plan.services[at].config[key]);
            let value = info.parse(&scalar(value).ok_or("value: takes one value")?)?;
            if *old == value {
                return Err(format!("value: {} is {value} already, so nothing would change", info.name));
            }
            let summary = format!("set {} from {old} to {value}", info.name);
            (Some((key, value)), summary)
        }
        (None, None, true) => (None, "restart".to_string()),
        _ => return Err("it needs either `key` and `value`, or restart = true".to_string()),
    };
    Ok(EarlierResponse {
        service: at,
        set,
        after: Span::mins(raw.minutes_after_onset),
        author: raw.author.clone().unwrap_or_else(|| AUTHOR.to_string()),
        summary: raw.summary.clone().unwrap_or(usual),
    })
}

/// What was set must be set back; a fix that already speaks of that key has its own idea of how far.
pub(super) fn must_be_undone(task: &mut TaskDraft) {
    for at in 0..task.responders.len() {
        let EarlierResponse { service, set: Some((key, _)), .. } = task.responders[at] else { continue };
        if task.conditions.iter().any(|c| c.setting() == Some((service, key))) {
            continue;
        }
        let info = &task.plan.services[service];
        let (name, value) = (info.kind.keys()[key].name, info.config[key].clone());
        task.fix.push(Fix::Config { config: format!("{}.{name}", info.name), is: format!("= {value}") });
        task.conditions.push(FixCheck::Config { service, key, compare: Compare::Equal, value });
    }
}
