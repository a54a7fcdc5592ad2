//! Tools and the names that can be given to them, for the page's action builder.

use harness::{Takes, ToolSet, View};
use serde_json::{Value, json};

/// The tools of a set with their parameters.
pub fn tools(set: ToolSet) -> Vec<Value> {
    let tool = |tool: &&'static dyn harness::Tool| {
        let params: Vec<Value> = tool
            .params()
            .iter()
            .map(|p| json!({ "name": p.name, "takes": takes(p.takes), "optional": p.optional, "bounds": bounds(p.takes) }))
            .collect();
        json!({
            "name": tool.name(),
            "signature": tool.signature(),
            "about": tool.about(),
            "seconds": tool.takes().0 / 1000,
            "params": params,
        })
    };
    set.tools().iter().map(tool).collect()
}

/// Everything that can be named in a world. The names are the same before and after a fault.
pub fn words(view: View<'_>) -> Value {
    let plan = view.plan();
    let service = |at: usize| {
        json!({
            "name": view.name(at),
            "keys": view.config(at).map(|c| c.key.name).collect::<Vec<_>>(),
            "metrics": view.metrics(at).map(|m| m.name).collect::<Vec<_>>(),
        })
    };
    json!({
        "services": (0..plan.services.len()).map(service).collect::<Vec<_>>(),
        "routes": plan.routes.iter().map(|r| &*r.name).collect::<Vec<_>>(),
        "alerts": plan.alerts.iter().map(|a| &*a.name).collect::<Vec<_>>(),
        "levels": ["info", "warn", "error"],
    })
}

fn takes(takes: Takes) -> &'static str {
    match takes {
        Takes::Service => "service",
        Takes::Key => "key",
        Takes::Setting => "setting",
        Takes::Metric => "metric",
        Takes::Route => "route",
        Takes::Alert => "alert",
        Takes::Change => "change",
        Takes::Level => "level",
        Takes::Whole { .. } => "whole",
        Takes::Words => "words",
        Takes::Prose => "prose",
    }
}

fn bounds(takes: Takes) -> Option<[u64; 2]> {
    if let Takes::Whole { min, max } = takes { Some([min, max]) } else { None }
}
