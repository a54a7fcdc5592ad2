//! Evidence: which of the facts that count were really shown.

use crate::{Fact, FactKind};

/// The facts that count, and which of them have been seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    items: Vec<(Item, bool)>,
}

/// One entry of a task's evidence, `action:service[:KEY]`. It is about what was shown, so any tool
/// that shows it will do.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Item {
    kind: Option<FactKind>,
    service: String,
    key: Option<String>,
}

impl Evidence {
    pub fn new(entries: &[String]) -> Evidence {
        Evidence { items: entries.iter().map(|entry| (Item::parse(entry), false)).collect() }
    }

    pub fn see(&mut self, facts: &[Fact]) {
        for (item, seen) in &mut self.items {
            *seen = *seen || facts.iter().any(|fact| item.shown_by(fact));
        }
    }

    /// The share that was seen; a task that asks for nothing is covered.
    pub fn coverage(&self) -> f64 {
        if self.items.is_empty() {
            return 1.0;
        }
        self.items.iter().filter(|(_, seen)| *seen).count() as f64 / self.items.len() as f64
    }
}

impl Item {
    fn parse(entry: &str) -> Item {
        let mut parts = entry.splitn(3, ':').map(str::trim);
        let action = parts.next().unwrap_or_default();
        let kind = action.strip_prefix("inspect_").or_else(|| action.strip_prefix("check_")).unwrap_or(action);
        Item {
            kind: FactKind::find(kind),
            service: parts.next().unwrap_or_default().to_owned(),
            key: parts.next().map(str::to_owned),
        }
    }

    fn shown_by(&self, fact: &Fact) -> bool {
        fact.telling
            && Some(fact.kind) == self.kind
            && *fact.service == *self.service
            && self.key.as_ref().is_none_or(|key| key.eq_ignore_ascii_case(&fact.item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(entry: &str, fact: (&str, &str, &'static str, bool), expect: bool) {
        let (kind, service, item, telling) = fact;
        let fact =
            Fact { kind: FactKind::find(kind).expect("a kind"), service: service.into(), item: item.into(), telling };
        let mut evidence = Evidence::new(&[entry.to_owned()]);
        evidence.see(&[fact]);
        assert_eq!(evidence.coverage() == 1.0, expect, "{entry} by {kind} {service} {item} {telling}");
    }

    #[test]
    fn evidence_is_what_was_shown() {
        check("inspect_metrics:cache", ("metrics", "cache", "hit_rate", true), true);
        check("inspect_metrics:cache", ("metrics", "cache", "hit_rate", false), false);
        check("inspect_metrics:cache", ("metrics", "database", "read_iops", true), false);
        check("inspect_metrics:cache", ("logs", "cache", "evict", true), false);
        check("inspect_logs:web", ("logs", "web", "pool", true), true);
        check("check_status:web", ("status", "web", "", true), true);
        check("check_status:web", ("status", "web", "", false), false);
        check("inspect_config:cache:TTL_SECONDS", ("config", "cache", "TTL_SECONDS", true), true);
        check("inspect_config:cache:TTL_SECONDS", ("config", "cache", "MAX_MEMORY_MB", true), false);
    }

    #[test]
    fn coverage_is_a_share() {
        let mut evidence = Evidence::new(&["check_status:web".into(), "inspect_logs:web".into()]);
        assert_eq!(evidence.coverage(), 0.0);
        evidence.see(&[Fact { kind: FactKind::Logs, service: "web".into(), item: "x".into(), telling: true }]);
        assert_eq!(evidence.coverage(), 0.5);
        assert_eq!(Evidence::default().coverage(), 1.0);
    }
}
