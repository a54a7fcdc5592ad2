//! The stages of a life cycle, and one run through them.

use std::collections::BTreeMap;

use crate::cloud::Cloud;
use crate::config::SourceFiles;
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;
use crate::engine::{Project, TerraformState, VariableValues};

/// The stages, in order; the first that fails gives a reply its category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LifecycleStage {
    /// Files out of the reply.
    Extract,
    /// Grammar.
    Syntax,
    /// Providers, versions, modules.
    Init,
    /// References, arguments, types.
    Validate,
    /// Values, counts, changes.
    Plan,
    /// The cloud's answers.
    Apply,
    /// The requirements.
    Checks,
    /// The second plan is empty.
    Idempotency,
    /// Everything goes again.
    Destroy,
}

impl LifecycleStage {
    /// All stages.
    pub const ALL: [Self; 9] = [
        Self::Extract,
        Self::Syntax,
        Self::Init,
        Self::Validate,
        Self::Plan,
        Self::Apply,
        Self::Checks,
        Self::Idempotency,
        Self::Destroy,
    ];

    /// The category's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Extract => "EXTRACT",
            Self::Syntax => "SYNTAX",
            Self::Init => "INIT",
            Self::Validate => "VALIDATE",
            Self::Plan => "PLAN",
            Self::Apply => "APPLY",
            Self::Checks => "CHECKS",
            Self::Idempotency => "IDEMPOTENCY",
            Self::Destroy => "DESTROY",
        }
    }
}

/// How a stage ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageOutcome {
    /// As it should.
    Passed,
    /// With errors.
    Failed,
    /// It was not reached.
    Skipped,
}

/// A stage and what went wrong in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageReport {
    /// Which.
    pub stage: LifecycleStage,
    /// How it ended.
    pub outcome: StageOutcome,
    /// What went wrong.
    pub errors: Vec<String>,
}

/// Up to here a run came.
pub(super) struct LifecycleRun {
    pub(super) failed: BTreeMap<LifecycleStage, Vec<String>>,
    pub(super) reached: LifecycleStage,
    pub(super) cloud: Cloud,
    pub(super) outputs: BTreeMap<String, Datum>,
    project: Option<Project>,
    state: TerraformState,
}

fn texts(errors: Vec<Diagnostic>) -> Vec<String> {
    errors.iter().map(ToString::to_string).collect()
}

impl LifecycleRun {
    /// From files to an applied cloud.
    pub(super) fn start(files: &SourceFiles, vars: &VariableValues) -> Self {
        let mut run = Self {
            failed: BTreeMap::new(),
            reached: LifecycleStage::Syntax,
            cloud: Cloud::default(),
            outputs: BTreeMap::new(),
            project: None,
            state: TerraformState::default(),
        };
        let (project, problems) = Project::load(files);
        let steps = [
            (LifecycleStage::Syntax, problems.syntax),
            (LifecycleStage::Init, problems.init),
            (LifecycleStage::Validate, problems.validate),
        ];
        for (stage, errors) in steps {
            if run.ends(stage, errors) {
                return run;
            }
        }
        let project = project.expect("without errors there is a project");
        if run.ends(LifecycleStage::Validate, project.validate()) {
            return run;
        }
        run.apply(&project, vars);
        run.project = Some(project);
        run
    }

    fn apply(&mut self, project: &Project, vars: &VariableValues) {
        match project.plan(vars, &mut self.state, &self.cloud) {
            Err(errors) => {
                self.ends(LifecycleStage::Plan, errors);
            }
            Ok(plan) => {
                let errors = project.apply(&plan, vars, &mut self.state, &mut self.cloud);
                self.ends(LifecycleStage::Apply, errors);
                self.outputs.clone_from(&self.state.outputs);
            }
        }
    }

    /// The same project, applied to an empty cloud with other values.
    pub(super) fn again(&self, vars: &VariableValues) -> Option<Self> {
        let mut run = Self {
            failed: BTreeMap::new(),
            reached: LifecycleStage::Validate,
            cloud: Cloud::default(),
            outputs: BTreeMap::new(),
            project: None,
            state: TerraformState::default(),
        };
        run.apply(self.project.as_ref()?, vars);
        Some(run)
    }

    /// The second plan, and the removal of everything.
    pub(super) fn finish(&mut self, vars: &VariableValues) {
        let Some(project) = &self.project else { return };
        if self.reached < LifecycleStage::Apply || self.failed.contains_key(&LifecycleStage::Apply) {
            return;
        }
        let second = project.plan(vars, &mut self.state, &self.cloud);
        self.reached = LifecycleStage::Destroy;
        let changes = match second {
            Ok(plan) => plan.lines(),
            Err(errors) => texts(errors),
        };
        if !changes.is_empty() {
            self.failed.insert(LifecycleStage::Idempotency, changes);
        }
        let mut errors = texts(self.state.destroy(&mut self.cloud));
        let left = self.cloud.objects().filter_map(|o| o.owner.as_ref());
        errors.extend(left.map(|owner| format!("{owner} is still there")));
        if !errors.is_empty() {
            self.failed.insert(LifecycleStage::Destroy, errors);
        }
    }

    fn ends(&mut self, stage: LifecycleStage, errors: Vec<Diagnostic>) -> bool {
        self.reached = stage;
        if errors.is_empty() {
            return false;
        }
        self.failed.insert(stage, texts(errors));
        true
    }

    /// Whether there is a cloud to ask.
    pub(super) fn is_applied(&self) -> bool {
        self.failed.is_empty() && self.reached >= LifecycleStage::Apply
    }

    /// The project, where the files made one.
    pub(super) fn project(&self) -> Option<&Project> {
        self.project.as_ref()
    }
}
