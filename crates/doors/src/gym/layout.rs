//! What each number of a structured observation is called and where it stands.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use faces::learn::{ReplyReader, Vocabulary};
use faces::{Tool, ToolSet};
use harness::manual;

use record::grade::concepts::{self, Concept};

/// The features of one service and those of the incident, by name. The same for every task: what a
/// kind of service does not have stays 0.
pub struct Layout {
    service: Vec<String>,
    incident: Vec<String>,
    metrics: BTreeMap<&'static str, MetricColumnAt>,
    keys: BTreeMap<&'static str, KeyColumnAt>,
    all_templates: Range<usize>,
    templates: BTreeMap<&'static str, usize>,
    vocabulary: Vocabulary,
    /// Where each tool's reader puts its numbers, in the order of the full set.
    readers: Vec<Option<Columns>>,
}

/// Where the numbers of a reader stand.
pub(super) struct Columns {
    /// The reader.
    pub reader: &'static ReplyReader,
    /// The columns of its numbers of a service.
    pub service: Vec<usize>,
    /// The columns of its numbers of the incident.
    pub incident: Vec<usize>,
}

/// Where a metric stands.
#[derive(Clone, Copy)]
pub(super) struct MetricColumnAt {
    /// Its first column.
    pub column: usize,
    /// Its position among all metrics, by name.
    pub rank: usize,
    /// The least difference of it that means something.
    pub slack: f64,
}

/// Where a configuration key stands.
#[derive(Clone, Copy)]
pub(super) struct KeyColumnAt {
    /// Its name, as everybody spells it.
    pub name: &'static str,
    /// Its column.
    pub column: usize,
    /// Its position among all keys, by name.
    pub rank: usize,
}

static LAYOUT: LazyLock<Layout> = LazyLock::new(Layout::new);

/// Features of a service, in the order that trained policies know. What a tool reads beyond them, and acts that are
/// not among them, come behind everything else.
const OWN: [&str; 31] = [
    "exists",
    "paged",
    "last_action_was_here",
    "seen:logs",
    "seen:metrics",
    "seen:status",
    "seen:config",
    "seen:dependencies",
    "status:healthy",
    "status:degraded",
    "status:down",
    "status:instances_up",
    "status:firing_alerts",
    "status:notes",
    "status:clock_off",
    "status:busy_node",
    "status:back_off",
    "metrics:no_data",
    "config:rolling_out",
    "logs:info_lines",
    "logs:warn_lines",
    "logs:error_lines",
    "dependencies:worst_error_share",
    "called:worst_error_share",
    "traces:errors",
    "changes:count",
    "changes:is_latest",
    "alerts:firing",
    "did:restart",
    "did:config",
    "did:rollback",
];

/// Features of the incident as a whole, likewise; behind them stands one feature per tool, 1 for the last one used.
const WHOLE: [&str; 12] = [
    "steps_left",
    "budget",
    "hours_since_page",
    "last_action_valid",
    "last_action_changed_something",
    "page_is_about_an_objective",
    "routes:worst_failed_share",
    "routes:worst_slow_share",
    "routes:out_of_objective",
    "alerts:firing",
    "alerts:paging",
    "changes:shown",
];

