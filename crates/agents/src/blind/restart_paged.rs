//! `blind-restart-paged`: the paged service is restarted.

use harness::Memory;

use super::deeds::{Decision, Deed};
use super::seen::Seen;
use super::{BlindPolicy, Reads};

/// The policy.
pub struct RestartPaged;

impl BlindPolicy for RestartPaged {
    fn name(&self) -> &'static str {
        "blind-restart-paged"
    }

    fn about(&self) -> &'static str {
        "restarts the service that the page names and says that it crashed"
    }

    fn reads(&self) -> Reads {
        Reads::Brief
    }

    fn decide(&self, seen: &Seen, _: &Memory) -> Decision {
        let Some(service) = seen.services.get(seen.paged.unwrap_or(0)) else { return Decision::nothing() };
        Decision::of(vec![Deed::Restart(service.clone())], format!("{service} crashed"))
    }
}
