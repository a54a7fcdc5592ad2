//! `kubectl label`, and what it shares with `annotate`.

use serde_json::{Value, json as tree};

use super::Outcome;
use crate::client::{PatchForm, with_query};
use crate::failure::Failure;
use crate::go::quote;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) const FLAGS: &str = "all A|all-namespaces allow-missing-template-keys dry-run?unchanged field-manager= field-selector= \
    f|filename= k|kustomize= list local o|output= overwrite R|recursive resource-version= l|selector= show-managed-fields template=";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    change(call, "label")
}

/// Changes labels or annotations.
pub(super) fn change(call: &mut Kubectl<'_, '_>, what: &str) -> Outcome {
    let (resources, pairs) = split(&call.flags.words, what)?;
    let field = if what == "label" { "labels" } else { "annotations" };
    if resources.is_empty() && call.flags.value("filename").is_none() {
        return Err(Failure::new("one or more resources must be specified as <resource> <name> or <resource>/<name>"));
    }
    if pairs.is_empty() && !call.flags.has("list") {
        return Err(Failure::new(format!("at least one {what} update is required")));
    }
    let changes = read(&pairs, what)?;
    call.lists_freely = call.flags.has("list");
    let found = match call.selects() || resources.len() != 1 || resources[0].contains('/') || call.flags.has("list") {
        true => call.wanted(&resources)?,
        false => return Err(Failure::new("resource(s) were provided, but no name was specified")),
    };
    let dry = call.dry_run()?;
    let query = call.dry_query()?;
    let manager = manager(call, if what == "label" { "kubectl-label" } else { "kubectl-annotate" });
    for one in found {
        if call.flags.has("list") && pairs.is_empty() {
            for (key, value) in json::entries(&one.object, &format!("metadata.{field}")) {
                call.say(format!("{key}={}", json::plain(value)));
            }
            continue;
        }
        let mut new = one.object.clone();
        let mut patch = serde_json::Map::new();
        let mut conflicts = Vec::new();
        for (key, value) in &changes {
            let old = json::at(&one.object, &format!("metadata.{field}")).get(key).cloned();
            match value {
                Some(value) => {
                    if let Some(old) = old.filter(|old| !call.flags.has("overwrite") && json::plain(old) != *value) {
                        conflicts.push(format!("'{key}' already has a value ({})", json::plain(&old)));
                    }
                    let place = json::at_mut(&mut new, "metadata").expect("objects have metadata");
                    json::map_mut(json::map_mut(place).entry(field).or_insert(Value::Null))
                        .insert(key.clone(), value.as_str().into());
                    patch.insert(key.clone(), value.as_str().into());
                }
                None => {
                    if old.is_none() && what == "label" {
                        call.say(format!("label {} not found.", quote(key)));
                    }
                    if let Some(map) =
                        json::at_mut(&mut new, &format!("metadata.{field}")).and_then(Value::as_object_mut)
                    {
                        map.remove(key);
                    }
                    patch.insert(key.clone(), Value::Null);
                }
            }
        }
        if !conflicts.is_empty() {
            let all = conflicts.join("; ");
            return Err(Failure::new(match what {
                "label" => format!("{all}, and --overwrite is false"),
                _ => format!("--overwrite is false but found the following declared annotation(s): {all}"),
            }));
        }
        let changed = new != one.object;
        let shorter = new.to_string().len() < one.object.to_string().len();
        if dry != "client" {
            let body = tree!({"metadata": {field: patch}});
            let path = with_query(&one.path(), &[("dryRun", query), ("fieldManager", &manager)]);
            if changed || what == "annotation" {
                new = call.patch(PatchForm::Merge, &path, &body.to_string())?;
            }
        }
        let operation = match what {
            "label" if !changed => "not labeled",
            "label" if shorter && !call.flags.has("overwrite") => "unlabeled",
            "label" => "labeled",
            _ => "annotated",
        };
        call.tell(&one.shown(), &new, operation)?;
    }
    Ok(())
}

/// Who is named as the owner of what is written.
pub(super) fn manager(call: &Kubectl<'_, '_>, default: &str) -> String {
    call.flags.value("field-manager").unwrap_or(default).to_string()
}

/// Resources come first, then the changes.
fn split(words: &[String], what: &str) -> Result<(Vec<String>, Vec<String>), Failure> {
    let (mut resources, mut pairs) = (Vec::new(), Vec::new());
    for word in words {
        let is_pair = (word.contains('=') && !word.starts_with('=')) || (word.ends_with('-') && word != "-");
        match (is_pair, pairs.is_empty()) {
            (true, _) => pairs.push(word.clone()),
            (false, true) => resources.push(word.clone()),
            (false, false) => {
                return Err(Failure::new(format!("all resources must be specified before {what} changes: {word}")));
            }
        }
    }
    Ok((resources, pairs))
}

fn read(pairs: &[String], what: &str) -> Result<Vec<(String, Option<String>)>, Failure> {
    let mut changes: Vec<(String, Option<String>)> = Vec::new();
    for pair in pairs {
        let change = match pair.split_once('=') {
            Some((key, value)) => {
                if what == "label" && !is_label_value(value) {
                    return Err(Failure::new(format!("invalid label value: {}: {VALUE_RULE}", quote(pair))));
                }
                (key.to_string(), Some(value.to_string()))
            }
            None => (pair.trim_end_matches('-').to_string(), None),
        };
        if changes.iter().any(|(key, value)| *key == change.0 && value.is_some() != change.1.is_some()) {
            return Err(Failure::new(format!("can not both modify and remove a {what} in the same command")));
        }
        changes.push(change);
    }
    Ok(changes)
}

const VALUE_RULE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
    start and end with an alphanumeric character (e.g. 'MyValue', or 'my_value', or '12345', regex used for validation is \
    '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

fn is_label_value(value: &str) -> bool {
    let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    value.is_empty()
        || (value.len() <= 63
            && edge(value.chars().next())
            && edge(value.chars().last())
            && value.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)))
}
