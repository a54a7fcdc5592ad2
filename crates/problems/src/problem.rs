//! A problem that was read and found valid.

use std::time::Duration;

use faces::unknown_name;
use thiserror::Error;

use crate::file::{FaultStep, ProblemFile, StateCondition};
use crate::span;
use crate::vocabulary::{CAUSE_KINDS, LISTED, is_cause_kind};

/// How long after the fault the agent is called, unless the file says otherwise.
const USUAL_SETTLE: Duration = Duration::from_secs(180);

/// A problem. One that exists is valid.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterProblem {
    /// Its id: the name of its file, and that under which it was published.
    pub id: String,
    /// A digest of its file.
    pub digest: String,
    /// How long after the fault the agent is called.
    pub settle: Duration,
    /// All else, as the file has it.
    pub file: ProblemFile,
}

/// What is wrong with a problem file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{id}: {problem}")]
pub struct ProblemFileError {
    /// The problem's id.
    pub id: String,
    /// What is wrong, and what would be right.
    pub problem: String,
}

impl ClusterProblem {
    /// Reads a problem file.
    pub fn parse(id: &str, text: &str) -> Result<ClusterProblem, ProblemFileError> {
        let error = |problem: String| ProblemFileError { id: id.to_string(), problem };
        let file: ProblemFile = toml::from_str(text).map_err(|e| error(e.to_string().trim_end().to_string()))?;
        check(&file).map_err(error)?;
        let settle = file.settle.as_deref().map(span::parse).transpose().map_err(error)?;
        let digest = record::sha256(text.as_bytes());
        Ok(ClusterProblem { id: id.to_string(), digest, settle: settle.unwrap_or(USUAL_SETTLE), file })
    }

    /// The namespace in which commands run: that of the first application.
    pub fn namespace(&self) -> &str {
        self.file.applications.first().expect("checked when it was read")
    }

    /// Whether a suite holds it.
    pub fn is_in(&self, suite: &str) -> bool {
        self.file.suites.iter().any(|listed| listed == suite)
    }
}

fn check(file: &ProblemFile) -> Result<(), String> {
    for (name, empty) in [
        ("applications", file.applications.is_empty()),
        ("fault", file.fault.is_empty()),
        ("cause", file.cause.is_empty()),
        ("diagnosis.words", file.diagnosis.words.is_empty()),
        ("solution.commands", file.solution.commands.is_empty()),
    ] {
        if empty {
            return Err(format!("{name}: there must be at least one"));
        }
    }
    if let Some(suite) = file.suites.iter().find(|suite| !LISTED.contains(&suite.as_str())) {
        return Err(format!("suites: {}", unknown_name("suite", suite, LISTED, "known are")));
    }
    for (name, value, known) in [
        ("split", &file.split, &["train", "test"][..]),
        ("difficulty", &file.difficulty, &["easy", "medium", "hard"][..]),
    ] {
        if let Some(unknown) = value.as_deref().filter(|value| !known.contains(value)) {
            return Err(format!("{name}: `{unknown}` is not known; write {}", known.join(" or ")));
        }
    }
    file.before.iter().chain(&file.fault).chain(&file.trigger).try_for_each(step)?;
    for cause in &file.cause {
        if !is_cause_kind(&cause.kind) {
            let known: Vec<&str> = CAUSE_KINDS.iter().map(|(name, _)| *name).collect();
            return Err(format!("cause: {}", unknown_name("kind", &cause.kind, &known, "known are")));
        }
    }
    file.gone.iter().chain(&file.condition).try_for_each(condition)?;
    for actor in &file.actor {
        actor.every.as_deref().map(span::parse).transpose()?;
    }
    if let Some(empty) = file.right.iter().chain(&file.wrong).find(|case| case.commands.is_empty()) {
        return Err(format!("`{}` has no commands", empty.name));
    }
    Ok(())
}

fn step(step: &FaultStep) -> Result<(), String> {
    let deeds = [step.run.is_some(), step.apply.is_some(), step.change.is_some(), step.tls.is_some()];
    if deeds.into_iter().filter(|set| *set).count() != 1 {
        return Err("a step has exactly one of `run`, `apply`, `change` and `tls`".to_string());
    }
    step.after.as_deref().map(span::parse).transpose().map(|_| ())
}

fn condition(condition: &StateCondition) -> Result<(), String> {
    if !condition.object.contains('/') {
        return Err(format!("`{}` is no object; write kind/name", condition.object));
    }
    match condition.after.as_deref() {
        None | Some("trigger") => Ok(()),
        Some(other) => Err(format!("after: `{other}` is not known; write trigger")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &str = "title = 'x'\napplications = ['hotel-reservation']\nlayer = 'network'\nmode = 'single'\n[[fault]]\n\
                         run = 'kubectl get pods'\n[[cause]]\ncomponent = 'geo'\nkind = 'dns'\nobject = 'service/geo'\n\
                         about = 'x'\n[diagnosis]\nwords = [['geo']]\n[solution]\ncommands = ['kubectl get pods']\n";

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        let check = |from: &str, to: &str, expect: &str| {
            let found = ClusterProblem::parse("x", &SOUND.replace(from, to));
            let found = found.map_or_else(|error| error.to_string(), |problem| problem.id);
            assert!(found.contains(expect), "{found}");
        };
        check("", "", "x");
        check("'dns'", "'dsn'", "x: cause: unknown kind `dsn`: did you mean `dns`?");
        check("run = 'kubectl get pods'", "after = '5s'", "a step has exactly one of `run`");
        check("[[fault]]\n", "[[fault]]\nafter = 'soon'\n", "`soon` is no span of time");
        check("title = 'x'", "title = 'x'\nsuites = ['sregyn']", "unknown suite `sregyn`: did you mean `sregym`?");
        check("title = 'x'", "titel = 'x'", "unknown field `titel`");
        check("commands = ['kubectl get pods']", "commands = []", "solution.commands: there must be at least one");
        check("[diagnosis]", "[[gone]]\nobject = 'geo'\n[diagnosis]", "`geo` is no object; write kind/name");
    }

    #[test]
    fn a_problem_knows_its_settings() {
        let problem = ClusterProblem::parse("x", &format!("settle = '5m'\n{SOUND}")).expect("it is sound");
        assert_eq!((problem.settle.as_secs(), problem.namespace()), (300, "hotel-reservation"));
        assert!(!problem.is_in("sregym"));
    }
}
