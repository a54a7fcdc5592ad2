//! The broker's own tools.

use cluster::ExecEnd;

use super::{KafkaStore, Partition, Topic};
use crate::scatter::stir;
use crate::stores::ConsoleCall;
use crate::stores::console::Options;

const WITH_VALUE: &[&str] = &[
    "--bootstrap-server",
    "--broker-list",
    "--topic",
    "--group",
    "--partitions",
    "--replication-factor",
    "--config",
    "--max-messages",
    "--partition",
    "--offset",
    "--timeout-ms",
    "--to-offset",
    "--shift-by",
    "--offset-json-file",
    "--property",
    "--time",
    "--entity-type",
    "--entity-name",
    "--add-config",
    "--delete-config",
    "--command-config",
];

/// Runs a tool.
pub(super) fn console(store: &mut KafkaStore, call: &ConsoleCall) -> ExecEnd {
    store.now = call.now;
    let name = call.words.first().map_or("", |name| name.rsplit('/').next().unwrap_or(name)).to_string();
    let options = Options::read(&call.words[1..], WITH_VALUE);
    if !options.has(&["--bootstrap-server", "--broker-list"]) {
        return ConsoleCall::fails(1, "Missing required argument \"[bootstrap-server]\"\n");
    }
    match &*name {
        "kafka-topics.sh" => topics(store, &options),
        "kafka-consumer-groups.sh" => super::group_tool::groups(store, &options),
        "kafka-console-consumer.sh" => consume(store, &options),
        "kafka-console-producer.sh" => produce(store, &options, &call.input),
        "kafka-get-offsets.sh" => offsets(store, &options),
        "kafka-delete-records.sh" => delete_records(store, &call.input),
        "kafka-broker-api-versions.sh" => ConsoleCall::prints(
            "kafka:9092 (id: 1 rack: null) -> (\n\tProduce(0): 0 to 11 [usable: 11],\n\tFetch(1): 0 to 17 [usable: 17],\n\t\
             Metadata(3): 0 to 12 [usable: 12]\n)\n",
        ),
        "kafka-log-dirs.sh" => log_dirs(store),
        "kafka-metadata-quorum.sh" => ConsoleCall::prints(
            "ClusterId:              ckjPoprWQzOf0-FuNkGfFQ\nLeaderId:               1\nLeaderEpoch:            1\nHighWatermark:          \
             2417\nMaxFollowerLag:         0\nMaxFollowerLagTimeMs:   0\nCurrentVoters:          [1]\nCurrentObservers:       []\n",
        ),
        _ => configs(store, &options),
    }
}

fn no_topic(name: &str) -> ExecEnd {
    let why = format!("Error while executing topic command : Topic '{name}' does not exist as expected\n");
    ConsoleCall::fails(1, why)
}

