//! The change history of a situation: one process for all entries. What broke the place and what did no harm are filed
//! at times from one distribution, by the same people, in the same words, as changes of the same kinds and keys; so
//! nothing in the history tells one from the other.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use world::config::{Bad, KeyType};
use world::faults::{self, Act, Fault, FaultArgs, TEAMS, set_summary};
use world::rng::{Draw, Stream};
use world::services::Hazard;
use world::{Blueprint, Build, Filed, Mutation, Seed, Span, Time, Value};

use crate::task::FixCheck;

/// How many changes a place has had that did no harm, at least and at most.
const FEWEST: u64 = 18;
const MOST: u64 = 26;
/// The share of places that were busier, by so many changes.
const BUSY: f64 = 0.3;
/// How many more settings were changed without harm, at least and at most: by earlier responders where there were some, and before
/// the onset elsewhere, so that how much a history mentions does not tell which it was.
const FEWEST_TRIED: u64 = 8;
const MOST_TRIED: u64 = 12;
/// The share of what is done during an incident that those on call do.
const ON_CALL: f64 = 0.7;
/// The share of harmless changes of numbers that go the way that could not hurt.
const OTHER_WAY: f64 = 0.2;
/// How far harmless changes of numbers go, of which the first that would not end the incident is taken: a history that never mentions
/// what ends it would give that away.
const DISTANCES: &[f64] = &[1.0, 0.5, 0.25, 0.1];
/// So often one is drawn before a place has had all that it can have.
const TRIES: u64 = 72;
/// The least and the most of the pushed settings that break a place are written down.
const WRITTEN_DOWN: (f64, f64) = (0.42, 0.85);
/// The latest and the earliest that anything is filed before the onset.
const LATEST: Span = Span::secs(20);
const EARLIEST: Span = Span::mins(360);
/// How often the place builds something, and how often anything else that is counted gets a new number.
const BUILT_EVERY: Span = Span::secs(100);
const COUNTED_EVERY: Span = Span::mins(12);

/// The draws for the numbers of what is deployed.
const NUMBERS: u64 = 4;

/// Kinds of harmless changes, by how often they come: settings, deployments, machines, profiles of several settings,
/// canaries, and certificates. A kind that only breaks things would give away those that it breaks.
const SETTINGS: f64 = 0.47;
const DEPLOYMENTS: f64 = 0.8;
const MACHINES: f64 = 0.86;
const PROFILES: f64 = 0.94;
const CANARIES: f64 = 0.96;
/// The share of deployments that go to services with code of their own.
const OWN_CODE: f64 = 0.7;
/// How many times as many machines as now a service had before it was given fewer, at least and at most, ...
const SMALLEST: f64 = 1.5;
const LARGEST: f64 = 20.0;
/// ... and the share of those that were given more, with the most.
const GROWN: f64 = 0.4;
const MOST_GROWN: f64 = 3.0;

/// Files what the faults' authors did: earlier than it had an effect, because what is filed waits for its window. Of pushed
/// settings only the share `written` stands in the history: not all that is done is written down.
pub(super) fn file(plan: &Blueprint, acts: &mut [Vec<Act>], draws: Stream, onset: Time, written: f64) {
    let numbers = draws.within(NUMBERS);
    for (n, act) in acts.iter_mut().flatten().enumerate() {
        let draws = draws.within(0).within(n as u64);
        let at = filed_at(draws, onset);
        if let Some((author, summary)) = &mut act.change {
            *author = plan.team(author).to_string();
            if let Some(number) = numbered(summary, at, numbers) {
                *summary = number;
            }
        }
        act.filed = Some(at);
        if is_setting(&act.mutation) && !draws.at(2).chance(written) {
            act.change = None;
        }
    }
}

/// The share of a place's settings that a history of its length mentions, about. What broke it is mentioned as often as that:
/// where nearly everything is mentioned, what is not would give itself away.
pub(super) fn mentioned(plan: &Blueprint, draws: Stream) -> f64 {
    let middle = |least: u64, most: u64| (least + most) as f64 / 2.0;
    let tried = middle(FEWEST_TRIED, MOST_TRIED);
    let busy = if is_busy(draws) { SETTINGS * tried } else { 0.0 };
    let entries = SETTINGS * middle(FEWEST, MOST) + tried + busy;
    (entries / settings(plan, &BTreeSet::new()).len().max(1) as f64).clamp(WRITTEN_DOWN.0, WRITTEN_DOWN.1)
}

/// Whether a place was busier than others.
fn is_busy(draws: Stream) -> bool {
    draws.within(0).at(1).chance(BUSY)
}

