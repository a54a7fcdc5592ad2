//! Evidence as a task file lists it: read, checked against the world, and turned into the look that usually shows it.

use faces::unknown_name;
use record::{Evidence, FactKind};
use world::Blueprint;

use super::condition::{key, service};

const SHAPE: &str = "kind:service, such as metrics:cache, or config:service:KEY";

/// Reads one entry; the error says what would have been right.
pub(super) fn read(text: &String, plan: &Blueprint) -> Result<Evidence, String> {
    let Some(found) = Evidence::parse(text) else {
        let (kind, known) = (text.split(':').next().unwrap_or_default(), FactKind::ALL.map(FactKind::text));
        let is_known = known.contains(&kind) || Evidence::parse(&format!("{kind}:x")).is_some();
        return Err(match is_known {
            true => format!("`{text}` should be written as {SHAPE}"),
            false => unknown_name("kind of fact", kind, &known, "known are"),
        });
    };
    let Evidence { kind, subject, item } = &found;
    if *kind == FactKind::Trace && plan.routes.iter().any(|r| *r.name == **subject) {
        return Ok(found);
    }
    let at = service(plan, subject)?;
    match (kind, item) {
        (FactKind::Config, Some(name)) => drop(key(plan, at, name)?),
        (FactKind::Metrics, Some(name)) => {
            let known: Vec<&str> = plan.services[at].kind.metrics().iter().map(|m| m.name).collect();
            if !known.contains(&name.as_str()) {
                return Err(unknown_name(&format!("metric of {subject}"), name, &known, "known are"));
            }
        }
        (_, Some(_)) => return Err(format!("`{text}`: only config has a key, and only metrics have a series")),
        (_, None) => {}
    }
    Ok(found)
}

/// The call that usually shows it.
pub(crate) fn look(evidence: &Evidence) -> String {
    let Evidence { kind, subject, item } = evidence;
    match (kind, item) {
        (FactKind::Metrics, None) => format!("inspect_metrics({subject})"),
        (FactKind::Metrics, Some(series)) => format!("query_metrics({subject}, {series})"),
        (FactKind::Logs, _) => format!("inspect_logs({subject})"),
        (FactKind::Status, _) => format!("check_status({subject})"),
        (FactKind::Config, None) => format!("inspect_config({subject})"),
        (FactKind::Config, Some(key)) => format!("inspect_config({subject}, {key})"),
        (FactKind::Dependency, _) => format!("check_dependencies({subject})"),
        (FactKind::Change, _) => "list_changes()".to_string(),
        (FactKind::Alert, _) => "list_alerts()".to_string(),
        (FactKind::Trace, _) => format!("list_traces({subject})"),
    }
}
