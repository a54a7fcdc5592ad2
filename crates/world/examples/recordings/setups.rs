//! What was recorded, and how the programs were set up.

/// What happens at a time.
#[derive(Clone, Copy)]
pub enum Turn {
    /// The load is multiplied.
    Load(f64),
    /// The database's work takes so many times as long.
    Slow(f64),
    /// Statements wait behind a lock, for so many seconds.
    Lock(f64),
    /// A setting of a service takes a value.
    Set(&'static str, &'static str, &'static str),
}

/// One recording.
pub struct Recording {
    pub name: &'static str,
    pub rate: f64,
    /// Workers and work (mean in ms, variation) of each tier, the first nearest to the users.
    pub tiers: &'static [(f64, f64, f64)],
    /// A database behind the last tier: connections, work and variation, the share of requests that ask it.
    pub database: Option<(f64, f64, f64, f64)>,
    /// Whether its statements write.
    pub writes: bool,
    /// Seconds after which clients give up, and servers on what they call.
    pub patience: f64,
    pub deadline: f64,
    pub seconds: u64,
    /// What happens, and at which second.
    pub turns: &'static [(u64, Turn)],
}

/// A server of 16 threads, three tenths of whose requests ask a database with four connections.
const STORE: Recording = Recording {
    name: "",
    rate: 100.0,
    tiers: &[(16.0, 61.2, 0.5)],
    database: Some((4.0, 54.0, 0.7, 0.3)),
    writes: false,
    patience: 5.0,
    deadline: 60.0,
    seconds: 105,
    turns: &[],
};

const fn load(name: &'static str, rate: f64, seconds: u64) -> Recording {
    Recording { name, rate, tiers: &[(8.0, 81.2, 1.0)], database: None, patience: 30.0, seconds, ..STORE }
}

/// All that are compared.
pub const RECORDINGS: &[Recording] = &[
    load("load_50", 48.9, 40),
    load("load_85", 83.6, 40),
    load("load_90_long", 88.6, 240),
    load("load_98_long", 96.55, 240),
    Recording { name: "slow_db_x2", turns: &[(25, Turn::Slow(2.0)), (65, Turn::Slow(1.0))], ..STORE },
    Recording { name: "slow_db_x3", turns: &[(25, Turn::Slow(3.0)), (65, Turn::Slow(1.0))], ..STORE },
    Recording {
        name: "lock_held",
        writes: true,
        seconds: 100,
        turns: &[(25, Turn::Lock(30.0)), (55, Turn::Lock(0.0))],
        ..STORE
    },
    Recording {
        name: "enospc",
        writes: true,
        seconds: 110,
        turns: &[
            (39, Turn::Set("database", "DISK_QUOTA_GB", "20")),
            (60, Turn::Set("database", "DISK_QUOTA_GB", "240")),
        ],
        ..STORE
    },
    Recording {
        name: "two_tier",
        rate: 55.0,
        tiers: &[(24.0, 11.2, 0.5), (8.0, 101.2, 0.5)],
        database: None,
        patience: 4.0,
        deadline: 2.0,
        seconds: 130,
        turns: &[(25, Turn::Load(1.84)), (65, Turn::Load(1.0))],
        ..STORE
    },
    Recording {
        name: "retry_none_x15",
        rate: 58.0,
        tiers: &[(8.0, 101.2, 0.5)],
        database: None,
        patience: 0.5,
        seconds: 75,
        turns: &[(20, Turn::Load(1.5)), (35, Turn::Load(1.0))],
        ..STORE
    },
    Recording {
        name: "tls_expired",
        rate: 60.0,
        tiers: &[(16.0, 61.2, 0.5)],
        database: None,
        seconds: 60,
        turns: &[(20, Turn::Set("edge", "TLS_CERT_VALID", "false")), (40, Turn::Set("edge", "TLS_CERT_VALID", "true"))],
        ..STORE
    },
];
