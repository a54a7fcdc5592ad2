//! How a question is put: a system message and a user message, with options permuted by a seed.

use serde::{Deserialize, Serialize};
use world::Seed;

use crate::{ChoiceSet, Expected, Question, Skill};

/// What a model is shown. It holds nothing of the key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionPrompt {
    /// What to do, and in which form to answer.
    pub system: String,
    /// The question with its options.
    pub user: String,
}

impl Question {
    /// Asks the question, its options in the order that the seed gives.
    pub fn prompt(&self, seed: u64) -> QuestionPrompt {
        let mut user = format!("{}\n\n{}\n", heading(self.skill), self.text.trim_end());
        match &self.expected {
            Expected::Choice(choice) => {
                user.push_str("\n---\n");
                for (shown, option) in self.order(seed).into_iter().enumerate() {
                    user.push_str(&format!("\nChoice {}:\n{}\n", letter(shown), choice.options[option].trim_end()));
                }
            }
            Expected::Places(places) => {
                user.push_str("\nFiles:\n");
                places.tree.iter().for_each(|path| user.push_str(&format!("{path}\n")));
            }
            Expected::Region(_) | Expected::Account(_) => {}
        }
        QuestionPrompt { system: task(self), user }
    }

    /// Which option stands at each place of the prompt; empty if there are no options.
    pub fn order(&self, seed: u64) -> Vec<usize> {
        self.choice().map(|choice| choice.order(Seed(seed), &self.id)).unwrap_or_default()
    }

    /// The place of the right option in the prompt.
    pub fn shown_key(&self, seed: u64) -> Option<usize> {
        let key = self.choice()?.key;
        self.order(seed).into_iter().position(|option| option == key)
    }
}

impl ChoiceSet {
    fn order(&self, seed: Seed, id: &str) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.options.len()).collect();
        let movable = order.len() - usize::from(self.last_stays && !order.is_empty());
        shuffle(&mut order[..movable], seed, &format!("options/{id}"));
        order
    }
}

/// Fisher and Yates, with a draw per step.
pub fn shuffle<T>(items: &mut [T], seed: Seed, label: &str) {
    let stream = seed.stream(label);
    for at in (1..items.len()).rev() {
        items.swap(at, stream.at(at as u64).below(at as u64 + 1) as usize);
    }
}

/// The letter of a place: A for 0.
pub fn letter(place: usize) -> char {
    char::from(b'A' + u8::try_from(place).expect("at most ten options"))
}

fn heading(skill: Skill) -> &'static str {
    match skill {
        Skill::ReverseMatch | Skill::Reverse | Skill::ReverseGrounded => "Change:",
        Skill::Culprit => "Regression:",
        Skill::MaskedHunk | Skill::MaskedChange => "Change with a masked part:",
        _ if skill.is_terraform() => "Request:",
        _ => "Description:",
    }
}

fn task(question: &Question) -> String {
    let what = match question.skill {
        Skill::GmcqEasy => "Choose the change that does what the description says.",
        Skill::GmcqHard => {
            "The choices are versions of one change. Choose the one that does all that the description says."
        }
        Skill::MaskedChange => {
            "Some lines of the change are masked. Answer with the whole change as a diff in a code block, with the masked \
             lines written out. Keep every other line as it is."
        }
        Skill::Reverse => "Write the title and a short description of this change.",
        Skill::ReverseGrounded => {
            "Write the title and a short description of this change. Claim nothing that the change does not show."
        }
        Skill::ReverseMatch => "Choose the description that says what the change does.",
        Skill::NoneOfThese => {
            "Choose the change that does all that the description says, or the last choice if none of them does."
        }
        Skill::MaskedHunk => "One hunk of the change is masked. Choose the hunk that completes the change.",
        Skill::Localise => "Name the files that this change must touch, one path per line, and nothing else.",
        Skill::Culprit => "Choose the change that caused the regression.",
        _ => "Choose the Terraform configuration that meets every requirement of the request.",
    };
    match &question.expected {
        Expected::Choice(choice) => {
            let last = letter(choice.options.len() - 1);
            format!("{what} Answer with one capital letter from A to {last} and nothing else.")
        }
        _ => what.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::four;

    #[test]
    fn the_seed_permutes_and_the_key_follows() {
        let question = four(2);
        let mut places = [0; 4];
        for seed in 0..400 {
            let order = question.order(seed);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3]);
            let place = question.shown_key(seed).expect("a choice");
            assert_eq!(order[place], 2);
            places[place] += 1;
        }
        assert!(places.iter().all(|n| (60..140).contains(n)), "keys are spread: {places:?}");
    }

    #[test]
    fn the_last_option_stays_if_asked() {
        let mut question = four(3);
        let Expected::Choice(choice) = &mut question.expected else { panic!("a choice") };
        choice.last_stays = true;
        assert!((0..50).all(|seed| question.order(seed)[3] == 3));
    }

    #[test]
    fn a_prompt_shows_every_option_once() {
        let prompt = four(0).prompt(9);
        for text in ["Choice A:", "Choice D:", "red", "green", "blue", "white", "Which colour"] {
            assert_eq!(prompt.user.matches(text).count(), 1, "{text} in {}", prompt.user);
        }
        assert!(prompt.system.contains("from A to D"));
    }
}
