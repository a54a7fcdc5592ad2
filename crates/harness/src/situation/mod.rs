//! A situation: everything about an incident that its task leaves open. The size of the place and its habits, every
//! healthy setting, what looks odd and does no harm, who is paged for what, how bad the fault is and its exact value
//! come from the seed; the task says only what makes it that task.

mod faults;
mod follow;
mod light;
mod pages;
mod places;
pub mod proved;

use std::collections::BTreeMap;
use std::sync::Arc;

use world::faults::set_summary;
use world::growth::Growth;
use world::rng::Draw;
use world::{Blueprint, Noise, Seed, Span, Value, World};

use crate::error::Error;
use crate::record::Fix;
use crate::scenario::{LATEST_HANDOVER, Scenario, Staged, is_delicate, round, settled_day, tried};
use crate::stop::Stop;
use crate::task::{Compare, EarlierResponse, FixCheck, PlannedFault, Task, TaskDraft, answer};
use places::Place;
use proved::ProvedDraw;

/// How far draws go from what is written: the later ones less far, for incidents that need things just so.
const REACH: &[f64] = &[
    1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.8, 0.8, 0.8, 0.8, 0.6, 0.6, 0.6, 0.4, 0.4, 0.4, 0.25,
    0.25, 0.12, 0.12,
];

/// How much room settings may have, from draw to draw and over again: what has much room feels little, and what has little may not
/// be well. A loop needs its room to end.
const ROOM: &[f64] = &[1.0, 0.5, 0.25, 0.1];

/// How much of the way to what is usual something that was tried may go.
const MILDEST: f64 = 0.65;
/// Those who respond in places that are nearly as written do what is written.
const LEAST_ODD: f64 = 0.2;

/// How much of its mildness is left to a fault, of which the first that is felt is taken.
const MILDNESS: &[f64] = &[1.0, 0.4, 0.0];

/// The number of the situation that is as it is written, when no draw will do.
pub const AS_WRITTEN: u32 = REACH.len() as u32;

/// So many days are tried for a situation as it is written: the first on which it pages is played.
const DAYS: u32 = 12;

/// A fault without a page for so long is no incident...
const PATIENCE: Span = Span::hours(3);
/// ... and a draw that takes so long is given up for another.
const HASTE: Span = Span::mins(40);

impl Scenario {
    /// Draws situations of a task until one is fit to be played, and runs it until the page.
    pub fn prepare(task: &Arc<Task>, seed: u64, noise: Noise) -> Result<Scenario, Error> {
        let wrong = |problem| Error::Scenario { task: task.id.clone(), seed, problem };
        Scenario::try_prepare(task, seed, noise).map_err(wrong)
    }

    /// The same incident again for those who know which draw of the situation it was: what was found fit is fit.
    pub(crate) fn again(task: &Arc<Task>, seed: u64, noise: Noise, number: u32) -> Result<Scenario, Error> {
        if number == AS_WRITTEN {
            return Scenario::prepare(task, seed, noise);
        }
        let noise = noise.max(task.noise);
        let known = proved::draw(task, seed, noise).filter(|draw| draw.number == number).map(|draw| draw.mildness);
        let drawn = Situation::draw(task, task.own_seed(seed), (number, known), noise);
        let staged = drawn.and_then(|situation| situation.stage(seed, HASTE));
        staged.map_err(|problem| Error::Scenario { task: task.id.clone(), seed, problem })
    }

    pub(crate) fn try_prepare(task: &Arc<Task>, seed: u64, noise: Noise) -> Result<Scenario, String> {
        Scenario::try_prepare_until(task, seed, noise, &Stop::default())
    }

    /// The same, given up before the next draw once `stop` is asked for: in a large world a draw takes seconds.
    pub(crate) fn try_prepare_until(
        task: &Arc<Task>,
        seed: u64,
        noise: Noise,
        stop: &Stop,
    ) -> Result<Scenario, String> {
        let noise = noise.max(task.noise);
        match proved::draw(task, seed, noise) {
            Some(ProvedDraw { number, mildness }) => {
                Situation::draw(task, task.own_seed(seed), (number, Some(mildness)), noise)?.stage(seed, HASTE)
            }
            None => search(task, seed, noise, stop).map(|(scenario, _)| scenario),
        }
    }
}

