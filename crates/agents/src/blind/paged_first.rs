//! `blind-paged-first`: the last change of the paged service, or else the last change.

use harness::Memory;

use super::deeds::Decision;
use super::seconds::undo;
use super::seen::Seen;
use super::{BlindPolicy, Reads};

/// The policy.
pub struct PagedFirst;

impl BlindPolicy for PagedFirst {
    fn name(&self) -> &'static str {
        "blind-paged-first"
    }

    fn about(&self) -> &'static str {
        "takes back the last change of the service that the page names, or else the last change"
    }

    fn reads(&self) -> Reads {
        Reads::Changes
    }

    fn decide(&self, seen: &Seen, _: &Memory) -> Decision {
        let paged = seen.paged.map(|at| &seen.services[at]);
        let own = seen.rows.iter().rev().find(|row| Some(&row.service) == paged && row.setting().is_some());
        undo(own.or(seen.rows.last()).into_iter())
    }
}
