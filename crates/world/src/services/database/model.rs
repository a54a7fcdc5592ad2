//! The physics of a database: the pool, the two engines, disk, dead rows, crowding.

use std::sync::Arc;

use super::clients::{Callers, Reconnects, blocked};
use super::state::DatabaseState;
use super::tables::{Gauge, Key, Log, Metric};
use super::trouble::Trouble;
use crate::blueprint::Blueprint;
use crate::fleet::InstanceId;
use crate::flow::{Mix, Reason};
use crate::latency::Latency;
use crate::service_state::ServiceState;
use crate::services::{Gauges, InUse, Model, ModelSetup, Named, OwnTime, Samples, Sight, Tick};
use crate::station::{Capacity, Station, mean_wait};

/// Connections that clients open per second in everyday life: old ones are replaced.
const USUAL_CONNECTS: f64 = 0.1;
/// Where this share of the connections is in use, clients wait for one from time to time and then ask for less.
const SWAYED: f64 = 0.9;
/// How long it takes to be refused: its mean in seconds and its variation.
const REFUSAL: (f64, f64) = (0.002, 0.5);
/// The part of its work that a statement is which is read and then refused.
const REFUSED: f64 = 0.02;
/// What a statement that says its own limit never reaches, in seconds.
const NO_LIMIT: f64 = 86_400.0;

#[derive(Clone, Debug, Default)]
struct Settings {
    pool: f64,
    timeout: f64,
    quota: f64,
    maintenance: bool,
    replica: bool,
    vacuum: bool,
    /// Whether the index behind each key exists; true for keys that are none.
    index: [bool; Key::TABLE.len()],
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    active: f64,
    /// Wait for a connection.
    wait: Latency,
    write_errors: f64,
    iops: f64,
    iops_pct: f64,
    primary: f64,
    cancelled: f64,
    writes: f64,
    /// Statements that wait for a server of the primary and of the replica.
    queues: [f64; 2],
}

/// The state of one service of this kind.
#[derive(Clone)]
pub struct DatabaseModel {
    rows: Arc<[Row]>,
    primary: f64,
    replica: f64,
    growth: f64,
    scan: f64,
    bloat_rate: f64,
    vacuum: f64,
    linger: f64,
    /// Seconds of an engine that opening a connection costs.
    connect: f64,
    /// Beyond so many active connections they get into each other's way.
    crowded: f64,
    /// Whether a standby takes the writes during maintenance.
    standby: bool,
    /// Connections that one client takes: one for each part of the data.
    parts: f64,
    /// Whether a proxy sends reads to the replica, whatever is set.
    read_proxy: bool,
    /// Whether statements say themselves how long they may take, so that what is set limits none.
    own_limits: bool,
    /// Clients stop waiting for a connection after so many seconds.
    acquire: f64,
    /// Whether connections beyond the pool are refused instead of waited for.
    refuses: bool,
    reconnects: Reconnects,
    settings: Settings,
    condition: DatabaseState,
    trouble: Trouble,
    pool: Station,
    /// Data on disk, in GB.
    data: f64,
    /// Dead rows, in percent.
    bloat: f64,
    /// How much slower everything is because connections get into each other's way.
    crowd: f64,
    callers: Callers,
    /// Mean wait for a server of the primary and of the replica.
    waits: [f64; 2],
    /// How long each call's statement ran, waiting for a server included.
    running: Vec<Latency>,
    seen: Seen,
}

/// One call that the database answers, laid out for the inner loop.
struct Row {
    call: usize,
    /// Work at an engine, and time for which the connection is held without work, in seconds.
    work: f64,
    hold: f64,
    spread: f64,
    write: bool,
    /// The key of the index it needs.
    index: Option<usize>,
}

fn rows(setup: &ModelSetup<'_>) -> Arc<[Row]> {
    let row = |&call: &usize| {
        let info = &setup.plan.calls[call];
        let (work, hold) = (info.op.work_ms / 1000.0, info.op.hold_ms / 1000.0);
        Row { call, work, hold, spread: info.op.spread, write: info.op.write, index: info.index }
    };
    setup.plan.services[setup.me].calls.iter().map(row).collect()
}

/// What the statements of one tick came to, per second.
#[derive(Default)]
struct Statements {
    rate: f64,
    /// Connections that they hold.
    holding: f64,
    cancelled: f64,
    /// Statements that would write, whether they may or not.
    writes: f64,
}