/// The first draw that is fit to be played, up to its page, and which it is: nothing where the situation is as it is written.
fn search(task: &Arc<Task>, seed: u64, noise: Noise, stop: &Stop) -> Result<(Scenario, Option<ProvedDraw>), String> {
    let own = task.own_seed(seed);
    for number in 0..AS_WRITTEN {
        stop.goes_on()?;
        let Ok(mut drawn) = Situation::draw(task, own, (number, None), noise) else { continue };
        let is_delicate = is_delicate(task, noise);
        let seen = drawn.tried.take().map(|tried| light::seen(tried, is_delicate));
        if seen.is_some_and(|seen| !seen.may_pass(number)) {
            continue;
        }
        let proved = ProvedDraw { number, mildness: drawn.mildness };
        let Ok(scenario) = drawn.stage(seed, HASTE).map(Arc::new) else { continue };
        if light::passes(&scenario, seen) {
            let scenario = Arc::into_inner(scenario).expect("the certificate keeps nothing");
            return Ok((scenario, Some(proved)));
        }
    }
    let as_written = |own: Seed| {
        stop.goes_on()?;
        Situation::draw(task, own, (AS_WRITTEN, None), noise)?.stage(seed, PATIENCE)
    };
    // Load wanders from day to day, and a mild fault is not felt on every one.
    let other_days = || (1..DAYS).map(|day| own.derive(&format!("day {day}")));
    let found = as_written(own).or_else(|why| other_days().find_map(|own| as_written(own).ok()).ok_or(why))?;
    Ok((found, None))
}

/// One draw.
pub(crate) struct Situation {
    /// Which draw it is, from 0.
    pub number: u32,
    /// The task in this situation: in another place, with other values, and otherwise the same.
    pub task: Arc<Task>,
    /// What picks the rest.
    pub seed: Seed,
    /// The place shortly before anything breaks.
    settled: World,
    /// Which of the severities that are tried it has.
    mildness: usize,
    /// What probably becomes of it, at the page, where that was tried out.
    tried: Option<World>,
}

impl Situation {
    /// The draw of that number for a task, with the severity that is known to be felt, if it is known; `own` is the task's own seed.
    /// One that will probably not page is an error, where that can be told.
    pub fn draw(
        task: &Arc<Task>,
        own: Seed,
        (number, known): (u32, Option<usize>),
        noise: Noise,
    ) -> Result<Situation, String> {
        let seed = own.derive(&format!("situation {number}"));
        let Some(reach) = REACH.get(number as usize).copied() else {
            let settled = settled_day(&task.plan, seed, noise);
            return Ok(Situation { number, task: task.clone(), seed, settled, mildness: 0, tried: None });
        };
        let draws = seed.stream("situation");
        let growth = Growth::draw(draws.within(0), reach, &task.at_stake().much_needed);
        let room = match is_delicate(task, noise) {
            true => 1.0,
            false => ROOM[number as usize % ROOM.len()],
        };
        let mut place = Place::draw(task, &growth, draws.within(1), (reach, room));
        pages::draw(&mut place.spec, draws.within(2).at(0), draws.within(3), reach);
        let plan = Arc::new(Blueprint::compile(&place.spec).map_err(|e| e.to_string())?);
        let settled = settled_day(&plan, seed, noise);
        let faults = |mildness: f64| faults::draw(task, &plan, &place, &growth, draws.within(4), (reach, mildness));
        let (mildness, faults, tried) = match known {
            Some(known) => (known, faults(MILDNESS[known])?, None),
            None if task.is_loop() || !task.responders.is_empty() => (0, faults(MILDNESS[0])?, None),
            None => felt(faults, &settled, seed).map(|(known, faults, tried)| (known, faults, Some(tried)))?,
        };
        let mut drawn = TaskDraft { plan, faults, ..TaskDraft::clone(task) };
        let responded = |(n, r): (usize, &EarlierResponse)| {
            responder(r, task, (&place, reach), &drawn.plan, draws.within(5).at(n as u64))
        };
        drawn.responders = task.responders.iter().enumerate().map(responded).collect();
        drawn.fix = task.fix.iter().map(|fix| scaled(fix, task, &place, &drawn.plan)).collect();
        drawn.conditions = drawn.fix.iter().map(|fix| FixCheck::parse(fix, &drawn.plan)).collect::<Result<_, _>>()?;
        drawn.solution = task
            .solution
            .iter()
            .map(|call| {
                let scaled = |service: &str, key: &str, n: Option<i64>| place.number(&drawn.plan, service, key, n?);
                answer::settings(&answer::with_marks(call), |service, key, n| {
                    Some(scaled(service, key, n)?.to_string())
                })
            })
            .collect();
        Ok(Situation { number, task: Arc::new(task.placed(drawn)), seed, settled, mildness, tried })
    }

    /// Lets it run until the page.
    fn stage(self, seed: u64, patience: Span) -> Result<Scenario, String> {
        let Situation { number, task, seed: own, settled, .. } = self;
        let day = settled.with_past();
        let is_draw = number < AS_WRITTEN;
        let staged = if is_draw {
            Staged::drawn(&task, own, day, patience, LATEST_HANDOVER)
        } else {
            Staged::new(&task, own, day, patience)
        }?;
        Ok(Scenario::of(&task, seed, number, staged))
    }
}

