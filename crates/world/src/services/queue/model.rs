//! The physics of a message queue: backlog, deliveries, attempts, redeliveries.

use super::tables::{Gauge, Key, Log, Metric};
use crate::blueprint::Blueprint;
use crate::fleet::InstanceId;
use crate::flow::{Mix, Reason};
use crate::latency::Latency;
use crate::math::pow;
use crate::service_state::ServiceState;
use crate::services::{Gauges, InUse, Model, ModelSetup, OwnTime, Samples, Sight, Tick};

/// Consumers ask for messages this often, in seconds, so that even an idle queue holds a few.
const POLL: f64 = 0.8;

#[derive(Clone, Copy, Debug, Default)]
struct Settings {
    consumers: f64,
    in_flight: f64,
    attempts: f64,
    visibility: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    age: f64,
    publish_errors: f64,
    confirm: Latency,
    lag: f64,
    dead: f64,
    duplicates: f64,
    in_flight: f64,
    retries: f64,
    busy: f64,
    /// How long the slowest of the consumers' calls takes, in seconds.
    slowest: f64,
    /// A consumer's own work for a message, in seconds.
    work: f64,
    /// Connections that it keeps.
    hoarded: f64,
}

/// The state of one service of this kind.
#[derive(Clone)]
pub struct QueueModel {
    work: f64,
    settle: f64,
    publish: f64,
    transient: f64,
    backoff: f64,
    /// Consumers that one message takes.
    lanes: f64,
    /// Messages in what is delivered at once.
    batch: f64,
    prefetch: f64,
    /// How many times as long the third party takes to settle, and the share of attempts that it fails beyond the usual.
    slow: f64,
    errors: f64,
    /// The share of consumers that hang, and for how many seconds.
    stalled: f64,
    stalled_for: f64,
    /// Whether it ran in the last tick: a process dies once.
    ran: bool,
    settings: Settings,
    /// The share of what is published that can never be processed.
    poison: f64,
    /// Messages that wait for delivery.
    ready: f64,
    /// Poison messages that are not dead yet.
    poisoned: f64,
    /// How long a delivery holds its consumer.
    hold: f64,
    /// Deliveries per second in this tick.
    delivered: f64,
    /// Deliveries per second that come back: failed, not acknowledged in time, or poison.
    returning: f64,
    seen: Seen,
}

impl QueueModel {
    /// A model with its parameters, before its first configuration.
    pub fn new(setup: &ModelSetup<'_>) -> QueueModel {
        QueueModel {
            work: setup.param("work_s"),
            settle: setup.param("settle_s"),
            publish: setup.param("publish_s"),
            transient: setup.param("transient"),
            backoff: setup.param("backoff_s"),
            lanes: setup.param("lanes"),
            batch: setup.param("batch"),
            prefetch: setup.param("prefetch"),
            slow: 1.0,
            errors: 0.0,
            stalled: 0.0,
            stalled_for: 0.0,
            ran: true,
            settings: Settings::default(),
            poison: 0.0,
            ready: 5.0,
            poisoned: 0.0,
            hold: 0.5,
            delivered: 0.0,
            returning: 0.0,
            seen: Seen::default(),
        }
    }
}

impl QueueModel {
    /// How long a message stays unacknowledged after its delivery.
    fn unacknowledged(&self) -> Latency {
        let worked_on = Latency::new(self.hold, 0.6).then(self.settled());
        if self.prefetch <= 1.0 {
            return worked_on;
        }
        // What is fetched ahead waits with its consumer for all that was fetched before it.
        let ahead = (self.ready / self.consumers()).min(self.prefetch - 1.0);
        worked_on.then(Latency::new(ahead * self.hold, 0.3))
    }

    /// The same for one message.
    fn settled(&self) -> Latency {
        Latency::new(self.settling(), 0.35)
    }

    /// How long the third party takes to settle.
    fn settling(&self) -> f64 {
        self.settle * self.slow
    }

