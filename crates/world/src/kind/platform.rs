//! What the platform under a service writes into its log, whatever its kind.

use super::{Level, Template};

/// Lines beyond those of the kinds, in the order in which [`crate::platform`] notes them.
pub(crate) const PLATFORM_LINES: &[Template] = &[
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
