//! Terraform choices from a typed model of resources.
//!
//! A *stack* is a configuration with requirements left open. Each requirement has two forms, a request for each of them,
//! and for each a statement about the cloud that holds after an apply exactly where that form stands. The options are the
//! four combinations of two requirements, so exactly one of them meets the request, and each other one breaks a
//! requirement that has a name.

mod verify;

use std::sync::LazyLock;

use serde::Deserialize;
use world::Seed;

use crate::ask::shuffle;
use crate::written::draft::names;
use crate::{ChoiceSet, Expected, Origin, Provenance, Question, Skill};
pub use verify::{StackFault, apply, verify};

/// A configuration with requirements left open.
#[derive(Debug, Deserialize)]
pub struct Stack {
    /// The family that its questions belong to.
    #[serde(skip)]
    skill: Option<Skill>,
    intro: Vec<String>,
    frame: String,
    #[serde(rename = "requirement")]
    requirements: Vec<Requirement>,
}

/// Something that a request may ask for in one of two ways.
#[derive(Debug, Deserialize)]
struct Requirement {
    id: String,
    a: String,
    b: String,
    test_a: String,
    test_b: String,
    say_a: Vec<String>,
    say_b: Vec<String>,
}

impl Requirement {
    fn form(&self, form: usize) -> &str {
        [&self.a, &self.b][form]
    }

    fn test(&self, form: usize) -> &str {
        [&self.test_a, &self.test_b][form]
    }

    fn say(&self, form: usize, variant: u64) -> &str {
        let said = [&self.say_a, &self.say_b][form];
        &said[variant as usize % said.len()]
    }
}

impl Stack {
    /// The name of its family.
    pub fn name(&self) -> &'static str {
        self.skill.map_or("", Skill::name)
    }

    /// The configuration with each requirement in a form, and names filled in.
    fn render(&self, forms: &[usize], seed: Seed) -> String {
        let mut text = self.frame.trim_start().to_string();
        for (requirement, form) in self.requirements.iter().zip(forms) {
            text = text.replace(&format!("@{}@", requirement.id), requirement.form(*form));
        }
        named(&text, seed)
    }
}

fn named(text: &str, seed: Seed) -> String {
    let [service, _, team] = names(seed);
    text.replace("{service}", service).replace("{team}", team)
}

/// The nine stacks, one for each family.
pub static STACKS: LazyLock<Vec<Stack>> = LazyLock::new(|| {
    let files = [
        (Skill::AzureCompute, include_str!("stacks/azure-compute.toml")),
        (Skill::AzureK8s, include_str!("stacks/azure-k8s.toml")),
        (Skill::AzureNetwork, include_str!("stacks/azure-network.toml")),
        (Skill::GcpCompute, include_str!("stacks/gcp-compute.toml")),
        (Skill::GcpNetwork, include_str!("stacks/gcp-network.toml")),
        (Skill::GcpStorage, include_str!("stacks/gcp-storage.toml")),
        (Skill::Iam, include_str!("stacks/iam.toml")),
        (Skill::S3Security, include_str!("stacks/s3-security.toml")),
        (Skill::VpcNat, include_str!("stacks/vpc-nat.toml")),
    ];
    let read = |(skill, text): (Skill, &str)| {
        let stack: Stack = toml::from_str(text).expect("a test reads every stack");
        Stack { skill: Some(skill), ..stack }
    };
    files.into_iter().map(read).collect()
});

/// Makes levelled questions of one of the nine families. The same seed and count give the same questions.
/// Every question is verified by the simulated cloud; one that is not is a bug in a stack.
pub fn make(skill: Skill, count: usize, seed: u64) -> Vec<Question> {
    let Some(stack) = STACKS.iter().find(|stack| stack.skill == Some(skill)) else { return Vec::new() };
    let total = stack.requirements.len();
    let pairs = (0..total).flat_map(|one| (one + 1..total).map(move |other| (one, other)));
    let mut plans: Vec<((usize, usize), usize, u64)> =
        pairs.flat_map(|pair| (0..4).flat_map(move |corner| (0..2).map(move |turn| (pair, corner, turn)))).collect();
    shuffle(&mut plans, Seed(seed), skill.name());
    let made = plans.into_iter().map(|plan| one(stack, skill, plan, seed));
    crate::make::level(made.collect(), count, seed)
}

