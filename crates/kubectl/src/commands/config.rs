//! `kubectl config`.

use serde_json::json as tree;

use super::Outcome;
use crate::failure::Failure;
use crate::go::quote;
use crate::kubectl::Kubectl;

pub(super) const VIEW_FLAGS: &str =
    "allow-missing-template-keys flatten merge minify o|output= raw show-managed-fields template=";

pub(super) fn view(call: &mut Kubectl<'_, '_>) -> Outcome {
    let memory = &call.desk.memory;
    let (name, user) = (memory.context.clone(), memory.user.name.clone());
    let mut context = tree!({"cluster": name, "user": user});
    if memory.namespace != "default" {
        context["namespace"] = memory.namespace.clone().into();
    }
    let object = tree!({
        "apiVersion": "v1", "kind": "Config", "preferences": {}, "current-context": name,
        "clusters": [{"name": name, "cluster": {"certificate-authority-data": "DATA+OMITTED", "server": memory.server}}],
        "contexts": [{"name": name, "context": context}],
        "users": [{"name": user, "user": {"token": "REDACTED"}}],
    });
    let form = call.flags.value("output").unwrap_or("yaml").to_string();
    let text = crate::print::object(call, &form, &object)?;
    call.out.push_str(&text);
    Ok(())
}

pub(super) fn current(call: &mut Kubectl<'_, '_>) -> Outcome {
    let name = call.desk.memory.context.clone();
    call.say(name);
    Ok(())
}

pub(super) fn contexts(call: &mut Kubectl<'_, '_>) -> Outcome {
    let memory = &call.desk.memory;
    let name = memory.context.clone();
    if call.flags.text("output") == "name" {
        call.say(name);
        return Ok(());
    }
    let namespace = if memory.namespace == "default" { String::new() } else { memory.namespace.clone() };
    let row = format!("*\t{name}\t{name}\t{}\t{namespace}\n", memory.user.name);
    let header = if call.flags.has("no-headers") { "" } else { "CURRENT\tNAME\tCLUSTER\tAUTHINFO\tNAMESPACE\n" };
    let text = crate::tabs::Tabs::table().align(&format!("{header}{row}"));
    call.out.push_str(&text);
    Ok(())
}

pub(super) fn clusters(call: &mut Kubectl<'_, '_>) -> Outcome {
    let name = call.desk.memory.context.clone();
    call.say(format!("NAME\n{name}"));
    Ok(())
}

pub(super) fn users(call: &mut Kubectl<'_, '_>) -> Outcome {
    let name = call.desk.memory.user.name.clone();
    call.say(format!("NAME\n{name}"));
    Ok(())
}

/// `--current --namespace=NAME` sets the namespace of the terminal.
pub(super) fn set_context(call: &mut Kubectl<'_, '_>) -> Outcome {
    let name = call.desk.memory.context.clone();
    let named = call.flags.words.first().is_none_or(|word| *word == name);
    if !(call.flags.has("current") || named) {
        return Err(Failure::new("there is one context here, and no other can be made"));
    }
    if let Some(namespace) = call.flags.value("namespace").map(str::to_string) {
        call.desk.memory.namespace = if namespace.is_empty() { "default".into() } else { namespace };
    }
    call.say(format!("Context {} modified.", quote(&name)));
    Ok(())
}

pub(super) fn use_context(call: &mut Kubectl<'_, '_>) -> Outcome {
    let wanted = call.flags.words.first().cloned().unwrap_or_default();
    if wanted != call.desk.memory.context {
        return Err(Failure::new(format!("no context exists with the name: {}", quote(&wanted))));
    }
    call.say(format!("Switched to context {}.", quote(&wanted)));
    Ok(())
}
