//! What goes on, told from what was said once. A service in trouble says so in every scrape; a line that stands alone in
//! ten minutes is of something that has passed, or of nothing, until it is heard again.

use super::loops;
use super::notebook::wording;
use super::playbook::LAST_WORDS;
use super::reading::LogRow;
use super::signs::{self, HandbookSign};

/// What goes on is said again within so many seconds.
const AGAIN: u32 = 60;

/// How lines begin that the machine under a service writes: they are measured, and stand for themselves.
const MEASURED: &[&str] = &["cgroup: ", "node agent: ", "resolver: ", "tcp: ", "time sync: "];

/// What is written when something changes is said once, and is so until the opposite is said.
const CHANGES: &[&str] = &[" is down, reason: "];

/// The lines that are believed: those that are said again, and all that are no sign of anything.
pub fn lines(all: &[LogRow]) -> Vec<LogRow> {
    all.iter().filter(|line| !is_stray(line, all)).cloned().collect()
}

/// The signs that were read once.
pub fn strays(all: &[LogRow]) -> impl Iterator<Item = &'static HandbookSign> {
    all.iter().filter(|line| is_stray(line, all)).filter_map(|line| signs::read(&line.text))
}

fn is_stray(line: &LogRow, all: &[LogRow]) -> bool {
    let is_measured = MEASURED.iter().any(|begin| line.text.starts_with(begin));
    let is_change = CHANGES.iter().any(|words| line.text.contains(words));
    is_telling(line) && !is_measured && !is_change && !is_said_again(line, all)
}

/// Whether something may be done because of a line.
fn is_telling(line: &LogRow) -> bool {
    let is_last = LAST_WORDS.iter().any(|words| line.text.contains(words));
    is_last || signs::read(&line.text).is_some() || loops::tells(&line.text)
}

fn is_said_again(line: &LogRow, all: &[LogRow]) -> bool {
    let is_near = |other: &LogRow| match (line.at, other.at) {
        (Some(one), Some(other)) => one.abs_diff(other) <= AGAIN,
        _ => true,
    };
    all.iter().any(|other| !std::ptr::eq(other, line) && is_near(other) && is_same(line, other))
}

/// Whether two lines say the same, whatever their numbers.
fn is_same(one: &LogRow, other: &LogRow) -> bool {
    match (signs::read(&one.text), signs::read(&other.text)) {
        (Some(one), Some(other)) => one.cause == other.cause,
        (None, None) => wording(&one.text) == wording(&other.text),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runbook::reading;

    #[test]
    fn what_is_said_once_is_not_believed() {
        let check = |text: &str, expect: usize| {
            let all = reading::logs(&format!("logs\n{text}"));
            assert_eq!((lines(&all).len(), strays(&all).count()), (expect, all.len() - expect), "{text}");
        };
        let killed = |time: &str| format!("{time} ERROR worker pid 7 killed: out of memory\n");
        check(&killed("12:00:00"), 0);
        check(&(killed("12:00:00") + &killed("12:00:15")), 2);
        check(&(killed("12:00:00") + &killed("12:05:00")), 0);
        check("12:00:00 ERROR Server be/web-1 is DOWN, reason: Layer7 wrong status, code: 404\n", 1);
        // What says nothing of a cause, and what was measured, stays.
        check("12:00:00 WARN  client reads slowly\n", 1);
        check("12:00:00 WARN  cgroup: db-1 throttled: its CPU quota is 22% of the usual and used up\n", 1);
    }
}
