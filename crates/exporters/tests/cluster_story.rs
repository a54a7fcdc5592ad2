//! Laws of one story: in random worlds, series, lines, traces, events and objects of the same moment agree.

use std::collections::BTreeMap;
use std::time::Duration;

use apps::{Site, SiteOptions};
use cluster::api::User;
use cluster::json;
use exporters::{ObservabilityServer, Observatory};
use kubectl::Terminal;
use proptest::prelude::*;
use serde_json::Value;
use telemetry::TelemetryRequest;

/// Minutes that are watched before and after something is broken.
const BEFORE: i64 = 8;
const AFTER: i64 = 8;

/// A world in which something was broken after a while.
struct BrokenWorld {
    site: Site,
    observatory: Observatory,
    namespace: &'static str,
    terminal: Terminal,
}

/// What can be done to a service of an application; `{}` is its name.
const DEEDS: [&str; 7] = [
    "true",
    "kubectl scale deployment/{} --replicas=0",
    "kubectl set image deployment/{} *=nosuch/image:1",
    "kubectl set resources deployment/{} --limits=memory=8Mi --requests=memory=4Mi",
    "kubectl patch service {} -p '{\"spec\":{\"selector\":{\"nothing\":\"here\"}}}'",
    "kubectl set resources deployment/{} --limits=cpu=5m --requests=cpu=5m",
    "kubectl rollout restart deployment/{}",
];
const WORLDS: [(&str, &[&str]); 2] = [
    ("hotel-reservation", &["geo", "rate", "profile", "search", "reservation", "user"]),
    ("social-network", &["user-service", "post-storage-service", "text-service", "media-service"]),
];

fn broken_world(world: usize, service: usize, deed: usize, seed: u64) -> BrokenWorld {
    let (namespace, services) = WORLDS[world % WORLDS.len()];
    let options = SiteOptions { applications: vec![namespace.into()], seed, ..SiteOptions::default() };
    let site = Site::deploy(&options).expect("it starts");
    let terminal = Terminal::new(User::new("kubernetes-admin", &["system:masters"]))
        .in_namespace(namespace)
        .costing(Duration::ZERO);
    let observatory = Observatory::new(site.cluster.now());
    let mut world = BrokenWorld { site, observatory, namespace, terminal };
    world.watch(BEFORE);
    let line = DEEDS[deed % DEEDS.len()].replace("{}", services[service % services.len()]);
    world.run(&line);
    world.watch(AFTER);
    // Everything is compared at the moment of a look.
    let next = world.observatory.next_look();
    world.observatory.advance(&mut world.site.cluster, &mut world.site.fleet, next);
    world
}

impl BrokenWorld {
    fn watch(&mut self, minutes: i64) {
        let to = self.site.cluster.now().after_secs(60 * minutes);
        self.observatory.advance(&mut self.site.cluster, &mut self.site.fleet, to);
    }

    fn run(&mut self, line: &str) -> String {
        let (cluster, fleet) = self.site.parts();
        self.terminal.run(cluster, fleet, line).stdout
    }

    fn ask(&mut self, server: ObservabilityServer, path: &str, params: &[(&str, &str)]) -> Value {
        let response = self.observatory.answer(server, &TelemetryRequest::get(path, params));
        assert_eq!(response.status, 200, "{path} {params:?}: {}", response.body_text());
        serde_json::from_slice::<Value>(&response.body).expect("JSON")["data"].take()
    }

    /// The values of a PromQL expression by these labels.
    fn promql(&mut self, query: &str, by: &[&str]) -> BTreeMap<Vec<String>, f64> {
        let data = self.ask(ObservabilityServer::Prometheus, "/api/v1/query", &[("query", query)]);
        let entry = |series: &Value| {
            let key = by.iter().map(|label| series["metric"][*label].as_str().unwrap_or("").to_string()).collect();
            (key, series["value"][1].as_str().and_then(|text| text.parse().ok()).expect("a number"))
        };
        data["result"].as_array().expect("a vector").iter().map(entry).collect()
    }
}

