//! Spans of time in problem files: `90s`, `5m`, `2h`.

use std::time::Duration;

/// Reads a span. The error says what would have been right.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no span of time; write 90s, 5m or 2h");
    let split = text.len() - text.chars().last().filter(char::is_ascii_alphabetic).map_or(0, char::len_utf8);
    let (number, unit) = text.split_at(split);
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let seconds = match unit {
        "s" => number,
        "m" => number * 60,
        "h" => number * 3600,
        _ => return Err(wrong()),
    };
    Ok(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read() {
        let check = |text: &str, expect: Option<u64>| assert_eq!(parse(text).ok(), expect.map(Duration::from_secs));
        check("0s", Some(0));
        check("90s", Some(90));
        check("5m", Some(300));
        check("2h", Some(7200));
        check("5", None);
        check("", None);
        check("m", None);
        check("1.5m", None);
        assert_eq!(parse("soon").err().as_deref(), Some("`soon` is no span of time; write 90s, 5m or 2h"));
    }
}
