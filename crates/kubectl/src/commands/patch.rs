//! `kubectl patch`.

use serde_json::Value;

use super::Outcome;
use crate::client::{PatchForm, with_query};
use crate::failure::Failure;
use crate::kubectl::Kubectl;
use crate::print;

pub(super) const FLAGS: &str = "allow-missing-template-keys dry-run?unchanged field-manager= f|filename= k|kustomize= local o|output= \
    p|patch= patch-file= R|recursive show-managed-fields subresource= template= type=";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let form = match call.flags.value("type").unwrap_or("strategic") {
        "strategic" => PatchForm::Strategic,
        "merge" => PatchForm::Merge,
        "json" => PatchForm::Json,
        other => {
            return Err(Failure::new(format!(
                "--type must be one of [json merge strategic], not {}",
                crate::go::quote(other)
            )));
        }
    };
    let text = match (call.flags.value("patch"), call.flags.value("patch-file")) {
        (Some(text), None) => text.to_string(),
        (None, Some(path)) => {
            let path = crate::desk::plain(path).to_string();
            let found = call.desk.memory.files.get(&path).cloned();
            found.ok_or_else(|| {
                Failure::new(format!("unable to read patch file: open {path}: no such file or directory"))
            })?
        }
        (None, None) => {
            return Err(Failure::new("must specify --patch or --patch-file containing the contents of the patch"));
        }
        _ => return Err(Failure::new("cannot specify --patch and --patch-file together")),
    };
    let body = as_json(&text)?;
    let words = call.flags.words.clone();
    let found = call.wanted(&words)?;
    if found.is_empty() {
        return Err(Failure::new("no objects passed to patch"));
    }
    let (dry, query) = (call.dry_run()?, call.dry_query()?);
    let manager = super::label::manager(call, "kubectl-patch");
    let sub = call.flags.text("subresource").to_string();
    for one in found {
        if dry == "client" {
            call.tell(&one.shown(), &one.object, "patched")?;
            continue;
        }
        let path = if sub.is_empty() { one.path() } else { format!("{}/{sub}", one.path()) };
        let path = with_query(&path, &[("dryRun", query), ("fieldManager", &manager)]);
        let new = call.patch(form, &path, &body).map_err(|failure| match failure.reason() {
            "UnsupportedMediaType" => Failure::new(format!(
                "application/strategic-merge-patch+json is not supported by {}, Kind={}: {}",
                one.kind.api_version(),
                one.kind.kind,
                failure.message()
            )),
            _ => failure,
        })?;
        let shown = if sub.is_empty() { one.shown() } else { print::name_of(&new) };
        if new == one.object && call.flags.text("output").is_empty() {
            call.say(format!("{shown} patched (no change)"));
            continue;
        }
        call.tell(&shown, &new, "patched")?;
    }
    Ok(())
}

/// A patch may be written in JSON or YAML.
fn as_json(text: &str) -> Result<String, Failure> {
    // What begins like JSON is sent as it is; the server says what is wrong with it.
    if text.trim_start().starts_with(['{', '[']) || serde_json::from_str::<Value>(text).is_ok() {
        return Ok(text.into());
    }
    match cluster::yaml::documents(text).map(|mut all| all.pop()) {
        Ok(Some(value)) if value.is_object() || value.is_array() => Ok(value.to_string()),
        Err(error) => Err(Failure::new(format!("unable to parse {}: {error}", crate::go::quote(text)))),
        _ => Err(Failure::new(format!(
            "unable to parse {}: yaml: patch is neither an object nor a list",
            crate::go::quote(text)
        ))),
    }
}
