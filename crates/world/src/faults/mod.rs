//! Faults: one file each. A fault is a plan of mutations; symptoms come out of the dynamics.
//! To add one, copy a file, change its middle, and list it in [`ALL`].

mod about;
mod args;
mod bad_build_errors;
mod bad_build_leak;
mod bad_build_retries;
mod bad_build_slow;
mod cache_flush;
mod canary_misroute;
mod certificate_mismatch;
mod clock_skew;
mod config_push;
mod connection_leak;
mod connection_storm;
mod consumer_stall;
mod correlated_push;
mod corrupt_pages;
mod crash;
mod crash_loop;
mod delayed_logs;
mod descriptor_leak;
mod disk_growth;
mod expiry;
mod half_rollout;
mod id_wraparound;
mod instance_down;
mod kit;
mod lock_queue;
mod lossy_link;
mod lost_index;
mod memory_leak;
mod missing_metrics;
mod network_partition;
mod noisy_neighbour;
mod plan_flip;
mod poison_messages;
mod provider_errors;
mod provider_slow;
mod quota_cut;
mod redelivery_burst;
mod replica_lost;
mod replication_lag;
mod retry_burst;
mod slow_disk;
mod slow_link;
mod small_standby;
mod split_brain;
mod stale_dns;
mod stale_metrics;
mod stuck_transaction;
mod traffic_mix;
mod traffic_surge;
mod worker_deaths;

pub use crate::act::Act;
pub use about::{Cure, Family, Severity};
pub use args::{FaultArgs, FaultError};

use crate::blueprint::Blueprint;
use crate::change::Filed;
use crate::config::Value;
use crate::mutation::Mutation;
use crate::rng::{Seed, Stream};
use crate::services::Hazard;
use crate::standing::Standing;
use crate::time::Time;
use crate::world::World;

/// All faults, in order.
pub const ALL: &[&dyn Fault] = &[
    &bad_build_errors::BadBuildErrors,
    &bad_build_leak::BadBuildLeak,
    &bad_build_retries::BadBuildRetries,
    &bad_build_slow::BadBuildSlow,
    &cache_flush::CacheFlush,
    &canary_misroute::CanaryMisroute,
    &certificate_mismatch::CertificateMismatch,
    &clock_skew::ClockSkew,
    &config_push::ConfigPush,
    &connection_leak::ConnectionLeak,
    &connection_storm::ConnectionStorm,
    &consumer_stall::ConsumerStall,
    &correlated_push::CorrelatedPush,
    &corrupt_pages::CorruptPages,
    &crash::Crash,
    &crash_loop::CrashLoop,
    &delayed_logs::DelayedLogs,
    &descriptor_leak::DescriptorLeak,
    &disk_growth::DiskGrowth,
    &expiry::Expiry,
    &half_rollout::HalfRollout,
    &id_wraparound::IdWraparound,
    &instance_down::InstanceDown,
    &lock_queue::LockQueue,
    &lossy_link::LossyLink,
    &lost_index::LostIndex,
    &memory_leak::MemoryLeak,
    &missing_metrics::MissingMetrics,
    &network_partition::NetworkPartition,
    &noisy_neighbour::NoisyNeighbour,
    &plan_flip::PlanFlip,
    &poison_messages::PoisonMessages,
    &provider_errors::ProviderErrors,
    &provider_slow::ProviderSlow,
    &quota_cut::QuotaCut,
    &redelivery_burst::RedeliveryBurst,
    &replica_lost::ReplicaLost,
    &replication_lag::ReplicationLag,
    &retry_burst::RetryBurst,
    &slow_disk::SlowDisk,
    &slow_link::SlowLink,
    &small_standby::SmallStandby,
    &split_brain::SplitBrain,
    &stale_dns::StaleDns,
    &stale_metrics::StaleMetrics,
    &stuck_transaction::StuckTransaction,
    &traffic_mix::TrafficMix,
    &traffic_surge::TrafficSurge,
    &worker_deaths::WorkerDeaths,
];

/// The fault of that name.
pub fn find(name: &str) -> Option<&'static dyn Fault> {
    ALL.iter().copied().find(|f| f.name() == name)
}

