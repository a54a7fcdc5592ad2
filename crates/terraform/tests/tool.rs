//! Plans beside the real tool, where that is installed: the same actions and the same outputs from 200 drawn configurations.
//!
//! They use `terraform_data`, which is part of the tool, so that no provider, registry or network is needed. All of them are
//! modules of one root for the tool, and a root each for us.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use terraform::cloud::Cloud;
use terraform::datum::Datum;
use terraform::engine::{Action, Project, TerraformState, VariableValues};
use terraform::functions::{json, json_text};

/// A drawn configuration and two sets of values for its variables.
struct Case {
    text: String,
    values: [VariableValues; 2],
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[usize::try_from(self.below(items.len() as u64)).expect("it is below a length")]
    }
}

const LOCALS: &[&str] = &[
    "[for s in var.names : upper(s)]",
    "{ for i, s in var.names : s => i }",
    "join(\"-\", concat(var.names, [var.prefix]))",
    "var.flag ? \"${var.prefix}-on\" : \"off\"",
    "length(var.names) + var.n",
    "merge({ a = var.prefix }, var.flag ? { b = \"x\" } : {})",
    "slice(sort(var.names), 0, 1)",
    "cidrsubnet(\"10.0.0.0/16\", 8, var.n)",
    "jsonencode({ names = var.names, n = var.n })",
    "try(var.names[var.n], \"none\")",
    "formatlist(\"%s-%d\", var.names, var.n)",
    "flatten([var.names, [var.prefix, [tostring(var.n)]]])",
    "zipmap(var.names, range(length(var.names)))",
    "\"%{ for s in var.names }${s},%{ endfor }\"",
    "{ for s in var.names : substr(s, 0, 1) => s... }",
    "coalesce(var.flag ? null : var.prefix, \"fallback\")",
    "contains(var.names, \"bo\") && var.n > 1",
    "one([for s in var.names : s if s == \"ann\"])",
];

fn case(seed: u64) -> Case {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
    dice.below(2);
    let mut text = "variable \"n\" {\n  type = number\n}\nvariable \"names\" {\n  type = list(string)\n}\nvariable \"flag\" {\n  type = bool\n}\nvariable \"prefix\" {\n  type = string\n}\n".to_owned();
    let (a, b) = (dice.pick(LOCALS), dice.pick(LOCALS));
    write!(text, "locals {{\n  a = {a}\n  b = {b}\n}}\n").expect("a string takes everything");
    let repeat = dice.pick(&[
        "count = var.n",
        "for_each = toset(var.names)",
        "for_each = { for i, s in var.names : s => i }",
        "count = var.flag ? 1 : 0",
        "",
    ]);
    let inner = dice.pick(&["local.a", "{ a = local.a, p = var.prefix }", "[local.b, var.n]"]);
    let trigger = dice.pick(&["", "  triggers_replace = local.b\n", "  triggers_replace = [var.prefix, local.a]\n"]);
    write!(text, "resource \"terraform_data\" \"first\" {{\n  {repeat}\n  input = {inner}\n{trigger}}}\n")
        .expect("a string takes everything");
    let all = match repeat {
        "" => "[terraform_data.first.output]",
        r if r.starts_with("count") => "terraform_data.first[*].output",
        _ => "[for k, v in terraform_data.first : v.output]",
    };
    let ignore = dice.pick(&[
        "",
        "",
        "  lifecycle {\n    ignore_changes = [input]\n  }\n",
        "  lifecycle {\n    create_before_destroy = true\n  }\n",
    ]);
    write!(text, "resource \"terraform_data\" \"second\" {{\n  input = length({all})\n  triggers_replace = var.prefix\n{ignore}}}\n").expect("a string takes everything");
    write!(text, "output \"a\" {{\n  value = local.a\n}}\noutput \"b\" {{\n  value = local.b\n}}\noutput \"all\" {{\n  value = {all}\n}}\noutput \"second\" {{\n  value = terraform_data.second.output\n}}\n").expect("a string takes everything");
    let mut values = |prefix: &str| {
        let all = ["ann", "bo", "cy", "dee"];
        let count = usize::try_from(1 + dice.below(3)).expect("at most three");
        VariableValues::from([
            ("n".to_owned(), Datum::Number(f64::from(u8::try_from(dice.below(3)).expect("below three")))),
            ("names".to_owned(), Datum::texts(all[..count].iter().copied())),
            ("flag".to_owned(), Datum::Bool(dice.below(2) == 1)),
            ("prefix".to_owned(), Datum::text(prefix)),
        ])
    };
    let values = [values("web"), values("web")];
    let second = if dice.below(2) == 0 {
        values[1].clone()
    } else {
        values[1].clone().into_iter().chain([("prefix".to_owned(), Datum::text("api"))]).collect()
    };
    Case { text, values: [values[0].clone(), second] }
}