impl Layout {
    /// The one layout.
    pub fn get() -> &'static Layout {
        &LAYOUT
    }

    fn new() -> Layout {
        let mut service: Vec<String> = OWN.iter().map(|name| name.to_string()).collect();
        let mut metrics = BTreeMap::new();
        for (name, slack) in manual::metrics() {
            metrics.entry(name).or_insert_with(|| {
                service.extend(["vs_usual", "vs_before"].map(|way| format!("metric:{name}:{way}")));
                MetricColumnAt { column: service.len() - 2, rank: 0, slack }
            });
        }
        metrics.values_mut().enumerate().for_each(|(rank, series)| series.rank = rank);
        let mut keys = BTreeMap::new();
        for key in manual::keys() {
            keys.entry(key.name).or_insert_with(|| {
                service.push(format!("config:{}", key.name));
                KeyColumnAt { name: key.name, column: service.len() - 1, rank: 0 }
            });
        }
        keys.values_mut().enumerate().for_each(|(rank, setting)| setting.rank = rank);
        let first_template = service.len();
        let mut templates = BTreeMap::new();
        for name in manual::log_lines() {
            templates.entry(name).or_insert_with(|| {
                service.push(format!("log:{name}"));
                service.len() - 1
            });
        }
        let all_templates = first_template..service.len();
        let mut incident: Vec<String> = WHOLE.iter().map(|name| name.to_string()).collect();
        incident.extend(ToolSet::FULL.tools().iter().map(|tool| format!("last:{}", tool.name())));
        let readers = ToolSet::FULL.tools().iter().map(|tool| columns(*tool, &mut service, &mut incident)).collect();
        let vocabulary = Vocabulary {
            keys: keys.keys().copied().collect(),
            metrics: metrics.keys().copied().collect(),
            mechanisms: concepts::ALL.iter().map(|concept| (concept.name, says(concept))).collect(),
        };
        Layout { service, incident, metrics, keys, all_templates, templates, vocabulary, readers }
    }

    /// All names that choices are made of.
    pub(super) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Where the reader of a tool puts its numbers, by the tool's place in the full set.
    pub(super) fn reader(&self, tool: usize) -> Option<&Columns> {
        self.readers[tool].as_ref()
    }

    /// The column of a service's number.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.service.iter().position(|known| known == name)
    }

    /// Names of the features of a service, in order.
    pub fn service(&self) -> &[String] {
        &self.service
    }

    /// Names of the features of the incident, in order.
    pub fn incident(&self) -> &[String] {
        &self.incident
    }

    /// Where a metric stands.
    pub(super) fn metric(&self, name: &str) -> Option<MetricColumnAt> {
        self.metrics.get(name).copied()
    }

    /// Where a configuration key stands.
    pub(super) fn key(&self, name: &str) -> Option<KeyColumnAt> {
        self.keys.get(name).copied()
    }

    /// Where a sort of log line stands.
    pub(super) fn template(&self, name: &str) -> Option<usize> {
        self.templates.get(name).copied()
    }

    /// Where all sorts of log lines stand.
    pub(super) fn all_templates(&self) -> Range<usize> {
        self.all_templates.clone()
    }

    /// Where the mark of a tool stands among the incident's features.
    pub(super) fn tool(&self, at: usize) -> usize {
        WHOLE.len() + at
    }
}

/// The columns of a tool's reader; names that are not there yet are added.
fn columns(tool: &dyn Tool, service: &mut Vec<String>, incident: &mut Vec<String>) -> Option<Columns> {
    let reader = tool.reader()?;
    let place = |names: &mut Vec<String>, name: &str| {
        names.iter().position(|known| known == name).unwrap_or_else(|| {
            names.push(name.to_string());
            names.len() - 1
        })
    };
    Some(Columns {
        reader,
        service: reader.service.iter().map(|name| place(service, name)).collect(),
        incident: reader.incident.iter().map(|name| place(incident, name)).collect(),
    })
}

/// How a mechanism is said: by its key where it has one, else by its first plain phrase.
fn says(concept: &'static Concept) -> &'static str {
    let plain = |phrase: &&str| !phrase.contains("..");
    concept.keys.first().copied().or_else(|| concept.phrases().find(plain)).unwrap_or(concept.name)
}

/// The place of a name that the board itself uses.
const fn place(names: &[&str], name: &str) -> usize {
    let mut at = 0;
    while at < names.len() {
        if same(names[at].as_bytes(), name.as_bytes()) {
            return at;
        }
        at += 1;
    }
    panic!("the board uses a name that no feature has")
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while a.len() == b.len() && at < a.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// Places of what the board itself knows of a service.
pub(super) mod own {
    use super::{OWN, place};

    pub const EXISTS: usize = place(&OWN, "exists");
    pub const PAGED: usize = place(&OWN, "paged");
    pub const LAST: usize = place(&OWN, "last_action_was_here");
}

/// Places of what the board itself knows of the incident.
pub(super) mod whole {
    use super::{WHOLE, place};

    pub const STEPS_LEFT: usize = place(&WHOLE, "steps_left");
    pub const BUDGET: usize = place(&WHOLE, "budget");
    pub const HOURS: usize = place(&WHOLE, "hours_since_page");
    pub const LAST_VALID: usize = place(&WHOLE, "last_action_valid");
    pub const LAST_CHANGED: usize = place(&WHOLE, "last_action_changed_something");
    pub const PAGE_IS_OBJECTIVE: usize = place(&WHOLE, "page_is_about_an_objective");
}