fn topic_id(name: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let (mut state, mut out) = (stir(name), String::new());
    for _ in 0..22 {
        out.push(char::from(LETTERS[(state % 64) as usize]));
        state = state.rotate_left(11).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    out
}

fn topics(store: &mut KafkaStore, options: &Options) -> ExecEnd {
    let name = options.get(&["--topic"]).map(ToString::to_string);
    if options.has(&["--list"]) {
        return ConsoleCall::prints(store.topics.keys().map(|name| format!("{name}\n")).collect::<String>());
    }
    if options.has(&["--describe"]) {
        if let Some(name) = name.as_ref().filter(|name| !store.topics.contains_key(*name)) {
            return no_topic(name);
        }
        let wanted = store.topics.iter().filter(|(own, _)| name.as_ref().is_none_or(|name| name == *own));
        return ConsoleCall::prints(wanted.map(|(name, topic)| described(name, topic)).collect::<String>());
    }
    let Some(name) = name else { return ConsoleCall::fails(1, "Missing required argument \"[topic]\"\n") };
    if options.has(&["--create"]) {
        return create(store, &name, options);
    }
    if !store.topics.contains_key(&name) {
        return no_topic(&name);
    }
    if options.has(&["--delete"]) {
        store.topics.remove(&name);
        store.groups.values_mut().for_each(|group| group.offsets.retain(|(topic, _), _| *topic != name));
        return ConsoleCall::prints("");
    }
    if let (true, Some(count)) = (options.has(&["--alter"]), options.get(&["--partitions"])) {
        let count: usize = count.parse().unwrap_or(1);
        let topic = store.topic(&name);
        let has = topic.partitions.len();
        if count <= has {
            return ConsoleCall::fails(
                1,
                format!(
                    "Error while executing topic command : Topic currently has {has} partitions, which is higher than the \
                     requested {count}.\n"
                ),
            );
        }
        topic.partitions.resize(count, Partition::default());
        return ConsoleCall::prints("");
    }
    ConsoleCall::fails(
        1,
        "Command must include exactly one action: --list, --describe, --create, --alter or --delete\n",
    )
}

fn create(store: &mut KafkaStore, name: &str, options: &Options) -> ExecEnd {
    if store.topics.contains_key(name) {
        if options.has(&["--if-not-exists"]) {
            return ConsoleCall::prints("");
        }
        let why = format!("Error while executing topic command : Topic '{name}' already exists.\n");
        return ConsoleCall::fails(1, why);
    }
    let count = options.get(&["--partitions"]).and_then(|count| count.parse().ok()).unwrap_or(1);
    let settings = options.all(&["--config"]).filter_map(|pair| pair.split_once('='));
    let settings = settings.map(|(name, value)| (name.to_string(), value.to_string())).collect();
    store.topics.insert(name.into(), Topic { partitions: vec![Partition::default(); count], settings });
    ConsoleCall::prints(format!("Created topic {name}.\n"))
}

fn described(name: &str, topic: &Topic) -> String {
    let settings: Vec<String> = topic.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut out = format!(
        "Topic: {name}\tTopicId: {}\tPartitionCount: {}\tReplicationFactor: 1\tConfigs: {}\n",
        topic_id(name),
        topic.partitions.len(),
        settings.join(",")
    );
    for number in 0..topic.partitions.len() {
        out.push_str(&format!("\tTopic: {name}\tPartition: {number}\tLeader: 1\tReplicas: 1\tIsr: 1\n"));
    }
    out
}

fn consume(store: &KafkaStore, options: &Options) -> ExecEnd {
    let Some(name) = options.get(&["--topic"]) else {
        return ConsoleCall::fails(1, "Exactly one of --include/--topic is required. \n");
    };
    let Some(topic) = store.topics.get(name) else {
        let why = format!(
            "WARN [Consumer clientId=console-consumer] The metadata response from the cluster reported a recoverable issue \
             with correlation id 2 : {{{name}=UNKNOWN_TOPIC_OR_PARTITION}} (org.apache.kafka.clients.NetworkClient)\n\
             Processed a total of 0 messages\n"
        );
        return ConsoleCall::fails(0, why);
    };
    let most = options.get(&["--max-messages"]).and_then(|most| most.parse().ok()).unwrap_or(500);
    let only: Option<usize> = options.get(&["--partition"]).and_then(|number| number.parse().ok());
    let mut out = String::new();
    let mut count = 0;
    let partitions = topic.partitions.iter().enumerate();
    for (_, partition) in partitions.filter(|(number, _)| only.is_none_or(|only| only == *number)) {
        let from = match options.get(&["--offset"]) {
            Some("earliest") => partition.start,
            Some(offset) => offset.parse().unwrap_or(partition.end as i64),
            None if options.has(&["--from-beginning"]) => partition.start,
            None => partition.end as i64,
        };
        for offset in from.max(partition.start)..partition.end as i64 {
            if count == most {
                break;
            }
            let made = || format!("{{\"orderId\": \"{:016x}\"}}", stir(&format!("{name}/{offset}")));
            out.push_str(&partition.records.get(&offset).cloned().unwrap_or_else(made));
            out.push('\n');
            count += 1;
        }
    }
    let stderr = format!("Processed a total of {count} messages\n").into_bytes();
    ExecEnd { stdout: out.into_bytes(), stderr, ..ExecEnd::default() }
}

fn produce(store: &mut KafkaStore, options: &Options, input: &str) -> ExecEnd {
    let Some(name) = options.get(&["--topic"]) else {
        return ConsoleCall::fails(1, "Missing required option(s) [topic]\n");
    };
    let partition = store.topic(name).partitions.first_mut().expect("a topic has a partition");
    for line in input.lines() {
        let at = partition.end.trunc();
        partition.records.insert(at as i64, line.into());
        partition.end = at + 1.0;
    }
    ConsoleCall::prints("")
}

fn offsets(store: &KafkaStore, options: &Options) -> ExecEnd {
    let only = options.get(&["--topic"]);
    let is_first = matches!(options.get(&["--time"]), Some("-2" | "earliest"));
    let mut out = String::new();
    for (name, topic) in store.topics.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)) {
        for (number, partition) in topic.partitions.iter().enumerate() {
            let offset = if is_first { partition.start } else { partition.end as i64 };
            out.push_str(&format!("{name}:{number}:{offset}\n"));
        }
    }
    ConsoleCall::prints(out)
}

