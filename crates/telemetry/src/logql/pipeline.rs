//! A line on its way through the stages.

use std::collections::BTreeMap;

use crate::labels::Labels;

use super::ast::{Extraction, LabelFormat, Stage, Unit, Unwrap};
use super::extract::{Found, json_fields, json_path, logfmt_fields, unpacked};
use super::filters::{Verdict, label_passes, line_passes, read};

/// The label that says what went wrong with a line, and the one with details.
pub(crate) const ERROR: &str = "__error__";
pub(crate) const ERROR_DETAILS: &str = "__error_details__";

/// A line with its labels as they are by now.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Nanoseconds.
    pub time: i64,
    pub line: String,
    pub labels: BTreeMap<String, String>,
    /// The names of the labels that the stream has, which parsers do not replace.
    fixed: Vec<String>,
}

impl Entry {
    pub fn new(time: i64, line: &str, stream: &Labels, metadata: &[(String, String)]) -> Self {
        let mut labels: BTreeMap<String, String> = stream.iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
        let fixed = labels.keys().cloned().collect();
        labels.extend(metadata.iter().cloned());
        Self { time, line: line.to_owned(), labels, fixed }
    }

    pub fn labels(&self) -> Labels {
        Labels::new(self.labels.iter().map(|(n, v)| (n.as_str(), v.as_str())))
    }

    fn fail(&mut self, kind: &str, details: impl Into<String>) {
        self.labels.insert(ERROR.to_owned(), kind.to_owned());
        self.labels.insert(ERROR_DETAILS.to_owned(), details.into());
    }

    fn failed(&self) -> bool {
        self.labels.get(ERROR).is_some_and(|e| !e.is_empty())
    }

    fn extracted(&mut self, found: Vec<Found>) {
        for (name, value) in found {
            let name = if self.fixed.contains(&name) { format!("{name}_extracted") } else { name };
            self.labels.insert(name, value);
        }
    }

    /// Runs all stages; whether the line is kept.
    pub fn run(&mut self, stages: &[Stage]) -> bool {
        stages.iter().all(|stage| self.stage(stage))
    }

    fn stage(&mut self, stage: &Stage) -> bool {
        match stage {
            Stage::Lines(alternatives) => return line_passes(alternatives, &self.line),
            Stage::Filter(filter) => {
                let verdict = {
                    let get = |name: &str| self.labels.get(name).cloned().unwrap_or_default();
                    label_passes(filter, &get, self.failed())
                };
                match verdict {
                    Verdict::Pass => {}
                    Verdict::Stop => return false,
                    Verdict::Unreadable(why) => self.fail("LabelFilterErr", why),
                }
            }
            Stage::Json(fields) if fields.is_empty() => match json_fields(&self.line) {
                Ok(found) => self.extracted(found),
                Err(why) => self.fail("JSONParserErr", why),
            },
            Stage::Json(fields) => self.json_paths(fields),
            Stage::Logfmt { strict, keep_empty, fields } => self.logfmt(*strict, *keep_empty, fields),
            Stage::Pattern(pattern) => self.extracted(pattern.captures(&self.line)),
            Stage::Regexp(regexp) => {
                let compiled = regexp.compiled();
                if let Some(captures) = compiled.captures(&self.line) {
                    let named = compiled.capture_names().flatten();
                    let found =
                        named.filter_map(|n| Some((n.to_owned(), captures.name(n)?.as_str().to_owned()))).collect();
                    self.extracted(found);
                }
            }
            Stage::Unpack => match unpacked(&self.line) {
                Ok((found, entry)) => {
                    self.extracted(found);
                    if let Some(entry) = entry {
                        self.line = entry;
                    }
                }
                Err(why) => self.fail("JSONParserErr", why),
            },
            Stage::LineFormat(template) => match template.text(&self.labels, &self.line, self.time) {
                Ok(text) => self.line = text,
                Err(why) => self.fail("TemplateFormatErr", why),
            },
            Stage::LabelFormat(formats) => self.label_format(formats),
            Stage::Decolorize => self.line = decolorized(&self.line),
            Stage::Drop(choices) => {
                for choice in choices {
                    let fits = |value: &String| choice.matcher.as_ref().is_none_or(|(_, m)| m.matches(value));
                    if self.labels.get(&choice.name).is_some_and(fits) {
                        self.labels.remove(&choice.name);
                    }
                }
            }
            Stage::Keep(choices) => self.labels.retain(|name, value| {
                name.starts_with("__error")
                    || choices
                        .iter()
                        .any(|c| c.name == *name && c.matcher.as_ref().is_none_or(|(_, m)| m.matches(value)))
            }),
            // It gives a value and leaves the line alone.
            Stage::Unwrap(_) => {}
        }
        true
    }

    fn json_paths(&mut self, fields: &[Extraction]) {
        let mut found = Vec::new();
        for field in fields {
            match json_path(&self.line, &field.path) {
                Ok(value) => found.push((field.label.clone(), value)),
                Err(why) => return self.fail("JSONParserErr", why),
            }
        }
        self.extracted(found);
    }

    fn logfmt(&mut self, strict: bool, keep_empty: bool, fields: &[Extraction]) {
        let (found, error) = logfmt_fields(&self.line, keep_empty);
        if let (true, Some(why)) = (strict, &error) {
            return self.fail("LogfmtParserErr", why.clone());
        }
        if fields.is_empty() {
            return self.extracted(found);
        }
        let picked = fields
            .iter()
            .filter_map(|f| {
                let value = found.iter().find(|(name, _)| *name == f.path).map(|(_, v)| v.clone());
                Some((f.label.clone(), value.or_else(|| keep_empty.then(String::new))?))
            })
            .collect();
        self.extracted(picked);
    }

    fn label_format(&mut self, formats: &[LabelFormat]) {
        for format in formats {
            match format {
                LabelFormat::Rename { target, source } => {
                    if let Some(value) = self.labels.remove(source) {
                        self.labels.insert(target.clone(), value);
                    }
                }
                LabelFormat::Set { target, template } => match template.text(&self.labels, &self.line, self.time) {
                    Ok(text) => {
                        self.labels.insert(target.clone(), text);
                    }
                    Err(why) => self.fail("TemplateFormatErr", why),
                },
            }
        }
    }

    /// The value that an unwrap finds; none where the label is missing or a filter stops the line.
    pub fn unwrapped(&mut self, unwrap: &Unwrap) -> Option<f64> {
        let text = self.labels.get(&unwrap.label).filter(|t| !t.is_empty())?.clone();
        let unit = match unwrap.conversion.as_deref() {
            None => Unit::Plain,
            Some("bytes") => Unit::Bytes,
            Some(_) => Unit::Duration,
        };
        let value = match read(&text, unit) {
            Ok(value) => {
                self.labels.remove(&unwrap.label);
                value
            }
            Err(why) => {
                self.fail("SampleExtractionErr", why);
                0.0
            }
        };
        let filters: Vec<Stage> = unwrap.filters.iter().cloned().map(Stage::Filter).collect();
        self.run(&filters).then_some(value)
    }
}

/// Without the escapes that colour a terminal.
fn decolorized(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('\u{1b}') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(codes) = rest.strip_prefix('[') {
            let end = codes.find(|c: char| c.is_ascii_alphabetic()).map_or(codes.len(), |i| i + 1);
            rest = &codes[end..];
        }
    }
    out.push_str(rest);
    out
}
