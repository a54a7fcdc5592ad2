//! `random` at a terminal: throws dice over commands that any operator knows.

use harness::{Agent, Move, Turn};

use super::diagnosis;
use crate::dice::Dice;

/// Commands that look or touch; `{}` is a Deployment that it has seen.
const LINES: &[&str] = &[
    "kubectl get pods",
    "kubectl get deployments",
    "kubectl get events",
    "kubectl get services",
    "kubectl describe deployment {}",
    "kubectl logs deployment/{} --tail=20",
    "kubectl rollout restart deployment/{}",
    "kubectl rollout undo deployment/{}",
    "kubectl scale deployment/{} --replicas=2",
    "kubectl delete pod --all",
    "wait(60)",
];
const GUESSES: &[&str] = &["a bad image", "a wrong setting", "the network", "a full disk", "too little memory"];

/// An agent that throws dice.
pub(crate) struct RandomAtTerminal {
    dice: Dice,
    seen: Vec<String>,
    has_diagnosed: bool,
}

impl RandomAtTerminal {
    pub(crate) fn new(seed: u64) -> RandomAtTerminal {
        RandomAtTerminal { dice: Dice::new(seed), seen: Vec::new(), has_diagnosed: false }
    }
}

impl Agent for RandomAtTerminal {
    fn act(&mut self, turn: &Turn<'_>) -> Move {
        for line in turn.observation.lines() {
            let first = line.split_whitespace().next().unwrap_or_default();
            let is_name = first.len() > 2 && first.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
            if is_name && !self.seen.iter().any(|known| known == first) {
                self.seen.push(first.to_string());
            }
        }
        let at = self.dice.below(self.seen.len().max(1));
        let name = self.seen.get(at).cloned().unwrap_or_else(|| "frontend".to_string());
        if self.dice.percent(12) {
            if self.has_diagnosed {
                return "submit()".to_string().into();
            }
            self.has_diagnosed = true;
            return diagnosis(&format!("{name}: {}", self.dice.pick(GUESSES)), "").into();
        }
        self.dice.pick(LINES).replace("{}", &name).into()
    }
}
