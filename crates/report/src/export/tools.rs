//! The tools of an episode, as the makers of models describe tools, and calls with arguments of the
//! types that those descriptions promise.

use std::collections::BTreeMap;

use harness::{ToolDoc, ToolSet, input_schema};
use record::Step;
use serde_json::{Map, Value, json};

use super::ExportEpisode;

/// The tools that the agent had, in the form of OpenAI's chat interface.
pub fn definitions(entry: &ExportEpisode) -> Vec<Value> {
    let services = services(entry.page().1);
    let function = |tool: &ToolDoc| {
        json!({
            "type": "function",
            "function": { "name": tool.name, "description": tool.about, "parameters": tool.schema },
        })
    };
    set(entry).docs(&services).iter().map(function).collect()
}

/// The arguments of a valid call.
pub fn arguments(entry: &ExportEpisode, step: &Step) -> Value {
    let types = set(entry).find(&step.tool).map(|tool| input_schema(tool, &[])).unwrap_or_default();
    typed(&step.args, &types["properties"])
}

fn set(entry: &ExportEpisode) -> ToolSet {
    // The record was written with one of our names; tools that we do not know have no description.
    entry.header().tools.parse().unwrap_or(ToolSet::FULL)
}

fn typed(args: &BTreeMap<String, String>, types: &Value) -> Value {
    let value = |name: &String, text: &String| {
        let wanted = &types[name]["type"];
        let first = wanted.get(0).unwrap_or(wanted);
        let whole = (first == "integer").then(|| text.parse::<i64>().ok()).flatten();
        whole.map_or_else(|| json!(text), |number| json!(number))
    };
    Value::Object(args.iter().map(|(name, text)| (name.clone(), value(name, text))).collect::<Map<_, _>>())
}

/// The services that the brief lists.
fn services(brief: &str) -> Vec<String> {
    let line = brief.lines().find_map(|line| line.strip_prefix("Services: "));
    let names = line.map(|line| line.trim_end_matches('.').split(", ").map(str::to_string).collect());
    names.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_have_the_types_of_the_schema() {
        let check = |tool: &str, args: &[(&str, &str)], expect: Value| {
            let args = args.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
            let tool = ToolSet::FULL.find(tool).expect("a tool");
            assert_eq!(typed(&args, &input_schema(tool, &[])["properties"]), expect);
        };
        check("inspect_logs", &[("service", "cache")], json!({"service": "cache"}));
        let setting = [("service", "cache"), ("key", "TTL_SECONDS"), ("value", "60")];
        check("update_config", &setting, json!({"service": "cache", "key": "TTL_SECONDS", "value": "60"}));
        let numbers: Vec<(&str, &str)> = ToolSet::FULL
            .tools()
            .iter()
            .flat_map(|tool| tool.params().iter().map(|param| (tool.name(), param.name)))
            .filter(|(tool, param)| {
                let schema = input_schema(ToolSet::FULL.find(tool).expect("a tool"), &[]);
                schema["properties"][*param]["type"] == "integer"
            })
            .collect();
        assert!(!numbers.is_empty(), "some tool takes a whole number");
        for (tool, param) in numbers {
            check(tool, &[(param, "3")], json!({ param: 3 }));
        }
    }

    #[test]
    fn services_stand_in_the_brief() {
        assert_eq!(services("PAGE\n\nServices: web_server, cache.\nFind"), ["web_server", "cache"]);
        assert!(services("nothing").is_empty());
    }
}
