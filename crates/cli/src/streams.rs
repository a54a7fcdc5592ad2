//! Results go to standard output, everything else to standard error.

use std::io::{self, Write};

use runner::say::OutputSink;

/// The streams of the process.
pub struct Streams;

impl OutputSink for Streams {
    fn result(&self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    fn note(&self, text: &str) {
        let _ = writeln!(io::stderr(), "{text}");
    }
}
