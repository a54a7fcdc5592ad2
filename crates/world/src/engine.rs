//! One tick of a world: the control plane, what users ask, how it flows, what they feel, what is scraped.
//! Besides the physics' own state nothing is written here: every other change is a mutation.

use std::sync::Arc;

use crate::history::{History, Scrape};
use crate::services::Tick;
use crate::time::{SCRAPE, Span, TICK, Time};
use crate::world::{Page, World};

/// The longest tick in which it is tried out whether anything pages.
const LONGEST_TRIED: Span = Span::mins(8);
/// What no agent is there to see passes in ticks up to this length, ...
const LONGEST_UNWATCHED: Span = Span::mins(2);
/// ... which grow when the share of requests that go wrong has differed by no more than this, or by no more than this part of it, ...
const ALIKE: f64 = 0.02;
const ALIKE_BY: f64 = 0.06;
/// ... in so many ticks in a row at first, and in so many at most.
const SOON: u32 = 2;
const LATE: u32 = 16;

impl World {
    /// Lets time pass until `end`.
    pub fn run_until(&mut self, end: Time) {
        self.run_in_ticks(end, TICK);
    }

    /// The same in ticks of another length: for stretches in which no action is taken, so that little is lost.
    pub fn run_in_ticks(&mut self, end: Time, tick: Span) {
        self.run_by(end, |world| world.steady(tick));
    }

    /// The same in ticks of just that length, whatever services answer to one another: for glances.
    pub fn run_in_even_ticks(&mut self, end: Time, tick: Span) {
        self.run_by(end, |_| tick);
    }

    /// The same for glances: in ticks of some length, and in those of play while services answer to one another.
    pub fn run_quickly(&mut self, end: Time, tick: Span) {
        self.run_by(end, |world| if world.is_swayed() { TICK } else { tick });
    }

    /// The same in ticks of which each is as long as the world says before it.
    fn run_by(&mut self, end: Time, tick: impl Fn(&World) -> Span) {
        while self.now < end {
            self.step(Span(tick(self).0.min(end.0 - self.now.0)));
        }
    }

    /// Lets time pass where no agent is there to see it: in ticks of a scrape, or of play where those would swing, that grow while
    /// as much goes wrong from tick to tick. After a length under which it does not, it takes twice as long to grow.
    pub fn run_unwatched(&mut self, end: Time) {
        let (mut tick, mut patience, mut calm) = (self.steady(SCRAPE), SOON, 0);
        let (mut before, mut share) = (self.impact.total(), f64::NAN);
        while self.now < end {
            self.step(Span(tick.0.min(end.0 - self.now.0)));
            let (felt, last) = (self.impact.total(), share);
            share = (felt.wrong() - before.wrong()) / (felt.requests - before.requests).max(1e-9);
            before = felt;
            let shortest = self.steady(SCRAPE);
            if (share - last).abs() <= ALIKE.max(ALIKE_BY * last) {
                calm += 1;
                if calm >= patience {
                    (tick, calm) = (Span((2 * tick.0).clamp(shortest.0, LONGEST_UNWATCHED.0)), 0);
                }
            } else {
                patience = if tick > shortest { LATE.min(2 * patience) } else { patience };
                (tick, calm) = (shortest, 0);
            }
        }
    }

    /// A tick of this length, or one of play where a scrape would be too long for what happens: what answers to one another from
    /// tick to tick would swing. Longer ones are for glances.
    fn steady(&self, tick: Span) -> Span {
        if tick == SCRAPE && self.is_swayed() { TICK } else { tick }
    }

    /// Whether services may answer to one another from tick to tick, so that long ticks do not tell what becomes of it.
    pub fn is_swayed(&self) -> bool {
        self.models.iter().any(|model| model.is_swayed())
    }

    /// Lets time pass until an alert pages, or until `end`.
    pub fn run_until_page(&mut self, end: Time) -> Option<Page> {
        self.run_to_page_in_ticks(end, TICK)
    }

    /// The same in ticks of another length.
    pub fn run_to_page_in_ticks(&mut self, end: Time, tick: Span) -> Option<Page> {
        while self.page.is_none() && self.now < end {
            self.step(self.steady(tick));
        }
        self.page
    }

    /// The world at the time at which an alert will probably page, if one does until some time: tried out in ticks that are the longer
    /// the longer nothing has paged, the first of them of this length. What comes later comes more slowly.
    pub fn tried(self, end: Time, first: Span) -> Option<World> {
        let mut tried = World { sketched: true, paging: true, ..self };
        let mut ticks = 0u32;
        while tried.page.is_none() && tried.now < end {
            let tick = (first.0 << ticks.saturating_sub(1)).min(LONGEST_TRIED.0);
            tried.step(Span(tick.min(end.0 - tried.now.0)));
            ticks += 1;
        }
        tried.page.is_some().then_some(tried)
    }

    /// One tick that ends at some time and leaves no sample: the world gets used to the load of that time.
    pub(crate) fn adapt(&mut self, end: Time, length: Span) {
        (self.now, self.next_scrape) = (end.back(length), Time::NEVER);
        self.step(length);
        self.begin_row();
    }