/// The four combinations of two requirements.
const CORNERS: [[usize; 2]; 4] = [[0, 0], [1, 0], [0, 1], [1, 1]];

fn one(stack: &Stack, skill: Skill, plan: ((usize, usize), usize, u64), seed: u64) -> Question {
    let ((first, second), key, turn) = plan;
    let ids = [&stack.requirements[first].id, &stack.requirements[second].id];
    let id = format!("resources-{}-{}-{}-{key}{turn}", skill.name(), ids[0], ids[1]);
    let own = Seed(seed).derive(&id);
    let stream = own.stream("forms");
    let forms = |corner: [usize; 2]| -> Vec<usize> {
        let mut forms: Vec<usize> =
            (0..stack.requirements.len()).map(|at| stream.at(at as u64).below(2) as usize).collect();
        (forms[first], forms[second]) = (corner[0], corner[1]);
        forms
    };
    let wanted = CORNERS[key];
    let pair = [&stack.requirements[first], &stack.requirements[second]];
    let says = |at: usize| pair[at].say(wanted[at], stream.at(50 + at as u64).bits() % 2);
    let intro = &stack.intro[(stream.at(60).bits() % stack.intro.len() as u64) as usize];
    let (one, other) = if turn == 0 { (0, 1) } else { (1, 0) };
    let text = named(&format!("{intro} {} {}", says(one), says(other)), own);
    let breaks = |corner: [usize; 2]| {
        let missed = (0..2).filter(|at| corner[*at] != wanted[*at]);
        missed.map(|at| format!("{}: {}", pair[at].id, says(at))).collect::<Vec<_>>().join(" ")
    };
    let options = CORNERS.map(|corner| stack.render(&forms(corner), own)).to_vec();
    let breaks = CORNERS.map(breaks).to_vec();
    let expected = Expected::Choice(ChoiceSet { options, key, last_stays: false, breaks });
    let provenance = Provenance {
        origin: Origin::Resources,
        source: "resources".into(),
        licence: "MIT OR Apache-2.0".into(),
        seed,
        ..Default::default()
    };
    let source = format!("resources/{}", skill.name());
    let clusters = [("repository".to_string(), source.clone()), ("template".to_string(), source)].into();
    Question { id, skill, text, expected, provenance, clusters }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::vocabulary;

    #[test]
    fn every_stack_is_complete() {
        assert_eq!(STACKS.len(), 9);
        for stack in STACKS.iter() {
            assert!(stack.requirements.len() >= 5);
            for requirement in &stack.requirements {
                let mark = format!("@{}@", requirement.id);
                assert_eq!(stack.frame.matches(&mark).count(), 1, "{mark}");
                assert!(requirement.say_a.len() == 2 && requirement.say_b.len() == 2, "{mark}");
            }
            let whole = stack.render(&vec![0; stack.requirements.len()], Seed(1));
            assert!(!whole.contains('@') && !whole.contains("{service}"), "{whole}");
        }
    }

    /// What tells two forms apart must not stand in the request: then reading words would be enough.
    #[test]
    fn requests_do_not_spell_their_form() {
        for requirement in STACKS.iter().flat_map(|stack| &stack.requirements) {
            for (form, variant) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let own = vocabulary(requirement.form(form));
                let other = vocabulary(requirement.form(1 - form));
                let said = vocabulary(requirement.say(form, variant));
                let leak: Vec<&String> = own.difference(&other).filter(|word| said.contains(*word)).collect();
                assert!(leak.is_empty(), "{}: {leak:?}", requirement.id);
            }
        }
    }
}
