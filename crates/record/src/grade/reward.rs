//! The reward, step by step: what each turn of the agent earns and costs.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::causes;
use super::coverage::EvidenceCoverage;
use super::diagnosis;
use super::parts::Parts;
use super::remedy::{Ledger, Remedy};
use crate::{EndReason, Fact, Step, TaskCard};

/// The tool that declares an incident over.
const RESOLVE: &str = "resolve_incident";
/// The tool that hands an incident over.
const ESCALATE: &str = "escalate";

// Penalties are whole hundredths, so that no rounding creeps in however many there are.
const INVALID: u32 = 5;
const INVALID_AGAIN: u32 = 10;
const WRONG_REMEDIATION: u32 = 15;
const UNRELATED_RESTART: u32 = 10;
const NOTHING_NEW: u32 = 5;
const WRONG_RESOLUTION: u32 = 20;

/// So many restarts of unrelated services a success may have.
const NEEDLESS_RESTARTS: u32 = 1;

/// Follows one episode and gives the reward of each step: the change of the raw score.
///
/// Feed it every step in order, then end it once. Whether a resolution was right is known only
/// after the verification window, so [`Scorer::feed`] of the resolving step pays for the diagnosis,
/// and [`Scorer::end`] returns what remains (resolution and efficiency, or the penalty): add that
/// to the last step's reward.
#[derive(Clone, Debug)]
pub struct Scorer {
    card: Arc<TaskCard>,
    seen: EvidenceCoverage,
    pub(super) ledger: Ledger,
    pub(super) tally: Tally,
    parts: Parts,
    invalid_texts: BTreeSet<String>,
    calls_since_act: BTreeSet<String>,
    facts_since_act: Vec<u64>,
}

/// What is counted along the way.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub steps: u32,
    pub invalid: u32,
    pub right: u32,
    pub wrong: u32,
    /// Wrong ones that set the right key to a value that the task does not list.
    pub near: u32,
    /// Wrong ones that moved a lever on the incident's loop.
    pub on_levers: u32,
    pub undone: u32,
    pub on_distractors: u32,
    /// Restarts of services that neither the cause nor the fix is about.
    pub needless_restarts: u32,
    pub on_target: bool,
    /// What the agent said had ended it.
    pub fix_said: Option<String>,
    pub first_wrong: Option<u32>,
    pub recovered: Option<u32>,
}

impl Scorer {
    /// A scorer for one episode of this task.
    pub fn new(card: &TaskCard) -> Scorer {
        Scorer::sharing(&Arc::new(card.clone()))
    }

    /// The same, for many episodes of one task.
    pub fn sharing(card: &Arc<TaskCard>) -> Scorer {
        Scorer {
            card: card.clone(),
            seen: EvidenceCoverage::new(&card.evidence),
            ledger: Ledger::new(card),
            tally: Tally::default(),
            parts: Parts::default(),
            invalid_texts: BTreeSet::new(),
            calls_since_act: BTreeSet::new(),
            facts_since_act: Vec::new(),
        }
    }

    /// Takes one step and returns its reward, between -1 and 1.
    pub fn feed(&mut self, step: &Step) -> f64 {
        let before = self.raw();
        self.tally.steps += 1;
        if step.invalid.is_some() {
            self.charge_invalid(step);
        } else {
            self.take_valid(step);
        }
        (self.raw() - before).clamp(-1.0, 1.0)
    }

    /// Ends the episode and returns what the last step's reward still lacks. `mitigated` is the
    /// verdict after the verification window; it matters only if the agent resolved.
    pub fn end(&mut self, reason: EndReason, mitigated: bool) -> f64 {
        let before = self.raw();
        // Restarting one thing after another until it stops is no repair: each restart drops what was in flight.
        let mitigated = mitigated && self.tally.needless_restarts <= NEEDLESS_RESTARTS;
        match (reason, mitigated) {
            (EndReason::Resolved, true) => {
                self.parts.resolution = true;
                self.parts.efficiency = self.budget_left();
                self.accept_other_way();
            }
            (EndReason::Resolved, false) => self.parts.penalty += WRONG_RESOLUTION,
            // An agent that hands over without having understood anything leaves nothing behind.
            (EndReason::Escalated, _) if !self.parts.root_cause => self.parts.coverage = 0.0,
            _ => {}
        }
        (self.raw() - before).clamp(-1.0, 1.0)
    }

