//! A file of a subsystem, and changes of it.

use world::Seed;
use world::rng::Stream;

use super::{Decision, Subsystem};
use crate::diff::{DiffHunk, FileDiff};

/// How a decision stands in a file: as it was (none), or in one of its forms.
pub(super) type Stand = Option<usize>;

/// A subsystem with its names drawn, and the decisions that are shown, in order.
pub(super) struct ChangeDraft<'a> {
    pub(super) subsystem: &'a Subsystem,
    pub(super) shown: Vec<usize>,
    pub(super) service: &'static str,
    peer: &'static str,
    team: &'static str,
    stream: Stream,
}

const SERVICES: [&str; 24] = [
    "billing", "catalog", "search", "orders", "accounts", "media", "reports", "mailer", "ledger", "stock", "pricing",
    "checkout", "returns", "loyalty", "routing", "tickets", "parcels", "invoices", "profiles", "reviews", "vouchers",
    "wallet", "fleet", "menus",
];
const TEAMS: [&str; 8] = ["north", "harbor", "atlas", "willow", "quartz", "ember", "meadow", "delta"];

/// A service, another one that it talks to, and a team, as a seed draws them.
pub(crate) fn names(seed: Seed) -> [&'static str; 3] {
    let stream = seed.stream("draft");
    let service = stream.at(0).below(SERVICES.len() as u64) as usize;
    let peer = (service + 1 + stream.at(1).below(SERVICES.len() as u64 - 1) as usize) % SERVICES.len();
    [SERVICES[service], SERVICES[peer], TEAMS[stream.at(2).below(TEAMS.len() as u64) as usize]]
}

impl<'a> ChangeDraft<'a> {
    /// Draws names, and which `count` decisions are shown.
    pub(super) fn new(subsystem: &'a Subsystem, count: usize, seed: Seed) -> Self {
        let stream = seed.stream("draft");
        let [service, peer, team] = names(seed);
        let mut shown: Vec<usize> = (0..subsystem.decisions.len()).collect();
        crate::ask::shuffle(&mut shown, seed, "shown");
        shown.truncate(count);
        ChangeDraft { subsystem, shown, service, peer, team, stream }
    }

    /// A whole number below `bound`, by its place.
    pub(super) fn draw(&self, place: u64, bound: u64) -> u64 {
        self.stream.at(100 + place).below(bound)
    }

    /// The decision shown at a place.
    pub(super) fn decision(&self, place: usize) -> &'a Decision {
        &self.subsystem.decisions[self.shown[place]]
    }

    /// The file's path.
    pub(super) fn path(&self, subsystem: &Subsystem) -> String {
        self.named(&subsystem.path)
    }

    fn named(&self, text: &str) -> String {
        let mut capital = self.service.to_string();
        capital[..1].make_ascii_uppercase();
        let named = text.replace("{service}", self.service).replace("{Service}", &capital);
        named.replace("{peer}", self.peer).replace("{team}", self.team)
    }

    /// The change from one state of the shown decisions to another, the whole file in one hunk.
    pub(super) fn change(&self, before: &[Stand], after: &[Stand]) -> FileDiff {
        let mut lines = self.context(&self.subsystem.top);
        for (place, (before, after)) in before.iter().zip(after).enumerate() {
            if before == after {
                lines.extend(self.signed(' ', place, *before));
            } else {
                lines.extend(self.signed('-', place, *before));
                lines.extend(self.signed('+', place, *after));
            }
        }
        lines.extend(self.context(&self.subsystem.bottom));
        FileDiff { path: self.path(self.subsystem), hunks: vec![DiffHunk::of(1, lines)], is_special: false }
    }

    /// Lines of the file that no decision is about.
    pub(super) fn context(&self, lines: &[String]) -> Vec<String> {
        lines.iter().map(|line| format!(" {}", self.named(line))).collect()
    }

    /// The lines of a decision as it stands, with a sign.
    pub(super) fn signed(&self, sign: char, place: usize, stand: Stand) -> Vec<String> {
        let decision = self.decision(place);
        let text = stand.map_or(decision.old.as_str(), |form| decision.form(form));
        text.lines().map(|line| format!("{sign}{line}")).collect()
    }

    /// How a comment begins in this file.
    pub(super) fn comment(&self) -> &'static str {
        match self.subsystem.path.rsplit_once('.').map_or("", |(_, ending)| ending) {
            "rs" | "go" => "//",
            "sql" => "--",
            _ => "#",
        }
    }
}
