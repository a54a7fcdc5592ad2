//! What an agent has been shown so far, as numbers: nothing gets here but by a reply's own text.

use std::sync::Arc;

use world::{Blueprint, Key};

use super::layout::{Layout, Own, Setting, Whole};
use super::reading;
use crate::agent::Brief;
use crate::record::{Step, Touch};

/// The notes of somebody who reads every reply and forgets nothing.
#[derive(Clone)]
pub struct Board {
    brief: Arc<Brief>,
    plan: Arc<Blueprint>,
    room: usize,
    /// The features of the services, one row each.
    rows: Vec<f32>,
    /// The features of the incident.
    whole: Vec<f32>,
    /// Keys and values of each service, as they were shown.
    settings: Vec<Vec<(Setting, String)>>,
    /// 1 for each metric of each service that was shown, by rank.
    metrics: Vec<u8>,
    changes: Vec<String>,
    alerts: Vec<String>,
    routes: Vec<String>,
    deeds: Vec<String>,
    here: Option<usize>,
    news: News,
}

/// What was shown that opens further actions.
#[derive(Clone, Copy, Default)]
pub(super) struct News {
    /// One bit for each service whose settings or metrics were shown for the first time.
    pub services: u64,
    /// Whether changes, alerts or routes were.
    pub lists: bool,
}

impl Board {
    /// The board at the page. Services beyond `room` are left out.
    pub fn new(brief: &Arc<Brief>, plan: &Arc<Blueprint>, room: usize) -> Board {
        let layout = Layout::get();
        let mut board = Board {
            rows: vec![0.0; room * layout.service().len()],
            whole: vec![0.0; layout.incident().len()],
            settings: vec![Vec::new(); room],
            metrics: vec![0; room * layout.metrics().len()],
            changes: Vec::new(),
            alerts: Vec::new(),
            routes: Vec::new(),
            deeds: Vec::new(),
            here: None,
            news: News::default(),
            brief: brief.clone(),
            plan: plan.clone(),
            room,
        };
        board.page();
        board
    }

    /// Wipes it for another incident.
    pub fn restart(&mut self, brief: &Arc<Brief>, plan: &Arc<Blueprint>) {
        self.rows.fill(0.0);
        self.whole.fill(0.0);
        self.settings.iter_mut().for_each(Vec::clear);
        self.metrics.fill(0);
        [&mut self.changes, &mut self.alerts, &mut self.routes, &mut self.deeds].into_iter().for_each(Vec::clear);
        (self.here, self.news) = (None, News::default());
        (self.brief, self.plan) = (brief.clone(), plan.clone());
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
        self.set(Whole::StepsLeft, 1.0 - f64::from(step.index) / budget);
        self.set(Whole::Hours, minutes / 60.0);
        self.set(Whole::LastValid, if step.invalid.is_none() { 1.0 } else { -1.0 });
        self.set(Whole::LastChanged, f64::from(u8::from(!step.touched.is_empty())));
        self.move_here(step);
        self.mark_tool(step);
        reading::read(self, step, f64::from(step.index) / budget);
        step.touched.iter().for_each(|touch| self.note(touch));
    }

    /// What has been opened since this was last asked.
    pub(super) fn take_news(&mut self) -> News {
        std::mem::take(&mut self.news)
    }

    pub(super) fn services(&self) -> usize {
        self.brief.services.len().min(self.room)
    }

