//! Lines that carry the time somewhere within: programs that log in a style of their own write it in many ways.

use cluster::Stamp;

/// Whether a time is to be written into a line.
pub(crate) fn is_dated(line: &str) -> bool {
    line.contains("{t:")
}

/// A line with the time in each place that asks for it.
pub(crate) fn dated(line: &str, at: Stamp) -> String {
    let (year, month, day, hour, minute, second) = at.civil();
    let micros = at.0.rem_euclid(1_000_000);
    let millis = micros / 1000;
    let clock = format!("{hour:02}:{minute:02}:{second:02}");
    let date = format!("{year}-{month:02}-{day:02}");
    let forms = [
        ("klog", format!("I{month:02}{day:02} {clock}.{micros:06}       1")),
        ("s", at.rfc3339()),
        ("ms", format!("{date}T{clock}.{millis:03}Z")),
        ("micro", format!("{date}T{clock}.{micros:06}+00:00")),
        ("comma", format!("{date}T{clock},{millis:03}")),
        ("calico", format!("{date} {clock}.{millis:03}")),
        ("go", format!("{year}/{month:02}/{day:02} {clock}")),
        ("pingcap", format!("{year}/{month:02}/{day:02} {clock}.{millis:03} +00:00")),
        ("elixir", format!("{clock}.{millis:03}")),
        ("unix", format!("{}.{micros:06}", at.secs())),
    ];
    forms.iter().fold(line.to_string(), |line, (name, time)| line.replace(&format!("{{t:{name}}}"), time))
}

/// A line that carries one time, with another time of the same day in its place.
pub(crate) fn moved(line: &str, from: Stamp, to: Stamp) -> String {
    let clock = |at: Stamp, mark: char| {
        let (.., hour, minute, second) = at.civil();
        format!("{hour:02}:{minute:02}:{second:02}{mark}{:03}", at.0.rem_euclid(1_000_000) / 1000)
    };
    if from.secs().div_euclid(86_400) != to.secs().div_euclid(86_400) {
        return line.to_string();
    }
    // The finer a time is written, the earlier it is looked for.
    let fine = |at: Stamp| format!("{}{:03}", clock(at, '.'), at.0.rem_euclid(1000));
    let unix = |at: Stamp| format!("{}:{:06}", at.secs(), at.0.rem_euclid(1_000_000));
    let line = if line.contains(&fine(from)) { line.replace(&fine(from), &fine(to)) } else { line.to_string() };
    line.replace(&unix(from), &unix(to))
        .replace(&clock(from, '.'), &clock(to, '.'))
        .replace(&clock(from, ','), &clock(to, ','))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_each_logger_does() {
        let at = Stamp(1_794_700_800_000_000 + 7_012_345);
        let check = |line: &str, expect: &str| assert_eq!(dated(line, at), expect);
        check("{t:klog} a.go:1] up", "I1115 00:00:07.012345       1 a.go:1] up");
        check("ts={t:ms} level=info", "ts=2026-11-15T00:00:07.012Z level=info");
        check("{\"ts\":{t:unix}}", "{\"ts\":1794700807.012345}");
        check("[{t:comma}] {t:go}", "[2026-11-15T00:00:07,012] 2026/11/15 00:00:07");
        assert!(is_dated("{t:ms} up") && !is_dated("{time} up"));
    }

    #[test]
    fn lines_move_to_another_time_of_the_day() {
        let at = Stamp(1_794_700_800_000_000 + 7_012_345);
        let check = |seconds: i64, line: &str, expect: &str| {
            assert_eq!(moved(line, at, Stamp(at.0 + seconds * 1_000_000 + 5_000)), expect);
        };
        check(0, "2026-11-15T00:00:07.012Z up", "2026-11-15T00:00:07.017Z up");
        check(53, "[2026-11-15 00:00:07,012] INFO up", "[2026-11-15 00:01:00,017] INFO up");
        check(0, "2026-11-15T00:00:07.012345Z up", "2026-11-15T00:00:07.017345Z up");
        check(1, "[1794700807:012345] up", "[1794700808:017345] up");
        check(0, "no time", "no time");
        check(86_400, "2026-11-15T00:00:07.012Z up", "2026-11-15T00:00:07.012Z up");
    }
}
