//! From the text of a file to a [`Task`], step by step; each step says where the file is wrong.

use std::sync::Arc;

use faces::unknown_name;
use world::faults::{self, FaultArgs};
use world::{Blueprint, Filed, Noise, Seed, Span, Spec, Time, World};

use super::condition::{key, service};
use super::file::{DecoyPart, File, WorldPart, scalar};
use super::{Decoy, FixCheck, PlannedFault, Task, TaskDraft, answer, derived, evidence, responder};
use crate::grade::concepts;
use crate::record::sha256;
use crate::suite_names;

const MOST_STEPS: u32 = 100;
/// A fault that begins later than this has nothing to do with the page.
const LATEST_SECS: u64 = 3600;
/// The world's morning begins some hours before the onset; changes are younger than that.
const OLDEST_MINS: u64 = 360;

pub(super) fn task(file: &str, text: &str) -> Result<Task, String> {
    let raw: File = toml::from_str(text).map_err(|e| e.to_string().trim_end().to_string())?;
    named(file, &raw.id)?;
    let spec = spec(&raw.world)?;
    let plan = Arc::new(Blueprint::compile(&spec).map_err(|e| format!("world: {e}"))?);
    let each = |place: &'static str| move |at: usize, e: String| format!("{place} {}: {e}", at + 1);
    let faults = all(&raw.fault, |f| fault(f, &plan), each("[[fault]]"))?;
    let fix = if raw.grading.fix.is_empty() { derived::fix(&faults, &plan) } else { raw.grading.fix };
    let mut draft = TaskDraft {
        noise: Noise(raw.noise),
        figures: raw.measured,
        tools: raw.tools,
        responders: responder::all(&raw.responder, &plan)?,
        decoys: decoys(&raw.decoy, &plan)?,
        evidence: all(&raw.grading.evidence, |e| evidence::read(e, &plan), each("grading.evidence"))?,
        conditions: all(&fix, |f| FixCheck::parse(f, &plan), each("grading.fix"))?,
        digest: sha256(text.as_bytes()),
        id: raw.id,
        title: raw.title,
        difficulty: raw.difficulty,
        split: raw.split,
        suites: raw.suites,
        steps: raw.steps,
        component: raw.diagnosis.component,
        concepts: raw.diagnosis.concepts,
        faults,
        fix,
        distractors: raw.grading.distractors,
        solution: raw.solution.calls,
        spec: Arc::new(spec),
        plan,
    };
    responder::must_be_undone(&mut draft);
    draft.into_task()
}

/// A world of a plan in which nothing has happened but one change: enough to check a solution's names and numbers against.
pub(crate) struct BlankWorld {
    world: World,
    change: u32,
}

impl BlankWorld {
    /// One for all tasks in worlds of this plan.
    pub fn new(plan: &Arc<Blueprint>) -> BlankWorld {
        let mut world = World::new(plan, Seed(0), Noise(0));
        let filed = Filed { author: "".into(), service: 0, summary: "".into(), at: Time(0) };
        world.note_change(&filed, None, false);
        let change = world.changes()[0].id;
        BlankWorld { world, change }
    }
}

/// Whether all that a task is made of fits together.
pub(super) fn sound(task: &TaskDraft, blank: &BlankWorld) -> Result<(), String> {
    if !(1..=MOST_STEPS).contains(&task.steps) {
        return Err(format!("steps: takes 1 to {MOST_STEPS}; got {}", task.steps));
    }
    if task.noise > Noise::MAX {
        return Err(format!("noise: takes 0 to {}; got {}", Noise::MAX.0, task.noise.0));
    }
    for suite in &task.suites {
        suite_names::is_listed(suite).map_err(|e| format!("suites: {e}"))?;
    }
    complete(task)?;
    diagnosis(task)?;
    let wrong = |at: usize, e: String| format!("grading.distractors {}: {e}", at + 1);
    all(&task.distractors, |d| service(&task.plan, d), wrong)?;
    solution(task, blank)
}