/// The mildest faults that will probably page, of those that are tried. What is tried out roughly costs a fraction of what it
/// would cost to find out, and another severity costs a fraction of another place. Says which severity it is, as well.
fn felt(
    faults: impl Fn(f64) -> Result<Vec<PlannedFault>, String>,
    settled: &World,
    seed: Seed,
) -> Result<(usize, Vec<PlannedFault>, World), String> {
    let mut in_vain: Option<Vec<PlannedFault>> = None;
    for (at, mildness) in MILDNESS.iter().enumerate() {
        let faults = faults(*mildness)?;
        let is_same = |before: &Vec<PlannedFault>| before.iter().zip(&faults).all(|(a, b)| a.args == b.args);
        if in_vain.as_ref().is_some_and(is_same) {
            break;
        }
        if let Some(paged) = tried(&faults, settled, seed, HASTE) {
            return Ok((at, faults, paged));
        }
        in_vain = Some(faults);
    }
    Err(format!("probably no alert pages within {HASTE} of the onset"))
}

/// A condition of the fix for a place of another size: as far from what it needs as it was written.
fn scaled(fix: &Fix, task: &Task, place: &Place, plan: &Blueprint) -> Fix {
    let number = |condition: &FixCheck| {
        let FixCheck::Config { service, key, compare, value: Value::Int(n) } = condition else { return None };
        let by = place.needs(*service, *key);
        let healthy = plan.services[*service].config[*key].int() as i64;
        // What was healthy as written is healthy here, however numbers are rounded.
        let most = if *n as f64 <= task.plan.services[*service].config[*key].int() { healthy } else { i64::MAX };
        match compare {
            // What is more than was healthy as written is more than is healthy here, however much room there is.
            Compare::AtLeast if most == i64::MAX => {
                let written = task.plan.services[*service].config[*key].int().max(1.0);
                Some(format!(">= {}", round(*n as f64 * by).max(round(*n as f64 / written * healthy as f64))))
            }
            Compare::AtLeast => Some(format!(">= {}", round(*n as f64 * by).min(most))),
            Compare::AtMost => Some(format!("<= {}", round(*n as f64 * by))),
            Compare::Equal if *n as f64 == task.plan.services[*service].config[*key].int() => {
                Some(format!("= {healthy}"))
            }
            Compare::Equal => None,
        }
    };
    match (fix, FixCheck::parse(fix, &task.plan).ok().as_ref().and_then(number)) {
        (Fix::Config { config, .. }, Some(is)) => Fix::Config { config: config.clone(), is },
        _ => fix.clone(),
    }
}

/// What an earlier responder did, in a place of another size.
fn responder(
    responder: &EarlierResponse,
    task: &Task,
    (place, reach): (&Place, f64),
    plan: &Blueprint,
    draw: Draw,
) -> EarlierResponse {
    let Some((key, written)) = &responder.set else { return responder.clone() };
    let info = &plan.services[responder.service].kind.keys()[*key];
    let usual = &task.plan.services[responder.service].config[*key];
    let quirk = plan.services[responder.service].kind.quirks().iter().find(|q| q.key == info.name);
    // What looks odd elsewhere is what was tried here, on the same side of what is usual.
    let is_alike = |odd: &Value| match (odd, written, usual) {
        (Value::Int(odd), Value::Int(tried), Value::Int(usual)) => (odd < usual) == (tried < usual) && odd != usual,
        (Value::Text(_), Value::Text(_), _) => odd != usual,
        _ => false,
    };
    let quirk = quirk.filter(|_| !places::is_pushed_by_a_factor(info));
    let odd = quirk.into_iter().flat_map(|q| q.values).filter_map(|text| info.parse(text).ok());
    let odd: Vec<Value> = odd.filter(is_alike).collect();
    let value = match written {
        _ if !odd.is_empty() && reach > LEAST_ODD => draw.pick(&odd).clone(),
        Value::Int(n) => {
            // Anything between what is written and nearly what is usual.
            let milder = libm::pow(usual.int() / (*n as f64).max(1.0), MILDEST * reach * draw.unit());
            Value::Int(places::within(info, *n as f64 * milder * place.needs(responder.service, *key)))
        }
        other => other.clone(),
    };
    let told = |of: &Blueprint, to: &Value| set_summary(info.name, &of.services[responder.service].config[*key], to);
    let is_usual = responder.summary == told(&task.plan, written);
    let summary = if is_usual { told(plan, &value) } else { responder.summary.clone() };
    EarlierResponse { set: Some((*key, value)), summary, ..responder.clone() }
}

/// Needs by service and key.
type Needed = BTreeMap<(usize, usize), f64>;
