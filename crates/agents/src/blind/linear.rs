//! `blind-linear`: a linear model over everything that is no symptom, trained on a thousand solved incidents, ranks
//! all that could be done.

use std::collections::BTreeMap;

use harness::{Example, Memory};

use super::candidates::{Candidate, candidates};
use super::deeds::{Decision, Deed};
use super::logistic::{Logistic, places};
use super::norms::{Norms, wrong_settings};
use super::odd_config::set;
use super::seconds::undo;
use super::seen::Seen;
use super::transfer::Remembered;
use super::{BlindPolicy, Reads};

/// The policy.
pub struct Linear;

impl BlindPolicy for Linear {
    fn name(&self) -> &'static str {
        "blind-linear"
    }

    fn about(&self) -> &'static str {
        "does what a linear model, trained on remembered incidents without symptoms, ranks first"
    }

    fn reads(&self) -> Reads {
        Reads::All
    }

    fn decide(&self, seen: &Seen, memory: &Memory) -> Decision {
        let trained = memory.lesson(self.name(), Trained::learn);
        let mut ranked: Vec<(f64, Candidate)> = candidates(seen, &trained.norms)
            .into_iter()
            .map(|candidate| (trained.model.score(&places(&candidate.marks)), candidate))
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let Some((_, best)) = ranked.first() else { return Decision::nothing() };
        let mut decision = in_words(&best.deed, seen, &trained.causes);
        // What is likelier right than wrong is done as well: some incidents take two deeds.
        let more =
            ranked.iter().skip(1).take(2).filter(|(score, other)| *score > 0.0 && differs(&other.deed, &best.deed));
        decision.deeds.extend(more.map(|(_, other)| other.deed.clone()));
        decision
    }
}

/// What was learned.
struct Trained {
    norms: Norms,
    model: Logistic,
    /// What is usually said when a service of a role is restarted.
    causes: BTreeMap<String, [String; 2]>,
}

impl Trained {
    fn learn(examples: &[Example]) -> Trained {
        let all: Vec<Remembered> = examples.iter().map(Remembered::of).collect();
        let norms = Norms::learn(&all);
        let mut lessons = Vec::new();
        let mut causes = BTreeMap::new();
        for one in &all {
            let known = candidates(&one.seen, &norms);
            for candidate in &known {
                let right = is_right(&candidate.deed, one);
                // Wrong deeds outnumber right ones by far.
                let counts = if right { (known.len() as f64 / 4.0).max(1.0) } else { 1.0 };
                lessons.push((places(&candidate.marks), right, counts));
                if let (true, Deed::Restart(service)) = (right, &candidate.deed) {
                    let role = super::seen::role(service).to_string();
                    causes.entry(role).or_insert_with(|| {
                        [&one.cause, &one.answers].map(|text| text.replace(service.as_str(), "SERVICE"))
                    });
                }
            }
        }
        Trained { norms, model: Logistic::learn(&lessons), causes }
    }
}

/// Whether a deed was part of what solved a remembered incident, in this way or by the same setting.
fn is_right(deed: &Deed, one: &Remembered) -> bool {
    match deed {
        Deed::Restart(_) => one.deeds.contains(deed),
        Deed::Set(service, key, _) => wrong_settings(one).iter().any(|(s, k)| s == service && k == key),
        Deed::Undo(id) => one.seen.rows.iter().any(|row| row.id == *id && super::author::is_culprit(one, row)),
    }
}

/// Whether two deeds are about different things.
fn differs(one: &Deed, other: &Deed) -> bool {
    match (one, other) {
        (Deed::Set(a, key, _), Deed::Set(b, other, _)) => (a, key) != (b, other),
        (Deed::Restart(a), Deed::Restart(b)) | (Deed::Undo(a), Deed::Undo(b)) => a != b,
        // The same setting may be meant in two ways: better once.
        _ => false,
    }
}

fn in_words(deed: &Deed, seen: &Seen, causes: &BTreeMap<String, [String; 2]>) -> Decision {
    match deed {
        Deed::Set(service, key, value) => {
            let now = seen.find(service).and_then(|at| seen.value(at, key)).unwrap_or("");
            set(service, key, now, value.clone())
        }
        Deed::Undo(id) => undo(seen.rows.iter().filter(|row| row.id == *id)),
        Deed::Restart(service) => {
            let usual =
                causes.get(super::seen::role(service)).map(|said| said.clone().map(|s| s.replace("SERVICE", service)));
            let [cause, exact] = usual.unwrap_or_else(|| [format!("{service} crashed"), format!("{service}/crash")]);
            Decision::of(vec![deed.clone()], cause).exactly(Some(exact))
        }
    }
}
