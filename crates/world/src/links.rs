//! Connections between services. A bad path is a matter of connections: a process that is started
//! again opens new ones, and those take another path.

use serde::{Deserialize, Serialize};

use crate::fleet::InstanceId;

/// Which of the caller's instances have connections on a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Paths {
    /// All that there are.
    Every,
    /// These.
    Of(Vec<InstanceId>),
}

/// What is wrong between one service and another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Link {
    pub from: usize,
    pub to: usize,
    pub delay: f64,
    pub loss: f64,
    pub gone: f64,
    /// The caller's instances that still use the bad path.
    pub paths: Vec<InstanceId>,
}

impl Link {
    pub fn sound(from: usize, to: usize) -> Link {
        Link { from, to, delay: 0.0, loss: 0.0, gone: 0.0, paths: Vec::new() }
    }

    pub fn is_sound(&self) -> bool {
        self.paths.is_empty() || (self.delay == 0.0 && self.loss == 0.0 && self.gone == 0.0)
    }
}
