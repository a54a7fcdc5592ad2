//! line_format and label_format: templates over labels.

use std::collections::BTreeMap;

use crate::go::template::{Template, TemplateValue};

use super::functions::LogFunctions;

/// A template of a stage.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TemplateStage {
    pub source: String,
    template: Template,
}

impl TemplateStage {
    /// Reads a template; the error is Go's.
    pub fn new(name: &str, source: &str) -> Result<Self, String> {
        let template = Template::parse(name, source, &LogFunctions::default())?;
        Ok(Self { source: source.to_owned(), template })
    }

    /// The text for a line with its labels.
    pub fn text(&self, labels: &BTreeMap<String, String>, line: &str, time: i64) -> Result<String, String> {
        let dot =
            TemplateValue::Map(labels.iter().map(|(n, v)| (n.clone(), TemplateValue::text(v.as_str()))).collect());
        let functions = LogFunctions { line: line.to_owned(), time };
        self.template.run(&dot, &[], &functions)
    }
}