    /// The verification window has the last word: another value of the right setting that ended the
    /// incident was right after all, and its price is paid back. So is that of all steps on levers, because a
    /// loop is often broken in steps.
    fn accept_other_way(&mut self) {
        let accepted = self.tally.near.min(1) + self.tally.on_levers;
        if self.parts.remediation || accepted == 0 {
            return;
        }
        self.parts.remediation = true;
        self.parts.penalty -= accepted * WRONG_REMEDIATION;
        self.tally.wrong -= accepted;
        self.tally.right += accepted;
        if self.tally.wrong == 0 {
            (self.tally.first_wrong, self.tally.recovered) = (None, None);
        }
    }

    /// The unclipped score so far.
    pub fn raw(&self) -> f64 {
        self.parts.raw()
    }

    /// The score so far, between 0 and 1.
    pub fn reward(&self) -> f64 {
        self.raw().clamp(0.0, 1.0)
    }

    /// The score so far, part by part.
    pub fn parts(&self) -> Parts {
        self.parts
    }

    fn budget_left(&self) -> f64 {
        if self.card.steps == 0 {
            return 0.0;
        }
        1.0 - f64::from(self.tally.steps.min(self.card.steps)) / f64::from(self.card.steps)
    }

    fn charge_invalid(&mut self, step: &Step) {
        self.tally.invalid += 1;
        let text = step.text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.parts.penalty += if self.invalid_texts.insert(text) { INVALID } else { INVALID_AGAIN };
    }

    fn take_valid(&mut self, step: &Step) {
        self.seen.see(&step.facts);
        self.parts.coverage = self.seen.share();
        let judged = self.ledger.judge(&step.touched);
        let remedy = self.by_state(judged, step);
        if remedy == Remedy::Nothing {
            self.take_look(step);
        } else {
            self.take_act(step, remedy);
        }
        self.note_recovery();
    }

    /// The state reached counts, not the way: a change that ends the defect by a way of its own is right.
    fn by_state(&self, judged: Remedy, step: &Step) -> Remedy {
        let ended_it = judged == Remedy::Wrong && step.fixed && self.tally.right == 0;
        if ended_it { Remedy::Right } else { judged }
    }

    fn take_look(&mut self, step: &Step) {
        // The fix may take hold only after the step that made it: a restart takes its time.
        self.parts.remediation |= step.fixed && self.tally.right > 0;
        if step.tool == RESOLVE || step.tool == ESCALATE {
            return self.take_diagnosis(step);
        }
        let call = step.call.as_ref().unwrap_or(&step.text);
        let asked_before = !self.calls_since_act.insert(call.clone());
        let facts: Vec<u64> = step.facts.iter().map(fingerprint).collect();
        if asked_before && facts.iter().all(|fact| self.facts_since_act.contains(fact)) {
            self.parts.penalty += NOTHING_NEW;
        }
        self.facts_since_act.extend(facts);
    }

    fn take_act(&mut self, step: &Step, remedy: Remedy) {
        self.calls_since_act.clear();
        self.facts_since_act.clear();
        let services: Vec<&str> = step.touched.iter().filter_map(|touch| touch.service()).collect();
        self.tally.on_target |= remedy != Remedy::Undo && services.iter().any(|service| self.ledger.is_target(service));
        match remedy {
            Remedy::Right => self.tally.right += 1,
            Remedy::Undo => self.tally.undone += 1,
            Remedy::Wrong => self.charge_wrong(step, &services),
            Remedy::Nothing => {}
        }
        // Credit follows the state: a fix that the agent breaks again is no fix.
        self.parts.remediation = step.fixed && self.tally.right > 0;
    }

