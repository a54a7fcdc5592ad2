//! What an agent is told when it is called. Nothing in it names the problem, the fault or what it broke.

use faces::ToolDoc;
use harness::Brief;
use record::sha256;

use crate::desk_tools::{TOOLS, own_docs};
use crate::scene::ProblemScene;
use crate::stages::Stages;
use crate::vocabulary::CAUSE_KINDS;

/// The step budget.
pub(crate) const STEPS: u32 = 60;

/// The brief of a problem under a seed.
pub(crate) fn brief(scene: &ProblemScene, stages: Stages) -> Brief {
    let problem = &scene.problem;
    let page = page(scene);
    let tools = own_docs();
    let listed: String = tools.iter().map(|tool| format!("  {:<38} {}\n", tool.signature, tool.about)).collect();
    let kinds: Vec<&str> = CAUSE_KINDS.iter().map(|(name, _)| *name).collect();
    let namespaces = problem.file.applications.join(", ");
    if scene.live.is_some() {
        let text = live_text(scene, stages, &page, &kinds.join(", "));
        return Brief { steps: u32::MAX, ..of(scene, text, page, tools) };
    }
    let text = format!(
        "You are on call for a Kubernetes cluster. The applications are in these namespaces: {namespaces}.\n\n{page}\n\
         {}\n\nTools, one call per turn; a line that is no call is run at the terminal:\n{listed}\n\
         The terminal is in the namespace {} and has the rights of an administrator. You have {STEPS} steps.\n\
         Kinds of cause: {}.\n",
        stages.told(),
        problem.namespace(),
        kinds.join(", ")
    );
    of(scene, text, page, tools)
}

fn of(scene: &ProblemScene, text: String, page: String, tools: Vec<ToolDoc>) -> Brief {
    let problem = &scene.problem;
    Brief {
        // Opaque, and another one under each seed.
        incident: format!("P-{}", &sha256(format!("{} {}", problem.digest, scene.seed).as_bytes())[..8]),
        text,
        page,
        services: Vec::new(),
        tools,
        steps: STEPS,
        toolset: TOOLS,
        messages: None,
    }
}

/// What those are told who come with clients of their own: the addresses are told by the one who serves them.
fn live_text(scene: &ProblemScene, stages: Stages, page: &str, kinds: &str) -> String {
    format!(
        "You are on call for a Kubernetes cluster. The applications are in these namespaces: {}.\n\n{page}\n{}\n\n\
         You have kubectl with the rights of an administrator, and Prometheus, Loki, Jaeger and Alertmanager watch the cluster. \
         Time goes on while you work.\nA diagnosis may say exactly what it means in a line of its own, `cause: \
         component/kind`. Kinds of cause: {kinds}.\n",
        scene.problem.file.applications.join(", "),
        stages.told_live(),
    )
}

/// What pages when the agent is called.
fn page(scene: &ProblemScene) -> String {
    let alerts = scene.broken.alerts();
    if alerts.is_empty() {
        return "No alert is firing. A colleague says that something is not right and asks you to look.\n".to_string();
    }
    let line = |alert: &apps::PagingAlert| format!("  {}: {}\n", alert.name, alert.summary);
    format!("Firing alerts:\n{}", alerts.iter().map(line).collect::<String>())
}
