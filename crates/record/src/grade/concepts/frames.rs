//! Mechanisms as frames: a thing and what befell it, in any order and with words between.
//!
//! A phrase knows one way to say something; a frame knows the words for the thing and the words for its state, and takes
//! every way to bring them together in one thought. Slots are separated by `+`, the words of a slot by blanks, two words
//! that stand together are joined by `_`, and `@name` is a class of [`CLASSES`].

/// Words that stand for the same in many frames.
pub(super) const CLASSES: &[(&str, &str)] = &[
    (
        "no",
        "no not never nobody nothing none without cannot cant dont doesnt didnt isnt arent wasnt werent hasnt \
         havent wont unable stop stopped forgot forget forgets forgotten refuses miss missed neglected failed_to \
         fails_to",
    ),
    (
        "few",
        "few fewer only just little short insufficient less cut reduce lowered shrunk shrank trim scale halve max \
         merely tiny handful scarce limited lack shortage starve downsized cramped decrease diminish",
    ),
    (
        "died",
        "crash die died dies dying dead kill exit segfault abort gone vanish disappear lost terminate perish \
         fallen fell_over quit ended shot oom bail bailed went_down",
    ),
    ("disk", "disk volume vol storage filesystem drive device mount ssd ebs pvc block_device"),
    (
        "slow",
        "slow slower slowly crawl sluggish latency lag degrade drag ms creep slowness seconds congest slowed \
         throttled dragging glacial millisecond",
    ),
    (
        "gone",
        "lost lose loses gone missing drop remove delete vanish disappear absent lack went_away go_away left \
         leave died die dead down disconnect crash unreachable fail departed dropped_out fell_out withdrew \
         withdrawn quit ceased offline cut_off torn",
    ),
    ("cert", "certificate cert tls ssl x509"),
    ("entries", "entry value key item object cached record product result"),
    (
        "old",
        "old previous former stale outdated wrong retired decommissioned dead nonexistent obsolete defunct \
         abandoned switched_off shut_down turned_off bogus misspelt",
    ),
    ("host", "host hostname address machine node endpoint server name url location ip box place"),
    ("build", "build release version deploy deployment rollout revision commit patch update upgrade hotfix image"),
    ("memory", "memory heap rss ram footprint"),
    ("replica", "replica secondary standby follower"),
];

