//! What a learner is paid. The published reward is the score's change step by step; the others are
//! made of the same record.

use std::str::FromStr;

use faces::unknown_name;

use harness::{Player, Trainer};

/// What is paid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RewardScheme {
    /// The published reward: each step's change of the raw score.
    #[default]
    Published,
    /// 1 at the end if the incident was resolved and over, else 0.
    Sparse,
    /// At the end, the share of the users' harm that was avoided, between -1 and 1; it is negative if
    /// the responder made things worse.
    Impact,
}

/// Pay for what has been shown, in a way that leaves the best policy as it is: each step is paid
/// `gamma * potential(after) - potential(before)`, which sums up to nothing that depends on the way
/// (Ng, Harada and Russell 1999).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shaping {
    /// The learner's discount.
    pub gamma: f64,
    /// What having seen all evidence is worth.
    pub weight: f64,
}

impl RewardScheme {
    /// All, by name.
    pub const ALL: [(&'static str, RewardScheme); 3] =
        [("published", RewardScheme::Published), ("sparse", RewardScheme::Sparse), ("impact", RewardScheme::Impact)];

    /// What the last step of a player is worth.
    pub fn pay(self, trainer: &Trainer, player: &Player) -> f64 {
        match self {
            RewardScheme::Published => trainer.reward(player),
            _ if !player.is_over() => 0.0,
            RewardScheme::Sparse => f64::from(u8::from(trainer.parts(player).resolution)),
            RewardScheme::Impact => {
                let Some(score) = trainer.score(player) else { return 0.0 };
                // Where nothing was changed, nothing was avoided: courses that are run in ticks of different lengths
                // differ by a little all the same.
                if score.remediations() + score.undone_remediations == 0 {
                    return 0.0;
                }
                score.harm_avoided.unwrap_or(0.0).clamp(-1.0, 1.0)
            }
        }
    }
}

impl FromStr for RewardScheme {
    type Err = String;

    fn from_str(text: &str) -> Result<RewardScheme, String> {
        let known = RewardScheme::ALL.map(|(name, _)| name);
        let found = RewardScheme::ALL.into_iter().find(|(name, _)| *name == text);
        found.map(|(_, scheme)| scheme).ok_or_else(|| unknown_name("reward", text, &known, "known are"))
    }
}

impl Shaping {
    /// The potential: the share of the incident's evidence that has been shown. Where an episode has
    /// come to its end there is none; where only the budget ran out there is, because a learner
    /// goes on estimating from there.
    pub fn potential(&self, trainer: &Trainer, player: &Player, terminated: bool) -> f64 {
        if terminated { 0.0 } else { self.weight * trainer.parts(player).coverage }
    }

    /// What is paid on top for a step between two potentials.
    pub fn pay(&self, before: f64, after: f64) -> f64 {
        self.gamma * after - before
    }
}
