//! A JSON Schema for task files, so that editors complete and check them while they are written.

use serde_json::{Value, json};
use world::faults;

use super::{Difficulty, Split};
use crate::grade::concepts;
use crate::suite_names;

/// The schema (draft 2020-12). What a world has, such as the keys of a service, only `check` can tell.
pub fn schema() -> Value {
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "SRE-Zero task",
        "description": "One incident: a world, what breaks in it, and what counts as having dealt with it.",
    });
    let body = closed(
        "",
        &["id", "title", "difficulty", "split", "steps", "fault", "diagnosis", "grading", "solution"],
        json!({
            "id": { "type": "string", "pattern": "^[a-z0-9_]+$", "description": "The same as the file's name. Agents never see it." },
            "title": text("The story in one line. A spoiler: shown only on request."),
            "difficulty": one_of(Difficulty::ALL.map(Difficulty::text).to_vec(), "How hard it is."),
            "split": one_of(Split::ALL.map(Split::text).to_vec(), "What it may be used for."),
            "suites": list(one_of(suite_names::LISTED.to_vec(), "A suite that it belongs to."), "May be empty."),
            "steps": whole(1, 100, "How many actions an agent has, resolve_incident included."),
            "noise": whole(0, 3, "How imperfect its telemetry is at least."),
            "tools": one_of(vec!["classic", "full"], "The tools that its solution takes."),
            "measured": measured(),
            "world": world_part(),
            "fault": list(fault(), "What breaks, one table per fault."),
            "decoy": list(decoy(), "Innocent entries of the change history."),
            "responder": list(responder(), "What an earlier responder did about it; it must be undone."),
            "diagnosis": closed("What a right explanation says.", &["component", "concepts"], json!({
                "component": text("The service at fault, not the one that shows it."),
                "concepts": list(one_of(concepts::ALL.iter().map(|c| c.name).collect(), "A mechanism."), "Usually one."),
            })),
            "grading": grading(),
            "solution": closed("Proof that it can be done.", &["calls"], json!({
                "calls": list(text("A call, such as check_status(cache); the last is resolve_incident."), "In order."),
            })),
        }),
    );
    for (name, part) in body.as_object().expect("a table").clone() {
        schema[name] = part;
    }
    schema["$defs"] = json!({ "call": call() });
    schema
}

/// A table with these fields and no others.
fn closed(about: &str, required: &[&str], fields: Value) -> Value {
    let mut table =
        json!({ "type": "object", "additionalProperties": false, "required": required, "properties": fields });
    if !about.is_empty() {
        table["description"] = about.into();
    }
    table
}

fn text(about: &str) -> Value {
    json!({ "type": "string", "description": about })
}

fn number(about: &str) -> Value {
    json!({ "type": "number", "description": about })
}

fn whole(least: u32, most: u32, about: &str) -> Value {
    json!({ "type": "integer", "minimum": least, "maximum": most, "description": about })
}

fn one_of(values: Vec<&str>, about: &str) -> Value {
    json!({ "type": "string", "enum": values, "description": about })
}

fn list(items: Value, about: &str) -> Value {
    json!({ "type": "array", "items": items, "description": about })
}

fn map(values: Value, about: &str) -> Value {
    json!({ "type": "object", "additionalProperties": values, "description": about })
}

fn scalar(about: &str) -> Value {
    json!({ "type": ["string", "number", "boolean"], "description": about })
}

fn measured() -> Value {
    closed(
        "How hard it was measured to be; generated files have it.",
        &[],
        json!({
            "distance": whole(0, 100, "Calls between the service that paged and the one at fault."),
            "abnormal": whole(0, 100, "Services with something out of the ordinary at the page."),
            "signal": number("The share of all that is unusual that is seen at the service at fault."),
            "solution": whole(1, 100, "Calls of the solution."),
            "runbook": number("The share of seeds under which the rule-based responder resolves it."),
            "score": number("All of it in one number, from 0 to 100."),
        }),
    )
}

