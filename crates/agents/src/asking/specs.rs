//! Tools as providers are told of them: a JSON Schema made of what the tool itself says it takes.

use harness::{Brief, Takes};
use serde_json::{Map, Value, json};

use crate::model::ToolSpec;

/// The tools of a brief, in its order.
pub(super) fn of(brief: &Brief) -> Vec<ToolSpec> {
    let tools = brief.tools.iter().filter_map(|doc| brief.toolset.find(doc.name));
    tools.map(|tool| spec(tool, &brief.services)).collect()
}

fn spec(tool: &dyn harness::Tool, services: &[String]) -> ToolSpec {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for param in tool.params() {
        properties.insert(param.name.to_string(), schema(param.takes, services));
        if !param.optional {
            required.push(param.name);
        }
    }
    ToolSpec {
        name: tool.name().to_string(),
        description: tool.about().to_string(),
        parameters: json!({"type": "object", "properties": properties, "required": required}),
    }
}

fn schema(takes: Takes, services: &[String]) -> Value {
    match takes {
        Takes::Service => json!({"type": "string", "enum": services, "description": "the name of a service"}),
        Takes::Key => text("the name of a configuration key of the service"),
        Takes::Setting => text("the new value of the key"),
        Takes::Metric => text("the name of a metric of the service"),
        Takes::Route => text("the name of a route"),
        Takes::Alert => text("the name of an alert, as list_alerts shows it"),
        Takes::Change => text("the number of a change, as list_changes shows it"),
        Takes::Level => {
            json!({"type": "string", "enum": ["info", "warn", "error"], "description": "the lowest log level"})
        }
        Takes::Whole { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
        Takes::Words => text("a few words to look for"),
        Takes::Prose => text("in your own words"),
    }
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}