/// Work per second on one engine.
#[derive(Clone, Copy, Default)]
struct Engine {
    servers: f64,
    rate: f64,
    work: f64,
}

impl Engine {
    fn add(&mut self, rate: f64, work: f64) {
        self.rate += rate;
        self.work += rate * work;
    }

    fn load(&self) -> f64 {
        self.work / self.servers
    }

    /// Mean wait for a server. The pool bounds how many can stand in line.
    fn wait(&self, pool: f64) -> f64 {
        if self.rate <= 0.0 {
            return 0.0;
        }
        let mean = self.work / self.rate;
        let most = (pool * mean / self.servers - mean).max(0.0);
        if self.load() < 0.995 { mean_wait(self.servers, mean, self.load()).min(most) } else { most }
    }
}

impl DatabaseModel {
    /// A model with its parameters, before its first configuration.
    pub fn new(setup: &ModelSetup<'_>) -> DatabaseModel {
        DatabaseModel {
            rows: rows(setup),
            primary: setup.param("primary_servers"),
            replica: setup.param("replica_servers"),
            growth: setup.param("gb_per_kwrite") / 1000.0,
            scan: setup.param("scan_factor"),
            bloat_rate: setup.param("bloat_per_kwrite") / 1000.0,
            vacuum: setup.param("vacuum_pct_per_s"),
            linger: setup.param("linger_ms") / 1000.0,
            connect: setup.param("connect_ms") / 1000.0,
            crowded: setup.param("crowd"),
            standby: setup.param("standby") > 0.0,
            parts: setup.param("parts"),
            read_proxy: setup.param("read_proxy") > 0.0,
            own_limits: setup.param("own_limits") > 0.0,
            acquire: setup.param("acquire_s"),
            refuses: setup.param("refuses") > 0.0,
            reconnects: Reconnects::new(setup.param("reconnect_s")),
            settings: Settings::default(),
            condition: DatabaseState::default(),
            trouble: Trouble::default(),
            pool: Station::default(),
            data: setup.param("data_gb"),
            bloat: 4.0,
            crowd: 1.0,
            callers: Callers::of(setup),
            waits: [0.0; 2],
            running: vec![Latency::ZERO; setup.plan.services[setup.me].calls.len()],
            seen: Seen::default(),
        }
    }
}

impl DatabaseModel {
    /// Seconds of one server that a call costs now; `slow` is what slows all of them, `dead` the dead rows.
    fn work(&self, row: &Row, slow: f64, dead: f64) -> f64 {
        let scan = if row.index.is_some_and(|key| !self.settings.index[key]) { self.scan } else { 1.0 };
        let plan = if row.index.is_some() { self.trouble.plans } else { 1.0 };
        row.work * scan * plan * slow * if row.write { 1.0 } else { dead }
    }

    /// What both engines have to do; notes the work of each call on the way.
    fn engines(&mut self, tick: &Tick<'_>, drag: f64, up: f64) -> (Engine, Engine) {
        let mut primary = Engine { servers: self.primary * self.trouble.size * up.max(0.01), ..Engine::default() };
        let mut replica = Engine { servers: self.replica * up.max(0.01), ..Engine::default() };
        let (slow, dead) = (self.crowd * drag * self.condition.disk, 1.0 + 0.05 * (self.bloat - 4.0).max(0.0));
        let on_replica = self.reads_replica();
        let written = if self.refuses_writes().is_some() { REFUSED } else { 1.0 };
        let mut running = std::mem::take(&mut self.running);
        for (row, running) in self.rows.iter().zip(&mut running) {
            let (rate, work) = (tick.flows[row.call].offered, self.work(row, slow, dead));
            let work = if row.write { work * written } else { work };
            *running = Latency::new(work, row.spread);
            if row.write || !on_replica {
                primary.add(rate, work);
            } else {
                replica.add(rate, work);
            }
        }
        self.running = running;
        if self.condition.connecting > 0.0 {
            let part = primary.servers / (primary.servers + replica.servers);
            primary.add(self.condition.connecting * part, self.connect * slow);
            replica.add(self.condition.connecting * (1.0 - part), self.connect * slow);
        }
        (primary, replica)
    }

