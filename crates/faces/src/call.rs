//! A valid call.

use std::fmt;

use world::Operator;

use crate::args::ToolArgs;
use crate::param::{Param, Writing};
use crate::reply::Reply;
use crate::tool::{Run, Tool};

/// A tool and its arguments, valid in the world it was parsed for.
#[derive(Clone)]
pub struct Call {
    /// The tool.
    pub tool: &'static dyn Tool,
    /// Its arguments.
    pub args: ToolArgs,
}

impl Call {
    /// Does it.
    pub fn run(&self, operator: &mut Operator<'_>) -> Reply {
        match self.tool.run() {
            Run::Look(look) => look(operator.view(), &self.args),
            Run::Act(act) => act(operator, &self.args),
            Run::End(end) => end(&self.args),
        }
    }

    /// Whether it only reads.
    pub fn reads(&self) -> bool {
        matches!(self.tool.run(), Run::Look(_))
    }

    /// The one way to write it: `update_config(cache, TTL_SECONDS, 300)`. Two texts that mean the
    /// same call have the same canonical text, and it parses to the same call again.
    pub fn canonical(&self) -> String {
        let mut out = String::with_capacity(64);
        out.push_str(self.tool.name());
        out.push('(');
        let mut in_place = true;
        let mut first = true;
        for param in self.tool.params() {
            let Some(value) = self.args.get(param.name) else {
                in_place = false;
                continue;
            };
            if !first {
                out.push_str(", ");
            }
            first = false;
            if !in_place || param.kind.writing() == Writing::Prose {
                out.push_str(param.name);
                out.push('=');
            }
            write_value(&mut out, param, value);
        }
        out.push(')');
        out
    }
}

fn write_value(out: &mut String, param: &Param, value: &str) {
    let words = matches!(param.kind.writing(), Writing::Prose | Writing::Words);
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-./".contains(&b);
    if !words && value.bytes().all(plain) {
        out.push_str(value);
        return;
    }
    out.push('"');
    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.canonical())
    }
}

impl PartialEq for Call {
    fn eq(&self, other: &Call) -> bool {
        self.tool.name() == other.tool.name() && self.args == other.args
    }
}
