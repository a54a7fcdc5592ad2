//! The tool table as data: what agents, protocols, forms and documents are told of a tool.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use world::{Span, View};

use crate::param::{Param, Writing};
use crate::tool::{Effect, Tool};

/// One tool, as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDoc {
    /// Its name.
    pub name: &'static str,
    /// How it is called.
    pub signature: &'static str,
    /// What it is for, in one line.
    pub about: &'static str,
    /// What kind of thing it does.
    pub effect: Effect,
    /// Whether it can mend something.
    pub mends: bool,
    /// The simulated time that it costs.
    pub cost: Span,
    tool: Named,
    /// The services that its schema lists.
    services: Arc<[String]>,
}

/// A tool, which is known by its name.
#[derive(Clone, Copy)]
struct Named(&'static dyn Tool);

impl PartialEq for Named {
    fn eq(&self, other: &Named) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for Named {}

impl fmt::Debug for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

impl ToolDoc {
    /// What there is to say of a tool. The services are listed where they are known.
    pub fn of(tool: &'static dyn Tool, services: &[String]) -> ToolDoc {
        ToolDoc::sharing(tool, &services.into())
    }

    /// The same for tools that share one list of services.
    pub(crate) fn sharing(tool: &'static dyn Tool, services: &Arc<[String]>) -> ToolDoc {
        ToolDoc {
            name: tool.name(),
            signature: tool.signature(),
            about: tool.about(),
            effect: tool.effect(),
            mends: tool.mends(),
            cost: tool.cost(),
            tool: Named(tool),
            services: services.clone(),
        }
    }

    /// What it takes, as JSON Schema: written when it is read, which most agents never do.
    pub fn schema(&self) -> Value {
        input_schema(self.tool.0, &self.services)
    }
}

/// The JSON Schema of a tool's arguments. The services are listed where they are known.
pub fn input_schema(tool: &dyn Tool, services: &[String]) -> Value {
    let properties: Map<String, Value> =
        tool.params().iter().map(|param| (param.name.to_string(), param.kind.schema(services))).collect();
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

/// Every call of a tool with what can be given in the world of `view`, for checks that read all there is to read.
/// What may be left out is left out, unless it picks something of a service.
pub fn every_call(tool: &dyn Tool, view: View<'_>) -> Vec<String> {
    let mut calls: Vec<(Option<usize>, Vec<String>)> = vec![(None, Vec::new())];
    for param in tool.params().iter().filter(|p| !p.optional || p.kind.is_of_service()) {
        let extended = |(service, args): &(Option<usize>, Vec<String>)| {
            let with = |value: String| {
                let service =
                    if param.kind.is_service() { view.services().position(|name| name == value) } else { *service };
                (service, args.iter().cloned().chain([written(param, &value)]).collect())
            };
            param.kind.samples(view, *service).into_iter().map(with).collect::<Vec<_>>()
        };
        calls = calls.iter().flat_map(extended).collect();
    }
    calls.into_iter().map(|(_, args)| format!("{}({})", tool.name(), args.join(", "))).collect()
}

fn written(param: &Param, value: &str) -> String {
    match param.kind.writing() {
        Writing::Words | Writing::Prose => format!("{}=\"{value}\"", param.name),
        Writing::Name | Writing::Value => format!("{}={value}", param.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::ToolSet;

    #[test]
    fn every_tool_has_a_schema_with_its_parameters() {
        let services = ["cache".to_string()];
        for tool in ToolSet::FULL.tools() {
            let schema = ToolDoc::of(*tool, &services).schema();
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
