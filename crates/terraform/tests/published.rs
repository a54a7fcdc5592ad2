//! The eleven published tasks: every accepted style passes, every mutant fails where it says.
//!
//! The files beside this one hold, per task, at least three ways to write a right answer and ten wrong ones, the measured
//! false accepts and the measured false reject of the published checker among them.

use std::collections::BTreeMap;

use terraform::task::{PUBLISHED, StageOutcome, TerraformTask, TerraformVerdict, published};

/// One task's file, read.
struct Sheet {
    outputs: String,
    styles: BTreeMap<String, (String, Option<String>)>,
    mutants: Vec<Mutant>,
}

struct Mutant {
    name: String,
    of: String,
    breaks: String,
    edits: Vec<(String, String)>,
}

fn sheet(id: &str) -> Sheet {
    let path = format!("{}/tests/published/{id}.txt", env!("CARGO_MANIFEST_DIR"));
    #[allow(clippy::disallowed_methods)]
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut made = Sheet { outputs: String::new(), styles: BTreeMap::new(), mutants: Vec::new() };
    for section in format!("\n{text}").split("\n==== ").skip(1) {
        let (head, body) = section.split_once('\n').unwrap_or((section, ""));
        let body = &format!("{}\n", body.trim_end_matches('\n'));
        match head.split(' ').collect::<Vec<_>>().as_slice() {
            ["outputs"] => made.outputs.clone_from(body),
            ["style", name] => {
                let (main, outputs) = body
                    .split_once("---- outputs.tf\n")
                    .map_or((body.as_str(), None), |(m, o)| (m, Some(o.to_owned())));
                made.styles.insert((*name).to_owned(), (main.to_owned(), outputs));
            }
            ["mutant", name, "of", of, "breaks", breaks] => {
                let edits = body.split("<<<<\n").skip(1).map(edit).collect();
                made.mutants.push(Mutant {
                    name: (*name).to_owned(),
                    of: (*of).to_owned(),
                    breaks: (*breaks).to_owned(),
                    edits,
                });
            }
            other => panic!("{id}: {other:?}"),
        }
    }
    made
}

fn edit(text: &str) -> (String, String) {
    let (old, rest) = text.split_once("\n====>\n").expect("an edit has two sides");
    let new = rest.split_once(">>>>").expect("an edit ends").0;
    (old.to_owned(), new.trim_end_matches('\n').to_owned())
}

/// A whole reply: provider and tags where the style asks for them, variables from the task.
fn reply(task: &TerraformTask, sheet: &Sheet, style: &str, edits: &[(String, String)]) -> String {
    let (main, outputs) = sheet.styles.get(style).unwrap_or_else(|| panic!("{}: no style {style}", task.id));
    let tags = format!("      project = \"skills\"\n      task_id = \"{}\"\n", task.id);
    let provider = |tags: &str| {
        format!(
            "terraform {{\n  required_version = \">= 1.5\"\n  required_providers {{\n    aws = {{\n      source  = \"hashicorp/aws\"\n      version = \"~> 5.0\"\n    }}\n  }}\n}}\n\nprovider \"aws\" {{\n  region                      = var.region\n  access_key                  = \"test\"\n  secret_key                  = \"test\"\n  s3_use_path_style           = true\n  skip_credentials_validation = true\n  skip_metadata_api_check     = true\n  skip_requesting_account_id  = true\n{tags}  endpoints {{\n    ec2 = \"http://localhost:4566\"\n    iam = \"http://localhost:4566\"\n    s3  = \"http://localhost:4566\"\n    sts = \"http://localhost:4566\"\n  }}\n}}\n"
        )
    };
    let main = main
        .replace(
            "#provider default_tags\n",
            &provider(&format!("  default_tags {{\n    tags = {{\n{tags}    }}\n  }}\n")),
        )
        .replace("#provider\n", &provider(""))
        .replace("#tags\n", &format!("locals {{\n  tags = {{\n{tags}  }}\n}}\n"));
    let variables: String = task
        .variables
        .iter()
        .map(|v| {
            let default = if task.defaults {
                format!("  default = {}\n", terraform::functions::json_text(&v.value))
            } else {
                String::new()
            };
            format!("variable \"{}\" {{\n  type    = {}\n{default}}}\n", v.name, v.type_text)
        })
        .collect();
    let outputs = outputs.as_ref().unwrap_or(&sheet.outputs);
    let mut text = format!(
        "```hcl main.tf\n{main}```\n\n```hcl variables.tf\n{variables}```\n\n```hcl outputs.tf\n{outputs}```\n"
    );
    for (old, new) in edits {
        assert!(text.contains(old.as_str()), "{}: the edit does not apply:\n{old}", task.id);
        text = text.replacen(old.as_str(), new, 1);
    }
    text
}

fn what_failed(verdict: &TerraformVerdict) -> Vec<String> {
    let stages = verdict.stages.iter().filter(|s| s.outcome == StageOutcome::Failed).map(|s| s.stage.name().to_owned());
    stages.chain(verdict.checks.iter().filter(|c| !c.passed).map(|c| c.name.clone())).collect()
}

fn errors(verdict: &TerraformVerdict) -> String {
    verdict.stages.iter().flat_map(|s| s.errors.iter().map(move |e| format!("  {}: {e}\n", s.stage.name()))).collect()
}

#[test]
fn every_style_passes_and_every_mutant_fails_where_it_says() {
    let mut wrong = String::new();
    let (mut styles, mut mutants) = (0, 0);
    for task in published() {
        let sheet = sheet(&task.id);
        assert!(sheet.styles.len() >= 3 && sheet.mutants.len() >= 10, "{} has too few cases", task.id);
        for style in sheet.styles.keys() {
            styles += 1;
            let verdict = task.judge(&reply(&task, &sheet, style, &[]));
            if !verdict.passed || verdict.score < 1.0 {
                wrong += &format!("{} {style} should pass:\n{}", task.id, errors(&verdict));
            }
        }
        for mutant in &sheet.mutants {
            mutants += 1;
            let verdict = task.judge(&reply(&task, &sheet, &mutant.of, &mutant.edits));
            if verdict.passed || !what_failed(&verdict).contains(&mutant.breaks) {
                wrong += &format!(
                    "{} {} should break {}, got {:?}:\n{}",
                    task.id,
                    mutant.name,
                    mutant.breaks,
                    what_failed(&verdict),
                    errors(&verdict)
                );
            }
        }
    }
    assert!(wrong.is_empty(), "misjudged:\n{wrong}");
    println!("{styles} styles accepted, {mutants} mutants rejected, none misjudged");
    assert!(styles >= 33 && mutants >= 110, "{styles} styles, {mutants} mutants");
}

#[test]
fn shipped_solutions_pass() {
    for shipped in PUBLISHED {
        let verdict = shipped.task().judge(shipped.solution);
        assert!(verdict.passed, "{}:\n{}", shipped.id, errors(&verdict));
    }
}

#[test]
fn prompts_say_what_is_needed() {
    for task in published() {
        let prompt = task.prompt();
        for variable in &task.variables {
            assert!(prompt.contains(&variable.name), "{}: {}", task.id, variable.name);
        }
        for (output, _) in &task.outputs {
            assert!(prompt.contains(output), "{}: {output}", task.id);
        }
        assert!(prompt.contains("main.tf, variables.tf and outputs.tf"), "{}", task.id);
    }
}
