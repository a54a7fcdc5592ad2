//! What to set a key to, by its kind: general habits of operators, no incident's answer.

use super::notebook::{Notebook, host};
use super::reading::{LogRow, SettingRow};
use super::words::names_value;

/// A better value for a setting, if there is an idea of one.
pub fn better(notebook: &Notebook, service: usize, setting: &SettingRow, lines: &[&LogRow]) -> Option<String> {
    let value = setting.value.as_str();
    match value {
        "true" => return Some("false".to_string()),
        "false" => return Some("true".to_string()),
        _ => {}
    }
    match value.parse::<u64>() {
        Ok(number) => Some(other_number(notebook, service, setting, number, lines).to_string()),
        Err(_) if value.starts_with('/') => other_path(setting, lines),
        Err(_) => other_host(notebook, value),
    }
}

fn other_number(notebook: &Notebook, service: usize, setting: &SettingRow, now: u64, lines: &[&LogRow]) -> u64 {
    let has = |word: &str| setting.key.contains(word);
    if has("WEIGHT") || has("SHARE") {
        return 100 / backends(notebook, service).max(1);
    }
    // Retrying what can never succeed is worse than giving up; three attempts are the custom.
    let futile = lines.iter().any(|line| line.text.contains(&format!(" of {now} failed")));
    if (has("RETRY") || has("ATTEMPT")) && (now >= 10 || futile) {
        return 3;
    }
    let custom = CUSTOMS.iter().find(|(word, _)| has(word)).map_or(0, |(_, least)| *least);
    roomy(now).max(custom)
}

/// Values that are not undercut without a reason: defaults that such settings have everywhere.
const CUSTOMS: &[(&str, u64)] = &[("TTL_SECONDS", 300), ("IDLE_TIMEOUT_MS", 60_000), ("VISIBILITY_TIMEOUT_MS", 30_000)];

/// No program takes more attempts than these.
const MOST_ATTEMPTS: u64 = 100;

/// How much more of a setting is enough for a first try, by what it is: a minute is a long time to wait, and what waits
/// for longer already gets twice as much.
pub fn more(key: &str, now: u64) -> u64 {
    const MINUTE_MS: u64 = 60_000;
    if key.contains("TIMEOUT") {
        return now.saturating_mul(8).min(MINUTE_MS.max(now.saturating_mul(2)));
    }
    let is_scarce = ["RETRY", "TTL"].iter().any(|word| key.contains(word));
    let most = if key.contains("RETRY") { MOST_ATTEMPTS.max(now) } else { u64::MAX };
    roomy(if is_scarce { now.saturating_mul(2) } else { now }).min(most)
}

/// Four times as much, rounded up to a number that people would choose.
pub fn roomy(now: u64) -> u64 {
    let wanted = now.max(1).saturating_mul(4);
    let mut scale: u64 = 1;
    while wanted / scale >= 10 {
        scale = scale.saturating_mul(10);
    }
    let steps = [10, 12, 15, 16, 20, 24, 30, 32, 40, 48, 50, 60, 64, 80, 100];
    let round = |step: &u64| step.saturating_mul(scale).div_ceil(10);
    steps.iter().map(round).find(|value| *value >= wanted).unwrap_or(wanted)
}

/// How many backends share the load, as the status notes say; two where none says.
fn backends(notebook: &Notebook, service: usize) -> u64 {
    let notes = notebook.sheets[service].status.iter().flat_map(|status| &status.notes);
    let count =
        |note: &String| note.split_once(" backends").and_then(|(left, _)| left.rsplit(' ').next()?.parse().ok());
    notes.into_iter().find_map(count).unwrap_or(2)
}

/// A path that answers with errors is replaced by the customary one.
fn other_path(setting: &SettingRow, lines: &[&LogRow]) -> Option<String> {
    const CUSTOM: &str = "/healthz";
    let fails = lines.iter().any(|line| names_value(&line.text, &setting.value));
    let health = setting.key.contains("HEALTH") && setting.value != CUSTOM;
    (health && fails).then(|| CUSTOM.to_string())
}

/// A host that belongs to no service is replaced by that of the service that it is named after.
fn other_host(notebook: &Notebook, value: &str) -> Option<String> {
    let (name, domain) = value.split_once('.')?;
    let known = |at: usize| value.starts_with(&host(&notebook.sheets[at].name));
    if (0..notebook.sheets.len()).any(known) {
        return None;
    }
    let meant =
        notebook.sheets.iter().map(|sheet| host(&sheet.name)).find(|host| name.contains(host.trim_end_matches('.')))?;
    Some(format!("{meant}{domain}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runbook::reading::LogLevel;

    #[test]
    fn raised_values_are_round() {
        for (now, expect) in
            [(0, 4), (1, 4), (4, 16), (5, 20), (16, 64), (50, 200), (384, 1600), (500, 2000), (15000, 60000)]
        {
            assert_eq!(roomy(now), expect, "{now}");
        }
        assert_eq!(roomy(u64::MAX), u64::MAX);
    }

    fn setting(key: &str, value: &str) -> SettingRow {
        SettingRow { key: key.into(), value: value.into(), about: String::new() }
    }

    #[test]
    fn each_kind_of_key_has_its_habit() {
        let services = ["web_server".to_string(), "cache".to_string()];
        let notebook = Notebook::new("", &services);
        let check = |key: &str, value: &str, expect: Option<&str>| {
            let found = better(&notebook, 0, &setting(key, value), &[]);
            assert_eq!(found.as_deref(), expect, "{key} {value}");
        };
        check("USE_THIS", "false", Some("true"));
        check("SOME_MODE", "true", Some("false"));
        check("A_WEIGHT", "90", Some("50"));
        check("RETRY_LIMIT", "40", Some("3"));
        check("RETRY_LIMIT", "2", Some("8"));
        check("HEALTH_PATH", "/up", None);
        check("HEALTH_PATH", "/healthz", None);
        check("PATH", "/up", None);
        check("SOME_HOST", "old-cache.lan", Some("cache.lan"));
        check("SOME_HOST", "cache.lan", None);
        check("SOME_HOST", "elsewhere.lan", None);
        let line = LogRow { level: LogLevel::Error, text: "get /up answered 404".into(), at: None };
        let found = better(&notebook, 0, &setting("HEALTH_PATH", "/up"), &[&line]);
        assert_eq!(found.as_deref(), Some("/healthz"), "a path that answers with errors");
    }
}
