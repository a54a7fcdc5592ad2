//! Further words that people use for the mechanisms of the catalogue, gathered apart so that the first choice of words stays
//! readable where a mechanism is described.

/// The phrases of a mechanism, by its name.
pub(super) fn of(name: &str) -> &'static str {
    ALSO.iter().find(|(own, _)| *own == name).map_or("", |(_, phrases)| phrases)
}

const ALSO: &[(&str, &str)] = &[
    (
        "crash",
        "no process | shut down | shut itself down | keeled over | went away and never came back | no longer answers its \
         port | nothing listens on its port | process is missing | not up | blew up | bailed out | has gone \
         away | exited by itself | exit code 137 | exit code 139 | signal 9 | signal 11",
    ),
    (
        "worker_crash",
        "worker .. respawned | worker .. fell over | worker .. shot | worker .. segfaulted | worker .. \
         ended by signal | fewer workers alive | worker .. fallen | worker .. perished | worker .. never \
         came back | worker .. not replaced | worker .. never replaced",
    ),
    (
        "memory_leak",
        "memory .. rises steadily | memory .. steadily rises | memory .. rising | memory .. never comes \
         back | memory .. accumulates | accumulates memory | hoards memory | holds on to memory | never \
         frees | does not free memory | heap .. climbs | heap .. rises | heap .. fills | rss .. climbs | \
         rss .. grows | grows until .. killed | memory .. ever growing | objects .. \
         never collected",
    ),
    (
        "memory_limit",
        "maxmem | memory .. lowered | memory .. reduced | memory .. shrunk | memory .. halved | memory \
         quota | memory grant | too little room .. entries | mb of memory | mb of ram | smaller memory | \
         less memory | memory .. down to | megabytes is all | given .. mb | given .. gb | mb instead of .. \
         gb | mb instead of .. mb",
    ),
    (
        "eviction",
        "throws out .. keys | throws .. entries out | live keys .. dropped | entries .. thrown away | keys \
         .. removed to make room | churns",
    ),
    (
        "disk_full",
        "disk ran out | filesystem full | filesystem is full | file system .. full | disk .. no room | no \
         room left | filled the disk | filled its disk | filled up .. disk | fills .. disk | volume .. ran \
         out | used up .. quota | storage .. used up | disk .. used up | quota .. used up | write ahead log \
         .. filled",
    ),
    ("maintenance_mode", "read only switch | readonly switch | in read only mode"),
    (
        "auth_expired",
        "credential .. lapsed | credential .. ran out | token .. outdated | token .. not renewed | token .. \
         never renewed | token .. no longer accepted | login .. expired | password .. expired | \
         authentication .. expired | expired secret | expired password | stale credential",
    ),
    (
        "tls_expired",
        "cert .. not renewed | certificate .. never renewed | cert .. out of date | certificate .. past its \
         date | lapsed cert | lapsed certificate | forgot to renew .. cert | forgot to renew .. certificate",
    ),
    (
        "connection_pool",
        "connections .. used up | connections .. all taken | connections .. handed out | no connection .. \
         free | pooler | queue for .. connection | queueing for .. connection",
    ),
    (
        "cache_ttl",
        "entries live .. seconds | entries .. live only | keys live .. seconds | lifetime .. entries | \
         lifetime .. keys | forgets .. entries .. after | time to live .. cut | entries .. lapse",
    ),
    (
        "missing_index",
        "misses an index | misses the index | misses its index | index .. lost | lost .. index | index .. vanished | index .. invalid | index .. \
         deleted | deleted .. index | scans the whole table | scan the whole table | reads the whole table \
         | walks the whole table | someone dropped .. index",
    ),
    (
        "worker_limit",
        "workers for .. requests | workers for .. users | fewer workers | worker .. cut | worker .. reduced | worker .. lowered | worker processes .. too \
         few | short of workers | too small .. workers | worker .. halved",
    ),
    (
        "query_timeout",
        "statements .. cancelled | statements .. canceled | statements .. aborted | statements .. cut off | \
         statements .. killed | statement deadline | statement time limit | limit .. on statements | time \
         limit .. statements | queries .. get killed",
    ),
    (
        "connection_limit",
        "caps .. at .. connections | caps .. connections | connections .. per client capped | connections \
         .. allowed | connections at most | client limit | limit of .. clients | concurrent clients | \
         connection table | connection quota | sessions .. refused at the edge",
    ),
    (
        "retry_limit",
        "retries .. cut | retries .. reduced | retries .. lowered | gives up after .. attempt | gives up \
         after .. try | give up after .. attempt | gives up too early | gives up too soon | single attempt \
         | one try | attempts .. too few | number of attempts | allowed attempts",
    ),
    (
        "sticky_sessions",
        "pinned to one backend | pinned to .. backend | users .. pinned | sessions .. stick | stuck to one \
         backend | affinity",
    ),
    (
        "visibility_timeout",
        "invisible .. too short | lease .. too short | time to acknowledge | handed out again before | \
         handed out again while | delivered a second time | redelivered too",
    ),
    (
        "rate_limit",
        "requests .. throttled | limiter | throttles .. requests | throttling .. requests | turned away \
         with 429",
    ),
    ("autovacuum", "dead version | not vacuumed | never vacuumed | vacuuming"),
    ("in_flight_limit", "messages .. at a time | unacknowledged messages .. allowed | unacked .. allowed"),
    (
        "idle_timeout",
        "idle connections .. cut | idle .. closed too | quiet connections .. cut | connections .. cut .. \
         idle | keep alive",
    ),
    (
        "publish_timeout",
        "gives up on .. queue | gives the queue .. ms | confirm .. too short | waits .. for the \
         confirmation",
    ),
    (
        "cache_host",
        "wrong cache address | old cache address | looks for the cache at | looks for its cache at | \
         pointed at .. cache | points at .. cache",
    ),
    (
        "read_replica",
        "replica .. switched off | replica .. turned off | replica .. disabled | replica .. taken out | \
         reads .. land on the primary",
    ),
    (
        "cache_bypass",
        "goes straight to the database | asks the database directly | go around .. cache | goes around .. \
         cache | cache .. not asked | no longer asks .. cache | not ask .. cache | caching .. turned off | \
         caching .. switched off | caching is off | cache use .. off",
    ),
    (
        "backend_weight",
        "weights | lopsided | most traffic .. one backend | traffic .. lopsided | share of the first \
         backend | too much traffic .. first backend",
    ),
    (
        "poison_messages",
        "cannot be decoded | cannot decode | cannot parse .. message | cannot be parsed | undecodable | \
         unparsable | unparseable | message .. never be processed | toxic message",
    ),
    (
        "retry_storm",
        "client retries | retry traffic | retries .. feed | retries .. pile | retries amplify | retries keep .. overloaded | clients keep \
         retrying",
    ),
    (
        "consumer_concurrency",
        "consumers for .. orders | consumers for .. messages | consumers .. cut | consumers .. reduced | consumers .. lowered | fewer consumers | short of \
         consumers | consumers .. too slow together",
    ),
    ("health_check_path", "health url | health route | probe url | probes the wrong | probe .. 404 | checks .. 404"),
    (
        "bad_build",
        "rollout .. broke | rollout .. broken | bad rollout | faulty rollout | bad push of code | code \
         change | bug in .. release | bug in .. build | bug in .. deploy | bug in .. version | release .. \
         bug | build .. bug | deploy .. bug | version .. bug | build .. slow | release .. slow | build .. \
         slower | release .. slower | build .. leaks | release .. leaks | since .. deploy | since .. \
         rollout | since .. release | defective build | defective release | last deployment | latest \
         deployment | recent deployment | deployment of build | software update",
    ),
    (
        "crash_loop",
        "restarts over and over | keeps restarting | dies over and over | comes up and dies | starts and \
         dies | back off | backoff",
    ),
    (
        "descriptor_leak",
        "sockets .. not closed | files .. never closed | handles .. never closed | out of handles | \
         descriptors .. used up | descriptors .. never closed | run out of descriptors",
    ),
    (
        "connection_leak",
        "connection .. and never returns | connection .. and never closes | connection .. and keeps them | \
         sessions .. open and idle | never returns .. connection | never gives .. connections back | \
         connections .. kept forever | keeps connections open | does not return .. connection | connections \
         .. not given back | checked out and never returned | holds .. connections forever | sessions .. \
         never closed",
    ),
    (
        "cold_cache",
        "cache .. dropped everything | cache .. lost its content | cache .. lost all | flushall | dataset \
         .. gone | cache .. started empty | cache .. warming up | emptied .. cache | cache .. warm up | cache .. not warm | cache .. rewarm",
    ),
    (
        "replica_lost",
        "replica .. disconnected | replica .. not reachable | replica .. unreachable | no heartbeat .. \
         replica | standby .. lost | replica .. missing",
    ),
    (
        "replication_lag",
        "replica .. minutes behind | replica .. seconds behind | replica .. late | replay .. behind | \
         replication .. slow | standby .. behind | replica .. stale | reads old rows | outdated rows",
    ),
    ("table_bloat", "old transaction | idle transaction | open transaction"),
    (
        "slow_disk",
        "disk .. slower | volume .. slower | slow writes to disk | io wait | iowait | disk .. sluggish | \
         storage .. sluggish | fsync .. slow | fsync takes | device .. slow | await",
    ),
    (
        "slow_link",
        "round trip .. long | round trips .. slow | network .. delayed | slow route | slow path | network \
         path .. slow",
    ),
    ("lossy_link", "retransmit | segments .. lost | packets .. dropped | packets .. lost | link drops | path .. loses"),
    (
        "stale_dns",
        "dns | resolver | address of .. moved | old ip | an address where nothing listens | address .. \
         nobody listens",
    ),
    (
        "noisy_neighbour",
        "other workload on .. node | other job on .. node | shares its machine | neighbour on .. machine | \
         neighbor on .. machine | stolen cpu | cpu stolen | starved .. by a neighbour | takes .. cpu of the \
         node",
    ),
    (
        "clock_skew",
        "clock .. minutes off | clock .. seconds off | time .. not synchronised | time .. not synchronized \
         | clock .. jumped | clock .. fast | clock .. slow | wrong system time | time sync",
    ),
    (
        "cpu_quota",
        "less cpu | fewer cpu | cpu .. cut | cpu .. reduced | cpu .. lowered | cpu allowance | cpu request \
         | cgroup | throttled | cores .. taken | resize",
    ),
    (
        "certificate_mismatch",
        "issued for another | issued for the wrong | made out to another | certificate .. other domain | \
         certificate .. wrong domain | cert .. wrong name | cert .. wrong host | cert .. another host | \
         common name",
    ),
    (
        "correlated_push",
        "one push .. several | same change .. several | profile | several settings at once | push to \
         several",
    ),
    (
        "consumer_stall",
        "consumers .. hang | consumers .. hung | consumers .. frozen | consumers .. deadlocked | consumers \
         .. stuck | consumers .. blocked | stopped consuming | nothing is consumed | deadlock .. consumer",
    ),
    ("redelivery", "redelivery loop | redelivered .. again and again"),
    ("connection_storm", "everybody reconnects | everyone reconnects | all clients reconnect"),
    (
        "traffic_surge",
        "burst of traffic | burst of requests | more requests than | traffic peak | traffic jumped | rush \
         of users | sudden load | load .. doubled | load .. tripled",
    ),
    ("traffic_mix", "mix .. shifted | share of .. requests rose"),
    ("partition", "cannot reach each other | unreachable over the network"),
    ("lock_contention", "waits .. lock | holds .. lock | locked rows | lock .. held"),
    ("corruption", "checksums differ | broken pages"),
    ("split_brain", "two leaders"),
    ("failover", "weaker standby"),
    ("wraparound", "xid"),
    ("plan_flip", "query plan | planner"),
    ("third_party", "provider | payment gateway | partner api | vendor"),
];
