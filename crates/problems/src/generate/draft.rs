//! From faults and places to a problem file.

use super::places::PlaceWords;
use super::template::{FaultTemplate, StruckThing};
use crate::file::{DiagnosisWords, FaultStep, ProblemCause, ProblemFile, RecurringActor, ScriptedSolution};
use crate::vocabulary::ProblemMode;

/// What stands for a place in the text of a fault.
const HOLES: [&str; 17] = [
    "name",
    "container",
    "repository",
    "labels",
    "labels-map",
    "variable",
    "wrong-host",
    "wrong-port",
    "key",
    "key-path",
    "workload",
    "target",
    "ports",
    "selector",
    "manifest",
    "host",
    "replicas",
];

/// A fault at a place.
#[derive(Clone, Debug)]
pub(super) struct FaultAtPlace<'t> {
    pub(super) fault: &'t FaultTemplate,
    pub(super) place: PlaceWords,
}

impl FaultAtPlace<'_> {
    /// The component at fault.
    pub(super) fn component(&self) -> String {
        match (&self.fault.component, self.fault.at) {
            (Some(component), _) => component.clone(),
            (None, StruckThing::Configmap) => self.place["workload"].clone(),
            (None, _) => self.place["name"].clone(),
        }
    }

    /// The component that stops working, which is another one where a name server or a ConfigMap is at fault.
    pub(super) fn struck(&self) -> &str {
        self.place.get("workload").unwrap_or(&self.place["name"])
    }

    /// What is done, as one text; nothing if the place lacks something that the fault needs.
    pub(super) fn deeds(&self) -> Option<String> {
        let apply = self.fault.apply.iter().chain(&self.fault.run).map(|text| self.filled(text));
        let text = apply.collect::<Vec<_>>().join("\n");
        let undo = self.undo().join("\n");
        let is_whole = |text: &str| HOLES.iter().all(|hole| !text.contains(&format!("{{{hole}}}")));
        (is_whole(&text) && is_whole(&undo)).then_some(text)
    }

    fn filled(&self, text: &str) -> String {
        let mut text = text.to_string();
        for (word, value) in &self.place {
            text = text.replace(&format!("{{{word}}}"), value);
        }
        text
    }

    fn undo(&self) -> Vec<String> {
        let usual =
            ["kubectl rollout undo deployment/{name}", "kubectl rollout status deployment/{name} --timeout=180s"];
        match self.fault.undo.is_empty() {
            true => usual.iter().map(|line| self.filled(line)).collect(),
            false => self.fault.undo.iter().map(|line| self.filled(line)).collect(),
        }
    }

    fn object(&self) -> String {
        self.filled(self.fault.object.as_deref().unwrap_or("deployment/{name}"))
    }

    fn cause(&self) -> ProblemCause {
        ProblemCause {
            component: self.component(),
            kind: self.fault.kind.clone(),
            object: self.object(),
            namespace: self.fault.of_namespace.clone(),
            field: self.fault.field.clone(),
            about: self.filled(&self.fault.about),
            state: None,
            restored: None,
        }
    }

    fn steps(&self) -> Vec<FaultStep> {
        let apply = self.fault.apply.iter();
        let apply = apply.map(|text| FaultStep { apply: Some(self.filled(text)), ..FaultStep::default() });
        let run = self.fault.run.iter().map(|line| FaultStep { run: Some(self.filled(line)), ..FaultStep::default() });
        apply.chain(run).collect()
    }

    fn words(&self) -> Vec<Vec<String>> {
        let lower = |group: &Vec<String>| group.iter().map(|word| self.filled(word).to_lowercase()).collect();
        let own = self.fault.component.is_none().then(|| vec![self.component()]);
        own.into_iter().chain(self.fault.words.iter().map(lower)).collect()
    }

    fn actor(&self) -> Option<RecurringActor> {
        let actor = self.fault.actor.as_ref()?;
        Some(RecurringActor { run: self.filled(&actor.run), of: self.filled(&actor.of), ..actor.clone() })
    }
}

/// The file of a problem with these faults in an application.
pub(super) fn problem_file(application: &str, faults: &[FaultAtPlace<'_>], split: &str) -> ProblemFile {
    let first = &faults[0];
    let same = faults.iter().all(|one| one.fault.name == first.fault.name);
    let mode = match (faults.len(), same) {
        (1, _) => first.fault.mode.unwrap_or(ProblemMode::Single),
        (_, true) => ProblemMode::Correlated,
        (_, false) => ProblemMode::Concurrent,
    };
    let about = |one: &FaultAtPlace<'_>| format!("{}: {}", one.component(), one.filled(&one.fault.about));
    let mut words: Vec<Vec<String>> = faults.iter().flat_map(FaultAtPlace::words).collect();
    words.dedup();
    ProblemFile {
        title: faults.iter().map(about).collect::<Vec<_>>().join("; "),
        applications: vec![application.to_string()],
        layer: first.fault.layer,
        mode,
        suites: Vec::new(),
        split: Some(split.to_string()),
        difficulty: None,
        settle: Some("4m".to_string()),
        restart_is_right: None,
        may_change: Vec::new(),
        published_defect: None,
        before: Vec::new(),
        fault: faults.iter().flat_map(FaultAtPlace::steps).collect(),
        actor: faults.iter().filter_map(FaultAtPlace::actor).collect(),
        trigger: Vec::new(),
        cause: faults.iter().map(FaultAtPlace::cause).collect(),
        gone: Vec::new(),
        condition: Vec::new(),
        diagnosis: DiagnosisWords { words },
        solution: ScriptedSolution { commands: faults.iter().flat_map(FaultAtPlace::undo).collect() },
        right: Vec::new(),
        wrong: Vec::new(),
    }
}
