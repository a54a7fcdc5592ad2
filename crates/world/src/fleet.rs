//! Instances on nodes: which exist and what state they are in. They may come and go in any tick; the
//! services' physics asks the fleet how much of a service is really there.

use serde::{Deserialize, Serialize};

use crate::settings::RevisionId;

pub use crate::process::{Exit, ExitReason, MOST_FILES, Phase, Process, USUAL_FILES};

/// One instance for as long as it exists. No two instances of a world ever have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InstanceId(pub u32);

/// One instance of a service on a node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instance {
    /// Which one it is.
    pub id: InstanceId,
    /// Index of the service.
    pub service: usize,
    /// Its number in the service's name for it, from 1: `cache-1`.
    pub ordinal: u32,
    /// Index of the node.
    pub node: usize,
    /// The settings that it was started with or that were rolled out to it.
    #[serde(default)]
    pub revision: RevisionId,
    /// Its process.
    pub process: Process,
    /// The share of the service's calls that are sent to it.
    pub share: f64,
}

impl Instance {
    /// Its address in the company's network: that of its node, and its own on it.
    pub fn address(&self) -> [u8; 4] {
        let node = self.node as u32 + 1;
        [10, 20 + (node / 250) as u8, (node % 250) as u8, 10 + (self.id.0 % 240) as u8]
    }
}

/// All instances of a world, service by service, the oldest of each first.
#[derive(Clone, Debug, PartialEq)]
pub struct Fleet {
    all: Vec<Instance>,
    /// Where the instances of each service begin, and behind the last where they end.
    bounds: Vec<usize>,
    next: u32,
}

impl Fleet {
    /// The first instances, as a blueprint places them: the service and the node of each, service by service.
    pub fn place(placement: &[(usize, usize)], services: usize) -> Fleet {
        let mut bounds = vec![0; services + 1];
        placement.iter().for_each(|(service, _)| bounds[service + 1] += 1);
        (1..=services).for_each(|service| bounds[service] += bounds[service - 1]);
        let place = |(at, &(service, node)): (usize, &(usize, usize))| {
            let alike = bounds[service]..bounds[service + 1];
            assert!(alike.contains(&at), "they are placed service by service");
            let (id, ordinal) = (InstanceId(at as u32), (at - alike.start) as u32 + 1);
            let (revision, process) = (RevisionId::TEMPLATE, Process::fresh(crate::time::Time(0)));
            Instance { id, service, ordinal, node, revision, process, share: 1.0 / alike.len() as f64 }
        };
        Fleet { all: placement.iter().enumerate().map(place).collect(), next: placement.len() as u32, bounds }
    }

    /// An instance that does not exist yet, with the next free id and number; it follows the service's template.
    pub fn new_instance(&self, service: usize, node: usize) -> Instance {
        let ordinal = self.of(service).last().map_or(1, |i| i.ordinal + 1);
        let process = Process::fresh(crate::time::Time(0));
        let (id, revision) = (InstanceId(self.next), RevisionId::TEMPLATE);
        Instance { id, service, ordinal, node, revision, process, share: 1.0 }
    }

    /// The instances of a service, the oldest first.
    #[inline]
    pub fn of(&self, service: usize) -> &[Instance] {
        &self.all[self.bounds[service]..self.bounds[service + 1]]
    }

    /// The instances of a service, the oldest first.
    #[inline]
    pub fn of_mut(&mut self, service: usize) -> &mut [Instance] {
        &mut self.all[self.bounds[service]..self.bounds[service + 1]]
    }

    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Instance> {
        self.all.iter()
    }

