//! Mechanisms of the faults beyond the published incidents.

use super::{Concept, NONE};

pub(super) const WIDER: &[Concept] = &[
    Concept {
        name: "bad_build",
        about: "a new build does what the last one did not",
        phrases: "\
            bad build | broken build | faulty build | buggy build | bad deploy | bad deployment | bad release | \
            broken release | faulty release | faulty deploy | new build | latest build | new release | latest \
            release | latest deploy | recent deploy | regression .. deploy | regression .. build | regression .. \
            release | regression in the build | code regression | bad version | faulty version | deployed .. \
            build | build .. deployed | release .. throws | release .. fails | release .. broke | build .. throws | \
            build .. fails | build .. broke | version .. throws | version .. fails | deploy .. broke | new version | \
            release .. crashes | build .. crashes",
        ..NONE
    },
    Concept {
        name: "crash_loop",
        about: "processes die again soon after each start",
        phrases: "\
            crash loop | crashloop | crash looping | crashlooping | crashloopbackoff | restart loop | crash .. \
            after each start | die .. after each start | dies .. after each start | flapping",
        implies: &["crash"],
        ..NONE
    },
    Concept {
        name: "descriptor_leak",
        about: "file descriptors are opened and never closed",
        phrases: "\
            descriptor leak | file descriptor leak | fd leak | leak .. descriptor | leaking descriptor | out of \
            file descriptors | out of descriptors | file descriptors exhausted | descriptors exhausted | \
            descriptor exhaustion | too many open files | open file limit | emfile | sockets never closed | \
            handle leak",
        ..NONE
    },
    Concept {
        name: "connection_leak",
        about: "connections are taken and never given back",
        phrases: "\
            connection leak | leaking connections | leaks connections | leaked connections | leak .. connection \
            | connections never returned | connections not returned | connections never released | connections \
            not released | hoards connections | hoarding connections | idle connections pile up | connections \
            never given back",
        ..NONE
    },
    Concept {
        name: "cold_cache",
        about: "the cache is empty and has to warm up",
        home: "cache",
        phrases: "\
            cold cache | cache is cold | cache was cold | cache .. flushed | flushed .. cache | cache flush | \
            cache .. emptied | empty cache | cache is empty | cache .. wiped | cache .. cleared | cache warmup | \
            cache warming | cold start of the cache | entries were flushed | lost its entries | thundering herd \
            | stampede",
        ..NONE
    },
    Concept {
        name: "replica_lost",
        about: "the read replica is gone",
        home: "database",
        phrases: "\
            replica lost | lost replica | replica is gone | replica .. gone | replica down | replica is down | \
            replica was down | replica .. down | replica .. crashed | replica .. died | replica .. dropped out | \
            replica .. unavailable | replica failed | without its replica | lost its replica | read replica .. \
            died | read replica .. gone | read replica .. down | read replica .. crashed | read replica .. lost | read \
            replica .. unavailable | replica .. vanished | standby .. died | standby .. gone",
        ..NONE
    },
    Concept {
        name: "replication_lag",
        about: "the replica is behind the primary",
        home: "database",
        phrases: "\
            replication lag | replica lag | replica .. lags behind | replica .. lags | replica is behind | replica .. behind | replica .. lagging | \
            replication .. behind | replication delay | replication .. delayed | replication .. stalled | stale \
            replica | lagging replica | stale reads",
        ..NONE
    },
    Concept {
        name: "table_bloat",
        about: "dead rows slow down every scan",
        phrases: "\
            tables are bloated | tables bloated | table .. bloated | bloated heap | bloated index | bloated relation",
        ..NONE
    },
    Concept {
        name: "slow_disk",
        about: "the disk under a service is slow",
        phrases: "\
            slow disk | disk is slow | disk .. slow | slow storage | storage is slow | disk latency | io latency \
            | slow io | slow volume | degraded disk | disk degraded | failing disk | disk .. degraded | \
            storage .. slow | volume .. slow | slow .. volume | disk .. latency | storage .. latency | disk .. takes .. ms | \
            volume .. takes .. ms | storage .. takes .. ms",
        ..NONE
    },
    Concept {
        name: "slow_link",
        about: "the network between two services is slow",
        phrases: "\
            network between .. slow | slow link | link is slow | link .. slow | slow network | network is slow | network latency | network \
            delay | latency on the link | latency between | added latency .. network | link latency | slow path \
            between | slow connection between",
        ..NONE
    },
    Concept {
        name: "lossy_link",
        about: "the network between two services loses calls",
        phrases: "\
            lossy link | packet loss | losing packets | loses packets | lost packets | dropped packets | \
            dropping packets | link .. loses | link .. drops | network loss | lossy network | network .. drops | \
            calls .. lost on the network | link loss",
        ..NONE
    },
    Concept {
        name: "stale_dns",
        about: "a host name leads to an address where nothing listens",
        phrases: "\
            stale dns | stale address | old address | stale name | name resolution | stale endpoint | stale ip | \
            outdated address | address .. stale | resolves to nothing | does not resolve | moved to another \
            address | cached address",
        ..NONE
    },
    Concept {
        name: "noisy_neighbour",
        about: "another tenant of the machine takes its time",
        phrases: "\
            noisy neighbour | noisy neighbor | noisy neighbours | noisy neighbors | cpu steal | steal time | \
            contention on the node | node contention | node .. contended | overloaded node | busy node | slow \
            node | node is slow | host contention | another tenant | other tenant | shared node",
        ..NONE
    },
    Concept {
        name: "clock_skew",
        about: "the clock of a machine is wrong",
        phrases: "\
            clock skew | clock drift | clock .. wrong | clock .. off | clock .. ahead | clock .. behind | skewed \
            clock | wrong clock | clock is skewed | time skew | ntp | clock out of sync | clock .. drifted | \
            time drift",
        ..NONE
    },
    Concept {
        name: "cpu_quota",
        about: "the service may use less of the machine than it needs",
        phrases: "\
            cpu quota | cpu limit | quota cut | quota .. cut | cut .. quota | cpu throttle | cpu throttled | cpu \
            throttling | throttled cpu | compute quota | cpu share | quota .. lowered | quota .. reduced | \
            lowered quota | resource quota",
        ..NONE
    },
    Concept {
        name: "certificate_mismatch",
        about: "the certificate is for another name",
        phrases: "\
            certificate mismatch | cert mismatch | mismatched certificate | mismatched cert | wrong certificate \
            | wrong cert | certificate .. wrong name | certificate .. wrong host | certificate .. another name | \
            certificate .. does not match | cert .. does not match | name mismatch | hostname mismatch | \
            certificate for another | certificate .. another host | certificate .. other host | certificate .. \
            different host | certificate .. different name | certificate .. other name | certificate .. another domain",
        ..NONE
    },
    Concept {
        name: "canary",
        about: "a canary gets traffic that it cannot take",
        phrases: "\
            canary | canary misroute | misrouted canary | canary .. misrouted | canary traffic | traffic .. \
            canary | canary weight | canary routing | canary release",
        ..NONE
    },
    Concept {
        name: "correlated_push",
        about: "one push changed several services at once",
        phrases: "\
            correlated push | push .. several \
            services | profile .. applied | applied profile | apply profile | profile pushed | pushed profile | \
            wrong profile | bad profile | profile push | config profile",
        ..NONE
    },
    Concept {
        name: "consumer_stall",
        about: "consumers hold messages and do not finish them",
        home: "message_queue",
        phrases: "\
            consumer .. stuck | consumer .. hang | consumer .. stalled | consumer stall | consumers stalled | consumers stall | stalled consumers | stalled consumer | \
            consumer is stuck | consumers stuck | stuck consumers | stuck consumer | consumers hang | consumers \
            hung | hung consumers | consumers .. not making progress | consumers stopped | consumers .. stopped \
            | consumption stopped | consumption stalled",
        ..NONE
    },
    Concept {
        name: "redelivery",
        about: "messages are delivered again and again",
        phrases: "\
            redelivery | redelivered | redeliver | redeliveries | redelivery storm | delivered again | delivered \
            twice | deliver again",
        ..NONE
    },
    Concept {
        name: "connection_storm",
        about: "clients connect all at once and again",
        phrases: "\
            connection storm | reconnect storm | connect storm | reconnection storm | storm of connections | \
            storm of reconnects | reconnects .. all at once | connections .. all at once | mass reconnect | \
            handshake storm",
        ..NONE
    },
    Concept {
        name: "traffic_surge",
        about: "more is asked than the system is sized for",
        phrases: "\
            traffic surge | surge .. traffic | traffic spike | spike .. traffic | load spike | surge of requests \
            | request surge | flood of requests | traffic .. doubled | traffic .. tripled | increase in traffic \
            | more traffic | traffic increase | demand surge | surge in demand | too much traffic | flash crowd \
            | load surge",
        ..NONE
    },
    Concept {
        name: "traffic_mix",
        about: "the mix of requests has shifted to expensive ones",
        phrases: "\
            traffic mix | request mix | mix of requests | mix of traffic | shift in traffic | traffic shift | \
            traffic shifted | traffic .. shifted | shifted traffic | workload shift | workload mix | expensive \
            requests | heavier requests | crawler | scraper | bot traffic",
        ..NONE
    },
    Concept {
        name: "telemetry",
        about: "the instruments are wrong, not the service",
        phrases: "\
            stale metrics | stale series | missing metrics | missing series | delayed logs | late logs | log \
            delay | metrics .. stale | metrics .. missing | telemetry | monitoring gap | scrape failure",
        ..NONE
    },
    Concept {
        name: "partition",
        about: "some machines of a service no longer reach another service",
        phrases: "\
            network partition | partition | partitioned | partition between | partition .. network | partition cuts | \
            cut off from | cannot reach | can not reach | no longer reach | unreachable from | \
            lost connectivity | connectivity loss | asymmetric loss | one way loss | loses its path to | \
            half of the instances .. reach | split network | network split | netsplit",
        ..NONE
    },
    Concept {
        name: "lock_contention",
        about: "statements wait behind a lock that one session holds",
        home: "database",
        phrases: "\
            lock contention | lock queue | lock wait | waiting for .. lock | waits for .. lock | \
            wait for .. lock | waits behind .. lock | wait behind .. lock | waiting behind .. lock | \
            blocked by .. lock | blocked behind .. lock | holds a lock | holds the lock | holding a lock | \
            holding the lock | held lock | exclusive lock | row lock | table lock | locked table | \
            table .. locked | blocking session | blocking transaction | blocked writes | long transaction | \
            long running transaction | schema migration",
        ..NONE
    },
    Concept {
        name: "corruption",
        about: "stored pages are damaged",
        home: "database",
        phrases: "\
            corruption | corrupt page | corrupted page | page corruption | data corruption | corrupt data | corrupted data | \
            disk corruption | silent corruption | checksum mismatch | checksum failure | \
            checksum .. not match | checksums .. not match | failed checksum | checksum error | \
            page verification | damaged page | bad page | torn page | corrupted block | corrupt block | \
            corrupt table | corrupted table",
        ..NONE
    },
    Concept {
        name: "split_brain",
        about: "two servers take writes at the same time",
        home: "database",
        phrases: "\
            split brain | two primaries | second primary | dual primary | two masters | both accept writes | \
            both take writes | two servers .. writes | diverged timelines | timeline .. differs | \
            diverged primaries | both primaries | not fenced",
        ..NONE
    },
    Concept {
        name: "failover",
        about: "a standby that is not up to it took over",
        home: "database",
        phrases: "\
            failover | failed over | fail over | failed-over | standby .. promoted | promoted standby | \
            promotion of the standby | standby took over | smaller standby | undersized standby | \
            small standby | undersized primary | standby became primary | leader election | primary .. lease | \
            lost .. lease",
        ..NONE
    },
    Concept {
        name: "wraparound",
        about: "transaction ids ran out because old rows were never frozen",
        home: "database",
        phrases: "\
            wraparound | wrap around | transaction id | transaction ids | xid exhaustion | xids exhausted | \
            out of xids | frozen rows | freeze old rows | rows .. never frozen | vacuum freeze",
        ..NONE
    },
    Concept {
        name: "plan_flip",
        about: "the planner picked a bad plan because statistics are out of date",
        home: "database",
        phrases: "\
            plan flip | plan flipped | bad plan | bad query plan | query plan changed | plan .. changed | \
            wrong plan | worse plan | plan regression | stale statistics | statistics .. out of date | \
            outdated statistics | old statistics | planner statistics | never analysed | never analyzed",
        ..NONE
    },
    Concept {
        name: "third_party",
        about: "a third party is slow or fails",
        phrases: "\
            third party | third parties | payment provider | external provider | provider is slow | \
            provider .. slow | provider fails | provider .. failing | provider outage | provider errors | \
            external api | external dependency | external service | upstream vendor | vendor outage | vendor api",
        ..NONE
    },
];
