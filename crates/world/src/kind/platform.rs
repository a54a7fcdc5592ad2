//! What the platform under a service writes into its log, whatever its kind.

use super::about::plain;
use super::{Gauge, Level, Template};

/// Lines beyond those of the kinds, in the order in which [`crate::platform`] notes them.
pub(crate) const PLATFORM_LINES: &[Template] = &[
    line(
        "crash_loop",
        Level::Error,
        "supervisor: {instance} exited with code 1 soon after its start, back-off before the next",
    ),
    line(
        "busy_node",
        Level::Warn,
        "node agent: {instance} waits for CPU, steal {=steal_pct}% from another tenant of the machine",
    ),
    line(
        "throttled",
        Level::Warn,
        "cgroup: {instance} throttled: its CPU quota is {=quota_pct}% of the usual and used up",
    ),
    line("clock", Level::Error, "time sync: clock of {instance} is {=skew_s}s off the time server, no sync"),
    line(
        "open_files",
        Level::Warn,
        "{instance} uses {=files_pct}% of the file descriptors it may open, most of them never closed",
    ),
    line("accept", Level::Error, "{instance} accept failed: too many open files"),
    line(
        "slow_path",
        Level::Warn,
        "tcp: round trip of {instance} to a peer is {=path_ms}ms on long-lived connections, new ones are fast",
    ),
    line(
        "lossy_path",
        Level::Warn,
        "tcp: {instance} retransmits {=path_loss_pct}% of segments to a peer on long-lived connections",
    ),
    line(
        "old_address",
        Level::Error,
        "resolver: {instance} uses a cached address of a peer that moved, connect refused",
    ),
];

/// What these lines tell of, behind the gauges of a kind.
pub(crate) const PLATFORM_GAUGES: &[Gauge] = &[
    Gauge("steal_pct"),
    Gauge("quota_pct"),
    Gauge("skew_s"),
    Gauge("files_pct"),
    Gauge("path_ms"),
    Gauge("path_loss_pct"),
];

const fn line(name: &'static str, level: Level, text: &'static str) -> Template {
    plain(name, level, false, text)
}
