//! Questions from a typed model of changes, whose text is written for it.
//!
//! A *subsystem* is a file that holds *decisions*. Each decision can be written in two forms, and for each form the model
//! knows what a request for it says and what goes wrong if it is shipped by mistake. So a key is known, not guessed, and
//! as the request is drawn after the options, nothing in the options can point at it.

pub(crate) mod draft;
mod kinds;

use std::sync::LazyLock;

use serde::Deserialize;
use world::Seed;

use crate::ask::shuffle;
use crate::{Origin, Provenance, Question, Skill};

/// A file with decisions in it.
#[derive(Debug, Deserialize)]
pub(crate) struct Subsystem {
    #[serde(skip)]
    pub(crate) name: &'static str,
    pub(crate) path: String,
    pub(crate) top: Vec<String>,
    pub(crate) bottom: Vec<String>,
    #[serde(rename = "decision")]
    pub(crate) decisions: Vec<Decision>,
}

/// Something that can be written in two forms, each right for another request.
#[derive(Debug, Deserialize)]
pub(crate) struct Decision {
    pub(crate) id: String,
    /// How it stood before.
    pub(crate) old: String,
    a: String,
    b: String,
    say_a: Vec<String>,
    say_b: Vec<String>,
    hurt_a: String,
    hurt_b: String,
    /// Words for what is decided, for grading descriptions.
    pub(crate) topic: Vec<String>,
    fact_a: Vec<String>,
    fact_b: Vec<String>,
}

impl Decision {
    /// The lines of a form.
    pub(crate) fn form(&self, form: usize) -> &str {
        [&self.a, &self.b][form]
    }

    /// A request for a form.
    pub(crate) fn say(&self, form: usize, variant: u64) -> &str {
        let said = [&self.say_a, &self.say_b][form];
        &said[variant as usize % said.len()]
    }

    /// What goes wrong where the form is shipped and the other was needed.
    pub(crate) fn hurt(&self, form: usize) -> &str {
        [&self.hurt_a, &self.hurt_b][form]
    }

    /// Words that say that this form was chosen.
    pub(crate) fn fact(&self, form: usize) -> &[String] {
        [&self.fact_a, &self.fact_b][form]
    }
}

/// All subsystems, in a fixed order.
pub(crate) static SUBSYSTEMS: LazyLock<Vec<Subsystem>> = LazyLock::new(|| {
    let files = [
        ("alert", include_str!("subsystems/alert.toml")),
        ("backup", include_str!("subsystems/backup.toml")),
        ("cache", include_str!("subsystems/cache.toml")),
        ("client", include_str!("subsystems/client.toml")),
        ("deploy", include_str!("subsystems/deploy.toml")),
        ("edge", include_str!("subsystems/edge.toml")),
        ("limit", include_str!("subsystems/limit.toml")),
        ("logging", include_str!("subsystems/logging.toml")),
        ("schema", include_str!("subsystems/schema.toml")),
        ("worker", include_str!("subsystems/worker.toml")),
    ];
    let read = |(name, text): (&'static str, &str)| {
        let subsystem: Subsystem = toml::from_str(text).expect("a test reads every subsystem");
        Subsystem { name, ..subsystem }
    };
    files.into_iter().map(read).collect()
});

/// Families that this model can make.
pub const FAMILIES: [Skill; 10] = [
    Skill::GmcqEasy,
    Skill::GmcqHard,
    Skill::ReverseMatch,
    Skill::NoneOfThese,
    Skill::MaskedHunk,
    Skill::MaskedChange,
    Skill::Reverse,
    Skill::ReverseGrounded,
    Skill::Localise,
    Skill::Culprit,
];

