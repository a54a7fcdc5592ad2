//! A task: a world, what breaks in it, and what counts as having dealt with it. Parsed and validated
//! once, at the edge: a [`Task`] that exists is valid.

pub(crate) mod answer;
mod causes;
mod compile;
mod condition;
mod derived;
pub(crate) mod evidence;
mod figures;
mod file;
pub mod held_out;
mod responder;
pub mod schema;
pub mod skeleton;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use faces::ToolSet;
use record::grade::components;
use record::{Evidence, FactKind};
use serde::{Deserialize, Serialize};
use world::faults::{Act, Fault, FaultArgs};
use world::rng::Draw;
use world::{Blueprint, Filed, Noise, Seed, Span, Spec, Time, Value};

pub(crate) use compile::BlankWorld;
pub(crate) use condition::wanted;
pub use condition::{Compare, FixCheck};
pub(crate) use derived::fix_of;
pub use figures::Figures;

use crate::error::TaskError;
pub use record::Split;

use crate::record::{Fix, TaskCard, sha256};

/// An incident that pages the on-call engineer: a [`TaskDraft`] that was validated. What it is made of can be read and not
/// changed, and there is no other way to one than [`Task::parse`] and [`TaskDraft::into_task`].
///
/// ```compile_fail,E0594
/// fn spoil(task: &mut harness::Task) { task.steps = 0; }
/// ```
/// ```compile_fail,E0451
/// fn unproved(proved: harness::Task, draft: harness::task::TaskDraft) -> harness::Task {
///     harness::Task { draft, ..proved }
/// }
/// ```
#[derive(Clone)]
pub struct Task {
    draft: TaskDraft,
    /// What the task is, as a digest, once its worlds are seeded.
    identity: OnceLock<String>,
    /// Settings that every draw of a situation asks for, once one was drawn.
    at_stake: OnceLock<SettingsAtStake>,
}

/// Settings that an incident is about, by service and key.
#[derive(Clone)]
pub(crate) struct SettingsAtStake {
    /// What breaks, what ends it, what people did about it and what shows it.
    pub about: BTreeSet<(usize, usize)>,
    /// What its faults and those who responded before spoil, and what is scarce for that.
    pub tight: BTreeSet<(usize, usize)>,
    /// The names of what they spoil.
    pub much_needed: Vec<&'static str>,
}

impl Deref for Task {
    type Target = TaskDraft;

    fn deref(&self) -> &TaskDraft {
        &self.draft
    }
}

/// What a task is made of, before it is known to be sound.
#[derive(Clone)]
pub struct TaskDraft {
    /// Its id: the name of its file.
    pub id: String,
    /// What it is about, in words; a spoiler.
    pub title: String,
    /// How hard it is.
    pub difficulty: Difficulty,
    /// What it may be used for.
    pub split: Split,
    /// The named suites it belongs to.
    pub suites: Vec<String>,
    /// The step budget.
    pub steps: u32,
    /// How imperfect its telemetry is at least.
    pub noise: Noise,
    /// The tools that it takes at least.
    pub tools: ToolSet,
    /// The world it happens in, as written.
    pub spec: Arc<Spec>,
    /// The same, compiled.
    pub plan: Arc<Blueprint>,
    /// What breaks.
    pub faults: Vec<PlannedFault>,
    /// Innocent entries of the change history, oldest first.
    pub decoys: Vec<Decoy>,
    /// What earlier responders did about it, in order.
    pub responders: Vec<EarlierResponse>,
    /// The service at fault.
    pub component: String,
    /// Concepts that a right diagnosis names.
    pub concepts: Vec<String>,
    /// Facts that count as evidence.
    pub evidence: Vec<Evidence>,
    /// What ends the incident, as written or as its faults say.
    pub fix: Vec<Fix>,
    /// The same as conditions on the world's state. When all hold, it is over; whether it is otherwise is asked of
    /// the faults.
    pub conditions: Vec<FixCheck>,
    /// Services whose remediation is a distraction.
    pub distractors: Vec<String>,
    /// Calls that solve it.
    pub solution: Vec<String>,
    /// How hard it was measured to be, if the file says so.
    pub figures: Option<Figures>,
    /// SHA-256 of the file's text, in hexadecimal.
    pub digest: String,
}