    /// Runs what was asked for and answers it, the wait for a connection aside.
    fn run_statements(&mut self, tick: &mut Tick<'_>) -> Statements {
        let (on_replica, stale) = (self.reads_replica(), self.condition.stale());
        let mut sum = Statements::default();
        let refusal = self.refuses_writes();
        for (at, row) in self.rows.iter().enumerate() {
            let running = self.running[at].then(self.engine_wait(row));
            let is_refused = row.write && refusal.is_some();
            let running = self.trouble.behind_the_lock(row.write && !is_refused, running);
            let hold = if is_refused { 0.0 } else { row.hold };
            let (late, running) = running.split(self.settings.timeout);
            let flow = &mut tick.flows[row.call];
            sum.rate += flow.offered;
            sum.holding += flow.offered * (running.mean + hold + self.linger);
            self.running[at] = running;
            sum.cancelled += flow.offered * late;
            sum.writes += if row.write { flow.offered } else { 0.0 };
            let answered = running.then(Latency::new(hold, 0.4));
            let refused = is_refused || (!row.write && stale > 0.0 && on_replica);
            // Nearly always nothing fails.
            if late <= 0.0 && !refused && !self.trouble.spoils() {
                flow.answer_all(answered);
                continue;
            }
            let mut fails = Mix::one(Reason::StatementTimeout, late);
            if row.write {
                fails = refusal.map_or(fails, |reason| Mix::one(reason, 1.0));
            } else if stale > 0.0 && on_replica {
                fails.add(Reason::Stale, stale * (1.0 - late));
            }
            self.trouble.spoil(row.write, &mut fails);
            flow.answer(answered, fails);
        }
        sum
    }

    /// The wait for a server of the engine that runs a statement.
    #[inline]
    fn engine_wait(&self, row: &Row) -> Latency {
        let at = usize::from(!row.write && self.reads_replica());
        Latency::new(self.waits[at], 0.7)
    }

    /// The wait of statements that read.
    fn read_wait(&self) -> f64 {
        self.waits[usize::from(self.reads_replica())]
    }

    /// Connections that are taken, used or not.
    fn in_use(&self) -> f64 {
        (self.seen.active + self.condition.held).min(self.settings.pool) * self.parts
    }

    fn reads_replica(&self) -> bool {
        self.settings.replica && !self.condition.replica_lost
    }

    /// The 95th percentile of statements, averaged over calls.
    fn p95_ms(&self, sight: &Sight<'_>) -> f64 {
        let calls = sight.plan.services[sight.me].calls.iter().zip(&self.running);
        let (rate, sum) = calls.fold((0.0, 0.0), |(rate, sum), (&call, running)| {
            let offered = sight.traffic.of(call).offered;
            (rate + offered, sum + offered * running.p95())
        });
        if rate > 0.0 { sum / rate * 1000.0 } else { 0.0 }
    }

    /// How long statements that need an index run on average, in milliseconds.
    fn scan_ms(&self, key: Key) -> f64 {
        let rows = self.rows.iter().zip(&self.running).filter(|(row, _)| row.index == Some(key.place()));
        rows.map(|(_, running)| running.mean * 1000.0).fold(0.0, f64::max)
    }

    /// Whether statements go through a whole table because an index is not there.
    fn scans(&self, key: Key) -> bool {
        !self.settings.index[key.place()] && self.rows.iter().any(|row| row.index == Some(key.place()))
    }

    fn refuses_writes(&self) -> Option<Reason> {
        if self.settings.maintenance || self.trouble.used_up {
            Some(Reason::ReadOnly)
        } else if self.data >= self.settings.quota {
            Some(Reason::DiskFull)
        } else {
            None
        }
    }
}

impl Model for DatabaseModel {
    fn configure(&mut self, in_use: &InUse<'_>, _: &Blueprint) {
        let values = in_use.oldest();
        let mut index = [true; Key::TABLE.len()];
        for key in [Key::IndexOrdersUserId, Key::IndexProductsSku] {
            index[key.place()] = values.get(key).bool();
        }
        self.settings = Settings {
            pool: values.get(Key::DbPoolSize).int() / self.parts,
            timeout: if self.own_limits { NO_LIMIT } else { values.get(Key::QueryTimeoutMs).int() / 1000.0 },
            quota: values.get(Key::DiskQuotaGb).int(),
            maintenance: values.get(Key::MaintenanceMode).bool() && !self.standby,
            replica: values.get(Key::ReadReplicaEnabled).bool() || self.read_proxy,
            vacuum: values.get(Key::AutovacuumEnabled).bool(),
            index,
        };
    }