/// The frames of a mechanism, by its name; a mechanism may have several, separated by `|`.
pub(super) const FRAMES: &[(&str, &str)] = &[
    (
        "crash",
        "process daemon pid + gone dead died exit kill vanish disappear missing terminate stop ended | nothing \
         nobody + listen + port | stay remain + down dead | took take + itself + down | process daemon instance + \
         not_running ceased absent not_up | exit exited + code status signal + 1 9 11 134 137 139 kill | stopped \
         stop + responding answering + process",
    ),
    (
        "worker_crash",
        "worker + left alive remain + out_of only just | worker + @died | worker + respawn replace come_back \
         came_back + @no | worker child + segv sigsegv sigkill oom",
    ),
    (
        "memory_leak",
        "@memory + grow grew climb rise rose creep accumulate swell increase + @no until steadily monotonically \
         constantly keep continuous continuously minute hour every request | @memory + @no + release free return \
         give_back given_back reclaim handed_back back | @memory + hold holds keep longer more + back + none \
         never not | allocate allocation + free release + @no | object buffer session + pile accumulate retain + \
         memory heap | garbage collector + cannot never nothing + free reclaim",
    ),
    (
        "memory_limit",
        "memory ram + allowance allotment ceiling headroom | memory ram mb gb megabyte gigabyte mib gib + give \
         given gets got limit cap allow allot restrict grant assign size + @few too small low tiny lower | memory \
         ram + @few small tiny low | cache redis memcached + gb mb megabyte gigabyte + cut reduce lower shrink \
         shrunk trim only just | cache redis memcached + shrink shrunk downsized small tiny undersized cramped | \
         working_set hot_set data_set + fit hold + @no | memory ram + squeeze starve tight | mb gb megabyte + all \
         only just + memory cache use | mb gb + allowed may grant + cache redis",
    ),
    (
        "eviction",
        "throw thrown push kick drop + out away + @entries hot | @entries + push pushed thrown throw kick \
         displaced discard + room new memory space",
    ),
    (
        "disk_full",
        "@disk + full fill exhaust no_space no_room ran_out run_out at_100 is_100 used_up | no not zero nothing + \
         byte space room + @disk | @disk + space room + ran run out exhaust used_up low short lack | @disk + brim \
         capacity 99 packed overflow | log wal file + fill eat swallow + @disk space | @disk + ceiling limit + \
         hit reach | nowhere + write left",
    ),
    (
        "maintenance_mode",
        "planned scheduled + work window downtime + still left never forgot think believe | maintenance + left \
         still never forgot | maintenance + off end ended leave exit + @no | read_only + switch flag mode left \
         still",
    ),
    (
        "auth_expired",
        "token credential secret password login + expire lapse ran_out run_out invalid stale outdated reject \
         revoke expiry end_of past_its | token credential secret password key + valid accept renew rotate + @no | \
         authentication auth + reject refuse denied | login log_in authenticate authentication + reject refuse \
         expired denied fail + token credential password secret | token credential secret password + expiration \
         outlived",
    ),
    (
        "tls_expired",
        "@cert + expire lapse ran_out run_out expiry | @cert + renew + @no | @cert + valid + @no | @cert + past + \
         date validity notafter expiry | handshake + fail refuse reject + certificate cert expire | https + \
         certificate cert + invalid outdated | @cert + last_year year_old old outdated",
    ),
    (
        "connection_pool",
        "caller request client thread query everyone + wait queue line + connection | connection + pool + @few \
         small exhaust | hand handed lend lends obtain acquire borrow checkout + connection + few only until none \
         wait exhaust merely long | connection session slot + ran_out run_out exhaust used_up all_taken + \
         database db pool | pool + small tiny exhaust drained empty dry maxed full limit undersized bottleneck \
         starve | connection + scarce shortage starve bottleneck + database db pool | get obtain acquire + \
         connection + cannot cant wait long timeout",
    ),
    (
        "cache_ttl",
        "@entries + forget forgotten expire vanish live lapse discard kept + second soon early quickly fast short \
         briefly moment prematurely | @entries + expire lapse forget + almost immediately instantly quickly early \
         | time_to lifetime lifespan retention expiry expiration + @few low short too | @entries + live lives \
         survive last + second moment only | cache + keep keeps hold holds remember remembers + only just few \
         second seconds briefly",
    ),
    (
        "missing_index",
        "index + drop lost gone missing lack remove delete vanish disappear absent | read scan walk search + \
         whole entire complete full every all + table row | index + @no + there any_more exist | index + exist \
         present defined created built + @no | table + scan scanned + every each whole full sequential | query \
         lookup search + index + @no | sequentially + table row",
    ),
    (
        "worker_limit",
        "worker + @few number scarce | serve handle process take + only just most + request + time once parallel \
         concurrently simultaneously | worker + max maximum cap limit + low lower small tight | worker + dial \
         dialled scaled + down back | worker thread + occupied taken saturated + all every | worker + cannot cant \
         + serve handle cope + many load user request | worker + used_to + have had",
    ),
    (
        "query_timeout",
        "query statement report + cancel kill abort cut interrupt terminate + timeout after early ms limit before \
         second soon | statement query + timeout deadline + @few low tight tighten | query statement + limit \
         deadline budget cutoff + ms second short low tight | database db + cancel kill abort + query statement \
         report | query statement + longer + second ms + shot kill cancel cut abort",
    ),
    (
        "connection_limit",
        "connection client + accept allow admit let_in lets_in take + only most few limit no_more | connection + \
         limit cap maximum ceiling + reach hit low lower | connection client + max maximum ceiling cap limit + \
         full reach hit exceed low small tight | connection client + turn_away turned_away refuse reject + limit \
         cap maximum full most | only + connection + at_once concurrent simultaneous simultaneously",
    ),
    (
        "retry_limit",
        "try attempt retry delivery + once single one first zero + message broker queue give_up gives_up \
         dead_letter dlq | throw discard drop give_up gives_up + message + first one single + attempt try \
         delivery failure | retry attempt try + limit number maximum + high low zero | message delivery + tried \
         attempt + times thousand hundred fifty endlessly forever | retry + budget limit count + small low tiny \
         zero one 1 0 | dead_letter dlq + after + first one single attempt failure try",
    ),
    (
        "sticky_sessions",
        "user client session visitor customer browser + same always + node backend server instance machine box | \
         user client session visitor traffic + pin stick stuck bound tied glue + node backend server instance \
         machine one | affinity stickiness + on enabled switched set active | cookie + bind binds tie pin stick | \
         user client session visitor + return returns go goes routed route sent + same",
    ),
    (
        "visibility_timeout",
        "visibility + timeout window period | message job it + hand hands give gives deliver reappear visible + \
         again another second + before while still finish done yet | message + reappear visible second_time again \
         + before while still + finish process work done handle handled | acknowledgement ack + deadline window + \
         short low | hidden invisible + short briefly few + message second | message + somebody_else another \
         other + gets get given receive + same longer before | message + longer + than + second window allowed + \
         again twice another",
    ),
    (
        "rate_limit",
        "request customer user + refuse reject turn_away turned_away deny + rps limiter 429 limit_of | limiter | \
         requests rps + second + only cap limit allow | legitimate normal good ordinary + request traffic user \
         customer + 429 throttle refuse reject turned_away | allow allows permit lets + only + request + second \
         rps",
    ),
    (
        "autovacuum",
        "clean cleanup vacuum purge remove removing collect + dead deleted old obsolete + row tuple version + @no \
         | table + swollen swell swelled | housekeeping + off stop switched disabled | clean cleanup + row tuple \
         table + @no | dead_tuples dead_rows + grow pile accumulate collect | vacuum + off disabled stop stopped \
         halted never | table + bloat bloated + vacuum cleanup",
    ),
    (
        "in_flight_limit",
        "unacknowledged unacked outstanding inflight + message + only limit few cap allow may | prefetch inflight \
         in_flight + low small limit cap only few | consumer + hold have fetch + only few most + message",
    ),
    (
        "idle_timeout",
        "cut close drop kill + quieter quiet silent idle inactive + than after second longer | close cut hang_up \
         hangs_up hung_up drop kill terminate reset sever + connection + idle quiet silent silence inactive | \
         idle + timeout limit cutoff | idle keepalive keep_alive + short aggressive low tight | connection + cut \
         close drop terminate + midway mid response answer reply transfer download | pause pauses quiet idle \
         silent + second ms + disconnect cut drop close reset",
    ),
    (
        "publish_timeout",
        "publish enqueue + give_up gives_up gave_up timeout abort early soon deadline ms | publish enqueue \
         confirm + patience deadline limit + short low ms tight | give_up gives_up gave_up + queue broker publish \
         + early soon after ms",
    ),
    (
        "request_timeout",
        "request call answer response upstream + abort give_up gives_up abandon cancel cut + before early soon \
         prematurely | give_up gives_up patience abandon impatient + after + ms second | wait + upstream backend \
         answer response + only | timeout deadline + request upstream call + short low tight aggressive small ms \
         | give_up gives_up gave_up impatient + upstream database db answer response backend",
    ),
    (
        "cache_host",
        "talk connect look point reach ask + @old + @host | cache redis + @old + host hostname address endpoint \
         url location ip | cache redis + address hostname endpoint url + wrong old stale invalid changed misspelt \
         typo point | cache redis + moved + told updated know + @no",
    ),
    (
        "cache_bypass",
        "cache + consult ask use query look check read + @no | cache + skip circumvent around ignore | every each \
         all + read request lookup + straight directly direct + database db",
    ),
    (
        "backend_weight",
        "request traffic load + route send sent go goes get gets land receive + first one single primary + \
         backend node server | give gives hand route send sent + of_100 percent of_ten out_of + request traffic | \
         weight share + backend node uneven skew wrong | weight weighting + wrong uneven skew lopsided unbalanced \
         imbalance | one first single + backend node + most all nearly bulk lion + traffic request | traffic \
         request + distribute split spread shared + unevenly uneven badly lopsided unequally",
    ),
    (
        "poison_messages",
        "message payload order event + decode parse deserialize deserialise digest understand + @no | message \
         payload event + invalid garbage | malformed unparsable unprocessable toxic garbage broken + message \
         payload event | message payload event + crash choke trip + consumer worker handler | unprocessable \
         undeliverable corrupt invalid bad + message payload event | head_of + queue + message block",
    ),
    (
        "retry_storm",
        "retry + storm amplify amplification feed multiply extra sustain flood pile self avalanche | retry resend \
         repeat resent reattempt + keep hold sustain + overload load busy down saturate alive | retry + vicious \
         circle spiral | client caller + retry hammer + keep storm overload",
    ),
    (
        "consumer_concurrency",
        "consumer + @few number scarce | concurrency + down low lower few cut reduce one | consumer + enough \
         sufficient + @no | consumer + keep_up + @no | consumer + outnumbered scaled | consumer + faster more \
         quicker + than + message come arrive | consumer + cope handle manage + @no",
    ),
    (
        "health_check_path",
        "backend + page path url route + ask probe check poll | backend + probe + down unhealthy dead | backend + \
         ask probe check poll + exist have found know answer + @no | probe probing health + wrong 404 misspelt \
         nonexistent + path page url backend | health healthcheck health_check probe + path endpoint url page \
         route + wrong missing nonexistent changed typo 404 bad invalid | probe health + 404 | mark marked \
         consider considers declare + healthy good + backend instance node machine + unhealthy dead down",
    ),
    (
        "bad_build",
        "@build + broken bad break broke throw bug regress regression faulty fault defect defective introduce \
         buggy error crash wrong exception misbehave culprit problem blame ship npe stacktrace 500 | regression \
         bug defect + introduced shipped deployed rolled release build version | new latest last recent + @build \
         + since after with error fail | deploy + wrong broke broken bad faulty | version release build + every \
         each request + fail error throw crash",
    ),
    (
        "crash_loop",
        "die dies died crash exit + every each after + start restart boot startup | die dies died crash exit + \
         again repeatedly + start restart comes_up | crash + loop cycle | start starts comes_up + die dies crash \
         + again immediately seconds straight",
    ),
    (
        "descriptor_leak",
        "socket file descriptor handle fd + open close leak + @no many limit exhaust | file descriptor socket \
         handle + leak exhaust run_out ran_out + open descriptor | open_files open_file + limit many exhaust grow \
         | socket file + opened + close closed + @no",
    ),
    (
        "connection_leak",
        "connection session + return close release hand_back hands_back give_back gives_back given_back \
         handed_back free + @no | connection session + leak hoard | take takes borrow borrows acquire open opens \
         + connection session + return close release back + @no | connection session + abandoned orphaned | \
         connection session + hang_on hangs_on keep holds hoard + for_good forever end | grab grabs + connection \
         + never back forever",
    ),
    (
        "cold_cache",
        "cache redis + empty emptied cold flush wipe purge reset | cache + start started starts + empty scratch \
         nothing | flush flushall flushed + cache redis everything",
    ),
    (
        "replica_lost",
        "@replica + @gone | @replica + heartbeat contact + lost none stopped | lost lose + read_replica replica \
         standby secondary",
    ),
    (
        "replication_lag",
        "@replica replication + lag behind late stale delay old | @replica replication + catch_up keep_up + @no | \
         @replica + minutes seconds hours + behind",
    ),
    (
        "slow_disk",
        "@disk fsync io + @slow wait | io + wait latency high | @disk + performance throughput + poor bad low \
         terrible awful | write read + @disk + take takes took long second ms",
    ),
    (
        "slow_link",
        "network link path wire hop + @slow delay | network link connection path + between + slow latency \
         delay added extra lag ms | round_trip rtt + long high slow ms",
    ),
    (
        "lossy_link",
        "packet network link segment + lose loses lost loss drop | packet segment + arrive + @no | retransmission \
         retransmit + link network between high | call request packet + lost dropped vanish + network way wire \
         between link",
    ),
    (
        "stale_dns",
        "dns name hostname host record + resolve point lead translate + old stale previous former outdated wrong \
         nothing | resolve + old stale previous wrong outdated + address ip host name | dns + stale old outdated \
         cached wrong entry record | dns name hostname + cache cached + old stale | address ip + still + old name \
         dns resolve | resolver dns + answer return returns + old wrong stale | name address + replaced removed \
         gone moved previous + machine host server + look resolve get",
    ),
    (
        "noisy_neighbour",
        "same shared + host machine node box + eat hog steal starve take compete + cpu processor core time | \
         neighbour tenant batch_job job workload vm somebody_else someone_else + cpu node machine host core \
         processor + take steal hog starve monopolise eat share contend use compete | steal + cpu time high | \
         another other foreign + workload tenant job container vm + cpu node machine host | node host machine + \
         overcommitted oversubscribed crowded contended | neighbour + noisy greedy",
    ),
    (
        "clock_skew",
        "clock ntp ntpd + ahead behind off wrong skew drift fast slow sync minute second late | host machine \
         server node + time clock + drift skew ahead behind off wrong",
    ),
    (
        "cpu_quota",
        "cpu core processor + quota limit cut throttle reduce lower share allowance restrict cap shrink | cpu + \
         starve capped | core + fewer less half quarter + cut instead only down",
    ),
    (
        "certificate_mismatch",
        "@cert + wrong different another other mismatch match + name host hostname domain site | @cert + issued \
         made presented serves + other another different wrong + domain host hostname name site | hostname \
         subject san + match mismatch + @cert",
    ),
    (
        "correlated_push",
        "push change profile rollout config + several multiple many + service + once same together | one single \
         same + push change profile config rollout + several multiple many both + service component",
    ),
    (
        "consumer_stall",
        "consumer + stuck stall hang hung frozen freeze block deadlock seize wedge stopped asleep | consumer \
         worker + message job + hang hold held keep sit + @no + finish complete ack acknowledge done progress | \
         message + fetch hold held take taken receive + acknowledge ack finish complete + @no | consumer + \
         nothing none + finish acked consumed progress done | consumption processing + stalled halted standstill \
         ceased | unacked unacknowledged + grow pile climb + consumer | consumer + sit sits sitting + message + \
         never @no nothing",
    ),
    (
        "redelivery",
        "deliver delivery redelivery + again repeat repeated twice duplicate second_time over | same + message \
         job + again over twice repeatedly + deliver process handed handled",
    ),
    (
        "connection_storm",
        "reconnect + all storm once again same_time everyone flood mass herd | log_in login connect authenticate \
         + simultaneously at_once same_time over_and | handshake connection + flood storm burst avalanche | \
         client instance + reconnect connect + storm loop wave hammer simultaneously | connection session + \
         attempt handshake + flood storm thousands wave",
    ),
    (
        "traffic_surge",
        "traffic visitor demand user shopper customer crowd + surge spike quadruple triple double jump burst rush \
         explode sized peak fold tenfold flood wave | traffic request visitor demand + than_usual than_normal \
         times_normal times_usual unprecedented | flash_sale campaign advert promotion + traffic visitor user \
         request load | times_as + visitor user request customer shopper | visitor user customer shopper \
         + flock storm swamp overwhelm overrun",
    ),
    (
        "traffic_mix",
        "mix composition kind type share more + request traffic workload search + change shift expensive heavy \
         costly dear different | crawler bot scraper + search expensive heavy request traffic | share proportion \
         fraction + search expensive heavy report export + rose grew grown higher doubled",
    ),
    (
        "telemetry",
        "metric graph scrape dashboard series monitoring telemetry + stale old gap fail failing wrong delay \
         artefact artifact frozen late | metric dashboard graph monitoring + lie lying broken stopped blind | \
         scrape exporter + broken fail failed down stuck stopped",
    ),
    (
        "partition",
        "reach route path connectivity talk see + @no cut_off lost + network zone switch firewall rack half some \
         between | network zone rack + partition split isolate cut_off | network + partition split severed | \
         isolated cut_off unreachable + network zone rack switch some half | web database cache queue server + \
         see reach find contact + each_other other + @no",
    ),
    (
        "lock_contention",
        "lock locked transaction + wait block hold held | lock locked + table row half | transaction session \
         migration statement + block + other all write update everyone | lock + contention exclusive | row table \
         + locked lock + wait blocked hold | uncommitted + transaction + block wait hold",
    ),
    (
        "corruption",
        "page block data table file checksum + corrupt damage mismatch rot torn | corrupt damaged + page block \
         data table index row | checksum + fail failing mismatch error wrong",
    ),
    (
        "split_brain",
        "both two + primary master leader + write accept believe think consider active | two both + node server \
         database side + primary master leader | old + primary master + still + write accept active fenced",
    ),
    (
        "failover",
        "standby secondary + promote take_over took_over takes_over | failover promoted promotion + weaker \
         smaller slower undersized cold small",
    ),
    (
        "plan_flip",
        "plan planner optimizer optimiser statistics + bad wrong awful worse stale outdated out_of switch change \
         flip poor old favour | plan planner optimizer + nested regress | statistics + stale old outdated wrong \
         missing | analyze + never + table statistics",
    ),
    (
        "third_party",
        "external vendor provider partner supplier third_party + slow fail down outage error late second degrade \
         | external third_party vendor provider partner + api service call dependency + slow fail down timeout \
         error degrade",
    ),
    ("table_bloat", "transaction + open idle old left + bloat cleanup vacuum dead"),
    ("compression", "store stored keep + raw plain uncompressed"),
    ("read_replica", "replica + use used serve + @no | replica + unused bypassed switched_off"),
    ("canary", "canary + traffic request user share weight percent many much all"),
    ("wraparound", "transaction_id xid txid + exhaust wrap run_out ran_out frozen limit"),
];
