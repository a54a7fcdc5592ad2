//! Ids of sessions: 128 random bits, which are also the right to act in the session.

use std::fmt;

/// Who holds it may play the session; it cannot be guessed. The bits are handed in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionId(pub [u8; 16]);

impl SessionId {
    /// Reads 32 hexadecimal digits in lower case, and nothing else.
    pub fn parse(text: &str) -> Option<SessionId> {
        let digits = text.as_bytes();
        if digits.len() != 32 {
            return None;
        }
        let mut id = [0; 16];
        for (byte, pair) in id.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(SessionId(id))
    }
}

fn digit(c: u8) -> Option<u8> {
    match c {
        b'0'..=b'9' => Some(c - b'0'),
        b'a'..=b'f' => Some(c - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// It is a secret, so that it gets into no log by accident.
impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionId(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_and_nothing_else_reads() {
        let id = SessionId(*b"0123456789abcdef");
        assert_eq!(SessionId::parse(&id.to_string()), Some(id));
        let check = |text: &str| assert_eq!(SessionId::parse(text), None, "{text}");
        check("");
        check("../../../../etc/passwd");
        check("0123456789ABCDEF0123456789ABCDEF");
        check("0123456789abcdef0123456789abcde");
        check("0123456789abcdef0123456789abcdef0");
        check("0123456789abcdef/123456789abcdef");
        check("ééééééééééééééée");
    }
}