    /// Consumers that do not hang.
    fn consumers(&self) -> f64 {
        (self.settings.consumers * (1.0 - self.stalled)).max(0.01)
    }

    /// How often a delivered message is delivered again because its time ran out.
    fn redeliveries(&self) -> f64 {
        let time = self.unacknowledged();
        (1..=6).map(|k| time.tail(self.settings.visibility * f64::from(k))).take_while(|p| *p > 0.0).sum()
    }
}

impl Model for QueueModel {
    fn configure(&mut self, in_use: &InUse<'_>, _: &Blueprint) {
        let values = in_use.oldest();
        self.settings = Settings {
            consumers: values.get(Key::ConsumerConcurrency).int() / self.lanes,
            in_flight: values.get(Key::MaxInFlight).int() * self.batch,
            attempts: values.get(Key::RetryLimit).int(),
            visibility: values.get(Key::VisibilityTimeoutMs).int() / 1000.0,
        };
    }

    fn send(&mut self, tick: &mut Tick<'_>) {
        let up = tick.up() > 0.0;
        let published = if up { tick.arrivals() * (1.0 - self.poison) } else { 0.0 };
        let waiting = self.ready / tick.dt + published + self.returning;
        let lost: f64 = tick.instances().iter().map(|i| i.process.lost).sum();
        self.stalled = lost / tick.instances().len().max(1) as f64;
        let by_consumers = self.consumers() / self.hold.max(0.01);
        let by_flight = self.settings.in_flight / self.unacknowledged().mean.min(self.settings.visibility);
        self.delivered = if up { waiting.min(by_consumers).min(by_flight) } else { 0.0 };
        for &root in &tick.plan.services[tick.me].roots {
            for &child in &tick.info(root).children {
                tick.flows[child].offered = self.delivered * tick.info(child).times * (1.0 - tick.flows[child].gone);
                tick.flows[child].callers = self.consumers();
            }
        }
    }

    fn solve(&mut self, tick: &mut Tick<'_>) {
        let (up, published, dt) = (tick.up(), tick.arrivals(), tick.dt);
        let drag = tick.drag();
        let (mut hold, mut failed, mut slowest) = (self.work * drag, 0.0, 0.0f64);
        for &root in &tick.plan.services[tick.me].roots {
            for &child in &tick.info(root).children {
                let edge = tick.edge(child, 30.0);
                hold += edge.latency.mean * tick.info(child).times;
                failed = 1.0 - (1.0 - failed) * (1.0 - edge.failed);
                slowest = slowest.max(edge.latency.mean);
            }
        }
        self.hold += (hold - self.hold) * (dt / 5.0).min(1.0);
        let chance = (self.transient + self.errors + tick.build().errors).min(1.0);
        let failing = chance + (1.0 - chance) * failed;
        let accepted = if up > 0.0 { published } else { 0.0 };
        let again = self.redeliveries();
        let dead = pow(failing, self.settings.attempts).min(1.0);
        let share = self.settle_up(accepted, failing - dead, again, dt);
        let lag = self.ready / self.delivered.max(0.02);
        let age = lag + self.hold;
        let age = if up > 0.0 { age } else { self.seen.age / 1000.0 + dt };
        let crowd = 1.0 + (self.ready / 40_000.0).min(3.0);
        let confirm = Latency::new(self.publish * crowd * drag, 0.75);
        // Publishers that did not wait for the confirmation count as failed here too.
        let given_up: f64 = tick.calls().iter().map(|&c| tick.flows[c].offered * tick.flows[c].cut).sum();
        let given_up = given_up / published.max(1e-9);
        for &call in tick.calls() {
            if up > 0.0 {
                tick.flows[call].answer_all(confirm);
            } else {
                tick.flows[call].answer(Latency::new(0.002, 0.5), Mix::one(Reason::Refused, 1.0));
            }
        }
        self.answer_consumers(tick, accepted, dead, age);
        let busy = self.delivered * self.hold / self.consumers();
        self.seen = Seen {
            age: age * 1000.0,
            publish_errors: 1.0 - up * (1.0 - given_up),
            confirm,
            lag: if up > 0.0 { lag * 1000.0 } else { age * 1000.0 },
            dead: dead + share,
            duplicates: again.min(6.0),
            in_flight: (self.delivered * self.unacknowledged().mean.min(self.settings.visibility))
                .min(self.settings.in_flight),
            retries: failing * (1.0 - share)
                + if self.delivered > 0.0 { self.poisoned / self.backoff / self.delivered.max(1.0) } else { 0.0 },
            busy: busy.min(1.0) * 100.0,
            slowest,
            work: self.work * drag,
            hoarded: tick.instances().iter().map(|i| i.process.hoarded).sum(),
        };
        self.stalled_for = if self.stalled > 0.0 { self.stalled_for + dt } else { 0.0 };
        self.note(tick, up > 0.0, published, failed, dead, slowest);
        self.ran = !tick.all_dead();
    }

