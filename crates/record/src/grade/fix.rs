//! What ends an incident, read as conditions on the world's state.

use crate::Fix;

impl Fix {
    /// The service that the condition is about.
    pub fn service(&self) -> &str {
        match self {
            Fix::Config { config, .. } => config.split_once('.').map_or(config, |(service, _)| service),
            Fix::Restart { restart } => restart,
            Fix::RolledBack { rolled_back } => rolled_back,
        }
    }

    /// The configuration key that the condition is about; `None` for a restart or a rollback.
    pub fn key(&self) -> Option<&str> {
        match self {
            Fix::Config { config, .. } => config.split_once('.').map(|(_, key)| key),
            Fix::Restart { .. } | Fix::RolledBack { .. } => None,
        }
    }

    /// Whether the condition is about this key of this service.
    pub fn is_setting(&self, service: &str, key: &str) -> bool {
        self.service() == service && self.key().is_some_and(|own| own.eq_ignore_ascii_case(key))
    }
}

/// Whether `value` satisfies `is`: `>= n`, `<= n` or `= v`. A value that is no number satisfies no
/// comparison of numbers.
pub fn satisfies(value: &str, is: &str) -> bool {
    let (value, is) = (value.trim(), is.trim());
    if let Some(least) = is.strip_prefix(">=") {
        return numbers(value, least).is_some_and(|(value, least)| value >= least);
    }
    if let Some(most) = is.strip_prefix("<=") {
        return numbers(value, most).is_some_and(|(value, most)| value <= most);
    }
    let wanted = is.trim_start_matches('=').trim();
    match numbers(value, wanted) {
        Some((value, wanted)) => value == wanted,
        None => value.eq_ignore_ascii_case(wanted),
    }
}

fn numbers(one: &str, other: &str) -> Option<(f64, f64)> {
    Some((one.trim().parse().ok()?, other.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_as_what_they_are() {
        let cases = [
            ("300", ">= 120", true),
            ("120", ">=120", true),
            ("119", ">= 120", false),
            ("abc", ">= 120", false),
            ("3", "<= 5", true),
            ("6", "<= 5", false),
            ("3", "= 3", true),
            ("03", "= 3", true),
            ("4", "= 3", false),
            ("TRUE", "= true", true),
            ("false", "= true", false),
            ("/healthz", "= /healthz", true),
            ("/status", "= /healthz", false),
        ];
        for (value, is, expect) in cases {
            assert_eq!(satisfies(value, is), expect, "{value} {is}");
        }
    }

    #[test]
    fn a_condition_knows_its_target() {
        let fix = Fix::Config { config: "cache.TTL_SECONDS".into(), is: ">= 120".into() };
        assert_eq!((fix.service(), fix.key()), ("cache", Some("TTL_SECONDS")));
        assert!(fix.is_setting("cache", "ttl_seconds") && !fix.is_setting("web", "TTL_SECONDS"));
        assert_eq!(Fix::Restart { restart: "web".into() }.service(), "web");
    }
}
