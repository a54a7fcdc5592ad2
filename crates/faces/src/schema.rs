//! Tools for clients that want schemas: what a tool takes as JSON Schema, and a structured call as the
//! text that [`crate::parse`] reads.

use serde_json::{Map, Value, json};

use crate::tool::{Param, Takes, Tool};

/// The JSON Schema of a tool's arguments. The services are listed where they are known.
pub fn input_schema(tool: &dyn Tool, services: &[String]) -> Value {
    let properties: Map<String, Value> =
        tool.params().iter().map(|param| (param.name.to_string(), property(param, services))).collect();
    let required: Vec<&str> = tool.params().iter().filter(|p| !p.optional).map(|p| p.name).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// The text of a structured call: `{"action":"inspect_logs","service":"cache"}`, its fields in the order
/// of their names, so that the same call is the same text whichever way it came.
pub fn action_text(tool: &str, arguments: &Map<String, Value>) -> String {
    let reserved = |key: &String| RESERVED.iter().any(|name| key.eq_ignore_ascii_case(name));
    let mut action = Map::new();
    if arguments.keys().any(reserved) {
        // Such a name would be read as the tool's; set apart, it is refused as the argument that it is.
        action.insert("arguments".to_string(), Value::Object(arguments.clone()));
    } else {
        action = arguments.clone();
    }
    action.insert("action".to_string(), Value::String(tool.to_string()));
    Value::Object(action).to_string()
}

const RESERVED: &[&str] = &["action", "tool", "name", "args", "arguments"];

fn property(param: &Param, services: &[String]) -> Value {
    let text = |about: &str| json!({ "type": "string", "description": about });
    match param.takes {
        Takes::Service if services.is_empty() => text("a service"),
        Takes::Service => json!({ "type": "string", "description": "a service", "enum": services }),
        Takes::Key => text("a configuration key of the service, as inspect_config shows it"),
        // A model may well write a number or a truth value here, and means the same.
        Takes::Setting => {
            json!({ "type": ["string", "number", "boolean"], "description": "the value that the key gets" })
        }
        Takes::Metric => text("a metric of the service, as inspect_metrics shows it"),
        Takes::Route => text("a route, as check_routes shows it"),
        Takes::Alert => text("an alert rule, as list_alerts shows it"),
        Takes::Change => json!({ "type": ["integer", "string"], "description": "the number of a change" }),
        Takes::Level => {
            json!({ "type": "string", "description": "a log level", "enum": ["info", "warn", "error"] })
        }
        Takes::Whole { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Takes::Words => text("a few words to look for"),
        Takes::Prose => text("in your own words"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::ToolSet;

    #[test]
    fn every_tool_has_a_schema_with_its_parameters() {
        let services = ["cache".to_string()];
        for tool in ToolSet::Full.tools() {
            let schema = input_schema(*tool, &services);
            let names: Vec<&String> = schema["properties"].as_object().expect("an object").keys().collect();
            assert_eq!(names.len(), tool.params().len(), "{}", tool.name());
            let needed = tool.params().iter().filter(|p| !p.optional).count();
            assert_eq!(schema["required"].as_array().map(Vec::len), Some(needed), "{}", tool.name());
        }
    }

    #[test]
    fn a_structured_call_has_one_text() {
        let check = |arguments: Value, expect: &str| {
            assert_eq!(action_text("inspect_logs", arguments.as_object().expect("an object")), expect);
        };
        check(json!({"service": "cache"}), r#"{"action":"inspect_logs","service":"cache"}"#);
        check(json!({}), r#"{"action":"inspect_logs"}"#);
        check(json!({"Name": "x"}), r#"{"action":"inspect_logs","arguments":{"Name":"x"}}"#);
    }
}
