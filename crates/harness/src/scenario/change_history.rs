//! The change history of a situation: one process for all entries. What broke the place and what did no harm are filed
//! at times from one distribution, by the same people, in the same words, as changes of the same kinds and keys; so
//! nothing in the history tells one from the other.

use std::collections::BTreeSet;

use world::config::{Bad, KeyType};
use world::faults::{Act, TEAMS, deploy_summary, resize_summary, set_summary};
use world::rng::Stream;
use world::{Blueprint, Build, Filed, Mutation, Span, Time, Value, World};

use crate::task::FixCheck;

/// How many changes a place has had that did no harm, at least and at most.
const FEWEST: usize = 9;
const MOST: usize = 17;
/// How many things earlier responders tried that changed nothing, at least and at most.
const FEWEST_TRIED: u64 = 8;
const MOST_TRIED: u64 = 12;
/// The share of what is done during an incident that those on call do.
const ON_CALL: f64 = 0.7;
/// The share of harmless changes of numbers that go the way that could not hurt.
const OTHER_WAY: f64 = 0.25;
/// So often one is drawn before a place has had all that it can have.
const TRIES: u64 = 60;
/// The share of pushed settings that break a place and were written down.
const WRITTEN_DOWN: f64 = 0.55;
/// The latest that anything is filed before the onset; the earliest is this times two to the power of [`OCTAVES`].
const LATEST: Span = Span::secs(20);
const OCTAVES: u64 = 10;

/// Kinds of harmless changes, by how often they come: settings, deployments, and machines.
const SETTINGS: f64 = 0.72;
const DEPLOYMENTS: f64 = 0.94;

/// Files what the faults' authors did: earlier than it had an effect, because what is filed waits for its window. With
/// `some_unwritten`, a pushed setting may be missing from the history: not all that is done is written down.
pub(super) fn file(plan: &Blueprint, acts: &mut [Vec<Act>], draws: Stream, onset: Time, some_unwritten: bool) {
    for (n, act) in acts.iter_mut().flatten().enumerate() {
        let draws = draws.within(n as u64);
        if let Some((author, summary)) = &mut act.change {
            (*author, *summary) = (plan.team(author).to_string(), plan.told(summary));
        }
        act.filed = Some(filed_at(draws, onset));
        if some_unwritten && is_setting(&act.mutation) && !draws.at(2).chance(WRITTEN_DOWN) {
            act.change = None;
        }
    }
}

/// A time before the onset, to the millisecond: every span is as likely as one twice as long.
fn filed_at(draws: Stream, onset: Time) -> Time {
    let octave = LATEST.0 << draws.at(0).below(OCTAVES);
    onset.back(Span(octave + draws.at(1).below(octave)))
}

fn is_setting(mutation: &Mutation) -> bool {
    matches!(mutation, Mutation::Config { .. })
}

/// A change that did no harm: the place is as it left it.
struct Harmless {
    service: usize,
    summary: String,
    undo: Mutation,
}

/// Who acts while an incident goes on: those who are on call, and sometimes another team.
pub(super) fn responder(draws: Stream) -> &'static str {
    let team = draws.at(1).pick(TEAMS);
    if draws.at(0).chance(ON_CALL) { "on-call" } else { team }
}

/// Writes harmless changes into the history of a broken world. Each is real: taking it back
/// changes the place. `taken` are settings that something spoilt; taking a change back meets none of the conditions that
/// end the incident. Where others responded before, until `tried`, they did several things that changed nothing for better
/// or worse.
pub(super) fn add_harmless(
    world: &mut World,
    draws: Stream,
    (onset, tried): (Time, Option<Time>),
    taken: &BTreeSet<(usize, usize)>,
    conditions: &[FixCheck],
) {
    let plan = world.plan().clone();
    let mut place = Harmony { plan: &plan, free: settings(&plan, taken), conditions };
    let mut changes = Vec::new();
    if let Some(until) = tried {
        let draws = draws.within(0);
        for n in 0..FEWEST_TRIED + draws.at(0).below(MOST_TRIED - FEWEST_TRIED + 1) {
            let draws = draws.within(1 + n);
            let Some(change) = place.setting(draws.within(0)) else { continue };
            let at = onset + Span(draws.at(1).below(until.since(onset).0.max(1)));
            let author = plan.team(responder(draws.within(1))).to_string();
            changes.push((Filed { author, service: change.service, summary: change.summary, at }, change.undo));
        }
    }
    let wanted = changes.len() + FEWEST + draws.at(0).below((MOST - FEWEST) as u64 + 1) as usize;
    for n in 0..TRIES {
        if changes.len() == wanted {
            break;
        }
        let draws = draws.within(1 + n);
        let Some(change) = place.one(draws.within(0)) else { continue };
        let team: &str = draws.at(1).pick::<&str>(TEAMS);
        let (author, at) = (plan.team(team).to_string(), filed_at(draws.within(2), onset));
        changes.push((Filed { author, service: change.service, summary: change.summary, at }, change.undo));
    }
    for (filed, undo) in changes {
        world.note_harmless(&filed, undo);
    }
}

