//! Whether a line or a label passes.

use std::net::IpAddr;

use super::ast::{IpRange, LabelFilter, LineFilter, LineTest, Unit};
use super::lex::{bytes, duration};

impl LineFilter {
    fn found(&self, line: &str) -> bool {
        match &self.test {
            LineTest::Contains => line.contains(&self.text),
            LineTest::Regexp(regexp) => regexp.is_match(line),
            LineTest::Pattern(pattern) => pattern.fits(line),
            LineTest::Ip(range) => addresses(line).any(|a| range.holds(a)),
        }
    }
}

/// Alternatives of a filter: any of them for what must be there, none of them for what must not.
pub(super) fn line_passes(alternatives: &[LineFilter], line: &str) -> bool {
    match alternatives.first().map(|f| f.op) {
        Some(op) if op.is_negative() => !alternatives.iter().any(|f| f.found(line)),
        _ => alternatives.iter().any(|f| f.found(line)),
    }
}

/// What a filter of labels says: pass, do not, or a value that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Pass,
    Stop,
    Unreadable(String),
}

/// Asks a filter about labels.
pub(super) fn label_passes(filter: &LabelFilter, get: &dyn Fn(&str) -> String, failed: bool) -> Verdict {
    let truth = |holds: bool| if holds { Verdict::Pass } else { Verdict::Stop };
    match filter {
        LabelFilter::Text(matcher) => truth(matcher.matches(&get(&matcher.name))),
        LabelFilter::Number { label, op, value, unit, .. } => {
            // A line that already failed is kept, so that its error is seen.
            if failed {
                return Verdict::Pass;
            }
            let text = get(label);
            if text.is_empty() {
                return Verdict::Stop;
            }
            match read(&text, *unit) {
                Ok(found) => truth(op.holds(found, *value)),
                Err(why) => Verdict::Unreadable(why),
            }
        }
        LabelFilter::Ip { label, negative, range, .. } => {
            let text = get(label);
            if text.is_empty() {
                return Verdict::Stop;
            }
            truth(addresses(&text).any(|a| range.holds(a)) != *negative)
        }
        LabelFilter::And(a, b) => match label_passes(a, get, failed) {
            Verdict::Pass => label_passes(b, get, failed),
            other => other,
        },
        LabelFilter::Or(a, b) => match label_passes(a, get, failed) {
            Verdict::Stop => label_passes(b, get, failed),
            other => other,
        },
    }
}

/// A label's value as a number of its unit.
pub(super) fn read(text: &str, unit: Unit) -> Result<f64, String> {
    match unit {
        Unit::Plain => crate::go::parse_float(text)
            .ok_or_else(|| format!("strconv.ParseFloat: parsing {}: invalid syntax", crate::go::quote(text))),
        Unit::Duration => match duration(text) {
            Some(nanos) => Ok(nanos as f64 / 1e9),
            None => Err(format!("time: invalid duration {}", crate::go::quote(text))),
        },
        Unit::Bytes => {
            bytes(text).ok_or_else(|| format!("strconv.ParseFloat: parsing {}: invalid syntax", crate::go::quote(text)))
        }
    }
}

impl IpRange {
    pub fn holds(&self, address: IpAddr) -> bool {
        let (value, v4) = number(address);
        v4 == self.v4 && value >= self.first && value <= self.last
    }
}

fn number(address: IpAddr) -> (u128, bool) {
    match address {
        IpAddr::V4(a) => (u128::from(u32::from(a)), true),
        IpAddr::V6(a) => (u128::from(a), false),
    }
}

/// `10.0.0.1`, `10.0.0.0/8` or `10.0.0.1-10.0.0.9`.
pub(super) fn read_ip_range(text: &str) -> Option<IpRange> {
    if let Some((base, bits)) = text.split_once('/') {
        let (value, v4) = number(base.parse().ok()?);
        let width = if v4 { 32 } else { 128 };
        let bits: u32 = bits.parse().ok().filter(|b| *b <= width)?;
        let host = width - bits;
        let mask = if host >= 128 { u128::MAX } else { (1u128 << host) - 1 };
        return Some(IpRange { first: value & !mask, last: value | mask, v4 });
    }
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let ((first, v4), (last, _)) = (number(first.trim().parse().ok()?), number(last.trim().parse().ok()?));
    Some(IpRange { first, last, v4 })
}

/// The addresses in a text.
fn addresses(text: &str) -> impl Iterator<Item = IpAddr> {
    text.split(|c: char| !(c.is_ascii_hexdigit() || c == '.' || c == ':')).flat_map(|word| {
        let whole = word.parse().ok();
        // `10.0.0.1:80` holds an address too.
        whole.or_else(|| word.split(':').next().and_then(|host| host.parse().ok()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_addresses() {
        let inside = |range: &str, text: &str| {
            let range = read_ip_range(range).expect("a range");
            addresses(text).any(|a| range.holds(a))
        };
        assert!(inside("10.0.0.0/8", "from 10.244.0.5:40000 to"));
        assert!(!inside("10.0.0.0/8", "192.168.1.1"));
        assert!(inside("10.0.0.1-10.0.0.9", "10.0.0.4"));
        assert!(inside("::1", "addr ::1 x"));
        assert_eq!(read_ip_range("nope"), None);
    }

    #[test]
    fn values_with_units() {
        assert_eq!(read("1.5s", Unit::Duration), Ok(1.5));
        assert_eq!(read("8KB", Unit::Bytes), Ok(8000.0));
        assert_eq!(read("1KiB", Unit::Bytes), Ok(1024.0));
        assert!(read("x", Unit::Plain).is_err());
    }
}
