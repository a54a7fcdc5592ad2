//! The tools of an episode, as the makers of models describe tools, and calls with arguments of the
//! types that those descriptions promise.

use std::collections::BTreeMap;

use record::CauseAnswer;
use record::grade::read_causes;
use record::{Step, ToolCard};
use serde_json::{Map, Value, json};

use super::ExportEpisode;

/// The tools that the agent had, in the form of OpenAI's chat interface.
pub fn definitions(entry: &ExportEpisode) -> Vec<Value> {
    let header = entry.header();
    let function = |tool: &ToolCard| {
        let parameters = with_services(&tool.parameters, &header.services);
        json!({
            "type": "function",
            "function": { "name": tool.name, "description": tool.about, "parameters": parameters },
        })
    };
    header.toolbox.iter().map(function).collect()
}

/// The arguments of a valid call.
pub fn arguments(entry: &ExportEpisode, step: &Step) -> Value {
    let tool = entry.header().toolbox.iter().find(|tool| tool.name == step.tool);
    typed(&step.args, tool.map_or(&Value::Null, |tool| &tool.parameters["properties"]))
}

/// A schema in which a service is one of those that there are.
fn with_services(parameters: &Value, services: &[String]) -> Value {
    let mut parameters = parameters.clone();
    if let Some(service) = parameters.pointer_mut("/properties/service").filter(|_| !services.is_empty()) {
        service["enum"] = json!(services);
    }
    parameters
}

fn typed(args: &BTreeMap<String, String>, types: &Value) -> Value {
    let value = |name: &String, text: &String| {
        let wanted = &types[name]["type"];
        let first = wanted.get(0).unwrap_or(wanted);
        if first == "array" {
            return causes(text).unwrap_or_else(|| json!(text));
        }
        let whole = (first == "integer").then(|| text.parse::<i64>().ok()).flatten();
        whole.map_or_else(|| json!(text), |number| json!(number))
    };
    Value::Object(args.iter().map(|(name, text)| (name.clone(), value(name, text))).collect::<Map<_, _>>())
}

/// Structured answers, as the schema has them: a list of objects without what was left out.
fn causes(text: &str) -> Option<Value> {
    let object = |answer: CauseAnswer| {
        let CauseAnswer { component, cause, direction, key, instance } = answer;
        let direction = direction.map(|way| way.text().to_string());
        let given = [("direction", direction), ("key", key), ("instance", instance)];
        let mut object = json!({ "component": component, "cause": cause });
        for (name, value) in given.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            object[name] = json!(value);
        }
        object
    };
    read_causes(text).ok().map(|all| all.into_iter().map(object).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_have_the_types_of_the_schema() {
        let types = json!({
            "service": {"type": "string"},
            "value": {"type": ["string", "number", "boolean"]},
            "change": {"type": ["integer", "string"]},
            "minutes": {"type": "integer"},
        });
        let check = |args: &[(&str, &str)], expect: Value| {
            let args = args.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
            assert_eq!(typed(&args, &types), expect);
        };
        check(&[("service", "cache")], json!({"service": "cache"}));
        check(&[("service", "cache"), ("value", "60")], json!({"service": "cache", "value": "60"}));
        check(&[("change", "3")], json!({"change": 3}));
        check(&[("change", "three")], json!({"change": "three"}));
        check(&[("minutes", "15")], json!({"minutes": 15}));
        check(&[("unknown", "1")], json!({"unknown": "1"}));
    }

    #[test]
    fn services_are_listed_where_one_is_wanted() {
        let one = json!({"properties": {"service": {"type": "string"}, "key": {"type": "string"}}});
        let listed = with_services(&one, &["cache".to_string()]);
        assert_eq!(listed["properties"]["service"]["enum"], json!(["cache"]));
        assert_eq!(listed["properties"]["key"], one["properties"]["key"]);
        assert_eq!(with_services(&one, &[]), one);
        assert_eq!(with_services(&json!({}), &["cache".to_string()]), json!({}));
    }
}
