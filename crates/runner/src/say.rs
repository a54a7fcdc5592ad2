//! What is told of a run: results, and notes to the person at the terminal. Where both go is the program's matter; a
//! library that nothing listens to is silent.

use std::borrow::Cow;
use std::io;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Where results and notes go. The program that owns the terminal gives one.
pub trait OutputSink: Send + Sync {
    /// Takes a result. The reader may be gone: that is an error like any other, never a panic.
    fn result(&self, text: &str) -> io::Result<()>;
    /// Takes a note; if the terminal is closed, nothing is lost.
    fn note(&self, text: &str);
}

static SINK: OnceLock<&'static dyn OutputSink> = OnceLock::new();

/// What was told while it could not be read, if that is so now.
static HELD: Mutex<Option<Vec<String>>> = Mutex::new(None);

/// Gives the place where everything goes from now on. The first one stays.
pub fn tell_to(sink: &'static dyn OutputSink) {
    SINK.get_or_init(|| sink);
}

/// Prints a result.
pub fn print(text: &str) -> io::Result<()> {
    SINK.get().map_or(Ok(()), |sink| sink.result(&plain(text)))
}

/// Tells the person at the terminal something.
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
    if let Some(sink) = SINK.get() {
        sink.note(&plain(text));
    }
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
    use super::*;

    /// What was told, in order.
    struct Ears(Mutex<Vec<String>>);

    impl OutputSink for Ears {
        fn result(&self, text: &str) -> io::Result<()> {
            self.0.lock().expect("one listener").push(format!("result: {text}"));
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn note(&self, text: &str) {
            self.0.lock().expect("one listener").push(format!("note: {text}"));
        }
    }

    #[test]
    fn the_program_gets_what_is_told() {
        static EARS: Ears = Ears(Mutex::new(Vec::new()));
        tell_to(&EARS);
        assert_eq!(print("a table").map_err(|e| e.kind()), Err(io::ErrorKind::BrokenPipe), "the reader is gone");
        write("stopping\r");
        let told = EARS.0.lock().expect("one listener").clone();
        assert!(told.contains(&"result: a table".to_string()) && told.contains(&"note: stopping ".to_string()));
    }

    #[test]
    fn nothing_that_is_told_moves_a_cursor() {
        assert_eq!(super::plain("a\u{1b}[2Jb\rc\n\td"), "a [2Jb c\n\td");
        assert_eq!(super::plain("é █ 3"), "é █ 3");
    }
}
