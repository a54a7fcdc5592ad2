//! Background jobs: they go on while something in the foreground lets time pass.

use crate::Host;
use crate::state::{Job, Shell};
use crate::syntax::{CommandKind, List, ListItem, Part};
use crate::text;

impl Shell {
    pub(crate) fn begin_job(&mut self, host: &mut dyn Host, list: &List, item: &ListItem) {
        let only = list.iter().position(|other| std::ptr::eq(other, item));
        let job = match (&*item.first.commands, &*item.rest) {
            ([command], []) => match &command.kind {
                CommandKind::Subshell(inner) | CommandKind::Group(inner) => {
                    Job { list: inner.clone(), at: 0, only: None, due: host.now() }
                }
                _ => Job { list: list.clone(), at: 0, only, due: host.now() },
            },
            _ => Job { list: list.clone(), at: 0, only, due: host.now() },
        };
        if self.jobs.len() < 16 {
            self.jobs.push(job);
        }
        // It begins at once: what it does before its first `sleep` happens now.
        self.run_due(host);
    }

    /// When the next background job wants to go on.
    pub fn next_due(&self) -> Option<i64> {
        self.jobs.iter().map(|job| job.due).min()
    }

    /// Lets the background jobs that are due go on.
    pub fn run_due(&mut self, host: &mut dyn Host) {
        if self.jobs.is_empty() || !self.enters() {
            return;
        }
        let now = host.now();
        for mut job in std::mem::take(&mut self.jobs) {
            while job.due <= now {
                let Some(item) = job.list.get(job.only.unwrap_or(job.at)) else { break };
                match pause(item) {
                    Some(micros) => job.due = job.due.max(now).saturating_add(micros),
                    None => {
                        let list = job.list.clone();
                        let output = self.item(host, &list[job.only.unwrap_or(job.at)], "");
                        self.job_output.stdout.push_str(&output.stdout);
                        self.job_output.stderr.push_str(&output.stderr);
                    }
                }
                job.at += 1;
                if job.only.is_some() {
                    job.at = usize::MAX;
                    job.only = None;
                    break;
                }
            }
            if job.at < job.list.len() {
                self.jobs.push(job);
            }
        }
        self.leaves();
    }
}

/// `sleep 3` as a pause.
fn pause(item: &ListItem) -> Option<i64> {
    let ([command], []) = (&*item.first.commands, &*item.rest) else { return None };
    let CommandKind::Simple { words, .. } = &command.kind else { return None };
    let [name, span] = &**words else { return None };
    let Part::Text { text: length, .. } = span.0.first()? else { return None };
    (name.plain() == Some("sleep")).then(|| text::span(length)).flatten()
}
