//! Proof of a stack: every combination of forms is applied to the simulated cloud, and the statement of each form holds
//! exactly where that form stands.

use std::collections::BTreeMap;

use terraform::cloud::Cloud;
use terraform::config::SourceFiles;
use terraform::engine::{Project, TerraformState, VariableValues};
use terraform::questions::Applied;
use terraform::syntax::parse_expression;
use world::Seed;

use super::{Stack, named};

/// What is wrong with a stack.
#[derive(Debug, thiserror::Error)]
pub enum StackFault {
    /// A combination of forms cannot be applied.
    #[error("forms {forms:?} cannot be applied: {why}")]
    Apply {
        /// The form of each requirement.
        forms: Vec<usize>,
        /// What the simulator says.
        why: String,
    },
    /// A statement holds where it must not, or the other way round.
    #[error("forms {forms:?}: the statement `{test}` of form {form} of `{requirement}` {verdict}")]
    Statement {
        /// The form of each requirement.
        forms: Vec<usize>,
        /// The requirement.
        requirement: String,
        /// The form whose statement it is.
        form: usize,
        /// The statement.
        test: String,
        /// What happened instead.
        verdict: String,
    },
}

/// Proves a stack; counts the applied configurations.
pub fn verify(stack: &Stack) -> Result<usize, StackFault> {
    let total = stack.requirements.len();
    for number in 0..1usize << total {
        let forms: Vec<usize> = (0..total).map(|at| number >> at & 1).collect();
        let seed = Seed(number as u64);
        let cloud =
            applied(&stack.render(&forms, seed)).map_err(|why| StackFault::Apply { forms: forms.clone(), why })?;
        check(stack, &forms, seed, &cloud)?;
    }
    Ok(1 << total)
}

/// Applies a configuration of one file to an empty cloud; what is wrong with it, if anything.
pub fn apply(text: &str) -> Result<(), String> {
    applied(text).map(|_| ())
}

fn check(
    stack: &Stack,
    forms: &[usize],
    seed: Seed,
    (cloud, state): &(Cloud, TerraformState),
) -> Result<(), StackFault> {
    let applied = Applied { cloud, outputs: &state.outputs, variables: &BTreeMap::new() };
    for (requirement, stands) in stack.requirements.iter().zip(forms) {
        for form in [0, 1] {
            let test = named(requirement.test(form), seed);
            let fault = |verdict: String| StackFault::Statement {
                forms: forms.to_vec(),
                requirement: requirement.id.clone(),
                form,
                test: test.clone(),
                verdict,
            };
            let statement =
                parse_expression(&test).map_err(|error| fault(format!("cannot be read: {}", error.summary)))?;
            match (applied.holds(&statement), form == *stands) {
                (Ok(()), true) | (Err(_), false) => {}
                (Ok(()), false) => return Err(fault("holds where the other form stands".into())),
                (Err(why), true) => return Err(fault(format!("does not hold: {why}"))),
            }
        }
    }
    Ok(())
}

/// The cloud after an apply, which must have nothing left to do.
fn applied(text: &str) -> Result<(Cloud, TerraformState), String> {
    let files: SourceFiles = [("main.tf".to_string(), text.to_string())].into();
    let (project, problems) = Project::load(&files);
    let project = project.ok_or_else(|| format!("{problems:?}"))?;
    let said = |errors: Vec<terraform::diagnostic::Diagnostic>| {
        errors.first().map_or(Ok(()), |error| Err(format!("{error:?}")))
    };
    said(project.validate())?;
    let (mut state, mut cloud) = (TerraformState::default(), Cloud::default());
    let none = VariableValues::new();
    let plan = project.plan(&none, &mut state, &cloud).map_err(|errors| format!("{errors:?}"))?;
    said(project.apply(&plan, &none, &mut state, &mut cloud))?;
    let again = project.plan(&none, &mut state, &cloud).map_err(|errors| format!("{errors:?}"))?;
    if !again.is_empty() {
        return Err(format!("a second plan is not empty: {:?}", again.lines()));
    }
    Ok((cloud, state))
}
