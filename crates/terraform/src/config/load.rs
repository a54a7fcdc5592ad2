//! From files to a configuration: root files first, then the modules they call, each call a module of its own.

use super::{Config, Module, Placed, Problems, SourceFiles};
use crate::config::declare::Declaring;
use crate::diagnostic::Diagnostic;
use crate::schema::Schema;
use crate::syntax::parse;

/// The tool's version, for `required_version`.
pub const TOOL_VERSION: &str = "1.9.8";

/// How deep modules may call modules.
const DEEPEST_CALL: usize = 6;

/// How many modules a configuration may hold.
const MOST_MODULES: usize = 100;

/// Reads all files. The problems say whether what came out can be used.
pub fn load(files: &SourceFiles) -> (Config, Problems) {
    let mut problems = Problems::default();
    let mut config = Config { modules: Vec::new(), files: files.clone() };
    let root = module(files, "", &mut problems);
    config.modules.push(root);
    let mut next = 0;
    while next < config.modules.len() {
        calls(&mut config, next, files, &mut problems);
        next += 1;
    }
    for module in &config.modules {
        providers(module, &mut problems);
    }
    if config.files.keys().all(|f| !f.ends_with(".tf")) {
        problems
            .init
            .push(Diagnostic::new("No configuration files", "The directory has no Terraform configuration files."));
    }
    (config, problems)
}

fn module(files: &SourceFiles, folder: &str, problems: &mut Problems) -> Module {
    let mut module = Module { folder: folder.to_owned(), ..Module::default() };
    for (path, text) in files {
        let (own, name) = path.rsplit_once('/').unwrap_or(("", path));
        if own != folder {
            continue;
        }
        let is_values = folder.is_empty() && (name == "terraform.tfvars" || name.ends_with(".auto.tfvars"));
        if !name.ends_with(".tf") && !is_values {
            continue;
        }
        match parse(path, text) {
            Err(error) => problems.syntax.push(error),
            Ok(body) if is_values => {
                let values = body
                    .settings
                    .into_iter()
                    .map(|s| (s.name, Placed { item: s.value, file: path.clone(), line: s.line }));
                module.given.extend(values);
            }
            Ok(body) => Declaring { file: path, module: &mut module, problems }.body(body),
        }
    }
    module
}

fn calls(config: &mut Config, at: usize, files: &SourceFiles, problems: &mut Problems) {
    let sources: Vec<(String, String, Placed<()>)> = config.modules[at]
        .calls
        .iter()
        .map(|(name, call)| {
            let source = call.inputs.get("source").and_then(|e| e.as_text()).unwrap_or_default();
            (name.clone(), source.to_owned(), call.place.clone())
        })
        .collect();
    for (name, source, place) in sources {
        let Some(folder) = local(&config.modules[at].folder, &source) else {
            let detail = format!(
                "Module {name:?} has the source {source:?}; only local paths such as \"./modules/network\" can be read here."
            );
            problems.init.push(place.place(Diagnostic::new("Module not available", detail)));
            continue;
        };
        let exists =
            files.keys().any(|f| f.rsplit_once('/').is_some_and(|(dir, file)| dir == folder && file.ends_with(".tf")));
        let path: Vec<String> = config.modules[at].path.iter().cloned().chain([name.clone()]).collect();
        if !exists {
            let detail = format!("Unable to evaluate directory {source:?}: it holds no configuration.");
            problems.init.push(place.place(Diagnostic::new("Unreadable module directory", detail)));
            continue;
        }
        if path.len() > DEEPEST_CALL || config.modules.len() >= MOST_MODULES {
            problems.init.push(
                place.place(Diagnostic::new("Too many modules", "Modules call each other too often or too deep.")),
            );
            continue;
        }
        let mut child = module(files, &folder, problems);
        child.path = path;
        child.parent = Some((at, name.clone()));
        config.modules.push(child);
        let index = config.modules.len() - 1;
        let call = config.modules[at].calls.get_mut(&name).expect("its name was just read");
        call.module = Some(index);
    }
}

