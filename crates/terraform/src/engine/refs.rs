//! Every reference must lead to something that is declared, and to an attribute that exists.

use crate::config::{Config, Module, Placed, Repeat};
use crate::diagnostic::Diagnostic;
use crate::schema::Schema;
use crate::syntax::{Reference, references};

/// Checks all references of all modules, and the inputs of module calls.
pub(super) fn check(config: &Config) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for module in &config.modules {
        let mut look = |found: Vec<Reference>, place: &Placed<()>, repeat: Option<&Repeat>| {
            for reference in found {
                if let Some(error) = wrong(config, module, &reference, repeat) {
                    errors.push(error.in_file(&place.file).at(reference.line));
                }
            }
        };
        let bare = |file: &str, line: u32| Placed { item: (), file: file.to_owned(), line };
        for resource in module.resources.values() {
            look(references(&resource.body), &resource.place, Some(&resource.repeat));
            look(resource.repeat.expr().map(|e| e.references()).unwrap_or_default(), &resource.place, None);
            look(resource.depends_on.clone(), &resource.place, None);
        }
        for local in module.locals.values() {
            look(local.item.references(), &bare(&local.file, local.line), None);
        }
        for output in module.outputs.values() {
            look(output.value.references(), &output.place, None);
            look(output.depends_on.clone(), &output.place, None);
        }
        for provider in &module.providers {
            look(references(&provider.item.body), &bare(&provider.file, provider.line), None);
        }
        for call in module.calls.values() {
            let inputs = call.inputs.values().flat_map(|e| e.references()).collect();
            look(inputs, &call.place, Some(&call.repeat));
            look(call.repeat.expr().map(|e| e.references()).unwrap_or_default(), &call.place, None);
        }
        errors.extend(inputs(config, module));
    }
    errors
}

fn inputs(config: &Config, module: &Module) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for call in module.calls.values() {
        let Some(child) = call.module.map(|m| &config.modules[m]) else { continue };
        for name in call
            .inputs
            .keys()
            .filter(|n| !matches!(n.as_str(), "source" | "version") && !child.variables.contains_key(*n))
        {
            errors.push(call.place.place(Diagnostic::new(
                "Unsupported argument",
                format!("An argument named {name:?} is not expected here."),
            )));
        }
        for (name, variable) in &child.variables {
            if variable.default.is_none() && !call.inputs.contains_key(name) {
                let detail = format!("The argument {name:?} is required, but no definition was found.");
                errors.push(call.place.place(Diagnostic::new("Missing required argument", detail)));
            }
        }
    }
    errors
}

fn wrong(config: &Config, module: &Module, reference: &Reference, repeat: Option<&Repeat>) -> Option<Diagnostic> {
    let part = |i: usize| reference.path.get(i).map_or("", String::as_str);
    let undeclared = |what: &str, name: &str| {
        let detail = format!("{name:?} has not been declared in this module.");
        Some(Diagnostic::new(format!("Reference to undeclared {what}"), detail))
    };
    match reference.root.as_str() {
        "var" if !module.variables.contains_key(part(0)) => undeclared("input variable", part(0)),
        "local" if !module.locals.contains_key(part(0)) => undeclared("local value", part(0)),
        "module" => {
            let Some(call) = module.calls.get(part(0)) else { return undeclared("module", part(0)) };
            let child = &config.modules[call.module?];
            let known = part(1).is_empty() || child.outputs.contains_key(part(1));
            let detail = format!("This object does not have an attribute named {:?}.", part(1));
            (!known).then(|| Diagnostic::new("Unsupported attribute", detail))
        }
        "each" if !matches!(repeat, None | Some(Repeat::Each(_))) => Some(Diagnostic::new(
            "Reference to \"each\" in context without for_each",
            "The \"each\" object can be used only in blocks where the \"for_each\" argument is set.",
        )),
        "count" if !matches!(repeat, None | Some(Repeat::Count(_))) => Some(Diagnostic::new(
            "Reference to \"count\" in non-counted context",
            "The \"count\" object can be used only in blocks where the \"count\" argument is set.",
        )),
        "var" | "local" | "each" | "count" | "path" | "terraform" | "self" => None,
        "data" => resource(module, true, part(0), part(1), reference, 2),
        kind => resource(module, false, kind, part(0), reference, 1),
    }
}

/// The resource must be declared; the attribute must exist; a repeated resource needs an index first.
fn resource(
    module: &Module,
    is_data: bool,
    kind: &str,
    name: &str,
    reference: &Reference,
    used: usize,
) -> Option<Diagnostic> {
    let key = if is_data { format!("data.{kind}.{name}") } else { format!("{kind}.{name}") };
    let Some(found) = module.resources.get(&key) else {
        if name.is_empty() {
            let detail = format!(
                "A reference to a resource type must be followed by at least one attribute access; {kind:?} stands alone."
            );
            return Some(Diagnostic::new("Invalid reference", detail));
        }
        let what = if is_data { "data resource" } else { "managed resource" };
        let detail = format!("A {what} {kind:?} {name:?} has not been declared in this module.");
        return Some(Diagnostic::new("Reference to undeclared resource", detail));
    };
    let attr = reference.path.get(used)?;
    if reference.plain > used && !matches!(found.repeat, Repeat::Once) {
        let detail = format!(
            "Because {key} has \"count\" or \"for_each\" set, its attributes must be accessed on specific instances."
        );
        return Some(Diagnostic::new("Missing resource instance key", detail));
    }
    let schema = Schema::get().find(is_data, kind)?;
    let known = schema.body.attrs.contains_key(attr) || schema.body.blocks.contains_key(attr);
    let detail = format!("This object has no argument, nested block, or exported attribute named {attr:?}.");
    (!known).then(|| Diagnostic::new("Unsupported attribute", detail))
}
