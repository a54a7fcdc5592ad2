//! Nodes from within: their files, and what the usual commands of a host print and do.

mod files;
mod hardware;
mod tools;

use cluster::{Cluster, ExecCall, ExecEnd, Stamp};
use shell::{Host, Output, Shell};

use crate::ground::Ground;
pub(crate) use files::{KUBELET_CONFIG, kubelet_config};

/// A node as a command on it sees it.
pub(crate) struct NodeHost<'a> {
    pub(crate) cluster: &'a mut Cluster,
    pub(crate) ground: &'a mut Ground,
    pub(crate) node: &'a str,
    /// Programs that run there, as `ps` shows them: user, cpu in percent, memory in kilobytes, command.
    pub(crate) processes: Vec<(f64, i64, String)>,
    /// Microseconds that the command has taken so far.
    pub(crate) taken: i64,
    deadline: Option<i64>,
}

impl<'a> NodeHost<'a> {
    pub(crate) fn new(cluster: &'a mut Cluster, ground: &'a mut Ground, node: &'a str) -> Self {
        Self { cluster, ground, node, processes: Vec::new(), taken: 0, deadline: None }
    }

    /// Runs a command to its end.
    pub(crate) fn call(mut self, call: &ExecCall) -> ExecEnd {
        let mut shell = Shell::default();
        let input = String::from_utf8_lossy(&call.input).into_owned();
        let ended = match call.command.as_slice() {
            [sh, flag, script, ..] if matches!(name_of(sh), "sh" | "bash") && flag.contains('c') => {
                shell.run(&mut self, script, &input)
            }
            [sh] if matches!(name_of(sh), "sh" | "bash") => shell.run(&mut self, &input, ""),
            words => {
                let quoted = |word: &String| format!("'{}'", word.replace('\'', "'\\''"));
                let line = words.iter().map(quoted).collect::<Vec<_>>().join(" ");
                shell.run(&mut self, &line, &input)
            }
        };
        ExecEnd {
            stdout: ended.stdout.into_bytes(),
            stderr: ended.stderr.into_bytes(),
            code: ended.code,
            takes: std::time::Duration::from_micros(self.taken.max(0) as u64),
        }
    }

    /// What the node takes for the time.
    pub(crate) fn clock(&self) -> Stamp {
        self.ground.clock(self.node, Stamp(self.cluster.now().0 + self.taken))
    }
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

impl Host for NodeHost<'_> {
    fn run(&mut self, shell: &mut Shell, words: &[String], input: &str) -> Option<Output> {
        if name_of(words.first()?) == "sudo" {
            let rest: Vec<String> = words[1..].iter().skip_while(|word| word.starts_with('-')).cloned().collect();
            let quoted = |word: &String| format!("'{}'", word.replace('\'', "'\\''"));
            let line = rest.iter().map(quoted).collect::<Vec<_>>().join(" ");
            return Some(shell.run(self, &line, input));
        }
        tools::run(self, name_of(&words[0]), &words[1..])
    }

    fn has_tool(&self, name: &str) -> bool {
        tools::has(name) || shell::tools::names().any(|known| known == name)
    }

    fn read_file(&mut self, path: &str) -> Result<String, String> {
        files::read(self, path).ok_or_else(|| "No such file or directory".into())
    }

    fn write_file(&mut self, path: &str, text: &str, append: bool) -> Result<(), String> {
        let before = if append { files::read(self, path).unwrap_or_default() } else { String::new() };
        files::write(self, path, format!("{before}{text}"))
    }

    fn now(&self) -> i64 {
        self.clock().0
    }

    fn wait_until(&mut self, _shell: &mut Shell, until: i64) {
        self.taken += (until - self.clock().0).max(0);
    }

    fn deadline(&mut self) -> &mut Option<i64> {
        &mut self.deadline
    }
}
