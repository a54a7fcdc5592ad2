//! A wrong setting as a structured answer.

use harness::grade::concepts;

/// `cache/cache_ttl/low/TTL_SECONDS`: the cause that a configuration key stands for, with the direction in which its
/// value was wrong if both are numbers. Nothing where the catalogue of causes does not know the key.
pub(crate) fn of_setting(service: &str, key: &str, was: &str, is: &str) -> Option<String> {
    let cause = concepts::ALL.iter().find(|concept| concept.has_key(key))?.name;
    let direction = match (was.parse::<f64>(), is.parse::<f64>()) {
        (Ok(was), Ok(is)) if was < is => "/low",
        (Ok(was), Ok(is)) if was > is => "/high",
        _ => "",
    };
    Some(format!("{service}/{cause}{direction}/{key}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_stands_for_a_cause() {
        let check =
            |key, was, is, expect: Option<&str>| assert_eq!(of_setting("cache", key, was, is).as_deref(), expect);
        check("TTL_SECONDS", "5", "300", Some("cache/cache_ttl/low/TTL_SECONDS"));
        check("TTL_SECONDS", "900", "300", Some("cache/cache_ttl/high/TTL_SECONDS"));
        check("COMPRESSION_ENABLED", "false", "true", Some("cache/compression/COMPRESSION_ENABLED"));
        check("UI_THEME", "1", "2", None);
    }
}