fn world_part() -> Value {
    closed(
        "Where it happens: only what differs from the base.",
        &[],
        json!({
            "base": one_of(vec!["shop", "inline"], "The world to start from; `inline` takes it from world.spec."),
            "load": map(number("A factor."), "Route -> factor on its requests per second."),
            "enlarge": map(number("A factor."), "Route -> factor on the size of each request."),
            "config": map(scalar("The healthy value."), "service.KEY -> healthy value."),
            "params": map(number("A size."), "service.param -> physical size."),
            "tickets": list(text("service/rule, service or route"), "Alerts that do not page."),
            "spec": spec(),
        }),
    )
}

fn spec() -> Value {
    let kinds: Vec<&str> = world::services::ALL.iter().map(|k| k.name()).collect();
    let service = closed(
        "A service.",
        &["name", "kind", "instances"],
        json!({
            "name": text("Unique in the world."),
            "kind": one_of(kinds, "What it is."),
            "instances": whole(1, 1000, "How many."),
            "config": map(text("A value."), "Values that differ from the kind's."),
            "params": map(number("A size."), "Sizes that differ from the kind's."),
            "words": map(text("A word of this place."), "What is said here for words of the shop, such as orders."),
        }),
    );
    let route = closed(
        "What users ask.",
        &["name", "rps", "slow_ms", "patience_ms", "allowed", "entry"],
        json!({
            "name": text("Unique in the world."),
            "rps": number("Requests per second; 0 where a queue's messages start it."),
            "slow_ms": number("Slow from here on."),
            "patience_ms": number("Users give up after this."),
            "allowed": number("The share that may fail or be slow."),
            "user_retry": number("The share of failed requests that users send again."),
            "entry": { "$ref": "#/$defs/call" },
        }),
    );
    let app = closed(
        "An application.",
        &["name", "routes"],
        json!({
            "name": text("Its name."),
            "routes": list(route, "Its routes."),
        }),
    );
    closed(
        "A whole world.",
        &["nodes", "services", "apps"],
        json!({
            "nodes": whole(1, 1000, "Machines."),
            "services": list(service, "The services."),
            "apps": list(app, "The applications on them."),
            "tickets": list(text("service/rule or service"), "Alerts that do not page."),
        }),
    )
}

fn call() -> Value {
    let op = closed(
        "What is asked.",
        &[],
        json!({
            "name": text("As traces show it."),
            "work_ms": number("Work at the callee."),
            "hold_ms": number("Time for which a slot is held besides."),
            "spread": number("How much the work varies."),
            "write": { "type": "boolean", "description": "Whether it changes data." },
            "index": text("The key of the index that it needs."),
            "hit": number("For a cache: the share that could be answered at best."),
        }),
    );
    closed(
        "A call and what it calls in turn.",
        &["to", "op", "times"],
        json!({
            "to": text("The service called."),
            "op": op,
            "times": number("How often, for each run of the caller."),
            "calls": list(json!({ "$ref": "#/$defs/call" }), "One after another."),
            "on_miss": list(json!({ "$ref": "#/$defs/call" }), "What the caller does if this finds nothing."),
        }),
    )
}

fn fault() -> Value {
    let mut fields = json!({ "after_s": whole(0, 3600, "So long after the onset.") });
    for fault in faults::ALL {
        for (name, about) in fault.args() {
            fields[*name] = scalar(&format!("{}: {about}", fault.name()));
        }
    }
    fields["kind"] = one_of(faults::ALL.iter().map(|f| f.name()).collect(), "What breaks.");
    closed("A fault.", &["kind"], fields)
}

fn decoy() -> Value {
    closed(
        "Something innocent.",
        &["service", "minutes_before", "author", "summary"],
        json!({
            "service": text("Where."),
            "minutes_before": whole(1, 360, "Before the onset."),
            "author": text("A team."),
            "summary": text("One plausible line; never the change of a real key."),
        }),
    )
}

