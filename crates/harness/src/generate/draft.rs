//! One candidate: a fault somewhere in a world, what else happened there, and, once the alert has
//! paged, what shows it, what ends it and how to say so.

use std::sync::Arc;

use faces::ToolSet;
use record::{Evidence, FactKind};
use world::config::Bad;
use world::faults::{Cure, Family, Fault, FaultArgs, set_summary};
use world::{Blueprint, Noise, SCRAPE, Span, World};

use super::dice::GeneratorDice;
use super::pool::{DAYS, Fit, ShapePool, WorldShape};
use super::words::{self, Sayings};
use crate::check;
use crate::difficulty::{self, Figures};
use crate::record::Fix;
use crate::scenario::{Staged, drawn_tick, is_delicate};
use crate::task::evidence::look;
use crate::task::held_out::{family_is_held_out, is_held_out};
use crate::task::{Difficulty, EarlierResponse, FixCheck, PlannedFault, Split, Task, TaskDraft, fix_of};

/// Why a candidate was thrown away, in a few words.
pub type Rejection = &'static str;

/// A candidate without a page for so long is thrown away: what pages at all does so within minutes.
const PATIENCE: Span = Span::mins(20);
/// The first tick in which it is tried out whether there will be one.
const TRIED_IN: Span = Span::mins(1);
/// What shows something shows at a first look, so long after the page and seen in ticks of this length, ...
const FIRST_LOOK: Span = Span::secs(30);
const FIRST_LOOKED_IN: Span = SCRAPE;
/// ... and at a last one, ...
const LAST_LOOK: Span = Span::mins(2);
/// ... up to which time passes in ticks of this length: what shows first and last shows meanwhile.
const LOOKED_IN: Span = Span::secs(30);
/// What goes away by itself so soon after that is thrown away.
const LASTS: Span = Span::mins(5);
/// Ticks that tell of one that is clearly broken, and the last of them, of which alone the outcome is looked at.
const GLANCE: Span = Span::mins(4);
const LAST_GLANCE: Span = Span::mins(1);

/// Steps of every generated incident: a budget that went by the solution would tell how many causes there are.
const STEPS: u32 = 16;
/// So many of them are left when the solution has been played.
const SPARE: u32 = 4;

/// The share of incidents in which an earlier responder made it worse.
const RECOVERIES: f64 = 0.25;
/// They hand over sooner than those of tasks that are written: what passes before the agent takes over is simulated for every incident.
const LATEST_HANDOVER: u64 = 2;

/// A candidate before its page.
pub(super) struct Draft {
    pub task: TaskDraft,
    pub shape: Arc<WorldShape>,
    pub family: Family,
    /// What ends each of its faults.
    pub cures: Vec<Cure>,
    pub day: u64,
}

impl Draft {
    /// Draws a candidate for a split.
    pub fn draw(
        pool: &ShapePool,
        mut dice: GeneratorDice,
        id: String,
        (split, domain): (Split, &str),
    ) -> Result<Draft, Rejection> {
        let shape = pool.draw(&mut dice, split, domain).ok_or("the world is not healthy")?;
        Draft::of(&shape, pool, dice, id, split)
    }

    /// Draws a candidate in a shape.
    pub fn of(
        shape: &Arc<WorldShape>,
        pool: &ShapePool,
        mut dice: GeneratorDice,
        id: String,
        split: Split,
    ) -> Result<Draft, Rejection> {
        let fits = shape.drawn(split, || fits(shape, &pool.families(split), split));
        if fits.is_empty() {
            return Err("no fault of the family fits the world");
        }
        let (fault, args, cure) = pick(&mut dice, shape, fits)?;
        let mut task = task(shape, fault, args, id, split);
        let mut cures = vec![cure];
        for _ in 0..more(&mut dice) {
            let (fault, args, cure) = pick(&mut dice, shape, fits)?;
            if fault.is_trigger() || task.faults.iter().any(|f| f.fault.component(&f.args) == fault.component(&args)) {
                return Err("two faults get into each other's way");
            }
            let after = Span::secs(5 * dice.whole(0, 9) as u64);
            task.faults.push(PlannedFault { fault, args, after });
            cures.push(cure);
        }
        if dice.chance(RECOVERIES) {
            task.responders.extend(worse(&mut dice, &task));
            if split != Split::Test && task.is_held_out() {
                return Err("it is kept for testing");
            }
        }
        let day = dice.roll().below(DAYS);
        Ok(Draft { family: fault.family(), task, cures, day, shape: shape.clone() })
    }

