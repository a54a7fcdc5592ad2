//! What worlds are about: shops, chats, payments and so on. A domain is one file beside this one and a line in
//! [`FILES`]: its products, its units with their stores, what users ask of them, what they ask of each other, how
//! their load moves, and how people there name things. All of it is words and numbers; the physics is that of the kinds.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use world::spec::LoadShape;

/// All domains, in the order in which they are drawn.
const FILES: &[(&str, &str)] = &[
    ("shop", include_str!("shop.toml")),
    ("media", include_str!("media.toml")),
    ("payments", include_str!("payments.toml")),
    ("rides", include_str!("rides.toml")),
    ("chat", include_str!("chat.toml")),
    ("ads", include_str!("ads.toml")),
    ("inference", include_str!("inference.toml")),
    ("analytics", include_str!("analytics.toml")),
];

/// All domains.
pub(super) static ALL: LazyLock<Vec<Domain>> = LazyLock::new(|| FILES.iter().map(read).collect());

fn read((name, text): &(&str, &str)) -> Domain {
    let domain: Domain = toml::from_str(text).unwrap_or_else(|e| panic!("domain {name}: {e}"));
    assert_eq!(domain.name, *name, "a domain is called as its file");
    domain
}

/// What servers of the shop say in everyday life: of what went well, of what was slow, and of input that is wrong.
pub(super) const CHATTER: [&str; 3] = ["session renewed", "client reads slowly", "malformed input"];

/// What writes are called where no route gives them a name.
pub(super) const WRITE: &str = "write";

/// One domain.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Domain {
    /// Its name.
    pub name: String,
    /// What it is, in a sentence.
    pub about: String,
    /// Products that users know.
    pub products: Vec<String>,
    /// What its load balancers are called, and its servers that stand before others.
    pub edges: Vec<String>,
    pub fronts: Vec<String>,
    /// The teams that change things, as many as the world knows of, and what their builds bring.
    pub teams: Vec<String>,
    pub builds: Vec<String>,
    /// What servers that stand before others say for [`CHATTER`].
    pub says: [String; 3],
    /// How what users ask moves with time.
    #[serde(default)]
    pub load: LoadShape,
    /// What a front asks of all units behind it at once.
    pub overview: Overview,
    /// What its products are made of. A unit may ask those that stand below it here, so that no unit waits for itself.
    pub units: Vec<UnitKind>,
}

/// A request that a front answers from several units.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Overview {
    pub name: String,
    pub path: String,
    pub rps: f64,
    pub slow_ms: f64,
    pub work_ms: f64,
}

/// An application server, what it keeps its data in, and what it is asked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnitKind {
    pub name: String,
    /// What the server is called behind the unit's name.
    pub server: String,
    /// What it says for [`CHATTER`].
    pub says: [String; 3],
    /// What its stores are called; a unit without a database has no store at all.
    #[serde(default)]
    pub database: Option<String>,
    #[serde(default)]
    pub cache: String,
    #[serde(default)]
    pub queue: String,
    /// A second store of its own: a search index, an object store, an archive.
    #[serde(default)]
    pub second: Option<String>,
    /// The table and column by which lists of an owner's things are read, and those by which single rows are.
    #[serde(default)]
    pub lists: String,
    #[serde(default)]
    pub rows: String,
    /// What its writes are called in what is measured; the route that publishes where nothing is said.
    #[serde(default)]
    pub writes: Option<String>,
    /// How many times as long as in the shop a third party takes to settle a message, and a queue to confirm one.
    #[serde(default = "one")]
    pub settles: f64,
    #[serde(default = "one")]
    pub confirms: f64,
    /// How many times as large as in the shop what is cached is, how seldom it is used again, and what is stored.
    #[serde(default = "one")]
    pub entries: f64,
    #[serde(default = "one")]
    pub reuse: f64,
    #[serde(default = "one")]
    pub data: f64,
    /// What other servers ask of it.
    pub internal: Internal,
    /// What users ask of it.
    #[serde(default)]
    pub routes: Vec<RouteKind>,
    /// What its consumers do with a message.
    #[serde(default)]
    pub job: Option<Job>,
}

/// What other servers ask of a unit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Internal {
    pub path: String,
    pub work_ms: f64,
    #[serde(default)]
    pub calls: Vec<CallKind>,
}

