//! What programs and applications are, as files describe them.

mod app;
mod calls;
mod template;

use std::collections::BTreeMap;

use serde::Deserialize;

pub use app::ApplicationSpec;
pub use calls::OperationCall;
pub use template::{SettingTemplate, parse_duration};

/// A file of programs: the images in which they come, and the programs.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramFile {
    /// The images.
    #[serde(default)]
    pub image: Vec<ImageSpec>,
    /// The programs by name.
    #[serde(default)]
    pub program: BTreeMap<String, ContainerProgram>,
}

/// Images of one content, under the names that registries have for it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageSpec {
    /// Repositories, without tag: `mongo`, `docker.io/library/mongo`.
    pub names: Vec<String>,
    /// The tags that there are; `*` stands for any. Empty for `latest` alone.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Megabytes to transfer; 0 where that is not known, and then it follows from the name.
    #[serde(default = "hundred")]
    pub size_mb: u64,
    /// The program that runs if the command names no other.
    pub program: String,
    /// Programs by the first word of the command, without its folder.
    #[serde(default)]
    pub binaries: BTreeMap<String, String>,
    /// Whether commands that are in no list are a shell's or a tool's: then they run as a program that only listens.
    #[serde(default)]
    pub has_shell: bool,
    /// Files that the image brings, by path.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// A program.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContainerProgram {
    /// In which language it is written: decides how it words its troubles.
    #[serde(default)]
    pub language: Language,
    /// How its logger writes, where that is not what most programs of the language do.
    #[serde(default)]
    pub logger: Option<LoggerStyle>,
    /// What kind of thing it is.
    #[serde(default)]
    pub kind: ProgramKind,
    /// The kind of store whose server it is.
    #[serde(default)]
    pub store: Option<String>,
    /// What it listens on.
    #[serde(default)]
    pub listens: Vec<ListenSpec>,
    /// What it is told, and from where.
    #[serde(default)]
    pub settings: BTreeMap<String, SettingSpec>,
    /// Seconds from the start of the process until it asks for what it needs.
    #[serde(default = "one")]
    pub starts_in: f64,
    /// What it needs before it listens, in order.
    #[serde(default)]
    pub needs: Vec<NeedSpec>,
    /// Targets without which a store answers nothing: the parts of a database that runs as several programs.
    #[serde(default)]
    pub stands_on: Vec<String>,
    /// Whom it calls.
    #[serde(default)]
    pub targets: BTreeMap<String, TargetSpec>,
    /// What it does for its callers.
    #[serde(default)]
    pub operations: Vec<OperationSpec>,
    /// HTTP paths that answer a probe, with the status; other paths are not found.
    #[serde(default)]
    pub paths: BTreeMap<String, u16>,
    /// Whether every path answers.
    #[serde(default)]
    pub answers_any_path: bool,
    /// Thousandths of a core without any request.
    #[serde(default = "one")]
    pub idle_milli: f64,
    /// Megabytes without any request.
    #[serde(default = "twenty")]
    pub memory_mb: f64,
    /// Megabytes for each request under way.
    #[serde(default = "tenth")]
    pub memory_per_request_mb: f64,
    /// Megabytes that stay behind per thousand requests.
    #[serde(default)]
    pub leak_mb_per_thousand: f64,
    /// How many requests may wait.
    #[serde(default = "many")]
    pub queue: f64,
    /// A setting that limits how many requests may wait.
    #[serde(default)]
    pub queue_setting: Option<String>,
    /// A setting that limits how many requests it takes on per second.
    #[serde(default)]
    pub rate_setting: Option<String>,
    /// How many requests it works on at once, whatever the processors; 0 for as many as come.
    #[serde(default)]
    pub workers: f64,
    /// What it prints when it starts; `${name}` stands for a setting, `{pod_ip}` for its address, `{t:klog}` and the like for
    /// the time as its logger writes it.
    #[serde(default)]
    pub says_at_start: Vec<String>,
    /// What it prints once it listens.
    #[serde(default)]
    pub says_when_ready: Vec<String>,
    /// What it prints for requests, once in a while; `{id}` and `{number}` stand for some, `{count}` for the requests so
    /// far, `{client}` for the address of a caller, `{request}` for method and path, `{ms}` and `{s}` for how long it took,
    /// `{bytes}` for how much was answered. Lines with `{status}` are also printed for requests that failed.
    #[serde(default)]
    pub says_of_requests: Vec<String>,
    /// What stands for `{id}` in the paths of its requests, where that is no long random one.
    #[serde(default)]
    pub ids: Vec<String>,
    /// Whether it is a proxy that says nothing of failures behind it: it passes the answer on.
    #[serde(default)]
    pub passes_on: bool,
    /// What changes its behaviour: flags, settings.
    #[serde(default)]
    pub effects: Vec<EffectSpec>,
    /// Commands for `exec` beside the usual tools.
    #[serde(default)]
    pub clients: Vec<String>,
    /// Connections that it opens and keeps open.
    #[serde(default)]
    pub holds_connections: SettingTemplate,
    /// Days for which the certificate is valid that it makes for itself when it starts; 0 if it has none.
    #[serde(default)]
    pub certificate_days: f64,
    /// What it does as an admission webhook; nothing if it allows everything.
    #[serde(default)]
    pub review: Option<ReviewSpec>,
    /// How it ends if it ends by itself: seconds and exit code.
    #[serde(default)]
    pub ends: Option<(f64, i32)>,
}

