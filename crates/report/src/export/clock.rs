//! Moments in exports. Simulated time is written as if the world had begun at midnight on the first day
//! of 1970, so the clock shows what the agent saw and nothing depends on the day of the export.

use record::civil;

/// The moment at which every export was made.
pub const CREATED: &str = "1970-01-01T00:00:00+00:00";

const DAY: u64 = 86_400_000;

/// A moment in milliseconds since the world began, as ISO 8601.
pub fn stamp(time: u64) -> String {
    let (year, month, day) = civil(time / DAY);
    let (secs, millis) = ((time % DAY) / 1000, time % 1000);
    let (hour, minute, second) = (secs / 3600, secs / 60 % 60, secs % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}+00:00")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_have_a_date_and_a_time() {
        let check = |time: u64, expect: &str| assert_eq!(stamp(time), expect);
        check(0, "1970-01-01T00:00:00.000+00:00");
        check(43_995_000, "1970-01-01T12:13:15.000+00:00");
        check(DAY + 1, "1970-01-02T00:00:00.001+00:00");
        check(31 * DAY, "1970-02-01T00:00:00.000+00:00");
        check(789 * DAY, "1972-02-29T00:00:00.000+00:00");
        check(1_000_000_000_000, "2001-09-09T01:46:40.000+00:00");
    }
}
