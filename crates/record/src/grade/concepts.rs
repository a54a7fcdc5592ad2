//! The concept catalogue: the mechanisms by which things fail, and the words people use for them.
//!
//! A task names the concepts that a right diagnosis holds; a new mechanism is one more entry here.

mod also;
mod frames;
mod further;
mod wider;

/// One mechanism of failure.
#[derive(Clone, Copy, Debug)]
pub struct Concept {
    /// Its name in task files.
    pub name: &'static str,
    /// What it means, in one line.
    pub about: &'static str,
    /// The service that it belongs to by its nature; empty if it can befall any.
    pub home: &'static str,
    /// Configuration keys that stand for it. Naming one names the service that owns it, too.
    pub keys: &'static [&'static str],
    /// Phrases that stand for it, separated by `|`, endings aside; `..` is up to three words of any
    /// kind. The name of a service other than its home is no mention of that service there.
    pub phrases: &'static str,
    /// More general concepts that are named along with it.
    pub implies: &'static [&'static str],
}

impl Concept {
    /// The phrases, one by one.
    pub fn phrases(&self) -> impl Iterator<Item = &'static str> {
        let further = also::of(self.name).split('|').filter(|phrase| !phrase.is_empty());
        self.phrases.split('|').chain(further).map(str::trim)
    }

    /// Whether a configuration key stands for it. An index is called after its table, which differs from place to place.
    pub fn has_key(&self, key: &str) -> bool {
        const INDEX: &str = "INDEX_";
        self.keys.contains(&key) || (key.starts_with(INDEX) && self.keys.iter().any(|own| own.starts_with(INDEX)))
    }
}

/// The frames of a mechanism, see [`frames`].
pub(super) fn frames_of(name: &str) -> impl Iterator<Item = &'static str> {
    let own = frames::FRAMES.iter().chain(further::FURTHER).filter(move |(own, _)| *own == name);
    own.flat_map(|(_, frames)| frames.split('|')).filter(|frame| !frame.trim().is_empty())
}

/// The words of a class of the frames; none if there is no such class.
pub(super) fn class(name: &str) -> &'static str {
    frames::CLASSES.iter().find(|(own, _)| *own == name).map_or("", |(_, words)| words)
}

/// Finds a concept by its name.
pub fn find(name: &str) -> Option<&'static Concept> {
    ALL.iter().find(|concept| concept.name == name)
}

const NONE: Concept = Concept { name: "", about: "", home: "", keys: &[], phrases: "", implies: &[] };

const COUNT: usize = PUBLISHED.len() + wider::WIDER.len();

/// All of them.
pub const ALL: &[Concept] = &{
    let mut all = [NONE; COUNT];
    let mut at = 0;
    while at < COUNT {
        all[at] = if at < PUBLISHED.len() { PUBLISHED[at] } else { wider::WIDER[at - PUBLISHED.len()] };
        at += 1;
    }
    all
};

