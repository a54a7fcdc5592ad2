//! Dates as headers write them. Days are counted as in the proleptic Gregorian calendar.

use harness::civil;

use crate::model::UnixSeconds;

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAY: u64 = 86_400;

/// `20150830T123600Z`, as AWS signs it.
pub(super) fn amz_date(time: UnixSeconds) -> String {
    let (year, month, day) = civil(time.0 / DAY);
    let s = time.0 % DAY;
    format!("{year:04}{month:02}{day:02}T{:02}{:02}{:02}Z", s / 3600, s / 60 % 60, s % 60)
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, and the older forms that RFC 9110 still allows.
pub(super) fn http_date(text: &str) -> Option<UnixSeconds> {
    let words: Vec<&str> = text.split([' ', ',', '-']).filter(|word| !word.is_empty()).collect();
    let (day, month, year, clock) = match words[..] {
        [_, day, month, year, clock, "GMT" | "UTC"] => (day, month, year, clock),
        [_, month, day, clock, year] => (day, month, year, clock),
        _ => return None,
    };
    let month = MONTHS.iter().position(|m| m.eq_ignore_ascii_case(month))? as u64 + 1;
    let year = match year.parse::<u64>().ok()? {
        y @ 0..70 => 2000 + y,
        y @ 70..100 => 1900 + y,
        y => y,
    };
    at(year, month, day.parse().ok()?, clock)
}

/// `2025-03-04T05:06:07Z`, with or without fractions of a second.
pub(super) fn rfc3339(text: &str) -> Option<UnixSeconds> {
    let (date, clock) = text.trim().split_once(['T', 't', ' '])?;
    let mut parts = date.split('-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let clock = clock.strip_suffix(['Z', 'z']).or_else(|| clock.strip_suffix("+00:00"))?;
    at(year, month, day, clock.split('.').next()?)
}

fn at(year: u64, month: u64, day: u64, clock: &str) -> Option<UnixSeconds> {
    let mut parts = clock.split(':').map(|part| part.parse::<u64>().ok());
    let (h, m, s) = (parts.next()??, parts.next()??, parts.next()??);
    let sound = (1970..10_000).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    let sound = sound && h < 24 && m < 60 && s <= 60;
    sound.then(|| UnixSeconds(days(year, month, day) * DAY + h * 3600 + m * 60 + s))
}

/// Days since 1970 (Howard Hinnant's algorithm: years begin in March, so that leap days come last).
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year / 400, year % 400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    era * 146_097 + of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_every_form_that_http_allows() {
        let check = |text: &str, expect: Option<u64>| assert_eq!(http_date(text).map(|t| t.0), expect, "{text}");
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777));
        check("Sunday, 06-Nov-94 08:49:37 GMT", Some(784_111_777));
        check("Sun Nov  6 08:49:37 1994", Some(784_111_777));
        check("Thu, 29 Feb 2024 00:00:00 GMT", Some(1_709_164_800));
        check("Thu, 29 Feb 2024 25:00:00 GMT", None);
        check("Thu, 29 Foo 2024 00:00:00 GMT", None);
        check("soon", None);
        check("", None);
    }

    #[test]
    fn timestamps_are_read() {
        let check = |text: &str, expect: Option<u64>| assert_eq!(rfc3339(text).map(|t| t.0), expect, "{text}");
        check("1994-11-06T08:49:37Z", Some(784_111_777));
        check("1994-11-06T08:49:37.250Z", Some(784_111_777));
        check("1994-11-06T08:49:37+00:00", Some(784_111_777));
        check("1994-11-06", None);
        check("1994-13-06T08:49:37Z", None);
    }

    #[test]
    fn what_is_written_reads_back() {
        for time in [0, 951_782_400, 951_868_799, 1_440_938_160, 1_709_251_199, 4_102_444_800] {
            let text = amz_date(UnixSeconds(time));
            let (date, clock) = text.trim_end_matches('Z').split_once('T').expect("a date and a clock");
            let stamp = format!(
                "{}-{}-{}T{}:{}:{}Z",
                &date[..4],
                &date[4..6],
                &date[6..],
                &clock[..2],
                &clock[2..4],
                &clock[4..]
            );
            assert_eq!(rfc3339(&stamp), Some(UnixSeconds(time)), "{text}");
        }
        assert_eq!(amz_date(UnixSeconds(1_440_938_160)), "20150830T123600Z");
    }
}
