//! One tick of a world: the control plane, what users ask, how it flows, what they feel, what is scraped.
//! Besides the physics' own state nothing is written here: every other change is a mutation.

use std::sync::Arc;

use crate::blueprint::{ROUTE_COLUMNS, Watch};
use crate::noise::Noise;
use crate::services::{Samples, Sight, Tick, Unit};
use crate::time::Span;
use crate::world::{Page, SCRAPE, World};

/// An objective burns when more than this multiple of what is allowed goes wrong...
const BURN: f64 = 4.0;
/// ... or of a whole application's, in which the sound routes hide the others; ...
const APP_BURN: f64 = 2.0;
/// ... for so long.
const BURN_HOLD: Span = Span::secs(105);

impl World {
    /// One tick.
    pub(crate) fn step(&mut self, length: Span) {
        assert!(length > Span::ZERO, "time never stands still");
        let dt = length.as_secs();
        while self.schedule.first().is_some_and(|d| d.at <= self.now) {
            let due = Arc::make_mut(&mut self.schedule).remove(0);
            self.carry_out(&due);
        }
        self.control();
        self.wear(dt);
        self.disturb();
        self.now += length;
        self.offer();
        self.flow(dt);
        self.feel(dt);
        if self.now >= self.next_scrape {
            self.scrape();
        }
    }

    /// What processes take and never give back.
    fn wear(&mut self, dt: f64) {
        if self.disturbed {
            self.fleet.iter_mut().for_each(|instance| instance.process.hoard(dt));
        }
    }

    /// Passing disturbances of nodes, on a schedule of the seed's own.
    fn disturb(&mut self) {
        const WINDOW: u64 = 240_000;
        self.slowdown.copy_from_slice(&self.slow_nodes);
        let chance = self.noise.disturbance();
        if chance == 0.0 {
            return;
        }
        let (window, into) = (self.now.0 / WINDOW, self.now.0 % WINDOW);
        let stream = self.seed.stream("disturbance").within(window);
        let (begin, length) = (stream.at(1).below(120_000), 30_000 + stream.at(2).below(45_000));
        if stream.at(0).chance(chance) && (begin..begin + length).contains(&into) {
            let node = stream.at(3).below(self.slowdown.len() as u64) as usize;
            self.slowdown[node] *= stream.at(4).between(1.2, 1.6);
        }
    }

    /// What users ask of each route: the day's shape, a slow wander, a little jitter, and retries.
    fn offer(&mut self) {
        let t = self.now.0 as f64 / 1000.0;
        let day = 1.0 + 0.04 * libm::sin(t / 13_750.0);
        for (route, load) in self.plan.routes.iter().zip(&mut self.loads) {
            if route.asynchronous {
                continue;
            }
            let wander = load.wander(self.now);
            let jitter = load.stream.at(self.now.0 ^ (1 << 60)).normal();
            let shape = day * (1.0 + 0.03 * wander + 0.01 * jitter);
            self.flows[route.entry].offered = route.rps * load.factor * shape + load.again;
        }
    }

    fn flow(&mut self, dt: f64) {
        let plan = &*self.plan;
        let mut tick = Tick {
            now: self.now,
            dt,
            plan,
            me: 0,
            flows: &mut self.flows,
            fleet: &mut self.fleet,
            releases: &self.releases,
            slowdown: &self.slowdown,
            events: &mut [],
        };
        for &service in &plan.order {
            tick.me = service;
            self.models[service].send(&mut tick);
        }
        for &service in plan.order.iter().rev() {
            let mut tick = Tick {
                me: service,
                events: &mut self.row[plan.services[service].events.clone()],
                flows: &mut *tick.flows,
                fleet: &mut *tick.fleet,
                ..tick
            };
            self.models[service].solve(&mut tick);
        }
    }

    /// What users felt in this tick.
    fn feel(&mut self, dt: f64) {
        for (at, route) in self.plan.routes.iter().enumerate() {
            let flow = &self.flows[route.entry];
            let late = if route.asynchronous { 0.0 } else { flow.latency.tail(route.patience) };
            let failed = (flow.failed + late * (1.0 - flow.failed)).min(1.0);
            let slow = (flow.latency.tail(route.slow) - late).max(0.0) * (1.0 - failed);
            let requests = flow.offered * dt;
            let felt = &mut self.impact.routes[at];
            felt.requests += requests;
            felt.failed += requests * failed;
            felt.slow += requests * slow;
            if failed + slow > route.allowed {
                felt.minutes_out += dt / 60.0;
            }
            let cells = &mut self.row[route.columns.clone()];
            cells[0] += requests as f32;
            cells[1] += (requests * failed) as f32;
            cells[2] += (requests * slow) as f32;
            let load = &mut self.loads[at];
            // People press reload after a moment, so their retries arrive over the next ticks.
            let retries = route.user_retry * flow.offered * failed;
            load.again += (retries - load.again) * (dt / 20.0).min(1.0);
        }
    }

