//! The tools of problems in a cluster, as tables: ours, and the same under the names that agents written for SREGym know.

use faces::params::PROSE;
use faces::{Param, Reply, Run, Tool, ToolArgs, ToolDoc, ToolList, ToolSet};
use world::{Span, View};

/// All tools that can be called.
pub(crate) const TOOLS: ToolSet = ToolSet::of(&LIST);

static LIST: ToolList = ToolList {
    name: "terminal",
    tools: &[
        &KUBECTL,
        &PROMQL,
        &LOGQL,
        &TRACES,
        &ALERTS,
        &WAIT,
        &SUBMIT_DIAGNOSIS,
        &SUBMIT,
        &sregym::EXEC,
        &sregym::ROLLBACK,
        &sregym::PREVIOUS,
        &sregym::METRICS,
        &sregym::ALERTS,
        &sregym::LOGS,
        &sregym::LABELS,
        &sregym::LABEL_VALUES,
        &sregym::SERVICES,
        &sregym::OPERATIONS,
        &sregym::TRACES,
        &sregym::DEPENDENCIES,
    ],
};

/// How many of them are ours: these are shown in the brief.
const OURS: usize = 8;

/// Our own tools, as the brief tells of them.
pub(crate) fn own_docs() -> Vec<ToolDoc> {
    let mut docs = TOOLS.docs(&[]);
    docs.truncate(OURS);
    docs
}

/// A tool as data. What runs it is the episode, not a world of services.
pub(crate) struct DeskTool {
    name: &'static str,
    signature: &'static str,
    about: &'static str,
    params: &'static [Param],
    /// Seconds that it takes beside what its commands take.
    seconds: u64,
    run: Run,
}

impl Tool for DeskTool {
    fn name(&self) -> &'static str {
        self.name
    }

    fn signature(&self) -> &'static str {
        self.signature
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn params(&self) -> &'static [Param] {
        self.params
    }

    fn cost(&self) -> Span {
        Span::secs(self.seconds)
    }

    fn run(&self) -> Run {
        self.run
    }
}

