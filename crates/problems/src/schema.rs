//! A JSON Schema for problem files, by which editors complete and check them.

use serde_json::{Value, json};

use crate::vocabulary::{CAUSE_KINDS, LISTED, ProblemLayer, ProblemMode};

/// The schema.
pub fn problem_schema() -> Value {
    let kinds: Vec<&str> = CAUSE_KINDS.iter().map(|(name, _)| *name).collect();
    let text = |about: &str| json!({"type": "string", "description": about});
    let texts = |about: &str| json!({"type": "array", "items": {"type": "string"}, "description": about});
    let commands = || texts("Command lines at a terminal with kubectl, one after the other.");
    let list = |name: &str, about: &str| json!({"type": "array", "items": {"$ref": format!("#/$defs/{name}")}, "description": about});
    let span = |about: &str| json!({"type": "string", "pattern": "^[0-9]+(ms|s|m|h)$", "description": about});
    let object = |required: &[&str], properties: Value| json!({"type": "object", "additionalProperties": false, "required": required, "properties": properties});
    let step = object(
        &[],
        json!({
            "after": span("How long after the step before."),
            "run": text("A command line at a terminal with kubectl."),
            "apply": text("Manifests that are applied."),
            "namespace": text("The namespace of manifests that name none."),
            "change": {"$ref": "#/$defs/change"},
            "tls": object(&["secret", "host", "not_after"], json!({
                "secret": text("The Secret."),
                "host": text("For whom the certificate is."),
                "not_after": text("Until when it is valid, from now on: `720h`; `-24h` has expired."),
            })),
        }),
    );
    let change = json!({
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"enum": CHANGES}},
        "description": "What no command could do: to a node, a disk, a link, the load, a registry.",
    });
    let actor = object(
        &["of", "run"],
        json!({
            "of": text("The workload that acts, as `cronjob/nightly`."),
            "namespace": text("Its namespace."),
            "every": span("How often a Deployment acts."),
            "as": text("As whom, as `system:serviceaccount:NAMESPACE:NAME`."),
            "run": text("What it does."),
        }),
    );
    let cause = object(
        &["component", "kind", "object", "about"],
        json!({
            "component": text("The component at fault."),
            "kind": {"enum": kinds},
            "object": text("The object, as `deployment/geo`."),
            "namespace": text("Its namespace."),
            "field": text("The field of it; empty if it is the object itself."),
            "about": text("What is wrong there, in words."),
            "state": text("A command whose output tells the state, where no field does."),
            "restored": text("A text that this output must hold again."),
        }),
    );
    let condition = object(
        &["object"],
        json!({
            "object": text("The object, as `deployment/geo`."),
            "namespace": text("Its namespace."),
            "field": text("The field; the whole object if it is left out."),
            "is": text("`present`, `absent`, or the value."),
            "at_least": {"type": "number"},
            "contains": text("A text that the field holds somewhere."),
            "after": {"enum": ["trigger"]},
            "about": text("What it is for, in words."),
        }),
    );
    let case =
        object(&["name", "commands"], json!({"name": text("What it does, in a few words."), "commands": commands()}));
    let mut schema = object(
        &["title", "applications", "layer", "mode", "fault", "cause", "diagnosis", "solution"],
        json!({
            "title": text("What is wrong, in a line."),
            "applications": texts("The applications that run; commands are in the namespace of the first."),
            "layer": {"enum": ProblemLayer::ALL.map(ProblemLayer::name)},
            "mode": {"enum": ProblemMode::ALL.map(ProblemMode::name)},
            "suites": {"type": "array", "items": {"enum": LISTED}},
            "split": {"enum": ["train", "test"]},
            "difficulty": {"enum": ["easy", "medium", "hard"]},
            "settle": span("How long after the fault the agent is called."),
            "restart_is_right": text("Why a restart of everything is a true fix, where it is one."),
            "may_change": texts("Objects that a right mitigation may change beside those of the cause."),
            "published_defect": text("What was wrong with the problem as it was published."),
            "before": list("step", "What is set up while all is well."),
            "fault": list("step", "What the fault does, in order."),
            "actor": list("actor", "What keeps acting in the cluster."),
            "trigger": list("step", "What set it off, played again to see whether a mitigation lasts."),
            "cause": list("cause", "What is really wrong, the first cause first."),
            "gone": list("condition", "Other states in which the defect is gone: any one of them will do."),
            "condition": list("condition", "What must hold beside the general conditions."),
            "diagnosis": object(&["words"], json!({"words": {"type": "array", "items": texts("A right diagnosis has one of these.")}})),
            "solution": object(&["commands"], json!({"commands": commands()})),
            "right": list("case", "Other right mitigations."),
            "wrong": list("case", "Mitigations that are wrong or harmful."),
        }),
    );
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "A problem in a cluster".into();
    schema["$defs"] =
        json!({"step": step, "change": change, "actor": actor, "cause": cause, "condition": condition, "case": case});
    schema
}

/// The kinds of changes of a site.
const CHANGES: &[&str] = &["kubelet", "disk", "memory", "eviction", "kernel", "link", "cpu-stress", "load", "registry"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{carried, problem_skeleton};

    /// The fields of a table that the schema does not know.
    fn unknown(schema: &Value, root: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
        let schema = match schema["$ref"].as_str() {
            Some(place) => &root["$defs"][place.trim_start_matches("#/$defs/")],
            None => schema,
        };
        match value {
            Value::Object(map) if schema["additionalProperties"] == false => {
                for (name, inner) in map {
                    match schema["properties"].get(name) {
                        Some(known) => unknown(known, root, inner, &format!("{path}.{name}"), found),
                        None => found.push(format!("{path}.{name}")),
                    }
                }
            }
            Value::Array(all) => all.iter().for_each(|one| unknown(&schema["items"], root, one, path, found)),
            Value::String(text) if schema["enum"].is_array() => {
                let known = schema["enum"].as_array().expect("asked for").iter().any(|one| one == text);
                if !known {
                    found.push(format!("{path}: {text}"));
                }
            }
            _ => {}
        }
    }

    #[test]
    fn it_knows_every_field_of_every_problem() {
        let schema = problem_schema();
        let mut found = Vec::new();
        for problem in carried() {
            let value = serde_json::to_value(&problem.file).expect("plain data");
            unknown(&schema, &schema, &value, &problem.id, &mut found);
        }
        let own: Value = toml::from_str(problem_skeleton()).expect("it is TOML");
        unknown(&schema, &schema, &own, "skeleton", &mut found);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn a_field_that_does_not_exist_is_none_of_its() {
        let schema = problem_schema();
        let mut found = Vec::new();
        unknown(&schema, &schema, &json!({"titel": "x", "layer": "cellar"}), "x", &mut found);
        assert_eq!(found, ["x.layer: cellar", "x.titel"]);
    }
}
