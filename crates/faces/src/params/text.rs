//! Text that is taken as it is.

use serde_json::Value;
use world::View;

use crate::param::{Given, Param, ParamKind, Writing, text_schema};

/// A few words to look for.
pub const WORDS: &dyn ParamKind = &Words;
/// Free text for people.
pub const PROSE: &dyn ParamKind = &Prose;

struct Words;

impl ParamKind for Words {
    fn schema(&self, _: &[String]) -> Value {
        text_schema("a few words to look for")
    }

    fn read(&self, _: &Param, text: &str, _: &mut Given<'_>) -> Result<String, String> {
        Ok(text.to_string())
    }

    fn writing(&self) -> Writing {
        Writing::Words
    }

    fn samples(&self, _: View<'_>, _: Option<usize>) -> Vec<String> {
        vec!["e".to_string()]
    }
}

struct Prose;

impl ParamKind for Prose {
    fn schema(&self, _: &[String]) -> Value {
        text_schema("in your own words")
    }

    fn read(&self, _: &Param, text: &str, _: &mut Given<'_>) -> Result<String, String> {
        Ok(text.to_string())
    }

    fn writing(&self) -> Writing {
        Writing::Prose
    }

    fn samples(&self, _: View<'_>, _: Option<usize>) -> Vec<String> {
        vec!["e".to_string()]
    }
}
