//! Reads task files. They are written in the language that they are about.

use std::collections::BTreeMap;

use super::{TaskRequirement, TaskVariable, TerraformTask};
use crate::datum::Constraint;
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;
use crate::eval::constant;
use crate::syntax::{Body, ConfigBlock, parse, parse_expression};

pub(super) fn task(text: &str) -> Result<TerraformTask, Diagnostic> {
    let body = parse("task", text)?;
    let value = |name: &str| body.setting(name).map(constant).transpose();
    let string =
        |name: &str| Ok::<_, Diagnostic>(value(name)?.and_then(|v| v.as_text().map(str::to_owned)).unwrap_or_default());
    let files = value("files")?.unwrap_or_else(|| Datum::texts(["main.tf", "variables.tf", "outputs.tf"]));
    let tags = value("tags")?.unwrap_or(Datum::Null);
    let made = TerraformTask {
        id: string("id")?,
        request: string("request")?,
        provider: string("provider")?,
        variables: body.blocks_of("variable").map(variable).collect::<Result<_, _>>()?,
        outputs: body.blocks_of("output").map(output).collect::<Result<_, _>>()?,
        files: files.as_items().unwrap_or_default().iter().filter_map(Datum::as_text).map(str::to_owned).collect(),
        tags: texts(&tags),
        defaults: value("defaults")?.and_then(|v| v.as_bool()).unwrap_or(true),
        requirements: body.blocks_of("require").map(requirement).collect::<Result<_, _>>()?,
    };
    whole(&made, &body)?;
    Ok(made)
}

fn whole(task: &TerraformTask, body: &Body) -> Result<(), Diagnostic> {
    let known = ["id", "request", "provider", "files", "tags", "defaults"];
    if let Some(odd) = body.settings.iter().find(|s| !known.contains(&s.name.as_str())) {
        return Err(Diagnostic::new("Unsupported argument", format!("A task has no {:?}.", odd.name)).at(odd.line));
    }
    if task.id.is_empty() || task.request.is_empty() || task.requirements.is_empty() {
        return Err(Diagnostic::new("Incomplete task", "A task needs an id, a request and requirements."));
    }
    Ok(())
}

fn label(block: &ConfigBlock) -> Result<String, Diagnostic> {
    block
        .labels
        .first()
        .cloned()
        .ok_or_else(|| Diagnostic::new("Missing name for block", "A name is needed.").at(block.line))
}

fn texts(value: &Datum) -> BTreeMap<String, String> {
    value.as_map().into_iter().flatten().filter_map(|(k, v)| Some((k.clone(), v.as_text()?.to_owned()))).collect()
}

fn missing(block: &ConfigBlock, name: &str) -> Diagnostic {
    Diagnostic::new("Missing required argument", format!("{} needs {name:?}.", block.kind)).at(block.line)
}

fn variable(block: &ConfigBlock) -> Result<TaskVariable, Diagnostic> {
    let text = |name: &str| block.body.text(name).map(str::to_owned).ok_or_else(|| missing(block, name));
    let type_text = text("type")?;
    let takes = Constraint::read(&parse_expression(&type_text)?)?;
    let value = constant(block.body.setting("value").ok_or_else(|| missing(block, "value"))?)?;
    let other = block.body.setting("other").map(constant).transpose()?.unwrap_or_else(|| value.clone());
    let convert = |v: Datum| takes.convert(v).map_err(|why| Diagnostic::new("Invalid value", why).at(block.line));
    Ok(TaskVariable {
        name: label(block)?,
        about: text("about")?,
        value: convert(value)?,
        other: convert(other)?,
        type_text,
        takes: takes.clone(),
    })
}

fn output(block: &ConfigBlock) -> Result<(String, String), Diagnostic> {
    let about = block.body.text("about").ok_or_else(|| missing(block, "about"))?;
    Ok((label(block)?, about.to_owned()))
}

fn requirement(block: &ConfigBlock) -> Result<TaskRequirement, Diagnostic> {
    let text = block.body.text("text").ok_or_else(|| missing(block, "text"))?;
    let test = block.body.setting("test").ok_or_else(|| missing(block, "test"))?;
    Ok(TaskRequirement { name: label(block)?, text: text.to_owned(), test: test.clone() })
}
