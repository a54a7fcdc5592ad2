//! What an operator sits at.

use std::collections::BTreeMap;
use std::time::Duration;

use cluster::api::User;
use cluster::{Cluster, Programs};
use shell::{Output, Shell};

use crate::desk::{Desk, Memory};

/// A terminal: who sits there, in which namespace, with which files.
#[derive(Clone, Debug)]
pub struct Terminal {
    /// Variables, functions and background jobs of the shell.
    pub shell: Shell,
    /// Everything else that lasts from one line to the next.
    pub(crate) memory: Memory,
}

impl Terminal {
    /// A terminal of this user, in the namespace `default`.
    pub fn new(user: User) -> Self {
        let memory = Memory {
            user,
            namespace: "default".into(),
            server: "https://127.0.0.1:6443".into(),
            context: "sre-zero".into(),
            files: BTreeMap::new(),
            discovery: None,
            cost: Duration::from_millis(120),
            patience: Duration::from_secs(120),
            counter: 0,
        };
        Self { shell: Shell::default(), memory }
    }

    /// In another namespace.
    pub fn in_namespace(mut self, namespace: &str) -> Self {
        self.memory.namespace = namespace.into();
        self
    }

    /// With another simulated time that each call of kubectl takes.
    pub fn costing(mut self, cost: Duration) -> Self {
        self.memory.cost = cost;
        self
    }

    /// With another limit to commands that would wait for ever.
    pub fn patient(mut self, patience: Duration) -> Self {
        self.memory.patience = patience;
        self
    }

    /// Puts a file where commands find it.
    pub fn put_file(&mut self, path: &str, text: &str) {
        self.memory.files.insert(path.into(), text.into());
    }

    /// A file that commands wrote.
    pub fn file(&self, path: &str) -> Option<&str> {
        self.memory.files.get(path).map(String::as_str)
    }

    /// Runs a command line against a cluster; its time moves on by what the commands take.
    pub fn run(&mut self, cluster: &mut Cluster, programs: &mut dyn Programs, line: &str) -> Output {
        let mut desk = Desk { cluster, programs, memory: &mut self.memory, deadline: None };
        self.shell.run(&mut desk, line, "")
    }

    /// Runs kubectl alone, without a shell; the words do not begin with `kubectl`.
    pub fn kubectl(
        &mut self,
        cluster: &mut Cluster,
        programs: &mut dyn Programs,
        words: &[&str],
        input: &str,
    ) -> Output {
        let mut desk = Desk { cluster, programs, memory: &mut self.memory, deadline: None };
        let words: Vec<String> = words.iter().map(|word| (*word).to_string()).collect();
        crate::dispatch::run(&mut desk, &mut self.shell, &words, input)
    }
}
