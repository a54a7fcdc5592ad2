//! A task being put together.

use std::collections::BTreeMap;

use super::TaskMutant;
use crate::config::SourceFiles;
use crate::datum::Constraint;
use crate::draws::SeededDraws;
use crate::eval::constant;
use crate::functions::json_text;
use crate::syntax::parse_expression;
use crate::task::{TaskRequirement, TaskVariable, TerraformTask};

/// Local names stand as `§name` in the text, so that a rewrite can choose others.
const MARK: char = '\u{a7}';

/// What a part adds to.
#[derive(Debug, Clone, Default)]
pub(super) struct TaskSketch {
    intro: String,
    blocks: Vec<String>,
    variables: Vec<TaskVariable>,
    outputs: Vec<(String, String, String)>,
    requirements: Vec<TaskRequirement>,
    mutants: Vec<TaskMutant>,
    tags: BTreeMap<String, String>,
}

/// Edits as parts write them: old text, new text.
pub(super) type Edits<'a> = &'a [(&'a str, &'a str)];

impl TaskSketch {
    /// The first sentence.
    pub(super) fn intro(&mut self, text: &str) {
        text.clone_into(&mut self.intro);
    }

    /// One or more blocks of configuration.
    pub(super) fn add(&mut self, text: &str) {
        self.blocks.push(format!("{}\n", text.trim()));
    }

    /// A variable; the values are expressions.
    pub(super) fn variable(&mut self, name: &str, type_text: &str, value: &str, other: &str, about: &str) {
        let read = |text: &str| parse_expression(text).and_then(|e| constant(&e)).expect("values are written by us");
        let takes = parse_expression(type_text).and_then(|e| Constraint::read(&e)).expect("types are written by us");
        let convert = |text: &str| takes.convert(read(text)).expect("values fit their types");
        self.variables.push(TaskVariable {
            name: name.to_owned(),
            type_text: type_text.to_owned(),
            about: about.to_owned(),
            value: convert(value),
            other: convert(other),
            takes: takes.clone(),
        });
    }

    /// A result that is asked for.
    pub(super) fn output(&mut self, name: &str, about: &str, value: &str) {
        self.outputs.push((name.to_owned(), about.to_owned(), value.to_owned()));
    }

    /// A requirement, with an edit of the reference that breaks it and nothing before it.
    pub(super) fn require(&mut self, name: &str, text: &str, test: &str, how: &str, edits: Edits) {
        let test = parse_expression(test).unwrap_or_else(|e| panic!("{name}: {e}: {test}"));
        self.requirements.push(TaskRequirement { name: name.to_owned(), text: text.to_owned(), test });
        self.mutant(name, name, how, edits);
    }

    /// Another way to get something wrong.
    pub(super) fn mutant(&mut self, name: &str, breaks: &str, how: &str, edits: Edits) {
        let edits = edits.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect();
        let taken = self.mutants.iter().filter(|m| m.name.trim_end_matches(char::is_numeric) == name).count();
        let name = if taken == 0 { name.to_owned() } else { format!("{name}{}", taken + 1) };
        self.mutants.push(TaskMutant { name, breaks: breaks.to_owned(), how: how.to_owned(), edits });
    }

    /// Tags on everything.
    pub(super) fn tags(&mut self, tags: &[(&str, &str)]) {
        self.tags = tags.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    }

    pub(super) fn mutants(&self) -> &[TaskMutant] {
        &self.mutants
    }

    /// Adds the ways of getting it wrong that every task has.
    pub(super) fn finish(&mut self, draws: &mut SeededDraws) {
        let text = self.blocks.concat();
        for variable in &self.variables {
            let used = format!("var.{}", variable.name);
            let fixed = variable.value != variable.other
                && !matches!(variable.name.as_str(), "region" | "project" | "location");
            if fixed && text.matches(&used).count() == 1 {
                let edit = (used, json_text(&variable.value));
                let how = format!("the value of {} is written as a constant", variable.name);
                self.mutants.push(TaskMutant {
                    name: format!("constant_{}", variable.name),
                    breaks: "variables".to_owned(),
                    how,
                    edits: vec![edit],
                });
            }
        }
        if let Some((name, ..)) = self.outputs.first() {
            let edit = (format!("output \"{name}\""), format!("output \"{name}_value\""));
            let how = format!("the output {name} has another name");
            self.mutants.push(TaskMutant {
                name: "renamed_output".to_owned(),
                breaks: "outputs".to_owned(),
                how,
                edits: vec![edit],
            });
        }
        self.misspelt(draws);
    }

