//! Results go to standard output, everything else to standard error.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was told while it could not be read, if that is so now.
static HELD: Mutex<Option<Vec<String>>> = Mutex::new(None);

/// Prints a result. The reader may be gone: that is an error like any other, never a panic.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(plain(text).as_bytes())?;
    out.flush()
}

/// Tells the person at the terminal something; if the terminal is closed, nothing is lost.
pub fn note(text: &str) {
    match &mut *held() {
        Some(notes) => notes.push(text.to_string()),
        None => write(text),
    }
}

/// Keeps back what is told from now on: something else has the terminal.
#[cfg(feature = "tui")]
pub fn hold() {
    held().get_or_insert_default();
}

/// The last thing that was kept back.
#[cfg(feature = "tui")]
pub fn last_held() -> Option<String> {
    held().as_ref()?.last().cloned()
}

/// Tells what was kept back; the terminal can be read again.
#[cfg(feature = "tui")]
pub fn release() {
    let notes = held().take();
    notes.into_iter().flatten().for_each(|text| write(&text));
}

/// Panics are told here too, so that one of them must not silence the next.
fn held() -> MutexGuard<'static, Option<Vec<String>>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write(text: &str) {
    let _ = writeln!(io::stderr(), "{}", plain(text));
}

/// Names and messages come from files and providers: nothing of them may move a cursor or change a terminal.
fn plain(text: &str) -> Cow<'_, str> {
    let strange = |c: char| c.is_control() && c != '\n' && c != '\t';
    if text.contains(strange) { text.replace(strange, " ").into() } else { text.into() }
}

/// `1 episode`, `3 episodes`.
pub fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

#[cfg(all(test, feature = "tui"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_under_a_screen_is_kept() {
        hold();
        note("one");
        note("two");
        assert_eq!(last_held().as_deref(), Some("two"));
        release();
        assert_eq!(last_held(), None);
    }
}

#[cfg(test)]
mod plain_tests {
    #[test]
    fn nothing_that_is_told_moves_a_cursor() {
        assert_eq!(super::plain("a\u{1b}[2Jb\rc\n\td"), "a [2Jb c\n\td");
        assert_eq!(super::plain("é █ 3"), "é █ 3");
    }
}
