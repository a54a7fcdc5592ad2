//! `kubectl version`.

use serde_json::{Value, json as tree};

use super::Outcome;
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let server = if call.flags.has("client") { Value::Null } else { call.get("/version")? };
    let client = tree!({
        "major": "1", "minor": "32", "gitVersion": "v1.32.5", "gitCommit": "9894294ef13a5b32803e3ca2c0d620a088cc84d1", "gitTreeState": "clean",
        "buildDate": "2025-05-15T09:12:10Z", "goVersion": "go1.23.9", "compiler": "gc", "platform": "linux/amd64",
    });
    match call.flags.text("output") {
        "" => {
            call.say(format!("Client Version: {}", json::text(&client, "gitVersion")));
            call.say("Kustomize Version: v5.5.0");
            if !server.is_null() {
                call.say(format!("Server Version: {}", json::text(&server, "gitVersion")));
            }
        }
        form @ ("yaml" | "json") => {
            let mut all = tree!({"clientVersion": client, "kustomizeVersion": "v5.5.0"});
            if !server.is_null() {
                all["serverVersion"] = server;
            }
            let form = form.to_string();
            let text = match form.as_str() {
                "yaml" => crate::print::yaml(&all),
                _ => ordered(&all),
            };
            call.out.push_str(&text);
        }
        _ => return Err(Failure::new("--output must be 'yaml' or 'json'")),
    }
    Ok(())
}

/// JSON with the fields of a version in the order in which Go has them.
fn ordered(all: &Value) -> String {
    const FIELDS: [&str; 9] =
        ["major", "minor", "gitVersion", "gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"];
    let mut parts = Vec::new();
    for name in ["clientVersion", "kustomizeVersion", "serverVersion"] {
        match all.get(name) {
            Some(Value::String(text)) => parts.push(format!("  \"{name}\": {}", crate::go::quote(text))),
            Some(version) => {
                let fields: Vec<String> = FIELDS
                    .iter()
                    .map(|field| format!("    \"{field}\": {}", crate::go::quote(json::text(version, field))))
                    .collect();
                parts.push(format!("  \"{name}\": {{\n{}\n  }}", fields.join(",\n")));
            }
            None => {}
        }
    }
    format!("{{\n{}\n}}\n", parts.join(",\n"))
}
