//! Parameters of tools. A kind of parameter says all of itself: its schema, how it is read, what can be given, how
//! it is written. A tool may bring a kind of its own, in its own file.

use serde_json::{Value, json};
use world::{Key, View};

use crate::args::ToolArgs;
use crate::learn::Choices;

/// One parameter of a tool.
#[derive(Clone, Copy)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub kind: &'static dyn ParamKind,
    /// Whether it may be left out.
    pub optional: bool,
}

impl Param {
    /// One that must be given.
    pub const fn needed(name: &'static str, kind: &'static dyn ParamKind) -> Param {
        Param { name, kind, optional: false }
    }

    /// One that may be left out.
    pub const fn optional(name: &'static str, kind: &'static dyn ParamKind) -> Param {
        Param { name, kind, optional: true }
    }
}

/// What a parameter takes.
pub trait ParamKind: Sync {
    /// Its JSON Schema. The services are listed where they are known.
    fn schema(&self, services: &[String]) -> Value;

    /// What was written, as the world spells it; the error says what would have been right. Only text for people
    /// is taken as it is: everything else is checked against the world.
    fn read(&self, param: &Param, text: &str, given: &mut Given<'_>) -> Result<String, String>;

    /// How it is written.
    fn writing(&self) -> Writing {
        Writing::Name
    }

    /// What can be given, as far as it is known before the first look. `service` is the one named before.
    fn options(&self, _view: View<'_>, _service: Option<usize>) -> Vec<String> {
        Vec::new()
    }

    /// Whether it must be given by its name: what stands in order may be text with commas in it.
    fn is_named_only(&self) -> bool {
        false
    }

    /// Whether it may be given as a list or an object of JSON; it is then read from their text.
    fn takes_lists(&self) -> bool {
        false
    }

    /// Whether what can be given depends on the service named before.
    fn is_of_service(&self) -> bool {
        false
    }

    /// Whether it names a service.
    fn is_service(&self) -> bool {
        false
    }

    /// What a check gives that makes every call there is.
    fn samples(&self, view: View<'_>, service: Option<usize>) -> Vec<String> {
        self.options(view, service)
    }

    /// What the answer adds if it is missing.
    fn hint(&self, _view: View<'_>) -> String {
        String::new()
    }

    /// What a learner picks from that acts by numbers; without, it cannot give it.
    fn choices(&self) -> Option<&'static dyn Choices> {
        None
    }
}

/// How the value of a parameter is written in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// A name or a number.
    Name,
    /// A value in which any sign may occur.
    Value,
    /// A few words, in quotes.
    Words,
    /// Text for people, in quotes and by name; it may contain commas.
    Prose,
}

impl Writing {
    /// Whether any text will do, so that `a: b` may be text and no named argument.
    pub(crate) fn is_free(self) -> bool {
        self != Writing::Name
    }
}

/// What the arguments before this one named.
pub struct Given<'w> {
    /// The world that the call is read for.
    pub view: View<'w>,
    /// The arguments before.
    pub args: ToolArgs,
    /// The configuration key among them.
    pub key: Option<&'static Key>,
}

/// What can be given for a parameter, for forms and completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParamOptions {
    /// Nothing is known before the first look, or any text will do.
    Any,
    /// One of these.
    These(Vec<String>),
    /// One of these, by the position of the service named before.
    OfService(Vec<Vec<String>>),
}

impl ParamOptions {
    /// What can be given for a parameter in the world of `view`.
    pub fn of(param: &Param, view: View<'_>) -> ParamOptions {
        if param.kind.is_of_service() {
            let services = 0..view.services().len();
            return ParamOptions::OfService(services.map(|at| param.kind.options(view, Some(at))).collect());
        }
        let all = param.kind.options(view, None);
        if all.is_empty() { ParamOptions::Any } else { ParamOptions::These(all) }
    }
}

/// A text with that description, as JSON Schema.
pub(crate) fn text_schema(about: &str) -> Value {
    json!({ "type": "string", "description": about })
}