fn restarts_agree(world: &mut BrokenWorld) {
    let namespace = world.namespace;
    let query = format!("kube_pod_container_status_restarts_total{{namespace=\"{namespace}\"}}");
    let counted = world.promql(&query, &["pod", "container"]);
    let printed = world.run("kubectl get pods --no-headers");
    let pods: Vec<_> = world.site.cluster.objects("pods", Some(namespace)).cloned().collect();
    let events: Vec<_> = world.site.cluster.objects("events", Some(namespace)).cloned().collect();
    for pod in pods {
        let name = json::text(&pod, "metadata.name");
        let (mut all, mut started) = (0, 0);
        for status in json::list(&pod, "status.containerStatuses") {
            let restarts = json::int(status, "restartCount").expect("a count");
            let key = vec![name.to_string(), json::text(status, "name").to_string()];
            assert_eq!(counted.get(&key).copied(), Some(restarts as f64), "{name}: series and object");
            all += restarts;
            let is_waiting = status["state"]["waiting"].is_object() && !status["lastState"]["terminated"].is_object();
            started += if is_waiting { 0 } else { restarts + 1 };
        }
        let done = json::list(&pod, "status.initContainerStatuses").iter();
        started += done.filter_map(|status| Some(json::int(status, "restartCount")? + 1)).sum::<i64>();
        let line = printed.lines().find(|line| line.split_whitespace().next() == Some(name));
        let column = line.and_then(|line| line.split_whitespace().nth(3)).and_then(|text| text.parse::<i64>().ok());
        assert_eq!(column, Some(all), "{name}: kubectl prints the same restarts: {line:?}");
        let own: Vec<_> = events.iter().filter(|event| json::text(event, "involvedObject.name") == name).collect();
        let count = |reason: Option<&str>| -> i64 {
            let wanted = own.iter().filter(|event| reason.is_none_or(|reason| json::text(event, "reason") == reason));
            wanted.filter_map(|event| json::int(event, "count")).sum()
        };
        // A kubelet tells 25 events of a pod at once and from then on one in five minutes.
        match count(None) < 25 {
            true => assert_eq!(count(Some("Started")), started, "{name}: an event for every start"),
            false => assert!(count(Some("Started")) <= started, "{name}: no more starts than there were"),
        }
    }
}

fn top_agrees(world: &mut BrokenWorld) {
    let namespace = world.namespace;
    let memory = world
        .promql(&format!("sum by (pod) (container_memory_working_set_bytes{{namespace=\"{namespace}\"}})"), &["pod"]);
    let cpu = format!("sum by (pod) (rate(container_cpu_usage_seconds_total{{namespace=\"{namespace}\"}}[1m]))");
    let cpu = world.promql(&cpu, &["pod"]);
    let top = world.run("kubectl top pods --no-headers");
    assert!(top.lines().count() > 3, "{top}");
    for line in top.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |text: &str, unit: &str| text.strip_suffix(unit).and_then(|text| text.parse::<f64>().ok());
        let (milli, mebi) = (number(words[1], "m").expect("cores"), number(words[2], "Mi").expect("bytes"));
        let key = vec![words[0].to_string()];
        let told = memory.get(&key).expect("a series for every pod") / f64::from(1 << 20);
        assert!((told - mebi).abs() <= 1.0 + 0.02 * mebi, "{line}: {told} MiB in the series");
        // Over a minute the load moves a little; a pod that began within it is not settled.
        if let Some(cores) = cpu.get(&key) {
            assert!((cores * 1000.0 - milli).abs() <= 3.0 + 0.25 * milli, "{line}: {} m in the series", cores * 1000.0);
        }
    }
}