/// Does the same with each item; an error says which one it was.
pub(super) fn all<T, U>(
    items: &[T],
    one: impl Fn(&T) -> Result<U, String>,
    wrong: impl Fn(usize, String) -> String,
) -> Result<Vec<U>, String> {
    items.iter().enumerate().map(|(at, item)| one(item).map_err(|e| wrong(at, e))).collect()
}

fn named(file: &str, id: &str) -> Result<(), String> {
    let good = !id.is_empty() && id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if !good {
        return Err(format!("id: takes small letters, digits and `_`; got `{id}`"));
    }
    let stem = std::path::Path::new(file).file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    if stem != id {
        return Err(format!("id: `{id}` differs from the file's name; rename one of them"));
    }
    Ok(())
}

fn spec(part: &WorldPart) -> Result<Spec, String> {
    let mut spec = match part.base.as_deref() {
        None | Some("shop") => world::shop(),
        Some("inline") => part.spec.clone().ok_or("world.base: `inline` needs a [world.spec] with the whole world")?,
        Some(other) => {
            return Err(format!("world.base: {}", unknown_name("world", other, &["shop", "inline"], "known are")));
        }
    };
    if part.spec.is_some() && part.base.as_deref() != Some("inline") {
        return Err("world.spec: goes with base = \"inline\" only".to_string());
    }
    let known: Vec<String> = spec.apps.iter().flat_map(|a| &a.routes).map(|r| r.name.clone()).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    for (name, factor) in &part.load {
        let unknown = || format!("world.load: {}", unknown_name("route", name, &known, "known are"));
        spec.route_mut(name).ok_or_else(unknown)?.rps *=
            positive(*factor).map_err(|e| format!("world.load: `{name}` {e}"))?;
    }
    for (name, factor) in &part.enlarge {
        if !spec.enlarge(name, *factor) {
            return Err(format!("world.enlarge: {}", unknown_name("route", name, &known, "known are")));
        }
    }
    for (name, value) in &part.config {
        let place = |e: String| format!("world.config: {e}");
        let value = scalar(value).ok_or_else(|| place(format!("`{name}` takes one value")))?;
        let (owner, key) = owned(&mut spec, name).map_err(place)?;
        owner.config.insert(key.into(), value.into());
    }
    for (name, value) in &part.params {
        let (owner, param) = owned(&mut spec, name).map_err(|e| format!("world.params: {e}"))?;
        owner.params.insert(param.into(), positive(*value).map_err(|e| format!("world.params: `{name}` {e}"))?);
    }
    spec.tickets.extend(part.tickets.iter().cloned());
    Ok(spec)
}

fn positive(number: f64) -> Result<f64, String> {
    if number.is_finite() && number > 0.0 { Ok(number) } else { Err(format!("takes a number above 0; got {number}")) }
}

/// The service and the rest of `service.rest`.
fn owned<'s>(spec: &'s mut Spec, text: &str) -> Result<(&'s mut world::spec::ServiceSpec, String), String> {
    let (owner, rest) = text.split_once('.').ok_or_else(|| format!("`{text}` should be written as service.NAME"))?;
    let known: Vec<String> = spec.services.iter().map(|s| s.name.clone()).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let owner = spec.service_mut(owner).ok_or_else(|| unknown_name("service", owner, &known, "known are"))?;
    Ok((owner, rest.to_string()))
}

fn fault(raw: &std::collections::BTreeMap<String, toml::Value>, plan: &Blueprint) -> Result<PlannedFault, String> {
    let kind = raw.get("kind").and_then(scalar).ok_or("it needs a `kind`, such as kind = \"crash\"")?;
    let known: Vec<&str> = faults::ALL.iter().map(|f| f.name()).collect();
    let fault = faults::find(&kind).ok_or_else(|| unknown_name("fault", &kind, &known, "known are"))?;
    let mut args = FaultArgs::default();
    let mut after = Span::ZERO;
    for (name, value) in raw.iter().filter(|(name, _)| *name != "kind") {
        let value = scalar(value).ok_or_else(|| format!("`{name}` takes one value"))?;
        if name == "after_s" {
            let secs = value.parse().ok().filter(|secs| *secs <= LATEST_SECS);
            after =
                Span::secs(secs.ok_or_else(|| format!("after_s: takes 0 to {LATEST_SECS} seconds; got `{value}`"))?);
            continue;
        }
        let known: Vec<&str> = fault.args().iter().map(|a| a.0).chain(["after_s"]).collect();
        if !known.contains(&name.as_str()) {
            return Err(unknown_name(&format!("argument of `{kind}`"), name, &known, "known are"));
        }
        args.0.insert(name.clone(), value);
    }
    if let Some(name) = args.0.get("service") {
        let at = service(plan, name)?;
        args.0.get("key").map_or(Ok(0), |k| key(plan, at, k))?;
    }
    fault.plan(&args, plan, Seed(0)).map_err(|e| format!("`{kind}`: {e}"))?;
    Ok(PlannedFault { fault, args, after })
}