/// Those of the published incidents.
const PUBLISHED: &[Concept] = &[
    Concept {
        name: "crash",
        about: "the process died and did not come back",
        phrases: "\
            crash | is down | was down | are down | were down | went down | goes down | \
            going down | being down | process down | not running | stopped running | no longer running | died | \
            dying | oom killed | oomkilled | was killed | got killed | been killed | were killed | is dead | \
            was dead | process dead | was terminated | process terminated | has exited | process exited | offline | \
            terminated unexpectedly | exited unexpectedly | it down | lost .. process | fell over | \
            process ended | process vanished | segfault | segmentation fault | core dump | panicked | process .. gone | process .. stopped | \
            stopped unexpectedly | has stopped | had stopped | abgestürzt | abgestuerzt | planté | caído | se cayó",
        ..NONE
    },
    Concept {
        name: "worker_crash",
        about: "worker processes died while the service itself stayed",
        phrases: "\
            worker .. crash | crash .. worker | worker .. died | worker .. dying | worker .. dead | \
            dead .. worker | worker .. killed | worker .. exited | worker .. segfault | worker .. terminated | \
            lost .. worker | worker .. lost | worker .. gone | worker .. not running | no healthy worker | \
            worker are down | worker were down | worker down | worker went down | worker death | \
            worker restart loop | worker process failure | worker process exited | worker process died | \
            worker process crashed | worker process dead | worker process killed | worker .. vanished | \
            worker .. disappeared | worker .. aborted",
        implies: &["crash"],
        ..NONE
    },
    Concept {
        name: "memory_leak",
        about: "memory is taken and never given back",
        phrases: "\
            memory leak | leak .. memory | leaking | leaky | leak | memory .. not released | \
            memory .. never released | memory .. not freed | memory .. never freed | \
            memory .. grows without bound | unbounded memory growth | memory growth | heap growth | \
            heap .. growing | memory .. growing | memory .. keeps growing | memory creep | speicherleck | \
            fuite de mémoire | \
            never released | never freed | not given back | never given back | memory .. climbs | memory .. creeps",
        ..NONE
    },
    Concept {
        name: "memory_limit",
        about: "the memory that the service may use is too small",
        home: "cache",
        keys: &["MAX_MEMORY_MB"],
        phrases: "\
            maxmemory | max memory | maximum memory | memory limit | memory cap | memory .. capped | \
            memory ceiling | memory budget | memory allocation | memory setting | memory pressure | \
            memory exhaustion | memory .. exhausted | memory .. too small | memory .. too low | \
            memory .. undersized | memory .. full | memory .. insufficient | insufficient memory | \
            not enough memory | too little memory | out of memory | short of memory | low memory | \
            lack of memory | memory shortage | memory starved | memory .. saturated | undersized memory | oom | \
            limited to .. mb | ram limit | too little ram | not enough ram | \
            starved .. ram | starved .. memory | starved .. for memory | short on memory | short on ram | capped .. mb | capped .. gb | memory .. cut",
        ..NONE
    },
    Concept {
        name: "eviction",
        about: "live entries are thrown out to make room",
        home: "cache",
        phrases: "\
            evict | eviction | eviction storm | entries .. pushed out | keys .. pushed out | \
            keys .. thrown out | entries .. thrown out | entries .. dropped to make room | \
            working set .. not fit | working set .. doesnt fit | thrash | lru churn | key churn",
        ..NONE
    },
    Concept {
        name: "disk_full",
        about: "no room is left on the disk",
        home: "database",
        keys: &["DISK_QUOTA_GB"],
        phrases: "\
            disk full | full disk | disk .. full | disk .. filled | out of disk | disk quota | \
            low on disk | disk .. exhausted | disk exhaustion | no space left | no disk space | storage full | \
            storage .. full | storage .. exhausted | storage quota | volume full | volume .. full | \
            quota .. reached | quota .. exceeded | quota .. exhausted | enospc | out of space | out of storage | \
            no space .. left | reached .. quota | hit .. quota | ran out of .. space | volume .. filled | no room .. disk",
        ..NONE
    },
    Concept {
        name: "maintenance_mode",
        about: "the service still refuses work because of planned maintenance",
        home: "database",
        keys: &["MAINTENANCE_MODE"],
        phrases: "\
            maintenance mode | maintenance flag | maintenance window | maintenance .. left on | \
            maintenance .. left enabled | maintenance .. still on | under maintenance | in maintenance | \
            maintenance | wartungsmodus",
        ..NONE
    },
    Concept {
        name: "auth_expired",
        about: "clients are refused because their credential is no longer valid",
        home: "cache",
        keys: &["AUTH_TOKEN_VALID"],
        phrases: "\
            auth token | authentication token | access token | token .. expired | expired .. token | \
            token expiry | token expiration | token .. invalid | invalid .. token | token .. not valid | \
            token .. no longer valid | token isnt valid | token .. rejected | stale token | credential .. expired | \
            expired .. credential | credential .. invalid | invalid credential | password expired | \
            token .. out of date | token .. lapsed | token .. ran out | secret .. expired | \
            expired auth | auth .. expired | authentication failure | authentication .. failing | \
            authentication .. failed | auth failure | auth denied | unauthorized | unauthorised | noauth | \
            wrongpass",
        ..NONE
    },
    Concept {
        name: "tls_expired",
        about: "the certificate ran out, handshakes fail",
        home: "load_balancer",
        keys: &["TLS_CERT_VALID"],
        phrases: "\
            tls cert | ssl cert | tls certificate | ssl certificate | https certificate | \
            certificate .. expired | cert .. expired | expired .. certificate | expired .. cert | \
            certificate expiry | certificate expiration | certificate .. invalid | invalid .. certificate | \
            cert .. invalid | certificate .. ran out | certificate .. not valid | certificate isnt valid | cert .. not valid | cert isnt valid | certificate .. not renewed | \
            certificate .. lapsed | cert .. lapsed | cert .. ran out | certificate .. out of date | \
            certificate validity | outdated certificate | certificate .. end date | tls .. expired | ssl .. expired | tls handshake | ssl handshake | \
            handshake failure | handshake .. failing | zertifikat .. abgelaufen | certificat .. expiré | \
            certificado .. caducado | \
            certificate .. no longer valid | cert .. no longer valid | past .. expiry date | certificate .. expires",
        ..NONE
    },
    Concept {
        name: "connection_pool",
        about: "too few pooled connections: callers wait for one or give up",
        home: "database",
        keys: &["DB_POOL_SIZE"],
        phrases: "\
            pool | connection pool | pool size | pool exhaustion | pool .. exhausted | pool .. too small | \
            pool .. full | pool starvation | pooled connection | out of connections | run out of connections | \
            ran out of connections | no free connection | not enough connections | too few connections | \
            connection starvation | connections .. exhausted | connection exhaustion | \
            waiting for a connection | connection slots | verbindungspool | pool de conexiones | \
            pool de connexions",
        ..NONE
    },
    Concept {
        name: "cache_ttl",
        about: "entries live too short (or too long) a time",
        home: "cache",
        keys: &["TTL_SECONDS"],
        phrases: "\
            ttl | time to live | entry lifetime | entries .. expire .. quickly | entries .. expire .. soon | \
            entries .. expire .. early | entries .. expire too | entries .. expire after | \
            keys .. expire .. quickly | keys .. expire too | keys .. expire after | items .. expire too | \
            expires .. every .. seconds | short lifetime | short expiry | expiry .. too short | \
            expiration .. too short | expiry .. too low | expiration time | lifetime .. too short | \
            premature expiration | premature expiry",
        ..NONE
    },
    Concept {
        name: "missing_index",
        about: "queries read whole tables because an index is not there",
        home: "database",
        keys: &["INDEX_ORDERS_USER_ID", "INDEX_PRODUCTS_SKU"],
        phrases: "\
            missing .. index | index .. missing | no index | without .. index | lack of .. index | \
            lacks .. index | lacking .. index | index .. dropped | dropped .. index | index .. disabled | \
            disabled .. index | index .. off | index .. not exist | index .. doesnt exist | \
            index .. not there | index .. absent | absent index | index .. gone | index .. removed | \
            index .. not present | index .. not enabled | index .. false | index .. not in place | unindexed | \
            un indexed | not indexed | isnt indexed | sequential scan | seq scan | full table scan | \
            table scan | fehlender index | índice .. falta | falta .. índice | index manquant",
        ..NONE
    },
    Concept {
        name: "worker_limit",
        about: "too few workers for the load",
        home: "web_server",
        keys: &["MAX_WORKERS"],
        phrases: "\
            max worker | maximum worker | worker limit | worker count | worker pool | worker cap | \
            worker slots | number of workers | worker saturation | worker .. saturated | worker .. exhausted | \
            worker exhaustion | worker starvation | worker .. starved | worker .. busy | not enough .. worker | \
            too few .. worker | insufficient .. worker | out of workers | worker .. too low | worker .. maxed | \
            only .. worker | worker .. too few | dont have enough .. worker | do not have enough .. worker | \
            doesnt have enough .. worker | does not have enough .. worker | limited to .. worker | worker capacity | worker shortage | worker concurrency | worker utilization | \
            all .. workers .. occupied | thread pool",
        ..NONE
    },
    Concept {
        name: "query_timeout",
        about: "queries are cancelled before they can finish",
        home: "database",
        keys: &["QUERY_TIMEOUT_MS"],
        phrases: "\
            query timeout | query time out | statement timeout | statement time out | query deadline | \
            query time limit | query .. cancelled | query .. canceled | query .. cut off | query .. killed | \
            query .. aborted | cancel .. query | timeout .. for queries | timeout on queries | \
            queries .. timed out | queries .. timing out",
        ..NONE
    },
    Concept {
        name: "connection_limit",
        about: "too few connections are accepted",
        home: "load_balancer",
        keys: &["MAX_CONNECTIONS"],
        phrases: "\
            connection limit | max connection | maximum connection | connection cap | connection ceiling | \
            limit of .. connections | limit on .. connections | connections .. limited | \
            connections .. capped | connections .. rejected | connections .. refused at | \
            connection .. saturated | connection saturation | concurrent connection | \
            client connections .. exhausted | accepts only .. connections | takes only .. connections | \
            max out .. connections | maxed out .. connections | turns away .. connections | connections .. turned away | refuses .. connections | room for .. connections",
        ..NONE
    },
    Concept {
        name: "retry_limit",
        about: "messages are retried too seldom or too often",
        home: "message_queue",
        keys: &["RETRY_LIMIT"],
        phrases: "\
            retry limit | max retry | maximum retry | retry count | number of retries | retry cap | \
            retry budget | retry setting | retry policy | limit .. retries | retries .. limited | \
            retries .. capped | retries .. too low | retries .. too high | too few retries | \
            not enough retries | only .. retry | only .. attempt | only retried | too many retries | \
            retried too | retry .. only once | retries .. once | only one attempt | delivery attempts | max attempts | attempt limit | max delivery",
        ..NONE
    },
    Concept {
        name: "sticky_sessions",
        about: "clients are pinned to one backend, which becomes hot",
        home: "load_balancer",
        keys: &["STICKY_SESSIONS"],
        phrases: "\
            sticky session | session affinity | session stickiness | stickiness | sticky | session pinning | \
            session .. pinned | clients .. pinned | traffic .. pinned | pinned sessions | cookie affinity | \
            client affinity | session persistence",
        ..NONE
    },
    Concept {
        name: "visibility_timeout",
        about: "messages are given out again while they are still being worked on",
        home: "message_queue",
        keys: &["VISIBILITY_TIMEOUT_MS"],
        phrases: "\
            visibility timeout | visibility time out | visibility window | visibility period | visibility | \
            redelivered before | redelivered while | delivered again before | delivered again while | \
            ack deadline | acknowledgement deadline | lease timeout | reappear | become visible again | \
            duplicate delivery",
        ..NONE
    },
    Concept {
        name: "rate_limit",
        about: "good requests are turned away",
        home: "web_server",
        keys: &["RATE_LIMIT_RPS"],
        phrases: "\
            rate limit | rate limiter | rate limiting | ratelimit | request limit | throttle | throttling | \
            429 | too many requests | requests per second limit | rps limit | rps cap | request cap | rate cap | \
            limit of .. requests | limit of .. rps | requests .. capped | capped .. requests | capped .. rps | requests .. turned away | allows .. requests per second",
        ..NONE
    },
    Concept {
        name: "autovacuum",
        about: "dead rows are never cleaned up, tables bloat",
        home: "database",
        keys: &["AUTOVACUUM_ENABLED"],
        phrases: "\
            autovacuum | no autovacuum | without autovacuum | auto vacuum | vacuum | table bloat | bloat | bloated table | dead tuple | dead row | \
            tuples .. not cleaned",
        implies: &["table_bloat"],
    },
    Concept {
        name: "compression",
        about: "entries are stored uncompressed and take too much room",
        home: "cache",
        keys: &["COMPRESSION_ENABLED"],
        phrases: "\
            compression | no compression | without compression | uncompressed | compressed | not compressed | compressing | compress",
        ..NONE
    },
    Concept {
        name: "in_flight_limit",
        about: "too few messages may be worked on at once",
        home: "message_queue",
        keys: &["MAX_IN_FLIGHT"],
        phrases: "\
            in flight | inflight | in flight limit | in flight cap | max in flight | maximum in flight | \
            prefetch | unacked limit | unacknowledged limit | outstanding message limit | \
            limit on outstanding messages",
        ..NONE
    },
    Concept {
        name: "idle_timeout",
        about: "quiet connections are closed while an answer is still on its way",
        home: "load_balancer",
        keys: &["IDLE_TIMEOUT_MS"],
        phrases: "\
            idle timeout | idle time out | idle connection timeout | idle connection | keepalive timeout | \
            keep alive timeout | keepalive | idle limit | idle cutoff | connections .. idle | closes idle",
        ..NONE
    },
    Concept {
        name: "publish_timeout",
        about: "publishing to the queue is given up too early",
        home: "web_server",
        keys: &["QUEUE_PUBLISH_TIMEOUT_MS"],
        phrases: "\
            publish timeout | publish time out | publishing timeout | queue publish timeout | \
            publisher timeout | publish deadline | publishes .. time out | publishes .. timed out | \
            publishing .. times out | publishing .. timed out | timeout .. publishing | timeout .. publish | \
            times out .. publishing | enqueue timeout | \
            publish .. timeout | waits .. confirm | confirm timeout | gives up .. publish | gave up .. publish | \
            giving up .. publish | publish .. given up | publish .. gives up | publish .. gave up",
        ..NONE
    },
    Concept {
        name: "request_timeout",
        about: "requests are given up before their answer can come",
        home: "web_server",
        keys: &["TIMEOUT_MS"],
        phrases: "\
            request timeout | upstream timeout | http timeout | server timeout | client timeout | \
            timeout setting | timeout value | timeout config | timeout configuration | timeout .. too low | \
            timeout .. too short | timeout .. too aggressive | timeout .. too small | timeout .. lowered | \
            timeout .. reduced | timeout .. set to | timeout .. misconfigured | timeout misconfiguration | \
            timeout of | low timeout | short timeout | aggressive timeout | tight timeout | \
            misconfigured timeout | lowered timeout | request deadline | timeout was 1 | timeout is 1",
        ..NONE
    },
    Concept {
        name: "cache_host",
        about: "the cache is looked for at the wrong address",
        home: "web_server",
        keys: &["CACHE_HOST"],
        phrases: "\
            cache host | cache hostname | cache address | cache endpoint | cache url | wrong host | old host | \
            stale host | stale hostname | wrong hostname | old hostname | wrong cache host | \
            wrong cache endpoint | old cache host | old cache endpoint | cache old internal | \
            decommissioned cache | decommissioned host | retired host | retired cache | wrong address | \
            points at the old cache | points to the old cache | pointing at the old cache | \
            pointing to the old cache | host .. misconfigured | misconfigured host | nonexistent host | \
            nonexistent cache | wrong cache | old cache | points .. cache old | pointing .. cache old | former cache | \
            cache .. retired | cache .. decommissioned",
        ..NONE
    },
    Concept {
        name: "read_replica",
        about: "all reads go to the primary because the replica is not used",
        home: "database",
        keys: &["READ_REPLICA_ENABLED"],
        phrases: "\
            read replica | replica | no read replica | no replica | replica read | read only replica | \
            reader instance | read traffic .. primary | reads .. primary | all reads .. primary | \
            read routing | read offload | lesereplik | réplica de lectura | réplica",
        ..NONE
    },
    Concept {
        name: "cache_bypass",
        about: "the cache is not asked at all",
        home: "web_server",
        keys: &["USE_CACHE"],
        phrases: "\
            cache bypass | bypass .. cache | cache .. bypassed | cache .. disabled | disabled the cache | disabled its cache | \
            disable the cache | disables the cache | caching .. disabled | cache .. turned off | cache .. switched off | \
            turned off the cache | turned off its cache | cache .. not used | cache .. not being used | cache .. unused | \
            not using .. cache | isnt using .. cache | stopped using .. cache | does not use .. cache | \
            doesnt use .. cache | no longer uses .. cache | skips .. cache | skipping .. cache | \
            ignores .. cache | without the cache | without its cache | without cache | cache usage off | cache flag",
        ..NONE
    },
    Concept {
        name: "backend_weight",
        about: "the shares of the backends are uneven",
        home: "load_balancer",
        keys: &["WEB_WEIGHT_PRIMARY"],
        phrases: "\
            backend weight | weight | weighting | traffic split | traffic share | traffic distribution | \
            uneven traffic | uneven distribution | unbalanced traffic | imbalanced traffic | \
            traffic .. imbalance | backend skew | all traffic .. one backend | all traffic .. to the primary | \
            all traffic .. primary backend",
        ..NONE
    },
    Concept {
        name: "poison_messages",
        about: "messages that can never be worked on come back again and again",
        home: "message_queue",
        phrases: "\
            poison message | poison | poison pill | poisoned message | bad message | malformed message | \
            malformed payload | unprocessable message | undeliverable message | corrupt message | \
            corrupted message | broken message | message .. never succeed | messages .. always fail | \
            giftige nachricht",
        ..NONE
    },
    Concept {
        name: "retry_storm",
        about: "retries make most of the load, and keep the overload alive",
        phrases: "\
            retry storm | storm of retries | retry loop | retry amplification | endless retries | \
            endlessly retried | retried endlessly | retried forever | retry forever | infinite retries | \
            infinite retry | excessive retries | excessive retry | retry flood | flood of retries | \
            retries .. amplify | retried over and over | retried again and again | retried .. times | \
            redelivered over and over | redelivered again and again | retry churn | \
            hot looping | hot loop",
        ..NONE
    },
    Concept {
        name: "consumer_concurrency",
        about: "too few consumers for the messages that come in",
        home: "message_queue",
        keys: &["CONSUMER_CONCURRENCY"],
        phrases: "\
            consumer concurrency | consumer count | number of consumers | too few .. consumer | \
            not enough .. consumer | insufficient .. consumer | consumer .. too low | consumer parallelism | \
            consumer capacity | consumer limit | consumer .. undersized | consumer .. underprovisioned | \
            only .. consumer | consumer .. too few | consumer scaling | concurrency .. too low | low concurrency | \
            consumer .. keep up | consumer thread | consumer starvation | consumer .. saturated",
        ..NONE
    },
    Concept {
        name: "health_check_path",
        about: "backends are asked for their health at the wrong path",
        home: "load_balancer",
        keys: &["HEALTH_CHECK_PATH"],
        phrases: "\
            health check path | healthcheck path | health check endpoint | healthcheck endpoint | \
            health check url | health endpoint | probes .. wrong | liveness path | health check | healthcheck | health probe | probe path | wrong health path | \
            probing .. wrong path | checks .. wrong path | checking .. wrong path | wrong probe",
        ..NONE
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_catalogue_is_in_order() {
        let names: BTreeSet<&str> = ALL.iter().map(|concept| concept.name).collect();
        assert_eq!(names.len(), ALL.len(), "a concept stands twice");
        for concept in ALL {
            assert!(!concept.about.is_empty() && concept.phrases().count() >= 5, "{} needs more words", concept.name);
            assert!(concept.implies.iter().all(|name| find(name).is_some()), "{} implies the unknown", concept.name);
            let loose = |phrase: &str| phrase.is_empty() || phrase.starts_with("..") || phrase.ends_with("..");
            assert!(!concept.phrases().any(loose), "{} has a loose phrase", concept.name);
        }
    }

    #[test]
    fn no_phrase_stands_for_two_concepts() {
        let mut seen = BTreeSet::new();
        for concept in ALL {
            for alias in concept.keys.iter().copied().chain(concept.phrases()) {
                assert!(seen.insert(alias.to_lowercase()), "`{alias}` stands twice");
            }
        }
    }
}