/// Loggers that write otherwise than most programs of their language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum LoggerStyle {
    Slog,
    Log4j,
    /// Go's `slog` as it is without any setting: `2026/11/16 17:50:01 INFO up`.
    GoLog,
    /// Uvicorn: `INFO:     up`.
    Uvicorn,
    Locust,
    /// No logger: the message alone.
    Bare,
}

/// The kinds of programs that physics knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProgramKind {
    /// Answers requests with processor time and calls.
    #[default]
    Service,
    /// The server of a store.
    Store,
    /// Makes the requests of an application's routes.
    Load,
    /// Takes messages from a broker and works on them.
    Consumer,
    /// Passes requests on as the Ingresses of the cluster say.
    Ingress,
    /// Makes and changes objects for the custom resources of TiDB.
    TidbOperator,
    /// Listens on the ports that its pod declares, and nothing else is known of it.
    Generic,
}

/// How a program words its troubles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Language {
    Go,
    Cpp,
    Java,
    Node,
    Python,
    Dotnet,
    Rust,
    Ruby,
    Php,
    Nginx,
    Envoy,
    #[default]
    Plain,
}

/// What is spoken on a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names say it")]
pub enum WireProtocol {
    #[default]
    Http,
    Grpc,
    Thrift,
    Mongodb,
    Memcached,
    Redis,
    Postgres,
    Mysql,
    Kafka,
    Amqp,
    Consul,
    Tcp,
}

/// A port that a program listens on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListenSpec {
    /// The number, or a setting: `${port}`.
    pub port: SettingTemplate,
    /// What is spoken there.
    #[serde(default)]
    pub wire: WireProtocol,
}

/// Where a setting comes from: the first that is there wins.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingSpec {
    /// An argument: `--port` takes the next word, or what follows `=`.
    #[serde(default)]
    pub arg: Option<String>,
    /// A variable of the environment.
    #[serde(default)]
    pub env: Option<String>,
    /// A file (the first of several that is there: `/a.json|/b.yaml`), and after `#` a path in its JSON:
    /// `/config.json#GeoMongoAddress`.
    #[serde(default)]
    pub file: Option<String>,
    /// What it is otherwise; may name other settings.
    #[serde(default)]
    pub default: Option<SettingTemplate>,
    /// Whether the program ends at its start without it, and with what words.
    #[serde(default)]
    pub missing: Option<String>,
}

/// Something that a program needs before it listens.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeedSpec {
    /// The target.
    pub target: String,
    /// The operation on it.
    #[serde(default)]
    pub operation: String,
    /// Seconds until it gives up.
    #[serde(default = "ten")]
    pub patience: f64,
    /// The exit code with which it then ends; nothing for a program that asks again for ever.
    #[serde(default)]
    pub exit: Option<i32>,
    /// Whether it goes on without.
    #[serde(default)]
    pub optional: bool,
    /// What it prints before it asks.
    #[serde(default)]
    pub says: Vec<String>,
    /// What it prints when it gives up; `{why}` stands for the reason.
    #[serde(default)]
    pub says_without: Vec<String>,
}

/// What a program calls.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetSpec {
    /// `host:port`, usually from settings: `${mongo}`.
    pub address: SettingTemplate,
    /// What is spoken.
    #[serde(default)]
    pub wire: WireProtocol,
    /// How long an answer may take: `1s`, `${timeout}`.
    #[serde(default = "thirty_seconds")]
    pub deadline: SettingTemplate,
    /// How often it is tried.
    #[serde(default = "once")]
    pub attempts: SettingTemplate,
    /// How often it is tried again.
    #[serde(default = "none")]
    pub retries: SettingTemplate,
    /// The pause before the second try.
    #[serde(default = "none")]
    pub backoff: SettingTemplate,
    /// Who the program says it is.
    #[serde(default)]
    pub user: SettingTemplate,
    /// And how it proves that.
    #[serde(default)]
    pub password: SettingTemplate,
    /// The database, topic or index.
    #[serde(default)]
    pub database: SettingTemplate,
    /// Whether it asks for TLS.
    #[serde(default)]
    pub tls: SettingTemplate,
    /// How many connections it holds at most; 0 for as many as needed.
    #[serde(default)]
    pub pool: f64,
    /// What it prints when a call fails; `{why}` stands for the reason, `{cause}` for the trouble alone, `{operation}`,
    /// `{method}`, `{path}`, `{host}` and `{address}` for what was called.
    #[serde(default)]
    pub says: Option<String>,
}

