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
        // Some schedulers count from 0, and their arguments cannot add.
        let (first, rest) = text.strip_prefix("index:").map_or((1, text), |rest| (0, rest));
        let parts = rest.split_once('/').and_then(|(i, n)| Some((i.parse::<usize>().ok()?, n.parse::<usize>().ok()?)));
        let counted = parts.and_then(|(index, of)| Some((index.checked_add(1 - first)?, of)));
        match counted {
            Some((index, of)) if (1..=of).contains(&index) => Ok(Shard { index, of }),
            _ => Err(format!(
                "a shard is written i/n with i from 1 to n, such as 2/8, or index:i/n with i from 0; got `{text}`"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_counted_from_one_or_as_an_index() {
        let check = |text: &str, expect: Option<(usize, usize)>| {
            assert_eq!(text.parse::<Shard>().ok().map(|shard| (shard.index, shard.of)), expect, "{text}");
        };
        check("1/8", Some((1, 8)));
        check("8/8", Some((8, 8)));
        check("index:0/8", Some((1, 8)));
        check("index:7/8", Some((8, 8)));
        for wrong in ["0/8", "9/8", "index:8/8", "index:-1/8", "index:18446744073709551615/8", "1", "", "1/", "index:"]
        {
            check(wrong, None);
        }
    }
}