/// Errors of callers in the last minutes: as series count them, and in the lines that they print beyond what they print when all is well.
fn errors_agree(world: &mut BrokenWorld) {
    let errors = "sum by (service_name) (increase(traces_span_metrics_calls_total{span_kind=\"SPAN_KIND_CLIENT\",\
                  status_code=\"STATUS_CODE_ERROR\"}[6m]))";
    let errors = world.promql(errors, &["service_name"]);
    let namespace = world.namespace;
    let lines = |world: &mut BrokenWorld, offset: &str| -> BTreeMap<String, f64> {
        let query = format!("sum by (container) (count_over_time({{namespace=\"{namespace}\"}}[6m]{offset}))");
        let now = (world.site.cluster.now().0 * 1000).to_string();
        let data = world.ask(ObservabilityServer::Loki, "/loki/api/v1/query", &[("query", &query), ("time", &now)]);
        let entry = |series: &Value| {
            let name = series["metric"]["container"].as_str().unwrap_or("").to_string();
            (name, series["value"][1].as_str().and_then(|text| text.parse().ok()).expect("a number"))
        };
        data["result"].as_array().expect("a vector").iter().map(entry).collect()
    };
    let (now, then) = (lines(world, ""), lines(world, " offset 9m"));
    let containers = containers_of(world);
    for (key, count) in errors {
        let own = containers.iter().filter(|(program, _)| *program == key[0]).map(|(_, container)| container);
        let total = |at: &BTreeMap<String, f64>| own.clone().filter_map(|name| at.get(name)).sum::<f64>();
        let more = total(&now) - total(&then);
        // A program prints two lines a second of one kind at most, and its own chatter wobbles.
        if count >= 30.0 && own.clone().next().is_some() {
            assert!(more > 0.0, "{key:?}: {count} errors and no more lines than before ({more})");
        }
        assert!(more <= 1.3 * count + 40.0, "{key:?}: {more} more lines, but {count} errors");
    }
}

/// Programs as traces name them, with the container in which each runs.
fn containers_of(world: &BrokenWorld) -> Vec<(String, String)> {
    let pods = world.site.cluster.objects("pods", Some(world.namespace));
    let containers = pods.flat_map(|pod| json::list(pod, "spec.containers").to_vec());
    let mut all: Vec<(String, String)> = containers
        .map(|container| json::text(&container, "name").to_string())
        .map(|name| (name.trim_start_matches("hotel-reserv-").to_string(), name))
        .collect();
    all.sort();
    all.dedup();
    all
}

/// Spans of the last minutes by service: how many there are, how many failed, and how long they took in milliseconds.
fn spans(world: &mut BrokenWorld) -> BTreeMap<(String, String), (Vec<f64>, usize)> {
    let services = world.ask(ObservabilityServer::Jaeger, "/api/services", &[]);
    let start = (world.site.cluster.now().0 - 360_000_000).to_string();
    let mut traces: BTreeMap<String, Value> = BTreeMap::new();
    for service in services.as_array().expect("a list").iter().filter_map(Value::as_str) {
        let params = [("service", service), ("start", start.as_str()), ("limit", "1000")];
        for trace in world.ask(ObservabilityServer::Jaeger, "/api/traces", &params).as_array().expect("a list") {
            traces.insert(trace["traceID"].as_str().expect("an id").to_string(), trace.clone());
        }
    }
    let mut found: BTreeMap<(String, String), (Vec<f64>, usize)> = BTreeMap::new();
    for trace in traces.values() {
        for span in trace["spans"].as_array().expect("a list").iter().filter(|span| span["references"][0].is_object()) {
            let service = trace["processes"][span["processID"].as_str().expect("an id")]["serviceName"].as_str();
            let key =
                (service.expect("a name").to_string(), span["operationName"].as_str().expect("a name").to_string());
            let failed =
                span["tags"].as_array().into_iter().flatten().any(|tag| tag["key"] == "error" && tag["value"] == true);
            let (durations, failures) = found.entry(key).or_default();
            durations.push(span["duration"].as_i64().expect("a number") as f64 / 1000.0);
            *failures += usize::from(failed);
        }
    }
    found
}