    fn restarted(&mut self, _: InstanceId) {
        // What was in flight is delivered again.
        self.ready += self.seen.in_flight;
    }

    fn sample(&self, _: &Sight<'_>, out: &mut Samples<'_>) {
        let s = &self.seen;
        out.set(Metric::QueueDepth, self.ready + self.delivered * POLL);
        out.set(Metric::OldestMessageAgeMs, s.age);
        out.set(Metric::PublishErrorRate, s.publish_errors);
        out.set(Metric::PublishP95LatencyMs, s.confirm.p95() * 1000.0);
        out.set(Metric::ConsumerLagMs, s.lag);
        out.set(Metric::DeadLetterRate, s.dead);
        out.set(Metric::DuplicateDeliveryRate, s.duplicates);
        out.set(Metric::InFlightMessages, s.in_flight);
        out.set(Metric::RetryRate, s.retries);
        out.set(Metric::ConsumerUtilizationPct, s.busy);
    }

    fn own_time(&self, at: Option<usize>) -> OwnTime {
        match at {
            Some(_) => OwnTime { work: self.seen.confirm, wait: Latency::ZERO },
            None => {
                // Messages are delivered in the order in which they came, so all of a moment have waited for about as long.
                let wait = Latency::new(self.seen.lag / 1000.0, 0.1);
                // What its calls take is theirs.
                OwnTime { work: Latency::new(self.seen.work, 0.6).then(self.settled()), wait }
            }
        }
    }

    fn gauge(&self, out: &mut Gauges<'_>) {
        out.set(Gauge::UnackedS, self.unacknowledged().mean);
        out.set(Gauge::Depth, self.ready + self.delivered * POLL);
        out.set(Gauge::AgeS, self.seen.age / 1000.0);
        out.set(Gauge::WriteMs, self.seen.slowest * 1000.0);
        out.set(Gauge::StalledS, self.stalled_for);
        out.set(Gauge::SettlingS, self.settling());
        out.set(Gauge::HeldConnections, self.seen.hoarded);
    }

    fn set_state(&mut self, state: ServiceState) -> ServiceState {
        match state {
            ServiceState::Poison { share } => {
                ServiceState::Poison { share: std::mem::replace(&mut self.poison, share) }
            }
            ServiceState::Messages { ready } => {
                ServiceState::Messages { ready: std::mem::replace(&mut self.ready, ready) }
            }
            ServiceState::Provider { slow, errors } => ServiceState::Provider {
                slow: std::mem::replace(&mut self.slow, slow),
                errors: std::mem::replace(&mut self.errors, errors),
            },
            other => other,
        }
    }

