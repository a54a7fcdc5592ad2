//! Structured answers as they are written: as text or as JSON, with causes of the catalogue.

use serde_json::Value;

use super::concepts;
use crate::cause::CauseAnswer;

/// Reads answers, written as text or as JSON. The error says what would have been right.
pub fn read_causes(text: &str) -> Result<Vec<CauseAnswer>, String> {
    let text = text.trim();
    let mut all = Vec::new();
    if text.starts_with(['[', '{']) {
        let value: Value = serde_json::from_str(text).map_err(|e| format!("this is no valid JSON ({e}); {FORM}"))?;
        let list = if let Value::Array(list) = value { list } else { vec![value] };
        for one in &list {
            all.push(of_json(one)?);
        }
    } else {
        for one in text.split([';', '\n']).map(str::trim).filter(|one| !one.is_empty()) {
            all.push(of_text(one)?);
        }
    }
    // The order and repetitions of answers say nothing.
    all.sort();
    all.dedup();
    Ok(all)
}

/// How an answer is written.
const FORM: &str = "write component/cause, such as database/disk_full, with low, high, a key or an instance behind it \
                    where that is known: cache/cache_ttl/low; several are separated by `;`";

fn of_text(text: &str) -> Result<CauseAnswer, String> {
    let mut parts = text.split('/').map(str::trim);
    let (Some(component), Some(cause)) = (parts.next(), parts.next()) else { return Err(wrong(text)) };
    if component.is_empty() || cause.is_empty() {
        return Err(wrong(text));
    }
    let mut answer = CauseAnswer { component: component.to_string(), cause: known(cause)?, ..CauseAnswer::default() };
    parts.filter(|detail| !detail.is_empty()).for_each(|detail| answer.add(detail));
    Ok(answer)
}

fn of_json(value: &Value) -> Result<CauseAnswer, String> {
    if let Value::String(text) = value {
        return of_text(text);
    }
    let of = |name: &str| value.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let (Some(component), Some(cause)) = (of("component"), of("cause")) else {
        return Err(wrong(&value.to_string()));
    };
    let mut answer = CauseAnswer { component: component.to_string(), cause: known(cause)?, ..CauseAnswer::default() };
    for name in ["direction", "key", "instance", "detail"] {
        of(name).into_iter().flat_map(|text| text.split(['/', ' '])).for_each(|detail| answer.add(detail));
    }
    Ok(answer)
}

/// The cause as the catalogue spells it.
fn known(cause: &str) -> Result<String, String> {
    let plain = cause.to_ascii_lowercase().replace([' ', '-'], "_");
    let found = concepts::find(&plain).map(|concept| concept.name.to_string());
    found.ok_or_else(|| format!("there is no cause `{}`; the causes are {}", clip(cause), catalogue()))
}

/// The names of all causes, in the order of the catalogue.
pub fn catalogue() -> String {
    concepts::ALL.iter().map(|concept| concept.name).collect::<Vec<_>>().join(", ")
}

fn wrong(text: &str) -> String {
    format!("`{}` is no cause; {FORM}", clip(text))
}

fn clip(text: &str) -> String {
    text.chars().take(60).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cause::causes_text;

    #[test]
    fn answers_are_read_as_text_and_as_json() {
        let check = |text: &str, expect: &str| {
            let found = read_causes(text).map(|all| causes_text(&all)).unwrap_or_else(|problem| problem);
            assert_eq!(&found[..expect.len().min(found.len())], expect, "{text}");
        };
        check("cache/cache_ttl/low", "cache/cache_ttl/low");
        check(" cache / Cache TTL / LOW / TTL_SECONDS ", "cache/cache_ttl/low/TTL_SECONDS");
        check("web_server/crash/web-2; cache/crash; cache/crash", "cache/crash; web_server/crash/web-2");
        check(r#"[{"component": "cache", "cause": "cache_ttl", "direction": "low"}]"#, "cache/cache_ttl/low");
        check(r#"{"component": "cache", "cause": "crash", "detail": "cache-1"}"#, "cache/crash/cache-1");
        check(r#"["cache/crash"]"#, "cache/crash");
        check("", "");
        check("cache", "`cache` is no cause; write component/cause");
        check("cache/gremlins", "there is no cause `gremlins`; the causes are crash, worker_crash");
        check("[1]", "`1` is no cause");
        check("{", "this is no valid JSON");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = "cache/cache_ttl/low/TTL_SECONDS/cache-1; database/disk_full";
        assert_eq!(read_causes(text).map(|all| causes_text(&all)).as_deref(), Ok(text));
    }
}
