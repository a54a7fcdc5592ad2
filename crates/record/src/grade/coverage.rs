//! Coverage: how much of the evidence was really shown.

use std::sync::Arc;

use crate::evidence::Evidence;
use crate::facts::Fact;

/// The facts that count, and which of them have been seen.
#[derive(Clone, Debug, Default)]
pub(super) struct EvidenceCoverage {
    /// An entry that this version cannot read is never seen. All episodes of a task share them.
    items: Arc<[Option<Evidence>]>,
    seen: Vec<bool>,
}

impl EvidenceCoverage {
    pub fn new(entries: &[String]) -> EvidenceCoverage {
        EvidenceCoverage {
            items: entries.iter().map(|entry| Evidence::parse(entry)).collect(),
            seen: vec![false; entries.len()],
        }
    }

    pub fn see(&mut self, facts: &[Fact]) {
        for (item, seen) in self.items.iter().zip(&mut self.seen) {
            *seen = *seen || item.as_ref().is_some_and(|item| facts.iter().any(|fact| item.shown_by(fact)));
        }
    }

    /// The share that was seen; a task that asks for nothing is covered.
    pub fn share(&self) -> f64 {
        if self.items.is_empty() {
            return 1.0;
        }
        self.seen.iter().filter(|seen| **seen).count() as f64 / self.items.len() as f64
    }
}

/// The share of the evidence that these facts show.
pub(super) fn share_of<'a>(entries: &[String], facts: impl Iterator<Item = &'a Fact>) -> f64 {
    let mut seen = EvidenceCoverage::new(entries);
    facts.for_each(|fact| seen.see(std::slice::from_ref(fact)));
    seen.share()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::FactKind;

    #[test]
    fn coverage_is_a_share() {
        let mut coverage = EvidenceCoverage::new(&["status:web".into(), "inspect_logs:web".into(), "dance:web".into()]);
        assert_eq!(coverage.share(), 0.0);
        coverage.see(&[Fact { kind: FactKind::Logs, service: "web".into(), item: "x".into(), telling: true }]);
        assert_eq!(coverage.share(), 1.0 / 3.0);
        assert_eq!(EvidenceCoverage::default().share(), 1.0);
    }
}