    fn send(&mut self, _: &mut Tick<'_>) {}

    fn solve(&mut self, tick: &mut Tick<'_>) {
        let up = tick.up();
        if up == 0.0 {
            return self.down(tick);
        }
        if self.reconnects.waits(tick.dt) {
            return self.cut_off(tick);
        }
        let drag = tick.drag();
        (self.condition.held, self.condition.held_for) = self.callers.hoarded(tick, self.settings.pool);
        let pool = (self.settings.pool - self.condition.held).max(if self.refuses { 0.0 } else { 1.0 });
        let on_replica = self.reads_replica();
        let (primary, replica) = self.engines(tick, drag, up);
        let callers = self.callers.count(tick).max(1.0);
        // A run queue builds and drains over a few ticks.
        for (wait, engine) in self.waits.iter_mut().zip([&primary, &replica]) {
            *wait += (engine.wait(pool.min(callers)) - *wait) * tick.dt / (tick.dt + 12.0);
        }
        let waits = self.waits;
        let Statements { rate, holding, cancelled, writes } = self.run_statements(tick);
        let hold = if rate > 0.0 { holding / rate } else { 0.0 };
        let capacity = Capacity { servers: pool, hold: hold.max(1e-4), room: (callers - pool).max(1.0) };
        let (busy, reason, lost, waited) = if self.refuses {
            let lost = blocked(pool, rate * hold);
            (rate * hold * (1.0 - lost), Reason::ConnectionLimit, lost, Latency::ZERO)
        } else {
            let served = self.pool.step(rate, capacity, tick.dt);
            // What the room cannot hold does not arrive: its callers are all waiting already.
            let (lost, waited) = served.wait.split(self.acquire);
            (served.busy, Reason::PoolExhausted, lost, waited)
        };
        for &call in tick.calls() {
            let flow = &mut tick.flows[call];
            flow.latency = flow.latency.then(waited);
            if lost > 0.0 {
                if self.refuses {
                    flow.latency = flow.latency.or(Latency::new(REFUSAL.0, REFUSAL.1), lost);
                }
                let mut fails = Mix::one(reason, lost);
                fails.add_scaled(&flow.fails, 1.0 - lost);
                flow.answer(flow.latency, fails);
            }
        }
        let reads = if on_replica { replica } else { primary };
        self.seen = Seen {
            active: busy,
            wait: waited,
            write_errors: if self.refuses_writes().is_some() { 1.0 } else { lost },
            iops: reads.rate * 6.0 + reads.work * 40.0,
            iops_pct: reads.load().min(1.0) * 100.0,
            primary: primary.load().min(1.0) * 100.0,
            cancelled: if rate > 0.0 { cancelled / rate } else { 0.0 },
            writes: if self.refuses_writes().is_some() { 0.0 } else { writes },
            queues: [primary.rate * waits[0], replica.rate * waits[1]],
        };
        // Who got no connection, or lost it with its statement, opens a new one.
        self.condition.pass(rate * lost + cancelled, tick.dt);
        self.age(tick, writes, busy);
        self.note(tick, rate, lost, primary.load(), replica.load(), writes, cancelled);
    }

    fn is_swayed(&self) -> bool {
        self.seen.active > SWAYED * self.settings.pool
    }

    fn restarted(&mut self, _: InstanceId) {
        self.pool = Station::default();
        self.condition.restart();
        self.trouble.restart();
    }

    fn set_state(&mut self, state: ServiceState) -> ServiceState {
        match state {
            ServiceState::Rows { bloat, pinned } => ServiceState::Rows {
                bloat: std::mem::replace(&mut self.bloat, bloat),
                pinned: std::mem::replace(&mut self.condition.pinned, pinned),
            },
            other => self.trouble.set(other).unwrap_or_else(|| self.condition.set(other)),
        }
    }

    fn is_clean(&self) -> bool {
        self.condition.is_clean() && self.trouble.is_clean()
    }

    fn sample(&self, sight: &Sight<'_>, out: &mut Samples<'_>) {
        let s = &self.seen;
        let disk = (self.data / self.settings.quota).min(1.0) * 100.0;
        out.set(Metric::ActiveConnections, self.in_use());
        out.set(Metric::MaxConnections, self.settings.pool * self.parts);
        out.set(Metric::ConnectionWaitMs, s.wait.mean * 1000.0);
        out.set_if_wanted(Metric::QueryP95LatencyMs, || self.p95_ms(sight));
        out.set(Metric::DiskUsedPct, disk);
        out.set(Metric::WriteErrorRate, s.write_errors);
        out.set(Metric::ReadIops, s.iops);
        out.set(Metric::ReadIopsPct, s.iops_pct);
        out.set(Metric::TableBloatPct, self.bloat);
        out.set(Metric::ReadPrimaryUtilizationPct, s.primary);
        out.set(Metric::StatementTimeoutRate, s.cancelled);
        out.set(Metric::ReplicaLagS, self.condition.lag);
        out.set(Metric::NewConnectionsRate, self.condition.connecting + USUAL_CONNECTS);
    }

    fn own_time(&self, at: Option<usize>) -> OwnTime {
        let Some(row) = at.map(|at| &self.rows[at]) else { return OwnTime::default() };
        let wait = self.trouble.behind_the_lock(row.write, self.engine_wait(row));
        // What is cut off at its limit has waited for less.
        let running = self.running[at.unwrap_or(0)].mean;
        let work = Latency::new((running - wait.mean).max(0.0), row.spread).then(Latency::new(row.hold, 0.4));
        OwnTime { work, wait: wait.then(self.seen.wait) }
    }

    fn gauge(&self, out: &mut Gauges<'_>) {
        let (s, c) = (&self.seen, &self.condition);
        out.set(Gauge::Writes, s.writes);
        out.set(Gauge::DiskPct, (self.data / self.settings.quota).min(1.0) * 100.0);
        out.set(Gauge::WaitMs, self.read_wait() * 1000.0);
        out.set(Gauge::OrdersMs, self.scan_ms(Key::IndexOrdersUserId));
        out.set(Gauge::ProductsMs, self.scan_ms(Key::IndexProductsSku));
        out.set(Gauge::PoolWaitMs, s.wait.mean * 1000.0);
        out.set(Gauge::PrimaryQueue, s.queues[0]);
        out.set(Gauge::PrimaryWaitMs, self.waits[0] * 1000.0);
        out.set(Gauge::ReplicaQueue, s.queues[1]);
        out.set(Gauge::ReplicaWaitMs, self.waits[1] * 1000.0);
        out.set(Gauge::BloatPct, self.bloat);
        out.set(Gauge::LagS, c.lag);
        out.set(Gauge::AwaitMs, 4.0 * c.disk);
        out.set(Gauge::Slower, c.disk);
        out.set(Gauge::KeptSegments, c.kept_gb() * 64.0);
        out.set(Gauge::KeptGb, c.kept_gb());
        out.set(Gauge::Connecting, c.connecting + USUAL_CONNECTS);
        out.set(Gauge::IdleSessions, c.held * self.parts);
        out.set(Gauge::IdleS, c.held_for);
        out.set(Gauge::LockMs, self.trouble.wait * 1000.0);
        out.set(Gauge::LockedWrites, self.trouble.wait * s.writes);
        out.set(Gauge::PlanSlower, self.trouble.plans);
        out.set(Gauge::PrimaryPct, self.trouble.size * 100.0);
        out.set(Gauge::IdsUsedUp, f64::from(u8::from(self.trouble.used_up)));
    }

    fn is_impaired(&self) -> bool {
        let ill = self.condition.replica_lost || self.condition.lag > 5.0 || self.condition.held > 30.0;
        let refuses = self.settings.maintenance || self.trouble.used_up || self.data >= self.settings.quota;
        ill || refuses || self.trouble.is_told()
    }

    fn notes(&self) -> Vec<String> {
        let (active, all) = (self.in_use().round(), (self.settings.pool * self.parts).round());
        let mut notes = vec![format!("{active} of {all} pooled connections in use")];
        notes.push(match self.settings.replica {
            true if self.condition.replica_lost => "replica: not answering, reads fall back to the primary".to_string(),
            true if self.condition.lag > 5.0 => {
                format!("replica: in the read pool, {:.0} s behind", self.condition.lag)
            }
            true => "replica: in the read pool".to_string(),
            false => "replica: not in the read pool".to_string(),
        });
        if self.settings.maintenance || self.trouble.used_up {
            notes.push("writes: not accepted".to_string());
        }
        notes.extend(self.trouble.status());
        if self.condition.held > 8.0 {
            let (held, oldest) = (self.condition.held * self.parts, self.condition.held_for);
            notes.push(format!("{held:.0} of them idle in their clients, the first for {oldest:.0} s"));
        }
        notes
    }
}

impl DatabaseModel {
    fn down(&mut self, tick: &mut Tick<'_>) {
        self.reconnects.lose(tick.dt);
        self.cut_off(tick);
        tick.count(Log::NotRunning, 0.2);
    }

