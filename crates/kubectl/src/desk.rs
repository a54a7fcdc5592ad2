//! Where the shell of a terminal runs: with kubectl, a few files, and the cluster's time.

use cluster::{Cluster, Programs, Stamp};
use shell::{Host, Output, Shell};

use crate::terminal::Memory;

/// A terminal at work on a cluster.
pub(crate) struct Desk<'a> {
    pub(crate) cluster: &'a mut Cluster,
    pub(crate) programs: &'a mut dyn Programs,
    pub(crate) memory: &'a mut Memory,
    pub(crate) deadline: Option<i64>,
}

/// How many bytes of files a terminal keeps.
const MOST_BYTES: usize = 16 << 20;

impl Host for Desk<'_> {
    fn run(&mut self, shell: &mut Shell, words: &[String], input: &str) -> Option<Output> {
        match words[0].as_str() {
            "kubectl" | "k" => Some(crate::kubectl::run(self, shell, &words[1..], input)),
            "ls" => Some(self.list_files(&words[1..])),
            "rm" => Some(self.remove_files(&words[1..])),
            "pwd" => Some(Output::printed("/root\n")),
            "whoami" => Some(Output::printed("operator\n")),
            "clear" => Some(Output::default()),
            name @ ("helm" | "docker" | "crictl" | "curl" | "wget" | "ping" | "nslookup" | "dig" | "python"
            | "python3" | "yq" | "git" | "apt" | "apt-get" | "ss" | "nc" | "mkdir" | "cp" | "mv" | "find"
            | "top" | "ps") => {
                let hint = match name {
                    "curl" | "wget" | "ping" | "nslookup" | "dig" | "nc" => {
                        " (the network of the cluster is reached from inside a pod: kubectl exec)"
                    }
                    "yq" => " (jq is, with kubectl -o json)",
                    _ => "",
                };
                Some(Output::failed(127, format!("sh: {name}: not supported at this terminal{hint}\n")))
            }
            _ => None,
        }
    }

    fn has_tool(&self, name: &str) -> bool {
        name == "kubectl" || shell::tools::names().any(|known| known == name)
    }

    fn read_file(&mut self, path: &str) -> Result<String, String> {
        self.memory.files.get(plain(path)).cloned().ok_or_else(|| "No such file or directory".into())
    }

    fn write_file(&mut self, path: &str, text: &str, append: bool) -> Result<(), String> {
        let used: usize = self.memory.files.values().map(String::len).sum();
        if used + text.len() > MOST_BYTES {
            return Err("No space left on device".into());
        }
        let file = self.memory.files.entry(plain(path).into()).or_default();
        if !append {
            file.clear();
        }
        file.push_str(text);
        Ok(())
    }

    fn now(&self) -> i64 {
        self.cluster.now().0
    }

    fn wait_until(&mut self, shell: &mut Shell, until: i64) {
        while let Some(due) = shell.next_due().filter(|due| *due <= until) {
            self.advance(due);
            shell.run_due(self);
        }
        self.advance(until);
    }

    fn deadline(&mut self) -> &mut Option<i64> {
        &mut self.deadline
    }
}

impl Desk<'_> {
    pub(crate) fn advance(&mut self, until: i64) {
        if until > self.cluster.now().0 {
            self.cluster.advance(self.programs, Stamp(until));
        }
    }

    fn list_files(&self, words: &[String]) -> Output {
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

    fn remove_files(&mut self, words: &[String]) -> Output {
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