    /// The same for one of many candidates: it is tried out roughly first whether anything will page.
    pub fn try_stage(&self) -> Result<Staged, Rejection> {
        let tells = !is_delicate(&self.task, Noise(0));
        let plans = |f: &PlannedFault| f.fault.plan(&f.args, &self.shape.plan, world::Seed(0)).is_ok();
        if tells && self.task.faults.iter().all(plans) && !self.may_page() {
            return Err("no alert pages");
        }
        self.stage()
    }

    fn may_page(&self) -> bool {
        let mut world = self.shape.day(self.day).clone();
        let onset = world.now();
        self.task.acts(self.seed().derive("fault")).iter().for_each(|acts| world.plant(acts, onset));
        world.tried(onset + PATIENCE, TRIED_IN).is_some()
    }

    fn seed(&self) -> world::Seed {
        world::Seed(self.day).derive("draft")
    }

    /// Runs it until the page, on the day that was drawn for it.
    pub fn stage(&self) -> Result<Staged, Rejection> {
        for planned in &self.task.faults {
            planned
                .fault
                .plan(&planned.args, &self.shape.plan, world::Seed(0))
                .map_err(|_| "the fault does not fit")?;
        }
        let healthy = self.shape.day(self.day).clone();
        Staged::drawn(&self.task, self.seed(), healthy, PATIENCE, LATEST_HANDOVER).map_err(|_| "no alert pages")
    }

