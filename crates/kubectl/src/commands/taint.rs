//! `kubectl taint`.

use serde_json::{Value, json as tree};

use super::Outcome;
use crate::client::{PatchForm, with_query};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) const FLAGS: &str = "all allow-missing-template-keys dry-run?unchanged field-manager= o|output= overwrite l|selector= \
    show-managed-fields template= validate?strict";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let words = call.flags.words.clone();
    if words.len() < 2 && !call.selects() {
        return Err(Failure::new("at least one resource name must be specified since 'all' parameter is not set"));
    }
    let is_taint = |word: &&String| word.contains('=') || word.contains(':') || word.ends_with('-');
    let specs: Vec<String> = words.iter().skip(1).filter(is_taint).cloned().collect();
    let names: Vec<String> = words.iter().filter(|word| !is_taint(word)).cloned().collect();
    if !matches!(names.first().map(String::as_str), Some("node" | "nodes" | "no"))
        && !names.first().is_some_and(|name| name.starts_with("node"))
    {
        let what = words.first().map_or("", |word| word);
        return Err(Failure::new(format!("invalid resource type {what}, only node types are supported")));
    }
    if specs.is_empty() {
        return Err(Failure::new("at least one taint update is required"));
    }
    let (mut added, mut removed): (Vec<Value>, Vec<(String, String)>) = (Vec::new(), Vec::new());
    for spec in &specs {
        match spec.strip_suffix('-') {
            Some(rest) => {
                let (place, effect) = rest.split_once(':').unwrap_or((rest, ""));
                removed.push((place.split('=').next().unwrap_or_default().into(), effect.into()));
            }
            None => added.push(taint(spec)?),
        }
    }
    for one in call.wanted(&names)? {
        let mut taints = json::list(&one.object, "spec.taints").to_vec();
        let mut clashes: Vec<String> = Vec::new();
        let mut replaced = false;
        for new in &added {
            let same = |old: &&mut Value| old["key"] == new["key"] && old["effect"] == new["effect"];
            match taints.iter_mut().find(same) {
                Some(_) if !call.flags.has("overwrite") => clashes.push(json::text(new, "key").into()),
                Some(old) => {
                    *old = new.clone();
                    replaced = true;
                }
                None => taints.push(new.clone()),
            }
        }
        if !clashes.is_empty() {
            return Err(Failure::new(format!(
                "node {} already has {} taint(s) with same effect(s) and --overwrite is false",
                one.name,
                clashes.join(", ")
            )));
        }
        for (key, effect) in &removed {
            let before = taints.len();
            taints.retain(|old| {
                json::text(old, "key") != key || (!effect.is_empty() && json::text(old, "effect") != effect)
            });
            if taints.len() == before {
                let what = if effect.is_empty() { key.clone() } else { format!("{key}:{effect}") };
                return Err(Failure::new(format!("taint {} not found", crate::go::quote(&what))));
            }
        }
        let operation = match (added.is_empty(), removed.is_empty()) {
            (false, true) if !replaced => "tainted",
            (true, _) => "untainted",
            _ => "modified",
        };
        let value: Value = if taints.is_empty() { Value::Null } else { taints.into() };
        if call.dry_run()? == "client" {
            call.tell(&one.shown(), &one.object, operation)?;
            continue;
        }
        let query = call.dry_query()?;
        let path = with_query(&one.path(), &[("dryRun", query), ("fieldManager", "kubectl-taint")]);
        let new = call.patch(PatchForm::Strategic, &path, &tree!({"spec": {"taints": value}}).to_string())?;
        call.tell(&one.shown(), &new, operation)?;
    }
    Ok(())
}

/// `key=value:Effect`, `key:Effect`.
fn taint(spec: &str) -> Result<Value, Failure> {
    let wrong = || Failure::new(format!("unknown taint spec: {spec}"));
    let (place, effect) = spec.split_once(':').ok_or_else(wrong)?;
    let (key, value) = place.split_once('=').map_or((place, None), |(key, value)| (key, Some(value)));
    if !matches!(effect, "NoSchedule" | "PreferNoSchedule" | "NoExecute") {
        return Err(Failure::new(format!(
            "invalid taint effect: {effect}, unsupported taint effect\nSee 'kubectl taint -h' for help and examples"
        )));
    }
    let mut taint = tree!({"key": key, "effect": effect});
    if let Some(value) = value.filter(|value| !value.is_empty()) {
        taint["value"] = value.into();
    }
    Ok(taint)
}