/// The tool's working folder, removed at the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(folder: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new("terraform")
        .args(args)
        .current_dir(folder)
        .env("CHECKPOINT_DISABLE", "1")
        .env_remove("TF_CLI_CONFIG_FILE")
        .output()
        .ok()?;
    assert!(output.status.success(), "terraform {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Outputs and second-plan actions by module, as the tool gives them.
fn theirs(cases: &[Case]) -> Option<(Value, BTreeMap<String, Vec<String>>)> {
    Command::new("terraform").arg("version").env("CHECKPOINT_DISABLE", "1").output().ok()?;
    let folder =
        Folder(std::env::temp_dir().join(format!("sre-zero-terraform-{}-{}", std::process::id(), cases.len())));
    let mut root = "variable \"second\" {\n  type    = bool\n  default = false\n}\n".to_owned();
    for (i, case) in cases.iter().enumerate() {
        let home = folder.0.join(format!("c{i}"));
        std::fs::create_dir_all(&home).expect("a folder");
        std::fs::write(home.join("main.tf"), &case.text).expect("a file");
        let inputs: String = case.values[0]
            .iter()
            .map(|(n, v)| format!("  {n} = var.second ? {} : {}\n", json_text(&case.values[1][n]), json_text(v)))
            .collect();
        write!(
            root,
            "module \"c{i}\" {{\n  source = \"./c{i}\"\n{inputs}}}\noutput \"c{i}\" {{\n  value = module.c{i}\n}}\n"
        )
        .expect("a string takes everything");
    }
    std::fs::write(folder.0.join("main.tf"), root).expect("a file");
    run(&folder.0, &["init", "-input=false", "-no-color"])?;
    run(&folder.0, &["apply", "-auto-approve", "-parallelism=40", "-input=false", "-no-color"])?;
    let outputs = serde_json::from_str(&run(&folder.0, &["output", "-json"])?).expect("JSON");
    run(&folder.0, &["plan", "-var", "second=true", "-out", "second.plan", "-input=false", "-no-color"])?;
    let plan: Value = serde_json::from_str(&run(&folder.0, &["show", "-json", "second.plan"])?).expect("JSON");
    let mut actions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for change in plan["resource_changes"].as_array().into_iter().flatten() {
        let address = change["address"].as_str().expect("an address");
        let (module, rest) =
            address.strip_prefix("module.").and_then(|a| a.split_once('.')).expect("it is in a module");
        let verbs: Vec<&str> =
            change["change"]["actions"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        actions.entry(module.to_owned()).or_default().push(format!("{rest} {}", verbs.join("+")));
    }
    Some((outputs, actions))
}

fn verb(action: Action) -> &'static str {
    match action {
        Action::NoOp => "no-op",
        Action::Create => "create",
        Action::Update => "update",
        Action::Replace => "delete+create",
        Action::ReplaceAfter => "create+delete",
        Action::Delete => "delete",
    }
}

/// Outputs and second-plan actions of one configuration, as we give them.
fn ours(case: &Case) -> (Value, Vec<String>) {
    let (project, problems) = Project::load(&[("main.tf".to_owned(), case.text.clone())].into());
    let project = project.unwrap_or_else(|| panic!("{problems:?}"));
    let (mut state, mut cloud) = (TerraformState::default(), Cloud::default());
    let plan = project.plan(&case.values[0], &mut state, &cloud).unwrap_or_else(|e| panic!("{e:?}\n{}", case.text));
    assert_eq!(project.apply(&plan, &case.values[0], &mut state, &mut cloud), [], "{}", case.text);
    let outputs = Datum::Map(state.outputs.clone());
    let second = project.plan(&case.values[1], &mut state, &cloud).unwrap_or_else(|e| panic!("{e:?}\n{}", case.text));
    let actions = second.changes.iter().map(|(address, change)| format!("{address} {}", verb(change.action))).collect();
    (serde_json::from_str(&json_text(&outputs)).expect("JSON"), actions)
}

#[test]
fn plans_and_outputs_agree_with_the_tool() {
    compare(0..20);
}

#[test]
#[ignore = "takes a minute: cargo test -p sre-zero-terraform --test tool -- --ignored --nocapture"]
fn plans_and_outputs_of_200_configurations_agree_with_the_tool() {
    compare(0..200);
}

fn compare(seeds: std::ops::Range<u64>) {
    let cases: Vec<Case> = seeds.map(case).collect();
    let Some((outputs, mut actions)) = theirs(&cases) else {
        println!("skipped: no terraform on PATH");
        return;
    };
    let (mut wrong, mut compared) = (String::new(), 0);
    for (i, case) in cases.iter().enumerate() {
        let (our_outputs, mut our_actions) = ours(case);
        let their_outputs = &outputs[format!("c{i}")]["value"];
        let mut their_actions = actions.remove(&format!("c{i}")).unwrap_or_default();
        our_actions.sort();
        their_actions.sort();
        compared += our_actions.len();
        // Numbers that are whole may be written with or without a point; reading them as ours makes them alike.
        let same = json(&our_outputs.to_string()) == json(&their_outputs.to_string());
        if !same || our_actions != their_actions {
            let _ = writeln!(
                wrong,
                "{}\nours   {our_outputs} {our_actions:?}\ntheirs {their_outputs} {their_actions:?}\n",
                case.text
            );
        }
    }
    println!("{} configurations, {compared} actions compared", cases.len());
    assert!(wrong.is_empty(), "they differ:\n{}", wrong.chars().take(6000).collect::<String>());
}
