//! The suites of questions and of requests for configurations.

#[cfg(test)]
#[path = "skills_tests.rs"]
mod tests;

use std::sync::Arc;

use questions::{Question, shipped};
use terraform::generate::TaskFamily;
use terraform::task::PUBLISHED;

use crate::challenge::Challenge;
use crate::configuration::ConfigurationRequest;
use crate::one_step::{OneStep, OneStepChallenge};
use crate::question::AskedQuestion;

/// All of it: the shipped questions, then the published requests for configurations.
pub const SKILLS: &str = "skills";
/// The published requests alone.
pub const TERRAFORM: &str = "terraform";
/// Requests without end: one challenge per cloud and area, and another request under each seed.
pub const TERRAFORM_GENERATED: &str = "terraform-generated";

/// The suites, each with what it holds.
pub const ALL: &[(&str, &str)] = &[
    (SKILLS, "questions about changes and infrastructure code, and Terraform to write: one step each"),
    (TERRAFORM, "the eleven published requests for Terraform, evaluated, planned, applied and destroyed"),
    (TERRAFORM_GENERATED, "such requests without end, over three clouds: another one under each seed"),
];

/// The challenges of a suite; `None` if it is not one of these.
pub fn suite(name: &str) -> Option<Vec<Arc<dyn Challenge>>> {
    Some(asked(name)?.into_iter().map(challenge).collect())
}

/// What a suite asks; `None` if it is not one of these.
pub fn asked(suite: &str) -> Option<Vec<Arc<dyn OneStep>>> {
    match suite {
        SKILLS => Some(shipped_questions().chain(published()).collect()),
        TERRAFORM => Some(published().collect()),
        TERRAFORM_GENERATED => Some(generated().collect()),
        _ => None,
    }
}

/// The challenges of these questions.
pub fn of_questions(questions: Vec<Question>) -> Vec<Arc<dyn Challenge>> {
    questions.into_iter().map(|question| challenge(Arc::new(AskedQuestion::new(question)))).collect()
}

/// The challenge of that id among all that the program carries.
pub fn find(id: &str) -> Option<Arc<dyn Challenge>> {
    find_asked(id).map(challenge)
}

/// What is asked under that id.
pub fn find_asked(id: &str) -> Option<Arc<dyn OneStep>> {
    let question = shipped::carried().iter().find(|question| question.id == id);
    let question = question.map(|question| Arc::new(AskedQuestion::new(question.clone())) as Arc<dyn OneStep>);
    question.or_else(|| published().chain(generated()).find(|one| one.id() == id))
}

fn challenge(asked: Arc<dyn OneStep>) -> Arc<dyn Challenge> {
    Arc::new(OneStepChallenge::new(asked))
}

fn shipped_questions() -> impl Iterator<Item = Arc<dyn OneStep>> {
    shipped::carried().iter().map(|question| Arc::new(AskedQuestion::new(question.clone())) as Arc<dyn OneStep>)
}

fn published() -> impl Iterator<Item = Arc<dyn OneStep>> {
    PUBLISHED.iter().map(|shipped| Arc::new(ConfigurationRequest::published(shipped)) as Arc<dyn OneStep>)
}

fn generated() -> impl Iterator<Item = Arc<dyn OneStep>> {
    TaskFamily::ALL.into_iter().map(|family| Arc::new(ConfigurationRequest::generated(family)) as Arc<dyn OneStep>)
}
