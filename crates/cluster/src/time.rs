//! Instants as Kubernetes writes them, and ages as its tables print them.
//!
//! The cluster reads no clock: it is told the time, in microseconds since 1970.

use std::time::Duration;

/// An instant: microseconds since the beginning of 1970, in UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp(pub i64);

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400;

impl Stamp {
    /// The instant this many seconds after the beginning of 1970.
    pub fn from_secs(seconds: i64) -> Self {
        Self(seconds.saturating_mul(SECOND))
    }

    /// Whole seconds since the beginning of 1970.
    pub fn secs(self) -> i64 {
        self.0.div_euclid(SECOND)
    }

    /// The instant this much later.
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(span.as_micros()).unwrap_or(i64::MAX / 4)))
    }

    /// The instant this many seconds later.
    pub fn after_secs(self, seconds: i64) -> Self {
        // Clients may ask for any number of seconds.
        Self(self.0.saturating_add(seconds.saturating_mul(SECOND)))
    }

    /// How long it is since an earlier instant; nothing if that one is later.
    pub fn since(self, earlier: Stamp) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// As `metav1.Time`: `2026-11-15T02:37:22Z`.
    pub fn rfc3339(self) -> String {
        let (year, month, day, hour, minute, second) = self.civil();
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }

    /// As `metav1.MicroTime`: `2026-11-15T02:37:22.000000Z`.
    pub fn rfc3339_micro(self) -> String {
        let whole = self.rfc3339();
        format!("{}.{:06}Z", whole.trim_end_matches('Z'), self.0.rem_euclid(SECOND))
    }

    /// Reads either form, with or without a fraction, in UTC or with an offset.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
        if bytes.len() < 20 || !text.is_ascii() || separators.iter().any(|(at, sign)| bytes[*at] != *sign) {
            return None;
        }
        let number = |from: usize, to: usize| text[from..to].parse::<i64>().ok().filter(|n| *n >= 0);
        let days = days_from_civil(number(0, 4)?, number(5, 7)?, number(8, 10)?)?;
        let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let (fraction, zone) = fraction(&text[19..])?;
        let seconds = days * DAY + hour * 3600 + minute * 60 + second - offset(zone)?;
        Some(Self(seconds * SECOND + fraction))
    }

    /// Year, month, day, hour, minute and second in UTC.
    pub fn civil(self) -> (i64, i64, i64, i64, i64, i64) {
        let seconds = self.secs();
        let (days, rest) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
        let (year, month, day) = civil_from_days(days);
        (year, month, day, rest / 3600, rest / 60 % 60, rest % 60)
    }

    /// The day of the week, Sunday being 0.
    pub fn weekday(self) -> i64 {
        (self.secs().div_euclid(DAY) + 4).rem_euclid(7)
    }
}

fn fraction(rest: &str) -> Option<(i64, &str)> {
    let Some(digits) = rest.strip_prefix('.') else { return Some((0, rest)) };
    let end = digits.find(|c: char| !c.is_ascii_digit())?;
    let micros: String = digits[..end].chars().chain("000000".chars()).take(6).collect();
    Some((micros.parse().ok()?, &digits[end..]))
}

fn offset(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let sign = match zone.get(..1)? {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    Some(sign * (hours.parse::<u16>().ok()? as i64 * 3600 + minutes.parse::<u16>().ok()? as i64 * 60))
}

/// Days since 1970 of a date in the Gregorian calendar, counted in years that begin in March.
fn days_from_civil(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// A span as tables print it: `45s`, `4m1s`, `12m`, `3h5m`, `30h`, `2d4h`, `40d`, `2y35d`.
pub fn human(span: Duration) -> String {
    let seconds = span.as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let both = |a: u64, one: &str, b: u64, two: &str| match b {
        0 => format!("{a}{one}"),
        _ => format!("{a}{one}{b}{two}"),
    };
    match () {
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 => both(minutes, "m", seconds % 60, "s"),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 => both(hours, "h", minutes % 60, "m"),
        () if hours < 48 => format!("{hours}h"),
        () if days < 8 => both(days, "d", hours % 24, "h"),
        () if days < 730 => format!("{days}d"),
        () if days < 2920 => both(days / 365, "y", days % 365, "d"),
        () => format!("{}y", days / 365),
    }
}

/// How old something is as tables print it; a time that is not there is unknown.
pub fn age(now: Stamp, written: &str) -> String {
    match Stamp::parse(written) {
        None => "<unknown>".into(),
        Some(then) if then.secs() > now.secs() + 1 => "<invalid>".into(),
        Some(then) => human(now.since(then)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_read_as_they_are_written() {
        for seconds in [0, 951_782_400, 1_794_710_242, 4_102_444_799] {
            let stamp = Stamp::from_secs(seconds);
            assert_eq!(Stamp::parse(&stamp.rfc3339()), Some(stamp));
        }
        let check = |text: &str, expect: Option<i64>| assert_eq!(Stamp::parse(text).map(|s| s.0), expect, "{text}");
        check("2026-11-15T02:37:22Z", Some(1_794_710_242_000_000));
        check("2026-11-15T02:37:22.500Z", Some(1_794_710_242_500_000));
        check("2026-11-15T03:37:22+01:00", Some(1_794_710_242_000_000));
        check("2026-13-15T02:37:22Z", None);
        check("yesterday", None);
        check("", None);
        assert_eq!(Stamp(1_794_710_242_000_007).rfc3339_micro(), "2026-11-15T02:37:22.000007Z");
    }

    #[test]
    fn ages_are_short() {
        let check = |seconds: u64, expect: &str| assert_eq!(human(Duration::from_secs(seconds)), expect);
        check(0, "0s");
        check(119, "119s");
        check(120, "2m");
        check(241, "4m1s");
        check(720, "12m");
        check(3 * 3600, "3h");
        check(3 * 3600 + 300, "3h5m");
        check(30 * 3600, "30h");
        check(52 * 3600, "2d4h");
        check(40 * 86_400, "40d");
        check(765 * 86_400, "2y35d");
    }
}
