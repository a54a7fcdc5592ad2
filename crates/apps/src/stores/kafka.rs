//! Kafka: topics with their records, consumer groups with their offsets, the broker's heap.

mod group_tool;
mod groups;
mod tools;

use std::collections::BTreeMap;

use cluster::{ExecEnd, Stamp};

use super::console::digest_of;
use super::{ConsoleCall, DataStore, StoreAnswer, StoreAsk, StoreKind, StoreServer, StoreStart};
use groups::ConsumerGroup;

/// The kind.
pub const KIND: StoreKind = StoreKind {
    name: "kafka",
    clients: &[
        "kafka-topics.sh",
        "kafka-consumer-groups.sh",
        "kafka-console-consumer.sh",
        "kafka-broker-api-versions.sh",
        "kafka-log-dirs.sh",
        "kafka-metadata-quorum.sh",
        "kafka-console-producer.sh",
        "kafka-get-offsets.sh",
        "kafka-delete-records.sh",
        "kafka-configs.sh",
    ],
    fresh: || Box::new(KafkaStore::default()),
};

/// The exit code of a Java program whose heap is full.
const OUT_OF_HEAP: i32 = 3;

/// A broker.
#[derive(Clone, Debug, Default)]
struct KafkaStore {
    version: String,
    topics: BTreeMap<String, Topic>,
    groups: BTreeMap<String, ConsumerGroup>,
    /// The largest record that it takes, in bytes.
    max_bytes: f64,
    /// Bytes of the Java heap, and those in use for requests.
    heap: f64,
    in_use: f64,
    /// Whether the heap was too small.
    is_over: bool,
    now: Stamp,
    pending: Vec<String>,
}

/// What stands before the topic that a consumer writes to.
const OUTPUT: &str = "to=";

/// A topic of one or more partitions.
#[derive(Clone, Debug, Default)]
struct Topic {
    partitions: Vec<Partition>,
    settings: BTreeMap<String, String>,
}

/// A partition: offsets, and those records that were written by hand.
#[derive(Clone, Debug, Default)]
struct Partition {
    start: i64,
    end: f64,
    records: BTreeMap<i64, String>,
}

impl DataStore for KafkaStore {
    fn copy(&self) -> Box<dyn DataStore> {
        Box::new(self.clone())
    }

    fn digest(&self) -> u64 {
        digest_of(self)
    }

    fn start(&mut self, server: &StoreServer) -> StoreStart {
        let env = |name: &str| server.env.get(name).cloned().unwrap_or_default();
        self.version = "3.9.1".into();
        self.now = server.now;
        self.max_bytes = env("KAFKA_MESSAGE_MAX_BYTES").parse().unwrap_or(1_048_588.0);
        self.heap = heap(&env("KAFKA_HEAP_OPTS"));
        self.in_use = 0.0;
        self.is_over = false;
        let say = |text: &str| line(server.logs_at, "INFO", text);
        StoreStart::Listens(vec![
            "===> User".into(),
            "===> Launching ... ".into(),
            say("Registered kafka:type=kafka.Log4jController MBean (kafka.utils.Log4jControllerRegistration$)"),
            say("[ControllerServer id=1] Starting controller (kafka.server.ControllerServer)"),
            say(
                "[SocketServer listenerType=BROKER, nodeId=1] Created data-plane acceptor and processors for endpoint : \
                 ListenerName(PLAINTEXT) (kafka.network.SocketServer)",
            ),
            say("[BrokerServer id=1] Transition from STARTING to STARTED (kafka.server.BrokerServer)"),
            say("[KafkaRaftServer nodeId=1] Kafka Server started (kafka.server.KafkaRaftServer)"),
        ])
    }