    /// All of them.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Instance> {
        self.all.iter_mut()
    }

    /// The instance of that id, if it still exists.
    pub fn get(&self, id: InstanceId) -> Option<&Instance> {
        self.all.get(self.place_of(id)?)
    }

    /// The instance of that id, if it still exists.
    pub fn get_mut(&mut self, id: InstanceId) -> Option<&mut Instance> {
        let place = self.place_of(id)?;
        self.all.get_mut(place)
    }

    /// Where an instance stands: under its own number, until one was added or taken out before it.
    fn place_of(&self, id: InstanceId) -> Option<usize> {
        let usual = id.0 as usize;
        let is_there = self.all.get(usual).is_some_and(|i| i.id == id);
        if is_there { Some(usual) } else { self.all.iter().position(|i| i.id == id) }
    }

    /// The share of a service's instances that run.
    pub fn up(&self, service: usize) -> f64 {
        let all = self.of(service);
        // Most services have one instance, and this is asked often.
        if let [only] = all {
            return f64::from(u8::from(only.process.up()));
        }
        if all.is_empty() {
            return 0.0;
        }
        all.iter().filter(|i| i.process.up()).count() as f64 / all.len() as f64
    }

    /// Adds an instance; what its service gets is divided evenly until a balancer says otherwise.
    pub fn add(&mut self, instance: Instance) {
        assert!(self.get(instance.id).is_none(), "an instance is added once");
        let place = self.bounds[instance.service] + self.of(instance.service).partition_point(|i| i.id < instance.id);
        self.all.insert(place, instance);
        self.bounds[instance.service + 1..].iter_mut().for_each(|b| *b += 1);
        self.next = self.next.max(instance.id.0 + 1);
        self.share_evenly(instance.service);
    }

    /// Takes an instance out; its id is never given again.
    pub fn remove(&mut self, id: InstanceId) -> Option<Instance> {
        let place = self.place_of(id)?;
        let instance = self.all.remove(place);
        self.bounds[instance.service + 1..].iter_mut().for_each(|b| *b -= 1);
        self.share_evenly(instance.service);
        Some(instance)
    }

    fn share_evenly(&mut self, service: usize) {
        let share = 1.0 / self.of(service).len() as f64;
        self.of_mut(service).iter_mut().for_each(|i| i.share = share);
    }
}

/// State that physics keeps for each instance of a service: it follows instances that come and go.
#[derive(Clone, Debug, Default)]
pub(crate) struct PerInstance<T>(Vec<(InstanceId, T)>);

impl<T: Default> PerInstance<T> {
    /// Has one entry for each of these instances, in their order: those that stayed keep theirs.
    #[inline]
    pub fn follow(&mut self, instances: &[Instance]) {
        let same = self.0.len() == instances.len() && self.0.iter().zip(instances).all(|(entry, i)| entry.0 == i.id);
        if !same {
            self.realign(instances);
        }
    }

    #[cold]
    fn realign(&mut self, instances: &[Instance]) {
        let mut old = std::mem::take(&mut self.0);
        let mut kept = |id: InstanceId| old.iter_mut().find(|e| e.0 == id).map(|e| std::mem::take(&mut e.1));
        self.0 = instances.iter().map(|i| (i.id, kept(i.id).unwrap_or_default())).collect();
    }

    /// The state of one instance begins anew.
    pub fn reset(&mut self, id: InstanceId) {
        self.0.iter_mut().filter(|e| e.0 == id).for_each(|e| e.1 = T::default());
    }

    pub fn reset_all(&mut self) {
        self.0.iter_mut().for_each(|e| e.1 = T::default());
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|e| &e.1)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().map(|e| &mut e.1)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(fleet: &Fleet, service: usize) -> Vec<u32> {
        fleet.of(service).iter().map(|i| i.id.0).collect()
    }

    #[test]
    fn instances_come_and_go_and_no_id_is_given_twice() {
        let mut fleet = Fleet::place(&[(0, 0), (1, 1), (1, 0)], 2);
        assert_eq!((ids(&fleet, 0), ids(&fleet, 1)), (vec![0], vec![1, 2]));
        let more = fleet.new_instance(0, 1);
        fleet.add(more);
        assert_eq!((ids(&fleet, 0), ids(&fleet, 1), more.ordinal), (vec![0, 3], vec![1, 2], 2));
        let gone = fleet.remove(InstanceId(1)).expect("it exists");
        assert_eq!((ids(&fleet, 0), ids(&fleet, 1)), (vec![0, 3], vec![2]));
        assert_eq!(fleet.of(1)[0].share, 1.0, "the other gets all");
        fleet.add(gone);
        assert_eq!(ids(&fleet, 1), [1, 2], "one that comes back takes its old place");
        fleet.remove(InstanceId(3));
        assert_eq!(fleet.new_instance(0, 0).id, InstanceId(4));
        fleet.remove(InstanceId(0));
        assert_eq!((fleet.of(0).len(), fleet.up(0)), (0, 0.0), "a service without instances is down");
    }

    #[test]
    fn state_follows_the_instances_that_stay() {
        let mut fleet = Fleet::place(&[(0, 0), (0, 1)], 1);
        let mut state: PerInstance<f64> = PerInstance::default();
        state.follow(fleet.of(0));
        state.iter_mut().zip([1.0, 2.0]).for_each(|(s, n)| *s = n);
        fleet.remove(InstanceId(0));
        let more = fleet.new_instance(0, 0);
        fleet.add(more);
        state.follow(fleet.of(0));
        assert_eq!(state.iter().copied().collect::<Vec<_>>(), [2.0, 0.0]);
        state.reset(InstanceId(1));
        assert_eq!(state.iter().copied().collect::<Vec<_>>(), [0.0, 0.0]);
    }
}
