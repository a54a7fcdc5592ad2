//! What a kind of service computes: its physics, tick by tick.

use super::{Gauges, InUse, Kind, Params, Samples, Sight, Tick};
use crate::blueprint::Blueprint;
use crate::fleet::InstanceId;
use crate::latency::Latency;
use crate::service_state::ServiceState;

/// What a model is built from.
pub struct ModelSetup<'a> {
    /// Physical parameters, all of them present.
    pub params: &'a Params,
    /// The compiled world.
    pub plan: &'a Blueprint,
    /// Index of the service.
    pub me: usize,
}

impl ModelSetup<'_> {
    /// A parameter of the kind.
    pub fn param(&self, name: &str) -> f64 {
        self.params[name]
    }
}

/// A kind with its physics.
pub trait Physics: Kind {
    /// A model with these parameters, before its first configuration.
    fn model(&self, setup: &ModelSetup<'_>) -> Box<dyn Model>;
}

/// The model of a service, before its first configuration.
pub(crate) fn model_of(plan: &Blueprint, me: usize) -> Box<dyn Model> {
    let info = &plan.services[me];
    let kind = super::physics(info.kind.name()).expect("every kind of a blueprint is one of ours");
    kind.model(&ModelSetup { params: &info.params, plan, me })
}

/// What a call spends at a service itself: what traces tell of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OwnTime {
    /// Time for which it is worked on.
    pub work: Latency,
    /// Time before that in line, as the station had it.
    pub wait: Latency,
}

/// The physics of one service. Each tick `send` runs for all services, callers first, then `solve`
/// for all, callees first.
pub trait Model: CloneModel + Send + Sync {
    /// Takes over what the instances run with; called whenever that changes and when instances come or go. A kind
    /// whose physics tells its instances apart (an application server) reads every set; one that is a single
    /// thing to its callers (a balancer, a database, a cache, a queue) reads that of its oldest instance.
    fn configure(&mut self, in_use: &InUse<'_>, plan: &Blueprint);
    /// Knows what arrives; decides what to send on.
    fn send(&mut self, tick: &mut Tick<'_>);
    /// Knows how its own calls fared; answers what arrived and moves its slow state.
    fn solve(&mut self, tick: &mut Tick<'_>);
    /// An instance came up again after a restart.
    fn restarted(&mut self, instance: InstanceId);
    /// The current metrics, all of the kind's.
    fn sample(&self, sight: &Sight<'_>, out: &mut Samples<'_>);
    /// What a call spends here now, apart from what others take: by its position among those that the service answers; none for one
    /// that it begins itself.
    fn own_time(&self, at: Option<usize>) -> OwnTime;
    /// The current gauges, all of the kind's.
    fn gauge(&self, _out: &mut Gauges<'_>) {}
    /// Puts one aspect of it into a state; gives the old one. An aspect that it does not have is given back as it is.
    fn set_state(&mut self, state: ServiceState) -> ServiceState {
        state
    }
    /// Whether its callers and those that it calls may answer to one another from tick to tick, which long ticks would make worse.
    fn is_swayed(&self) -> bool {
        false
    }
    /// Whether a restart would bring nothing.
    fn is_clean(&self) -> bool {
        true
    }
    /// Whether it calls itself impaired.
    fn is_impaired(&self) -> bool;
    /// Lines of a status page beyond the processes' own state.
    fn notes(&self) -> Vec<String>;
}

/// Lets boxed models be cloned; implemented for every model that is `Clone`.
pub trait CloneModel {
    /// A copy that continues identically.
    fn clone_model(&self) -> Box<dyn Model>;
}

impl<M: Model + Clone + 'static> CloneModel for M {
    fn clone_model(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Model> {
    fn clone(&self) -> Self {
        self.clone_model()
    }
}
