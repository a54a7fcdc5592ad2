//! How far a long piece of work is: a bar on a terminal, a line every few seconds elsewhere.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::say;

const EVERY: Duration = Duration::from_secs(5);

/// Tells a person how far it is. Standard output is left alone.
pub struct Progress {
    bar: Option<ProgressBar>,
    what: &'static str,
    all: usize,
    done: usize,
    failed: usize,
    began: Instant,
    told: Instant,
}

impl Progress {
    /// Begins to count `all` of something, named in the plural.
    pub fn new(what: &'static str, all: usize) -> Progress {
        let bar = io::stderr().is_terminal().then(|| bar(what, all));
        Progress { bar, what, all, done: 0, failed: 0, began: Instant::now(), told: Instant::now() }
    }

    /// One more is done.
    pub fn step(&mut self, ok: bool) {
        self.done += 1;
        self.failed += usize::from(!ok);
        match &self.bar {
            Some(bar) => {
                bar.inc(1);
                if !ok {
                    bar.set_message(format!("{} failed", self.failed));
                }
            }
            None if self.told.elapsed() >= EVERY => {
                self.told = Instant::now();
                say::note(&format!("{} of {} {}, {} failed", self.done, self.all, self.what, self.failed));
            }
            None => {}
        }
    }

    /// Tells what happens meanwhile, also when nothing is done yet: beside the bar, or every few seconds with the time since the
    /// beginning.
    pub fn note(&mut self, what: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(what.to_string()),
            None if self.told.elapsed() >= EVERY => {
                self.told = Instant::now();
                let secs = self.began.elapsed().as_secs();
                say::note(&format!("{} of {} {} after {secs} s: {what}", self.done, self.all, self.what));
            }
            None => {}
        }
    }

    /// So many of so many are done.
    pub fn at(&mut self, done: usize, all: usize) {
        (self.done, self.all) = (done, all);
        match &self.bar {
            Some(bar) => {
                bar.set_length(all as u64);
                bar.set_position(done as u64);
            }
            None if self.told.elapsed() >= EVERY => {
                self.told = Instant::now();
                say::note(&format!("{done} of {all} {}", self.what));
            }
            None => {}
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(what: &str, all: usize) -> ProgressBar {
    let template = format!("{{bar:40}} {{pos}}/{{len}} {what}, {{elapsed}} so far, {{eta}} left {{msg}}");
    let style = ProgressStyle::with_template(&template).expect("the template is valid").progress_chars("█▉▊▋▌▍▎▏ ");
    ProgressBar::new(all as u64).with_style(style)
}