/// A time before the onset, to the millisecond: any is as likely as any other, so that no time of the history is busier, and what comes
/// last is the culprit no more often than what comes first.
fn filed_at(draws: Stream, onset: Time) -> Time {
    onset.back(Span(LATEST.0 + draws.at(0).below(EARLIEST.0 - LATEST.0)))
}

/// A deployment under the number that it has at that time: what is deployed later has a higher one. Nothing else has a number.
fn numbered(summary: &str, at: Time, numbers: Stream) -> Option<String> {
    let rest = summary.strip_prefix("deploy ")?;
    let first = rest.find(|c: char| c.is_ascii_digit())?;
    let (what, rest) = rest.split_at(first);
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let (base, every) = match what {
        "build " => (2000, BUILT_EVERY),
        _ => (100, COUNTED_EVERY),
    };
    let sort = what.bytes().fold(0u64, |sort, byte| sort.wrapping_mul(31).wrapping_add(u64::from(byte)));
    Some(format!("deploy {what}{}{behind}", base + numbers.at(sort).below(700) + at.0 / every.0))
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

/// What the harmless changes of a place follow from.
pub(super) struct Peace {
    pub plan: Arc<Blueprint>,
    pub draws: Stream,
    pub onset: Time,
    /// Between when others responded before, where they did.
    pub tried: Option<(Time, Time)>,
    /// Settings that something spoilt, and services that were given other machines: no harmless change is about them.
    pub spoilt: BTreeSet<(usize, usize)>,
    pub resized: BTreeSet<usize>,
    /// What ends the incident.
    pub conditions: Vec<FixCheck>,
}

impl Peace {
    /// The harmless changes. Each is real: taking it back changes the place. Taking a change back meets none of the conditions that
    /// end the incident. Those who responded before did several things that changed nothing for better or worse.
    pub fn changes(&self) -> Vec<(Filed, Mutation)> {
        let plan = &*self.plan;
        let draws = self.draws.within(1);
        let mut place = Harmony {
            plan,
            free: settings(plan, &self.spoilt),
            taken: &self.spoilt,
            resized: self.resized.clone(),
            conditions: &self.conditions,
            pushes: OnceCell::new(),
        };
        let mut changes: Vec<(Filed, Mutation)> = Vec::with_capacity((MOST + 2 * MOST_TRIED) as usize);
        let numbers = self.draws.within(NUMBERS);
        let filed = |change: &Harmless, team: &str, at: Time| {
            let summary =
                numbered(&change.summary, at, numbers).map_or_else(|| change.summary.as_str().into(), Into::into);
            Filed { author: plan.team(team).into(), service: change.service, summary, at }
        };
        let first = draws.within(0);
        for n in 0..between(FEWEST_TRIED, MOST_TRIED, first.at(0)) {
            let draws = first.within(1 + n);
            let Some(change) = place.setting(draws.within(0)) else { continue };
            let (team, at) = match self.tried {
                Some((from, until)) => {
                    (responder(draws.within(1)), from + Span(draws.at(1).below(until.since(from).0.max(1))))
                }
                None => (*draws.at(1).pick::<&str>(TEAMS), filed_at(draws.within(2), self.onset)),
            };
            changes.push((filed(&change, team, at), change.undo));
        }
        let more = if is_busy(draws) { between(FEWEST_TRIED, MOST_TRIED, draws.within(0).at(2)) } else { 0 };
        let wanted = changes.len() + (between(FEWEST, MOST, draws.at(0)) + more) as usize;
        for n in 0..TRIES {
            if changes.len() == wanted {
                break;
            }
            let draws = draws.within(1 + n);
            let Some(change) = place.one(draws.within(0)) else { continue };
            let team: &str = draws.at(1).pick::<&str>(TEAMS);
            changes.push((filed(&change, team, filed_at(draws.within(2), self.onset)), change.undo));
        }
        changes
    }
}

/// A number between two, both included.
fn between(least: u64, most: u64, draw: Draw) -> u64 {
    least + draw.below(most - least + 1)
}

/// What may be changed without harm.
struct Harmony<'a> {
    plan: &'a Blueprint,
    /// Settings that were not changed yet.
    free: Vec<(usize, usize)>,
    /// Settings that something spoilt.
    taken: &'a BTreeSet<(usize, usize)>,
    /// Services that were given other machines: two such changes would have to agree on what was between them.
    resized: BTreeSet<usize>,
    conditions: &'a [FixCheck],
    /// Where several services could be given a profile, once that was asked for.
    pushes: OnceCell<Vec<FaultArgs>>,
}