    fn is_impaired(&self) -> bool {
        self.ready > 2000.0 || self.stalled > 0.0
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![
            format!(
                "{} messages waiting, {} in flight",
                (self.ready + self.delivered * POLL).round(),
                self.seen.in_flight.round()
            ),
            format!("consumers {:.0}% busy", self.seen.busy),
        ];
        if self.stalled > 0.0 {
            let all = self.settings.consumers * self.lanes;
            let hang = (self.stalled * all).round();
            notes.push(format!("{hang} of {} consumers have not polled for minutes", all.round()));
        }
        notes
    }
}

impl QueueModel {
    /// Moves the backlog; gives the share of published messages that die as poison.
    fn settle_up(&mut self, accepted: f64, failing_again: f64, again: f64, dt: f64) -> f64 {
        // A failed attempt comes back after a pause, until its last; so does one whose time ran out.
        let retried = self.delivered * failing_again.max(0.0);
        let sound = accepted * (1.0 - self.poison);
        // Poison comes back after the same pause; each delivery is one of its attempts.
        let attempts = self.poisoned / self.backoff;
        let dying = attempts / self.settings.attempts;
        self.poisoned = (self.poisoned + (accepted * self.poison - dying) * dt).max(0.0);
        self.ready = (self.ready + (sound + self.returning - self.delivered) * dt).max(0.0);
        // A message is delivered 1 + again times in all, so this share of deliveries is followed by another.
        self.returning = retried + self.delivered * again / (1.0 + again) + attempts;
        if accepted > 0.0 { (dying / accepted).min(1.0) } else { 0.0 }
    }

    fn answer_consumers(&self, tick: &mut Tick<'_>, accepted: f64, dead: f64, age: f64) {
        let time = Latency::new(age + self.settling(), 0.3);
        for &root in &tick.plan.services[tick.me].roots {
            let flow = &mut tick.flows[root];
            flow.offered = accepted;
            flow.answer(time, Mix::one(Reason::DeadLettered, dead));
        }
    }

    fn note(&self, tick: &mut Tick<'_>, up: bool, published: f64, failed: f64, dead: f64, slowest: f64) {
        if !tick.logged {
            return;
        }
        let some = |on: bool| if on { 0.2 } else { 0.0 };
        let paused = up && self.seen.in_flight > 0.97 * self.settings.in_flight;
        let attempts = self.poisoned / self.backoff;
        let duplicates = self.delivered * (self.seen.duplicates - 0.02).max(0.0);
        tick.count(Log::Ack, self.delivered * (1.0 - failed));
        tick.count(Log::Rebalance, 0.05);
        tick.count(Log::Transient, self.delivered * (self.transient + self.errors) * 0.2);
        tick.count(Log::Backlog, some(up && (self.ready > 300.0 || self.seen.age > 30_000.0)));
        tick.count(Log::ConsumersBusy, some(up && self.seen.busy > 97.0));
        tick.count(Log::InFlight, some(paused));
        tick.count(Log::DeadLetter, published * dead);
        tick.count(Log::Redelivered, duplicates);
        tick.count(Log::Duplicate, duplicates * 0.4);
        tick.count(Log::Poison, attempts);
        tick.count(Log::PoisonDead, attempts / self.settings.attempts);
        tick.count(Log::PublisherGone, if up { published * (self.seen.publish_errors - 0.01).max(0.0) } else { 0.0 });
        tick.count(Log::DbSlow, some(up && slowest > 0.8));
        tick.count(Log::DbFailed, self.delivered * failed);
        tick.count(Log::Stopped, if tick.all_dead() && self.ran { 1.0 / tick.dt } else { 0.0 });
        tick.count(Log::Refused, if up { 0.0 } else { published });
        if self.stalled > 0.0 {
            tick.count(Log::Stalled, 0.3);
        }
        if tick.build().errors > 0.0 {
            tick.count(Log::Unhandled, 0.3);
        }
        if self.slow > 1.0 {
            tick.count(Log::SettlesLate, 0.3);
        }
    }
}
