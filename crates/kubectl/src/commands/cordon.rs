//! `kubectl cordon` and `uncordon`.

use serde_json::{Value, json as tree};

use super::Outcome;
use crate::client::{PatchForm, with_query};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;
use crate::targets::Found;

pub(super) const FLAGS: &str = "dry-run?unchanged l|selector=";

pub(super) fn cordon(call: &mut Kubectl<'_, '_>) -> Outcome {
    both(call, true, "cordon")
}

pub(super) fn uncordon(call: &mut Kubectl<'_, '_>) -> Outcome {
    both(call, false, "uncordon")
}

/// The nodes that words or a selector name.
pub(super) fn nodes(call: &mut Kubectl<'_, '_>, command: &str) -> Result<Vec<Found>, Failure> {
    let mut words = call.flags.words.clone();
    if words.is_empty() && !call.selects() {
        return Err(Failure::new(format!(
            "USAGE: {command} NODE [flags]\nSee 'kubectl {command} -h' for help and examples"
        )));
    }
    for word in &mut words {
        *word = word.trim_start_matches("node/").trim_start_matches("nodes/").trim_start_matches("no/").into();
    }
    words.insert(0, "nodes".into());
    call.wanted(&words)
}

fn both(call: &mut Kubectl<'_, '_>, unschedulable: bool, command: &str) -> Outcome {
    for node in nodes(call, command)? {
        mark(call, &node, unschedulable)?;
    }
    Ok(())
}

/// Marks a node and tells it.
pub(super) fn mark(call: &mut Kubectl<'_, '_>, node: &Found, unschedulable: bool) -> Outcome {
    let suffix = match call.dry_run()? {
        "client" => " (dry run)",
        "server" => " (server dry run)",
        _ => "",
    };
    let word = if unschedulable { "cordoned" } else { "uncordoned" };
    if json::flag(&node.object, "spec.unschedulable") == unschedulable {
        call.say(format!("{} already {word}{suffix}", node.shown()));
        return Ok(());
    }
    if call.dry_run()? != "client" {
        let query = call.dry_query()?;
        let value: Value = if unschedulable { true.into() } else { Value::Null };
        let body = tree!({"spec": {"unschedulable": value}}).to_string();
        call.patch(PatchForm::Strategic, &with_query(&node.path(), &[("dryRun", query)]), &body)?;
    }
    call.say(format!("{} {word}{suffix}", node.shown()));
    Ok(())
}