    fn charge_wrong(&mut self, step: &Step, services: &[&str]) {
        self.tally.wrong += 1;
        let near = self.ledger.touches_the_fix(&step.touched);
        self.tally.near += u32::from(near);
        self.tally.on_levers += u32::from(!near && self.ledger.touches_a_lever(&step.touched));
        self.tally.first_wrong.get_or_insert(self.tally.steps);
        self.tally.recovered = None;
        self.parts.penalty += WRONG_REMEDIATION;
        if self.ledger.restarts_unrelated(&step.touched) {
            self.tally.needless_restarts += 1;
            self.parts.penalty += UNRELATED_RESTART;
        }
        if services.iter().any(|service| self.card.distractors.iter().any(|name| name == service)) {
            self.tally.on_distractors += 1;
        }
    }

    fn take_diagnosis(&mut self, step: &Step) {
        let text = |name: &str| step.args.get(name).map_or("", String::as_str);
        // A cause named without having seen any of its signs is a guess, however lucky.
        let said = if step.tool == ESCALATE { text("reason") } else { text("root_cause") };
        let named = || causes::judge(&self.card, said, text("causes")).all();
        self.parts.root_cause = self.parts.coverage > 0.0 && named();
        self.tally.fix_said = step.args.get("fix").cloned();
    }

    /// Whether the fix was named in words. No reward depends on it, so it is judged only when asked for.
    pub(super) fn fix_named(&self) -> bool {
        self.tally.fix_said.as_ref().is_some_and(|said| diagnosis::names_fix(said, &self.card.fix))
    }

    fn note_recovery(&mut self) {
        let over = self.tally.first_wrong.is_some() && self.parts.remediation && self.ledger.is_clean();
        if over {
            self.tally.recovered.get_or_insert(self.tally.steps);
        }
    }
}

