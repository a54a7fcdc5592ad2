//! What a kind of service is, apart from its physics: its configuration keys, metrics, log lines and alert rules, and
//! all that others need to know of it. A blueprint is compiled from this.

mod about;
mod drawn;
mod hazard;
mod params;
mod platform;
mod quirks;
mod sizing;
mod spoken;

pub use about::{CallerLine, Gauge, Level, Metric, OfState, Repeated, Rule, Sampled, Template, Unit};
pub(crate) use about::{error, metric, usual, warn};
pub use drawn::DrawnUse;
pub use hazard::Hazard;
pub use params::Params;
pub(crate) use platform::{PLATFORM_GAUGES, PLATFORM_LINES};
pub use quirks::{Overruled, Quirk, Settle, settle};
pub use sizing::{Occupancy, RelativeLoad};
pub(crate) use spoken::spoken;

use crate::config::Key;
use crate::flow::Reason;
use crate::growth::{Growth, Needs};
use crate::spec::{Op, ServiceSpec};

/// What all services of a kind have in common.
pub trait Kind: Sync {
    /// Its name in a spec.
    fn name(&self) -> &'static str;
    /// What a service of this kind is called where there is one only.
    fn title(&self) -> &'static str;
    /// What people call a service of this kind in a diagnosis.
    fn aliases(&self) -> &'static [&'static str];
    /// How far from the users it stands: 0 is the edge.
    fn tier(&self) -> u32;
    /// What its callers want of it.
    fn role(&self) -> Role {
        Role::Answer
    }
    /// Words of the shop in its keys, metrics, rules and lines, for which other places have words of their own.
    fn words(&self) -> &'static [&'static str] {
        &[]
    }
    /// Configuration keys, in the order in which they are shown.
    fn keys(&self) -> &'static [Key];
    /// Physical parameters with their usual values.
    fn params(&self) -> &'static [(&'static str, f64)];
    /// Metrics, in the order in which they are shown.
    fn metrics(&self) -> &'static [Metric];
    /// Log lines. A model counts one event per template.
    fn logs(&self) -> &'static [Template];
    /// What log lines tell of beside what is measured.
    fn gauges(&self) -> &'static [Gauge] {
        &[]
    }
    /// Those of them that repeat what a metric shows.
    fn repeated(&self) -> &'static [Repeated];
    /// The metric that is the 95th percentile of all that it answers, by its position: it is worked out where it is read.
    fn answers_within(&self) -> Option<usize>;
    /// The key that says for how long a call to a service with this role is waited for.
    fn deadline(&self, _role: Role) -> Option<&'static str> {
        None
    }
    /// The keys that say whether and where it looks things up.
    fn lookup_keys(&self) -> Option<LookupKeys> {
        None
    }
    /// The key that says after how long it gives up for a reason.
    fn limit(&self, _reason: Reason) -> Option<&'static str> {
        None
    }
    /// Alert rules, the most telling first.
    fn rules(&self) -> &'static [Rule];
    /// What about it can break: which faults fit.
    fn hazards(&self) -> &'static [Hazard];
    /// What callers write when calls to it fail, where they have no lines of their own for such a service.
    fn caller_logs(&self) -> &'static [CallerLine] {
        &[]
    }
    /// What a caller reads where a call failed here or behind it: an edge shows what its protocol has a word for.
    fn shows(&self, reason: Reason) -> Reason {
        reason
    }
    /// What is deployed to it where it runs no code of its owners, as the change history tells it; `{n}` is a number.
    fn upkeep(&self) -> &'static [&'static str] {
        &["deploy package {n} (security patches)", "deploy package {n} (minor version)"]
    }
    /// How long one instance takes to restart, in seconds.
    fn restart_secs(&self) -> u64;
    /// Gives a service room for its load, which is said as a multiple of what the shop's service of this kind has.
    fn size(&self, _service: &mut ServiceSpec, _load: RelativeLoad) {}
    /// Fits a service to a place that differs from how it was written down; gives how much more of each setting it
    /// needs there.
    fn grow(&self, _service: &mut ServiceSpec, _by: &Growth) -> Needs {
        Needs::new()
    }
    /// Settings that look odd and do no harm where nothing depends on them.
    fn quirks(&self) -> &'static [Quirk] {
        &[]
    }
    /// How drawn worlds use it; `None` for the kinds of the shop, whose routes are written down.
    fn drawn(&self) -> Option<DrawnUse> {
        None
    }
    /// What one call occupies here when all is well; `inner_ms` is how long the calls it makes take.
    fn occupancy(&self, op: &Op, inner_ms: f64) -> Occupancy {
        Occupancy { held_ms: op.work_ms + inner_ms, waited_ms: op.work_ms + inner_ms }
    }
}

/// The keys that say whether and where a kind looks things up.
#[derive(Clone, Copy, Debug)]
pub struct LookupKeys {
    /// Whether it does at all.
    pub switch: &'static str,
    /// At which host.
    pub host: &'static str,
    /// The parameter of a service that does in any case.
    pub forced_by: &'static str,
}

/// What callers want of a service, which decides how they take its failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An answer: without it the caller's own request fails.
    Answer,
    /// A look whether something is there: if not, the caller has another way.
    Lookup,
    /// To take something over: the caller waits only for the receipt.
    Handover,
}
