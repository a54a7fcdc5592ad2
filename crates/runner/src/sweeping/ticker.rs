//! How far a sweep is, told while it runs: a bar on a terminal, a line now and then elsewhere.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::live::{Live, LiveState, Traffic};
use crate::say;

const BAR: Duration = Duration::from_millis(200);
const LINE: Duration = Duration::from_secs(5);
/// A line is told although nothing changed, so that one sees that the program lives.
const SIGN_OF_LIFE: Duration = Duration::from_secs(60);

/// Tells a person how far it is, until it is finished. Standard output is left alone.
pub struct Ticker {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Ticker {
    /// Begins to tell.
    pub fn new(live: &Live) -> Ticker {
        let (live, (stop, stopped)) = (live.clone(), mpsc::channel());
        let every = if io::stderr().is_terminal() { BAR } else { LINE };
        let thread = thread::spawn(move || {
            let mut teller = Teller::new(io::stderr().is_terminal());
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                teller.tell(&live.look());
            }
            teller.finish(&live.look());
        });
        Ticker { stop, thread }
    }

    /// Takes the bar away and says what was not seen.
    pub fn finish(self) {
        drop(self.stop);
        // A bar that cannot be drawn is no reason to lose a run.
        let _ = self.thread.join();
    }
}

struct Teller {
    bar: Option<ProgressBar>,
    told: String,
    told_at: Instant,
    /// Messages that were told.
    messages: usize,
}

impl Teller {
    fn new(terminal: bool) -> Teller {
        let style = || ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}").expect("the template is valid");
        let bar = terminal.then(|| ProgressBar::new(0).with_style(style().progress_chars("█▉▊▋▌▍▎▏ ")));
        Teller { bar, told: String::new(), told_at: Instant::now(), messages: 0 }
    }

    fn tell(&mut self, state: &LiveState) {
        let text = state.line();
        match &self.bar {
            Some(bar) => {
                // Nothing is played before what was finished is checked.
                let (done, all) = if state.all == 0 { state.checked } else { (state.over(), state.all) };
                bar.set_length(all as u64);
                bar.set_position(done as u64);
                bar.set_message(text);
            }
            None if text != self.told || self.told_at.elapsed() >= SIGN_OF_LIFE => {
                let played = (state.all > 0).then(|| format!("{} of {} episodes", state.over(), state.all));
                let parts: Vec<&str> =
                    played.iter().map(String::as_str).chain([&*text]).filter(|p| !p.is_empty()).collect();
                if !parts.is_empty() {
                    say::note(&parts.join(", "));
                }
                (self.told, self.told_at) = (text, Instant::now());
            }
            None => {}
        }
        self.messages(state);
    }

    /// Doubts concern every user; the rest is in the log.
    fn messages(&mut self, state: &LiveState) {
        if let Some(text) = state.doubted(self.messages) {
            match &self.bar {
                Some(bar) => bar.suspend(|| say::note(&text)),
                None => say::note(&text),
            }
            self.messages = state.doubts.len();
        }
    }

    fn finish(&mut self, state: &LiveState) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.messages(state);
    }
}

impl LiveState {
    /// What is not believed, from this doubt on.
    pub fn doubted(&self, from: usize) -> Option<String> {
        let first = self.doubts.get(from)?;
        let more = match self.doubts.len() - from - 1 {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        Some(format!("played again: {}: {}{more}", first.key, first.why))
    }

    /// What is worth knowing, in one line: time left, spend, errors.
    pub fn line(&self) -> String {
        let mut parts = Vec::new();
        if let (done, all) = self.checked
            && done < all
        {
            parts.push(format!("{done} of {all} finished episodes checked"));
        }
        if let Some(left) = self.left().filter(|_| self.over() < self.all) {
            parts.push(format!("{} left", time(left)));
        }
        if self.failed > 0 {
            parts.push(format!("{} failed", self.failed));
        }
        if self.missing > 0 {
            parts.push(format!("{} without an answer", self.missing));
        }
        let traffic = self.traffic();
        if traffic.calls + traffic.remembered > 0 {
            let calls = say::count(traffic.calls as usize, "call");
            parts.push(format!(
                "{calls}{}, {} tokens, ${:.2}",
                failed(&traffic),
                short(traffic.usage.total()),
                traffic.cost
            ));
        }
        parts.join(", ")
    }
}

/// How many calls failed and what failed most: ` (12 failed, most by rate_limit)`.
fn failed(traffic: &Traffic) -> String {
    let all: u64 = traffic.faults.values().sum();
    match traffic.faults.iter().max_by_key(|(_, count)| **count) {
        None => String::new(),
        Some((fault, count)) if *count == all => format!(" ({all} failed: {fault})"),
        Some((fault, _)) => format!(" ({all} failed, most by {fault})"),
    }
}

/// `42 s`, `3 min`, `2 h 05 min`.
pub fn time(span: Duration) -> String {
    match span.as_secs() {
        s if s < 100 => format!("{s} s"),
        s if s < 6000 => format!("{} min", s / 60),
        s => format!("{} h {:02} min", s / 3600, s / 60 % 60),
    }
}

/// `950`, `12.3 k`, `4.5 M`.
pub fn short(number: u64) -> String {
    match number {
        n if n < 10_000 => n.to_string(),
        n if n < 10_000_000 => format!("{:.1} k", n as f64 / 1e3),
        n => format!("{:.1} M", n as f64 / 1e6),
    }
}