/// A fact as a number: steps are many, and whole facts would be costly to keep. Eight bytes at a time, the same everywhere.
fn fingerprint(fact: &Fact) -> u64 {
    let mixed = |hash: u64, word: u64| {
        let product = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        product ^ (product >> 32)
    };
    let text = |hash: u64, text: &str| {
        let (words, rest) = text.as_bytes().as_chunks::<8>();
        let hash = words.iter().fold(hash, |hash, word| mixed(hash, u64::from_le_bytes(*word)));
        let last = rest.iter().fold(rest.len() as u64, |last, byte| last << 8 | u64::from(*byte));
        mixed(hash, last)
    };
    let kind = fact.kind as u64 * 2 + u64::from(fact.telling);
    text(text(mixed(0xcbf2_9ce4_8422_2325, kind), &fact.service), &fact.item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grade::stage::{act, card, invalid, look, resolve};

    const CAUSE: &str = "cache TTL_SECONDS was set to 5, so entries expired at once";

    /// Feeds the steps, ends the episode, and compares all rewards in hundredths.
    fn check(steps: &[Step], end: (EndReason, bool), expect: &[i32]) {
        let mut scorer = Scorer::new(&card());
        let mut rewards: Vec<f64> = steps.iter().map(|step| scorer.feed(step)).collect();
        rewards.push(scorer.end(end.0, end.1));
        let cents: Vec<i32> = rewards.iter().map(|reward| (reward * 100.0).round() as i32).collect();
        let calls: Vec<&str> = steps.iter().map(|step| step.text.as_str()).collect();
        assert_eq!(cents, expect, "{calls:?}");
    }

    fn metrics() -> Step {
        look("inspect_metrics(cache)", &["metrics cache hit_rate"])
    }

    fn config() -> Step {
        look("inspect_config(cache)", &["config cache TTL_SECONDS"])
    }

    fn fix() -> Step {
        act("cache.TTL_SECONDS 5 300", true)
    }

    #[test]
    fn a_clean_episode_earns_every_part() {
        let steps = [metrics(), config(), fix(), resolve(CAUSE, "raise TTL_SECONDS")];
        check(&steps, (EndReason::Resolved, true), &[10, 10, 25, 25, 25]);
    }

    #[test]
    fn a_wrong_resolution_costs() {
        check(&[resolve("no idea", "none")], (EndReason::Resolved, false), &[0, -20]);
        check(&[metrics(), resolve(CAUSE, "none")], (EndReason::Resolved, false), &[10, 25, -20]);
        check(&[metrics()], (EndReason::Escalated, false), &[10, -10]);
        let mut handed_over = resolve("", "");
        handed_over.tool = "escalate".into();
        check(&[metrics(), handed_over.clone()], (EndReason::Escalated, false), &[10, 0, -10]);
        handed_over.args.insert("reason".into(), CAUSE.into());
        check(&[metrics(), handed_over], (EndReason::Escalated, false), &[10, 25, 0]);
        check(&[metrics()], (EndReason::BudgetSpent, true), &[10, 0]);
    }

    #[test]
    fn another_value_that_ends_the_incident_is_right_after_all() {
        let other = act("cache.TTL_SECONDS 5 90", false);
        let steps = [metrics(), config(), other.clone(), resolve(CAUSE, "raise TTL_SECONDS")];
        check(&steps, (EndReason::Resolved, true), &[10, 10, -15, 25, 65]);
        check(&[other, resolve("no idea", "none")], (EndReason::Resolved, false), &[-15, 0, -20]);
    }

    #[test]
    fn a_cause_named_without_a_sign_of_it_is_a_guess() {
        check(&[resolve(CAUSE, "none")], (EndReason::Resolved, false), &[0, -20]);
        let elsewhere = look("inspect_metrics(database)", &["metrics database read_iops"]);
        check(&[elsewhere, resolve(CAUSE, "none")], (EndReason::Resolved, false), &[0, 0, -20]);
    }

    #[test]
    fn invalid_actions_cost_more_the_second_time() {
        let steps = [invalid("dance"), invalid("dance "), invalid("sing"), invalid("dance")];
        check(&steps, (EndReason::GaveUp, false), &[-5, -10, -5, -10, 0]);
    }

    #[test]
    fn looking_again_costs_only_if_it_brings_nothing() {
        let more = look("inspect_metrics(cache)", &["metrics cache evictions_per_min"]);
        check(&[metrics(), metrics(), more.clone(), more], (EndReason::GaveUp, false), &[10, -5, 0, -5, 0]);
        check(&[metrics(), fix(), metrics(), metrics()], (EndReason::GaveUp, false), &[10, 25, 0, -5, 0]);
    }

    #[test]
    fn wrong_remedies_cost_and_undoing_is_free() {
        let wrong = act("database.DB_POOL_SIZE 50 90", false);
        let undo = act("database.DB_POOL_SIZE 90 50", false);
        check(&[wrong, undo, fix()], (EndReason::GaveUp, false), &[-15, 0, 25, 0]);
        check(&[act("restart web_server", false)], (EndReason::GaveUp, false), &[-25, 0]);
        check(&[act("restart cache", false)], (EndReason::GaveUp, false), &[-15, 0]);
        check(&[act("silence page", false)], (EndReason::GaveUp, false), &[-15, 0]);
    }

    #[test]
    fn credit_for_the_fix_follows_the_state() {
        let broken = act("cache.TTL_SECONDS 300 5", false);
        check(&[fix(), broken, fix()], (EndReason::GaveUp, false), &[25, -40, 25, 0]);
        let late = Step { fixed: true, ..look("check_status(cache)", &[]) };
        check(&[act("cache.TTL_SECONDS 5 300", false), late], (EndReason::GaveUp, false), &[0, 25, 0]);
    }
}
