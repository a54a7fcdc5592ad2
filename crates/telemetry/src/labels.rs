//! Label sets: what names a series, a log stream or an alert.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use crate::go::quote;

/// The label that holds a metric's name.
pub const METRIC_NAME: &str = "__name__";

/// Labels that describe the metric itself, so that they go when its name goes.
pub(crate) fn is_about_the_metric(name: &str) -> bool {
    matches!(name, METRIC_NAME | "__type__" | "__unit__")
}

/// Pairs of name and value, sorted by name, each name once, no value empty: an empty value is a label that is not there.
/// Shared behind one pointer, because every sample of a result carries its labels.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Labels(Arc<[(Arc<str>, Arc<str>)]>);

impl Default for Labels {
    fn default() -> Self {
        Self(Arc::from([]))
    }
}

impl Labels {
    /// Labels from pairs in any order; of a name that is given twice the last one counts.
    pub fn new<N: Into<Arc<str>>, V: Into<Arc<str>>>(pairs: impl IntoIterator<Item = (N, V)>) -> Self {
        let mut editor = LabelsEditor::default();
        for (name, value) in pairs {
            editor.set(name, value);
        }
        editor.finish()
    }

    /// The value of a label, empty where there is none.
    pub fn get(&self, name: &str) -> &str {
        self.find(name).unwrap_or("")
    }

    /// The value of a label that is there.
    pub fn find(&self, name: &str) -> Option<&str> {
        // Label sets are short: a scan beats a search.
        self.0.iter().find(|(n, _)| &**n == name).map(|(_, v)| &**v)
    }

    /// The metric's name, empty where it was dropped.
    pub fn metric_name(&self) -> &str {
        self.get(METRIC_NAME)
    }

    /// All pairs, sorted by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0.iter().map(|(n, v)| (&**n, &**v))
    }

    /// The pairs as they are shared.
    pub(crate) fn shared(&self) -> &[(Arc<str>, Arc<str>)] {
        &self.0
    }

    /// How many labels there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no label.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Only the labels for which `keep` holds.
    pub fn filtered(&self, keep: impl Fn(&str) -> bool) -> Self {
        if self.0.iter().all(|(n, _)| keep(n)) {
            return self.clone();
        }
        Self(self.0.iter().filter(|(n, _)| keep(n)).cloned().collect())
    }

    /// Without the metric's name and what else describes the metric.
    pub fn without_name(&self) -> Self {
        self.filtered(|name| !is_about_the_metric(name))
    }

    /// An editor that starts from these labels.
    pub fn edit(&self) -> LabelsEditor {
        LabelsEditor { pairs: self.0.to_vec() }
    }

    /// FNV-1a over names and values, which Alertmanager prints as an alert's fingerprint.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = Fnv::default();
        for (name, value) in self.iter() {
            hash.add(name.as_bytes());
            hash.add(&[0xff]);
            hash.add(value.as_bytes());
            hash.add(&[0xff]);
        }
        hash.0
    }

    /// The hash by which `limit_ratio` chooses: XXH64 over lengths and texts, as Prometheus stores labels.
    pub(crate) fn stable_hash(&self) -> u64 {
        let mut data = Vec::new();
        for (name, value) in self.iter() {
            for text in [name, value] {
                match text.len() {
                    short @ 0..255 => data.push(short as u8),
                    long => data.extend([255, long as u8, (long >> 8) as u8, (long >> 16) as u8]),
                }
                data.extend_from_slice(text.as_bytes());
            }
        }
        crate::go::xxhash::sum64(&data)
    }

    /// As error texts print a label set: `{a="b", c="d"}`.
    pub fn in_braces(&self) -> String {
        let mut out = String::from("{");
        for (i, (name, value)) in self.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            let _ = write!(out, "{}={}", quoted_unless_plain(name), quote(value));
        }
        out.push('}');
        out
    }
}

/// A label name as Prometheus prints it: quoted where it is not of the classic form.
pub(crate) fn quoted_unless_plain(name: &str) -> String {
    if is_plain_name(name) { name.to_owned() } else { quote(name) }
}

/// `[a-zA-Z_][a-zA-Z0-9_]*`
pub(crate) fn is_plain_name(name: &str) -> bool {
    let mut chars = name.bytes();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == b'_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == b'_')
}

impl fmt::Debug for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_braces())
    }
}

/// Labels while they are being changed.
#[derive(Clone, Default, Debug)]
pub struct LabelsEditor {
    pairs: Vec<(Arc<str>, Arc<str>)>,
}

impl LabelsEditor {
    /// Sets a label; an empty value removes it.
    pub fn set(&mut self, name: impl Into<Arc<str>>, value: impl Into<Arc<str>>) {
        let (name, value) = (name.into(), value.into());
        let place = self.pairs.binary_search_by(|(n, _)| (**n).cmp(&name));
        match (place, value.is_empty()) {
            (Ok(at), true) => drop(self.pairs.remove(at)),
            (Ok(at), false) => self.pairs[at].1 = value,
            (Err(_), true) => {}
            (Err(at), false) => self.pairs.insert(at, (name, value)),
        }
    }

    /// Removes a label.
    pub fn remove(&mut self, name: &str) {
        self.pairs.retain(|(n, _)| &**n != name);
    }

    /// The value of a label, empty where there is none.
    pub fn get(&self, name: &str) -> &str {
        self.pairs.iter().find(|(n, _)| &**n == name).map_or("", |(_, v)| v)
    }

    /// The changed labels.
    pub fn finish(self) -> Labels {
        Labels(self.pairs.into())
    }
}

/// FNV-1a with 64 bits: the same on every machine, and quick on short texts.
pub(crate) struct Fnv(pub u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_sorted_and_empty_values_are_absent() {
        let labels = Labels::new([("b", "2"), ("a", "1"), ("c", ""), ("b", "3")]);
        assert_eq!(labels.in_braces(), r#"{a="1", b="3"}"#);
        assert_eq!(labels.get("c"), "");
        assert_eq!(labels.find("c"), None);
    }

    #[test]
    fn the_name_goes_with_type_and_unit() {
        let labels = Labels::new([("__name__", "up"), ("__type__", "gauge"), ("job", "a")]);
        assert_eq!(labels.without_name().in_braces(), r#"{job="a"}"#);
    }
}
