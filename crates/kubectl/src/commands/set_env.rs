//! `kubectl set env`.

use serde_json::{Value, json as tree};

use super::Outcome;
use super::set::{changed, containers_mut, objects, pod_spec, shell_match};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) const FLAGS: &str = "all allow-missing-template-keys c|containers= dry-run?unchanged e|env=* field-manager= f|filename= from= keys= \
    k|kustomize= list local o|output= overwrite prefix= R|recursive resolve l|selector= show-managed-fields template=";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let is_change = |word: &&String| word.contains('=') || (word.ends_with('-') && word.len() > 1);
    let mut pairs: Vec<String> = call.flags.words.iter().filter(is_change).cloned().collect();
    let resources: Vec<String> = call.flags.words.iter().filter(|word| !is_change(word)).cloned().collect();
    pairs.extend(call.flags.values("env").into_iter().map(Into::into));
    if pairs.iter().any(|pair| pair == "-") {
        return Err(Failure::new("reading the environment from standard input is not supported here"));
    }
    let mut added: Vec<Value> = Vec::new();
    let mut removed: Vec<String> = Vec::new();
    for pair in &pairs {
        match pair.split_once('=') {
            Some((name, value)) => added.push(tree!({"name": name, "value": value})),
            None => removed.push(pair.trim_end_matches('-').into()),
        }
    }
    added.extend(from(call)?);
    let wanted = call.flags.value("containers").unwrap_or("*").to_string();
    call.lists_freely = call.flags.has("all");
    for one in objects(call, &resources)? {
        let Some(path) = pod_spec(&one.kind.kind) else { continue };
        let mut new = one.object.clone();
        let mut listed = String::new();
        let mut any = false;
        for container in containers_mut(&mut new, path) {
            let name = json::text(container, "name").to_string();
            if !shell_match(&wanted, &name) {
                continue;
            }
            any = true;
            let mut env = json::list(container, "env").to_vec();
            env.retain(|entry| !removed.iter().any(|name| json::text(entry, "name") == name));
            for entry in &added {
                match env.iter_mut().find(|known| json::text(known, "name") == json::text(entry, "name")) {
                    Some(known) => *known = entry.clone(),
                    None => env.push(entry.clone()),
                }
            }
            listed.push_str(&format!("# {} {}, container {name}\n", one.kind.kind, one.name));
            env.iter().for_each(|entry| listed.push_str(&shown(entry)));
            match env.is_empty() {
                true => drop(json::remove(container, "env")),
                false => json::set(container, "env", env),
            }
        }
        if !any {
            call.warn(format!(
                "warning: {} does not have any containers matching {}",
                one.shown(),
                crate::go::quote(&wanted)
            ));
            continue;
        }
        if call.flags.has("list") {
            call.out.push_str(&listed);
            continue;
        }
        changed(call, &one, &new, "env updated")?;
    }
    Ok(())
}

/// A variable as `--list` shows it.
fn shown(entry: &Value) -> String {
    let name = json::text(entry, "name");
    let source = json::at(entry, "valueFrom");
    let text = |path: &str| json::text(source, path).to_string();
    match source {
        Value::Null => format!("{name}={}\n", json::text(entry, "value")),
        source if source.get("configMapKeyRef").is_some() => {
            format!("# {name} from configmap {}, key {}\n", text("configMapKeyRef.name"), text("configMapKeyRef.key"))
        }
        source if source.get("secretKeyRef").is_some() => {
            format!("# {name} from secret {}, key {}\n", text("secretKeyRef.name"), text("secretKeyRef.key"))
        }
        source if source.get("fieldRef").is_some() => {
            format!("# {name} from field path {}\n", text("fieldRef.fieldPath"))
        }
        _ => format!("# {name} from resource field {}\n", text("resourceFieldRef.resource")),
    }
}

/// The variables that a ConfigMap or a Secret gives.
fn from(call: &mut Kubectl<'_, '_>) -> Result<Vec<Value>, Failure> {
    let Some(word) = call.flags.value("from").map(str::to_string) else { return Ok(Vec::new()) };
    let targets = call.targets(&[word])?;
    let (found, failures) = call.found(&targets);
    Failure::all(failures)?;
    let prefix = call.flags.text("prefix").to_string();
    let keys: Vec<String> = call.flags.split("keys").into_iter().map(Into::into).collect();
    let mut all = Vec::new();
    for one in found {
        let reference = match one.kind.kind.as_str() {
            "ConfigMap" => "configMapKeyRef",
            "Secret" => "secretKeyRef",
            other => return Err(Failure::new(format!("unsupported resource specified in --from: {other}"))),
        };
        for (key, _) in json::entries(&one.object, "data") {
            if !keys.is_empty() && !keys.contains(key) {
                continue;
            }
            let plain: String =
                key.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
            if plain != *key {
                call.warn(format!("Warning: key {key} transferred to {plain}"));
            }
            let source = tree!({"key": key, "name": one.name});
            all.push(tree!({"name": format!("{prefix}{plain}"), "valueFrom": {reference: source}}));
        }
    }
    Ok(all)
}
