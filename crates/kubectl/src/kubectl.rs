//! One call of kubectl under way.

use std::collections::BTreeSet;

use shell::{Host, Shell};

use crate::desk::Desk;
use crate::failure::Failure;
use crate::flags::Flags;

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