    /// An argument that does not exist, or a block that does not.
    fn misspelt(&mut self, draws: &mut SeededDraws) {
        let heads = self.blocks.iter().flat_map(|b| b.lines()).filter(|l| l.starts_with("resource "));
        let heads: Vec<String> = heads.map(str::to_owned).collect();
        let head = draws.pick(&heads).clone();
        let (how, new) = if draws.chance(50) {
            ("an argument does not exist", format!("{head}\n  enable_everything = true"))
        } else {
            ("a kind of block does not exist", head.replacen("resource", "resourc", 1))
        };
        let edits = vec![(head, new)];
        let (name, breaks) = ("misspelt".to_owned(), "VALIDATE".to_owned());
        self.mutants.push(TaskMutant { name, breaks, how: how.to_owned(), edits });
    }

    pub(super) fn task(&self, id: &str) -> TerraformTask {
        let points: String = self.requirements.iter().map(|r| format!("- {}\n", r.text)).collect();
        TerraformTask {
            id: id.to_owned(),
            request: format!("{}\n\n{points}", self.intro),
            variables: self.variables.clone(),
            outputs: self.outputs.iter().map(|(name, about, _)| (name.clone(), about.clone())).collect(),
            files: ["main.tf", "variables.tf", "outputs.tf"].map(str::to_owned).to_vec(),
            tags: self.tags.clone(),
            defaults: true,
            provider: String::new(),
            requirements: self.requirements.clone(),
        }
    }

    pub(super) fn files(&self, edits: &[(String, String)], style: Option<u64>) -> SourceFiles {
        self.try_files(edits, style).expect("an edit of its own applies")
    }

    /// The files with edits; none where an edit finds its text changed already.
    pub(super) fn try_files(&self, edits: &[(String, String)], style: Option<u64>) -> Option<SourceFiles> {
        let outputs = self.outputs.iter().map(|(n, _, value)| format!("output \"{n}\" {{\n  value = {value}\n}}\n"));
        let variables = self.variables.iter().map(|v| {
            format!(
                "variable \"{}\" {{\n  type    = {}\n  default = {}\n}}\n",
                v.name,
                v.type_text,
                json_text(&v.value)
            )
        });
        let mut blocks = self.blocks.clone();
        let mut outputs: Vec<String> = outputs.collect();
        for (old, new) in edits {
            let home = blocks.iter_mut().chain(&mut outputs).find(|text| text.contains(old.as_str()))?;
            *home = home.replacen(old.as_str(), new, 1);
        }
        if let Some(style) = style {
            let mut draws = SeededDraws::new(style, "style");
            draws.shuffle(&mut blocks);
            draws.shuffle(&mut outputs);
        }
        let name = |text: String| local_names(&text, style);
        let blocks: Vec<String> = blocks.into_iter().filter(|b| !b.trim().is_empty()).collect();
        Some(SourceFiles::from([
            ("main.tf".to_owned(), name(blocks.join("\n"))),
            ("variables.tf".to_owned(), variables.collect::<Vec<_>>().join("\n")),
            ("outputs.tf".to_owned(), name(outputs.join("\n"))),
        ]))
    }
}

/// Replaces marked names: by themselves, or in a rewrite by names with another ending.
fn local_names(text: &str, style: Option<u64>) -> String {
    const ENDINGS: &[&str] = &["_main", "_this", "_a", "_core", "_01", "_x", "_default"];
    let ending: &str = style.map_or("", |s| *SeededDraws::new(s, "names").pick::<&str>(ENDINGS));
    let mut made = String::with_capacity(text.len());
    let mut parts = text.split(MARK);
    made.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = part.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(part.len());
        made.push_str(&part[..end]);
        made.push_str(ending);
        made.push_str(&part[end..]);
    }
    made
}
