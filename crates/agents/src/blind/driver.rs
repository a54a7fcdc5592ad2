//! How every blind agent plays: it reads what is no symptom, decides once, acts and resolves.

use std::collections::VecDeque;
use std::sync::Arc;

use harness::{Agent, Brief, Memory, Move, Turn};

use super::deeds::Decision;
use super::seen::Seen;
use super::{BlindPolicy, Reads};

/// Steps that are kept for acting and resolving while it still reads.
const KEPT: u32 = 3;

/// A blind policy in the middle of an episode.
pub(super) struct BlindAgent {
    policy: &'static dyn BlindPolicy,
    memory: Arc<Memory>,
    seen: Seen,
    asked: Option<Look>,
    looks: Option<VecDeque<Look>>,
    decision: Option<Decision>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Look {
    Changes,
    Config(String),
}

impl BlindAgent {
    pub fn new(policy: &'static dyn BlindPolicy, brief: &Brief, memory: Arc<Memory>) -> BlindAgent {
        BlindAgent { policy, memory, seen: Seen::of_brief(brief), asked: None, looks: None, decision: None }
    }

    /// The next look, if one is wanted and there is time for it.
    fn look(&mut self, turn: &Turn<'_>) -> Option<String> {
        if self.looks.is_none() {
            self.looks = Some(self.first_looks(turn.brief));
        }
        if turn.steps_left <= KEPT {
            return None;
        }
        let next = self.looks.as_mut()?.pop_front()?;
        let call = match &next {
            Look::Changes => "list_changes()".to_string(),
            Look::Config(service) => format!("inspect_config({service})"),
        };
        self.asked = Some(next);
        Some(call)
    }

    fn first_looks(&self, brief: &Brief) -> VecDeque<Look> {
        let mut looks = VecDeque::new();
        let has_history = brief.tools.iter().any(|tool| tool.name == "list_changes");
        if has_history && self.policy.reads() != Reads::Brief {
            looks.push_back(Look::Changes);
        }
        if self.policy.reads() == Reads::All {
            looks.extend(self.seen.by_nearness().into_iter().map(|at| Look::Config(self.seen.services[at].clone())));
        }
        looks
    }

    fn read(&mut self, observation: &str) {
        match self.asked.take() {
            Some(Look::Changes) => {
                self.seen.read_changes(observation);
                // Where something was changed is looked into first.
                let changed = |look: &Look| match look {
                    Look::Config(name) => !self.seen.rows.iter().any(|row| row.service == *name),
                    Look::Changes => false,
                };
                self.looks.iter_mut().for_each(|looks| looks.make_contiguous().sort_by_key(changed));
            }
            Some(Look::Config(service)) => self.seen.read_config(&service, observation),
            None => {}
        }
    }
}

impl Agent for BlindAgent {
    fn act(&mut self, turn: &Turn<'_>) -> Move {
        self.read(turn.observation);
        if self.decision.is_none() {
            if let Some(call) = self.look(turn) {
                return call.into();
            }
            let mut decision = self.policy.decide(&self.seen, &self.memory);
            decision.deeds.reverse();
            self.decision = Some(decision);
        }
        let decision = self.decision.as_mut().expect("it has just decided");
        let deed = if turn.steps_left > 1 { decision.deeds.pop() } else { None };
        deed.map_or_else(|| decision.resolution(), |deed| deed.call()).into()
    }
}