    /// No client has a connection: they are refused, or wait in vain for one between two tries.
    fn cut_off(&mut self, tick: &mut Tick<'_>) {
        self.pool = Station::default();
        let (time, reason) = match self.reconnects.first > 0.0 {
            true => (Latency::new(self.acquire, 0.05), Reason::PoolExhausted),
            false => (Latency::new(REFUSAL.0, REFUSAL.1), Reason::Refused),
        };
        for &call in tick.calls() {
            tick.flows[call].answer(time, Mix::one(reason, 1.0));
        }
        self.seen = Seen { write_errors: 1.0, ..Seen::default() };
    }

    /// Disk, dead rows and crowding move slowly.
    fn age(&mut self, tick: &Tick<'_>, writes: f64, active: f64) {
        if self.refuses_writes().is_none() {
            // Logs are recycled as long as there is room to finish a checkpoint.
            let kept = if self.data < 0.95 * self.settings.quota { 0.002 } else { 1.0 };
            self.data += writes * tick.dt * self.growth * kept;
            self.bloat += writes * tick.dt * self.bloat_rate;
        }
        self.data = (self.data + self.condition.fill(tick.dt)).min(self.settings.quota.max(self.data));
        if self.settings.vacuum && !self.condition.pinned {
            self.bloat = (self.bloat - self.vacuum * tick.dt).max(4.0);
        }
        self.trouble.tidy(self.settings.vacuum, tick.dt);
        self.bloat = self.bloat.min(90.0);
        let over = ((active - self.crowded) / self.crowded).max(0.0);
        self.crowd += (1.0 + 2.0 * over - self.crowd) * (tick.dt / 20.0).min(1.0);
    }

