//! Further frames, in the form of [`super::frames`]: plainer words for the same things, as people write them in a hurry, in
//! a language that is not their own, or for readers who do not know the names of settings.

/// The frames of a mechanism, by its name.
pub(super) const FURTHER: &[(&str, &str)] = &[
    (
        "crash",
        "process daemon + alive exist up running + @no | service + alive + @no | did_not_come never_came didnt_come + back + \
         process service cache queue database broker | start starts + refuses wont unable + process service | \
         process service + fallen fell_down collapsed",
    ),
    ("worker_crash", "worker + alive living left + of | worker + death dying corpse zombie"),
    (
        "memory_leak",
        "@memory + grow climb rise increase swell + always ever endless endlessly forever end bound bounds \
         unbounded fall shrink | @memory + only + up upward upwards grow grows rise rises climb climbs",
    ),
    ("memory_limit", "cache redis memcached + mb gb megabyte + need needs require working_set"),
    (
        "idle_timeout",
        "hang_up hangs_up hung_up disconnect disconnects + after + silence silent quiet idle ms | balancer lb edge \
         proxy + patience + idle quiet silent",
    ),
    ("disk_full", "@disk + complete completely totally entirely 100 + full used occupied"),
    (
        "maintenance_mode",
        "being_serviced maintained maintenance + believe think thinks still left out_of leave | write writes + decline \
         turn_down turns + maintenance being_serviced read_only",
    ),
    ("auth_expired", "token credential secret password + end_of over outlived past + validity life date lifetime"),
    ("tls_expired", "@cert + end_of past over beyond + validity life date lifetime"),
    (
        "connection_pool",
        "connection + stand standing line queue in_line + request caller client everybody everyone | pool + dry \
         run_dry runs_dry ran_dry | connection + for + request caller worker + only just few",
    ),
    (
        "cache_ttl",
        "@entries + dead gone expire lapse vanish + before + read reuse reused used again twice second_time \
         anybody anyone needed | cache redis + forget forgets + second after soon everything",
    ),
    (
        "worker_limit",
        "worker + for + request user visitor customer load traffic + only just few wait queue | worker + handle \
         handles serve serves + at_once at_a + request wait | only just + worker + wait queue line",
    ),
    (
        "query_timeout",
        "statement query report + allow allows allowed give given gives get gets may have + ms second \
         millisecond | statement query report + cancel cancelled killed kill abort + halfway midway good normal \
         legitimate every",
    ),
    (
        "connection_limit",
        "connection client visitor + admit admits allow allows accept accepts let_in lets_in + rest others refuse \
         refuses turn turned",
    ),
    (
        "retry_limit",
        "message order delivery job + once + tried retried try retry + @no | message order delivery job + give_up gives_up given_up give_a gives_a dropped discarded lost + first one \
         single + failure attempt try error hiccup | single one first + failure attempt hiccup error + \
         dead_letter dead_letters dlq enough give_up",
    ),
    ("sticky_sessions", "client user session + bound glued tied fixed + one same + backend machine server node"),
    (
        "visibility_timeout",
        "message order job + somebody_else someone_else another_consumer + give gives hand hands + before | message order job + visible hand hands handed deliver delivered + again another + consumer worker needs \
         takes need longer done",
    ),
    (
        "in_flight_limit",
        "window + delivery message consumer queue + small low tiny narrow cut pause | message + at_once at_a + \
         consumer queue broker + only limit may few",
    ),
    (
        "publish_timeout",
        "checkout publish enqueue order + fail give_up gives_up declared abort + before + broker queue confirm \
         confirms confirmation | impatient impatience + publish publishing",
    ),
    ("request_timeout", "hang_up hangs_up abandon abandons + dependency upstream backend database answer before"),
    ("cache_bypass", "use_cache + false off 0 no"),
    (
        "poison_messages",
        "malformed broken invalid unparsable undecodable corrupt unreadable bad + order event record payload \
         message job | message order event job + fail fails failing + every each always + attempt try time again \
         | message order event job + clog clogs block blocks jam + queue head",
    ),
    (
        "retry_storm",
        "retry reload refresh resubmit repeat + keep keeps kept sustain hold holds + full busy overload saturate \
         down high queue capacity load alive going | client user caller customer + retry retries retrying try_again \
         tries_again + keep keeps kept nobody feed long_after",
    ),
    (
        "consumer_concurrency",
        "consumer + used_to + be have | \
         one_consumer single_consumer two_consumers + backlog order message left only queue",
    ),
    (
        "health_check_path",
        "probe probes probing + typo misspelt 404 nonexistent missing wrong | balancer lb edge proxy + probe \
         probes check checks ask asks poll polls + path page url route + @no 404 wrong exist exists",
    ),
    (
        "bad_build",
        "deploy deployed rolled_out shipped + version release build + exception error fail throw crash 500 | \
         old_version previous_version old_build previous_build + fine not no works without",
    ),
    (
        "crash_loop",
        "restart restarts + every each + second minute | die dies died exit crash crashes + right shortly soon \
         seconds moments + after + start starting restart boot",
    ),
    ("descriptor_leak", "file handle socket descriptor + forget forgets never without + close closing closed"),
    (
        "connection_leak",
        "connection session + return returned give gives close closes closed back + never forget forgets fails \
         without + web app application server | idle_in + transaction connection session + grow grows pile web \
         app own owned",
    ),
    (
        "cold_cache",
        "cache redis + lost lose loses + all everything entries content contents | cache redis + refill fill fills \
         warm_up refilled + cannot cant never not unable | cache redis + stay stays still remains + empty \
         cold",
    ),
    ("eviction", "crawler scraper scan bot walk + push pushes throw throws evict displace + entry entries key hot out"),
    ("replica_lost", "@replica + wipe wiped erased removed deleted + data directory disk files"),
    (
        "slow_link",
        "network path link hop wire + add adds added adding + ms latency delay | call query request + \
         between way network + slow latency ms + ends end both itself",
    ),
    (
        "lossy_link",
        "call request packet + lost get_lost gets_lost vanish vanishes + wire network way between path | call \
         request packet + arrive arrives + never + network between path",
    ),
    (
        "stale_dns",
        "address ip + before previous former given_up abandoned freed used_to + moved move resolve resolves talk \
         talks connect had | name address + resolve resolved re_resolved looked look + never again + moved move \
         again up | ip address + old previous former + hit hits hitting talk talks write writes send sends call \
         calls connect still",
    ),
    (
        "noisy_neighbour",
        "batch_job job tenant vm container workload + same share shares shared + host node machine box | steal \
         stolen + percent cpu vm tenant",
    ),
    (
        "cpu_quota",
        "cpu core cores millicore millicores vcpu + give given gave gives limited limit restricted resize resized \
         resizing only | throttle throttled throttling + cpu resize core quota",
    ),
    ("certificate_mismatch", "@cert + staging another other different wrong + domain host site name serves presents"),
    (
        "redelivery",
        "same + order message job + over_and again_and + work works process handle | message order job + hand hands handed deliver delivered come_back comes_back + again over_and repeatedly + \
         before wait backlog copies | copy copies duplicate duplicates repeat repeats + backlog queue wait + keep \
         keeps alive longer lengthen behind",
    ),
    (
        "connection_storm",
        "client caller everyone + reconnect reconnects drop drops + connection once another immediately again | \
         new_connections + hammer flood swamp | authenticate authenticates authenticating handshake handshakes + \
         little_else instead_of busy nothing_else spends",
    ),
    (
        "traffic_surge",
        "times twice double triple threefold fivefold + usual normal ordinary + traffic load request visitor | \
         sized built dimensioned + for_that for_this for_such for_so + @no",
    ),
    (
        "lock_contention",
        "lock + migration session transaction statement + hold holds held | transaction + commit committed commits rolled_back + never not nobody | session statement write writer \
         writers + wait waiting waits blocked stuck + lock row transaction",
    ),
    ("split_brain", "both two + think thinks believe believes + leader primary master"),
    (
        "failover",
        "standby secondary + promote promoted became took_over + small smaller weak weaker cores quarter half",
    ),
    (
        "plan_flip",
        "planner plan optimiser optimizer + pick picks picked chose chooses choose went + another bad worse scan join",
    ),
    ("telemetry", "exporter scraper agent + stop stopped died dead hangs frozen + series metric"),
    ("third_party", "provider vendor partner + attempt attempts call calls settle + fail fails failing"),
    ("replication_lag", "@replica + apply replay + slower behind slow"),
    // Everyday words for the same.
    ("auth_expired", "token credential secret password + finished ended over + validity valid"),
    ("bad_build", "@build + error errors + start starts began begin instances spread rollout only"),
    (
        "memory_leak",
        "@memory + eat eats eating consume consumes swallow swallows + until killed more ever | @memory + let_go \
         lets_go hand_back give_up + @no | @memory + pile piles accumulates + up restart killed kill | @memory + more \
         + every each + request hour minute | fatter bigger larger + every_hour every_minute over_time until + \
         process instance",
    ),
    (
        "retry_storm",
        "reload retry refresh resubmit + again_and never cannot + catch_up catches_up keep_up recover | retry retries \
         repeated repeats + most bulk half majority + load traffic request requests | same + request requests page \
         pages + again_and over_and + users clients impatient | self_inflicted self_sustaining + load retries \
         requests",
    ),
    (
        "poison_messages",
        "message order event job payload + crash crashes kill kills choke chokes break breaks + every each any + \
         consumer | message order event job + cannot can_not never unable + processed handled parsed read worked",
    ),
    (
        "wraparound",
        "transaction + number numbers id ids + left + @no | transaction + number numbers id ids counter + left exhausted run_out ran_out none used_up end",
    ),
    (
        "cache_ttl",
        "cache redis + gone vanish vanishes disappear disappears forgotten expire expires drop drops + second seconds \
         moment later + put stored written what everything | @entries + valid + second seconds + only just | ttl \
         lifetime expiry + second seconds one two three",
    ),
    (
        "worker_limit",
        "serve serves handle handles process run runs take takes + request requests + time once parallel + only just \
         most more wait next fifth | web server app + worker workers + one two three four five six + only just left \
         all",
    ),
    (
        "redelivery",
        "come_back comes_back came_back return returns returned + consumer consumers queue + order orders message \
         messages + again already most",
    ),
    (
        "connection_pool",
        "connection connections + share shared sharing + worker workers request requests + few only five six eight \
         ten | wait waits waiting queue queues + turn + connection connections | connection connections + for_all \
         for_everyone + only just few",
    ),
    (
        "crash",
        "nothing nobody + answer answers listens listening + port host address | machine process service + lies lie + \
         down dead | killed + kernel oom + process service cache redis broker database",
    ),
    (
        "disk_full",
        "database db postgres + room space + left + no none nowhere more | write writes + fail refused + space full \
         disk volume | filled fills + volume disk storage drive",
    ),
    (
        "maintenance_mode",
        "maintenance + forgotten forgot over finished done + still off back switch | read_only + since still stuck left",
    ),
    (
        "missing_index",
        "index + got + dropped removed deleted lost | migration + dropped removed deleted + index | table + read reads \
         scanned + whole entire front",
    ),
    (
        "query_timeout",
        "database db + patience impatient + statement query queries | statement statements query queries + longer + \
         than + ms second + cancelled killed cut | cut + off short + query queries statement statements",
    ),
    (
        "connection_limit",
        "balancer lb edge proxy door gate + let_in lets_in admit admits admitted allow allows + client clients \
         visitors connections only",
    ),
    (
        "visibility_timeout",
        "message messages order + lock lease hidden invisible + runs_out expire expires short + consumer done finished \
         while before",
    ),
    (
        "rate_limit",
        "turn_away turns_away turned_away + customer customers user users request requests visitor + per_second rps \
         second limit quota | allowed allows admits + requests + per_second a_second each_second",
    ),
    (
        "autovacuum",
        "garbage dead old + row rows tuples versions + never not nobody + removed cleaned collected reclaimed",
    ),
    (
        "in_flight_limit",
        "message messages + out outstanding unacked unacknowledged + at_once same_time + only may allowed few",
    ),
    (
        "idle_timeout",
        "balancer lb edge proxy + cut cuts hang hangs close closes drop drops + quiet idle silence pause wait + long \
         connection connections response download export",
    ),
    (
        "publish_timeout",
        "web app server checkout + wait waits waited + ms millisecond milliseconds + broker queue confirm confirmation + \
         only",
    ),
    (
        "request_timeout",
        "web app server + wait waits waited + ms millisecond milliseconds + database answer answers reply backend + only",
    ),
    (
        "cache_host",
        "cache + retired decommissioned old wrong former + host machine address server + look looks looking point \
         points ask asks talk talks search",
    ),
    (
        "backend_weight",
        "one first single + backend machine server instance node + nearly almost bulk most ninety 9x share + traffic \
         request requests load | weight weights + bad badly wrong wrongly skewed",
    ),
    ("consumer_concurrency", "consumer consumers + one two three four five + only just left instead"),
    (
        "health_check_path",
        "ask asks check checks probe probes + page path url + nobody not never + serve serves exist exists know knows \
         have | healthy good fine + backend backends + taken_out thrown_out removed marked + probe check path 404",
    ),
    (
        "crash_loop",
        "start starts boot boots comes_up + seconds immediately straight + dies die crash crashes exits exit again",
    ),
    (
        "connection_leak",
        "connection connections session sessions + stay stays remain remains kept + open + ever forever pile | connection connections session sessions + opened open opens + closed close closes + @no | connection \
         connections session sessions + idle + grow grows pile web app server + closed released returned",
    ),
    ("replica_lost", "@replica + wiped erased destroyed broke broken + data disk primary alone"),
    (
        "slow_disk",
        "@disk + wait waits waiting + query queries read reads write writes | @disk + answer answers respond responds + \
         slow slowly late ms",
    ),
    (
        "slow_link",
        "network + between in_between + slow ms latency delay | call calls trip + network way between + ms + each every \
         takes take",
    ),
    (
        "lossy_link",
        "packet packets call calls + percent one + lost loses lose disappear disappears + network between way wire link",
    ),
    (
        "stale_dns",
        "resolve resolves resolving resolved + old previous former wrong + address ip host | moved + noticed told knows \
         learned + never not nobody + address host name",
    ),
    (
        "clock_skew",
        "drift drifted drifts + future ahead behind minutes hours seconds | clock time + future past hours minutes days + ahead behind fast slow wrong lives",
    ),
    (
        "cpu_quota",
        "less fewer fraction fifth tenth half quarter + cpu core cores processor + got gets put resize may allowed | \
         cpu processor + half third quarter tenth + taken cut only allowed",
    ),
    (
        "consumer_stall",
        "consumer consumers + wedged wedge frozen asleep | consumer consumers + hold holds holding + message messages + \
         not never none",
    ),
    (
        "connection_storm",
        "reconnect reconnects reconnecting + loop storm constantly again_and everyone | opening open + \
         connection connections + all nothing_else + does busy client clients",
    ),
    (
        "traffic_surge",
        "more far_more many_more + customer customers visitor visitors user users + than + ever usual expected planned \
         before",
    ),
    (
        "lock_contention",
        "transaction migration session + keep keeps keeping hold holds + lock locks | lock + other others all everyone \
         everybody + wait waits behind must",
    ),
    (
        "split_brain",
        "both two + node nodes server servers database databases + primary primaries master leader + time once same",
    ),
    ("plan_flip", "planner optimiser optimizer + ignore ignores wrong other different + index plan statistics"),
    (
        "failover",
        "standby secondary replica + takes_over took_over taken_over promoted + primary memory cores smaller slower",
    ),
    ("descriptor_leak", "file descriptor descriptors handles sockets + ran_out run_out out_of exhausted none left"),
    ("canary", "canary + fail fails failing broken 500 503 ready"),
    ("compression", "compress compressed compression + off longer not larger bigger"),
];
