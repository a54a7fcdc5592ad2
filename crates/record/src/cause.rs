//! The cause of an incident as an answer instead of a text: component, cause and detail, one for each thing that broke.
//!
//! Written `component/cause`, with what is known of it behind: `low` or `high`, a configuration key, an instance.
//! Several are separated by `;`. The causes are those of the catalogue of concepts, the same in every brief.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One answer to the question what broke.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CauseAnswer {
    /// The service at fault.
    pub component: String,
    /// What is wrong there, by its name in the catalogue.
    pub cause: String,
    /// Which way a number is wrong.
    pub direction: Option<Direction>,
    /// The configuration key that it is about.
    pub key: Option<String>,
    /// The instance that it is about.
    pub instance: Option<String>,
}

/// Which way a number is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Too low, small, short or few.
    Low,
    /// Too high, large, long or many.
    High,
}

/// A cause that is asked for beside a task's first one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CauseCard {
    /// The service at fault.
    pub component: String,
    /// What people call it, where the catalogue of components does not know services of its kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Concepts that a right diagnosis names.
    pub concepts: Vec<String>,
}

impl Direction {
    /// Both.
    pub const ALL: [Direction; 2] = [Direction::Low, Direction::High];

    /// In one word.
    pub fn text(self) -> &'static str {
        ["low", "high"][self as usize]
    }

    fn read(text: &str) -> Option<Direction> {
        Direction::ALL.into_iter().find(|one| one.text().eq_ignore_ascii_case(text))
    }
}

impl fmt::Display for CauseAnswer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.component, self.cause)?;
        let direction = self.direction.map(Direction::text);
        for detail in direction.into_iter().chain(self.key.as_deref()).chain(self.instance.as_deref()) {
            write!(out, "/{detail}")?;
        }
        Ok(())
    }
}

/// Several answers as one text.
pub fn causes_text(answers: &[CauseAnswer]) -> String {
    answers.iter().map(CauseAnswer::to_string).collect::<Vec<_>>().join("; ")
}

impl CauseAnswer {
    /// Takes a detail for what it looks like.
    pub(crate) fn add(&mut self, detail: &str) {
        if let Some(direction) = Direction::read(detail) {
            self.direction = Some(direction);
        } else if detail.bytes().any(|b| b.is_ascii_uppercase()) && !detail.bytes().any(|b| b.is_ascii_lowercase()) {
            self.key = Some(detail.to_string());
        } else if !detail.is_empty() {
            self.instance = Some(detail.to_string());
        }
    }
}
