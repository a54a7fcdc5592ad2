//! Results go to standard output, everything else to standard error.

use std::io::{self, Write};

/// Prints a result. The reader may be gone: that is an error like any other, never a panic.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Tells the person at the terminal something; if nobody listens, nothing is lost.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// `1 episode`, `3 episodes`.
pub fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
