//! The compiled plan of who calls whom: rebuilt when objects or programs change, and walked every second.

mod build;

use std::sync::Arc;

use cluster::Stamp;

use crate::instance::{Instance, InstanceKey, Phase};
use crate::reach::Instances;
use crate::spec::{ApplicationSpec, OperationCall, TargetSpec, WireProtocol};
use crate::stores::StoreAsk;
use crate::words::Trouble;

/// Operations in order, callees before their callers, and the calls between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) stations: Vec<Station>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) asks: Vec<StoreAsk>,
    /// Cores of each node.
    pub(crate) nodes: Vec<(String, f64)>,
    /// How many kinds of calls there are that callers make alike.
    pub(crate) fans: usize,
}

impl Plan {
    /// The programs of the stations, by their numbers: both are in the same order.
    pub(crate) fn programs<'a>(&self, instances: &'a Instances) -> impl Iterator<Item = &'a Arc<Instance>> {
        let mut all = instances.iter();
        let mut program = move |station: &Station| all.find(|(key, _)| **key == station.key).map(|(_, own)| own);
        self.stations.iter().map(move |station| program(station).expect("the plan is of these programs"))
    }
}

/// A program that serves.
#[derive(Clone, Debug)]
pub(crate) struct Station {
    pub(crate) key: InstanceKey,
    pub(crate) node: usize,
    pub(crate) operations: Vec<usize>,
    /// Cores that it burns whatever comes, and bytes that stay behind per second.
    pub(crate) burns: f64,
    pub(crate) leaks: f64,
    /// Requests per second that it takes on, and how many may wait.
    pub(crate) most_rate: f64,
    pub(crate) most_queue: f64,
    /// Connections that it may open at once.
    pub(crate) most_ports: f64,
    /// Files that it may open, and connections that others hold to it.
    pub(crate) most_files: f64,
    pub(crate) held: f64,
    /// Whether health checks fail.
    pub(crate) unhealthy: bool,
}

/// What a station does for its callers.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) station: usize,
    pub(crate) name: Arc<str>,
    /// Seconds of a core, and seconds that pass besides.
    pub(crate) cpu: f64,
    pub(crate) wait: f64,
    /// The share that fails by itself, and in which words.
    pub(crate) fails: f64,
    pub(crate) message: Arc<str>,
    /// Edges by step; those of one step are called at once.
    pub(crate) steps: Vec<Vec<usize>>,
    /// What is asked of a store.
    pub(crate) ask: Option<usize>,
    /// The route that a load generator asks for, and its requests per second.
    pub(crate) route: Option<(Arc<ApplicationSpec>, usize)>,
    pub(crate) offered: f64,
    /// How many requests the generator has under way at most.
    pub(crate) most_under_way: f64,
}

/// A call within an operation.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) caller: usize,
    pub(crate) within: Arc<str>,
    pub(crate) call: Arc<OperationCall>,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) wire: WireProtocol,
    pub(crate) deadline: f64,
    pub(crate) attempts: f64,
    pub(crate) backoff: f64,
    pub(crate) times: f64,
    /// The edge whose misses it follows.
    pub(crate) after: Option<usize>,
    pub(crate) ways: Arc<Vec<EdgeWay>>,
    /// The number of its kind, if other callers call the same in the same way: what becomes of it is the same for all.
    pub(crate) fan: Option<usize>,
    pub(crate) says: Option<String>,
}

/// One of the ways that calls take.
#[derive(Clone, Debug)]
pub(crate) struct EdgeWay {
    pub(crate) share: f64,
    pub(crate) end: Result<usize, Trouble>,
    pub(crate) delay: f64,
    pub(crate) loss: f64,
}

/// What a program asks of a store, with its credentials.
pub(crate) fn ask_of(caller: &Instance, target: &TargetSpec, operation: &str, now: Stamp) -> StoreAsk {
    let fill = |template: &crate::spec::SettingTemplate| template.fill(&caller.settings);
    StoreAsk {
        now,
        user: fill(&target.user),
        password: fill(&target.password),
        tls: fill(&target.tls) == "true",
        database: fill(&target.database),
        operation: operation.into(),
        rate: 0.0,
        client: format!("{}/{}", caller.run.namespace, caller.run.pod),
        address: caller.run.pod_ip.clone(),
        since: match caller.phase {
            Phase::Serving { since } => Some(since),
            _ => None,
        },
    }
}

/// The port that clients take where an address names none.
pub(crate) fn default_port(wire: WireProtocol) -> Option<u16> {
    match wire {
        WireProtocol::Mongodb => Some(27017),
        WireProtocol::Redis => Some(6379),
        WireProtocol::Postgres => Some(5432),
        WireProtocol::Mysql => Some(3306),
        WireProtocol::Amqp => Some(5672),
        _ => None,
    }
}