fn responder() -> Value {
    closed(
        "An earlier responder's act.",
        &["service", "minutes_after_onset"],
        json!({
            "service": text("Where."),
            "key": text("The key that was set, with `value`."),
            "value": scalar("What it was set to."),
            "restart": { "type": "boolean", "description": "The service was restarted instead." },
            "minutes_after_onset": whole(1, 120, "When."),
            "author": text("Who."),
            "summary": text("What the change history says."),
        }),
    )
}

fn grading() -> Value {
    let fix = json!({ "type": "object", "additionalProperties": false, "properties": {
        "config": text("service.KEY, with `is`"),
        "is": text(">= n, <= n or = value"),
        "restart": text("A service: restarted since the onset, and well."),
        "rolled_back": text("A service: the change that brought the fault is taken back."),
    }});
    closed(
        "What counts.",
        &["evidence"],
        json!({
            "evidence": list(text("kind:service, such as metrics:cache, or config:service:KEY"), "What a responder should look at before acting."),
            "fix": list(fix, "Conditions on the world's state; all must hold. Left out, what ends the faults."),
            "distractors": list(text("A service."), "Services that look guilty."),
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks;

    /// The parts of a value that the schema does not allow. Knows what the schema above uses.
    fn faults_in(value: &Value, schema: &Value, root: &Value, place: &str, found: &mut Vec<String>) {
        if let Some(name) = schema["$ref"].as_str() {
            return faults_in(value, &root["$defs"][name.rsplit('/').next().unwrap_or("")], root, place, found);
        }
        let types: Vec<&str> = match &schema["type"] {
            Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect(),
        };
        let kind = match value {
            Value::String(_) => "string",
            Value::Bool(_) => "boolean",
            Value::Number(n) if n.is_i64() || n.is_u64() => "integer",
            Value::Number(_) => "number",
            Value::Array(_) => "array",
            _ => "object",
        };
        let fits = types.contains(&kind) || (kind == "integer" && types.contains(&"number"));
        if !fits {
            found.push(format!("{place}: {kind} is none of {types:?}"));
        }
        if schema["enum"].as_array().is_some_and(|all| !all.contains(value)) {
            found.push(format!("{place}: {value} is not listed"));
        }
        for (at, item) in value.as_array().into_iter().flatten().enumerate() {
            faults_in(item, &schema["items"], root, &format!("{place}[{at}]"), found);
        }
        let Some(table) = value.as_object() else { return };
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !table.contains_key(name) {
                found.push(format!("{place}: {name} is missing"));
            }
        }
        for (name, inner) in table {
            let place = format!("{place}.{name}");
            match (&schema["properties"][name], &schema["additionalProperties"]) {
                (Value::Null, Value::Object(any)) => faults_in(inner, &Value::Object(any.clone()), root, &place, found),
                (Value::Null, _) => found.push(format!("{place}: unknown")),
                (known, _) => faults_in(inner, known, root, &place, found),
            }
        }
    }

    fn check(text: &str) -> Vec<String> {
        let table: toml::Table = toml::from_str(text).expect("it is TOML");
        let value = serde_json::to_value(table).expect("plain data");
        let (schema, mut found) = (schema(), Vec::new());
        faults_in(&value, &schema, &schema, "", &mut found);
        found
    }

    #[test]
    fn every_carried_file_fits_the_schema() {
        for source in tasks::embedded() {
            assert_eq!(check(source.text()), Vec::<String>::new(), "{}", source.file);
        }
        assert_eq!(check(crate::task::skeleton::SKELETON), Vec::<String>::new());
    }

    #[test]
    fn what_does_not_fit_is_found() {
        let found = check("id = 3\nstep = 4\n[[fault]]\nkind = \"flood\"\n");
        for part in [".id: integer", ".step: unknown", ".fault[0].kind: \"flood\"", ": title is missing"] {
            assert!(found.iter().any(|f| f.starts_with(part)), "{part} in {found:?}");
        }
    }
}
