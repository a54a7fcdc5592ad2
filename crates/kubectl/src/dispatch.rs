//! From the words of a call of kubectl to its output; and the terminal's shell, which calls it.

use std::collections::BTreeSet;

use shell::{Host, Output, Shell};

use crate::commands::{self, Command};
use crate::desk::{self, Desk};
use crate::flags::Flags;
use crate::kubectl::Kubectl;

/// How many bytes of files a terminal keeps.
const MOST_BYTES: usize = 16 << 20;

/// Runs kubectl with the words after its name.
pub(crate) fn run(desk: &mut Desk<'_>, shell: &mut Shell, words: &[String], input: &str) -> Output {
    let start = desk.now().saturating_add(desk.memory.cost.as_micros() as i64);
    let start = desk.deadline.map_or(start, |deadline| start.min(deadline.max(desk.now())));
    desk.wait_until(shell, start);
    let (command, rest) = match find(words) {
        Ok(found) => found,
        Err(output) => return output,
    };
    let flags = match Flags::read(&rest, command.flags, command.name) {
        Ok(flags) => flags,
        Err(failure) => return Output::failed(failure.code(), failure.words()),
    };
    if flags.has("help") {
        return Output::printed(commands::help(command));
    }
    let (out, err, warned) = (String::new(), String::new(), BTreeSet::new());
    let mut call = Kubectl { desk, shell, flags, input, out, err, warned, lists_freely: false };
    let outcome = (command.run)(&mut call);
    let mut output = Output { stdout: call.out, stderr: call.err, code: 0 };
    if let Err(failure) = outcome {
        output.stderr.push_str(&failure.words());
        output.code = failure.code();
    }
    output
}

/// The command that the words name, and the words after it. Global flags may stand before it.
fn find(words: &[String]) -> Result<(&'static Command, Vec<String>), Output> {
    let mut before = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        before.push(word.clone());
        at += 1;
        let takes_value = matches!(
            word.as_str(),
            "-n" | "--namespace"
                | "--context"
                | "--kubeconfig"
                | "-s"
                | "--server"
                | "--as"
                | "--as-group"
                | "--token"
                | "--user"
                | "--cluster"
                | "-v"
                | "--v"
                | "--request-timeout"
        );
        if takes_value && let Some(value) = words.get(at) {
            before.push(value.clone());
            at += 1;
        }
    }
    let rest = &words[at..];
    let Some(first) = rest.first() else { return Err(Output::printed(commands::overview())) };
    if first == "help" {
        return Err(Output::printed(commands::overview()));
    }
    // Two words first: `rollout status` before `rollout`.
    let two = rest.get(1).filter(|word| !word.starts_with('-')).map(|second| format!("{first} {second}"));
    if let Some(command) = two.as_deref().and_then(commands::find) {
        return Ok((command, before.into_iter().chain(rest[2..].iter().cloned()).collect()));
    }
    if let Some(command) = commands::find(first) {
        return Ok((command, before.into_iter().chain(rest[1..].iter().cloned()).collect()));
    }
    let group: Vec<&str> = commands::names().filter(|name| name.starts_with(&format!("{first} "))).collect();
    if !group.is_empty() {
        return Err(match rest.get(1).filter(|word| !word.starts_with('-')) {
            Some(unknown) => Output::failed(
                1,
                format!("error: unknown command {unknown:?}\nSee 'kubectl {first} -h' for help and examples\n"),
            ),
            None => {
                let lines: String = group.iter().map(|name| format!("  kubectl {name}\n")).collect();
                Output::printed(format!("Available Commands:\n{lines}"))
            }
        });
    }
    if let Some(why) = commands::unsupported(first) {
        return Err(Output::failed(1, format!("error: kubectl {first} is not supported here: {why}\n")));
    }
    Err(Output::failed(1, commands::unknown(first)))
}

impl Host for Desk<'_> {
    fn run(&mut self, shell: &mut Shell, words: &[String], input: &str) -> Option<Output> {
        match words[0].as_str() {
            "kubectl" | "k" => Some(run(self, shell, &words[1..], input)),
            "ls" => Some(self.list_files(&words[1..])),
            "rm" => Some(self.remove_files(&words[1..])),
            "pwd" => Some(Output::printed("/root\n")),
            "whoami" => Some(Output::printed("operator\n")),
            "clear" => Some(Output::default()),
            "ssh" => Some(crate::ssh::run(self, &words[1..], input)),
            "openssl" => Some(crate::openssl::run(self, &words[1..], input)),
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
        matches!(name, "kubectl" | "openssl" | "ssh") || shell::tools::names().any(|known| known == name)
    }

    fn read_file(&mut self, path: &str) -> Result<String, String> {
        self.memory.files.get(desk::plain(path)).cloned().ok_or_else(|| "No such file or directory".into())
    }

    fn write_file(&mut self, path: &str, text: &str, append: bool) -> Result<(), String> {
        let used: usize = self.memory.files.values().map(String::len).sum();
        if used + text.len() > MOST_BYTES {
            return Err("No space left on device".into());
        }
        let file = self.memory.files.entry(desk::plain(path).into()).or_default();
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
