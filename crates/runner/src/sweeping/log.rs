//! The log file of a run: one line per event, with the time of day.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use harness::civil;

/// An open log file.
pub struct RunLog {
    file: File,
}

impl RunLog {
    /// Opens it; what is there stays.
    pub fn open(path: &Path) -> anyhow::Result<RunLog> {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file =
            file.with_context(|| format!("cannot write the log {}; choose another --log-file", path.display()))?;
        Ok(RunLog { file })
    }

    /// Writes a line. A log that cannot be written must not end the run that it is about.
    pub fn write(&mut self, stamp: &str, text: &str) {
        let _ = writeln!(self.file, "{stamp} {text}");
    }
}

/// `2026-01-31T12:00:00Z`, from the time since 1970.
pub fn stamp(time: Duration) -> String {
    let (days, seconds) = (time.as_secs() / 86_400, time.as_secs() % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute) = (seconds / 3600, seconds / 60 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{:02}Z", seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_people_read_them() {
        let check = |seconds: u64, expect: &str| assert_eq!(stamp(Duration::from_secs(seconds)), expect);
        check(0, "1970-01-01T00:00:00Z");
        check(951_782_399, "2000-02-28T23:59:59Z");
        check(951_782_400, "2000-02-29T00:00:00Z");
        check(951_868_800, "2000-03-01T00:00:00Z");
        check(1_799_999_999, "2027-01-15T07:59:59Z");
        check(4_107_542_400, "2100-03-01T00:00:00Z");
    }
}
