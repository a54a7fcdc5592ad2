//! Text for a tired reader: aligned columns in one allocation. Numbers are written by hand because
//! the formatting machinery would cost more than everything else in a reply.

use std::fmt;

use world::Time;

/// Where the next column begins behind names: where it usually does, or behind the longest of them.
pub(crate) fn behind<'n>(usual: usize, names: impl Iterator<Item = &'n str>) -> usize {
    names.map(|name| name.len() + 2).fold(usual, usize::max)
}

/// A reply's text while it is written.
pub(crate) struct Sheet {
    text: String,
    line: usize,
}

impl Sheet {
    /// An empty sheet with room for so many bytes.
    pub fn new(room: usize) -> Sheet {
        Sheet { text: String::with_capacity(room), line: 0 }
    }

    /// Writes text.
    pub fn put(&mut self, text: &str) -> &mut Sheet {
        self.text.push_str(text);
        self
    }

    /// Fills the line with spaces up to a column; always leaves at least two.
    pub fn column(&mut self, at: usize) -> &mut Sheet {
        const SPACES: &str = "                                                ";
        let written = self.text.len() - self.line;
        let wanted = at.saturating_sub(written).clamp(2, SPACES.len());
        self.put(&SPACES[..wanted])
    }

    /// Ends the line.
    pub fn line(&mut self) -> &mut Sheet {
        self.text.push('\n');
        self.line = self.text.len();
        self
    }

    /// Writes a whole number.
    pub fn whole(&mut self, mut n: u64) -> &mut Sheet {
        let mut digits = [0u8; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (n % 10) as u8;
            n /= 10;
            if n == 0 {
                break;
            }
        }
        self.put(std::str::from_utf8(&digits[at..]).expect("digits"))
    }

    /// Writes a number with about three figures.
    pub fn figure(&mut self, value: f64) -> &mut Sheet {
        let size = value.abs();
        let (scale, decimals) = match size {
            a if !a.is_finite() => return self.put("no data"),
            a if a >= 100.0 => (1.0, 0),
            a if a >= 10.0 => (10.0, 1),
            a if a >= 1.0 => (100.0, 2),
            a if a >= 0.01 => (1000.0, 3),
            a if a >= 0.00005 => (10_000.0, 4),
            _ => return self.put("0"),
        };
        if value < 0.0 {
            self.put("-");
        }
        self.decimal((size * scale).round() as u64, decimals)
    }

    /// Writes `n` with so many of its last digits behind the point.
    fn decimal(&mut self, n: u64, decimals: usize) -> &mut Sheet {
        let scale = [1, 10, 100, 1000, 10_000][decimals];
        self.whole(n / scale);
        if decimals > 0 {
            let mut digits = [b'.', 0, 0, 0, 0];
            let mut rest = n % scale;
            for slot in digits[1..=decimals].iter_mut().rev() {
                *slot = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
            self.put(std::str::from_utf8(&digits[..=decimals]).expect("digits"));
        }
        self
    }

    /// Writes a sample with its unit, or that there is none.
    pub fn sample(&mut self, value: Option<f64>, unit: &str) -> &mut Sheet {
        match value {
            Some(value) => self.figure(value).put(unit),
            None => self.put("no data"),
        }
    }

    /// Writes a share as a percentage.
    pub fn percent(&mut self, share: f64) -> &mut Sheet {
        self.figure(share * 100.0).put("%")
    }

    /// Writes the time of day.
    pub fn time(&mut self, time: Time) -> &mut Sheet {
        let s = time.secs();
        let (h, m, s) = (s / 3600 % 24, s / 60 % 60, s % 60);
        let digit = |n: u64| b'0' + (n % 10) as u8;
        let text = [digit(h / 10), digit(h), b':', digit(m / 10), digit(m), b':', digit(s / 10), digit(s)];
        self.put(std::str::from_utf8(&text).expect("digits and colons"))
    }

    /// The text, without a line end behind the last line.
    pub fn done(mut self) -> String {
        while self.text.ends_with('\n') {
            self.text.pop();
        }
        self.text
    }
}

impl fmt::Write for Sheet {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.put(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use world::telemetry::alerts::Figure;

    fn shown(write: impl Fn(&mut Sheet)) -> String {
        let mut sheet = Sheet::new(0);
        write(&mut sheet);
        sheet.done()
    }

    #[test]
    fn figures_are_those_of_the_alerts() {
        for i in 0..20_000u32 {
            let value = f64::from(i) * f64::from(i) * 0.000_371_3 - 1.0;
            assert_eq!(shown(|s| _ = s.figure(value)), Figure(value).to_string(), "{value}");
        }
        let check = |value: f64, expect: &str| assert_eq!(shown(|s| _ = s.figure(value)), expect);
        check(0.0, "0");
        check(0.05, "0.050");
        check(0.0049, "0.0049");
        check(9.999, "10.00");
        check(-12.34, "-12.3");
        check(86_400.0, "86400");
        check(f64::NAN, "no data");
        check(f64::INFINITY, "no data");
        check(1e300, "18446744073709551615");
    }

    #[test]
    fn times_are_those_of_the_world() {
        for secs in [0, 59, 3_599, 3_600, 35_999, 86_399, 86_400, 90_061] {
            let time = Time(secs * 1000);
            assert_eq!(shown(|s| _ = s.time(time)), time.to_string());
        }
    }

    #[test]
    fn columns_line_up_and_never_touch() {
        let text = shown(|s| {
            s.put("a").column(6).put("b").line();
            s.put("longer name").column(6).put("b").line();
        });
        assert_eq!(text, "a     b\nlonger name  b");
    }
}
