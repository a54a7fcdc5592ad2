//! The place: its size and habits, every healthy setting with room of its own, and a few settings that look odd and do
//! no harm there.

use world::config::{Bad, KeyType};
use world::growth::Growth;
use world::rng::Stream;
use world::services::{Kind, Quirk, settle};
use world::spec::SpecText;
use world::{Blueprint, Key, Spec, Value};

use super::Needed;
use crate::scenario::round;
use crate::task::{SettingsAtStake, Task};

/// How likely each setting that can be odd without harm is odd.
const ODD: f64 = 0.9;
/// How far an odd number is from one that is listed.
const NEAR: (f64, f64) = (0.75, 1.33);
/// Places that are nearly as written have nothing odd about them.
const LEAST_REACH: f64 = 0.2;
/// How far the load of a route is from what is written, at most.
const MIX: f64 = 0.08;
/// How much of their usual room the settings have that are scarce.
const TIGHT: f64 = 0.15;

/// How the names of hosts in a company's network end.
const INTERNAL: &str = ".internal";

/// How much room a setting has.
#[derive(Clone, Copy)]
struct Room {
    /// Where between the least and the most, from 0 to 1.
    drawn: f64,
    /// How far draws go from what is written.
    reach: f64,
    /// How much of that it may have.
    most: f64,
    /// Whether the setting is scarce.
    is_tight: bool,
}

/// A place for a task.
pub(super) struct Place {
    pub spec: Spec,
    needed: Needed,
}

impl Place {
    /// Draws the place, as far from what is written as `reach` says, whose settings have at most so much of the room that they might
    /// have.
    pub fn draw(task: &Task, growth: &Growth, draws: Stream, (reach, room): (f64, f64)) -> Place {
        let mut spec = (*task.spec).clone();
        for (n, route) in spec.apps.iter_mut().flat_map(|a| &mut a.routes).enumerate() {
            route.rps *= 1.0 + MIX * reach * draws.within(0).at(n as u64).signed();
        }
        let mut needed = Needed::new();
        for (at, (info, needs)) in task.plan.services.iter().zip(spec.grow(growth)).enumerate() {
            needed.extend(needs.into_iter().filter_map(|(key, by)| Some(((at, info.key(key)?), by))));
        }
        let SettingsAtStake { about, tight, .. } = task.at_stake();
        let is_at_stake = |setting: &(usize, usize)| about.contains(setting) || tight.contains(setting);
        let mut place = Place { spec, needed };
        for (at, info) in task.plan.services.iter().enumerate() {
            let draws = draws.within(1).within(at as u64);
            for (key, written) in info.config.iter().enumerate() {
                let (drawn, is_tight) = (draws.at(key as u64).unit(), tight.contains(&(at, key)));
                let room = Room { drawn, reach, most: if is_tight { TIGHT.min(room) } else { room }, is_tight };
                place.set(at, &info.kind.keys()[key], written, place.needs(at, key), room);
            }
        }
        if reach > LEAST_REACH {
            let kinds = task.plan.services.iter().map(|info| info.kind);
            let mut odd = Vec::with_capacity(kinds.map(|kind| kind.quirks().len()).sum());
            for (at, info) in task.plan.services.iter().enumerate() {
                place.add_quirks(at, info.kind, &is_at_stake, draws.within(2).within(at as u64), &mut odd);
            }
            settle(&mut place.spec, &odd);
        }
        place
    }

    /// By how much more of a setting is needed here.
    pub fn needs(&self, service: usize, key: usize) -> f64 {
        self.needed.get(&(service, key)).copied().unwrap_or(1.0)
    }

    /// A number that was written for a setting, as this place has it.
    pub fn number(&self, plan: &Blueprint, service: &str, key: &str, number: i64) -> Option<i64> {
        let at = plan.service(service)?;
        let key = plan.services[at].key(key)?;
        let by = self.needs(at, key);
        let number = within(&plan.services[at].kind.keys()[key], number as f64 * by);
        Some(if by == 1.0 { number } else { number + i64::from(number % 2 == 1 && number > 1000) })
    }

    /// Sets a number to what is needed, times room: between a little less than is usual, where that will do, and much more.
    fn set(&mut self, at: usize, key: &Key, written: &Value, needs: f64, room: Room) {
        let Value::Int(written) = written else { return };
        // A task that gives much room of its own leaves less to draw, and one that gives little has nothing to spare.
        let own = *written as f64 / key.default.parse().unwrap_or(1.0_f64).max(1.0);
        let most = (key.roomy / own.max(1.0)).max(1.0);
        let spare = if room.is_tight { 1.0 } else { (key.spare * own).clamp(1.0, key.spare) };
        let factor = needs * libm::pow(libm::pow(most * spare, room.drawn) / spare, room.reach * room.most);
        if factor != 1.0 {
            let value = within(key, *written as f64 * factor);
            self.spec.services[at].config.insert(key.name.into(), value.to_string().into());
        }
    }

    /// Sets some of a service's settings to odd values, and adds them to those that are yet to be made harmless.
    fn add_quirks(
        &mut self,
        at: usize,
        kind: &dyn Kind,
        is_at_stake: &dyn Fn(&(usize, usize)) -> bool,
        draws: Stream,
        odd_ones: &mut Vec<(usize, &'static Quirk)>,
    ) {
        for (n, quirk) in kind.quirks().iter().enumerate() {
            let draws = draws.within(n as u64);
            let Some(key) = kind.keys().iter().position(|k| k.name == quirk.key) else { continue };
            if is_at_stake(&(at, key)) || !draws.at(0).chance(ODD) {
                continue;
            }
            odd_ones.push((at, quirk));
            let odd: &&'static str = draws.at(1).pick(quirk.values);
            let value = match (&kind.keys()[key], odd.parse::<f64>()) {
                (key, Ok(odd)) if is_pushed_by_a_factor(key) => {
                    within(key, odd * draws.at(2).between(NEAR.0, NEAR.1)).to_string().into()
                }
                _ => self.odd_value(at, quirk.key, odd),
            };
            self.spec.services[at].config.insert(quirk.key.into(), value);
        }
    }

    /// An odd value as a service of this place has it: where it names a host of its own, that host under the odd name. A name
    /// under which nothing was ever found would do harm.
    fn odd_value(&self, at: usize, key: &str, odd: &'static str) -> SpecText {
        let own = self.spec.services[at].config.get(key).and_then(|own| own.strip_suffix(INTERNAL));
        match (own, odd.strip_suffix(INTERNAL).and_then(|host| host.split_once('-'))) {
            (Some(own), Some((_, former))) => format!("{own}-{former}{INTERNAL}").into(),
            _ => odd.into(),
        }
    }
}

/// Whether a key is a number of which too little hurts, and how little depends on the place.
pub(super) fn is_pushed_by_a_factor(key: &Key) -> bool {
    matches!(key.bad(), Some(Bad::Times(_)))
}

/// A number as people set it, where a key takes it.
pub(crate) fn within(key: &Key, number: f64) -> i64 {
    let number = round(number);
    if let KeyType::Int { min, max, .. } = key.takes { number.clamp(min, max) } else { number }
}
