//! Evidence: a fact that counts, whatever tool shows it.

use std::fmt;

use crate::facts::{Fact, FactKind};

/// A fact that counts, written `kind:subject[:item]`: `metrics:cache`, `config:database:DB_POOL_SIZE`,
/// `change:web_server`, `trace:checkout`. It is about what was shown, so any tool that shows it will do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// What kind of thing.
    pub kind: FactKind,
    /// The service it is about; of a trace also the operation.
    pub subject: String,
    /// The series or the key, if it is about a certain one.
    pub item: Option<String>,
}

impl Evidence {
    /// Reads what a task or a record has. Older ones name a tool (`inspect_metrics:cache`) and mean what it shows.
    pub fn parse(text: &str) -> Option<Evidence> {
        let mut parts = text.split(':').map(str::trim);
        let (kind, subject, item) = (parts.next()?, parts.next()?, parts.next());
        let kind =
            FactKind::find(kind.strip_prefix("inspect_").or_else(|| kind.strip_prefix("check_")).unwrap_or(kind))?;
        let whole = parts.next().is_none() && !subject.is_empty() && item.is_none_or(|item| !item.is_empty());
        whole.then(|| Evidence { kind, subject: subject.to_string(), item: item.map(str::to_string) })
    }

    /// Whether a fact shows it: something out of the ordinary, or a value that was asked for.
    pub fn shown_by(&self, fact: &Fact) -> bool {
        let of_trace = || self.kind == FactKind::Trace && *fact.item == *self.subject;
        fact.telling
            && fact.kind == self.kind
            && (*fact.service == *self.subject || of_trace())
            && self.item.as_ref().is_none_or(|item| item.eq_ignore_ascii_case(&fact.item))
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.text(), self.subject)?;
        self.item.as_ref().map_or(Ok(()), |item| write!(f, ":{item}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(entry: &str, fact: (&str, &str, &'static str, bool), expect: bool) {
        let (kind, service, item, telling) = fact;
        let fact =
            Fact { kind: FactKind::find(kind).expect("a kind"), service: service.into(), item: item.into(), telling };
        let evidence = Evidence::parse(entry).expect("it is evidence");
        assert_eq!(evidence.shown_by(&fact), expect, "{entry} by {kind} {service} {item} {telling}");
    }

    #[test]
    fn evidence_is_what_was_shown() {
        check("metrics:cache", ("metrics", "cache", "hit_rate", true), true);
        check("metrics:cache", ("metrics", "cache", "hit_rate", false), false);
        check("metrics:cache", ("metrics", "database", "read_iops", true), false);
        check("metrics:cache", ("logs", "cache", "evict", true), false);
        check("metrics:cache:hit_rate", ("metrics", "cache", "hit_rate", true), true);
        check("metrics:cache:hit_rate", ("metrics", "cache", "evictions_per_min", true), false);
        check("logs:web", ("logs", "web", "pool", true), true);
        check("status:web", ("status", "web", "", true), true);
        check("status:web", ("status", "web", "", false), false);
        check("config:cache:TTL_SECONDS", ("config", "cache", "TTL_SECONDS", true), true);
        check("config:cache:TTL_SECONDS", ("config", "cache", "MAX_MEMORY_MB", true), false);
        check("change:web_server", ("change", "web_server", "4103", true), true);
        check("trace:checkout", ("trace", "web_server", "checkout", true), true);
        check("trace:checkout", ("trace", "web_server", "browse", true), false);
        check("alert:cache", ("alert", "cache", "hit_rate_low", true), true);
    }

    #[test]
    fn older_names_are_lifted() {
        let check = |old: &str, expect: &str| {
            assert_eq!(Evidence::parse(old).map_or("none".to_string(), |e| e.to_string()), expect, "{old}");
        };
        check("inspect_metrics:cache", "metrics:cache");
        check("inspect_logs:web", "logs:web");
        check("check_status:web", "status:web");
        check("inspect_config:cache:TTL_SECONDS", "config:cache:TTL_SECONDS");
        check("metrics:cache", "metrics:cache");
        check("restart_service:cache", "none");
        check("metrics", "none");
        check("metrics:", "none");
        check("config:cache:TTL:more", "none");
    }
}