/// A change as a fault would make it, in its words: what it is about, and which settings it moves.
struct Likeness {
    service: usize,
    summary: String,
    settings: Vec<(usize, usize)>,
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
            let service = self.deployed(service, draws.within(4));
            let summary = self.plan.deploy_summary(service, draws.within(3));
            return Some(Harmless { service, summary, undo: older(service) });
        }
        if sort < MACHINES {
            if !self.resized.insert(service) {
                return None;
            }
            let is_grown = draws.at(3).chance(GROWN);
            let far = if is_grown { MOST_GROWN } else { LARGEST };
            let far = libm::pow(far / SMALLEST, draws.at(2).unit()) * SMALLEST;
            let share = if is_grown { 1.0 / far } else { far };
            let summary = self.plan.resize_summary(service, share, 1.0);
            return Some(Harmless { service, summary, undo: Mutation::Quota { service, share } });
        }
        match sort {
            s if s < PROFILES => self.profile(draws),
            s if s < CANARIES => {
                let Likeness { service, summary, .. } = self.like("canary_misroute", draws)?;
                Some(Harmless { service, summary, undo: older(service) })
            }
            _ => self.certificate(draws),
        }
    }

    /// The service of a deployment: mostly one that runs its owners' code, which changes more often than a store does.
    fn deployed(&self, any: usize, draws: Stream) -> usize {
        let has_code = |s: &usize| self.plan.services[*s].has(Hazard::Code);
        if !draws.at(0).chance(OWN_CODE) {
            return any;
        }
        let count = (0..self.plan.services.len()).filter(has_code).count() as u64;
        let own = (0..self.plan.services.len()).filter(has_code).nth(draws.at(1).below(count.max(1)) as usize);
        own.unwrap_or(any)
    }

    /// A change of a setting.
    fn setting(&mut self, draws: Stream) -> Option<Harmless> {
        if self.free.is_empty() {
            return None;
        }
        let (service, key) = self.free[draws.at(1).below(self.free.len() as u64) as usize];
        self.free.retain(|other| *other != (service, key));
        let info = &self.plan.services[service];
        let before = self.before(service, key, draws.within(2))?;
        let summary = set_summary(info.kind.keys()[key].name, &before, &info.config[key]);
        Some(Harmless { service, summary, undo: Mutation::Config { service, key, value: before, since: Time(0) } })
    }

    /// A push to several services at once. It moved a free number of each.
    fn profile(&mut self, draws: Stream) -> Option<Harmless> {
        let push = faults::find("correlated_push")?;
        let sites = self.pushes.get_or_init(|| push.sites(self.plan));
        let Likeness { service, summary, settings } = self.at_one_of(push, sites, draws)?;
        let named: BTreeSet<usize> = settings.iter().map(|(service, _)| *service).collect();
        let settings = named.into_iter().map(|service| self.free_number(service, draws.within(4)));
        let settings = settings.collect::<Option<Vec<(usize, usize)>>>()?;
        let undo = |(n, &(service, key)): (usize, &(usize, usize))| {
            let value = self.before(service, key, draws.within(5 + n as u64))?;
            Some(Mutation::Config { service, key, value, since: Time(0) })
        };
        let undo = settings.iter().enumerate().map(undo).collect::<Option<Vec<Mutation>>>()?;
        self.free.retain(|other| !settings.contains(other));
        Some(Harmless { service, summary, undo: Mutation::All(undo) })
    }

    /// A number of a service that was not changed yet.
    fn free_number(&self, service: usize, draws: Stream) -> Option<(usize, usize)> {
        let keys = self.plan.services[service].kind.keys();
        let is_own = |(of, key): &&(usize, usize)| *of == service && matches!(keys[*key].takes, KeyType::Int { .. });
        let own: Vec<(usize, usize)> = self.free.iter().filter(is_own).copied().collect();
        own.get(draws.at(service as u64).below(own.len().max(1) as u64) as usize).copied()
    }

    /// A certificate was installed in time: the one before it is worth nothing any more.
    fn certificate(&mut self, draws: Stream) -> Option<Harmless> {
        let Likeness { service, summary, settings } = self.like("certificate_mismatch", draws)?;
        let (service_of, key) = *settings.first()?;
        let value = Value::Bool(!self.plan.services[service_of].config[key].bool());
        let is_free = !self.taken.contains(&(service_of, key)) && !self.would_end(service_of, key, &value);
        let undo = Mutation::Config { service: service_of, key, value, since: Time(0) };
        is_free.then_some(Harmless { service, summary, undo })
    }

    /// A change of the kind that a fault makes, at one of the places where it could.
    fn like(&self, fault: &str, draws: Stream) -> Option<Likeness> {
        let fault = faults::find(fault)?;
        self.at_one_of(fault, &fault.sites(self.plan), draws)
    }

    fn at_one_of(&self, fault: &dyn Fault, sites: &[FaultArgs], draws: Stream) -> Option<Likeness> {
        let mut args = sites.get(draws.at(1).below(sites.len().max(1) as u64) as usize)?.clone();
        if let Some(severity) = fault.severity() {
            let number = draws.at(2).between(severity.mild, severity.severe);
            args.0.insert(severity.arg.to_string(), format!("{number:.2}"));
        }
        let act = fault.plan(&args, self.plan, Seed(draws.at(3).bits())).ok()?.into_iter().next()?;
        let summary = act.change.as_ref()?.1.clone();
        Some(Likeness { service: self.plan.service(args.said("service"))?, summary, settings: act.mutation.settings() })
    }

    /// What a setting was before a change that did no harm, unless taking it back would end the incident.
    fn before(&self, service: usize, key: usize, draws: Stream) -> Option<Value> {
        let info = &self.plan.services[service];
        let mut tried =
            DISTANCES.iter().filter_map(|far| before(&info.kind.keys()[key], &info.config[key], draws, *far));
        tried.find(|before| !self.would_end(service, key, before))
    }

    /// Whether a value meets a condition of the fix that the present one does not meet.
    fn would_end(&self, service: usize, key: usize, value: &Value) -> bool {
        let now = &self.plan.services[service].config[key];
        let own = |c: &&FixCheck| c.setting() == Some((service, key));
        self.conditions.iter().filter(own).any(|c| c.allows(value) && !c.allows(now))
    }
}