/// The folder that a local source names; nothing for registries and addresses.
fn local(from: &str, source: &str) -> Option<String> {
    if !source.starts_with("./") && !source.starts_with("../") {
        return None;
    }
    let mut parts: Vec<&str> = from.split('/').filter(|p| !p.is_empty()).collect();
    for part in source.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Checks that every provider can be installed: a known source, and a version that exists.
fn providers(module: &Module, problems: &mut Problems) {
    let schema = Schema::get();
    for (name, source, version) in &module.required {
        let source = source.clone().unwrap_or_else(|| format!("hashicorp/{name}"));
        let known = source.trim_start_matches("registry.terraform.io/").strip_prefix("hashicorp/");
        let newest = known.and_then(newest);
        let Some(newest) = newest else {
            let detail = format!("Could not retrieve the list of available versions for provider {source}.");
            problems.init.push(Diagnostic::new("Failed to query available provider packages", detail));
            continue;
        };
        if let Some(wanted) = version
            && !allows(wanted, newest)
        {
            let detail = format!("No available releases of {source} match the given constraints {wanted}.");
            problems.init.push(Diagnostic::new("Failed to query available provider packages", detail));
        }
    }
    let used = module.resources.values().map(|r| r.kind.split('_').next().unwrap_or_default().to_owned());
    let configured = module.providers.iter().map(|p| p.item.name.clone());
    let mut names: Vec<String> = used.chain(configured).collect();
    names.sort();
    names.dedup();
    for name in names {
        let renamed = module.required.iter().any(|(local, ..)| *local == name);
        if !renamed && !schema.providers.contains_key(&name) {
            let detail = format!(
                "Provider registry.terraform.io does not have a provider named hashicorp/{name} that is known here."
            );
            problems.init.push(Diagnostic::new("Failed to query available provider packages", detail));
        }
    }
}

/// All major versions of a provider that may be asked for, the newest release of each.
fn newest(provider: &str) -> Option<&'static [&'static str]> {
    Some(match provider {
        "aws" => &["3.76.1", "4.67.0", "5.100.0", "6.20.0"],
        "google" | "google-beta" => &["4.85.0", "5.45.2", "6.50.0", "7.10.0"],
        "azurerm" => &["3.117.1", "4.52.0"],
        "random" => &["3.7.2"],
        "null" => &["3.2.4"],
        "local" => &["2.5.3"],
        "tls" => &["4.1.0"],
        "time" => &["0.13.1"],
        "archive" | "http" | "external" | "template" => &["2.3.5", "3.5.0"],
        _ => return None,
    })
}

/// Whether a version constraint allows one of these releases, or an older one of the same major version.
fn allows(constraint: &str, releases: &[&str]) -> bool {
    releases.iter().any(|release| constraint.split(',').all(|part| fits(part.trim(), release)))
}

/// Whether one version meets a whole constraint.
pub(super) fn meets(constraint: &str, version: &str) -> bool {
    constraint.split(',').all(|part| {
        let (op, wanted) = split(part.trim());
        let order = numbers(version).cmp(&numbers(wanted));
        match op {
            "=" => order.is_eq(),
            "!=" => order.is_ne(),
            _ => fits(part.trim(), version),
        }
    })
}

fn split(part: &str) -> (&str, &str) {
    let digits = part.find(|c: char| c.is_ascii_digit()).unwrap_or(part.len());
    let (op, version) = part.split_at(digits);
    (if op.trim().is_empty() { "=" } else { op.trim() }, version.trim())
}

fn numbers(version: &str) -> [u64; 3] {
    let mut made = [0; 3];
    for (slot, part) in made.iter_mut().zip(version.split(['.', '-'])) {
        *slot = part.parse().unwrap_or(0);
    }
    made
}

/// Releases stand for all earlier ones of their major version, so an exact older version fits too.
fn fits(part: &str, release: &str) -> bool {
    let (op, wanted) = split(part);
    let (have, want) = (numbers(release), numbers(wanted));
    match op {
        "=" => have[0] == want[0] && want <= have,
        "!=" => true,
        ">=" | ">" => have >= want,
        "<" => [have[0], 0, 0] < want,
        "<=" => [have[0], 0, 0] <= want,
        "~>" if wanted.matches('.').count() >= 2 => have[0] == want[0] && have >= want,
        "~>" if wanted.contains('.') => have[0] == want[0] && have >= want,
        "~>" => have >= want,
        _ => false,
    }
}
