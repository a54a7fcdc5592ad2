//! What an agent has been shown so far, as numbers: nothing gets here but by the readers of replies.

use std::borrow::Cow;
use std::sync::Arc;

use faces::learn::{KnownToLearner, ShownReply, ShownSetting, Vocabulary};
use harness::{Brief, Key, Player};
use record::{Step, Touch};

use super::layout::{Layout, own, whole};
use super::notes::Notes;

/// The notes of a reader who reads every reply and forgets nothing.
#[derive(Clone)]
pub struct Observation {
    brief: Arc<Brief>,
    /// The configuration keys of each service, as its manual has them.
    manuals: Vec<&'static [Key]>,
    room: usize,
    /// The features of the services, one row each.
    rows: Vec<f32>,
    /// The features of the incident.
    whole: Vec<f32>,
    /// Keys and values of each service, as they were shown.
    settings: Vec<Vec<ShownSetting>>,
    /// 1 for each metric of each service that was shown, by rank.
    metrics: Vec<u8>,
    /// Names of changes, alerts, routes and whatever else was shown that can be picked.
    lists: Vec<(&'static str, Vec<String>)>,
    deeds: Vec<String>,
    here: Option<usize>,
    unlocked: Unlocked,
}

/// What was shown that opens further actions.
#[derive(Clone, Copy, Default)]
pub(super) struct Unlocked {
    /// One bit for each service whose settings or metrics were shown for the first time.
    pub services: u64,
    /// Whether changes, alerts or routes were, or something else that can be picked.
    pub lists: bool,
}

impl Observation {
    /// What is known at the page. Services beyond `room` are left out.
    pub fn new(player: &Player, room: usize) -> Observation {
        let layout = Layout::get();
        let mut observation = Observation {
            rows: vec![0.0; room * layout.service().len()],
            whole: vec![0.0; layout.incident().len()],
            settings: vec![Vec::new(); room],
            metrics: vec![0; room * layout.vocabulary().metrics.len()],
            lists: Vec::new(),
            deeds: Vec::new(),
            here: None,
            unlocked: Unlocked::default(),
            brief: player.brief().clone(),
            manuals: manuals(player).collect(),
            room,
        };
        observation.page();
        observation
    }

    /// Wipes it for another incident.
    pub fn restart(&mut self, player: &Player) {
        self.rows.fill(0.0);
        self.whole.fill(0.0);
        self.settings.iter_mut().for_each(Vec::clear);
        self.metrics.fill(0);
        self.lists.iter_mut().for_each(|(_, names)| names.clear());
        self.deeds.clear();
        (self.here, self.unlocked) = (None, Unlocked::default());
        self.brief = player.brief().clone();
        self.manuals.clear();
        self.manuals.extend(manuals(player));
        self.page();
    }

    /// The features of the services, one row behind the other.
    pub fn rows(&self) -> &[f32] {
        &self.rows
    }

    /// The features of the incident.
    pub fn whole(&self) -> &[f32] {
        &self.whole
    }

    /// Takes in what a step showed; `minutes` have passed since the page.
    pub fn see(&mut self, step: &Step, minutes: f64) {
        let budget = f64::from(self.brief.steps.max(1));
        self.set(whole::STEPS_LEFT, 1.0 - f64::from(step.index) / budget);
        self.set(whole::HOURS, minutes / 60.0);
        self.set(whole::LAST_VALID, if step.invalid.is_none() { 1.0 } else { -1.0 });
        self.set(whole::LAST_CHANGED, f64::from(u8::from(!step.touched.is_empty())));
        self.move_here(step);
        let tool = self.mark_tool(step);
        if let Some(columns) = tool.and_then(|tool| Layout::get().reader(tool)) {
            let service = step.args.get("service").and_then(|name| self.find(name));
            let when = f64::from(step.index) / budget;
            let Step { observation, facts, args, .. } = step;
            let shown = ShownReply { text: observation, facts, args, service, when };
            (columns.reader.read)(&shown, &mut Notes { board: self, columns });
        }
        step.touched.iter().for_each(|touch| self.note(touch));
    }

    /// What has been opened since this was last asked.
    pub(super) fn take_unlocked(&mut self) -> Unlocked {
        std::mem::take(&mut self.unlocked)
    }

    pub(super) fn services(&self) -> usize {
        self.brief.services.len().min(self.room)
    }

    pub(super) fn find(&self, service: &str) -> Option<usize> {
        self.brief.services.iter().take(self.room).position(|name| name == service)
    }

    pub(super) fn show_setting(&mut self, service: usize, key: &str, value: &str) {
        let Some(setting) = Layout::get().key(key) else { return };
        let known = &mut self.settings[service];
        match known.iter_mut().find(|shown| shown.rank == setting.rank) {
            Some(shown) => value.clone_into(&mut shown.value),
            None => {
                known.push(ShownSetting { key: setting.name, rank: setting.rank, value: value.to_string() });
                self.unlocked.services |= 1 << service;
            }
        }
    }

