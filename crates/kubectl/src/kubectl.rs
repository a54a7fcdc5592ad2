//! One call of kubectl: from its words to its output.

use std::collections::BTreeSet;

use serde_json::Value;
use shell::{Host, Output, Shell};

use crate::commands::{self, Command};
use crate::desk::Desk;
use crate::failure::Failure;
use crate::flags::Flags;
use crate::json;
use crate::print;

/// A call of kubectl under way.
pub(crate) struct Kubectl<'d, 'c> {
    pub(crate) desk: &'d mut Desk<'c>,
    pub(crate) shell: &'d mut Shell,
    pub(crate) flags: Flags,
    /// What was piped in.
    pub(crate) input: &'d str,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) warned: BTreeSet<String>,
    /// Whether a type without names means all of them.
    pub(crate) lists_freely: bool,
}

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

impl Kubectl<'_, '_> {
    /// Prints a line.
    pub(crate) fn say(&mut self, line: impl AsRef<str>) {
        self.out.push_str(line.as_ref());
        self.out.push('\n');
    }

    /// Complains in a line.
    pub(crate) fn warn(&mut self, line: impl AsRef<str>) {
        self.err.push_str(line.as_ref());
        self.err.push('\n');
    }

    /// `none`, `client` or `server`.
    pub(crate) fn dry_run(&mut self) -> Result<&'static str, Failure> {
        match self.flags.value("dry-run") {
            None | Some("none" | "false") => Ok("none"),
            Some("client") => Ok("client"),
            Some("server") => Ok("server"),
            Some("unchanged" | "true") => {
                self.warn("W0000 00:00:00.000000       1 helpers.go:702] --dry-run is deprecated and can be replaced with --dry-run=client.");
                Ok("client")
            }
            Some(other) => Err(Failure::new(format!(
                "Invalid dry-run value ({other}). Must be \"none\", \"server\", or \"client\"."
            ))),
        }
    }

    /// `All` for the server, if it shall store nothing.
    pub(crate) fn dry_query(&mut self) -> Result<&'static str, Failure> {
        Ok(if self.dry_run()? == "server" { "All" } else { "" })
    }

    /// Tells what was done to an object, in the form that `-o` asks for.
    pub(crate) fn tell(&mut self, shown: &str, object: &Value, operation: &str) -> Result<(), Failure> {
        let dry = self.dry_run()?;
        match self.flags.value("output").filter(|form| !form.is_empty()) {
            None => {
                let suffix = match dry {
                    "client" => " (dry run)",
                    "server" => " (server dry run)",
                    _ => "",
                };
                self.say(format!("{shown} {operation}{suffix}"));
                Ok(())
            }
            Some("name") => {
                self.say(shown);
                Ok(())
            }
            Some(form) => {
                let form = form.to_string();
                let text = self.printed(&form, object)?;
                self.out.push_str(&text);
                Ok(())
            }
        }
    }

    /// An object in a form of `-o`.
    pub(crate) fn printed(&mut self, form: &str, object: &Value) -> Result<String, Failure> {
        let mut object = object.clone();
        if !self.flags.has("show-managed-fields") {
            json::remove(&mut object, "metadata.managedFields");
        }
        print::object(self, form, &object)
    }

    /// Lets time pass until something may have changed, at most until then. False if nothing is left to wait for: the
    /// time is over, or `timeout` ends the command.
    pub(crate) fn step(&mut self, until: i64) -> bool {
        let now = self.desk.now();
        let end = self.desk.deadline.map_or(until, |deadline| deadline.min(until));
        if now >= end {
            return false;
        }
        let next = self.desk.cluster.next_due().map_or(end, |due| due.0.max(now + 1000));
        let job = self.shell.next_due().unwrap_or(end).max(now + 1);
        self.desk.wait_until(self.shell, next.min(job).min(end));
        self.shell.run_due(self.desk);
        true
    }

    /// When a command that nothing else ends is stopped, and whether that is `timeout`'s doing.
    pub(crate) fn patience(&self) -> i64 {
        self.desk.now().saturating_add(self.desk.memory.patience.as_micros() as i64)
    }

    /// How a command ends that would go on for ever.
    pub(crate) fn stopped(&mut self) -> Failure {
        let is_timeout = self.desk.deadline.is_some_and(|deadline| self.desk.now() >= deadline);
        if !is_timeout {
            let seconds = self.desk.memory.patience.as_secs();
            self.warn(format!("^C (stopped after {seconds}s: nothing else ends this command; `timeout 30 kubectl ...` sets another time)"));
        }
        Failure::Silent(if is_timeout { 124 } else { 130 })
    }
}
