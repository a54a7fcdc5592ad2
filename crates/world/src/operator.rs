//! What an operator may see ([`View`]) and do ([`Operator`]). Truth is out of their reach: neither
//! gives away the world behind it.

use std::sync::Arc;

use crate::blueprint::AlertInfo;
use crate::change::{Change, Filed};
use crate::config::Key;
use crate::mutation::Mutation;
use crate::process::Process;
use crate::time::{Span, Time};
use crate::world::{Page, World};

/// A look at a world. Looking changes nothing: the type has no way to. Nor has it a way to what an
/// operator cannot know: how things were set on a healthy day, and what a change really did.
///
/// ```compile_fail,E0599
/// fn peek(view: world::View<'_>) { view.plan(); }
/// ```
/// ```compile_fail,E0609
/// fn peek(view: world::View<'_>) -> usize { view.changes().filter(|change| change.undo.is_some()).count() }
/// ```
/// ```compile_fail,E0599
/// fn peek(view: world::View<'_>) -> bool { view.changes().any(|change| change.is_innocent()) }
/// ```
#[derive(Clone, Copy)]
pub struct View<'w> {
    pub(crate) world: &'w World,
}

/// An entry of the change history, as people read it. What exactly would take it back, and whether it
/// did anything at all, is not written there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastChange<'w> {
    /// Its number.
    pub id: u32,
    /// When.
    pub time: Time,
    /// Index of the service.
    pub service: usize,
    /// Who did it.
    pub author: &'w str,
    /// What was done, in one line.
    pub summary: &'w str,
    /// Whether it can be taken back.
    pub can_be_rolled_back: bool,
    /// Whether it was taken back.
    pub reverted: bool,
    /// Whether the operator of this episode did it.
    pub by_operator: bool,
}

impl<'w> PastChange<'w> {
    fn of(change: &'w Change) -> PastChange<'w> {
        let Change { id, time, service, author, summary, undo, reverted, by_operator, innocent: _ } = change;
        PastChange {
            id: *id,
            time: *time,
            service: *service,
            author,
            summary,
            can_be_rolled_back: undo.is_some(),
            reverted: *reverted,
            by_operator: *by_operator,
        }
    }
}

/// What taking a change back came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RolledBack {
    /// The answer, worded as the control plane would.
    pub text: String,
    /// Index of the service.
    pub service: usize,
    /// Whether more than settings is changed by it.
    pub beyond_settings: bool,
}

/// Hands on a world. What it does goes into the change history.
pub struct Operator<'w> {
    world: &'w mut World,
}

impl World {
    /// A look at this world.
    pub fn view(&self) -> View<'_> {
        View { world: self }
    }

    /// Hands on this world.
    pub fn operator(&mut self) -> Operator<'_> {
        Operator { world: self }
    }
}

impl<'w> View<'w> {
    /// The time.
    pub fn now(self) -> Time {
        self.world.now
    }

    /// When the healthy past ended that is worked out where it is read; the beginning of time where there is none.
    pub fn past_end(self) -> Time {
        self.world.history.past().and_then(|past| past.end()).unwrap_or(Time(0))
    }

    /// The names of all services, by their position.
    pub fn services(self) -> impl ExactSizeIterator<Item = &'w str> {
        self.world.plan.services.iter().map(|service| &*service.name)
    }

    /// The names of all routes, by their position.
    pub fn route_names(self) -> impl ExactSizeIterator<Item = &'w str> {
        self.world.plan.routes.iter().map(|route| &*route.name)
    }

    /// The names of all alert rules, by their position.
    pub fn alert_names(self) -> impl ExactSizeIterator<Item = String> + use<'w> {
        self.world.plan.alerts.iter().map(AlertInfo::name)
    }

    /// The configuration keys of a service, as its manual has them.
    pub fn keys(self, service: usize) -> &'static [Key] {
        self.world.plan.services[service].kind.keys()
    }

    /// The names of a service's metrics, as its manual has them.
    pub fn metric_names(self, service: usize) -> impl ExactSizeIterator<Item = &'static str> {
        self.world.plan.services[service].kind.metrics().iter().map(|metric| metric.name)
    }

    /// The name of a service.
    pub fn name(self, service: usize) -> &'w Arc<str> {
        &self.world.plan.services[service].name
    }

    /// The page that called the operator.
    pub fn page(self) -> Option<Page> {
        self.world.page()
    }

    /// The change history, by the time of filing.
    pub fn changes(self) -> impl DoubleEndedIterator<Item = PastChange<'w>> {
        self.world.changes().iter().map(|change| PastChange::of(change))
    }
}

