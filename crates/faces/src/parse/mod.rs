//! From what an agent wrote to a valid [`Call`], or to a sentence that says what would have been right.
//!
//! Two ways of writing are read: call syntax ([`syntax`]) and JSON ([`json`]). Both give a tool and a
//! list of pieces; [`bind`] gives each parameter its piece; [`check`] compares with the world.

mod bind;
mod check;
mod json;
mod syntax;

use std::borrow::Cow;

use world::View;

use crate::call::Call;
use crate::nearest;
use crate::tool::Tool;
use crate::toolset::ToolSet;

/// Longer texts are refused unread.
pub const MAX_CHARS: usize = 20_000;

/// Reads one action. The call is valid in the world of `view`: its service, key and value exist.
/// The error says what was wrong and what would have been right.
pub fn parse(text: &str, set: ToolSet, view: View<'_>) -> Result<Call, String> {
    let text = text.trim();
    let example = || format!("inspect_logs({})", view.services().next().unwrap_or("service"));
    if text.is_empty() {
        return Err(format!("the action is empty; write one tool call, such as {}", example()));
    }
    if text.len() > MAX_CHARS && text.chars().nth(MAX_CHARS).is_some() {
        let long = text.chars().count();
        return Err(format!(
            "the action is {long} characters long and at most {MAX_CHARS} are read; write one tool call, such as {}",
            example()
        ));
    }
    if text.starts_with("```") {
        return Err(format!("write the call alone, without a code fence around it, such as {}", example()));
    }
    let (tool, pieces) = match text.as_bytes()[0] {
        b'{' => json::read(text, set)?,
        b'[' => return Err(ONE_ONLY.to_string() + ": write one JSON object, not a list"),
        _ => syntax::read(text, set)?,
    };
    let values = bind::bind(tool, &pieces, text)?;
    let args = check::check(tool, values, view)?;
    Ok(Call { tool, args })
}

/// How the error for several actions begins.
const ONE_ONLY: &str = "one action at a time";

/// One argument as it was written.
#[derive(Debug)]
struct Piece<'a> {
    /// The name it was given under.
    key: Option<Cow<'a, str>>,
    /// What it says.
    value: Cow<'a, str>,
    /// Where the value stands in the text, if it stands there without quotes.
    bare: Option<(usize, usize)>,
}

/// The tool of that name, or what there is instead.
fn find_tool(name: &str, set: ToolSet) -> Result<&'static dyn Tool, String> {
    set.find(name).ok_or_else(|| {
        let tools = || set.tools().iter().map(|t| t.name());
        let near = nearest::nearest(name, tools()).and_then(|n| set.find(n));
        let hint = near.map_or(String::new(), |t| format!("; did you mean {}?", t.signature()));
        let all: Vec<&str> = set.tools().iter().map(|t| t.signature()).collect();
        let end = if near.is_some() { " The" } else { "; the" };
        format!("there is no tool `{}`{hint}{end} tools are {}", nearest::clip(name), all.join(", "))
    })
}
