//! What a load balancer is set by, what is measured of it, and what it writes.

use crate::config::{self, Bad, flag, int, path};
use crate::flow::Reason;
use crate::services::{self, Level};
use crate::services::{Template, Unit, error, metric, table, usual, warn};

table! {
    /// What it is set by.
    pub(super) enum Key of config::Key {
        HealthCheckPath = path("HEALTH_CHECK_PATH", "/healthz")
            .about("path that is asked to see whether a backend is well")
            .hurts(Bad::Is("/status"), "health_check_path"),
        MaxConnections = int("MAX_CONNECTIONS", 50, 200_000, "connections", "2000")
            .about("client connections held open at once; more are refused")
            .roomy(4.0)
            .hurts(Bad::Times(0.25), "connection_limit"),
        StickySessions = flag("STICKY_SESSIONS", "false")
            .about("send a client that presents a session cookie to the same backend every time")
            .hurts(Bad::Is("true"), "sticky_sessions"),
        WebWeightPrimary = int("WEB_WEIGHT_PRIMARY", 0, 100, "percent of the traffic", "50")
            .about("share of the first backend where weights are used; the others divide the rest")
            .hurts(Bad::Is("100"), "backend_weight"),
        IdleTimeoutMs = int("IDLE_TIMEOUT_MS", 100, 7_200_000, "milliseconds", "120000")
            .about("close a connection on which nothing moved for so long")
            .roomy(2.0)
            .spare(2.2)
            .hurts(Bad::Times(0.125), "idle_timeout"),
        TlsCertValid = flag("TLS_CERT_VALID", "true")
            .about("whether the certificate installed here is valid; clients see it where TLS ends here")
            .runs_out("tls_expired"),
    }
}

table! {
    /// What is measured of it.
    pub(super) enum Metric of services::Metric {
        RequestRate = metric("request_rate", Unit::PerSecond, 10.0),
        Backend5xxRate = metric("backend_5xx_rate", Unit::Ratio, 0.01),
        HealthyBackends = metric("healthy_backends", Unit::Count, 0.5).of_any_size(),
        ConnectionUtilizationPct = metric("connection_utilization_pct", Unit::Percent, 8.0).exact(),
        P95LatencyMs = metric("p95_latency_ms", Unit::Millis, 60.0).percentile(),
        BackendSkewPct = metric("backend_skew_pct", Unit::Percent, 10.0),
        EdgeResetRate = metric("edge_reset_rate", Unit::Ratio, 0.0003),
        EdgeTimeoutRate = metric("edge_timeout_rate", Unit::Ratio, 0.005),
        TlsHandshakeErrorRate = metric("tls_handshake_error_rate", Unit::Ratio, 0.01),
        RefusedConnectionsRate = metric("refused_connections_rate", Unit::Ratio, 0.01),
        OpenFilesPct = metric("open_files_pct", Unit::Percent, 10.0).exact(),
    }
}

table! {
    /// What it writes into its log.
    pub(super) enum Log of Template {
        Access = usual(Level::Info, "access",
            "{ip} fe be/{backend} {timers} {status} {flags} \"{path} HTTP/1.1\" id={id}"),
        // What scanners send who speak no HTTP.
        BadRequest = usual(Level::Info, "bad_request", "{ip} fe fe/<NOSRV> -1/-1/-1/-1/0 400 PR-- \"<BADREQ>\""),
        ClientGone = usual(Level::Warn, "client_gone",
            "{ip} fe be/{backend} 0/0/0/{ms}/{ms} 200 CD-- \"{path} HTTP/1.1\" id={id}")
            .only().answered(),
        HealthFail = error("health_fail",
            "Server be/{server:wrong_status} is DOWN, reason: Layer7 wrong status, code: 404, info: \"Not Found\", check duration: 1ms. {left:healthy} active and 0 backup servers left.")
            .once(),
        HealthRefused = error("health_refused",
            "Server be/{server:refused} is DOWN, reason: Layer4 connection problem, info: \"Connection refused\", check duration: 0ms. {left:healthy} active and 0 backup servers left.")
            .once(),
        NoServer = error("no_server", "backend be has no server available!").once(),
        HealthPassed = usual(Level::Info, "health_passed",
            "Server be/{server:passed} is UP, reason: Layer7 check passed, code: 200, check duration: 1ms. {back:healthy} active and 0 backup servers online. 0 sessions requeued, 0 total in queue.")
            .once(),
        NoBackend = error("no_backend", "{ip} fe be/<NOSRV> 0/-1/-1/-1/0 503 SC-- \"{path} HTTP/1.1\" id={id}").of(Reason::NoBackend).only(),
        BadGateway = error("bad_gateway",
            "{ip} fe be/{backend} {timers} {status} {flags} \"{path} HTTP/1.1\" id={id}").only(),
        Unavailable = error("unavailable",
            "{ip} fe be/{backend} {timers} {status} {flags} \"{path} HTTP/1.1\" id={id}")
            .of(Reason::Overloaded).only(),
        GatewayTimeout = error("gateway_timeout",
            "{ip} fe be/{backend} {timers} {status} {flags} \"{path} HTTP/1.1\" id={id}")
            .of(Reason::TimedOut).only(),
        ConnLimit = error("conn_limit",
            "Proxy fe reached the configured maximum connection limit. Please check the global 'maxconn' value."),
        ConnHigh = warn("conn_high", "stats: fe scur at {=connections_pct}% of slim {MAX_CONNECTIONS}"),
        // The head of the answer was sent at once, and then nothing.
        IdleReset = error("idle_reset",
            "{ip} fe be/{backend} 0/0/0/1/{ms} 200 sD-- \"{path} HTTP/1.1\" id={id}")
            .of(Reason::IdleReset).only(),
        Tls = error("tls",
            "{ip} fe/1: SSL handshake failure (error:0A000416:SSL routines::sslv3 alert certificate unknown)"),
        SkewSticky = warn("skew_sticky",
            "stats: be/{server:busiest} takes {=busiest_pct}% of the sessions of be, by cookie"),
        SkewWeight = warn("skew_weight",
            "stats: be/{server:busiest} takes {=busiest_pct}% of the sessions of be, by weight"),
        TooMany = warn("too_many", "{ip} fe be/{backend} {timers} {status} {flags} \"{path} HTTP/1.1\" id={id}")
            .of(Reason::RateLimited).only(),
        Canary = error("canary", "{ip} fe be_canary/{backend} {timers} {status} {flags} \"{path} HTTP/1.1\" id={id}")
            .only(),
    }
}

table! {
    /// What its lines tell of.
    pub(super) enum Gauge of services::Gauge {
        Healthy = services::Gauge("healthy"),
        ConnectionsPct = services::Gauge("connections_pct"),
        BusiestPct = services::Gauge("busiest_pct"),
        Busiest = services::Gauge("busiest"),
        WrongStatus = services::Gauge("wrong_status"),
        Refused = services::Gauge("refused"),
        Passed = services::Gauge("passed"),
    }
}