/// How hard a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Difficulty {
    /// The page names the cause's service.
    Easy,
    /// The cause takes two looks.
    Medium,
    /// The page misleads.
    Hard,
}

/// A fault of a task, with its arguments.
#[derive(Clone)]
pub struct PlannedFault {
    /// The fault.
    pub fault: &'static dyn Fault,
    /// Its arguments.
    pub args: FaultArgs,
    /// How long after the onset it begins.
    pub after: Span,
}

/// A change before the onset that did no harm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoy {
    /// Index of the service.
    pub service: usize,
    /// How long before the onset.
    pub before: Span,
    /// Who did it.
    pub author: String,
    /// What was done.
    pub summary: String,
}

/// Something that an earlier responder did, and that does not help.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlierResponse {
    /// Index of the service.
    pub service: usize,
    /// The key that was set and its value; without one the service was restarted.
    pub set: Option<(usize, Value)>,
    /// How long after the onset.
    pub after: Span,
    /// Who did it.
    pub author: String,
    /// What the change history says of it.
    pub summary: String,
}

impl Decoy {
    /// The entry, at some second of the minute before or after what the file says.
    pub fn filed(&self, onset: Time, draw: Draw) -> Filed {
        let at = onset.back(self.before) + Span(draw.below(59_000));
        Filed { author: self.author.as_str().into(), service: self.service, summary: self.summary.as_str().into(), at }
    }
}

impl Task {
    fn new(draft: TaskDraft) -> Task {
        Task { draft, identity: OnceLock::new(), at_stake: OnceLock::new() }
    }

    /// The seed of this task's worlds under a seed. It depends on what the task is, not on what it is called.
    pub fn own_seed(&self, seed: u64) -> Seed {
        let identity = self.identity.get_or_init(|| {
            let spec = serde_json::to_string(&*self.spec).expect("a spec is plain data");
            sha256(format!("{spec} {} {:?}", self.fault_text(), self.responders).as_bytes())
        });
        Seed(seed).derive(identity)
    }

    /// The settings that it is about.
    pub(crate) fn at_stake(&self) -> &SettingsAtStake {
        self.at_stake.get_or_init(|| SettingsAtStake {
            about: self.about(),
            tight: self.tight(),
            much_needed: self.much_needed(),
        })
    }

    /// Reads and validates the text of a task file; `file` names it in errors and gives the id.
    pub fn parse(file: &str, text: &str) -> Result<Task, TaskError> {
        compile::task(file, text).map_err(|problem| TaskError { file: file.to_string(), problem })
    }

    /// The same task with telemetry that is at least so imperfect.
    pub fn noisier(&self, noise: Noise) -> Task {
        Task::new(TaskDraft { noise: self.noise.max(noise), ..self.draft.clone() })
    }

    /// The same task as it was measured.
    pub(crate) fn measured(self, difficulty: Difficulty, figures: Option<Figures>) -> Task {
        Task::new(TaskDraft { difficulty, figures, ..self.draft })
    }

    /// The same task in a suite.
    pub(crate) fn listed(&self, suite: &str) -> Task {
        Task::new(TaskDraft { suites: vec![suite.to_string()], ..self.draft.clone() })
    }

    /// The same task in another place: services, faults, fix and solution are those of this one, with other values.
    pub(crate) fn placed(&self, there: TaskDraft) -> Task {
        let shape = |draft: &TaskDraft| {
            let parts = [draft.plan.services.len(), draft.faults.len(), draft.fix.len(), draft.solution.len()];
            (parts, draft.responders.len())
        };
        assert_eq!(shape(&there), shape(self), "another place leaves a task what it is");
        assert_eq!(there.conditions.len(), there.fix.len(), "every part of the fix is a condition");
        Task::new(there)
    }