/// What may be changed without harm.
struct Harmony<'a> {
    plan: &'a Blueprint,
    /// Settings that were not changed yet; those that are drawn more often stand there twice.
    free: Vec<(usize, usize)>,
    conditions: &'a [FixCheck],
}

impl Harmony<'_> {
    /// One change, unless what was drawn does not fit here.
    fn one(&mut self, draws: Stream) -> Option<Harmless> {
        let sort = draws.at(0).unit();
        if sort < SETTINGS {
            return self.setting(draws);
        }
        let service = draws.at(1).below(self.plan.services.len() as u64) as usize;
        if sort < DEPLOYMENTS {
            let build = Build { older: true, ..Build::CLEAN };
            let undo = Mutation::Build { service, build, since: Time(0) };
            return Some(Harmless { service, summary: self.plan.told(&deploy_summary(draws.within(3))), undo });
        }
        let share = 1.0 / draws.at(2).between(0.05, 0.5);
        Some(Harmless { service, summary: resize_summary(share, 1.0), undo: Mutation::Quota { service, share } })
    }

    /// A change of a setting.
    fn setting(&mut self, draws: Stream) -> Option<Harmless> {
        if self.free.is_empty() {
            return None;
        }
        let (service, key) = self.free[draws.at(1).below(self.free.len() as u64) as usize];
        self.free.retain(|other| *other != (service, key));
        let info = &self.plan.services[service];
        let (key_info, value) = (&info.kind.keys()[key], &info.config[key]);
        let before = before(key_info, value, draws.within(2))?;
        let own = |c: &&FixCheck| c.setting() == Some((service, key));
        if self.conditions.iter().filter(own).any(|c| c.allows(&before) && !c.allows(value)) {
            return None;
        }
        let summary = set_summary(key_info.name, &before, value);
        Some(Harmless { service, summary, undo: Mutation::Config { service, key, value: before, since: Time(0) } })
    }
}

/// All settings that a push could spoil, but those that are taken. Switches that stand oddly are drawn more often: those
/// that stand as usual give no change that looks like a push.
fn settings(plan: &Blueprint, taken: &BTreeSet<(usize, usize)>) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    for (service, info) in plan.services.iter().enumerate() {
        for (key, key_info) in info.kind.keys().iter().enumerate().filter(|(_, key)| key.bad().is_some()) {
            let is_switch = !matches!(key_info.takes, KeyType::Int { .. });
            let times = if is_switch && info.config[key] != key_info.default_value() { 2 } else { 1 };
            all.extend(std::iter::repeat_n((service, key), times));
        }
    }
    all.retain(|setting| !taken.contains(setting));
    all
}

/// What a setting was before a change that did no harm: as far from what it is as a push that hurts goes.
fn before(key: &world::Key, now: &Value, draws: Stream) -> Option<Value> {
    let before = match (key.takes, now, key.bad()?) {
        (KeyType::Int { min, max, .. }, Value::Int(now), Bad::Times(by)) => {
            // A push that hurts goes as far as this, or part of the way.
            let by = libm::pow(by, 1.0 - 0.6 * draws.at(1).unit()) * draws.at(0).between(0.8, 1.1);
            let by = if draws.at(2).chance(OTHER_WAY) { 1.0 / by } else { by };
            Value::Int(round(*now as f64 / by).clamp(min, max))
        }
        (KeyType::Int { min, max, .. }, Value::Int(now), Bad::Is(_)) => {
            let by = draws.at(0).between(0.3, 0.8);
            let up = draws.at(1).chance(0.5);
            Value::Int(round(if up { *now as f64 / by } else { *now as f64 * by }).clamp(min, max))
        }
        // Switches are pushed the way that looks odd; the other way would tell that nothing came of it.
        (KeyType::Bool, now, Bad::Is(bad)) if now.to_string() == bad || draws.at(0).chance(0.15) => {
            Value::Bool(!now.bool())
        }
        (KeyType::Path | KeyType::Host, now, _) if *now != key.default_value() => key.default_value(),
        _ => return None,
    };
    (before != *now).then_some(before)
}

/// A number as people set it: three digits and zeros.
pub(crate) fn round(number: f64) -> i64 {
    let mut unit = 1.0;
    while number / unit >= 1000.0 {
        unit *= 10.0;
    }
    ((number / unit).round() * unit) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use world::Seed;

    #[test]
    fn numbers_are_those_that_people_set() {
        let check = |number: f64, expect: i64| assert_eq!(round(number), expect, "{number}");
        check(7.4, 7);
        check(143.2, 143);
        check(2_871.0, 2_870);
        check(123_456.0, 123_000);
    }

    #[test]
    fn what_is_filed_lies_before_the_onset_and_on_no_whole_minute() {
        let onset = Time(36_000_000);
        let times: Vec<Time> = (0..200).map(|n| filed_at(Seed(n).stream("test"), onset)).collect();
        assert!(times.iter().all(|t| *t <= onset.back(LATEST)));
        assert!(times.iter().filter(|t| t.secs() % 60 == 0).count() < 20);
        assert!(times.iter().any(|t| onset.since(*t) > Span::hours(2)));
        assert!(times.iter().any(|t| onset.since(*t) < Span::mins(2)));
    }
}
