//! A run in parts, for several machines.

use serde::{Deserialize, Serialize};

/// One of several equal parts of a sweep, for several machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Which part, from 1.
    pub index: usize,
    /// Of how many.
    pub of: usize,
}

impl Shard {
    /// Whether the job with this number is in it.
    pub fn has(self, number: usize) -> bool {
        number % self.of == self.index - 1
    }
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((index, of)) if (1..=of).contains(&index) => Ok(Shard { index, of }),
            _ => Err(format!("a shard is written i/n with i from 1 to n, such as 2/8; got `{text}`")),
        }
    }
}
