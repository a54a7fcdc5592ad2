//! What was generated, from what, and which families and shapes are in which split.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Batch, GENERATOR_VERSION, Generator, Made, domains};
use crate::record::sha256;
use crate::task::Split;

/// The manifest of a batch, as pretty JSON. It holds nothing that would differ between two runs.
pub fn manifest(generator: &Generator, batch: &Batch) -> String {
    let tasks: Vec<Value> = batch.made.iter().map(task).collect();
    let splits: BTreeMap<&str, Value> =
        Split::ALL.into_iter().map(|s| (s.text(), split(s, generator, batch))).collect();
    let count: usize = batch.rejected.values().sum();
    let (routes, operations) = batch.asked();
    let whole = json!({
        "generator_version": GENERATOR_VERSION,
        "world_version": world::WORLD_VERSION,
        "seed": generator.seed(),
        "options": generator.options(),
        "tasks": tasks,
        "domains": about_domains(batch),
        "routes": routes,
        "operations": operations,
        "splits": splits,
        "held_back": held_back(generator, batch),
        "candidates": batch.made.len() + count,
        "rejected": batch.rejected,
    });
    serde_json::to_string_pretty(&whole).expect("plain data") + "\n"
}

/// What the domains are, and how many tasks there are of each.
fn about_domains(batch: &Batch) -> BTreeMap<&str, Value> {
    let of = |name: &str| batch.made.iter().filter(|m| m.domain == name).count();
    let all = domains::ALL.iter().map(|d| (&*d.name, json!({ "about": d.about, "tasks": of(&d.name) })));
    all.collect()
}

fn task(made: &Made) -> Value {
    let args = made.task.faults.first().map(|f| &f.args.0);
    json!({
        "id": made.task.id,
        "attempt": made.attempt,
        "split": made.task.split,
        "difficulty": made.task.difficulty,
        "family": made.family,
        "fault": made.fault,
        "args": args,
        "services": made.services,
        "domain": made.domain,
        "shape": made.outline,
        "figures": made.task.figures,
        "sha256": sha256(made.text.as_bytes()),
    })
}

fn split(split: Split, generator: &Generator, batch: &Batch) -> Value {
    let own = || batch.made.iter().filter(move |m| m.task.split == split);
    let families: BTreeSet<&str> = own().map(|m| m.family).collect();
    let shapes: BTreeSet<&str> = own().map(|m| m.outline.as_str()).collect();
    json!({
        "tasks": own().count(),
        "families": families,
        "shapes": shapes.len(),
        "drawn_from": { "families": generator.pool.families(split), "shapes": generator.pool.outlines(split).len() },
    })
}

/// What `test` has and `train` has not.
fn held_back(generator: &Generator, batch: &Batch) -> Value {
    let pick = |split: Split, of: fn(&Made) -> &str| -> BTreeSet<&str> {
        batch.made.iter().filter(|m| m.task.split == split).map(of).collect()
    };
    let common = |of: fn(&Made) -> &str| pick(Split::Train, of).intersection(&pick(Split::Test, of)).count();
    json!({
        "families": generator.pool.families(Split::Test),
        "causes_in_train": batch.made.iter().filter(|m| m.task.split != Split::Test && m.task.is_held_out()).count(),
        "shapes_in_train_and_test": common(|m| &m.outline),
    })
}
