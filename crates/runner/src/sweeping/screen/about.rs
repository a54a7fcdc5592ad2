//! What a sweep is about: the part of the view that does not change while it runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(feature = "tui")]
use agents::client::Spent;
use agents::client::{Caps, Meter};
use harness::sweep::{Plan, Shard};

use crate::say::count;

/// What runs, where its results go, and when it is enough.
#[cfg_attr(not(feature = "tui"), expect(dead_code, reason = "only the view reads it"))]
pub struct About {
    /// The suite, the agents, and how much there is of everything.
    pub what: String,
    /// Where results go.
    pub folder: PathBuf,
    /// When it is enough.
    pub caps: Caps,
    /// Counts what is used, for the caps.
    meter: Arc<Meter>,
}

impl About {
    /// Describes a plan.
    pub fn new(plan: &Plan<'_>, folder: &Path, caps: Caps, meter: &Arc<Meter>) -> About {
        let mut parts = vec![count(plan.agents.len(), "agent"), count(plan.challenges.len(), "task")];
        parts.push(count(plan.seeds.len(), "seed"));
        if plan.repeats > 1 {
            parts.push(format!("{} times each", plan.repeats));
        }
        let shard = plan.how.shard.map_or(String::new(), |Shard { index, of }| format!(", shard {index}/{of}"));
        let what = format!("{}: {}{shard}", plan.suite, parts.join(" x "));
        About { what, folder: folder.to_path_buf(), caps, meter: meter.clone() }
    }

    /// What was used so far, by earlier parts of the same run too.
    #[cfg(feature = "tui")]
    pub fn used(&self) -> Spent {
        self.meter.spent()
    }
}