fn traces_agree(world: &mut BrokenWorld) {
    let server = "span_kind=\"SPAN_KIND_SERVER\"";
    let by = ["service_name", "span_name"];
    let sum = |what: &str| {
        format!("sum by (service_name, span_name) (increase(traces_span_metrics_calls_total{{{what}}}[6m]))")
    };
    let all = world.promql(&sum(server), &by);
    let failed = world.promql(&sum(&format!("{server},status_code=\"STATUS_CODE_ERROR\"")), &by);
    let within = |quantile: f64| {
        format!(
            "histogram_quantile({quantile}, sum by (le, service_name, span_name) \
             (increase(traces_span_metrics_duration_milliseconds_bucket{{{server}}}[6m])))"
        )
    };
    let (median, high) = (world.promql(&within(0.5), &by), world.promql(&within(0.99), &by));
    for ((service, operation), (mut durations, failures)) in spans(world) {
        let key = vec![service.clone(), operation.clone()];
        let (Some(calls), true) = (all.get(&key).copied().filter(|calls| *calls > 0.0), durations.len() >= 40) else {
            continue;
        };
        let (counted, traced) =
            (failed.get(&key).copied().unwrap_or(0.0) / calls, failures as f64 / durations.len() as f64);
        // Traces are a few of the calls: four deviations of such a draw, and what changed between two looks.
        let slack = 4.0 * (counted * (1.0 - counted) / durations.len() as f64).sqrt() + 0.06;
        assert!(
            (counted - traced).abs() <= slack,
            "{service} {operation}: {counted} fail in series, {traced} in traces"
        );
        durations.sort_by(f64::total_cmp);
        let (own, p50, p99) = (durations[durations.len() / 2], median[&key], high[&key]);
        // The histogram has few buckets, so that its median is good to a factor.
        assert!(
            own <= 2.5 * p50 + 5.0 && own >= 0.3 * p50 - 5.0,
            "{service} {operation}: half of the spans within {own} ms, of the calls within {p50}"
        );
        let most = durations[durations.len() - 1 - durations.len() / 50];
        assert!(
            most <= 2.0 * p99 + 10.0,
            "{service} {operation}: spans of {most} ms, but 99 of 100 calls within {p99}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, max_shrink_iters: 0, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_who_watch_tell_one_story(world in 0..WORLDS.len(), service in 0usize..6, deed in 0..DEEDS.len(), seed in 0u64..50) {
        let mut world = broken_world(world, service, deed, seed);
        restarts_agree(&mut world);
        top_agrees(&mut world);
        errors_agree(&mut world);
        traces_agree(&mut world);
        lines_agree(&mut world);
    }
}

/// Loki has every line that `kubectl logs` shows.
fn lines_agree(world: &mut BrokenWorld) {
    let pods: Vec<String> = world
        .site
        .cluster
        .objects("pods", Some(world.namespace))
        .map(|pod| json::text(pod, "metadata.name").into())
        .collect();
    for pod in pods.iter().take(8) {
        let printed = world.run(&format!("kubectl logs {pod} --all-containers --since=5m"));
        let query = format!("{{pod=\"{pod}\"}}");
        let since = ((world.site.cluster.now().0 - 900_000_000) * 1000).to_string();
        // The end of a range is not part of it.
        let end = ((world.site.cluster.now().0 + 1_000_000) * 1000).to_string();
        let params = [("query", query.as_str()), ("start", since.as_str()), ("end", end.as_str()), ("limit", "5000")];
        let data = world.ask(ObservabilityServer::Loki, "/loki/api/v1/query_range", &params);
        let streams = data["result"].as_array().expect("streams").iter();
        let lines = streams.flat_map(|stream| stream["values"].as_array().expect("lines").clone());
        let mut kept: BTreeMap<String, i64> = BTreeMap::new();
        lines.for_each(|line| *kept.entry(line[1].as_str().expect("a line").to_string()).or_default() += 1);
        // What was printed since the last look is not collected yet; there was none since.
        for line in printed.lines().filter(|line| !line.is_empty()) {
            let left = kept.entry(line.to_string()).or_default();
            *left -= 1;
            assert!(*left >= 0, "{pod}: Loki lacks {line:?}");
        }
    }
}