    /// One tick that ends with a sample, whatever the time was before: only for worlds of which nothing but the
    /// samples is kept.
    pub(crate) fn sample_at(&mut self, end: Time, length: Span) -> Arc<Scrape> {
        (self.history, self.undigested, self.sketched_rows) = (History::default(), 0, 0);
        (self.now, self.next_scrape) = (end.back(length), end);
        self.step(length);
        self.history.take_latest().expect("a row was just scraped")
    }

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
        // What disturbs a machine as a tick begins does so until it ends.
        let disturbance = self.disturbance();
        self.now += length;
        self.offer();
        self.flow(dt, disturbance.as_deref());
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

    /// How slow each node is while a disturbance passes, on a schedule of the seed's own; none while none does.
    fn disturbance(&self) -> Option<Vec<f64>> {
        const WINDOW: u64 = 240_000;
        let chance = self.noise.disturbance();
        if chance == 0.0 {
            return None;
        }
        let (window, into) = (self.now.0 / WINDOW, self.now.0 % WINDOW);
        let stream = self.seed.stream("disturbance").within(window);
        let (begin, length) = (stream.at(1).below(120_000), 30_000 + stream.at(2).below(45_000));
        if !stream.at(0).chance(chance) || !(begin..begin + length).contains(&into) {
            return None;
        }
        let mut slowdown = self.slow_nodes.to_vec();
        let node = stream.at(3).below(slowdown.len() as u64) as usize;
        slowdown[node] *= stream.at(4).between(1.2, 1.6);
        Some(slowdown)
    }

    /// What users ask of each route: the day's shape, a slow wander, a little jitter, and retries.
    fn offer(&mut self) {
        let t = self.now.0 as f64 / 1000.0;
        let (day, secs) = (libm::sin(t / 13_750.0), self.now.0 / 1000);
        for (route, load) in self.plan.routes.iter().zip(&mut self.loads) {
            if route.asynchronous {
                continue;
            }
            let wander = load.wander(self.now);
            let jitter = load.stream.at(self.now.0 ^ (1 << 60)).normal();
            let of = &route.load;
            let shape = (1.0 + of.day * day) * (1.0 + of.wander * wander + of.jitter * jitter) * of.burst_at(secs);
            self.flows[route.entry].offered = route.rps * load.factor * shape + load.again;
        }
    }

    fn flow(&mut self, dt: f64, disturbance: Option<&[f64]>) {
        let (plan, slowdown) = (&*self.plan, disturbance.unwrap_or(&self.slow_nodes));
        let full_speed = slowdown.iter().all(|slow| *slow == 1.0);
        let all_up = self.fleet.iter().all(|instance| instance.process.up());
        let mut tick = Tick {
            now: self.now,
            dt,
            plan,
            me: 0,
            flows: &mut self.flows,
            fleet: &mut self.fleet,
            releases: &self.releases,
            slowdown,
            full_speed,
            all_up,
            logged: !self.sketched && self.next_scrape != Time::NEVER,
            events: &mut [],
        };
        for &service in &plan.order {
            tick.me = service;
            self.models[service].send(&mut tick);
        }
        for &service in plan.order.iter().rev() {
            let mut tick = Tick {
                me: service,
                events: &mut self.row[plan.event_columns[service].clone()],
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
            let [late, slow] = if route.asynchronous {
                [0.0, flow.latency.tail(route.slow)]
            } else {
                flow.times().tails([route.patience, route.slow])
            };
            let failed = (flow.failed + late * (1.0 - flow.failed)).min(1.0);
            let slow = (slow - late).max(0.0) * (1.0 - failed);
            let requests = flow.offered * dt;
            let load = &mut self.loads[at];
            let again = (dt / route.load.again_s).min(1.0);
            let (over, lost) = match route.load.tries {
                0 => {
                    // People press reload after a moment, so their retries arrive over the next ticks.
                    let retries = route.user_retry * flow.offered * failed;
                    load.again += (retries - load.again) * again;
                    (requests, requests * failed)
                }
                tries => {
                    let (over, lost) = load.fail(flow.offered, failed, tries, again);
                    (over * dt, lost * dt)
                }
            };
            let felt = &mut self.impact.routes[at];
            felt.requests += over;
            felt.failed += lost;
            felt.slow += requests * slow;
            if failed + slow > route.allowed {
                felt.minutes_out += dt / 60.0;
            }
            let cells = &mut self.row[route.columns.clone()];
            cells[0] += over as f32;
            cells[1] += lost as f32;
            cells[2] += (requests * slow) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blueprint, Mutation, Noise, Seed, shop};

    #[test]
    fn users_feel_the_same_whatever_is_scraped() {
        let plan = Arc::new(Blueprint::compile(&shop()).expect("the shop compiles"));
        let mut watched = World::healthy(&plan, Seed(7), Noise(1));
        let service = plan.service("database").expect("the shop has one");
        watched.apply(&Mutation::Quota { service, share: 0.3 });
        let (mut sketched, mut unscraped) = (watched.sketch(), watched.clone().unscraped());
        let (before, digest) = (watched.impact().clone(), watched.digest());
        for world in [&mut watched, &mut sketched, &mut unscraped] {
            world.run_until(world.now() + Span::mins(20));
        }
        assert_ne!(watched.impact(), &before, "users are there");
        assert_eq!(watched.impact(), sketched.impact());
        assert_eq!(watched.impact(), unscraped.impact());
        assert_eq!(watched.page(), sketched.page());
        assert_eq!(sketched.digest(), digest, "what is sketched is no part of what was scraped");
        let window = Span::mins(5);
        assert_eq!(watched.objectives(window), sketched.objectives(window), "what users feel is kept of every scrape");
        assert!(unscraped.history().len() < watched.history().len());
    }
}
