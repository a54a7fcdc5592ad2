//! Compares arguments with the world: each kind of parameter reads its own.

use world::View;

use crate::args::ToolArgs;
use crate::param::{Given, Param};
use crate::tool::Tool;

use super::bind::GivenValues;

/// Arguments as the world spells them.
pub(super) fn check(tool: &'static dyn Tool, values: GivenValues<'_>, view: View<'_>) -> Result<ToolArgs, String> {
    let mut given = Given { view, args: ToolArgs::default(), key: None };
    given.args.given.reserve(values.len());
    for (param, value) in tool.params().iter().zip(values) {
        match value {
            Some(text) => {
                let value = param.kind.read(param, text.trim(), &mut given)?;
                given.args.given.push((param.name, value));
            }
            None if param.optional => {}
            None => return Err(missing(tool, param, view)),
        }
    }
    Ok(given.args)
}

fn missing(tool: &'static dyn Tool, param: &Param, view: View<'_>) -> String {
    format!("`{}` is missing; write {}{}", param.name, tool.signature(), param.kind.hint(view))
}
