//! `kubectl diff`.

use serde_json::Value;

use super::Outcome;
use crate::client::{PatchForm, with_query};
use crate::failure::Failure;
use crate::go;
use crate::json;
use crate::kubectl::Kubectl;
use crate::patch::{self, Lists};
use crate::print;

pub(super) const FLAGS: &str = "concurrency=i field-manager= f|filename= force-conflicts k|kustomize= prune prune-allowlist=* R|recursive \
    l|selector= server-side show-managed-fields";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    if call.flags.value("filename").is_none() {
        return Err(Failure::new("must specify one of -f and -k"));
    }
    let mut differs = false;
    call.desk.memory.counter += 1;
    let folder = format!("{:09}", 271_828_183u64.wrapping_mul(call.desk.memory.counter) % 1_000_000_000);
    for written in call.manifests()? {
        let (kind, namespace) = call.mapping(&written.object, &written.source)?;
        let mut object = written.object.clone();
        if kind.is_namespaced {
            json::set(&mut object, "metadata.namespace", namespace.clone());
        }
        let name = json::text(&object, "metadata.name").to_string();
        let live = match call.object(&kind, &namespace, &name) {
            Ok(live) => Some(live),
            Err(failure) if failure.is_not_found() => None,
            Err(failure) => return Err(failure),
        };
        let merged = merged(call, &kind, &namespace, &name, &object, live.as_ref())?;
        let text = |object: Option<&Value>| match object {
            None => String::new(),
            Some(object) => {
                let mut object = object.clone();
                if !call.flags.has("show-managed-fields") {
                    json::remove(&mut object, "metadata.managedFields");
                }
                print::yaml(&object)
            }
        };
        let (before, after) = (text(live.as_ref()), text(Some(&merged)));
        if before == after {
            continue;
        }
        differs = true;
        let version = kind.api_version().replace('/', ".");
        let file = format!("{version}.{}.{namespace}.{name}", kind.kind);
        let time =
            cluster::Stamp(call.desk.cluster.now().0).rfc3339().replace('T', " ").replace('Z', ".000000000 +0000");
        let (old, new) = (format!("/tmp/LIVE-{folder}/{file}"), format!("/tmp/MERGED-{folder}/{file}"));
        call.say(format!("diff -u -N {old} {new}\n--- {old}\t{time}\n+++ {new}\t{time}"));
        let body = unified(&before, &after);
        call.out.push_str(&body);
    }
    if differs { Err(Failure::Silent(1)) } else { Ok(()) }
}

/// What the server would store.
fn merged(
    call: &mut Kubectl<'_, '_>,
    kind: &crate::discovery::Kind,
    namespace: &str,
    name: &str,
    object: &Value,
    live: Option<&Value>,
) -> Result<Value, Failure> {
    if call.flags.has("server-side") {
        let forced = call.flags.has("force-conflicts").to_string();
        let path = with_query(
            &kind.object_path(namespace, name),
            &[("dryRun", "All"), ("fieldManager", "kubectl"), ("force", &forced)],
        );
        return call.patch(PatchForm::Apply, &path, &object.to_string());
    }
    let annotated = super::apply::annotated(object);
    let Some(live) = live else {
        let path =
            with_query(&kind.path(namespace), &[("dryRun", "All"), ("fieldManager", "kubectl-client-side-apply")]);
        return call.create(&path, &annotated).map(|made| without_last(&made, None));
    };
    let last = json::at(live, "metadata.annotations").get(super::apply::LAST_APPLIED).and_then(Value::as_str);
    let original: Value = last.and_then(|text| serde_json::from_str(text).ok()).unwrap_or(Value::Null);
    let lists = super::apply::lists(kind);
    let mut change = patch::three_way(&original, &annotated, live, lists);
    // The annotation is not what the operator asks about.
    if let Some(Value::Object(annotations)) = json::at_mut(&mut change, "metadata.annotations") {
        annotations.remove(super::apply::LAST_APPLIED);
    }
    if change.as_object().is_some_and(serde_json::Map::is_empty) {
        return Ok(live.clone());
    }
    let form = if lists == Lists::Merged { PatchForm::Strategic } else { PatchForm::Merge };
    let path = with_query(
        &kind.object_path(namespace, name),
        &[("dryRun", "All"), ("fieldManager", "kubectl-client-side-apply")],
    );
    let new = call.patch(form, &path, &go::json(&change))?;
    Ok(without_last(&new, Some(live)))
}

/// The object with the revision and the annotation that it had.
fn without_last(object: &Value, live: Option<&Value>) -> Value {
    let mut object = object.clone();
    match live {
        Some(live) => json::set(&mut object, "metadata.resourceVersion", json::text(live, "metadata.resourceVersion")),
        None => {
            if let Some(Value::Object(annotations)) = json::at_mut(&mut object, "metadata.annotations") {
                annotations.remove(super::apply::LAST_APPLIED);
            }
        }
    }
    object
}

/// A diff with three lines around each change.
fn unified(before: &str, after: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let edits = edits(&a, &b);
    let mut out = String::new();
    let mut at = 0;
    while at < edits.len() {
        if edits[at].0 == ' ' {
            at += 1;
            continue;
        }
        let start = at.saturating_sub(3);
        let mut end = at;
        let mut quiet = 0;
        while end < edits.len() && quiet <= 6 {
            quiet = if edits[end].0 == ' ' { quiet + 1 } else { 0 };
            end += 1;
        }
        let end = if quiet > 3 { end - (quiet - 3) } else { end };
        let count = |sign: char, range: &[(char, &str)]| range.iter().filter(|(s, _)| *s == ' ' || *s == sign).count();
        let (old_start, new_start) = (count('-', &edits[..start]), count('+', &edits[..start]));
        let (old, new) = (count('-', &edits[start..end]), count('+', &edits[start..end]));
        let place = |from: usize, length: usize| match length {
            0 => format!("{from},0"),
            1 => format!("{}", from + 1),
            _ => format!("{},{length}", from + 1),
        };
        out.push_str(&format!("@@ -{} +{} @@\n", place(old_start, old), place(new_start, new)));
        edits[start..end].iter().for_each(|(sign, line)| out.push_str(&format!("{sign}{line}\n")));
        at = end;
    }
    out
}

/// The lines that stay, go and come; the longest run of lines that stay is found in a table.
fn edits<'a>(a: &[&'a str], b: &[&'a str]) -> Vec<(char, &'a str)> {
    if a.len().saturating_mul(b.len()) > 4_000_000 {
        return a.iter().map(|line| ('-', *line)).chain(b.iter().map(|line| ('+', *line))).collect();
    }
    let width = b.len() + 1;
    let mut table = vec![0u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            table[i * width + j] = match a[i] == b[j] {
                true => table[(i + 1) * width + j + 1] + 1,
                false => table[(i + 1) * width + j].max(table[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            out.push((' ', a[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || (i < a.len() && table[(i + 1) * width + j] >= table[i * width + j + 1]) {
            out.push(('-', a[i]));
            i += 1;
        } else {
            out.push(('+', b[j]));
            j += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_shown_with_their_surroundings() {
        let diff = unified("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nX\ne\nf\ng\nh\n");
        assert_eq!(diff, "@@ -1,7 +1,7 @@\n a\n b\n c\n-d\n+X\n e\n f\n g\n");
    }
}
