//! `blind-likelihood` and its kin: by Bayes' rule over everything that is no symptom, what most likely ended an incident
//! that looks like this. Each mark (the page, the budget, each setting, each kind of change) counts by how often it was
//! seen with each kind of solution.

use std::collections::BTreeMap;

use harness::{Example, Memory};

use super::deeds::{Decision, Deed};
use super::discriminant::Discriminant;
use super::marks::{MarkKinds, signs};
use super::seen::Seen;
use super::transfer::Remembered;
use super::{BlindPolicy, Reads};

/// Which marks a policy goes by, and how much it does about it.
pub struct Likelihood {
    name: &'static str,
    about: &'static str,
    with: MarkKinds,
    /// Besides what is likeliest, a restart of what is likeliest to need one.
    also_restarts: bool,
}

/// By everything.
pub static BY_ALL: Likelihood = Likelihood {
    name: "blind-likelihood",
    about: "does what is likeliest by page, budget, settings and changes, as learned from remembered incidents",
    with: MarkKinds { settings: true, numbers: true, changes: true },
    also_restarts: false,
};

/// By the page and the switches.
pub static BY_SWITCHES: Likelihood = Likelihood {
    name: "blind-likely-switches",
    about: "does what is likeliest by page, budget and switches, as learned from remembered incidents",
    with: MarkKinds { settings: true, numbers: false, changes: false },
    also_restarts: false,
};

/// By the page and the change history.
pub static BY_CHANGES: Likelihood = Likelihood {
    name: "blind-likely-changes",
    about: "does what is likeliest by page, budget, switches and changes, as learned from remembered incidents",
    with: MarkKinds { settings: true, numbers: false, changes: true },
    also_restarts: false,
};

/// Several fixes in one episode.
pub static SEVERAL: Likelihood = Likelihood {
    name: "blind-several",
    about: "does what is likeliest by all that is no symptom, and restarts the service that is likeliest to need it",
    with: MarkKinds { settings: true, numbers: false, changes: true },
    also_restarts: true,
};

impl BlindPolicy for Likelihood {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn reads(&self) -> Reads {
        Reads::All
    }

    fn decide(&self, seen: &Seen, memory: &Memory) -> Decision {
        let beliefs = memory.lesson(self.name, |examples: &[Example]| Beliefs::learn(examples, self.with));
        let ranked = beliefs.ranked(seen);
        let Some(best) = ranked.first() else { return Decision::nothing() };
        let mut decision = best.typical(seen).apply(seen);
        if self.also_restarts {
            let is_restart = |kind: &&&KindOfFix| kind.name.starts_with("restart") && kind.name != best.name;
            let restarts = ranked.iter().filter(is_restart).take(1).map(|kind| kind.typical(seen).apply(seen));
            decision.deeds.extend(restarts.flat_map(|other| other.deeds).filter(|d| matches!(d, Deed::Restart(_))));
        }
        decision
    }
}

/// A kind of solution, with the incidents that it ended.
struct KindOfFix {
    name: String,
    ended: Vec<Remembered>,
    /// How often each mark was seen with it.
    marks: BTreeMap<String, f64>,
}

impl KindOfFix {
    /// The incident that stands for it: of those that set a value, the one that moved it by a middling factor.
    fn typical(&self, seen: &Seen) -> &Remembered {
        let factor = |one: &Remembered| {
            let set = one.apply(seen).deeds.into_iter().find_map(|deed| match deed {
                Deed::Set(_, _, value) => value.parse::<f64>().ok(),
                _ => None,
            });
            set.unwrap_or(0.0)
        };
        let mut order: Vec<&Remembered> = self.ended.iter().collect();
        order.sort_by(|a, b| factor(a).total_cmp(&factor(b)));
        order[order.len() / 2]
    }
}

/// What was learned.
struct Beliefs {
    with: MarkKinds,
    kinds: Vec<KindOfFix>,
    /// How often each mark was seen at all.
    all: BTreeMap<String, f64>,
    count: f64,
    numbers: Option<Discriminant>,
}

/// How many incidents' worth of doubt there is about how often a mark goes with a kind.
const DOUBT: f64 = 3.0;

impl Beliefs {
    fn learn(examples: &[Example], with: MarkKinds) -> Beliefs {
        let mut kinds: BTreeMap<String, KindOfFix> = BTreeMap::new();
        let mut all: BTreeMap<String, f64> = BTreeMap::new();
        let mut rows = Vec::new();
        for one in examples.iter().map(Remembered::of) {
            let found = signs(&one.seen, with);
            let name = one.kind();
            rows.push((name.clone(), found.numbers));
            let kind = kinds.entry(name.clone()).or_insert_with(|| KindOfFix {
                name,
                ended: Vec::new(),
                marks: BTreeMap::new(),
            });
            for mark in found.marks {
                *kind.marks.entry(mark.clone()).or_default() += 1.0;
                *all.entry(mark).or_default() += 1.0;
            }
            kind.ended.push(one);
        }
        let count = examples.len() as f64;
        let numbers = with.numbers.then(|| Discriminant::learn(&rows)).flatten();
        Beliefs { with, kinds: kinds.into_values().collect(), all, count, numbers }
    }

    /// All kinds, the likeliest first.
    fn ranked(&self, seen: &Seen) -> Vec<&KindOfFix> {
        let found = signs(seen, self.with);
        let chance = |kind: &KindOfFix| {
            let cases = kind.ended.len() as f64;
            let one = |mark: &String| {
                let usual = (self.all.get(mark).copied().unwrap_or(0.0) + 0.5) / (self.count + 1.0);
                let own = kind.marks.get(mark).copied().unwrap_or(0.0);
                libm::log((own + DOUBT * usual) / (cases + DOUBT))
            };
            let numbers = self.numbers.as_ref().map_or(0.0, |n| n.score(&kind.name, &found.numbers));
            libm::log(cases) + found.marks.iter().map(one).sum::<f64>() + numbers
        };
        let mut ranked: Vec<(f64, &KindOfFix)> = self.kinds.iter().map(|kind| (chance(kind), kind)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked.into_iter().map(|(_, kind)| kind).collect()
    }
}
