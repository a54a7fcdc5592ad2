//! Cron expressions: five fields, `@daily` and the like.

use crate::time::Stamp;

/// When a CronJob runs, in UTC: the minutes that all five fields allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CronSchedule {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// If both days are said, either of them is enough.
    either_day: bool,
}

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

impl CronSchedule {
    /// Reads an expression; the error is worded as the real server's.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = match text.trim() {
            "@yearly" | "@annually" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" | "@midnight" => "0 0 * * *",
            "@hourly" => "0 * * * *",
            other => other,
        };
        let fields: Vec<_> = text.split_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = fields.as_slice() else {
            return Err(format!("expected exactly 5 fields, found {}: {fields:?}", fields.len())
                .replace(", \"", " \"")
                .replace('"', ""));
        };
        let mut week = field(weekdays, 0, 7, &WEEKDAYS)?;
        // Sunday is 0 and 7.
        if week >> 7 & 1 == 1 {
            week |= 1;
        }
        Ok(Self {
            minutes: field(minutes, 0, 59, &[])?,
            hours: field(hours, 0, 23, &[])?,
            days: field(days, 1, 31, &[])?,
            months: field(months, 1, 12, &MONTHS)?,
            weekdays: week,
            either_day: !is_any(days) && !is_any(weekdays),
        })
    }

    /// The first minute after an instant at which it is due; nothing within five years means never.
    pub fn next(&self, after: Stamp) -> Option<Stamp> {
        let mut at = Stamp::from_secs(after.secs().div_euclid(60) * 60 + 60);
        let end = after.after_secs(5 * 366 * 86_400);
        while at <= end {
            let (_, month, day, hour, minute, _) = at.civil();
            let has = |bits: u64, value: i64| bits >> value & 1 == 1;
            if !has(self.months, month) || !self.has_day(day, at.weekday()) {
                at = Stamp::from_secs((at.secs().div_euclid(86_400) + 1) * 86_400);
            } else if !has(self.hours, hour) {
                at = Stamp::from_secs((at.secs().div_euclid(3600) + 1) * 3600);
            } else if !has(self.minutes, minute) {
                at = at.after_secs(60);
            } else {
                return Some(at);
            }
        }
        None
    }

    fn has_day(&self, day: i64, weekday: i64) -> bool {
        let (month, week) = (self.days >> day & 1 == 1, self.weekdays >> weekday & 1 == 1);
        if self.either_day { month || week } else { month && week }
    }
}

fn is_any(field: &str) -> bool {
    field.starts_with('*') || field == "?"
}

fn field(text: &str, least: u64, most: u64, names: &[&str]) -> Result<u64, String> {
    let mut bits = 0;
    for part in text.split(',') {
        let (range, step) = part.split_once('/').map_or((part, None), |(range, step)| (range, Some(step)));
        let number = |word: &str| -> Result<u64, String> {
            let lower = word.to_lowercase();
            let named = names.iter().position(|name| *name == lower).map(|at| at as u64 + least.min(1));
            named.or_else(|| word.parse().ok()).ok_or_else(|| {
                format!("failed to parse int from {word}: strconv.Atoi: parsing {word:?}: invalid syntax")
            })
        };
        let (from, to) = match range.split_once('-') {
            _ if is_any(range) => (least, most),
            Some((from, to)) => (number(from)?, number(to)?),
            None if step.is_some() => (number(range)?, most),
            None => (number(range)?, number(range)?),
        };
        let step = step.map_or(Ok(1), number)?;
        if from < least {
            return Err(format!("beginning of range ({from}) below minimum ({least}): {part}"));
        }
        if to > most {
            return Err(format!("end of range ({to}) above maximum ({most}): {part}"));
        }
        if from > to {
            return Err(format!("beginning of range ({from}) beyond end of range ({to}): {part}"));
        }
        if step == 0 {
            return Err(format!("step of range should be a positive number: {part}"));
        }
        bits |= (from..=to).step_by(step as usize).fold(0, |bits, at| bits | 1 << at);
    }
    Ok(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_met() {
        let start = Stamp::parse("2026-11-15T02:37:22Z").expect("a time");
        let check = |text: &str, expect: &str| {
            let next = CronSchedule::parse(text).expect("a schedule").next(start);
            assert_eq!(next.map(Stamp::rfc3339).as_deref(), Some(expect), "{text}");
        };
        check("* * * * *", "2026-11-15T02:38:00Z");
        check("*/5 * * * *", "2026-11-15T02:40:00Z");
        check("0 3 * * *", "2026-11-15T03:00:00Z");
        check("0 2 * * *", "2026-11-16T02:00:00Z");
        check("0 0 * * mon", "2026-11-16T00:00:00Z");
        check("0 0 1 jan *", "2027-01-01T00:00:00Z");
        check("@hourly", "2026-11-15T03:00:00Z");
        check("30 4 1,15 * 5", "2026-11-15T04:30:00Z");
        for bad in ["", "* * * *", "61 * * * *", "a * * * *", "5-1 * * * *", "*/0 * * * *"] {
            assert!(CronSchedule::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(CronSchedule::parse("0 0 30 2 *").expect("a schedule").next(start), None);
    }
}
