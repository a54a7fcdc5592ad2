//! Whether a model means an option or a letter: the same question under several permutations.

use serde::{Deserialize, Serialize};

use crate::QuestionOutcome;

/// What the outcomes of one question say together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PermutationAgreement {
    /// Prompts with an answer that could be read.
    pub answered: usize,
    /// The share of pairs of answers that choose the same option.
    pub agreement: f64,
    /// Whether every prompt was answered, and rightly.
    pub always_right: bool,
    /// The share of right answers among all prompts.
    pub right: f64,
}

/// Compares the outcomes of one question asked with several seeds.
pub fn agreement(outcomes: &[QuestionOutcome]) -> PermutationAgreement {
    let chosen: Vec<usize> = outcomes.iter().filter_map(|outcome| outcome.chosen).collect();
    let pairs = chosen.len() * chosen.len().saturating_sub(1) / 2;
    let same = (0..chosen.len()).map(|at| chosen[at + 1..].iter().filter(|other| **other == chosen[at]).count());
    let right = outcomes.iter().filter(|outcome| outcome.correct).count();
    PermutationAgreement {
        answered: chosen.len(),
        agreement: if pairs == 0 { 0.0 } else { same.sum::<usize>() as f64 / pairs as f64 },
        always_right: !outcomes.is_empty() && right == outcomes.len(),
        right: right as f64 / outcomes.len().max(1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::four;

    #[test]
    fn a_letter_is_not_an_option() {
        let question = four(1);
        let always_b: Vec<_> = (0..24).map(|seed| question.grade("B", seed)).collect();
        let found = agreement(&always_b);
        assert!(found.agreement < 0.5 && !found.always_right && found.answered == 24, "{found:?}");
        let key = |seed| crate::ask::letter(question.shown_key(seed).expect("a choice")).to_string();
        let knows: Vec<_> = (0..24).map(|seed| question.grade(key(seed).as_str(), seed)).collect();
        assert_eq!(
            agreement(&knows),
            PermutationAgreement { answered: 24, agreement: 1.0, always_right: true, right: 1.0 }
        );
    }

    #[test]
    fn no_outcomes_agree_on_nothing() {
        assert_eq!(agreement(&[]), PermutationAgreement::default());
    }
}
