//! One candidate: a fault somewhere in a world, what else happened there, and, once the alert has
//! paged, what shows it, what ends it and how to say so.

use std::sync::Arc;

use faces::ToolSet;
use record::{Evidence, FactKind};
use world::faults::{Cure, Family, Fault, FaultArgs, TEAMS};
use world::{Blueprint, Noise, Span, World};

use super::dice::GeneratorDice;
use super::pool::{DAYS, ShapePool, WorldShape};
use super::words;
use crate::check;
use crate::difficulty::{self, Figures};
use crate::scenario::Staged;
use crate::task::evidence::look;
use crate::task::{Decoy, Difficulty, FixCheck, PlannedFault, Split, Task, fix_of};

/// Why a candidate was thrown away, in a few words.
pub type Rejection = &'static str;

/// A candidate without a page for so long is thrown away.
const PATIENCE: Span = Span::mins(45);
/// ... and one that goes away by itself so soon after the page.
const LASTS: Span = Span::mins(5);

/// A candidate before its page.
pub(super) struct Draft {
    pub task: Task,
    pub shape: Arc<WorldShape>,
    pub family: Family,
    pub cure: Cure,
    pub day: u64,
}

const CHORES: &[&str] = &[
    "deploy build {n} (copy changes)",
    "rotate the log files",
    "deploy build {n} (new icons)",
    "add a dashboard panel",
    "update the runbook link",
    "deploy build {n} (fewer debug lines)",
    "renew the on-call calendar",
    "tag release {n}",
    "move the nightly report by ten minutes",
    "deploy build {n} (translations)",
    "add an owner label",
    "bump the linter in the pipeline",
];

impl Draft {
    /// Draws a candidate for a split.
    pub fn draw(pool: &ShapePool, mut dice: GeneratorDice, id: String, split: Split) -> Result<Draft, Rejection> {
        let shape = pool.draw(&mut dice, split).ok_or("the world is not healthy")?;
        let families = pool.families(split);
        let fits: Vec<_> =
            shape.fits.iter().filter(|f| families.iter().any(|name| name == f.fault.family().text())).collect();
        let tickets: u64 = fits.iter().map(|f| f.weight).sum();
        let mut drawn = dice.roll().below(tickets);
        let fit = fits.iter().find(|f| {
            let hit = drawn < f.weight;
            drawn = drawn.saturating_sub(f.weight);
            hit
        });
        let fit = fit.ok_or("no fault of the family fits the world")?;
        let mut args = dice.pick(&fit.sites).clone();
        if let Some(severity) = fit.fault.severity() {
            let value = severity.at(dice.roll().between(0.35, 1.0));
            args.0.insert(severity.arg.to_string(), short(value));
        }
        let cure = fit.fault.cures(&args, &shape.plan).into_iter().next().ok_or("nothing ends it")?;
        let decoys = decoys(&mut dice, &shape.plan);
        let task = task(&shape, fit.fault, args, id, split, decoys);
        let day = dice.roll().below(DAYS);
        Ok(Draft { family: fit.fault.family(), task, cure, day, shape })
    }

    /// Runs it until the page, on the day that was drawn for it.
    pub fn stage(&self) -> Result<Staged, Rejection> {
        let planned = &self.task.faults[0];
        planned.fault.plan(&planned.args, &self.shape.plan, world::Seed(0)).map_err(|_| "the fault does not fit")?;
        let healthy = self.shape.day(self.day).clone();
        Staged::new(&self.task, self.day, healthy, PATIENCE).map_err(|_| "no alert pages")
    }