/// What takes a deployment back: the build before it.
fn older(service: usize) -> Mutation {
    Mutation::Build { service, build: Build { older: true, ..Build::CLEAN }, since: Time(0) }
}

/// All settings that a push could spoil, but those that are taken.
fn settings(plan: &Blueprint, taken: &BTreeSet<(usize, usize)>) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    for (service, info) in plan.services.iter().enumerate() {
        let spoilable = info.kind.keys().iter().enumerate().filter(|(_, key)| key.bad().is_some());
        all.extend(spoilable.map(|(key, _)| (service, key)));
    }
    all.retain(|setting| !taken.contains(setting));
    all
}

/// What a setting was before a change that did no harm: so much as far from what it is as a push that hurts goes.
fn before(key: &world::Key, now: &Value, draws: Stream, far: f64) -> Option<Value> {
    let before = match (key.takes, now, key.bad()?) {
        (KeyType::Int { min, max, .. }, Value::Int(now), Bad::Times(by)) => {
            // A push that hurts goes as far as this, or part of the way.
            let by = libm::pow(by, 1.0 - 0.6 * draws.at(1).unit()) * draws.at(0).between(0.8, 1.1);
            let by = if draws.at(2).chance(OTHER_WAY) { 1.0 / by } else { by };
            Value::Int(round(*now as f64 / libm::pow(by, far)).clamp(min, max))
        }
        (KeyType::Int { min, max, .. }, Value::Int(now), Bad::Is(_)) => {
            let by = libm::pow(draws.at(0).between(0.3, 0.8), far);
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
    fn what_is_filed_lies_before_the_onset_and_no_time_is_busier() {
        let onset = Time(36_000_000);
        let times: Vec<Time> = (0..600).map(|n| filed_at(Seed(n).stream("test"), onset)).collect();
        assert!(times.iter().all(|t| *t <= onset.back(LATEST) && *t > onset.back(EARLIEST)));
        assert!(times.iter().filter(|t| t.secs() % 60 == 0).count() < 30);
        for hour in 0..6 {
            let filed = times.iter().filter(|t| onset.since(**t).0 / Span::hours(1).0 == hour).count();
            assert!((70..130).contains(&filed), "{filed} of 600 are filed {hour} to {} hours before", hour + 1);
        }
    }

    #[test]
    fn what_is_deployed_later_has_a_higher_number() {
        let numbers = Seed(7).stream("test");
        let number = |summary: &str, minutes: u64| {
            let text = numbered(summary, Time(0) + Span::mins(minutes), numbers).expect("it is a deployment");
            let digits = text.split_whitespace().find_map(|word| word.parse::<u64>().ok());
            digits.unwrap_or_else(|| panic!("no number: {text}"))
        };
        assert!(number("deploy build 2411 (cleanup)", 605) > number("deploy build 2900 (cleanup)", 600));
        assert!(number("deploy client roles revision 7", 630) > number("deploy client roles revision 9", 600));
        let set = "set TTL_SECONDS from 3 to 300";
        assert_eq!(numbered(set, Time(0) + Span::mins(600), numbers), None);
        assert!(
            numbered("deploy build 2411 (flag on for 25% of users)", Time(0), numbers)
                .expect("it is a deployment")
                .ends_with(" (flag on for 25% of users)")
        );
    }
}
