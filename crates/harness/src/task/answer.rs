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

#[cfg(test)]
mod tests {
    use super::*;

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
