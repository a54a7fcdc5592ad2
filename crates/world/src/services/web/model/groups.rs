//! Instances that run with the same settings are one group: what each group takes in and how it answers is
//! computed by its own settings, and callers meet the groups in the shares in which traffic is sent to them.

use super::{Child, Settings, WebModel};
use crate::blueprint::Blueprint;
use crate::fleet::Instance;
use crate::services::web::tables::Key;
use crate::services::{InUse, Tick, Values};
use crate::settings::RevisionId;

/// The instances of one revision.
#[derive(Clone, Copy, Debug)]
pub(super) struct RevisionGroup {
    pub revision: RevisionId,
    pub instances: usize,
    pub settings: Settings,
    /// Mean time for which a request holds its worker, and of that its own work at full speed and its calls to others.
    pub hold: f64,
    pub own: f64,
    pub calls: f64,
    /// Of its calls those to servers of the same kind.
    pub chained: f64,
    /// How many times what it passes on it would pass on if all its workers were free.
    pub pressed: f64,
    /// How uneven that time is: its variance by the square of its mean.
    pub unevenness: f64,
    /// Share of arrivals under the rate limit.
    pub admitted: f64,
    /// Share of the service's arrivals that reach a worker of this group.
    pub pass: f64,
}

impl RevisionGroup {
    /// A group before its first configuration.
    pub fn new() -> RevisionGroup {
        let (revision, settings) = (RevisionId::TEMPLATE, Settings::default());
        RevisionGroup {
            revision,
            instances: 0,
            settings,
            hold: 0.02,
            own: 0.0,
            calls: 0.0,
            chained: 0.0,
            pressed: 1.0,
            unevenness: 1.0,
            admitted: 1.0,
            pass: 1.0,
        }
    }

    /// Whether a lookup is made at all, and reaches its service.
    pub fn is_open(&self, child: &Child) -> bool {
        // A blueprint may have several caches; only the configured host matters for those a key points at.
        self.settings.use_cache && self.settings.cache == Some(child.service)
    }

    /// Those of a service's instances that belong to it.
    pub fn of<'a>(&self, instances: &'a [Instance]) -> impl Iterator<Item = &'a Instance> {
        let revision = self.revision;
        instances.iter().filter(move |i| i.revision == revision)
    }
}

/// How much of a service's traffic is sent to a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrafficShare {
    /// Makes shares of the service's traffic shares of the group's.
    pub scale: f64,
    /// Its part of the whole.
    pub of_all: f64,
    /// Its part of the whole of this group and those before it: 1 for the first.
    pub so_far: f64,
}

impl TrafficShare {
    /// A service whose instances are all alike.
    pub const WHOLE: TrafficShare = TrafficShare { scale: 1.0, of_all: 1.0, so_far: 1.0 };

    /// The parts of all groups.
    fn each(groups: impl Iterator<Item = f64> + Clone) -> impl Iterator<Item = TrafficShare> {
        let all: f64 = groups.clone().sum();
        let share = |of: f64, whole: f64| if whole > 0.0 { of / whole } else { 0.0 };
        groups.scan(0.0, move |sum, group| {
            *sum += group;
            let so_far = if *sum > 0.0 { group / *sum } else { 1.0 };
            Some(TrafficShare { scale: share(1.0, group), of_all: share(group, all), so_far })
        })
    }
}

impl Settings {
    fn of(values: &Values<'_>, plan: &Blueprint) -> Settings {
        Settings {
            timeout: values.get(Key::TimeoutMs).int() / 1000.0,
            workers: values.get(Key::MaxWorkers).int(),
            use_cache: values.get(Key::UseCache).bool(),
            cache: plan.resolve(values.get(Key::CacheHost).text()),
            rate_limit: values.get(Key::RateLimitRps).int(),
            publish_timeout: values.get(Key::QueuePublishTimeoutMs).int() / 1000.0,
        }
    }
}

impl WebModel {
    /// All groups, that of the oldest instance first.
    pub(super) fn groups(&self) -> impl Iterator<Item = &RevisionGroup> {
        std::iter::once(&self.group).chain(&self.others)
    }

    /// Forms the groups anew. Those that stay keep what they know; a new one begins with what the oldest knew.
    pub(super) fn regroup(&mut self, in_use: &InUse<'_>, plan: &Blueprint) {
        let group = |values: &Values<'_>| {
            let (revision, instances) = (values.revision, values.instances);
            let known = self.groups().find(|g| g.revision == revision).unwrap_or(&self.group);
            let mut settings = Settings::of(values, plan);
            settings.use_cache |= self.reads_through;
            settings.workers /= self.threads;
            settings.rate_limit *= self.zones;
            RevisionGroup { revision, instances, settings, ..*known }
        };
        let oldest = group(in_use.oldest());
        self.others = in_use.iter().skip(1).map(group).collect();
        self.group = oldest;
    }

    /// What an instance runs with.
    #[inline]
    pub(super) fn settings_of(&self, instance: &Instance) -> &Settings {
        if instance.revision == self.group.revision || self.others.is_empty() {
            return &self.group.settings;
        }
        let other = self.others.iter().find(|g| g.revision == instance.revision);
        &other.expect("groups are formed anew when an instance joins or adopts settings").settings
    }

    /// Workers that are expected to answer.
    pub(super) fn expected(&self) -> f64 {
        self.groups().map(|g| g.settings.workers * g.instances as f64).sum()
    }

    /// The part of each group, as traffic is sent to the instances now.
    #[cold]
    pub(super) fn parts(&self, tick: &Tick<'_>) -> Vec<TrafficShare> {
        let share = |g: &RevisionGroup| g.of(tick.instances()).map(|i| i.share).sum::<f64>();
        TrafficShare::each(self.groups().map(share).collect::<Vec<f64>>().into_iter()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_blend_to_the_whole() {
        let check = |shares: &[f64], mixed: f64| {
            let parts: Vec<TrafficShare> = TrafficShare::each(shares.iter().copied()).collect();
            let values = (0..shares.len()).map(|i| i as f64);
            let blended = parts.iter().zip(values.clone()).fold(0.0, |b, (p, v)| b + (v - b) * p.so_far);
            let summed: f64 = parts.iter().zip(values).map(|(p, v)| p.of_all * v).sum();
            assert!((blended - mixed).abs() < 1e-12 && (summed - mixed).abs() < 1e-12, "{shares:?}: {parts:?}");
        };
        check(&[1.0], 0.0);
        check(&[0.5, 0.5], 0.5);
        check(&[0.25, 0.25, 0.5], 1.25);
        check(&[0.0, 1.0], 1.0);
        check(&[1.0, 0.0], 0.0);
    }
}