    /// The same task with something else about it, for tests.
    #[cfg(test)]
    pub(crate) fn with(&self, change: impl FnOnce(&mut TaskDraft)) -> Task {
        let mut draft = TaskDraft { digest: "another".to_string(), ..self.draft.clone() };
        change(&mut draft);
        Task::new(draft)
    }
}

impl TaskDraft {
    /// The task, if all that it is made of fits together.
    pub fn into_task(self) -> Result<Task, String> {
        let blank = BlankWorld::new(&self.plan);
        self.into_task_in(&blank)
    }

    /// The same for one of many tasks in worlds of its plan.
    pub(crate) fn into_task_in(self, blank: &BlankWorld) -> Result<Task, String> {
        compile::sound(&self, blank).map(|()| Task::new(self))
    }

    /// Whether something set off a loop that keeps itself alive.
    pub fn is_loop(&self) -> bool {
        self.faults.iter().any(|f| f.fault.is_trigger())
    }

    /// Whether something breaks that comes and goes.
    pub fn is_fitful(&self) -> bool {
        self.faults.iter().any(|f| f.fault.is_fitful())
    }

    /// Whether it takes a change history that has what its faults did: a solution or its evidence may point there.
    pub fn needs_changes(&self) -> bool {
        self.solution.iter().any(|call| call.contains("{change:"))
            || self.evidence.iter().any(|e| e.kind == FactKind::Change)
            || self.conditions.iter().any(|c| matches!(c, FixCheck::RolledBack { .. }))
    }

    /// The noise and the tools that it is played with if these are asked for: it may need more.
    pub fn played_with(&self, noise: Noise, tools: ToolSet) -> (Noise, ToolSet) {
        (noise.max(self.noise), tools.or_needed(self.tools))
    }

    /// What grading needs of it.
    pub fn card(&self) -> TaskCard {
        TaskCard {
            id: self.id.clone(),
            digest: self.digest.clone(),
            difficulty: self.difficulty.text().to_string(),
            family: self.families().join("+"),
            split: self.split.text().to_string(),
            steps: self.steps,
            evidence: self.evidence.iter().map(Evidence::to_string).collect(),
            fix: self.fix.clone(),
            levers: self.levers(),
            distractors: self.distractors.clone(),
            component: self.component.clone(),
            aliases: self.aliases(),
            concepts: self.concepts.clone(),
            also: causes::also(self),
            question: None,
            problem: None,
        }
    }

    /// What people call the service at fault, where the graders' catalogue has no services of its kind.
    fn aliases(&self) -> Vec<String> {
        self.aliases_of(&self.component)
    }

    fn aliases_of(&self, component: &str) -> Vec<String> {
        let Some(service) = self.plan.service(component) else { return Vec::new() };
        let kind = self.plan.services[service].kind;
        let known = components::ALL.iter().any(|component| component.name == kind.title());
        if known { Vec::new() } else { kind.aliases().iter().map(|alias| alias.to_string()).collect() }
    }

    /// What each of its faults does to a world of this seed.
    pub fn acts(&self, seed: Seed) -> Vec<Vec<Act>> {
        acts(&self.faults, &self.plan, seed)
    }

    /// Settings that have to do with what its faults do or with what ends them, by service and key: an agent that ends the
    /// incident may leave them changed.
    pub fn related(&self) -> BTreeSet<(usize, usize)> {
        let of = |f: &PlannedFault| {
            let cures = f.fault.cures(&f.args, &self.plan);
            let own = cures.iter().filter_map(|cure| cure.setting(&self.plan)).collect::<Vec<_>>();
            own.into_iter().chain(f.fault.levers(&f.args, &self.plan))
        };
        let listed = self.conditions.iter().filter_map(FixCheck::setting);
        self.faults.iter().flat_map(of).chain(listed).collect()
    }