impl TargetSpec {
    /// An HTTP server at an address.
    pub(crate) fn http(address: &str) -> Self {
        Self {
            address: address.into(),
            wire: WireProtocol::Http,
            deadline: "60s".into(),
            attempts: once(),
            retries: none(),
            backoff: none(),
            user: SettingTemplate::default(),
            password: SettingTemplate::default(),
            database: SettingTemplate::default(),
            tls: SettingTemplate::default(),
            pool: 0.0,
            says: None,
        }
    }
}

/// What a program does for a caller.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperationSpec {
    /// The name that callers use; also the name of its span.
    pub name: String,
    /// Milliseconds of a core.
    #[serde(default = "half")]
    pub cpu_ms: f64,
    /// Milliseconds that pass besides.
    #[serde(default)]
    pub wait_ms: f64,
    /// How often per second it does this by itself, without being asked: a consumer's loop, a scheduled task.
    #[serde(default)]
    pub self_rate: f64,
    /// A setting by which that is multiplied: the number of threads.
    #[serde(default)]
    pub self_rate_setting: Option<String>,
    /// What it calls, one step after the other; a list within the list is called at once.
    #[serde(default)]
    pub calls: Vec<CallStep>,
    /// What it prints of a request that went well, in place of what the program prints of all.
    #[serde(default)]
    pub says: Vec<String>,
}

/// What an admission webhook does to the objects that it is asked about.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReviewSpec {
    /// The memory that it gives to each container of a pod; empty if it leaves that alone.
    pub memory: SettingTemplate,
    /// `name=value`: the label of those that are meant; empty for all.
    pub label: SettingTemplate,
    /// Milliseconds that it takes.
    pub takes_ms: SettingTemplate,
}

/// One step of an operation: one call, or several at once.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum CallStep {
    /// One call.
    One(OperationCall),
    /// Several at once.
    Together(Vec<OperationCall>),
}

impl CallStep {
    /// All calls of the step.
    pub(crate) fn calls(&self) -> &[OperationCall] {
        match self {
            Self::One(call) => std::slice::from_ref(call),
            Self::Together(calls) => calls,
        }
    }
}

/// A change of behaviour that a flag or a setting switches on.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EffectSpec {
    /// A flag that flagd serves; on if its value is neither `false` nor 0.
    #[serde(default)]
    pub flag: Option<String>,
    /// A setting and the value that switches it on: `search_version=true`.
    #[serde(default)]
    pub setting: Option<String>,
    /// A setting with a pattern: on if matching it takes exponential time.
    #[serde(default)]
    pub backtracks: Option<String>,
    /// The version of the image.
    #[serde(default)]
    pub version: Option<String>,
    /// The operation; all if there is none.
    #[serde(default)]
    pub operation: Option<String>,
    /// The share of requests that fail, times the flag's value if that is a share.
    #[serde(default)]
    pub fails: f64,
    /// The words with which they fail.
    #[serde(default)]
    pub message: String,
    /// How many times more processor time a request takes.
    #[serde(default = "one")]
    pub cpu_factor: f64,
    /// Cores that it burns besides.
    #[serde(default)]
    pub burns_cores: f64,
    /// Milliseconds that a request waits, times the flag's value if that is a number.
    #[serde(default)]
    pub wait_ms: f64,
    /// How many times more calls it makes, times the flag's value if that is a number.
    #[serde(default = "one")]
    pub calls_factor: f64,
    /// The target of which that is said; all if there is none.
    #[serde(default)]
    pub target: Option<String>,
    /// Megabytes per second that stay behind.
    #[serde(default)]
    pub leak_mb_per_second: f64,
    /// A target and the address at which it is called instead: `payment=badAddress:50051`.
    #[serde(default)]
    pub address: Option<String>,
    /// Whether health checks fail.
    #[serde(default)]
    pub unhealthy: bool,
    /// How many times more requests it makes, for load generators; times the flag's value if that is a number.
    #[serde(default)]
    pub load_factor: f64,
    /// Whether it ends at its start, with this code.
    #[serde(default)]
    pub exit: Option<i32>,
}

fn one() -> f64 {
    1.0
}
fn half() -> f64 {
    0.5
}
fn ten() -> f64 {
    10.0
}
fn tenth() -> f64 {
    0.1
}
fn twenty() -> f64 {
    20.0
}
fn many() -> f64 {
    2000.0
}
fn hundred() -> u64 {
    100
}
fn once() -> SettingTemplate {
    SettingTemplate::from("1")
}
fn none() -> SettingTemplate {
    SettingTemplate::from("0")
}
fn thirty_seconds() -> SettingTemplate {
    SettingTemplate::from("30s")
}