    /// The name of a service; one that nothing has for a position beyond the last.
    pub(super) fn service(&self, at: usize) -> std::borrow::Cow<'_, str> {
        match self.brief.services.get(at) {
            Some(name) if at < self.room => name.as_str().into(),
            _ => format!("service_{at}").into(),
        }
    }

    pub(super) fn find(&self, service: &str) -> Option<usize> {
        self.brief.services.iter().take(self.room).position(|name| name == service)
    }

    /// What a key of a service takes, as its manual says.
    pub(super) fn key(&self, service: usize, name: &str) -> Option<&'static Key> {
        self.plan.services.get(service)?.kind.keys().iter().find(|key| key.name == name)
    }

    pub(super) fn settings(&self, service: usize) -> &[(Setting, String)] {
        self.settings.get(service).map_or(&[], Vec::as_slice)
    }

    /// 1 for each metric of a service that was shown, by rank; none for a service beyond the last.
    pub(super) fn metrics(&self, service: usize) -> &[u8] {
        let all = Layout::get().metrics().len();
        self.metrics.get(service * all..(service + 1) * all).unwrap_or(&[])
    }

    pub(super) fn changes(&self) -> &[String] {
        &self.changes
    }

    pub(super) fn alerts(&self) -> &[String] {
        &self.alerts
    }

    pub(super) fn routes(&self) -> &[String] {
        &self.routes
    }

    pub(super) fn deeds(&self) -> &[String] {
        &self.deeds
    }

    pub(super) fn show_setting(&mut self, service: usize, key: Setting, value: &str) {
        let known = &mut self.settings[service];
        match known.iter_mut().find(|(shown, _)| shown.rank == key.rank) {
            Some((_, old)) => value.clone_into(old),
            None => {
                known.push((key, value.to_string()));
                self.news.services |= 1 << service;
            }
        }
    }

    pub(super) fn show_metric(&mut self, service: usize, rank: usize) {
        let known = &mut self.metrics[service * Layout::get().metrics().len() + rank];
        if std::mem::replace(known, 1) == 0 {
            self.news.services |= 1 << service;
        }
    }

    pub(super) fn show_change(&mut self, id: &str) {
        self.news.lists |= add(&mut self.changes, id);
    }

    pub(super) fn show_alert(&mut self, name: &str) {
        self.news.lists |= add(&mut self.alerts, name);
    }

    pub(super) fn show_route(&mut self, name: &str) {
        self.news.lists |= add(&mut self.routes, name);
    }

    /// The features of one service.
    pub(super) fn row(&mut self, service: usize) -> &mut [f32] {
        let width = Layout::get().service().len();
        &mut self.rows[service * width..(service + 1) * width]
    }

    pub(super) fn put(&mut self, service: usize, feature: Own, value: f64) {
        self.row(service)[feature as usize] = within(value);
    }

    pub(super) fn set(&mut self, feature: Whole, value: f64) {
        self.whole[feature as usize] = within(value);
    }

    fn page(&mut self) {
        let brief = self.brief.clone();
        let alert = brief.page.split(':').next().unwrap_or_default();
        let about = alert.split('/').next().unwrap_or_default();
        for service in 0..self.services() {
            self.put(service, Own::Exists, 1.0);
        }
        match self.find(about) {
            Some(service) => self.put(service, Own::Paged, 1.0),
            None => self.set(Whole::PageIsObjective, 1.0),
        }
        self.set(Whole::StepsLeft, 1.0);
        self.set(Whole::Budget, f64::from(brief.steps) / 20.0);
    }

    fn move_here(&mut self, step: &Step) {
        if let Some(before) = self.here.take() {
            self.put(before, Own::Last, 0.0);
        }
        self.here = step.args.get("service").and_then(|name| self.find(name));
        if let Some(now) = self.here {
            self.put(now, Own::Last, 1.0);
        }
    }

    fn mark_tool(&mut self, step: &Step) {
        let layout = Layout::get();
        let tools = faces::ToolSet::Full.tools();
        self.whole[layout.tool(0)..layout.tool(tools.len())].fill(0.0);
        if let Some(at) = tools.iter().position(|tool| tool.name() == step.tool) {
            self.whole[layout.tool(at)] = 1.0;
        }
    }

    /// Remembers what the agent itself has done.
    fn note(&mut self, touch: &Touch) {
        let (service, feature, deed) = match touch {
            Touch::Config { service, key, to, .. } => {
                if let (Some(at), Some(key)) = (self.find(service), Layout::get().key(key)) {
                    self.show_setting(at, key, to);
                }
                (service, Own::DidConfig, format!("set {key} of {service} to {to}"))
            }
            Touch::Restart { service } => (service, Own::DidRestart, format!("restarted {service}")),
            Touch::Rollback { service } => {
                (service, Own::DidRollback, format!("rolled back the last change of {service}"))
            }
            Touch::Silence { alert } => return self.deeds.push(format!("silenced {alert}")),
        };
        self.deeds.push(deed);
        if let Some(at) = self.find(service) {
            let feature = &mut self.row(at)[feature as usize];
            *feature = (*feature + 0.25).min(1.0);
        }
    }
}

/// Numbers lie between -1 and 1, whatever was shown.
fn within(value: f64) -> f32 {
    value.clamp(-1.0, 1.0) as f32
}

fn add(list: &mut Vec<String>, name: &str) -> bool {
    let is_new = list.iter().all(|known| known != name);
    if is_new {
        list.push(name.to_string());
    }
    is_new
}
