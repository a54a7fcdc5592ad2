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
    /// The first tier comes up anew with so many connections to the database.
    Pool(&'static str),
    /// The balancer sends this share of its calls to a port where nothing listens.
    Gone(f64),
    /// A process of a service is killed.
    Kill(&'static str, usize),
    /// It is started again.
    Start(&'static str, usize),
    /// Others hold so many of the database's connections.
    Hold(f64),
    /// The cache forgets everything.
    Flush,
    /// This share of the consumers of the queue is dead.
    Lost(f64),
}

/// A queue that takes the requests instead of the tiers.
#[derive(Clone, Copy)]
pub struct Queue {
    pub consumers: f64,
    pub work_s: f64,
    /// The most messages that waited, and the second at which none did again, as recorded.
    pub peak: f64,
    pub empty: f64,
}

/// One recording.
pub struct Recording {
    pub name: &'static str,
    pub rate: f64,
    /// Workers and work (mean in ms, variation) of each tier, the first nearest to the users.
    pub tiers: &'static [(f64, f64, f64)],
    /// A database behind the last tier: connections, work and variation, the share of requests that ask it.
    pub database: Option<(f64, f64, f64, f64)>,
    /// Whether a cache stands before the database, so that what it does not find asks there.
    pub cache: bool,
    pub queue: Option<Queue>,
    /// Instances of the first tier.
    pub instances: usize,
    /// How often clients send one request at most, and after how many seconds again.
    pub tries: usize,
    pub again_s: f64,
    /// Parameters of services that are others than those of all.
    pub params: &'static [(&'static str, &'static str, f64)],
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
    cache: false,
    queue: None,
    instances: 1,
    tries: 1,
    again_s: 0.05,
    params: &[("database", "acquire_s", 1.0)],
    writes: false,
    patience: 5.0,
    deadline: 60.0,
    seconds: 105,
    turns: &[],
};

const fn load(name: &'static str, rate: f64, seconds: u64) -> Recording {
    Recording { name, rate, tiers: &[(8.0, 81.2, 1.0)], database: None, patience: 30.0, seconds, ..STORE }
}

/// Clients that send a request four times and wait half a second for each answer.
const fn retries(name: &'static str, seconds: u64, turns: &'static [(u64, Turn)]) -> Recording {
    Recording {
        name,
        rate: 58.0,
        tiers: &[(8.0, 101.2, 0.5)],
        database: None,
        patience: 0.5,
        tries: 4,
        params: &[("edge", "reconnect_s", 1.0)],
        seconds,
        turns,
        ..STORE
    }
}

/// haproxy asks every second whether a backend is well, which waits for a thread as a request does, and connects once more
/// after a second to one that refuses.
const HAPROXY: &[(&str, &str, f64)] = &[
    ("edge", "check_s", 1.0),
    ("edge", "fall", 2.0),
    ("edge", "rise", 2.0),
    ("edge", "check_wait_s", 1.0),
    ("edge", "reconnect_s", 1.0),
];

/// All that are compared.
pub const RECORDINGS: &[Recording] = &[
    load("load_50", 48.9, 40),
    load("load_85", 83.6, 40),
    load("load_90", 88.02, 40),
    load("load_98", 95.84, 40),
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
    Recording { name: "wrong_port", seconds: 75, turns: &[(25, Turn::Gone(1.0)), (50, Turn::Gone(0.0))], ..STORE },
    Recording {
        name: "queue_consumers",
        rate: 70.0,
        tiers: &[],
        database: None,
        queue: Some(Queue { consumers: 8.0, work_s: 0.08, peak: 820.0, empty: 84.0 }),
        patience: 60.0,
        seconds: 120,
        turns: &[(25, Turn::Lost(0.5)), (60, Turn::Lost(0.0))],
        ..STORE
    },
    Recording {
        name: "redis_auth",
        // The lookup is no part of the work here.
        tiers: &[(16.0, 60.0, 0.5)],
        cache: true,
        seconds: 110,
        turns: &[
            (40, Turn::Set("cache", "AUTH_TOKEN_VALID", "false")),
            (75, Turn::Set("cache", "AUTH_TOKEN_VALID", "true")),
        ],
        ..STORE
    },
    Recording {
        name: "pool_small",
        seconds: 110,
        turns: &[(25, Turn::Pool("2")), (50, Turn::Pool("1")), (75, Turn::Pool("4"))],
        ..STORE
    },
    Recording {
        name: "backend_down",
        rate: 60.0,
        database: None,
        seconds: 60,
        params: HAPROXY,
        turns: &[(20, Turn::Kill("app_0", 0)), (40, Turn::Start("app_0", 0))],
        ..STORE
    },
    retries("retry_x115", 75, &[(20, Turn::Load(1.15)), (35, Turn::Load(1.0))]),
    retries("retry_x13", 75, &[(20, Turn::Load(1.3)), (35, Turn::Load(1.0))]),
    retries(
        "retry_x15",
        110,
        &[(20, Turn::Load(1.5)), (35, Turn::Load(1.0)), (75, Turn::Kill("app_0", 0)), (76, Turn::Start("app_0", 0))],
    ),
    retries(
        "retry_shed",
        95,
        &[
            (20, Turn::Load(1.5)),
            (35, Turn::Load(1.0)),
            (49, Turn::Load(0.2)),
            (50, Turn::Kill("app_0", 0)),
            (51, Turn::Start("app_0", 0)),
            (65, Turn::Load(1.0)),
        ],
    ),
    Recording {
        // The proxy let 8 through at once and kept others for 0.3 s: as many as 8 threads work off in that time.
        params: &[("edge", "reconnect_s", 1.0), ("app_0", "backlog", 23.7)],
        ..retries("retry_lbqueue", 80, &[(20, Turn::Load(1.5)), (35, Turn::Load(1.0))])
    },
    Recording {
        name: "max_connections",
        // A statement that opens its own connection takes 5 ms more.
        database: Some((16.0, 59.0, 0.7, 0.3)),
        params: &[("database", "refuses", 1.0)],
        seconds: 95,
        turns: &[(25, Turn::Hold(14.0)), (45, Turn::Hold(16.0)), (65, Turn::Hold(0.0))],
        ..STORE
    },
    Recording {
        name: "proxy_timeout",
        seconds: 80,
        turns: &[
            (25, Turn::Set("edge", "IDLE_TIMEOUT_MS", "100")),
            (55, Turn::Set("edge", "IDLE_TIMEOUT_MS", "10000")),
        ],
        ..STORE
    },
    Recording {
        name: "enospc_wal",
        writes: true,
        params: &[("database", "acquire_s", 1.0), ("database", "reconnect_s", 1.0)],
        seconds: 100,
        turns: &[(25, Turn::Kill("database", 0)), (62, Turn::Start("database", 0))],
        ..STORE
    },
    Recording {
        name: "cold_cache",
        tiers: &[(24.0, 40.0, 0.5)],
        database: Some((3.0, 61.0, 0.7, 0.05)),
        cache: true,
        patience: 3.0,
        params: &[("database", "acquire_s", 1.0), ("cache", "keys", 2000.0), ("cache", "zipf", 0.9)],
        seconds: 140,
        turns: &[(25, Turn::Flush)],
        ..STORE
    },
    Recording {
        name: "workers_half",
        rate: 110.0,
        tiers: &[(8.0, 81.2, 0.5)],
        database: None,
        instances: 2,
        patience: 3.0,
        params: HAPROXY,
        seconds: 100,
        turns: &[(25, Turn::Kill("app_0", 1)), (65, Turn::Start("app_0", 1))],
        ..STORE
    },
];
