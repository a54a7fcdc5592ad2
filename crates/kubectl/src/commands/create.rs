//! `kubectl create -f`, and what the generators share.

use cluster::api::{ApiRequest, HttpMethod};
use serde_json::Value;

use super::Outcome;
use crate::client::with_query;
use crate::failure::Failure;
use crate::go::quote;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) const FLAGS: &str = "allow-missing-template-keys dry-run?unchanged edit field-manager= f|filename= k|kustomize= o|output= \
    raw= R|recursive save-config l|selector= show-managed-fields template= validate?strict windows-line-endings";

/// The flags of a generator without flags of its own.
pub(super) const SIMPLE_FLAGS: &str = "allow-missing-template-keys dry-run?unchanged field-manager= o|output= save-config show-managed-fields template= validate?strict";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    if let Some(word) = call.flags.words.first() {
        let why = format!(
            "Unexpected args: [{word}]
See 'kubectl create -h' for help and examples"
        );
        return Err(Failure::new(why));
    }
    if call.flags.value("filename").is_none() {
        return Err(Failure::new("must specify one of -f and -k"));
    }
    if let Some(path) = call.flags.value("raw").map(str::to_string) {
        let text = call.input.to_string();
        let named = call.flags.text("filename").to_string();
        let body = call.desk.memory.files.get(crate::desk::plain(&named)).cloned().unwrap_or(text);
        let response = call.send(ApiRequest::new(HttpMethod::Post, &path).typed("application/json", body))?;
        call.out.push_str(&String::from_utf8_lossy(response.bytes_of()));
        return Ok(());
    }
    let manifests = call.manifests()?;
    if manifests.is_empty() {
        return Err(Failure::new("no objects passed to create"));
    }
    let (dry, query) = (call.dry_run()?, call.dry_query()?);
    let manager = super::label::manager(call, "kubectl-create");
    let validation = super::apply::validation(call);
    let mut failures = Vec::new();
    for written in manifests {
        let mapping = call.mapping(&written.object, &written.source);
        let (kind, namespace) = match mapping {
            Ok(mapping) => mapping,
            Err(failure) => {
                failures.push(failure);
                continue;
            }
        };
        let mut object = written.object.clone();
        if kind.is_namespaced {
            json::set(&mut object, "metadata.namespace", namespace.clone());
        }
        if call.flags.has("save-config") {
            object = super::apply::annotated(&object);
        }
        let made = match dry {
            "client" => Ok(object),
            _ => {
                let path = with_query(
                    &kind.path(&namespace),
                    &[("dryRun", query), ("fieldManager", &manager), ("fieldValidation", validation)],
                );
                call.create(&path, &object)
            }
        };
        match made {
            Ok(made) => {
                let shown = format!("{}/{}", kind.shown(), json::text(&made, "metadata.name"));
                call.tell(&shown, &made, "created")?;
            }
            Err(failure) => {
                failures.push(failure.prefixed(&format!("error when creating {}: ", quote(&written.source))))
            }
        }
    }
    Failure::all(failures)
}

/// The one name that a generator takes.
pub(super) fn name(call: &Kubectl<'_, '_>, command: &str) -> Result<String, Failure> {
    let before = call.flags.dash.unwrap_or(call.flags.words.len());
    match &call.flags.words[..before] {
        [name] => Ok(name.clone()),
        other => Err(Failure::new(format!(
            "exactly one NAME is required, got {}\nSee 'kubectl {command} -h' for help and examples",
            other.len()
        ))),
    }
}

/// Creates what a generator made; refusals are told with words before them, if there are some.
pub(super) fn generated(call: &mut Kubectl<'_, '_>, word: &str, mut object: Value, wrap: &str) -> Outcome {
    let kind = call.kind(word)?;
    let namespace = if kind.is_namespaced { call.namespace() } else { String::new() };
    if kind.is_namespaced && call.flags.value("namespace").is_some() {
        json::set(&mut object, "metadata.namespace", namespace.clone());
    }
    if call.flags.has("save-config") {
        object = super::apply::annotated(&object);
    }
    let name = json::text(&object, "metadata.name").to_string();
    let shown = format!("{}/{name}", kind.shown());
    if call.dry_run()? == "client" {
        return call.tell(&shown, &object, "created");
    }
    let query = call.dry_query()?;
    let manager = super::label::manager(call, "kubectl-create");
    let validation = super::apply::validation(call);
    let path = with_query(
        &kind.path(&namespace),
        &[("dryRun", query), ("fieldManager", &manager), ("fieldValidation", validation)],
    );
    let made = call.create(&path, &object).map_err(|failure| match wrap.is_empty() {
        true => failure,
        false => Failure::new(format!("{wrap}{}", failure.message())),
    })?;
    call.tell(&shown, &made, "created")
}

/// `a=1,b=2` as a map.
pub(super) fn pairs(text: &str) -> Result<Value, Failure> {
    let mut map = serde_json::Map::new();
    for pair in text.split(',').filter(|pair| !pair.is_empty()) {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(Failure::new(format!("unexpected label spec: {pair}")));
        };
        map.insert(key.into(), value.into());
    }
    Ok(map.into())
}

/// A required flag that is not there.
pub(super) fn required(call: &Kubectl<'_, '_>, name: &str) -> Result<String, Failure> {
    match call.flags.value(name).filter(|value| !value.is_empty()) {
        Some(value) => Ok(value.into()),
        None => Err(Failure::new(format!("required flag(s) {} not set", quote(name)))),
    }
}