    /// Settings that its faults and those who responded before spoil.
    pub(crate) fn spoilt(&self) -> BTreeSet<(usize, usize)> {
        let acts = self.acts(Seed(0));
        let pushed = acts.iter().flatten().flat_map(|act| act.mutation.settings());
        let tried = self.responders.iter().filter_map(|r| Some((r.service, r.set.as_ref()?.0)));
        pushed.chain(tried).collect()
    }

    /// Those, and the settings that are scarce where one of those is bad.
    fn tight(&self) -> BTreeSet<(usize, usize)> {
        let spoilt = self.spoilt();
        let crowded = |&(service, key): &(usize, usize)| {
            let info = &self.plan.services[service];
            Some((service, info.key(info.kind.keys()[key].crowds?)?))
        };
        let crowded: Vec<(usize, usize)> = spoilt.iter().filter_map(crowded).collect();
        spoilt.into_iter().chain(crowded).collect()
    }

    /// Settings of which its faults and those who responded before leave too little.
    fn much_needed(&self) -> Vec<&'static str> {
        let key = |(service, key): (usize, usize)| self.plan.services[service].kind.keys()[key].name;
        self.spoilt().into_iter().map(key).collect()
    }

    /// Settings that the incident is about: what breaks, what ends it, what people did about it and what shows it.
    pub(crate) fn about(&self) -> BTreeSet<(usize, usize)> {
        let shown = |e: &Evidence| {
            let service = self.plan.service(&e.subject)?;
            let key = self.plan.services[service].key(e.item.as_deref()?)?;
            (e.kind == FactKind::Config).then_some((service, key))
        };
        self.related().into_iter().chain(self.evidence.iter().filter_map(shown)).chain(self.spoilt()).collect()
    }

    /// Settings by which the loop of a trigger can be broken in another way than by the listed fix.
    fn levers(&self) -> Vec<String> {
        let listed = |setting: &(usize, usize)| self.conditions.iter().any(|c| c.setting() == Some(*setting));
        let triggers = self.faults.iter().filter(|f| f.fault.is_trigger());
        let all: BTreeSet<(usize, usize)> = triggers.flat_map(|f| f.fault.levers(&f.args, &self.plan)).collect();
        let name = |(service, key): (usize, usize)| {
            let info = &self.plan.services[service];
            format!("{}.{}", info.name, info.kind.keys()[key].name)
        };
        all.into_iter().filter(|setting| !listed(setting)).map(name).collect()
    }

    /// The families of its faults, each once.
    pub fn families(&self) -> Vec<&'static str> {
        let mut families: Vec<&str> = self.faults.iter().map(|f| f.fault.family().text()).collect();
        families.sort_unstable();
        families.dedup();
        families
    }

    /// What breaks, in words.
    pub fn fault_text(&self) -> String {
        let one = |f: &PlannedFault| {
            let args: Vec<String> = f.args.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("{}({})", f.fault.name(), args.join(", "))
        };
        self.faults.iter().map(one).collect::<Vec<_>>().join(" and ")
    }
}

/// What each of a task's faults does to a world of this seed.
pub(crate) fn acts(faults: &[PlannedFault], plan: &Blueprint, seed: Seed) -> Vec<Vec<Act>> {
    let of = |f: &PlannedFault| {
        let acts = f.fault.plan(&f.args, plan, seed).expect("a task's faults were planned when it was parsed");
        acts.into_iter().map(|act| Act { after: act.after + f.after, ..act }).collect::<Vec<_>>()
    };
    faults.iter().map(of).collect()
}

impl Difficulty {
    /// All, from the easiest.
    pub const ALL: [Difficulty; 3] = [Difficulty::Easy, Difficulty::Medium, Difficulty::Hard];

    /// In one word.
    pub fn text(self) -> &'static str {
        ["easy", "medium", "hard"][self as usize]
    }
}
