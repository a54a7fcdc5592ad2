//! Dates: RFC 3339 in UTC.

use super::Unknowns::{Deep, Own};
use super::{Function, Gives, text};
use crate::datum::Constraint;
use crate::datum::Datum;

pub(super) const TABLE: &[Function] = &[
    Function("timestamp", 0, 0, Own, Gives::Text, |_, host| {
        Ok(host.now.map_or(Datum::Unknown(Constraint::Text), |now| Datum::Text(CivilTime::of(now).rfc3339())))
    }),
    Function("plantimestamp", 0, 0, Own, Gives::Text, |_, host| {
        Ok(host.now.map_or(Datum::Unknown(Constraint::Text), |now| Datum::Text(CivilTime::of(now).rfc3339())))
    }),
    Function("timeadd", 2, 2, Deep, Gives::Text, |a, _| {
        let at = CivilTime::parse(&text(&a[0])?)?.seconds();
        let at = at
            .checked_add(duration(&text(&a[1])?)?)
            .filter(|t| t.abs() < 200_000_000_000)
            .ok_or("the time is out of range")?;
        Ok(Datum::Text(CivilTime::of(at).rfc3339()))
    }),
    Function("timecmp", 2, 2, Deep, Gives::Number, |a, _| {
        let (left, right) = (CivilTime::parse(&text(&a[0])?)?.seconds(), CivilTime::parse(&text(&a[1])?)?.seconds());
        Ok(Datum::Number(f64::from(left.cmp(&right) as i8)))
    }),
    Function("formatdate", 2, 2, Deep, Gives::Text, |a, _| {
        Ok(Datum::Text(CivilTime::parse(&text(&a[1])?)?.format(&text(&a[0])?)?))
    }),
];

/// A date and a time of day.
#[derive(Clone, Copy)]
struct CivilTime {
    year: i64,
    month: i64,
    day: i64,
    second: i64,
}

impl CivilTime {
    /// From seconds since 1970, by the civil calendar.
    fn of(seconds: i64) -> Self {
        let days = seconds.div_euclid(86400) + 719_468;
        let (era, in_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146_096) / 365;
        let day_of_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self { year, month, day: day_of_year - (153 * shifted + 2) / 5 + 1, second: seconds.rem_euclid(86400) }
    }

    fn seconds(self) -> i64 {
        let year = self.year - i64::from(self.month <= 2);
        let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let shifted = (self.month + 9) % 12;
        let day_of_year = (153 * shifted + 2) / 5 + self.day - 1;
        let in_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        (era * 146_097 + in_era - 719_468) * 86400 + self.second
    }

    fn parse(text: &str) -> Result<Self, String> {
        let bad = || format!("not a valid RFC3339 timestamp: {text:?}");
        let bytes = text.as_bytes();
        if bytes.len() < 20
            || !text.is_ascii()
            || bytes[4] != b'-'
            || bytes[7] != b'-'
            || !matches!(bytes[10], b'T' | b't')
        {
            return Err(bad());
        }
        let part = |from: usize, to: usize| text[from..to].parse::<i64>().ok().filter(|n| *n >= 0).ok_or_else(bad);
        let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
        let second = part(11, 13)? * 3600 + part(14, 16)? * 60 + part(17, 19)?;
        let zone = text[19..].trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
        let offset = match zone.as_bytes() {
            [b'Z' | b'z'] => 0,
            [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
                let minutes = zone[1..3].parse::<i64>().map_err(|_| bad())? * 60
                    + zone[4..6].parse::<i64>().map_err(|_| bad())?;
                if *sign == b'+' { minutes * 60 } else { -minutes * 60 }
            }
            _ => return Err(bad()),
        };
        if !(1..=12).contains(&month) || !(1..=31).contains(&day) || second >= 86400 {
            return Err(bad());
        }
        let at = Self { year, month, day, second }.seconds() - offset;
        Ok(Self::of(at))
    }

    fn rfc3339(self) -> String {
        let (h, m, s) = self.clock();
        format!("{:04}-{:02}-{:02}T{h:02}:{m:02}:{s:02}Z", self.year, self.month, self.day)
    }

    fn clock(self) -> (i64, i64, i64) {
        (self.second / 3600, self.second / 60 % 60, self.second % 60)
    }

    fn format(self, pattern: &str) -> Result<String, String> {
        const MONTHS: [&str; 12] = [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ];
        const DAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];
        let (h, m, s) = self.clock();
        let month = usize::try_from(self.month - 1).ok().and_then(|i| MONTHS.get(i)).expect("months are 1 to 12");
        let weekday = DAYS[usize::try_from(self.seconds().div_euclid(86400).rem_euclid(7)).expect("it is 0 to 6")];
        let chars: Vec<char> = pattern.chars().collect();
        let mut made = String::new();
        let mut i = 0;
        while i < chars.len() {
            let c = chars[i];
            let run = chars[i..].iter().take_while(|x| **x == c).count();
            i += run;
            made.push_str(&match (c, run) {
                ('Y', 4) => format!("{:04}", self.year),
                ('Y', 2) => format!("{:02}", self.year % 100),
                ('M', 4) => (*month).to_owned(),
                ('M', 3) => month[..3].to_owned(),
                ('M', 2) => format!("{:02}", self.month),
                ('M', 1) => self.month.to_string(),
                ('D', 2) => format!("{:02}", self.day),
                ('D', 1) => self.day.to_string(),
                ('E', 4) => weekday.to_owned(),
                ('E', 3) => weekday[..3].to_owned(),
                ('h', 2) => format!("{h:02}"),
                ('h', 1) => h.to_string(),
                ('H', 2) => format!("{:02}", (h + 11) % 12 + 1),
                ('H', 1) => ((h + 11) % 12 + 1).to_string(),
                ('A', 2) => if h < 12 { "AM" } else { "PM" }.to_owned(),
                ('a', 2) => if h < 12 { "am" } else { "pm" }.to_owned(),
                ('m', 2) => format!("{m:02}"),
                ('m', 1) => m.to_string(),
                ('s', 2) => format!("{s:02}"),
                ('s', 1) => s.to_string(),
                ('Z', 1) => "Z".to_owned(),
                ('Z', 3) => "UTC".to_owned(),
                ('Z', 4) => "+0000".to_owned(),
                ('Z', 5) => "+00:00".to_owned(),
                ('\'', _) => {
                    let rest: String = chars[i..].iter().take_while(|x| **x != '\'').collect();
                    i += rest.chars().count() + 1;
                    rest
                }
                (c, _) if c.is_ascii_alphabetic() => {
                    return Err(format!("unsupported date format verb {:?}", c.to_string().repeat(run)));
                }
                (c, run) => c.to_string().repeat(run),
            });
        }
        Ok(made)
    }
}

/// Reads `1h30m` as seconds.
fn duration(text: &str) -> Result<i64, String> {
    let bad = || format!("not a valid duration: {text:?}");
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(bad)?;
        let amount: f64 = rest[..digits].parse().map_err(|_| bad())?;
        rest = &rest[digits..];
        let (unit, seconds) = [("ms", 0.001), ("us", 0.000_001), ("ns", 0.0), ("h", 3600.0), ("m", 60.0), ("s", 1.0)]
            .into_iter()
            .find(|(unit, _)| rest.starts_with(unit))
            .ok_or_else(bad)?;
        rest = &rest[unit.len()..];
        total += amount * seconds;
    }
    if total > 1e12 {
        return Err(bad());
    }
    #[allow(clippy::cast_possible_truncation)]
    Ok(sign * total as i64)
}
