//! What headers say about limits: how long to wait, and how much is left.

use std::time::Duration;

use crate::model::UnixSeconds;

use super::calendar::{http_date, rfc3339};

/// Headers of a reply, in the order in which they came.
pub type ReplyHeaders<'a> = &'a [(String, String)];

/// What a provider says is left of our share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateLimitHeaders {
    /// Requests that may still be made in this window.
    pub requests: Option<u64>,
    /// Tokens that may still be used in this window.
    pub tokens: Option<u64>,
    /// When what is used up comes back; when anything comes back, if nothing is.
    pub reset: Option<Duration>,
}

impl RateLimitHeaders {
    /// Reads the headers of any reply, of a successful one too.
    pub fn read(headers: ReplyHeaders<'_>, now: UnixSeconds) -> RateLimitHeaders {
        let count = |names: &[&str]| names.iter().find_map(|name| header(headers, name)?.trim().parse::<u64>().ok());
        let requests = count(&["x-ratelimit-remaining-requests", "anthropic-ratelimit-requests-remaining", REMAINING]);
        let tokens = count(&["x-ratelimit-remaining-tokens", "anthropic-ratelimit-tokens-remaining"]);
        let wait = |names: &[&str]| names.iter().find_map(|name| wait(header(headers, name)?, now));
        let for_requests =
            wait(&["x-ratelimit-reset-requests", "anthropic-ratelimit-requests-reset", "x-ratelimit-reset"]);
        let for_tokens = wait(&["x-ratelimit-reset-tokens", "anthropic-ratelimit-tokens-reset"]);
        let reset = match (requests, tokens) {
            (Some(0), Some(0)) => for_requests.max(for_tokens),
            (Some(0), _) => for_requests,
            (_, Some(0)) => for_tokens,
            _ => for_requests.into_iter().chain(for_tokens).min(),
        };
        RateLimitHeaders { requests, tokens, reset }
    }
}

const REMAINING: &str = "x-ratelimit-remaining";

/// How long a refused caller is asked to wait. An express wish wins over what the limits would suggest.
pub(super) fn retry_after(headers: ReplyHeaders<'_>, now: UnixSeconds) -> Option<Duration> {
    let millis = header(headers, "retry-after-ms").and_then(|text| text.trim().parse::<f64>().ok());
    let millis = millis.and_then(|ms| seconds(ms / 1000.0));
    let asked = || header(headers, "retry-after").and_then(|text| wait(text, now));
    millis.or_else(asked).or_else(|| RateLimitHeaders::read(headers, now).reset)
}

/// A header's value, by its name in any case of letters.
pub(super) fn header<'a>(headers: ReplyHeaders<'a>, name: &str) -> Option<&'a str> {
    headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// `30`, `1.5`, `6m0s`, `120ms`, a date, a timestamp, or seconds or milliseconds since 1970.
pub(super) fn wait(text: &str, now: UnixSeconds) -> Option<Duration> {
    let text = text.trim();
    let until = |at: u64| Duration::from_secs(at.saturating_sub(now.0));
    if let Ok(number) = text.parse::<f64>() {
        // No server asks for a wait of thirty years: such numbers are moments.
        return match number {
            n if !n.is_finite() || n >= 1e15 => None,
            n if n >= 1e12 => Some(until((n / 1000.0) as u64)),
            n if n >= 1e9 => Some(until(n as u64)),
            n => seconds(n),
        };
    }
    span(text).or_else(|| http_date(text).or_else(|| rfc3339(text)).map(|at| until(at.0)))
}

/// `1h2m3.5s`, `120ms`.
pub(super) fn span(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut total = 0.0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let number: f64 = rest[..digits].parse().ok()?;
        let unit = &rest[digits..];
        let end = unit.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(unit.len());
        total += number
            * match &unit[..end] {
                "ms" => 0.001,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                "d" => 86_400.0,
                _ => return None,
            };
        rest = &unit[end..];
    }
    seconds(total)
}

fn seconds(number: f64) -> Option<Duration> {
    // To the millisecond: 0.1 + 0.2 should read as 300 ms.
    let sound = number.is_finite() && (0.0..1e9).contains(&number);
    sound.then(|| Duration::from_millis((number * 1000.0).round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixSeconds = UnixSeconds(784_111_777);

    fn headers(lines: &str) -> Vec<(String, String)> {
        let pairs = lines.split('\n').filter_map(|line| line.split_once(": "));
        pairs.map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    #[test]
    fn waits_are_read_in_every_form_that_providers_use() {
        let check = |lines: &str, expect: Option<u64>| {
            assert_eq!(retry_after(&headers(lines), NOW), expect.map(Duration::from_millis), "{lines}");
        };
        check("Retry-After: 20", Some(20_000));
        check("retry-after: 0.5", Some(500));
        check("retry-after: 0", Some(0));
        check("Retry-After: Sun, 06 Nov 1994 08:50:07 GMT", Some(30_000));
        check("Retry-After: Sun, 06 Nov 1994 08:00:00 GMT", Some(0));
        check("retry-after-ms: 1250\nretry-after: 2", Some(1_250));
        check("retry-after: soon", None);
        check("retry-after: -3", None);
        check("retry-after: nan", None);
        check("x-ratelimit-reset-requests: 6m0s", Some(360_000));
        check("x-ratelimit-reset-tokens: 120ms", Some(120));
        check(
            "x-ratelimit-remaining-requests: 0\nx-ratelimit-reset-requests: 2s\nx-ratelimit-remaining-tokens: 9\nx-ratelimit-reset-tokens: 1h",
            Some(2_000),
        );
        check(
            "x-ratelimit-remaining-tokens: 0\nx-ratelimit-reset-requests: 2s\nx-ratelimit-reset-tokens: 7.66s",
            Some(7_660),
        );
        check("x-ratelimit-remaining: 0\nx-ratelimit-reset: 1784111787000", Some(1_000_000_010_000));
        check("x-ratelimit-reset: 1784111787", Some(1_000_000_010_000));
        check(
            "anthropic-ratelimit-requests-remaining: 0\nanthropic-ratelimit-requests-reset: 1994-11-06T08:49:52Z",
            Some(15_000),
        );
        check("content-type: application/json", None);
    }

    #[test]
    fn what_is_left_is_read_from_successful_replies_too() {
        let read = |lines: &str| RateLimitHeaders::read(&headers(lines), NOW);
        let some = RateLimitHeaders { requests: Some(4), tokens: Some(900), reset: Some(Duration::from_secs(1)) };
        let lines = "x-ratelimit-remaining-requests: 4\nx-ratelimit-remaining-tokens: 900\n\
                     x-ratelimit-reset-requests: 1s\nx-ratelimit-reset-tokens: 2s";
        assert_eq!(read(lines), some);
        assert_eq!(read("date: today"), RateLimitHeaders::default());
    }
}
