//! Numbers as Go's `strconv` reads and prints them.

use std::fmt::Write as _;

/// Shortest decimal that reads back to the same number, without an exponent (`strconv` format `f`).
pub(crate) fn format_float(value: f64) -> String {
    match special(value) {
        Some(text) => text.to_owned(),
        None => format!("{value}"),
    }
}

fn special(value: f64) -> Option<&'static str> {
    match value {
        v if v.is_nan() => Some("NaN"),
        f64::INFINITY => Some("+Inf"),
        f64::NEG_INFINITY => Some("-Inf"),
        _ => None,
    }
}

/// As samples are printed in answers: an exponent only below 1e-6 and from 1e21 on.
pub(crate) fn write_sample(out: &mut String, value: f64) {
    if let Some(text) = special(value) {
        return out.push_str(text);
    }
    let size = value.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        return out.push_str(&exponent(value));
    }
    let _ = write!(out, "{value}");
}

/// The form with an exponent of at least two digits (`strconv` format `e`), as rules and alerts print values.
pub(crate) fn exponent(value: f64) -> String {
    if let Some(text) = special(value) {
        return text.to_owned();
    }
    let text = format!("{value:e}");
    let (digits, power) = text.split_once('e').expect("the format always has an exponent");
    let (sign, power) = match power.strip_prefix('-') {
        Some(rest) => ('-', rest),
        None => ('+', power),
    };
    format!("{digits}e{sign}{power:0>2}")
}

/// The shorter of both forms as Go's `%v` prints: an exponent below 1e-4 and from 1e21 on.
pub(crate) fn general(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && size.is_finite() && !(1e-4..1e21).contains(&size) {
        return exponent(value);
    }
    format_float(value)
}

/// A number that `strconv.ParseFloat` takes: decimals, hexadecimals, `Inf` and `NaN` in any case.
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    let (sign, body) = match text.as_bytes().first()? {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    let lower = body.to_ascii_lowercase();
    match lower.as_str() {
        "nan" => return Some(f64::NAN),
        "inf" | "infinity" => return Some(sign * f64::INFINITY),
        _ => {}
    }
    if let Some(hex) = lower.strip_prefix("0x") {
        return parse_hex(hex).map(|v| sign * v);
    }
    let plain = body.bytes().all(|c| c.is_ascii_digit() || matches!(c, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !plain || !body.bytes().any(|c| c.is_ascii_digit()) {
        return None;
    }
    body.parse::<f64>().ok().map(|v| sign * v)
}

fn parse_hex(text: &str) -> Option<f64> {
    let (digits, power) = text.split_once('p').unwrap_or((text, "0"));
    let power: i32 = power.parse().ok()?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut value = 0.0;
    for c in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(c.to_digit(16)?);
    }
    (!digits.is_empty()).then(|| libm::ldexp(value, power - 4 * i32::try_from(fraction.len()).unwrap_or(0)))
}

/// A whole number as `strconv.ParseInt` reads it with base 0: `0x1F`, `017`, `0o17`, `0b11`, and `_` between digits.
pub(crate) fn parse_int_any_base(text: &str) -> Option<i64> {
    let (negative, body) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = body.to_ascii_lowercase().replace('_', "");
    let (base, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', b'o', ..] => (8, &lower[2..]),
        [b'0', _, ..] => (8, &lower[1..]),
        _ => (10, lower.as_str()),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let value = i64::from_str_radix(digits, base).ok()?;
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_print_as_prometheus_prints_them() {
        for (value, text) in [
            (1.0, "1"),
            (0.1, "0.1"),
            (1.25e21, "1.25e+21"),
            (3.5e-9, "3.5e-09"),
            (-0.0, "-0"),
            (1e20, "100000000000000000000"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Inf"),
            (0.000001, "0.000001"),
        ] {
            let mut out = String::new();
            write_sample(&mut out, value);
            assert_eq!(out, text);
        }
    }

    #[test]
    fn numbers_read_as_go_reads_them() {
        assert_eq!(parse_float("+Inf"), Some(f64::INFINITY));
        assert_eq!(parse_float("0x1p4"), Some(16.0));
        assert_eq!(parse_float(".5"), Some(0.5));
        assert_eq!(parse_float("abc"), None);
        assert_eq!(parse_float("1.5 "), None);
        assert_eq!(parse_int_any_base("010"), Some(8));
        assert_eq!(parse_int_any_base("0x1F"), Some(31));
        assert_eq!(parse_int_any_base("1_000"), Some(1000));
    }
}