    #[allow(clippy::too_many_arguments)]
    fn note(&self, tick: &mut Tick<'_>, rate: f64, lost: f64, primary: f64, replica: f64, writes: f64, cancelled: f64) {
        if !tick.logged {
            return;
        }
        let some = |on: bool| if on { 0.2 } else { 0.0 };
        let is_slow = |wait: f64| some(wait > 0.4);
        let disk = self.data / self.settings.quota;
        let refused = |r: Reason| if self.refuses_writes() == Some(r) { writes } else { 0.0 };
        tick.count(Log::Checkpoint, 1.0 / 300.0);
        tick.count(Log::Connect, USUAL_CONNECTS + self.condition.connecting);
        tick.count(Log::Deadlock, 0.004);
        tick.count(Log::SlowQuery, is_slow(self.read_wait()));
        tick.count(Log::SlowWrite, is_slow(self.waits[0]));
        tick.count(Log::SeqOrders, some(self.scans(Key::IndexOrdersUserId)));
        tick.count(Log::SeqProducts, some(self.scans(Key::IndexProductsSku)));
        tick.count(Log::PoolFull, some(self.seen.wait.mean > 0.04));
        tick.count(Log::PoolDrop, rate * lost);
        tick.count(Log::Cancelled, cancelled);
        tick.count(Log::NoSpace, refused(Reason::DiskFull));
        tick.count(Log::SpaceLow, some(disk > 0.93));
        tick.count(Log::ReadOnly, if self.settings.maintenance { refused(Reason::ReadOnly) } else { 0.0 });
        tick.count(Log::PrimaryReads, some(!self.settings.replica));
        tick.count(Log::PrimaryBusy, some(primary > 0.93));
        tick.count(Log::ReplicaBusy, some(replica > 0.93));
        tick.count(Log::Bloat, some(self.bloat > 25.0));
        self.condition.note(tick);
        self.trouble.note(tick, rate, writes);
    }
}
