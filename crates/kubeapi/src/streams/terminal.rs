//! The line discipline of a terminal: what is typed is echoed and edited, and reaches the command line by line.
//!
//! A client with a terminal switches its own echo off and sends every key; in life the kernel of the node does this.

/// What came of some keys.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Typed {
    /// What the terminal shows.
    pub(super) echo: Vec<u8>,
    /// Whole lines for the command.
    pub(super) input: Vec<u8>,
    /// Whether Ctrl-C was the last word.
    pub(super) is_interrupt: bool,
    /// Whether Ctrl-D said that no more comes.
    pub(super) is_end: bool,
}

/// A line that is being typed, and those before it.
#[derive(Debug, Default)]
pub(super) struct LineDiscipline {
    line: String,
    /// Bytes of a character that is not whole yet.
    partial: Vec<u8>,
    /// What has come of a key that sends several bytes.
    escape: Vec<u8>,
    history: Vec<String>,
    /// Which line of the history is shown; past the end while a new one is typed.
    at: usize,
}

/// Lines that are longer, or further back, are not kept.
const LONGEST_LINE: usize = 4096;
const MOST_LINES: usize = 200;

impl LineDiscipline {
    /// Takes keys.
    pub(super) fn keys(&mut self, bytes: &[u8]) -> Typed {
        let mut typed = Typed::default();
        for byte in bytes {
            match byte {
                _ if !self.escape.is_empty() => self.escaped(*byte, &mut typed),
                0x1b => self.escape.push(*byte),
                b'\r' | b'\n' => self.enter(&mut typed),
                0x7f | 0x08 => self.rub_out(&mut typed),
                0x15 => self.show(String::new(), &mut typed),
                0x03 => {
                    typed.echo.extend(b"^C\r\n");
                    typed.input.clear();
                    typed.is_interrupt = true;
                    self.line.clear();
                }
                0x04 if self.line.is_empty() => typed.is_end = true,
                0..0x20 => {}
                byte => self.letter(*byte, &mut typed),
            }
        }
        typed
    }

    fn letter(&mut self, byte: u8, typed: &mut Typed) {
        self.partial.push(byte);
        if let Ok(text) = std::str::from_utf8(&self.partial) {
            if self.line.len() < LONGEST_LINE {
                self.line.push_str(text);
                typed.echo.extend(text.as_bytes());
            }
            self.partial.clear();
        } else if self.partial.len() >= 4 {
            self.partial.clear();
        }
    }

    fn enter(&mut self, typed: &mut Typed) {
        let line = std::mem::take(&mut self.line);
        typed.echo.extend(b"\r\n");
        typed.input.extend(line.as_bytes());
        typed.input.push(b'\n');
        if !line.trim().is_empty() {
            self.history.push(line);
        }
        if self.history.len() > MOST_LINES {
            self.history.remove(0);
        }
        self.at = self.history.len();
    }

    fn rub_out(&mut self, typed: &mut Typed) {
        if self.line.pop().is_some() {
            typed.echo.extend(b"\x08 \x08");
        }
    }

    /// The arrows up and down go through the history; other keys of several bytes do nothing.
    fn escaped(&mut self, byte: u8, typed: &mut Typed) {
        self.escape.push(byte);
        let is_over = self.escape.len() > 2 && matches!(byte, b'A'..=b'Z' | b'a'..=b'z' | b'~');
        let is_alone = self.escape.len() == 2 && !matches!(byte, b'[' | b'O');
        if !is_over && !is_alone {
            return;
        }
        let to = match &self.escape[1..] {
            [b'[' | b'O', b'A'] => self.at.saturating_sub(1),
            [b'[' | b'O', b'B'] => (self.at + 1).min(self.history.len()),
            _ => self.at,
        };
        self.escape.clear();
        if to != self.at {
            self.at = to;
            self.show(self.history.get(to).cloned().unwrap_or_default(), typed);
        }
    }

    /// Replaces what was typed.
    fn show(&mut self, line: String, typed: &mut Typed) {
        for _ in self.line.chars() {
            typed.echo.extend(b"\x08 \x08");
        }
        typed.echo.extend(line.as_bytes());
        self.line = line;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the keys show, and what reaches the command.
    #[test]
    fn keys_are_echoed_and_edited() {
        let check = |keys: &str, echo: &str, input: &str| {
            let typed = LineDiscipline::default().keys(keys.as_bytes());
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            assert_eq!((text(&typed.echo).as_str(), text(&typed.input).as_str()), (echo, input), "{keys:?}");
        };
        check("ls", "ls", "");
        check("ls\r", "ls\r\n", "ls\n");
        check("lx\x7fs\r", "lx\x08 \x08s\r\n", "ls\n");
        check("\x7f\x08", "", "");
        check("é\x7fe\r", "é\x08 \x08e\r\n", "e\n");
        check("bad\x15ls\r", "bad\x08 \x08\x08 \x08\x08 \x08ls\r\n", "ls\n");
        check("half\x03", "half^C\r\n", "");
        check("one\rtwo\r", "one\r\ntwo\r\n", "one\ntwo\n");
        check("one\r\x1b[A\r", "one\r\none\r\n", "one\none\n");
        check("one\r\x1b[A\x1b[B\r", "one\r\none\x08 \x08\x08 \x08\x08 \x08\r\n", "one\n\n");
        check("a\x1b[3~\x1b[C\x1bxb\r", "ab\r\n", "ab\n");
        check("a\tb\x01\r", "ab\r\n", "ab\n");
    }

    #[test]
    fn control_keys_end_and_interrupt() {
        let keys = |keys: &[u8]| {
            let typed = LineDiscipline::default().keys(keys);
            (typed.is_interrupt, typed.is_end)
        };
        assert_eq!(keys(b"\x04"), (false, true));
        assert_eq!(keys(b"ls\x04"), (false, false));
        assert_eq!(keys(b"ls\x03"), (true, false));
    }
}
