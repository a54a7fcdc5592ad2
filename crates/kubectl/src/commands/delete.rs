//! `kubectl delete`.

use cluster::api::{ApiRequest, HttpMethod};
use serde_json::{Value, json as tree};

use super::Outcome;
use crate::discovery::Kind;
use crate::failure::Failure;
use crate::go::quote;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) const FLAGS: &str = "all A|all-namespaces cascade?background dry-run?unchanged field-selector= f|filename= force grace-period=i \
    ignore-not-found i|interactive k|kustomize= now o|output= raw= R|recursive l|selector= timeout=d wait";

/// Something that was deleted and may take its time to go.
struct Going {
    kind: std::sync::Arc<Kind>,
    namespace: String,
    name: String,
    uid: String,
}

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    if let Some(path) = call.flags.value("raw").map(str::to_string) {
        let response = call.send(ApiRequest::new(HttpMethod::Delete, &path))?;
        call.out.push_str(&format!("{}\n", String::from_utf8_lossy(response.bytes_of())));
        return Ok(());
    }
    if !matches!(call.flags.value("output"), None | Some("name" | "")) {
        let form = call.flags.text("output");
        return Err(Failure::new(format!("unexpected -o output mode: {form}. We only support '-o name'")));
    }
    let words = call.flags.words.clone();
    let mut targets = call.file_targets()?;
    let from_files = !targets.is_empty();
    let sources: Vec<String> = match from_files {
        true => call.manifests()?.into_iter().map(|written| written.source).collect(),
        false => Vec::new(),
    };
    if targets.is_empty() {
        targets = call.targets(&words)?;
    }
    if targets.is_empty() {
        return Err(Failure::new(crate::targets::NOTHING_NAMED));
    }
    let by_name = targets.iter().all(|target| target.name.is_some());
    if !by_name && !call.selects() {
        return Err(Failure::new("resource(s) were provided, but no name was specified"));
    }
    let dry = call.dry_run()?;
    let options = options(call, dry)?;
    if !from_files && call.flags.value("namespace").is_some() && targets.iter().any(|target| !target.kind.is_namespaced)
    {
        call.warn("Warning: deleting cluster-scoped resources, not scoped to the provided namespace");
    }
    let (mut going, mut failures) = (Vec::new(), Vec::new());
    let mut any = false;
    let (labels, fields) = (call.flags.text("selector").to_string(), call.flags.text("field-selector").to_string());
    for (at, target) in targets.into_iter().enumerate() {
        let names: Vec<(String, String)> = match &target.name {
            Some(name) => vec![(target.namespace.clone(), name.clone())],
            None => match call.list(&target.kind, &target.namespace, &labels, &fields) {
                Ok(items) => items
                    .iter()
                    .map(|item| {
                        (json::text(item, "metadata.namespace").into(), json::text(item, "metadata.name").into())
                    })
                    .collect(),
                Err(failure) => {
                    failures.push(failure);
                    continue;
                }
            },
        };
        for (namespace, name) in names {
            any = true;
            match one(call, &target.kind, &namespace, &name, &options, dry) {
                Ok(uid) => going.push(Going { kind: target.kind.clone(), namespace, name, uid }),
                Err(failure)
                    if failure.is_not_found() && (call.flags.has("ignore-not-found") || call.flags.has("all")) => {}
                Err(failure) => failures.push(match sources.get(at) {
                    Some(source) => failure.prefixed(&format!("error when deleting {}: ", quote(source))),
                    None => failure,
                }),
            }
        }
    }
    if !any && failures.is_empty() {
        call.say("No resources found");
        return Ok(());
    }
    if dry == "none" && call.flags.unless_false("wait") {
        wait(call, &going)?;
    }
    Failure::all(failures)
}

fn options(call: &mut Kubectl<'_, '_>, dry: &str) -> Result<Value, Failure> {
    let policy = match call.flags.value("cascade").unwrap_or("background") {
        "background" | "true" => "Background",
        "foreground" => "Foreground",
        "orphan" | "false" => "Orphan",
        other => {
            return Err(Failure::new(format!(
                "invalid cascade value ({other}). Must be \"background\", \"foreground\", or \"orphan\""
            )));
        }
    };
    let mut options = tree!({"propagationPolicy": policy});
    let mut grace = call.flags.number("grace-period").filter(|seconds| *seconds >= 0);
    if call.flags.has("now") {
        if grace.is_some() {
            return Err(Failure::new("--now and --grace-period cannot be specified together"));
        }
        grace = Some(1);
    }
    if call.flags.has("force") {
        if grace.is_some_and(|seconds| seconds > 0) {
            return Err(Failure::new("--force and --grace-period greater than 0 cannot be specified together"));
        }
        grace = Some(0);
        call.warn("Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.");
    } else if grace == Some(0) {
        // Without force, the shortest grace is one second.
        grace = Some(1);
    }
    if let Some(seconds) = grace {
        options["gracePeriodSeconds"] = seconds.into();
    }
    if dry == "server" {
        options["dryRun"] = tree!(["All"]);
    }
    Ok(options)
}

/// Deletes one object and tells it; its uid.
fn one(
    call: &mut Kubectl<'_, '_>,
    kind: &Kind,
    namespace: &str,
    name: &str,
    options: &Value,
    dry: &str,
) -> Result<String, Failure> {
    let path = kind.object_path(namespace, name);
    let answer = match dry {
        "client" => call.get(&path)?,
        _ => call.delete(&path, options)?,
    };
    let suffix = match dry {
        "client" => " (dry run)",
        "server" => " (server dry run)",
        _ => "",
    };
    match call.flags.value("output") {
        Some("name") => call.say(format!("{}/{name}", kind.shown())),
        _ => {
            let operation = if call.flags.has("force") { "force deleted" } else { "deleted" };
            call.say(format!("{} {} {operation}{suffix}", kind.shown(), quote(name)));
        }
    }
    let uid = match json::text(&answer, "metadata.uid") {
        "" => json::text(&answer, "details.uid"),
        uid => uid,
    };
    Ok(uid.into())
}

/// Waits until the objects are gone.
fn wait(call: &mut Kubectl<'_, '_>, going: &[Going]) -> Outcome {
    use shell::Host;
    let own = call.flags.span("timeout").filter(|span| !span.is_zero());
    let end = own.map_or_else(|| call.patience(), |span| call.desk.now().saturating_add(span.as_micros() as i64));
    for one in going {
        loop {
            match call.object(&one.kind, &one.namespace, &one.name) {
                Err(failure) if failure.is_not_found() => break,
                // Who may not look does not wait.
                Err(failure) if failure.reason() == "Forbidden" => break,
                Err(failure) => return Err(failure),
                Ok(object) if !one.uid.is_empty() && json::text(&object, "metadata.uid") != one.uid => break,
                Ok(_) => {}
            }
            if !call.step(end) {
                let what = format!("{}/{}", one.kind.plural, one.name);
                return match own {
                    Some(_) => Err(Failure::new(format!("timed out waiting for the condition on {what}"))),
                    None => Err(call.stopped()),
                };
            }
        }
    }
    Ok(())
}
