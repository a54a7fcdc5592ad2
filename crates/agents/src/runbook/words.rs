//! Words in keys, lines and metrics, compared as loosely as a reader would.

/// Words that stand in many keys and say little of which one is meant.
const COMMON: &[&str] = &[
    "max", "min", "size", "limit", "enabled", "valid", "use", "mode", "ms", "mb", "gb", "kb", "rps", "seconds", "pct",
    "rate", "per", "p95", "total", "count", "used", "primary", "secs", "id", "the", "and", "for", "that", "which",
    "whether", "how", "long", "are", "more", "each", "one", "than", "into", "from", "with", "service", "time", "may",
    "takes", "take", "get", "they", "them", "all", "not", "there", "its", "when", "who", "min", "held", "hold", "same",
    "every", "their", "out", "again", "first", "others", "rest", "other", "instead",
];

/// The telling words of a name or a sentence, in lower case.
pub fn telling(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphabetic()).map(str::to_ascii_lowercase);
    words.filter(|word| word.len() >= 3 && !COMMON.contains(&word.as_str())).collect()
}

/// Whether two words have one stem: `pool` and `pooler`, `vacuum` and `autovacuum`, `expiry` and `expired`.
pub fn akin(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let stem = &short[..short.len() - usize::from(short.len() > 4 && short.ends_with('s'))];
    if stem.len() < 4 {
        return long == stem || long.strip_suffix('s') == Some(stem);
    }
    // Endings differ, beginnings do not.
    let root = &stem[..stem.len().min(5.max(stem.len().saturating_sub(4)))];
    long.contains(stem) || (root.len() >= 5 && long.contains(root))
}

/// How many of these words have a like in a line.
pub fn shared(words: &[String], line: &[String]) -> usize {
    let mut found: Vec<&String> = words.iter().filter(|word| line.iter().any(|other| akin(word, other))).collect();
    found.dedup();
    found.len()
}

/// Whether a line names a value to the letter: `1000` in `within 1000ms`, `/status` in `GET /status on`.
pub fn names_value(line: &str, value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    if value.is_empty() || value == "true" || value == "false" {
        return false;
    }
    let part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || c == '.' || c == ':');
    line.match_indices(&value).any(|(at, _)| {
        let (before, after) = (line[..at].chars().next_back(), line[at + value.len()..].chars().next());
        let letter_before = before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-' || c == '#' || c == '=');
        !part(before) && !part(after) && !letter_before
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_are_recognised() {
        for (a, b, expect) in [
            ("pool", "pooler", true),
            ("connections", "connection", true),
            ("autovacuum", "vacuum", true),
            ("compression", "uncompressed", true),
            ("compression", "compressed", true),
            ("cert", "certificate", true),
            ("delivery", "delivered", true),
            ("consumer", "consumers", true),
            ("ttl", "ttl", true),
            ("cpu", "cpus", true),
            ("disk", "dish", false),
            ("sku", "skunk", false),
        ] {
            assert_eq!(akin(a, b), expect, "{a} {b}");
        }
    }

    #[test]
    fn values_are_found_whole() {
        for (line, value, expect) in [
            ("no answer within 1000ms", "1000", true),
            ("no answer within 11000ms", "1000", false),
            ("maxmemory 256mb reached", "256", true),
            ("client 10.256.1.2", "256", false),
            ("get /status on web", "/status", true),
            ("web_server-1 said no", "1", false),
            ("after 1 attempt(s)", "1", true),
            ("anything true", "true", false),
            ("", "", false),
        ] {
            assert_eq!(names_value(line, value), expect, "{value} in {line}");
        }
    }

    #[test]
    fn common_words_tell_nothing() {
        assert_eq!(telling("MAX_CONNECTIONS"), ["connections"]);
        assert_eq!(telling("how long a worker waits for one call"), ["worker", "waits", "call"]);
    }
}
