//! `kubectl wait`.

use serde_json::Value;
use shell::Host;

use super::Outcome;
use crate::failure::Failure;
use crate::go::quote;
use crate::json;
use crate::kubectl::Kubectl;
use crate::print::JsonPath;
use crate::targets::{Found, Target};

pub(super) const FLAGS: &str = "all A|all-namespaces allow-missing-template-keys field-selector= f|filename= for= local o|output= R|recursive \
    l|selector= show-managed-fields template= timeout=d";

/// What is waited for.
enum Wish {
    Delete,
    Create,
    Condition(String, String),
    Path(JsonPath, Option<String>),
}

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let wish = read(call.flags.text("for"))?;
    let span = call.flags.span("timeout").unwrap_or(std::time::Duration::from_secs(30));
    let end = call.desk.now().saturating_add(span.as_micros() as i64);
    let words = call.flags.words.clone();
    let mut targets = call.file_targets()?;
    if targets.is_empty() {
        targets = call.targets(&words)?;
    }
    if targets.is_empty() {
        return Err(Failure::new(crate::targets::NOTHING_NAMED));
    }
    let by_name = targets.iter().all(|target| target.name.is_some());
    if !by_name && !call.selects() && !call.flags.has("all-namespaces") {
        return Err(Failure::new("resource(s) were provided, but no name was specified"));
    }
    if matches!(wish, Wish::Create) {
        appear(call, &targets, end)?;
    }
    let (found, mut failures) = call.found(&targets);
    if matches!(wish, Wish::Delete) {
        failures.retain(|failure| !failure.is_not_found());
    }
    Failure::all(failures)?;
    if found.is_empty() {
        return if matches!(wish, Wish::Delete) { Ok(()) } else { Err(Failure::new("no matching resources found")) };
    }
    let mut failures = Vec::new();
    for one in found {
        if let Err(failure) = until(call, &one, &wish, end) {
            failures.push(failure);
        }
    }
    Failure::all(failures)
}

fn read(text: &str) -> Result<Wish, Failure> {
    if text.eq_ignore_ascii_case("delete") {
        return Ok(Wish::Delete);
    }
    if text.eq_ignore_ascii_case("create") {
        return Ok(Wish::Create);
    }
    if let Some(rest) = text.strip_prefix("condition=") {
        let (name, value) = rest.split_once('=').unwrap_or((rest, "true"));
        return Ok(Wish::Condition(name.into(), value.into()));
    }
    if let Some(rest) = text.strip_prefix("jsonpath=") {
        let rest = rest.trim_matches('\'');
        let (path, value) = match rest.rfind('}') {
            Some(end) => (&rest[..=end], rest[end + 1..].strip_prefix('=')),
            None => rest.split_once('=').map_or((rest, None), |(path, value)| (path, Some(value))),
        };
        let value = value.map(|value| value.trim_matches(['"', '\'']).to_string());
        if value.as_deref() == Some("") {
            return Err(Failure::new("jsonpath wait has to have a value after equal sign"));
        }
        let path = JsonPath::relaxed(path.trim_matches('\'')).map_err(Failure::new)?;
        return Ok(Wish::Path(path, value));
    }
    Err(Failure::new(format!("unrecognized condition: {}", quote(text))))
}

/// Waits until named objects are there.
fn appear(call: &mut Kubectl<'_, '_>, targets: &[Target], end: i64) -> Outcome {
    for target in targets {
        let Some(name) = &target.name else { continue };
        while let Err(failure) = call.object(&target.kind, &target.namespace, name) {
            if !failure.is_not_found() {
                return Err(failure);
            }
            if !call.step(end) {
                return Err(Failure::new(format!(
                    "timed out waiting for the condition on {}/{name}",
                    target.kind.plural
                )));
            }
        }
    }
    Ok(())
}

fn until(call: &mut Kubectl<'_, '_>, one: &Found, wish: &Wish, end: i64) -> Outcome {
    let uid = json::text(&one.object, "metadata.uid").to_string();
    let mut object = Some(one.object.clone());
    loop {
        let met = match (&object, wish) {
            (None, Wish::Delete) => true,
            (None, _) => return Err(not_found(one)),
            (Some(object), Wish::Delete) => json::text(object, "metadata.uid") != uid,
            (Some(_), Wish::Create) => true,
            (Some(object), Wish::Condition(name, value)) => has_condition(object, name, value),
            (Some(object), Wish::Path(path, value)) => has_value(object, path, value.as_deref())?,
        };
        if met {
            return call.tell(&one.shown(), object.as_ref().unwrap_or(&one.object), "condition met");
        }
        if !call.step(end) {
            let is_timeout = call.desk.deadline.is_some_and(|deadline| call.desk.now() >= deadline && deadline < end);
            return match is_timeout {
                true => Err(call.stopped()),
                false => Err(Failure::new(format!(
                    "timed out waiting for the condition on {}/{}",
                    one.kind.plural, one.name
                ))),
            };
        }
        object = match call.object(&one.kind, &one.namespace, &one.name) {
            Ok(object) => Some(object),
            Err(failure) if failure.is_not_found() => None,
            Err(failure) => return Err(failure),
        };
    }
}

fn not_found(one: &Found) -> Failure {
    Failure::Status(Box::new(serde_json::json!({
        "kind": "Status", "reason": "NotFound", "code": 404,
        "message": format!("{} {} not found", one.kind.group_resource(), quote(&one.name)),
    })))
}

fn has_condition(object: &Value, name: &str, value: &str) -> bool {
    let generation = json::int(object, "metadata.generation");
    json::list(object, "status.conditions").iter().any(|condition| {
        let observed = json::int(condition, "observedGeneration").or(json::int(object, "status.observedGeneration"));
        let is_current = observed.zip(generation).is_none_or(|(observed, generation)| observed >= generation);
        json::text(condition, "type").eq_ignore_ascii_case(name)
            && json::text(condition, "status").eq_ignore_ascii_case(value)
            && is_current
    })
}

fn has_value(object: &Value, path: &JsonPath, value: Option<&str>) -> Result<bool, Failure> {
    let Ok(found) = path.values(object) else { return Ok(false) };
    match (&*found, value) {
        ([], _) => Ok(false),
        (_, None) => Ok(true),
        ([one], Some(value)) if !one.is_object() && !one.is_array() => Ok(json::plain(one) == value),
        ([_], Some(_)) => Err(Failure::new("jsonpath leads to a nested object or list which is not supported")),
        _ => Err(Failure::new("given jsonpath expression matches more than one value")),
    }
}
