//! The blind ceiling: what the best agent reaches that looks at no symptom, and what others reach beyond it.

use serde::{Deserialize, Serialize};

/// The names of the blind family begin with this.
pub const PREFIX: &str = "blind-";

/// Members under other names: exploit agents that look at no symptom either.
pub const OTHERS: &[&str] = &["restart-all", "rollback-last", "rollback-everything", "undo-the-real-key"];

/// Whether an agent looks at no symptom.
pub fn is_blind(agent: &str) -> bool {
    agent.starts_with(PREFIX) || OTHERS.contains(&agent)
}

/// The best that was reached without a look at a symptom.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BlindCeiling {
    /// The suite.
    pub suite: String,
    /// The blind agent that came furthest.
    pub agent: String,
    /// Its success rate.
    pub success_rate: f64,
}

impl BlindCeiling {
    /// The ceiling of a suite: of its agents with their success rates, the best that is blind. The first of equals.
    pub fn of<'a>(suite: &str, agents: impl IntoIterator<Item = (&'a str, f64)>) -> Option<BlindCeiling> {
        let mut best: Option<(&str, f64)> = None;
        for (agent, rate) in agents.into_iter().filter(|(agent, _)| is_blind(agent)) {
            if best.is_none_or(|(_, most)| rate > most) {
                best = Some((agent, rate));
            }
        }
        best.map(|(agent, success_rate)| BlindCeiling {
            suite: suite.to_owned(),
            agent: agent.to_owned(),
            success_rate,
        })
    }

    /// The part of what the ceiling leaves over that an agent reaches: 1 is everything, 0 is no more than a blind
    /// agent does. Nothing where the ceiling leaves nothing over.
    pub fn skill(&self, success_rate: f64) -> Option<f64> {
        let left = 1.0 - self.success_rate;
        (left > 0.0).then(|| (success_rate - self.success_rate) / left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skill_is_what_goes_beyond_the_best_blind_agent() {
        let rates = [("runbook", 0.8), ("blind-page", 0.1), ("rollback-everything", 0.2), ("blind-id", 0.2)];
        let ceiling = BlindCeiling::of("forty", rates).expect("three are blind");
        assert_eq!((ceiling.agent.as_str(), ceiling.success_rate), ("rollback-everything", 0.2));
        let skill = |rate: f64| ceiling.skill(rate).expect("something is left");
        assert!((skill(0.8) - 0.75).abs() < 1e-9 && skill(0.2) == 0.0 && skill(1.0) == 1.0 && skill(0.0) < 0.0);
        assert_eq!(BlindCeiling::of("forty", [("runbook", 0.8)]), None);
        assert_eq!(BlindCeiling { success_rate: 1.0, ..ceiling }.skill(1.0), None);
    }
}