    pub(super) fn show_metric(&mut self, service: usize, rank: usize) {
        let known = &mut self.metrics[service * Layout::get().vocabulary().metrics.len() + rank];
        if std::mem::replace(known, 1) == 0 {
            self.unlocked.services |= 1 << service;
        }
    }

    pub(super) fn show(&mut self, what: &'static str, name: &str) {
        let at = self.lists.iter().position(|(known, _)| *known == what).unwrap_or_else(|| {
            self.lists.push((what, Vec::new()));
            self.lists.len() - 1
        });
        let names = &mut self.lists[at].1;
        if names.iter().all(|known| known != name) {
            names.push(name.to_string());
            self.unlocked.lists = true;
        }
    }

    /// The features of one service.
    pub(super) fn row(&mut self, service: usize) -> &mut [f32] {
        let width = Layout::get().service().len();
        &mut self.rows[service * width..(service + 1) * width]
    }

    pub(super) fn put(&mut self, service: usize, column: usize, value: f64) {
        self.row(service)[column] = within(value);
    }

    pub(super) fn add(&mut self, service: usize, column: usize, value: f64) {
        let feature = &mut self.row(service)[column];
        *feature = (*feature + value as f32).min(1.0);
    }

    pub(super) fn set(&mut self, column: usize, value: f64) {
        self.whole[column] = within(value);
    }

    fn page(&mut self) {
        let brief = self.brief.clone();
        let alert = brief.page.split(':').next().unwrap_or_default();
        let about = alert.split('/').next().unwrap_or_default();
        for service in 0..self.services() {
            self.put(service, own::EXISTS, 1.0);
        }
        match self.find(about) {
            Some(service) => self.put(service, own::PAGED, 1.0),
            None => self.set(whole::PAGE_IS_OBJECTIVE, 1.0),
        }
        self.set(whole::STEPS_LEFT, 1.0);
        self.set(whole::BUDGET, f64::from(brief.steps) / 20.0);
    }

    fn move_here(&mut self, step: &Step) {
        if let Some(before) = self.here.take() {
            self.put(before, own::LAST, 0.0);
        }
        self.here = step.args.get("service").and_then(|name| self.find(name));
        if let Some(now) = self.here {
            self.put(now, own::LAST, 1.0);
        }
    }

    /// Marks the tool that was used last; gives its place in the full set.
    fn mark_tool(&mut self, step: &Step) -> Option<usize> {
        let layout = Layout::get();
        let tools = faces::ToolSet::FULL.tools();
        self.whole[layout.tool(0)..layout.tool(tools.len())].fill(0.0);
        let at = tools.iter().position(|tool| tool.name() == step.tool)?;
        self.whole[layout.tool(at)] = 1.0;
        Some(at)
    }

    /// Remembers what the agent itself has done.
    fn note(&mut self, touch: &Touch) {
        self.deeds.push(touch.deed());
        let Some(service) = touch.service().and_then(|service| self.find(service)) else { return };
        if let Touch::Config { key, to, .. } = touch {
            self.show_setting(service, key, to);
        }
        if let Some(column) = Layout::get().column(&format!("did:{}", touch.verb())) {
            self.add(service, column, 0.25);
        }
    }
}

impl KnownToLearner for Observation {
    fn vocabulary(&self) -> &Vocabulary {
        Layout::get().vocabulary()
    }

    fn service_name(&self, at: usize) -> Cow<'_, str> {
        match self.brief.services.get(at) {
            Some(name) if at < self.room => name.as_str().into(),
            _ => format!("service_{at}").into(),
        }
    }

    fn settings(&self, service: usize) -> &[ShownSetting] {
        self.settings.get(service).map_or(&[], Vec::as_slice)
    }

    fn key(&self, service: usize, name: &str) -> Option<&'static Key> {
        self.manuals.get(service)?.iter().find(|key| key.name == name)
    }

    fn metrics(&self, service: usize) -> &[u8] {
        let all = Layout::get().vocabulary().metrics.len();
        self.metrics.get(service * all..(service + 1) * all).unwrap_or(&[])
    }

    fn shown(&self, what: &str) -> &[String] {
        self.lists.iter().find(|(known, _)| *known == what).map_or(&[], |(_, names)| names)
    }

    fn deeds(&self) -> &[String] {
        &self.deeds
    }
}

/// The manuals of all services, in the order of the brief.
fn manuals(player: &Player) -> impl Iterator<Item = &'static [Key]> + '_ {
    (0..player.brief().services.len()).map(|service| player.manual(service))
}

/// Numbers lie between -1 and 1, whatever was shown.
fn within(value: f64) -> f32 {
    value.clamp(-1.0, 1.0) as f32
}
