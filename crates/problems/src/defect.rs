//! Whether the defect is still there: what the fault changed, compared with how it was while it was broken.

use apps::Site;
use serde_json::Value;

use crate::acting::ActorBook;
use crate::file::{ProblemCause, StateCondition};
use crate::perform::{administrator, command};
use crate::place::{ObjectPlace, field};
use crate::problem::ClusterProblem;

/// The causes of a problem with what they looked like while it was broken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Defects {
    causes: Vec<Option<String>>,
    /// What each alternative looked like.
    alternatives: Vec<Option<String>>,
}

impl Defects {
    /// Looks at a site that is broken. It is a copy: commands that tell a state cost it time.
    pub(crate) fn of(problem: &ClusterProblem, broken: &mut Site, actors: &mut ActorBook) -> Defects {
        Defects {
            causes: problem.file.cause.iter().map(|cause| seen(problem, cause, broken, actors)).collect(),
            alternatives: problem.file.gone.iter().map(|other| value(problem, other, broken)).collect(),
        }
    }

    /// The causes that are still as they were; none if an alternative holds.
    pub(crate) fn left(&self, problem: &ClusterProblem, site: &mut Site, actors: &mut ActorBook) -> Vec<String> {
        let neutral = problem.file.gone.iter().zip(&self.alternatives);
        if neutral.into_iter().any(|(other, broken)| is_neutral(problem, other, broken.as_deref(), site)) {
            return Vec::new();
        }
        let causes = problem.file.cause.iter().zip(&self.causes);
        let same = |(cause, broken): &(&ProblemCause, &Option<String>)| {
            let now = seen(problem, cause, site, actors);
            let restored = |wanted: &String| now.as_ref().is_some_and(|now| now.contains(wanted.as_str()));
            now == **broken || !cause.restored.as_ref().is_none_or(restored)
        };
        causes.filter(same).map(|(cause, _)| format!("{}: {}", cause.object, cause.about)).collect()
    }
}

/// What a cause looks like now; `None` if its object or field is not there.
fn seen(problem: &ClusterProblem, cause: &ProblemCause, site: &mut Site, actors: &mut ActorBook) -> Option<String> {
    let namespace = cause.namespace.as_deref().unwrap_or(problem.namespace());
    if let Some(line) = &cause.state {
        let mut terminal = administrator(namespace);
        return Some(command(site, actors, &mut terminal, line).unwrap_or_else(|refusal| refusal.problem));
    }
    let place = ObjectPlace::read(&cause.object, namespace)?;
    if place.name.is_empty() {
        return Some(of_all(&place, &cause.field, site));
    }
    told(place.find(&site.cluster)?, &cause.field)
}

/// What a field looks like on all objects of a kind.
fn of_all(place: &ObjectPlace, path: &str, site: &Site) -> String {
    let all = site.cluster.objects(place.resource, None).map(|object| told(object, path).unwrap_or_default());
    all.collect::<Vec<_>>().join("\n")
}

/// How a field looks that an object does not have.
const NO_FIELD: &str = "(nothing)";

fn told(object: &Value, path: &str) -> Option<String> {
    // An object that is on its way out is as good as gone only once it is gone.
    if path.is_empty() {
        Some("present".to_string())
    } else {
        Some(field(object, path).map_or(NO_FIELD.into(), Value::to_string))
    }
}

/// The value that a condition is about.
pub(crate) fn value(problem: &ClusterProblem, condition: &StateCondition, site: &Site) -> Option<String> {
    let namespace = condition.namespace.as_deref().unwrap_or(problem.namespace());
    let place = ObjectPlace::read(&condition.object, namespace)?;
    if place.name.is_empty() {
        return Some(of_all(&place, &condition.field, site));
    }
    told(place.find(&site.cluster)?, &condition.field)
}

fn is_neutral(problem: &ClusterProblem, condition: &StateCondition, broken: Option<&str>, site: &Site) -> bool {
    match (&condition.is, &condition.at_least, &condition.contains) {
        (None, None, None) => value(problem, condition, site).as_deref() != broken,
        _ => holds(problem, condition, site),
    }
}

/// Whether a condition holds.
pub(crate) fn holds(problem: &ClusterProblem, condition: &StateCondition, site: &Site) -> bool {
    let found = value(problem, condition, site);
    let plain = found.as_deref().map(|text| text.trim_matches('"'));
    let is = match condition.is.as_deref() {
        None => true,
        Some("present") => plain.is_some_and(|text| text != NO_FIELD && text != "null" && !text.is_empty()),
        Some("absent") => plain.is_none_or(|text| text == NO_FIELD),
        Some("false") => plain.is_none_or(|text| text == "false" || text == NO_FIELD),
        Some(wanted) => plain == Some(wanted),
    };
    let enough = condition
        .at_least
        .is_none_or(|least| plain.and_then(|text| text.parse().ok()).is_some_and(|n: f64| n >= least));
    let has = condition.contains.as_deref().is_none_or(|part| whole(problem, condition, site).contains(part));
    is && enough && has
}

fn whole(problem: &ClusterProblem, condition: &StateCondition, site: &Site) -> String {
    let namespace = condition.namespace.as_deref().unwrap_or(problem.namespace());
    let place = ObjectPlace::read(&condition.object, namespace);
    let object = place.and_then(|place| place.find(&site.cluster).map(|object| object["spec"].to_string()));
    object.unwrap_or_default()
}
