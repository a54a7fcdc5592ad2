//! Tools and what can be given to them, for the page's action builder.

use harness::{ParamOptions, Tool, ToolDoc, ToolSet, View, Writing, input_schema};
use serde_json::{Value, json};

/// The tools of a set with their parameters. What can be given is the same before and after a fault.
pub fn tools(set: ToolSet, view: View<'_>) -> Vec<Value> {
    set.tools().iter().map(|tool| form(*tool, view)).collect()
}

/// A tool whose parameters are all free text.
pub fn of_doc(doc: &ToolDoc) -> Value {
    let schema = doc.schema();
    let required = |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let names = schema["properties"].as_object().into_iter().flat_map(|all| all.keys());
    let field = |name: &String| {
        let (optional, schema) = (!required(name), &schema["properties"][name]);
        json!({ "name": name, "optional": optional, "is_service": false, "long": name == "diagnosis", "schema": schema })
    };
    json!({
        "name": doc.name,
        "signature": doc.signature,
        "about": doc.about,
        "seconds": doc.cost.as_secs(),
        "params": names.map(field).collect::<Vec<_>>(),
    })
}

fn form(tool: &dyn Tool, view: View<'_>) -> Value {
    let schema = input_schema(tool, &[]);
    let field = |param: &harness::Param| {
        let (options, by_service) = match ParamOptions::of(param, view) {
            ParamOptions::Any => (None, None),
            ParamOptions::These(all) => (Some(all), None),
            ParamOptions::OfService(all) => (None, Some(all)),
        };
        json!({
            "name": param.name,
            "optional": param.optional,
            "is_service": param.kind.is_service(),
            "long": param.kind.writing() == Writing::Prose,
            "schema": schema["properties"][param.name],
            "options": options,
            "by_service": by_service,
        })
    };
    json!({
        "name": tool.name(),
        "signature": tool.signature(),
        "about": tool.about(),
        "seconds": tool.cost().as_secs(),
        "params": tool.params().iter().map(field).collect::<Vec<_>>(),
    })
}
