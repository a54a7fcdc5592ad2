//! Durations as Prometheus writes them (`1h30m`) and as Go writes them (`1.5s`).

/// Milliseconds of `1h30m`: units ms s m h d w y in descending order, each once, whole numbers.
pub(crate) fn parse_prometheus(text: &str) -> Option<i64> {
    const UNITS: [(&str, i64); 7] = [
        ("y", 31_536_000_000),
        ("w", 604_800_000),
        ("d", 86_400_000),
        ("h", 3_600_000),
        ("m", 60_000),
        ("s", 1000),
        ("ms", 1),
    ];
    if text == "0" {
        return Some(0);
    }
    let mut rest = text;
    let mut total = 0i64;
    let mut next_unit = 0;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let letters = rest[digits..].bytes().take_while(u8::is_ascii_alphabetic).count();
        let unit = &rest[digits..digits + letters];
        let at = UNITS.iter().position(|(name, _)| *name == unit)?;
        if digits == 0 || at < next_unit {
            return None;
        }
        next_unit = at + 1;
        let amount: i64 = rest[..digits].parse().ok()?;
        total = total.checked_add(amount.checked_mul(UNITS[at].1)?)?;
        rest = &rest[digits + letters..];
    }
    (!text.is_empty()).then_some(total)
}

/// Milliseconds as Prometheus prints them: `1h30m`, `0s`.
pub(crate) fn format_prometheus(millis: i64) -> String {
    if millis == 0 {
        return "0s".to_owned();
    }
    let mut out = String::new();
    let mut rest: u64 = millis.unsigned_abs();
    if millis < 0 {
        out.push('-');
    }
    // Days, weeks and years only where nothing is left over: `25h` stays as it is.
    for (unit, size, exact) in [
        ("y", 31_536_000_000, true),
        ("w", 604_800_000, true),
        ("d", 86_400_000, true),
        ("h", 3_600_000, false),
        ("m", 60_000, false),
        ("s", 1000, false),
        ("ms", 1, false),
    ] {
        if exact && !rest.is_multiple_of(size) {
            continue;
        }
        if rest / size > 0 {
            out.push_str(&format!("{}{unit}", rest / size));
            rest %= size;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prometheus_durations() {
        for (text, millis) in [
            ("1h30m", Some(5_400_000)),
            ("5m", Some(300_000)),
            ("1m500ms", Some(60_500)),
            ("30m1h", None),
            ("0.5s", None),
            ("", None),
            ("1m1m", None),
            ("9999999999999y", None),
        ] {
            assert_eq!(parse_prometheus(text), millis, "{text}");
        }
        assert_eq!(format_prometheus(5_400_000), "1h30m");
        assert_eq!(format_prometheus(86_400_000), "1d");
        assert_eq!(format_prometheus(90_000_000), "25h");
        assert_eq!(format_prometheus(0), "0s");
    }
}