    /// The whole task, now that it is known what can be seen.
    pub fn finish(mut self, staged: &Staged) -> Result<(Task, Figures), Rejection> {
        let plan = self.shape.plan.clone();
        let cause = plan.service(&self.task.component).ok_or("nothing is to blame")?;
        self.task.fix = fix_of(&self.cure, &staged.acts.concat(), &plan);
        self.task.conditions = self
            .task
            .fix
            .iter()
            .map(|f| FixCheck::parse(f, &plan))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|_| "nothing ends it")?;
        let seen = Seen::new(&staged.faulty);
        seen.lasts()?;
        let paged = difficulty::watched(&plan, staged.page.alert);
        self.task.evidence = self.evidence(&seen, paged, cause);
        if !self.task.evidence.iter().any(|e| e.subject == self.task.component) {
            return Err("nothing shows the cause");
        }
        self.task.distractors = self.distractors(&seen, paged, &plan);
        self.task.tools = if matches!(self.cure, Cure::Rollback { .. }) { ToolSet::FULL } else { ToolSet::CLASSIC };
        let said = words::said(&self.task, &self.cure).ok_or("no words for the cause")?;
        self.task.title = said.title;
        self.task.solution = self.task.evidence.iter().map(look).chain(said.calls).collect();
        self.task.steps = self.task.solution.len() as u32 + 4;
        let figures = Figures::at_page(&staged.faulty, &self.task, self.task.solution.len());
        Ok((self.task, figures))
    }

    /// What shows something at the page and still does two minutes later.
    fn evidence(&self, seen: &Seen, paged: usize, cause: usize) -> Vec<Evidence> {
        use FactKind::{Config, Logs, Metrics, Status};
        let mut found: Vec<(FactKind, usize)> = Vec::new();
        if paged != cause {
            found.extend([Logs, Metrics].into_iter().find(|kind| seen.tells(*kind, paged)).map(|kind| (kind, paged)));
        }
        for kind in [Status, Logs, Metrics] {
            if found.len() < 3 && seen.tells(kind, cause) {
                found.push((kind, cause));
            }
        }
        let name = |service: usize| self.shape.plan.services[service].name.to_string();
        let plain = |(kind, service): (FactKind, usize)| Evidence { kind, subject: name(service), item: None };
        let mut evidence: Vec<Evidence> = found.into_iter().map(plain).collect();
        if let Cure::Config { service, key, .. } = &self.cure {
            evidence.push(Evidence { kind: Config, subject: service.clone(), item: Some(key.clone()) });
        }
        evidence
    }

    /// Services that look guilty and are not.
    fn distractors(&self, seen: &Seen, paged: usize, plan: &Blueprint) -> Vec<String> {
        let innocent = |s: &usize| {
            let name = &*plan.services[*s].name;
            name != self.task.component && !self.task.fix.iter().any(|f| f.service() == name)
        };
        let others = (0..plan.services.len()).filter(|s| *s != paged && seen.tells(FactKind::Metrics, *s));
        let all = std::iter::once(paged).chain(others).filter(innocent);
        all.take(2).map(|s| plan.services[s].name.to_string()).collect()
    }
}

/// The world a first look sees and the one a last look sees.
struct Seen([World; 2]);

impl Seen {
    fn new(at_page: &World) -> Seen {
        let later = |world: &World, secs: u64| {
            let mut world = world.clone();
            world.run_until(world.now() + Span::secs(secs));
            world
        };
        let first = later(at_page, 30);
        let last = later(&first, 90);
        Seen([first, last])
    }

    /// Whether something is still wrong some minutes later.
    fn lasts(&self) -> Result<(), Rejection> {
        let mut world = self.0[1].clone();
        world.run_until(world.now() + LASTS);
        check::symptom(&world).map(|_| ()).ok_or("it goes away by itself")
    }

    fn tells(&self, kind: FactKind, service: usize) -> bool {
        self.0.iter().all(|world| {
            let view = world.view();
            match kind {
                FactKind::Logs => difficulty::has_loud_lines(view, service),
                FactKind::Metrics => view.metrics(service).any(|m| m.unusual),
                _ => difficulty::is_unwell(view, service),
            }
        })
    }
}

fn task(
    shape: &WorldShape,
    fault: &'static dyn Fault,
    args: FaultArgs,
    id: String,
    split: Split,
    decoys: Vec<Decoy>,
) -> Task {
    Task {
        title: String::new(),
        difficulty: Difficulty::Medium,
        suites: Vec::new(),
        steps: 8,
        noise: Noise(0),
        tools: ToolSet::CLASSIC,
        plan: shape.plan.clone(),
        decoys,
        responders: Vec::new(),
        component: fault.component(&args),
        concepts: vec![fault.concept(&args).to_string()],
        evidence: Vec::new(),
        fix: Vec::new(),
        conditions: Vec::new(),
        distractors: Vec::new(),
        solution: Vec::new(),
        digest: String::new(),
        figures: None,
        faults: vec![PlannedFault { fault, args, after: Span::ZERO }],
        id,
        split,
    }
}

fn decoys(dice: &mut GeneratorDice, plan: &Blueprint) -> Vec<Decoy> {
    let number = dice.whole(1, 4);
    let mut decoys: Vec<Decoy> = (0..number)
        .map(|_| Decoy {
            service: dice.whole(0, plan.services.len() - 1),
            before: Span::mins(dice.whole(3, 200) as u64),
            author: dice.pick(TEAMS).to_string(),
            summary: dice.pick(CHORES).replace("{n}", &dice.whole(1200, 4800).to_string()),
        })
        .collect();
    decoys.sort_by_key(|d| std::cmp::Reverse(d.before));
    decoys
}

/// Three digits are enough for a fault's size.
fn short(value: f64) -> String {
    let text = if value.abs() >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}
