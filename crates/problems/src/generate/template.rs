//! Faults as data: what is done at a place, what it is called, and what undoes it.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::file::RecurringActor;
use crate::vocabulary::{ProblemLayer, ProblemMode};

/// A fault that can strike at many places.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultTemplate {
    /// Its name.
    pub name: String,
    /// What it strikes.
    pub at: StruckThing,
    /// Where the defect is.
    pub layer: ProblemLayer,
    /// How the failure comes about; one defect unless it is said.
    #[serde(default)]
    pub(super) mode: Option<ProblemMode>,
    /// The kind of cause.
    pub kind: String,
    /// The component at fault; the struck one unless it is said.
    #[serde(default)]
    pub(super) component: Option<String>,
    /// The object of the cause; the Deployment unless it is said.
    #[serde(default)]
    pub(super) object: Option<String>,
    /// The namespace of that object, if it is not the application's.
    #[serde(default)]
    pub(super) of_namespace: Option<String>,
    /// The field of it.
    #[serde(default)]
    pub(super) field: String,
    /// Manifests that are applied first.
    #[serde(default)]
    pub(super) apply: Option<String>,
    /// Command lines that follow.
    #[serde(default)]
    pub(super) run: Vec<String>,
    /// What keeps acting.
    #[serde(default)]
    pub(super) actor: Option<RecurringActor>,
    /// What undoes it; the Deployment is rolled back unless it is said.
    #[serde(default)]
    pub(super) undo: Vec<String>,
    /// What is wrong, in words.
    pub(super) about: String,
    /// Groups of words of a right diagnosis, beside the component's name.
    pub(super) words: Vec<Vec<String>>,
}

/// What a fault strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StruckThing {
    /// A Deployment of an application.
    Deployment,
    /// A Service that leads to a Deployment.
    Service,
    /// A variable of a Deployment that names a Service.
    Setting,
    /// A file in a ConfigMap that a Deployment reads.
    Configmap,
}

#[derive(Deserialize)]
struct TemplateFile {
    fault: Vec<FaultTemplate>,
}

static ALL: LazyLock<Vec<FaultTemplate>> = LazyLock::new(|| {
    let file: Result<TemplateFile, _> = toml::from_str(include_str!("../../faults.toml"));
    file.unwrap_or_else(|error| panic!("the shipped faults are invalid: {error}")).fault
});

/// The faults that the generator knows, in the order of their file.
pub fn fault_templates() -> &'static [FaultTemplate] {
    &ALL
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::vocabulary::is_cause_kind;

    #[test]
    fn every_fault_is_sound() {
        let names: BTreeSet<&str> = fault_templates().iter().map(|fault| fault.name.as_str()).collect();
        assert_eq!(names.len(), fault_templates().len());
        assert!(names.len() >= 60, "{}", names.len());
        for fault in fault_templates() {
            assert!(is_cause_kind(&fault.kind), "{}: {}", fault.name, fault.kind);
            assert!(fault.apply.is_some() || !fault.run.is_empty(), "{} does nothing", fault.name);
        }
    }
}
