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

/// Nanoseconds of a Go duration: `1.5s`, `-2m3s`, `300ms`.
pub(crate) fn parse_go(text: &str) -> Option<i64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(|c| c.is_ascii_digit() || *c == b'.').count();
        let amount: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let letters = rest.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(rest.len());
        total += amount
            * match &rest[..letters] {
                "ns" => 1.0,
                "us" | "µs" | "μs" => 1e3,
                "ms" => 1e6,
                "s" => 1e9,
                "m" => 60e9,
                "h" => 3600e9,
                _ => return None,
            };
        rest = &rest[letters..];
    }
    Some((sign * total).round() as i64)
}

/// Nanoseconds as Go prints them: `1m30s`, `1.5s`, `20ms`, `0s`.
pub(crate) fn format_go(nanos: i64) -> String {
    if nanos == 0 {
        return "0s".to_owned();
    }
    let sign = if nanos < 0 { "-" } else { "" };
    let size = nanos.unsigned_abs();
    let text = match size {
        0..1_000 => format!("{size}ns"),
        1_000..1_000_000 => format!("{}µs", decimal(size, 1_000)),
        1_000_000..1_000_000_000 => format!("{}ms", decimal(size, 1_000_000)),
        _ => {
            let minutes = size / 60_000_000_000;
            let seconds = decimal(size % 60_000_000_000, 1_000_000_000);
            match (minutes / 60, minutes % 60) {
                (0, 0) => format!("{seconds}s"),
                (0, m) => format!("{m}m{seconds}s"),
                (h, m) => format!("{h}h{m}m{seconds}s"),
            }
        }
    };
    format!("{sign}{text}")
}

fn decimal(amount: u64, unit: u64) -> String {
    let digits = unit.ilog10() as usize;
    let text = format!("{}.{:0digits$}", amount / unit, amount % unit);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
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

    #[test]
    fn go_durations() {
        assert_eq!(parse_go("1.5s"), Some(1_500_000_000));
        assert_eq!(parse_go("abc"), None);
        assert_eq!(format_go(90_000_000_000), "1m30s");
        assert_eq!(format_go(1_500_000), "1.5ms");
        assert_eq!(format_go(2_880_000_000_000_000), "800h0m0s");
    }
}