/// What users ask of a unit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RouteKind {
    pub name: String,
    /// Method and path.
    pub path: String,
    pub rps: f64,
    pub slow_ms: f64,
    #[serde(default = "patience")]
    pub patience_ms: f64,
    #[serde(default = "allowed")]
    pub allowed: f64,
    #[serde(default = "retry")]
    pub user_retry: f64,
    /// Work of the server itself.
    pub work_ms: f64,
    /// How likely a unit has it.
    #[serde(default = "one")]
    pub chance: f64,
    pub calls: Vec<CallKind>,
}

/// What consumers do with a message.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Job {
    pub name: String,
    pub topic: String,
    pub slow_ms: f64,
    pub calls: Vec<CallKind>,
}

/// One thing that a server does for a request: exactly one of the verbs is there.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct CallKind {
    /// Looks something up in the cache; `miss` says what it does where nothing is found.
    pub get: Option<String>,
    /// Reads from the database, or from the second store.
    pub read: Option<String>,
    /// Writes to the database.
    pub write: Option<String>,
    /// Hands the unit's message to its queue.
    pub publish: bool,
    /// Asks another unit, where there is one of that name.
    pub ask: Option<String>,
    /// How often; once where nothing is said.
    pub times: Option<f64>,
    pub hit: f64,
    pub work_ms: f64,
    pub hold_ms: f64,
    pub spread: Option<f64>,
    /// The index that it needs: that of `lists` or that of `rows`.
    pub index: Option<IndexKind>,
    /// Whether it goes to the second store, where the unit has one.
    pub second: bool,
    pub miss: Option<Box<CallKind>>,
}

/// Which of its unit's indexes a read needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum IndexKind {
    Lists,
    Rows,
}

impl Domain {
    /// The place of a unit among the domain's.
    pub fn rank(&self, unit: &str) -> Option<usize> {
        self.units.iter().position(|u| u.name == unit)
    }

    /// The words of a server that stands before others.
    pub fn spoken(&self) -> BTreeMap<String, String> {
        spoken(WRITE, &self.says)
    }
}

impl UnitKind {
    /// Whether it keeps nothing.
    pub fn is_stateless(&self) -> bool {
        self.database.is_none()
    }

    /// The key of one of its indexes.
    pub fn index(&self, kind: IndexKind) -> String {
        let (table, column) = self.table(kind);
        format!("INDEX_{table}_{column}").to_ascii_uppercase()
    }

    /// The words of its stores for what the shop calls orders and products.
    pub fn tables(&self) -> BTreeMap<String, String> {
        let ((lists, owner), (rows, name)) = (self.table(IndexKind::Lists), self.table(IndexKind::Rows));
        differing([("orders", lists), ("user_id", owner), ("products", rows), ("sku", name), ("app", &*self.name)])
    }

    /// The words of its server for what the shop's says.
    pub fn spoken(&self) -> BTreeMap<String, String> {
        spoken(self.written(), &self.says)
    }

    /// What it calls its writes, for which the shop says checkout.
    pub fn written(&self) -> &str {
        let publishing = self.routes.iter().find(|route| route.calls.iter().any(|call| call.publish));
        self.writes.as_deref().or(publishing.map(|route| route.name.as_str())).unwrap_or(WRITE)
    }

    fn table(&self, kind: IndexKind) -> (&str, &str) {
        let text = match kind {
            IndexKind::Lists => &self.lists,
            IndexKind::Rows => &self.rows,
        };
        text.split_once('.').unwrap_or_default()
    }
}

/// What a server says for checkout, and for what the shop's says in everyday life.
fn spoken(written: &str, says: &[String; 3]) -> BTreeMap<String, String> {
    let chatter = CHATTER.into_iter().zip(says.iter().map(String::as_str));
    differing(chatter.chain([("checkout", written)]))
}

/// The words that differ from the shop's.
fn differing<'w>(words: impl IntoIterator<Item = (&'w str, &'w str)>) -> BTreeMap<String, String> {
    let own = words.into_iter().filter(|(word, other)| word != other);
    own.map(|(word, other)| (word.into(), other.into())).collect()
}

fn one() -> f64 {
    1.0
}

fn patience() -> f64 {
    12_000.0
}

fn allowed() -> f64 {
    0.02
}

fn retry() -> f64 {
    0.3
}