    /// The whole task, now that it is known what can be seen.
    pub fn finish(mut self, staged: &Staged, sayings: &Sayings) -> Result<(Task, Figures), Rejection> {
        let plan = self.shape.plan.clone();
        let cause = plan.service(&self.task.component).ok_or("nothing is to blame")?;
        self.task.fix =
            self.cures.iter().zip(&staged.acts).flat_map(|(cure, acts)| fix_of(cure, acts, &plan)).collect();
        self.task.fix.extend(self.task.responders.iter().filter_map(|r| set_back(r, &plan)));
        self.task.conditions = self
            .task
            .fix
            .iter()
            .map(|f| FixCheck::parse(f, &plan))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|_| "nothing ends it")?;
        let tick = drawn_tick(&self.task, Noise(0));
        let seen = Seen::new(&staged.faulty);
        let paged = difficulty::watched(&plan, staged.page.alert);
        self.task.evidence = self.evidence(&seen, paged, cause);
        self.task.evidence.extend(self.task.responders.iter().filter_map(|r| shown(r, &plan)));
        if !self.task.evidence.iter().any(|e| e.subject == self.task.component) {
            return Err("nothing shows the cause");
        }
        self.task.distractors = self.distractors(&seen, paged, &plan);
        let said = words::said(&self.task, &self.cures, &self.cause(sayings)?);
        self.task.title = said.title;
        self.task.solution = self.task.evidence.iter().map(look).chain(said.calls).collect();
        if self.task.solution.len() as u32 + SPARE > STEPS {
            return Err("its solution takes too many steps");
        }
        seen.lasts(tick)?;
        let figures = Figures::at_page(&staged.faulty, &self.task, self.task.solution.len());
        let task = self.task.into_task_in(self.shape.blank()).map_err(|_| "it is no valid task")?;
        Ok((task, figures))
    }

    /// Its cause in words that are understood.
    pub fn cause(&self, sayings: &Sayings) -> Result<String, Rejection> {
        words::cause(&self.task, sayings).ok_or("no words for the cause")
    }

    /// What shows something at the first look and still does at the last.
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
        for other in self.task.faults[1..].iter().filter_map(|f| self.shape.plan.service(&f.fault.component(&f.args))) {
            let kind = [Status, Logs, Metrics].into_iter().find(|kind| seen.tells(*kind, other));
            evidence.extend(kind.map(|kind| plain((kind, other))).filter(|e| !evidence.contains(e)));
        }
        for cure in &self.cures {
            if let Cure::Config { service, key, .. } = cure {
                evidence.push(Evidence { kind: Config, subject: service.clone(), item: Some(key.clone()) });
            }
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

/// Faults of some families, at the places that a split may have.
fn fits(shape: &WorldShape, families: &[String], split: Split) -> Vec<Fit> {
    let any_held_out = families.iter().any(|family| family_is_held_out(family));
    let of_split = |fit: &Fit, site: &FaultArgs| match split {
        Split::Test if !any_held_out => true,
        Split::Test => is_held_out(fit.fault.name(), site, &shape.plan),
        Split::Train | Split::Dev => !is_held_out(fit.fault.name(), site, &shape.plan),
    };
    let own = shape.fits.iter().filter(|fit| families.iter().any(|name| name == fit.fault.family().text()));
    own.filter_map(|fit| {
        let sites: Vec<FaultArgs> = fit.sites.iter().filter(|site| of_split(fit, site)).cloned().collect();
        (!sites.is_empty()).then_some(Fit { fault: fit.fault, sites, weight: fit.weight })
    })
    .collect()
}

/// A fault that fits, its place and size, and what ends it.
fn pick(
    dice: &mut GeneratorDice,
    shape: &WorldShape,
    fits: &[Fit],
) -> Result<(&'static dyn Fault, FaultArgs, Cure), Rejection> {
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
    Ok((fit.fault, args, cure))
}

/// How many more faults there are than one.
fn more(dice: &mut GeneratorDice) -> usize {
    match dice.roll().unit() {
        u if u < 0.78 => 0,
        u if u < 0.95 => 1,
        _ => 2,
    }
}

/// Something that an earlier responder set and should not have: a number that does not fit.
fn worse(dice: &mut GeneratorDice, task: &TaskDraft) -> Option<EarlierResponse> {
    let (plan, about) = (&task.plan, task.about());
    let service = dice.whole(0, plan.services.len() - 1);
    let info = &plan.services[service];
    let key = dice.whole(0, info.config.len() - 1);
    let (key_info, now) = (&info.kind.keys()[key], &info.config[key]);
    let Some(Bad::Times(by)) = key_info.bad().filter(|_| !about.contains(&(service, key))) else { return None };
    let value = key_info.parse(&((now.int() * by).round() as i64).to_string()).ok().filter(|value| value != now)?;
    let summary = set_summary(key_info.name, now, &value);
    let after = Span::mins(dice.whole(2, 5) as u64);
    Some(EarlierResponse { service, set: Some((key, value)), after, author: "on-call".to_string(), summary })
}

/// What an earlier responder set has to be set back.
fn set_back(response: &EarlierResponse, plan: &Blueprint) -> Option<Fix> {
    let (key, _) = response.set.as_ref()?;
    let info = &plan.services[response.service];
    let config = format!("{}.{}", info.name, info.kind.keys()[*key].name);
    // What was lowered has to go most of the way back.
    Some(Fix::Config { config, is: format!(">= {}", (0.7 * info.config[*key].int()).round()) })
}

/// Where that shows.
fn shown(response: &EarlierResponse, plan: &Blueprint) -> Option<Evidence> {
    let (key, _) = response.set.as_ref()?;
    let info = &plan.services[response.service];
    let item = Some(info.kind.keys()[*key].name.to_string());
    Some(Evidence { kind: FactKind::Config, subject: info.name.to_string(), item })
}

/// The world a first look sees and the one a last look sees.
struct Seen {
    first: World,
    last: World,
}

impl Seen {
    fn new(at_page: &World) -> Seen {
        let mut first = at_page.clone();
        first.run_in_even_ticks(at_page.now() + FIRST_LOOK, FIRST_LOOKED_IN);
        let mut last = first.clone();
        last.run_in_ticks(at_page.now() + LAST_LOOK, LOOKED_IN);
        Seen { first, last }
    }

    /// Whether something is still wrong some minutes later.
    fn lasts(self, tick: Span) -> Result<(), Rejection> {
        let Seen { first, last } = self;
        let looked = last.now();
        let mut glance = last.felt_alone();
        // Only what goes wrong in the last of these ticks is looked at.
        glance.pass_unscraped(glance.now() + Span(LASTS.0 - LAST_GLANCE.0), GLANCE);
        glance.run_in_ticks(glance.now() + LAST_GLANCE, LAST_GLANCE);
        if check::is_clearly_ill(&glance, LAST_GLANCE) {
            return Ok(());
        }
        // It is rarely unclear, so no copy was kept for that.
        let mut world = first;
        world.run_in_ticks(looked, LOOKED_IN);
        let mut world = world.sketch();
        world.run_in_ticks(looked + LASTS, tick);
        if check::is_ill(&world) { Ok(()) } else { Err("it goes away by itself") }
    }

    fn tells(&self, kind: FactKind, service: usize) -> bool {
        [&self.first, &self.last].into_iter().all(|world| {
            let view = world.view();
            match kind {
                FactKind::Logs => difficulty::has_loud_lines(view, service),
                FactKind::Metrics => view.metrics_now(service).any(|(_, is_unusual, _)| is_unusual),
                _ => difficulty::is_unwell(view, service),
            }
        })
    }
}

fn task(shape: &WorldShape, fault: &'static dyn Fault, args: FaultArgs, id: String, split: Split) -> TaskDraft {
    TaskDraft {
        title: String::new(),
        difficulty: Difficulty::Medium,
        suites: Vec::new(),
        steps: STEPS,
        noise: Noise(0),
        // Tools that only some of them need would tell which are ended by a rollback.
        tools: ToolSet::FULL,
        spec: shape.spec.clone(),
        plan: shape.plan.clone(),
        decoys: Vec::new(),
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

/// Three digits are enough for a fault's size.
fn short(value: f64) -> String {
    let text = if value.abs() >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}
