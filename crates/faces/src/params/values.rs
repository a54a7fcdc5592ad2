//! Numbers and levels.

use serde_json::{Value, json};
use world::View;
use world::services::Level;

use crate::learn::{Choices, SHOWN_CHANGE};
use crate::nearest::clip;
use crate::param::{Given, Param, ParamKind};

/// The number of a change.
pub const CHANGE: &dyn ParamKind = &ChangeId;
/// A log level.
pub const LEVEL: &dyn ParamKind = &LogLevel;

struct ChangeId;

impl ParamKind for ChangeId {
    fn schema(&self, _: &[String]) -> Value {
        json!({ "type": ["integer", "string"], "description": "the number of a change" })
    }

    fn read(&self, _: &Param, text: &str, given: &mut Given<'_>) -> Result<String, String> {
        let id = text.trim_start_matches('#').parse::<u32>().ok();
        let all = || given.view.changes();
        let found = all().find(|c| Some(c.id) == id);
        found.map(|c| c.id.to_string()).ok_or_else(|| {
            let known: Vec<String> = all().rev().take(12).map(|c| c.id.to_string()).collect();
            let known =
                if known.is_empty() { "there are none".into() } else { format!("the latest are {}", known.join(", ")) };
            format!("there is no change `{}`; {known}", clip(text))
        })
    }

    fn samples(&self, view: View<'_>, _: Option<usize>) -> Vec<String> {
        view.changes().map(|c| c.id.to_string()).collect()
    }

    fn choices(&self) -> Option<&'static dyn Choices> {
        Some(SHOWN_CHANGE)
    }
}

struct LogLevel;

const LEVELS: [&str; 3] = ["info", "warn", "error"];

impl ParamKind for LogLevel {
    fn schema(&self, _: &[String]) -> Value {
        json!({ "type": "string", "description": "a log level", "enum": LEVELS })
    }

    fn read(&self, param: &Param, text: &str, _: &mut Given<'_>) -> Result<String, String> {
        let wrong = || format!("{} takes info, warn or error; got `{}`", param.name, clip(text));
        Ok(read_level(text).ok_or_else(wrong)?.text().to_ascii_lowercase())
    }

    fn options(&self, _: View<'_>, _: Option<usize>) -> Vec<String> {
        LEVELS.map(str::to_string).to_vec()
    }

    fn samples(&self, _: View<'_>, _: Option<usize>) -> Vec<String> {
        vec![LEVELS[0].to_string()]
    }
}

/// The level of that name, in any case of letters.
pub(crate) fn read_level(text: &str) -> Option<Level> {
    let text = if text.eq_ignore_ascii_case("warning") { "warn" } else { text };
    [Level::Info, Level::Warn, Level::Error].into_iter().find(|l| l.text().eq_ignore_ascii_case(text))
}

/// A whole number within bounds, both included.
pub struct Whole {
    /// The least.
    pub min: u64,
    /// The most.
    pub max: u64,
}

impl ParamKind for Whole {
    fn schema(&self, _: &[String]) -> Value {
        json!({ "type": "integer", "minimum": self.min, "maximum": self.max })
    }

    fn read(&self, param: &Param, text: &str, _: &mut Given<'_>) -> Result<String, String> {
        let Whole { min, max } = self;
        let number = text.parse::<u64>().ok().filter(|n| (min..=max).contains(&n));
        let wrong = || format!("{} takes a whole number from {min} to {max}; got `{}`", param.name, clip(text));
        number.map(|n| n.to_string()).ok_or_else(wrong)
    }

    fn samples(&self, _: View<'_>, _: Option<usize>) -> Vec<String> {
        vec![self.min.to_string()]
    }
}
