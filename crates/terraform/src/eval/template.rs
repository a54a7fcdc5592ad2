//! Templates: text with values, conditions and loops in it.

use super::{Evaluator, NameSource, pairs};
use crate::datum::Constraint;
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;
use crate::syntax::{TemplatePart, parse_template};

impl Evaluator<'_> {
    pub(super) fn template(&mut self, parts: &[TemplatePart]) -> Result<Datum, Diagnostic> {
        let mut text = String::new();
        let known = self.render(parts, &mut text)?;
        Ok(if known { Datum::Text(text) } else { Datum::Unknown(Constraint::Text) })
    }

    /// Appends the parts; says whether all of them were known.
    fn render(&mut self, parts: &[TemplatePart], text: &mut String) -> Result<bool, Diagnostic> {
        let mut known = true;
        for part in parts {
            let before = text.len();
            match part {
                TemplatePart::Text(literal) => text.push_str(literal),
                TemplatePart::Interpolation(expr) => match Constraint::Text.convert(self.eval(expr)?) {
                    Ok(Datum::Text(value)) => text.push_str(&value),
                    Ok(Datum::Unknown(_)) => known = false,
                    Ok(_) => {
                        return Err(invalid(
                            "The expression result is null. Cannot include a null value in a string template.",
                        )
                        .at(expr.line));
                    }
                    Err(why) => {
                        return Err(invalid(&format!("Cannot include the given value in a string template: {why}."))
                            .at(expr.line));
                    }
                },
                TemplatePart::If { test, yes, no } => match Constraint::Bool.convert(self.eval(test)?) {
                    Ok(Datum::Bool(chosen)) => known &= self.render(if chosen { yes } else { no }, text)?,
                    Ok(Datum::Unknown(_)) => known = false,
                    _ => return Err(invalid("The condition of an if directive must be true or false.").at(test.line)),
                },
                TemplatePart::For { key_name, value_name, collection, body } => {
                    let Some(entries) = pairs(self.eval(collection)?)? else {
                        known = false;
                        continue;
                    };
                    for (key, value) in entries {
                        if let Some(name) = key_name {
                            self.bind(name.clone(), key);
                        }
                        self.bind(value_name.clone(), value);
                        let made = self.render(body, text);
                        self.unbind();
                        if key_name.is_some() {
                            self.unbind();
                        }
                        known &= made?;
                    }
                }
            }
            self.spend(1 + (text.len() - before) as u64 / 32)?;
        }
        Ok(known)
    }

    /// `templatefile(path, vars)`: the file's text with only these names.
    pub(super) fn template_file(&mut self, args: &[Datum]) -> Result<Datum, Diagnostic> {
        let failed = |why: String| {
            Diagnostic::new("Error in function call", format!("Call to function \"templatefile\" failed: {why}."))
        };
        let [path, vars] = args else {
            return Err(failed("it takes a path and a map of variables".to_owned()));
        };
        if args.iter().any(Datum::has_unknown) {
            return Ok(Datum::Unknown(Constraint::Text));
        }
        let path = path.as_text().ok_or_else(|| failed("the path must be a string".to_owned()))?;
        let text = self.host.file(path).ok_or_else(|| failed(format!("no file exists at {path:?}")))?;
        let parsed = parse_template(text)?;
        let names = TemplateValues(vars);
        let mut inner = Evaluator::new(&names, self.host, self.fuel);
        let made = inner.eval(&parsed)?;
        Constraint::Text.convert(made).map_err(failed)
    }
}

/// The names that a template file is given.
struct TemplateValues<'a>(&'a Datum);

impl NameSource for TemplateValues<'_> {
    fn resolve(&self, root: &str, _: &[&str]) -> Result<(Datum, usize), Diagnostic> {
        let value = self.0.as_map().and_then(|m| m.get(root));
        let missing =
            || Diagnostic::new("Invalid function argument", format!("vars map does not contain key {root:?}."));
        value.map(|v| (v.clone(), 0)).ok_or_else(missing)
    }

    /// A template that reads templates could read itself.
    fn question(&self, name: &str, _: &[Datum]) -> Option<Result<Datum, String>> {
        (name == "templatefile").then(|| Err("it cannot be called from inside a template".to_owned()))
    }
}

fn invalid(detail: &str) -> Diagnostic {
    Diagnostic::new("Invalid template interpolation value", detail)
}
