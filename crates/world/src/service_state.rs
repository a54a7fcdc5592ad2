//! The state of a service beyond its settings and processes: tables, replicas, disks, entries, messages. Faults
//! set it; most of it is cleared by a restart of the service, the rest by time or by room.

use serde::{Deserialize, Serialize};

/// One aspect of a service's own state. Setting one gives the old.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServiceState {
    /// A database's replica is gone; reads fall back to the primary until a restart brings it back.
    Replica {
        /// Whether it is gone.
        lost: bool,
    },
    /// The replica falls behind the primary; reads find old rows. A restart lets it catch up.
    Lag {
        /// Seconds that it loses each second.
        per_s: f64,
    },
    /// Reads and writes take longer on the volume, until a restart mounts another.
    Disk {
        /// The factor; 1 is full speed.
        factor: f64,
    },
    /// Something fills the disk. What was written stays.
    Filling {
        /// How fast, in GB per second.
        gb_per_s: f64,
        /// How much is still to come, in GB.
        left: f64,
    },
    /// Dead rows, and whether an old transaction keeps them from being cleaned up until a restart ends it.
    Rows {
        /// Their share, in percent.
        bloat: f64,
        /// Whether they must be kept.
        pinned: bool,
    },
    /// Clients that have lost their connection and want another.
    Clients {
        /// How many.
        waiting: f64,
    },
    /// What a cache holds.
    Entries {
        /// In MB.
        held: f64,
    },
    /// Messages that wait for delivery.
    Messages {
        /// How many.
        ready: f64,
    },
    /// Messages that can never be processed.
    Poison {
        /// Their share of what is published.
        share: f64,
    },
    /// A canary that gets traffic and is not ready for it.
    Canary {
        /// Its share of the requests.
        share: f64,
    },
    /// A session holds a lock on a table, and all who write to it wait behind it, until a restart ends the session.
    Lock {
        /// How long a write waits, in seconds.
        wait_s: f64,
    },
    /// Pages whose checksum is wrong: whatever reads one loses its session. Recovery after a restart repairs them.
    Pages {
        /// The share of the statements that come across one.
        share: f64,
    },
    /// Two servers take writes, and reads miss what was written at the other, until a restart fences one of them.
    Twofold {
        /// The share of the reads that miss something.
        share: f64,
    },
    /// A smaller server took over as the primary, until a restart hands back.
    Primary {
        /// Its size, as a share of the usual one.
        size: f64,
    },
    /// No transaction ids are left, and no writes are taken, until a vacuum has freed some.
    Ids {
        /// Whether they are used up.
        used_up: bool,
    },
    /// Statistics are out of date and plans are bad, until tables are analysed again.
    Plans {
        /// How many times as long a read through an index takes.
        factor: f64,
    },
    /// The third party that messages are settled with is slow or fails.
    Provider {
        /// How many times as long settling takes.
        slow: f64,
        /// The share of attempts that it fails beyond the usual.
        errors: f64,
    },
}
