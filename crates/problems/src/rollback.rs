//! Commands that can be undone: one kubectl command at a time, with what it changed kept for the way back.

use std::collections::BTreeMap;

use apps::Site;
use cluster::{ObjectKey, Stored, json};
use kubectl::Terminal;

use crate::acting::{ActingPrograms, ActorBook};

/// The commands that changed something, the latest last.
#[derive(Clone, Debug, Default)]
pub(crate) struct RollbackStack {
    done: Vec<UndoableCommand>,
}

#[derive(Clone, Debug)]
struct UndoableCommand {
    line: String,
    /// What each object was before; nothing if there was none.
    before: Vec<(ObjectKey, Option<Stored>)>,
}

/// What this tool does not run, because nothing would sit at the other end.
const UNSUPPORTED: [&str; 6] = ["debug", "edit", "wait", "proxy", "port-forward", "cp"];
/// What controllers write by themselves: not what a command changed.
const MADE_BY_CONTROLLERS: [&str; 8] = [
    "pods",
    "replicasets.apps",
    "controllerrevisions.apps",
    "events",
    "events.events.k8s.io",
    "endpoints",
    "endpointslices.discovery.k8s.io",
    "leases.coordination.k8s.io",
];

/// The command as it is run, or why it is not.
pub(crate) fn safe(line: &str) -> Result<String, String> {
    let line = line.trim();
    let words: Vec<&str> = line.split_whitespace().collect();
    let verb = words.iter().skip(1).find(|word| !word.starts_with('-')).copied().unwrap_or_default();
    let bare = without_quoted(line);
    if words.first() != Some(&"kubectl") {
        return Err("only kubectl commands are run here; begin with kubectl".to_string());
    }
    if bare.contains(['|', '>', '<', ';', '`', '\n']) || bare.contains("&&") || bare.contains("$(") {
        return Err("one command at a time: no pipes, redirects or lists of commands".to_string());
    }
    if UNSUPPORTED.contains(&verb) {
        return Err(format!("kubectl {verb} is not supported here"));
    }
    let is_interactive = |word: &&str| matches!(*word, "-it" | "-ti" | "-i" | "-t" | "--stdin" | "--tty");
    if verb != "apply" && bare.split_whitespace().take_while(|word| *word != "--").any(|word| is_interactive(&word)) {
        return Err("interactive flags are not supported here".to_string());
    }
    if verb == "delete" {
        if words.iter().any(|word| matches!(*word, "namespace" | "namespaces" | "ns") || word.starts_with("ns/")) {
            return Err("namespaces are not deleted here".to_string());
        }
        if !line.contains("--wait") {
            return Ok(format!("{line} --wait=false"));
        }
    }
    Ok(line.to_string())
}

/// A command line without what stands in quotes.
fn without_quoted(line: &str) -> String {
    let mut quote = None;
    let mut out = String::new();
    for char in line.chars() {
        match quote {
            Some(open) if char == open => quote = None,
            Some(_) => {}
            None if char == '\'' || char == '"' => quote = Some(char),
            None => out.push(char),
        }
    }
    out
}

impl RollbackStack {
    /// Runs a command and keeps what it changed.
    pub(crate) fn run(
        &mut self,
        site: &mut Site,
        actors: &mut ActorBook,
        terminal: &mut Terminal,
        line: &str,
    ) -> shell::Output {
        let revision = site.cluster.revision();
        let (cluster, fleet) = site.parts();
        let output = terminal.run(cluster, &mut ActingPrograms { fleet, actors }, line);
        let mut before: BTreeMap<ObjectKey, Option<Stored>> = BTreeMap::new();
        for change in site.cluster.changes_since(revision).into_iter().flatten() {
            let spec = |object: &Option<Stored>| object.as_ref().map(wanted);
            let by_controller = MADE_BY_CONTROLLERS.contains(&&*change.key.resource);
            if !by_controller && spec(&change.before) != spec(&change.after) {
                before.entry(change.key.clone()).or_insert_with(|| change.before.clone());
            }
        }
        if !before.is_empty() {
            self.done.push(UndoableCommand { line: line.to_string(), before: before.into_iter().collect() });
        }
        output
    }

    /// The commands that can be undone, the latest first.
    pub(crate) fn told(&self) -> String {
        if self.done.is_empty() {
            return "No command can be rolled back.".to_string();
        }
        self.done.iter().rev().map(|done| format!("{}\n", done.line)).collect()
    }

    /// Undoes the latest command.
    pub(crate) fn undo(&mut self, site: &mut Site, actors: &mut ActorBook, terminal: &mut Terminal) -> String {
        let Some(last) = self.done.pop() else { return "No command can be rolled back.".to_string() };
        let mut told = format!("Rolled back: {}\n", last.line);
        for (key, before) in &last.before {
            let is_there = site.cluster.object(&key.resource, &key.namespace, &key.name).is_some();
            let line = match (before, is_there) {
                (None, true) => {
                    format!("kubectl delete {} {} -n '{}' --wait=false", key.resource, key.name, key.namespace)
                }
                (None, false) => continue,
                (Some(object), is_there) => {
                    terminal.put_file(KEPT, &serde_json::to_string(&wanted(object)).unwrap_or_default());
                    format!("kubectl {} -f {KEPT}", if is_there { "replace" } else { "create" })
                }
            };
            let (cluster, fleet) = site.parts();
            let output = terminal.run(cluster, &mut ActingPrograms { fleet, actors }, &line);
            told.push_str(&output.stdout);
            told.push_str(&output.stderr);
        }
        told
    }
}

/// Where an object lies that is put back.
const KEPT: &str = "/tmp/rollback.json";

/// What people want of an object: all but its state and what the server writes.
fn wanted(object: &Stored) -> serde_json::Value {
    let mut value = serde_json::Value::clone(object);
    if let Some(fields) = value.as_object_mut() {
        fields.remove("status");
    }
    if let Some(meta) = value.get_mut("metadata").and_then(|meta| meta.as_object_mut()) {
        for server_made in ["resourceVersion", "uid", "generation", "creationTimestamp", "managedFields"] {
            meta.remove(server_made);
        }
    }
    debug_assert!(!json::text(&value, "kind").is_empty(), "stored objects know their kind");
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_single_commands_are_run() {
        let check = |line: &str, expect: Result<&str, &str>| match (safe(line), expect) {
            (Ok(found), Ok(expect)) => assert_eq!(found, expect),
            (Err(found), Err(expect)) => assert!(found.contains(expect), "{line}: {found}"),
            (found, _) => panic!("{line}: {found:?}"),
        };
        check("kubectl get pods", Ok("kubectl get pods"));
        check("kubectl delete pod geo", Ok("kubectl delete pod geo --wait=false"));
        check("kubectl delete ns shop", Err("namespaces are not deleted"));
        check("kubectl get pods | head", Err("no pipes"));
        check("kubectl patch svc geo -p '{\"a\":\"b;c|d\"}'", Ok("kubectl patch svc geo -p '{\"a\":\"b;c|d\"}'"));
        check("kubectl edit svc geo", Err("kubectl edit is not supported"));
        check("kubectl exec -it geo -- sh", Err("interactive flags"));
        check("kubectl exec geo -- ls -t", Ok("kubectl exec geo -- ls -t"));
        check("ls", Err("only kubectl"));
    }
}
