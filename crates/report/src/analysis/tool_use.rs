//! What an agent used its steps for.

use std::collections::BTreeMap;

use record::{EndReason, Step};
use serde::{Deserialize, Serialize};

/// What one episode's steps, or those of many, were used for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolUse {
    /// Calls of each tool.
    pub calls: BTreeMap<String, u32>,
    /// Steps that looked.
    pub reads: u32,
    /// Steps that changed something.
    pub writes: u32,
    /// Steps that were no valid action.
    pub invalid: u32,
    /// Looks before the first change; over many episodes, their sum over those with a change.
    pub reads_before_write: u32,
    /// Episodes with a change.
    pub episodes_with_write: u32,
}

impl ToolUse {
    /// The tool use of one episode. The step by which the agent itself ended it is neither a look nor a change.
    pub fn of(steps: &[&Step], end: EndReason) -> ToolUse {
        let mut found = ToolUse::default();
        let is_last_word = matches!(end, EndReason::Resolved | EndReason::Escalated);
        for (at, step) in steps.iter().enumerate() {
            found.take(step, is_last_word && at + 1 == steps.len());
        }
        if found.writes == 0 {
            found.reads_before_write = 0;
        }
        found
    }

    fn take(&mut self, step: &Step, ends: bool) {
        if step.invalid.is_some() {
            self.invalid += 1;
            return;
        }
        *self.calls.entry(step.tool.clone()).or_default() += 1;
        if !step.touched.is_empty() {
            self.writes += 1;
            self.episodes_with_write = 1;
        } else if !ends {
            self.reads += 1;
            self.reads_before_write += u32::from(self.writes == 0);
        }
    }

    /// Adds those of other episodes.
    pub fn add(&mut self, other: &ToolUse) {
        for (tool, calls) in &other.calls {
            *self.calls.entry(tool.clone()).or_default() += calls;
        }
        self.reads += other.reads;
        self.writes += other.writes;
        self.invalid += other.invalid;
        self.reads_before_write += other.reads_before_write;
        self.episodes_with_write += other.episodes_with_write;
    }

    /// Looks for each change; `None` without a change.
    pub fn read_write_ratio(&self) -> Option<f64> {
        (self.writes > 0).then(|| f64::from(self.reads) / f64::from(self.writes))
    }

    /// Mean number of looks before the first change, over episodes with one.
    pub fn mean_reads_before_write(&self) -> Option<f64> {
        let episodes = self.episodes_with_write;
        (episodes > 0).then(|| f64::from(self.reads_before_write) / f64::from(episodes))
    }
}
