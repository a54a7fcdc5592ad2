//! What was changed before it broke: a change is a suspect where it touches what suffers and came shortly before.

use super::notebook::Notebook;
use super::reading::ReleaseRow;

/// A build that is bad is noticed within so many seconds.
const SOON: u32 = 20 * 60;

/// When the first of a service's alerts saw something go wrong, in seconds of the day; else when the first of all did.
pub fn onset(notebook: &Notebook, at: usize) -> Option<u32> {
    let name = &notebook.sheets[at].name;
    let all = || notebook.alerts.iter().flatten();
    let own = all().filter(|alert| alert.owner == *name).filter_map(|alert| alert.since).min();
    own.or_else(|| all().filter_map(|alert| alert.since).min())
}

/// The last entry of a service that begins with these words.
pub fn last<'n>(notebook: &'n Notebook, at: usize, what: &str) -> Option<&'n ReleaseRow> {
    let name = &notebook.sheets[at].name;
    notebook.releases.iter().flatten().find(|row| row.service == *name && row.what.starts_with(what))
}

/// The same, if it came shortly before the service went bad.
pub fn shortly_before<'n>(notebook: &'n Notebook, at: usize, what: &str) -> Option<&'n ReleaseRow> {
    let onset = onset(notebook, at)?;
    let is_before = |row: &&ReleaseRow| row.at.is_some_and(|at| at <= onset);
    let is_near = |row: &&ReleaseRow| is_shortly_before(row.at, onset) || is_quiet(notebook) && is_before(row);
    last(notebook, at, what).filter(is_near)
}

/// Whether so little was changed that a change at the very place says something, however long ago.
fn is_quiet(notebook: &Notebook) -> bool {
    let all = notebook.changes.iter().flatten().count() + notebook.releases.iter().flatten().count();
    all < notebook.sheets.len()
}

/// A change to several services at once that names this one and came shortly before.
pub fn across(notebook: &Notebook, at: usize) -> Option<&ReleaseRow> {
    let (name, onset) = (&notebook.sheets[at].name, onset(notebook, at)?);
    let names = |row: &&ReleaseRow| {
        let mut words = row.what.split([' ', ',']);
        row.what.starts_with("apply") && (row.service == *name || words.any(|word| word == name))
    };
    notebook.releases.iter().flatten().filter(|row| is_shortly_before(row.at, onset)).find(names)
}

/// Whether something happened shortly before a time; alerts are some seconds slow.
pub fn is_shortly_before(at: Option<u32>, onset: u32) -> bool {
    const SLOW: u32 = 60;
    at.is_some_and(|at| at <= onset + SLOW && onset.saturating_sub(at) <= SOON)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runbook::notebook::LookKind;
    use crate::runbook::playbook::ideas;
    use crate::runbook::reading;

    /// What is done about these lines of the application, after these changes, where its alert fires since 12:10:00.
    fn done(lines: &str, changes: &str) -> Option<String> {
        let mut notebook = Notebook::new("", &["shop_api", "orders_db"].map(String::from));
        let alerts = "alerts at 12:12:00\nfiring since 12:10:00  ticket  shop_api/latency  p95 of shop_api is 9, above 2 for 60 s";
        notebook.alerts = Some(reading::alerts(alerts));
        notebook.note_history(&format!("changes\nid  time  service  author  change\n{changes}"));
        notebook.note(0, LookKind::Logs, &format!("logs\n{lines}"));
        notebook.note(0, LookKind::Config, "configuration\nMAX_WORKERS  40  workers of one instance");
        ideas(&notebook).into_iter().next().map(|idea| idea.remedy.call())
    }

    #[test]
    fn a_change_is_a_suspect_where_it_touches_what_suffers_and_came_shortly_before() {
        let check = |lines: &str, changes: &str, expect: Option<&str>| {
            assert_eq!(done(lines, changes).as_deref(), expect, "{lines} / {changes}");
        };
        let full = "12:11:00 WARN  killed: out of memory\n12:11:01 WARN  killed: out of memory";
        let busy = "12:11:00 WARN  all 40 workers busy\n12:11:01 WARN  all 40 workers busy";
        let deploy = "7  12:05:00  shop_api  infra  deploy build 7 (cleanup)";
        check(full, deploy, Some("rollback_change(7)"));
        // Long ago it says little among other changes, and much where there are hardly any.
        let early = "7  10:05:00  shop_api  infra  deploy build 7 (cleanup)";
        let other = "8  11:05:00  orders_db  infra  set FSYNC from true to false";
        check(full, &format!("{early}\n{other}"), Some("restart_service(shop_api)"));
        check(full, early, Some("rollback_change(7)"));
        check(full, "7  12:05:00  orders_db  infra  deploy build 7 (cleanup)", Some("restart_service(shop_api)"));
        check(busy, deploy, Some("rollback_change(7)"));
        check(busy, "7  12:05:00  shop_api  infra  set MAX_WORKERS from 90 to 40", Some("rollback_change(7)"));
        check(
            busy,
            "7  12:05:00  shop_api  infra  apply profile `x` to shop_api, orders_db",
            Some("rollback_change(7)"),
        );
        check(busy, "", Some("update_config(shop_api, MAX_WORKERS, 160)"));
    }
}