fn log_dirs(store: &KafkaStore) -> ExecEnd {
    let partitions = store.topics.iter().flat_map(|(name, topic)| {
        let rows = topic.partitions.iter().enumerate();
        rows.map(move |(number, own)| {
            let size = (own.end - own.start as f64).max(0.0) * 400.0;
            serde_json::json!({"partition": format!("{name}-{number}"), "size": size as i64, "offsetLag": 0, "isFuture": false})
        })
    });
    let partitions: Vec<serde_json::Value> = partitions.collect();
    let dirs = serde_json::json!([{"partitions": partitions, "error": null, "logDir": "/tmp/kraft-combined-logs"}]);
    let brokers = serde_json::json!({"version": 1, "brokers": [{"broker": 1, "logDirs": dirs}]});
    ConsoleCall::prints(format!(
        "Querying brokers for log directories information\nReceived log directory information from brokers 1\n{brokers}\n"
    ))
}

/// `{"partitions": [{"topic": "orders", "partition": 0, "offset": 21}]}`, from the input.
fn delete_records(store: &mut KafkaStore, input: &str) -> ExecEnd {
    let Ok(wanted) = serde_json::from_str::<serde_json::Value>(input) else {
        return ConsoleCall::fails(1, "The input string is not a valid JSON\n");
    };
    let mut out = String::from("Executing records delete operation\nRecords delete operation completed:\n");
    for row in wanted["partitions"].as_array().into_iter().flatten() {
        let name = row["topic"].as_str().unwrap_or_default();
        let number = usize::try_from(row["partition"].as_u64().unwrap_or(0)).unwrap_or(0);
        let offset = row["offset"].as_i64().unwrap_or(0);
        match store.topics.get_mut(name).and_then(|topic| topic.partitions.get_mut(number)) {
            Some(partition) => {
                partition.start = partition.start.max(if offset < 0 { partition.end as i64 } else { offset });
                partition.records.retain(|own, _| *own >= partition.start);
                out.push_str(&format!("partition: {name}-{number}\tlow_watermark: {}\n", partition.start));
            }
            None => out.push_str(&format!(
                "partition: {name}-{number}\terror: org.apache.kafka.common.errors.UnknownTopicOrPartitionException: This \
                 server does not host this topic-partition.\n"
            )),
        }
    }
    ConsoleCall::prints(out)
}

fn configs(store: &mut KafkaStore, options: &Options) -> ExecEnd {
    let name = options.get(&["--entity-name", "--topic"]).unwrap_or_default().to_string();
    if options.get(&["--entity-type"]) == Some("brokers") {
        let most = store.max_bytes;
        return ConsoleCall::prints(format!("Dynamic configs for broker {name} are:\n  message.max.bytes={most}\n"));
    }
    let Some(topic) = store.topics.get_mut(&name) else {
        return ConsoleCall::fails(1, format!("The topic '{name}' doesn't exist and doesn't have dynamic config.\n"));
    };
    if options.has(&["--alter"]) {
        let pairs = options.all(&["--add-config"]).flat_map(|pairs| pairs.split(','));
        for (key, value) in pairs.filter_map(|pair| pair.split_once('=')) {
            topic.settings.insert(key.into(), value.into());
        }
        for key in options.all(&["--delete-config"]) {
            topic.settings.remove(key);
        }
        return ConsoleCall::prints(format!("Completed updating config for topic {name}.\n"));
    }
    let rows: String = topic.settings.iter().map(|(key, value)| format!("  {key}={value}\n")).collect();
    ConsoleCall::prints(format!("Dynamic configs for topic {name} are:\n{rows}"))
}
