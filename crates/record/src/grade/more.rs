//! Figures by name, few of them, in little room.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::name::{Name, NamePool};

/// A few figures in the order of their names: as a map in files, as a list in memory, since a run holds one for each
/// of its episodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedFigures(Box<[(Name, f64)]>);

impl NamedFigures {
    /// The figure of a name.
    pub fn get(&self, name: &str) -> Option<f64> {
        let at = self.0.binary_search_by(|(own, _)| own.as_str().cmp(name)).ok()?;
        Some(self.0[at].1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Shares its names with those of other episodes.
    pub(crate) fn share(&mut self, pool: &mut NamePool) {
        self.0.iter_mut().for_each(|(name, _)| pool.share(name));
    }
}

impl FromIterator<(Name, f64)> for NamedFigures {
    /// Of two figures with one name the later counts.
    fn from_iter<I: IntoIterator<Item = (Name, f64)>>(figures: I) -> NamedFigures {
        let mut list: Vec<(Name, f64)> = figures.into_iter().collect();
        list.reverse();
        list.sort_by(|a, b| a.0.cmp(&b.0));
        list.dedup_by(|later, kept| later.0 == kept.0);
        NamedFigures(list.into_boxed_slice())
    }
}

impl Serialize for NamedFigures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for NamedFigures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NamedFigures, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = NamedFigures;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of figures")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NamedFigures, A::Error> {
                let mut list = Vec::new();
                while let Some(one) = map.next_entry()? {
                    list.push(one);
                }
                Ok(list.into_iter().collect())
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_a_sorted_map_in_which_the_later_counts() {
        let figures: NamedFigures = serde_json::from_str(r#"{"b":2.0,"a":1.0,"b":3.0}"#).unwrap();
        assert_eq!(serde_json::to_string(&figures).unwrap(), r#"{"a":1.0,"b":3.0}"#);
        assert_eq!((figures.get("b"), figures.get("c")), (Some(3.0), None));
    }
}
