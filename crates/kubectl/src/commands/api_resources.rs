//! `kubectl api-resources` and `api-versions`.

use std::sync::Arc;

use super::Outcome;
use crate::discovery::Kind;
use crate::failure::Failure;
use crate::kubectl::Kubectl;
use crate::tabs::Tabs;

pub(super) const FLAGS: &str =
    "api-group= cached categories= namespaced no-headers o|output= sort-by= verbs= show-managed-fields";

pub(super) fn resources(call: &mut Kubectl<'_, '_>) -> Outcome {
    let form = call.flags.text("output").to_string();
    if !matches!(form.as_str(), "" | "wide" | "name") {
        return Err(Failure::new(format!("--output {form} is not available")));
    }
    if let Some(word) = call.flags.words.first() {
        return Err(Failure::new(format!(
            "unexpected arguments: [{word}]\nSee 'kubectl api-resources -h' for help and examples"
        )));
    }
    call.desk.memory.discovery = None;
    let discovery = call.discovery()?;
    let mut kinds: Vec<Arc<Kind>> = Vec::new();
    for kind in &discovery.kinds {
        // The first version of a group that has a resource is the preferred one.
        if !kinds.iter().any(|known| known.group == kind.group && known.plural == kind.plural) && !kind.verbs.is_empty()
        {
            kinds.push(kind.clone());
        }
    }
    if let Some(group) = call.flags.value("api-group") {
        kinds.retain(|kind| kind.group == group);
    }
    if call.flags.value("namespaced").is_some() {
        let wanted = call.flags.has("namespaced");
        kinds.retain(|kind| kind.is_namespaced == wanted);
    }
    for verb in call.flags.split("verbs") {
        kinds.retain(|kind| kind.allows(verb));
    }
    for category in call.flags.split("categories") {
        kinds.retain(|kind| kind.categories.iter().any(|known| known == category));
    }
    kinds.sort_by(|a, b| (&a.group, &a.plural).cmp(&(&b.group, &b.plural)));
    match call.flags.text("sort-by") {
        "name" => kinds.sort_by(|a, b| a.plural.cmp(&b.plural)),
        "kind" => kinds.sort_by(|a, b| a.kind.cmp(&b.kind)),
        _ => {}
    }
    if form == "name" {
        for kind in kinds {
            call.say(kind.group_resource());
        }
        return Ok(());
    }
    let wide = form == "wide";
    let mut text = String::new();
    if !call.flags.has("no-headers") {
        text.push_str("NAME\tSHORTNAMES\tAPIVERSION\tNAMESPACED\tKIND");
        text.push_str(if wide { "\tVERBS\tCATEGORIES\n" } else { "\n" });
    }
    for kind in kinds {
        let row = format!(
            "{}\t{}\t{}\t{}\t{}",
            kind.plural,
            kind.short_names.join(","),
            kind.api_version(),
            kind.is_namespaced,
            kind.kind
        );
        text.push_str(&row);
        if wide {
            text.push_str(&format!("\t{}\t{}", kind.verbs.join(","), kind.categories.join(",")));
        }
        text.push('\n');
    }
    call.out.push_str(&Tabs::table().align(&text));
    Ok(())
}

pub(super) fn versions(call: &mut Kubectl<'_, '_>) -> Outcome {
    call.desk.memory.discovery = None;
    let mut versions = call.discovery()?.versions.clone();
    versions.sort();
    for version in versions {
        call.say(version);
    }
    Ok(())
}
