//! Reading what a program writes: line by line, up to a length, up to a total.

use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;

use super::Tell;

/// The longest line that is an action.
const LINE: usize = 64 * 1024;
/// So many lines of an episode go to the log, and so many letters of each.
const LOGGED: usize = 100;
const SHOWN: usize = 500;

/// What came out.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// A line.
    Line(String),
    /// There is no more to come.
    Closed,
    /// It is more than will be read.
    Flooded,
}

/// How much may be written, over all streams of a program.
#[derive(Clone)]
pub struct Allowance {
    left: Arc<AtomicU64>,
    spent: Arc<AtomicBool>,
}

impl Allowance {
    /// So many bytes.
    pub fn new(bytes: u64) -> Allowance {
        Allowance { left: Arc::new(AtomicU64::new(bytes)), spent: Arc::default() }
    }

    /// Whether more was written.
    pub fn is_spent(&self) -> bool {
        self.spent.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: usize) -> bool {
        let less = |left: u64| left.checked_sub(bytes as u64);
        let fits = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok();
        if !fits {
            self.spent.store(true, Ordering::Relaxed);
        }
        fits
    }
}

/// Hands on each line as soon as it is wanted: a program that writes ahead waits, as at any pipe.
pub fn listen(stream: impl Read, allowance: &Allowance, to: &SyncSender<Heard>) {
    let mut stream = BufReader::new(stream);
    loop {
        let heard = match read_line(&mut stream, LINE, allowance) {
            Line::Whole(text) => Heard::Line(text),
            Line::End => Heard::Closed,
            Line::Part(_) | Line::Spent => Heard::Flooded,
        };
        let last = !matches!(heard, Heard::Line(_));
        if to.send(heard).is_err() || last {
            return;
        }
    }
}

/// Writes the first lines to the log and reads the others away.
pub fn log(stream: impl Read, allowance: &Allowance, label: &str, tell: &Tell) {
    let mut stream = BufReader::new(stream);
    for _ in 0..LOGGED {
        match read_line(&mut stream, SHOWN, allowance) {
            Line::Whole(text) | Line::Part(text) => tell(&format!("{label}: {text}")),
            Line::End | Line::Spent => return,
        }
    }
    let mut more = false;
    while let Some(used) = stream.fill_buf().ok().map(<[u8]>::len).filter(|used| *used > 0 && allowance.take(*used)) {
        stream.consume(used);
        if !more {
            tell(&format!("{label}: it writes more than {LOGGED} lines; the others are left out"));
        }
        more = true;
    }
}

enum Line {
    Whole(String),
    /// As much of it as may be; the rest comes next.
    Part(String),
    End,
    Spent,
}

fn read_line(stream: &mut impl BufRead, most: usize, allowance: &Allowance) -> Line {
    let mut line = Vec::new();
    let text = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
    loop {
        // A pipe that breaks has nothing more to say.
        let bytes = stream.fill_buf().unwrap_or_default();
        if bytes.is_empty() {
            return if line.is_empty() { Line::End } else { Line::Whole(text(&line)) };
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let room = most - line.len();
        let part = &bytes[..end.unwrap_or(bytes.len()).min(room + 1)];
        let (long, whole) = (part.len() > room, end == Some(part.len()));
        let used = part.len() + usize::from(whole && !long);
        line.extend_from_slice(part);
        if !allowance.take(used) {
            return Line::Spent;
        }
        stream.consume(used);
        if long {
            return Line::Part(text(&line));
        }
        if whole {
            return Line::Whole(text(&line));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;
    use std::sync::{Mutex, PoisonError};

    use super::*;

    #[test]
    fn lines_are_heard_up_to_a_length_and_a_total() {
        let check = |text: &str, bytes: u64, expect: &[&str]| {
            let (to, heard) = sync_channel(100);
            listen(text.as_bytes(), &Allowance::new(bytes), &to);
            let found: Vec<String> = heard
                .try_iter()
                .map(|heard| match heard {
                    Heard::Line(line) => line,
                    other => format!("<{other:?}>"),
                })
                .collect();
            assert_eq!(found, expect);
        };
        check("", 100, &["<Closed>"]);
        check("a\n\nb", 100, &["a", "", "b", "<Closed>"]);
        check("a\nbb\n", 2, &["a", "<Flooded>"]);
        check(&"x".repeat(LINE), 1 << 20, &[&"x".repeat(LINE), "<Closed>"]);
        check(&"x".repeat(LINE + 1), 1 << 20, &["<Flooded>"]);
        check(&("x".repeat(LINE + 1) + "\nrest\n"), 1 << 20, &["<Flooded>"]);
    }

    #[test]
    fn the_log_takes_the_beginning() {
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let into = seen.clone();
        let tell: Tell = Arc::new(move |text| into.lock().unwrap_or_else(PoisonError::into_inner).push(text.into()));
        let text = "y".repeat(SHOWN + 1) + "\n" + &"z\n".repeat(LOGGED + 50);
        log(text.as_bytes(), &Allowance::new(1 << 20), "who", &tell);
        let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(seen.len(), LOGGED + 1);
        assert_eq!((seen[0].len(), seen[1].as_str()), ("who: ".len() + SHOWN + 1, "who: "));
    }
}