impl Operator<'_> {
    /// A look at the world under the operator's hands.
    pub fn view(&self) -> View<'_> {
        View { world: self.world }
    }

    /// Sets a configuration key; the answer or the refusal is worded as the control plane would.
    pub fn set_config(&mut self, service: usize, key: &str, value: &str) -> Result<String, String> {
        let info = &self.world.plan.services[service];
        let name = info.name.clone();
        let keys = info.kind.keys();
        let at = keys.iter().position(|k| k.name.eq_ignore_ascii_case(key)).ok_or_else(|| {
            let known: Vec<&str> = keys.iter().map(|k| k.name).collect();
            format!("{name} has no configuration key `{key}`; it has {}", known.join(", "))
        })?;
        let value = keys[at].parse(value)?;
        let old = self.world.settings[service].template[at].wanted.clone();
        if old == value {
            return Ok(format!("{name}: {} is already {value}; nothing changed", keys[at].name));
        }
        let summary = format!("set {} from {old} to {value}", keys[at].name);
        let answer =
            format!("{name}: {} changed from {old} to {value}; rollout takes {}", keys[at].name, keys[at].rollout);
        let mutation = Mutation::Config { service, key: at, value, since: self.world.now };
        self.world.change("on-call", service, &summary, &mutation, true);
        Ok(answer)
    }

    /// Restarts all instances of a service, one after another; dead ones at once.
    pub fn restart(&mut self, service: usize) -> String {
        let info = &self.world.plan.services[service];
        let (name, secs) = (info.name.clone(), info.kind.restart_secs());
        let (now, fleet) = (self.world.now, self.world.fleet.of(service));
        let mut wait = Span::ZERO;
        let mut parts = Vec::with_capacity(fleet.len());
        for instance in fleet {
            let process = instance.process;
            let process = if process.up() {
                let due = now + wait;
                wait = wait + Span::secs(secs + 5);
                Process { restart_at: due, ..process }
            } else {
                Process::starting(now + Span::secs(secs))
            };
            parts.push(Mutation::Process { instance: instance.id, process });
        }
        let count = parts.len();
        self.world.apply(&Mutation::All(parts));
        let filed = Filed { author: "on-call".into(), service, summary: "restart".into(), at: now };
        self.world.note_change(&filed, None, true);
        format!("{name}: restart of {count} instance{} started, {secs} s each", if count == 1 { "" } else { "s" })
    }

    /// Takes a change back.
    pub fn roll_back(&mut self, id: u32) -> Result<RolledBack, String> {
        let at = self.world.changes().iter().position(|c| c.id == id).ok_or_else(|| {
            let known: Vec<String> = self.world.changes().iter().map(|c| c.id.to_string()).collect();
            let known =
                if known.is_empty() { "there are none".into() } else { format!("known are {}", known.join(", ")) };
            format!("there is no change {id}; {known}")
        })?;
        let change = self.world.changes()[at].clone();
        let beyond_settings = change.reaches_beyond_settings();
        if change.reverted {
            return Err(format!("change {id} has been rolled back already"));
        }
        let Some(undo) = change.undo.clone() else {
            return Err(format!("change {id} cannot be rolled back: {}", change.summary));
        };
        let undo = renewed(undo, self.world.now);
        Arc::make_mut(&mut Arc::make_mut(&mut self.world.changes).all_mut()[at]).reverted = true;
        let summary = format!("roll back change {id} ({})", change.summary);
        self.world.change("on-call", change.service, &summary, &undo, true);
        let text = format!("change {id} ({}) is being rolled back", change.summary);
        Ok(RolledBack { text, service: change.service, beyond_settings })
    }

    /// Silences an alert.
    pub fn silence(&mut self, name: &str) -> Result<String, String> {
        let Some(alert) = self.view().alert(name) else {
            let firing: Vec<String> = self.view().alerts().iter().map(|a| a.name.to_string()).collect();
            return Err(format!("there is no alert `{name}`; active are {}", firing.join(", ")));
        };
        self.world.apply(&Mutation::Silence { alert, on: true });
        Ok(format!("{name} is silenced"))
    }
}

/// An undo that is rolled out from now on, as any other change.
fn renewed(mutation: Mutation, now: Time) -> Mutation {
    match mutation {
        Mutation::Config { service, key, value, .. } => Mutation::Config { service, key, value, since: now },
        Mutation::Build { service, build, .. } => Mutation::Build { service, build, since: now },
        Mutation::All(all) => Mutation::All(all.into_iter().map(|m| renewed(m, now)).collect()),
        other => other,
    }
}