    /// Takes a row of samples, evaluates the alert rules, and starts the next row.
    fn scrape(&mut self) {
        self.next_scrape = self.now + SCRAPE;
        for (me, (model, info)) in self.models.iter().zip(&self.plan.services).enumerate() {
            let sight = Sight { plan: &self.plan, me, flows: &self.flows };
            model.sample(&sight, &mut Samples::new(&mut self.row[info.metrics.clone()]));
        }
        for route in &self.plan.routes {
            self.row[route.columns.start + 3] = (self.flows[route.entry].latency.p95() * 1000.0) as f32;
        }
        self.note_platform();
        self.blur();
        self.pass_through_instruments();
        self.sample_later_series();
        self.digest_row();
        if self.paging {
            self.watch();
        }
        self.history.push(self.now, &self.row);
        self.begin_row();
    }

    /// What is counted between two scrapes is counted from the beginning.
    pub(crate) fn begin_row(&mut self) {
        for route in &self.plan.routes {
            self.row[route.columns.start..route.columns.start + ROUTE_COLUMNS - 1].fill(0.0);
        }
        for info in &self.plan.services {
            self.row[info.events.clone()].fill(0.0);
        }
    }

    /// Adds what was scraped to the digest. Series that have ended say nothing any more.
    fn digest_row(&mut self) {
        let bits = |cell: f32| u64::from(cell.to_bits());
        let mixed = |chain: u64, word: u64| (chain ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
        // Four chains side by side: none has to wait for the others.
        let (eights, rest) = self.row[..self.plan.width].as_chunks::<8>();
        let mut lanes = [1, 2, 3, 4].map(|lane: u64| self.chain.wrapping_add(lane));
        for cells in eights {
            for (lane, chain) in lanes.iter_mut().enumerate() {
                *chain = mixed(*chain, bits(cells[2 * lane]) << 32 | bits(cells[2 * lane + 1]));
            }
        }
        let mut chain = lanes.into_iter().fold(self.chain, mixed);
        chain = rest.iter().fold(chain, |chain, cell| mixed(chain, bits(*cell)));
        if self.row.len() > self.plan.width {
            chain = self.live_series().fold(chain, |chain, (column, _)| mixed(chain, bits(self.row[column])));
        }
        self.chain = chain;
    }

    /// The noise dial: jitter and lost scrapes.
    fn blur(&mut self) {
        if self.noise == Noise(0) {
            return;
        }
        let (jitter, dropped) = (self.noise.jitter(), self.noise.dropped());
        let stream = self.seed.stream("telemetry noise").within(self.now.0);
        for (at, info) in self.plan.services.iter().enumerate() {
            let lost = stream.at(at as u64 | 1 << 40).chance(dropped);
            for (column, metric) in info.metrics.clone().zip(info.kind.metrics()) {
                let factor = 1.0 + jitter * stream.at(column as u64).normal();
                let most = if metric.unit == Unit::Ratio && self.row[column] <= 1.0 { 1.0 } else { f32::INFINITY };
                let cell = &mut self.row[column];
                *cell = if lost { f32::NAN } else { (*cell * factor as f32).min(most) };
            }
        }
        self.cry_wolf();
    }

    /// Lines that mean nothing: on a bad day services complain of what has passed before the first look.
    fn cry_wolf(&mut self) {
        let stream = self.seed.stream("false alarms").within(self.now.0);
        for (at, info) in self.plan.services.iter().enumerate() {
            let draws = stream.within(at as u64);
            if draws.at(0).chance(self.noise.false_alarms()) {
                let template = draws.at(1).below(info.events.len() as u64) as usize;
                self.row[info.events.start + template] += 1.0;
            }
        }
    }

    fn watch(&mut self) {
        for (at, (info, state)) in self.plan.alerts.iter().zip(&mut self.alerts).enumerate() {
            let (value, bad, hold) = match &info.watches {
                Watch::Metric(service, column, rule) => {
                    let value = column.map_or_else(|| self.fleet.up(*service), |c| f64::from(self.row[c]));
                    let bad = if rule.above { value > rule.threshold } else { value < rule.threshold };
                    (value, bad, Span::secs(rule.hold))
                }
                Watch::Burn(route) => {
                    let route = &self.plan.routes[*route];
                    let cells = &self.row[route.columns.clone()];
                    let wrong = f64::from(cells[1] + cells[2]) / f64::from(cells[0]).max(1e-9);
                    (wrong, wrong > BURN * route.allowed, BURN_HOLD)
                }
                Watch::AppBurn(routes) => {
                    let (mut wrong, mut allowed, mut all) = (0.0, 0.0, 1e-9);
                    for route in routes.iter().map(|r| &self.plan.routes[*r]) {
                        let cells = &self.row[route.columns.clone()];
                        all += f64::from(cells[0]);
                        wrong += f64::from(cells[1] + cells[2]);
                        allowed += f64::from(cells[0]) * route.allowed;
                    }
                    (wrong / all, wrong > APP_BURN * allowed, BURN_HOLD)
                }
            };
            if value.is_nan() {
                continue;
            }
            state.value = value;
            if !bad {
                (state.pending, state.firing) = (None, None);
                continue;
            }
            let since = *state.pending.get_or_insert(self.now);
            if state.firing.is_none() && self.now.since(since) >= hold {
                state.firing = Some(self.now);
                if info.pages && self.page.is_none() && !state.silenced {
                    self.page = Some(Page { time: self.now, alert: at, value });
                }
            }
        }
    }
}
