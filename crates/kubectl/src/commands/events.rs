//! `kubectl events`.

use serde_json::Value;

use super::Outcome;
use crate::describe::{event_age, event_time};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;
use crate::tabs::Tabs;

pub(super) const FLAGS: &str = "A|all-namespaces allow-missing-template-keys chunk-size=i for= no-headers o|output= show-managed-fields template= \
    types= w|watch";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let types: Vec<String> = call.flags.split("types").into_iter().map(Into::into).collect();
    if !types.iter().all(|kind| ["normal", "warning"].contains(&kind.to_lowercase().as_str())) {
        return Err(Failure::new("valid --types are Normal or Warning"));
    }
    let everywhere = call.flags.has("all-namespaces");
    let namespace = if everywhere { String::new() } else { call.namespace() };
    let mut fields = Vec::new();
    if let Some(word) = call.flags.value("for").map(str::to_string) {
        let targets = call
            .targets(std::slice::from_ref(&word))
            .map_err(|_| Failure::new(format!("--for must be in resource/name form: {word}")))?;
        let Some((target, name)) = targets.first().and_then(|target| Some((target, target.name.clone()?))) else {
            return Err(Failure::new("--for must be in resource/name form"));
        };
        fields.push(format!("involvedObject.kind={}", target.kind.kind));
        fields.push(format!("involvedObject.name={name}"));
        fields.push(format!("involvedObject.apiVersion={}", target.kind.api_version()));
    }
    let kind = call.kind("events")?;
    let mut events = call.list(&kind, &namespace, "", &fields.join(","))?;
    if !types.is_empty() {
        events.retain(|event| types.iter().any(|kind| json::text(event, "type").eq_ignore_ascii_case(kind)));
    }
    events.sort_by_key(event_time);
    if let Some(form) = call.flags.value("output").filter(|form| !form.is_empty()).map(str::to_string) {
        for event in &mut events {
            json::remove(event, "metadata.managedFields");
        }
        let text = crate::print::object(call, &form, &crate::print::list(events))?;
        call.out.push_str(&text);
        return Ok(());
    }
    if events.is_empty() {
        match everywhere {
            true => call.warn("No events found."),
            false => call.warn(format!("No events found in {namespace} namespace.")),
        }
        return Ok(());
    }
    let now = call.desk.cluster.now();
    let mut text = String::new();
    if !call.flags.has("no-headers") {
        let place = if everywhere { "NAMESPACE\t" } else { "" };
        text.push_str(&format!("{place}LAST SEEN\tTYPE\tREASON\tOBJECT\tMESSAGE\n"));
    }
    let row = |event: &Value| {
        let place = if everywhere { format!("{}\t", json::text(event, "metadata.namespace")) } else { String::new() };
        let object =
            format!("{}/{}", json::text(event, "involvedObject.kind"), json::text(event, "involvedObject.name"));
        let (kind, reason) = (json::text(event, "type"), json::text(event, "reason"));
        format!(
            "{place}{}\t{kind}\t{reason}\t{object}\t{}\n",
            event_age(now, event),
            json::text(event, "message").trim()
        )
    };
    events.iter().for_each(|event| text.push_str(&row(event)));
    call.out.push_str(&Tabs::table().align(&text));
    Ok(())
}