/// A way in which a world breaks.
pub trait Fault: Sync {
    /// Its name in a task file.
    fn name(&self) -> &'static str;
    /// The arguments it takes, each with a line of help.
    fn args(&self) -> &'static [(&'static str, &'static str)];
    /// What it does to a world of this shape.
    fn plan(&self, args: &FaultArgs, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError>;
    /// What sort of thing goes wrong.
    fn family(&self) -> Family;
    /// The argument that scales it, if one does.
    fn severity(&self) -> Option<Severity> {
        None
    }
    /// Every place in this world where it can apply, all arguments but the severity filled in, in a fixed order.
    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs>;
    /// What ends it, the best first. Each is enough by itself. None: it cannot be ended, or it ends by itself.
    fn cures(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<Cure>;
    /// Whether it is over within minutes, and what it leaves behind keeps itself alive.
    fn is_trigger(&self) -> bool {
        false
    }
    /// Whether it comes and goes within a minute or two: who looks every few minutes does not feel it.
    fn is_fitful(&self) -> bool {
        false
    }
    /// Settings through which what a trigger leaves behind can be broken, beside its cures: as service and key.
    /// An agent that ends it that way has good reason to leave them changed.
    fn levers(&self, _: &FaultArgs, _: &Blueprint) -> Vec<(usize, usize)> {
        Vec::new()
    }
    /// What is left of it in a world where it did `acts`: gone with all that it did or with one of its cures. A
    /// cure that goes another part of the way may do as well, and so may anything that breaks the loop of a
    /// trigger: both show only in what users feel. A fault that nothing ends asks for nothing.
    fn standing(&self, args: &FaultArgs, acts: &[Act], world: &World) -> Standing {
        let cures = self.cures(args, world.plan());
        if cures.iter().any(|cure| cure.holds(world)) {
            return Standing::Gone;
        }
        let left = acts.iter().map(|act| world.standing(act)).max().unwrap_or(Standing::Gone);
        if self.is_trigger() {
            return left.max(Standing::Altered);
        }
        let moved = |cure: &Cure| cure.setting(world.plan()).is_some_and(|(s, k)| world.is_changed(s, k));
        match left {
            Standing::Stands if cures.is_empty() => Standing::Gone,
            Standing::Stands if cures.iter().any(moved) && !sets(acts) => Standing::Altered,
            left => left,
        }
    }
    /// The service at fault, for the diagnosis.
    fn component(&self, args: &FaultArgs) -> String {
        args.said("service").to_string()
    }
    /// The name of the mechanism in the catalogue of concepts.
    fn concept(&self, args: &FaultArgs) -> &'static str;
}

/// Whether what was done is a matter of settings: then those very settings have to change.
fn sets(acts: &[Act]) -> bool {
    fn setting(mutation: &Mutation) -> bool {
        match mutation {
            Mutation::Config { .. } | Mutation::Expiry { .. } => true,
            Mutation::All(all) => all.iter().any(setting),
            _ => false,
        }
    }
    acts.iter().any(|act| setting(&act.mutation))
}

impl World {
    /// Puts what a fault does into the schedule, from `onset` on. Until then the world stays as it would have been.
    pub fn plant(&mut self, acts: &[Act], onset: Time) {
        for act in acts {
            let at = onset + act.after;
            let mutation = stamped(act.mutation.clone(), at);
            match &act.change {
                Some((author, summary)) => {
                    let filed = Filed {
                        author: author.as_str().into(),
                        service: act.service,
                        summary: summary.as_str().into(),
                        at: act.filed.unwrap_or(at),
                    };
                    self.schedule_change(at, filed, mutation);
                }
                None => self.schedule(at, mutation),
            }
        }
    }
}

/// A fault does not know when it begins; its mutations are dated here.
fn stamped(mutation: Mutation, at: Time) -> Mutation {
    match mutation {
        Mutation::Config { service, key, value, .. } => Mutation::Config { service, key, value, since: at },
        Mutation::Expiry { service, key, .. } => Mutation::Expiry { service, key, at },
        Mutation::Build { service, build, .. } => Mutation::Build { service, build, since: at },
        Mutation::All(all) => Mutation::All(all.into_iter().map(|m| stamped(m, at)).collect()),
        other => other,
    }
}

/// The teams that change things. All entries of a change history draw from these: were there another list,
/// the author's name would tell the culprit from the decoys.
pub const TEAMS: &[&str] = &["platform", "storefront", "payments", "data", "infra", "release-bot", "capacity"];

/// A team that could have done it: the name in the change history says nothing.
pub(crate) fn author(seed: Seed, what: &str) -> String {
    seed.stream("author").within(what.len() as u64).at(0).pick(TEAMS).to_string()
}

/// How the change history tells that a setting was changed.
pub fn set_summary(key: &str, from: &Value, to: &Value) -> String {
    format!("set {key} from {from} to {to}")
}

/// What builds bring, where a place has no words of its own.
pub const BUILDS: &[&str] = &[
    "dependency updates",
    "copy changes",
    "new price rules",
    "cleanup",
    "flag express_checkout on for 25% of users",
    "base image with security patches",
    "client library upgrade",
    "translations",
];

/// A number as people set it: two digits and zeros.
fn handy(number: f64) -> u64 {
    let mut unit = 1.0;
    while number / unit >= 100.0 {
        unit *= 10.0;
    }
    ((number / unit).round() * unit) as u64
}

/// What CPU services are given, in thousandths of a processor.
const PROCESSORS: &[f64] = &[250.0, 500.0, 750.0, 1000.0, 1500.0, 2000.0, 3000.0, 4000.0];

impl Blueprint {
    /// How a team is called in this place.
    pub fn team<'a>(&'a self, team: &'a str) -> &'a str {
        let place = TEAMS.iter().position(|t| *t == team);
        place.and_then(|n| self.teams.get(n)).map_or(team, String::as_str)
    }

    /// How the change history tells a deployment: the same words for good builds and bad ones, in the words of the
    /// service's kind. Stores get migrations and upgrades, not features.
    pub fn deploy_summary(&self, service: usize, draws: Stream) -> String {
        let (number, what) = (draws.at(0).below(900), draws.at(1));
        let kind = self.services[service].kind;
        if kind.hazards().contains(&Hazard::Code) {
            let what = if self.builds.is_empty() { what.pick(BUILDS) } else { what.pick(&self.builds).as_str() };
            return format!("deploy build {} ({what})", 2300 + number);
        }
        what.pick(kind.upkeep()).replace("{n}", &(100 + number).to_string())
    }

    /// How the change history tells that a service was given other machines, as shares of what it has when all is well.
    pub fn resize_summary(&self, service: usize, from: f64, to: f64) -> String {
        // A place has its own sizes, drawn with its settings: no number tells what is usual.
        let own = self.services[service].config.iter().filter(|value| matches!(value, Value::Int(_)));
        let own = own.fold(Seed(service as u64), |seed, value| Seed(seed.0.rotate_left(7) ^ value.int() as u64));
        let usual = own.stream("processors").at(0).pick(PROCESSORS);
        let (from, to) = (handy(usual * from), handy(usual * to));
        format!("resize: cpu quota from {from}m to {to}m")
    }
}