    fn serve(&mut self, ask: &StoreAsk) -> StoreAnswer {
        self.now = ask.now;
        let mut words = ask.operation.split_whitespace();
        let (verb, name) = (words.next().unwrap_or("publish"), words.next().unwrap_or("orders"));
        match verb {
            "publish" => {
                let size: f64 = words.next().and_then(|size| size.parse().ok()).unwrap_or(400.0);
                if size > self.max_bytes {
                    return StoreAnswer::Refused(format!(
                        "RecordTooLargeException: The request included a message larger than the max message size the \
                         server will accept ({size} > {})",
                        self.max_bytes
                    ));
                }
                // A request holds its record in the heap, several times over, until it is on disk.
                self.in_use += size * ask.rate * 3.0;
                let topic = self.topic(name);
                let count = topic.partitions.len() as f64;
                topic.partitions.iter_mut().for_each(|partition| partition.end += ask.rate / count);
                StoreAnswer::Done { cpu_ms: 0.3, wait_ms: 2.0, hits: 1.0 }
            }
            "consume" => {
                let rest: Vec<&str> = words.collect();
                let batch = rest.iter().find_map(|word| word.parse::<f64>().ok()).unwrap_or(1.0);
                let output = rest.iter().find_map(|word| word.strip_prefix(OUTPUT));
                let is_name =
                    |word: &&str| *word != "strict" && !word.starts_with(OUTPUT) && word.parse::<f64>().is_err();
                let named = rest.iter().copied().find(is_name);
                let group = named.unwrap_or(if ask.database.is_empty() { "consumers" } else { &ask.database });
                let taken = match self.consume(name, group, ask, batch, rest.contains(&"strict")) {
                    Ok(taken) => taken,
                    Err(why) => return StoreAnswer::Refused(why),
                };
                if let Some(output) = output {
                    // What was read is written on, record by record.
                    let topic = self.topic(output);
                    let count = topic.partitions.len() as f64;
                    topic.partitions.iter_mut().for_each(|partition| partition.end += taken / count);
                }
                // A question that finds no record has nothing to be worked on.
                let found = if ask.rate > 0.0 { (taken / ask.rate).min(1.0) } else { 0.0 };
                StoreAnswer::Done { cpu_ms: 0.2, wait_ms: 1.0, hits: 1.0 - found }
            }
            _ => StoreAnswer::Done { cpu_ms: 0.1, wait_ms: 0.5, hits: 1.0 },
        }
    }

    fn console(&mut self, call: &ConsoleCall) -> ExecEnd {
        tools::console(self, call)
    }

    fn tick(&mut self, now: Stamp) -> Vec<String> {
        self.now = now;
        self.is_over = self.heap > 0.0 && self.in_use > self.heap;
        if self.is_over {
            self.pending.push(line(now, "ERROR", "[KafkaServer id=1] Fatal error (kafka.server.KafkaRequestHandler)"));
            self.pending.push("java.lang.OutOfMemoryError: Java heap space".into());
        }
        self.in_use *= 0.6;
        std::mem::take(&mut self.pending)
    }

    fn memory(&self) -> i64 {
        self.in_use as i64
    }

    fn ends(&self) -> Option<i32> {
        self.is_over.then_some(OUT_OF_HEAP)
    }

    fn lags(&self) -> Vec<(String, String, f64)> {
        let all = self.groups.iter().flat_map(|(group, own)| own.offsets.iter().map(move |at| (group, at)));
        let lag = |topic: &str, number: usize, at: f64| {
            self.topics.get(topic).and_then(|topic| topic.partitions.get(number)).map_or(0.0, |own| own.end - at)
        };
        all.map(|(group, ((topic, number), at))| (group.clone(), topic.clone(), lag(topic, *number, *at))).collect()
    }
}

impl KafkaStore {
    /// A topic, made on first use as brokers do by default.
    fn topic(&mut self, name: &str) -> &mut Topic {
        let fresh = || Topic { partitions: vec![Partition::default()], settings: BTreeMap::new() };
        self.topics.entry(name.into()).or_insert_with(fresh)
    }
}

/// The heap that the options give, in bytes.
fn heap(options: &str) -> f64 {
    let most = options.split_whitespace().find_map(|word| word.strip_prefix("-Xmx")).unwrap_or("1G");
    let number: f64 = most.trim_end_matches(|c: char| c.is_alphabetic()).parse().unwrap_or(1.0);
    let unit = match most.chars().last().map(|c| c.to_ascii_lowercase()) {
        Some('g') => 1024.0 * 1024.0 * 1024.0,
        Some('k') => 1024.0,
        Some('m') => 1024.0 * 1024.0,
        _ => 1.0,
    };
    number * unit
}

/// A line of the broker's log.
fn line(now: Stamp, level: &str, text: &str) -> String {
    let time = now.rfc3339_micro();
    let time = time.get(..23).unwrap_or(&time).replace('T', " ").replace('.', ",");
    format!("[{time}] {level} {text}")
}