/// Makes levelled questions of one family. The same seed and count give the same questions.
pub fn make(skill: Skill, count: usize, surplus: usize, seed: u64) -> Vec<Question> {
    let mut plans: Vec<(usize, u64)> = Vec::new();
    let rounds = (count * surplus.max(1)).div_ceil(SUBSYSTEMS.len()) as u64;
    for subsystem in 0..SUBSYSTEMS.len() {
        plans.extend((0..rounds).map(|round| (subsystem, round)));
    }
    shuffle(&mut plans, Seed(seed), "written");
    let mut seen = std::collections::BTreeSet::new();
    let mut found = Vec::new();
    for (subsystem, round) in plans {
        let question = one(skill, &SUBSYSTEMS[subsystem], round, seed);
        if let Some(question) = question.filter(|question| question.flaw().is_none())
            && seen.insert(kinds::gist(&question))
        {
            found.push(question);
        }
    }
    crate::make::level(found, count, seed)
}

fn one(skill: Skill, subsystem: &Subsystem, round: u64, seed: u64) -> Option<Question> {
    let id = format!("written-{}-{}-{round}", skill.name(), subsystem.name);
    let (text, expected) = kinds::make(skill, subsystem, Seed(seed).derive(&id))?;
    let source = format!("written/{}", subsystem.name);
    let provenance = Provenance {
        origin: Origin::Written,
        source: "written changes".into(),
        licence: "MIT OR Apache-2.0".into(),
        seed,
        ..Default::default()
    };
    let clusters = [("repository".to_string(), source.clone()), ("template".to_string(), source)].into();
    Some(Question { id, skill, text, expected, provenance, clusters })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::vocabulary;

    #[test]
    fn every_decision_is_complete() {
        assert_eq!(SUBSYSTEMS.len(), 10);
        for subsystem in SUBSYSTEMS.iter() {
            assert_eq!(subsystem.decisions.len(), 6, "{}", subsystem.name);
            for decision in &subsystem.decisions {
                let name = format!("{}/{}", subsystem.name, decision.id);
                assert!(decision.a != decision.b && decision.old != decision.a && decision.old != decision.b, "{name}");
                assert!(decision.say_a.len() == 2 && decision.say_b.len() == 2, "{name}");
                assert!(
                    !decision.topic.is_empty() && !decision.fact_a.is_empty() && !decision.fact_b.is_empty(),
                    "{name}"
                );
            }
        }
    }

    /// What tells two forms apart must not stand in the request: then reading words would be enough.
    #[test]
    fn requests_do_not_spell_their_form() {
        for subsystem in SUBSYSTEMS.iter() {
            for decision in &subsystem.decisions {
                for form in [0, 1] {
                    let own = vocabulary(decision.form(form));
                    let other = vocabulary(decision.form(1 - form));
                    for variant in [0, 1] {
                        let said = vocabulary(decision.say(form, variant));
                        let leak: Vec<&String> = own.difference(&other).filter(|word| said.contains(*word)).collect();
                        assert!(leak.is_empty(), "{}/{}: {leak:?}", subsystem.name, decision.id);
                    }
                }
            }
        }
    }

    /// Plain descriptions of a change pass, and those of the opposite change do not.
    #[test]
    fn honest_descriptions_are_told_from_false_ones() {
        let plain = |words: &[String]| words[0].replace('*', "");
        for question in make(Skill::Reverse, 120, 2, 7) {
            let crate::Expected::Account(account) = &question.expected else { panic!("an account") };
            let tell = |of: &dyn Fn(&crate::account::StatedFact) -> String| {
                account
                    .facts
                    .iter()
                    .map(|fact| format!("Change: {} {}.\n", plain(&fact.groups[0]), of(fact)))
                    .collect::<String>()
            };
            let honest = tell(&|fact| plain(&fact.groups[1]));
            let outcome = question.grade(honest.as_str(), 0);
            assert!(outcome.correct, "{honest}: {:?} of {:?}", outcome.remarks, account.facts);
            let false_tale = tell(&|fact| fact.against.first().map(|word| word.replace('*', "")).unwrap_or_default());
            assert!(!question.grade(false_tale.as_str(), 0).correct, "{false_tale}");
        }
    }
}
