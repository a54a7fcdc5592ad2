//! What a terminal works with: a cluster, its time, and a few files.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use cluster::api::User;
use cluster::{Cluster, Programs, Stamp};
use shell::Output;

use crate::discovery::Discovery;

/// A terminal at work on a cluster.
pub(crate) struct Desk<'a> {
    pub(crate) cluster: &'a mut Cluster,
    pub(crate) programs: &'a mut dyn Programs,
    pub(crate) memory: &'a mut Memory,
    pub(crate) deadline: Option<i64>,
}

/// What kubectl finds on the operator's machine.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) user: User,
    pub(crate) namespace: String,
    pub(crate) server: String,
    pub(crate) context: String,
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) discovery: Option<Arc<Discovery>>,
    /// How long a call of kubectl takes.
    pub(crate) cost: Duration,
    /// How long a command may wait that nothing else ends.
    pub(crate) patience: Duration,
    /// Counts what needs a name of its own.
    pub(crate) counter: u64,
}

impl Desk<'_> {
    pub(crate) fn advance(&mut self, until: i64) {
        if until > self.cluster.now().0 {
            self.cluster.advance(self.programs, Stamp(until));
        }
    }

    pub(crate) fn list_files(&self, words: &[String]) -> Output {
        let wanted: Vec<&str> = words.iter().filter(|w| !w.starts_with('-')).map(|w| plain(w)).collect();
        let folder =
            |name: &str| wanted.is_empty() || wanted.iter().any(|w| *w == name || name.starts_with(&format!("{w}/")));
        let mut output = Output::default();
        for name in self.memory.files.keys().filter(|name| folder(name)) {
            output.stdout.push_str(&format!("{name}\n"));
        }
        for missing in wanted
            .iter()
            .filter(|w| **w != "." && !self.memory.files.keys().any(|name| folder(name) && name.starts_with(**w)))
        {
            output.stderr.push_str(&format!("ls: cannot access '{missing}': No such file or directory\n"));
            output.code = 2;
        }
        output
    }

    pub(crate) fn remove_files(&mut self, words: &[String]) -> Output {
        let mut output = Output::default();
        let forced = words.iter().any(|word| word.starts_with('-') && word.contains('f'));
        for path in words.iter().filter(|word| !word.starts_with('-')) {
            if self.memory.files.remove(plain(path)).is_none() && !forced {
                output.stderr.push_str(&format!("rm: cannot remove '{path}': No such file or directory\n"));
                output.code = 1;
            }
        }
        output
    }
}

/// A path without what means the same place.
pub(crate) fn plain(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}