fn decoys(raw: &[DecoyPart], plan: &Blueprint) -> Result<Vec<Decoy>, String> {
    let decoy = |d: &DecoyPart| {
        if !(1..=OLDEST_MINS).contains(&d.minutes_before) {
            return Err(format!("minutes_before: takes 1 to {OLDEST_MINS}; got {}", d.minutes_before));
        }
        let (service, before) = (service(plan, &d.service)?, Span::mins(d.minutes_before));
        Ok(Decoy { service, before, author: d.author.clone(), summary: d.summary.clone() })
    };
    let mut decoys = all(raw, decoy, |at, e| format!("[[decoy]] {}: {e}", at + 1))?;
    decoys.sort_by_key(|d| std::cmp::Reverse(d.before));
    Ok(decoys)
}

/// Nothing that a task is made of is missing.
fn complete(task: &TaskDraft) -> Result<(), String> {
    let parts = [
        ("[[fault]]", task.faults.is_empty()),
        ("diagnosis.concepts", task.concepts.is_empty()),
        ("grading.evidence", task.evidence.is_empty()),
        ("solution.calls", task.solution.is_empty()),
    ];
    if let Some((name, _)) = parts.iter().find(|(_, is_empty)| *is_empty) {
        return Err(format!("{name}: needs at least one"));
    }
    if task.fix.is_empty() {
        return Err("grading.fix: no fault of this task says what ends it; list it".to_string());
    }
    Ok(())
}

fn diagnosis(task: &TaskDraft) -> Result<(), String> {
    service(&task.plan, &task.component).map_err(|e| format!("diagnosis.component: {e}"))?;
    let known: Vec<&str> = concepts::ALL.iter().map(|c| c.name).collect();
    let unknown = |name: &&String| concepts::find(name).is_none();
    let wrong = task.concepts.iter().find(unknown);
    wrong.map_or(Ok(()), |name| {
        Err(format!("diagnosis.concepts: {}", unknown_name("concept", name, &known, "known are")))
    })
}

/// The solution is playable with the published actions, within the budget, and says that it is over.
fn solution(task: &TaskDraft, blank: &BlankWorld) -> Result<(), String> {
    if task.solution.len() > task.steps as usize {
        return Err(format!("solution.calls: {} calls, but the budget is {} steps", task.solution.len(), task.steps));
    }
    let mut last = "";
    for (at, text) in task.solution.iter().enumerate() {
        let wrong = |e: String| format!("solution.calls {}: `{text}`: {e}", at + 1);
        let as_written = |service: &str, key: &str, number: Option<i64>| {
            let at = task.plan.service(service)?;
            let written = &task.plan.services[at].config[task.plan.services[at].key(key)?];
            Some(number.map_or_else(|| written.to_string(), |n| n.to_string()))
        };
        let text = &answer::settings(text, as_written);
        let numbered = answer::fill(text, |entry| entry.service(&task.plan).map(|_| blank.change)).map_err(wrong)?;
        last = faces::parse(&numbered, task.tools, blank.world.view()).map_err(wrong)?.tool.name();
    }
    if last != "resolve_incident" {
        return Err(
            "solution.calls: the last call must be resolve_incident(root_cause=\"...\", fix=\"...\")".to_string()
        );
    }
    Ok(())
}
