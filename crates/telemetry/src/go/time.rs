//! Calendar arithmetic in UTC and RFC 3339.

/// A moment of the civil calendar, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Civil {
    pub year: i64,
    pub month: u32,
    pub day: u32,
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
}

impl Civil {
    /// The calendar at a moment given in Unix seconds.
    pub fn of(seconds: i64) -> Self {
        Self::of_wide(i128::from(seconds))
    }

    /// The calendar at any moment: Go's ends wrap around, so more than 64 bits are asked about.
    pub fn of_wide(seconds: i128) -> Self {
        let (days, rest) = (seconds.div_euclid(86_400) as i64, seconds.rem_euclid(86_400) as u32);
        let (year, month, day) = date_of(days);
        Self { year, month, day, hour: rest / 3600, minute: rest / 60 % 60, second: rest % 60 }
    }

    /// Unix seconds of this moment.
    pub fn seconds(self) -> i64 {
        days_of(self.year, self.month, self.day) * 86_400 + i64::from(self.hour * 3600 + self.minute * 60 + self.second)
    }

    /// Sunday is 0.
    pub fn weekday(self) -> u32 {
        (days_of(self.year, self.month, self.day) + 4).rem_euclid(7) as u32
    }

    /// The first of January is 1.
    pub fn day_of_year(self) -> u32 {
        (days_of(self.year, self.month, self.day) - days_of(self.year, 1, 1)) as u32 + 1
    }

    /// How many days this month has.
    pub fn days_in_month(self) -> u32 {
        let (year, month) = if self.month == 12 { (self.year + 1, 1) } else { (self.year, self.month + 1) };
        (days_of(year, month, 1) - days_of(self.year, self.month, 1)) as u32
    }
}

/// Days since 1970-01-01 of a date, by counting years from March so that leap days come last.
fn days_of(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = i64::from((153 * ((month + 9) % 12) + 2) / 5 + day - 1);
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn date_of(days: i64) -> (i64, u32, u32) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * month + 2) / 5 + 1) as u32;
    let month = if month < 10 { month + 3 } else { month - 9 } as u32;
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// `2026-01-01T12:20:07.5Z` with as many decimals as the moment needs.
pub(crate) fn rfc3339_nanos(nanos: i64) -> String {
    let fraction = nanos.rem_euclid(1_000_000_000);
    let base = rfc3339(nanos.div_euclid(1_000_000_000));
    if fraction == 0 {
        return base;
    }
    let digits = format!("{fraction:09}");
    format!("{}.{}Z", base.trim_end_matches('Z'), digits.trim_end_matches('0'))
}

/// `2026-01-01T12:20:07Z`
pub(crate) fn rfc3339(seconds: i64) -> String {
    let c = Civil::of(seconds);
    format!("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", c.year, c.month, c.day, c.hour, c.minute, c.second)
}

/// Nanoseconds of an RFC 3339 time; none where it is not one.
pub(crate) fn parse_rfc3339(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    if bytes.len() < 20 || !text.is_ascii() {
        return None;
    }
    let number = |from: usize, to: usize| -> Option<u32> {
        let part = &text[from..to];
        part.bytes().all(|c| c.is_ascii_digit()).then(|| part.parse().ok()).flatten()
    };
    let separated = bytes[4] == b'-' && bytes[7] == b'-' && matches!(bytes[10], b'T' | b't');
    if !separated || bytes[13] != b':' || bytes[16] != b':' {
        return None;
    }
    let civil = Civil {
        year: i64::from(number(0, 4)?),
        month: number(5, 7).filter(|m| (1..=12).contains(m))?,
        day: number(8, 10).filter(|d| (1..=31).contains(d))?,
        hour: number(11, 13).filter(|h| *h < 24)?,
        minute: number(14, 16).filter(|m| *m < 60)?,
        second: number(17, 19).filter(|s| *s < 60)?,
    };
    if civil.day > civil.days_in_month() {
        return None;
    }
    let mut rest = &text[19..];
    let mut nanos = 0i64;
    if let Some(fraction) = rest.strip_prefix('.') {
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        let padded = format!("{:0<9}", &fraction[..digits.min(9)]);
        nanos = (digits > 0).then(|| padded.parse().ok()).flatten()?;
        rest = &fraction[digits..];
    }
    Some((civil.seconds() - zone(rest)?).checked_mul(1_000_000_000)? + nanos)
}

/// Seconds east of UTC.
fn zone(text: &str) -> Option<i64> {
    if text == "Z" || text == "z" {
        return Some(0);
    }
    let sign = match text.as_bytes() {
        [b'+', _, _, b':', _, _] => 1,
        [b'-', _, _, b':', _, _] => -1,
        _ => return None,
    };
    let (hours, minutes): (i64, i64) = (text[1..3].parse().ok()?, text[4..6].parse().ok()?);
    Some(sign * (hours * 3600 + minutes * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calendar_goes_both_ways() {
        for seconds in [0, 951_782_400, 1_456_790_399, 1_767_270_007, -1, -62_135_596_800, 4_102_444_800] {
            assert_eq!(Civil::of(seconds).seconds(), seconds);
        }
        assert_eq!(Civil::of(1_136_239_445).weekday(), 1);
        assert_eq!(Civil::of(1_483_191_420).day_of_year(), 366);
        assert_eq!(Civil::of(1_454_284_800).days_in_month(), 29);
    }

    #[test]
    fn times_are_read_and_printed() {
        assert_eq!(parse_rfc3339("2026-01-01T12:20:07.5Z"), Some(1_767_270_007_500_000_000));
        assert_eq!(parse_rfc3339("2026-01-01T13:20:07+01:00"), Some(1_767_270_007_000_000_000));
        assert_eq!(parse_rfc3339("2026-01-01 12:20:07"), None);
        assert_eq!(rfc3339_nanos(1_767_270_007_500_000_000), "2026-01-01T12:20:07.5Z");
    }
}
