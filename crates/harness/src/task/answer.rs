//! Numbers of changes differ from seed to seed, so a solution names an entry of the change history by
//! its service: `rollback_change({change:web_server})`, or `{responder:web_server}` for what an
//! earlier responder did.

use world::Blueprint;

use super::condition;

/// An entry of the change history, by its service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry<'a> {
    /// The last change of the service that no responder made.
    Change(&'a str),
    /// What an earlier responder did to the service.
    Responder(&'a str),
}

impl Entry<'_> {
    /// The service, if this world has it.
    pub fn service(self, plan: &Blueprint) -> Result<usize, String> {
        let (Entry::Change(name) | Entry::Responder(name)) = self;
        condition::service(plan, name)
    }
}

/// Puts numbers in the places of entries.
pub(crate) fn fill(text: &str, number: impl Fn(Entry<'_>) -> Result<u32, String>) -> Result<String, String> {
    let mut out = text.to_string();
    for mark in ["{change:", "{responder:"] {
        while let Some(start) = out.find(mark) {
            let inner = start + mark.len();
            let end = out[inner..].find('}').ok_or_else(|| format!("`{mark}` has no end; write `{mark}service}}`"))?;
            let name = &out[inner..inner + end];
            let number = number(if mark == "{change:" { Entry::Change(name) } else { Entry::Responder(name) })?;
            out.replace_range(start..=inner + end, &number.to_string());
        }
    }
    Ok(out)
}

/// A call in which a plain number is a number that was written for the place as written.
pub(crate) fn with_marks(call: &str) -> String {
    let marked = || {
        let inside = call.strip_prefix("update_config(")?.strip_suffix(')')?;
        let [service, key, value] = inside.split(',').map(str::trim).collect::<Vec<_>>().try_into().ok()?;
        value.parse::<i64>().ok()?;
        Some(format!("update_config({service}, {key}, {{{service}.{key}={value}}})"))
    };
    marked().unwrap_or_else(|| call.to_string())
}

/// Puts values in the places of settings: `{database.DB_POOL_SIZE=80}` is a number that was written for the place as
/// written, `{database.DB_POOL_SIZE}` what it is set to. Where `value` has none, the place stays as it is.
pub(crate) fn settings(text: &str, value: impl Fn(&str, &str, Option<i64>) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let (before, after) = rest.split_at(start);
        out.push_str(before);
        let filled = after.find('}').and_then(|end| {
            let (name, number) = match after[1..end].split_once('=') {
                Some((name, number)) => (name, Some(number.parse().ok()?)),
                None => (&after[1..end], None),
            };
            let (service, key) = name.split_once('.')?;
            Some((value(service, key, number)?, end))
        });
        match filled {
            Some((value, end)) => {
                out.push_str(&value);
                rest = &after[end + 1..];
            }
            None => {
                out.push('{');
                rest = &after[1..];
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_numbers_are_marked() {
        let check = |call: &str, expect: &str| assert_eq!(with_marks(call), expect);
        check("update_config(cache, TTL_SECONDS, 300)", "update_config(cache, TTL_SECONDS, {cache.TTL_SECONDS=300})");
        check(
            "update_config(cache, TTL_SECONDS, {cache.TTL_SECONDS=300})",
            "update_config(cache, TTL_SECONDS, {cache.TTL_SECONDS=300})",
        );
        check("update_config(web, USE_CACHE, true)", "update_config(web, USE_CACHE, true)");
        check("inspect_logs(web)", "inspect_logs(web)");
    }

    #[test]
    fn settings_are_filled_in() {
        let check = |text: &str, expect: &str| {
            let value = |service: &str, key: &str, number: Option<i64>| match (service, key) {
                ("cache", "TTL_SECONDS") => Some(number.map_or("5".to_string(), |n| (2 * n).to_string())),
                _ => None,
            };
            assert_eq!(settings(text, value), expect);
        };
        check("update_config(cache, TTL_SECONDS, {cache.TTL_SECONDS=150})", "update_config(cache, TTL_SECONDS, 300)");
        check("it was {cache.TTL_SECONDS}, not {cache.TTL_SECONDS=150}.", "it was 5, not 300.");
        check("{change:web} {web.TTL_SECONDS} {", "{change:web} {web.TTL_SECONDS} {");
    }

    #[test]
    fn entries_are_numbered() {
        let check = |text: &str, expect: &str| {
            let number = |entry: Entry<'_>| match entry {
                Entry::Change("web") => Ok(7),
                Entry::Responder("web") => Ok(8),
                other => Err(format!("{other:?}")),
            };
            assert_eq!(fill(text, number).unwrap_or_else(|e| e), expect);
        };
        check("rollback_change({change:web})", "rollback_change(7)");
        check("rollback_change({responder:web})", "rollback_change(8)");
        check("check_status(web)", "check_status(web)");
        check("rollback_change({change:web", "`{change:` has no end; write `{change:service}`");
        check("rollback_change({change:db})", "Change(\"db\")");
    }
}