const LOOKS: Run = Run::Look(|_: View<'_>, _: &ToolArgs| Reply::default());
const ACTS: Run = Run::Act(|_, _| Reply::default());
const ENDS: Run = Run::End(|_: &ToolArgs| Reply::default());

static KUBECTL: DeskTool = DeskTool {
    name: "kubectl",
    signature: "kubectl(command)",
    about: "run a command line at a terminal with kubectl and the usual text tools; pipes, loops and heredocs work",
    params: const { &[Param::needed("command", PROSE)] },
    seconds: 15,
    run: ACTS,
};

static PROMQL: DeskTool = DeskTool {
    name: "promql",
    signature: "promql(query[, minutes[, step]])",
    about: "ask Prometheus: the value of an expression now, or with minutes its values over that time, step seconds apart",
    params: const { &[Param::needed("query", PROSE), Param::optional("minutes", PROSE), Param::optional("step", PROSE)] },
    seconds: 16,
    run: LOOKS,
};

static LOGQL: DeskTool = DeskTool {
    name: "logql",
    signature: "logql(query[, minutes[, limit]])",
    about: "ask Loki for lines of containers or a metric of them, such as {namespace=\"x\"} |= \"error\"; the last 15 minutes \
            and 100 lines unless said otherwise",
    params: const { &[Param::needed("query", PROSE), Param::optional("minutes", PROSE), Param::optional("limit", PROSE)] },
    seconds: 16,
    run: LOOKS,
};

static TRACES: DeskTool = DeskTool {
    name: "traces",
    signature: "traces([service[, minutes[, operation]]])",
    about: "ask Jaeger for traces of a service, the longest first; without a service, the services and who calls whom",
    params: const {
        &[Param::optional("service", PROSE), Param::optional("minutes", PROSE), Param::optional("operation", PROSE)]
    },
    seconds: 16,
    run: LOOKS,
};

static ALERTS: DeskTool = DeskTool {
    name: "alerts",
    signature: "alerts()",
    about: "ask Alertmanager for the alerts that fire",
    params: &[],
    seconds: 16,
    run: LOOKS,
};

static WAIT: DeskTool = DeskTool {
    name: "wait",
    signature: "wait(seconds)",
    about: "let time pass, at most 900 seconds",
    params: const { &[Param::needed("seconds", PROSE)] },
    seconds: 30,
    run: ACTS,
};

static SUBMIT_DIAGNOSIS: DeskTool = DeskTool {
    name: "submit_diagnosis",
    signature: "submit_diagnosis(diagnosis[, cause])",
    about: "say what is wrong, once: the component, the object and field or state, and how it comes about; cause says it exactly, \
         as component/kind with the object behind it, several separated by `;`, and decides where it is given",
    params: const { &[Param::needed("diagnosis", PROSE), Param::optional("cause", PROSE)] },
    seconds: 30,
    run: ENDS,
};

static SUBMIT: DeskTool = DeskTool {
    name: "submit",
    signature: "submit([ans])",
    about: "say that the problem is mitigated; this is final. Before the diagnosis, ans is the diagnosis",
    params: const { &[Param::optional("ans", PROSE)] },
    seconds: 30,
    run: ENDS,
};

/// The tools under the names and with the parameters that SREGym has.
mod sregym {
    use super::{ACTS, DeskTool, LOOKS, PROSE, Param};

    const fn look(
        name: &'static str,
        signature: &'static str,
        about: &'static str,
        params: &'static [Param],
    ) -> DeskTool {
        DeskTool { name, signature, about, params, seconds: 16, run: LOOKS }
    }

    pub(super) static EXEC: DeskTool = DeskTool {
        name: "exec_kubectl_cmd_safely",
        signature: "exec_kubectl_cmd_safely(cmd)",
        about: "run one kubectl command; no pipes, redirects, lists of commands or interactive flags; what it changes can be \
                rolled back",
        params: const { &[Param::needed("cmd", PROSE)] },
        seconds: 15,
        run: ACTS,
    };
    pub(super) static ROLLBACK: DeskTool = DeskTool {
        name: "rollback_command",
        signature: "rollback_command()",
        about: "undo the last command of exec_kubectl_cmd_safely that changed something",
        params: &[],
        seconds: 15,
        run: ACTS,
    };
    pub(super) static PREVIOUS: DeskTool = look(
        "get_previous_rollbackable_cmd",
        "get_previous_rollbackable_cmd()",
        "the commands that can be rolled back, the latest first",
        &[],
    );
    pub(super) static METRICS: DeskTool = look(
        "get_metrics",
        "get_metrics(query)",
        "the value of a PromQL expression now",
        const { &[Param::needed("query", PROSE)] },
    );
    pub(super) static ALERTS: DeskTool =
        look("get_alerts", "get_alerts()", "the alerts that fire, as Prometheus has them", &[]);
    pub(super) static LOGS: DeskTool = look(
        "get_logs",
        "get_logs(query[, last_n_minutes])",
        "lines that a LogQL query selects, at most 100",
        const { &[Param::needed("query", PROSE), Param::optional("last_n_minutes", PROSE)] },
    );
    pub(super) static LABELS: DeskTool = look("get_labels", "get_labels()", "the labels of log streams", &[]);
    pub(super) static LABEL_VALUES: DeskTool = look(
        "get_label_values",
        "get_label_values(label)",
        "the values of a label of log streams",
        const { &[Param::needed("label", PROSE)] },
    );
    pub(super) static SERVICES: DeskTool = look("get_services", "get_services()", "the services with traces", &[]);
    pub(super) static OPERATIONS: DeskTool = look(
        "get_operations",
        "get_operations(service)",
        "the operations of a service with traces",
        const { &[Param::needed("service", PROSE)] },
    );
    pub(super) static TRACES: DeskTool = look(
        "get_traces",
        "get_traces(service, last_n_minutes)",
        "traces of a service, at most 20",
        const { &[Param::needed("service", PROSE), Param::optional("last_n_minutes", PROSE)] },
    );
    pub(super) static DEPENDENCIES: DeskTool = look(
        "get_dependency_graph",
        "get_dependency_graph([last_n_minutes])",
        "which service called which, and how often",
        const { &[Param::optional("last_n_minutes", PROSE)] },
    );
}
