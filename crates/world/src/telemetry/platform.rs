//! What the platform under a service writes into its log, whatever its kind.

use crate::services::{Level, Template};
use crate::world::{BUSY_NODE, World};

/// Lines beyond those of the kinds, in the order of [`World::platform_lines`].
pub(crate) const LINES: &[Template] = &[
    line(
        "crash_loop",
        Level::Error,
        "supervisor: {instance} exited with code 1 soon after its start, back-off {20..60}s",
    ),
    line(
        "busy_node",
        Level::Warn,
        "node agent: {instance} waits for CPU, steal {35..85}% from another tenant of the machine",
    ),
    line("throttled", Level::Warn, "cgroup: {instance} throttled in {70..99}% of periods, its CPU quota is used up"),
    line("clock", Level::Error, "time sync: clock of {instance} differs from the time server, last sync {2..30}h ago"),
    line(
        "open_files",
        Level::Warn,
        "{instance} uses {80..100}% of the file descriptors it may open, most of them never closed",
    ),
    line("accept", Level::Error, "{instance} accept failed: too many open files"),
    line(
        "slow_path",
        Level::Warn,
        "tcp: round trip of {instance} to a peer is {120..900}ms on long-lived connections, new ones are fast",
    ),
    line(
        "lossy_path",
        Level::Warn,
        "tcp: {instance} retransmits {4..40}% of segments to a peer on long-lived connections",
    ),
    line(
        "old_address",
        Level::Error,
        "resolver: {instance} uses a cached address of a peer that moved, connect refused",
    ),
];

const fn line(name: &'static str, level: Level, text: &'static str) -> Template {
    Template { name, level, chatter: false, text }
}

/// Lines of each sort between two scrapes.
const OFTEN: f32 = 3.0;

/// How often a template was printed between two scrapes, from the events of its service.
pub(crate) fn printed(events: &[f32], template: usize) -> f32 {
    let own = events.len() - 1;
    if template < own {
        return events[template];
    }
    let bits = events[own] as u16;
    if bits >> (template - own) & 1 == 1 { OFTEN } else { 0.0 }
}

impl World {
    /// Notes in the last of each service's events which of the platform's lines it prints: one bit for each.
    pub(crate) fn note_platform(&mut self) {
        if !self.disturbed {
            return;
        }
        for service in 0..self.plan.services.len() {
            let lines = self.platform_lines(service);
            let bits = lines.iter().rev().fold(0u16, |bits, &on| bits << 1 | u16::from(on));
            self.row[self.plan.services[service].events.end - 1] = f32::from(bits);
        }
    }

    /// Which of the lines a service prints now.
    fn platform_lines(&self, service: usize) -> [bool; LINES.len()] {
        let mut lines = [false; LINES.len()];
        let release = &self.releases[service];
        lines[0] = release.running.dies_after > 0.0;
        lines[2] = release.quota < 1.0;
        for instance in self.fleet.of(service) {
            lines[1] |= self.slow_nodes[instance.node] > BUSY_NODE;
            lines[3] |= instance.process.skew != 0.0;
            lines[4] |= instance.process.files() > 0.8;
            lines[5] |= instance.process.starved() > 0.0;
        }
        for link in self.links.iter().filter(|l| l.from == service && !l.is_sound()) {
            lines[6] |= link.delay > 0.0;
            lines[7] |= link.loss > 0.0;
            lines[8] |= link.gone > 0.0;
        }
        lines
    }
}
