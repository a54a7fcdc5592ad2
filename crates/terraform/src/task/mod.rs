//! A task: what is asked, and what a reply must bring about.

mod judge;
mod lifecycle;
mod published;
mod read;

use std::collections::BTreeMap;

use crate::config::SourceFiles;
use crate::datum::Constraint;
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;
use crate::syntax::Expr;

pub use judge::{CheckReport, TerraformVerdict};
pub use lifecycle::{LifecycleStage, StageOutcome, StageReport};
pub use published::{PUBLISHED, ShippedTask, published};

/// A request for a configuration, with the requirements that a reply is judged by.
#[derive(Debug, Clone)]
pub struct TerraformTask {
    /// Its name.
    pub id: String,
    /// What is asked, in prose.
    pub request: String,
    /// The variables that the configuration must declare.
    pub variables: Vec<TaskVariable>,
    /// The outputs that it must give: name and meaning.
    pub outputs: Vec<(String, String)>,
    /// The files that the reply must consist of.
    pub files: Vec<String>,
    /// Tags on everything that can carry them.
    pub tags: BTreeMap<String, String>,
    /// Whether every variable must have its value as default.
    pub defaults: bool,
    /// Settings of the provider that the prompt asks for.
    pub provider: String,
    /// The requirements.
    pub requirements: Vec<TaskRequirement>,
}

/// A variable of a task.
#[derive(Debug, Clone)]
pub struct TaskVariable {
    /// Its name.
    pub name: String,
    /// Its type, as written.
    pub type_text: String,
    /// Its type.
    pub takes: Constraint,
    /// What it is for.
    pub about: String,
    /// Its value in the first run.
    pub value: Datum,
    /// Its value in the second run, so that a constant in its place shows.
    pub other: Datum,
}

/// Something that must be true of what was made.
#[derive(Debug, Clone)]
pub struct TaskRequirement {
    /// A short name.
    pub name: String,
    /// What it says.
    pub text: String,
    /// The expression that decides it.
    pub test: Expr,
}

impl TerraformTask {
    /// Reads a task file.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        read::task(text)
    }

    /// What the model is asked.
    pub fn prompt(&self) -> String {
        let mut text = format!("{}\n", self.request.trim());
        if !self.provider.is_empty() {
            text += &format!("\n{}\n", self.provider.trim());
        }
        text += "\nVariables:\n";
        for variable in &self.variables {
            let default = if self.defaults { format!(", default {}", shown(&variable.value)) } else { String::new() };
            text += &format!("- {} ({}{default}): {}\n", variable.name, variable.type_text, variable.about);
        }
        if !self.defaults {
            text += "Their values are given on the command line.\n";
        }
        text += "Other values must work as well: take every value from its variable.\n\nOutputs:\n";
        for (name, about) in &self.outputs {
            text += &format!("- {name}: {about}\n");
        }
        if !self.tags.is_empty() {
            let tags: Vec<String> = self.tags.iter().map(|(k, v)| format!("{k} = {v:?}")).collect();
            text += &format!("\nEvery resource that can carry tags is tagged with {}.\n", tags.join(" and "));
        }
        text += &format!(
            "\nAnswer with {} and nothing else: one code block per file, labelled with the file's name.\n",
            list(&self.files)
        );
        text
    }

    /// Judges a reply: files out of it, then the whole life cycle.
    pub fn judge(&self, reply: &str) -> TerraformVerdict {
        judge::reply(self, reply)
    }

    /// Judges files, as if a reply had brought them.
    pub fn judge_files(&self, files: &SourceFiles) -> TerraformVerdict {
        judge::files(self, files)
    }
}

fn shown(value: &Datum) -> String {
    crate::functions::json_text(value)
}

fn list(names: &[String]) -> String {
    match names {
        [] => "your files".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
