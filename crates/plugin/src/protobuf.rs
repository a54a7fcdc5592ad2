//! Protocol buffers, as far as the provider protocol needs them: varints, and fields with a length.

/// Writes a message.
#[derive(Clone, Debug, Default)]
pub struct MessageWriter(Vec<u8>);

impl MessageWriter {
    /// An empty message.
    pub fn new() -> MessageWriter {
        MessageWriter::default()
    }

    /// Bytes, a text or a message. Empty ones are written too: an empty message means something.
    pub fn bytes(mut self, field: u32, value: impl AsRef<[u8]>) -> MessageWriter {
        varint(&mut self.0, u64::from(field) << 3 | 2);
        varint(&mut self.0, value.as_ref().len() as u64);
        self.0.extend_from_slice(value.as_ref());
        self
    }

    /// A whole number or a truth value; nought is left out, as the format wants it.
    pub fn number(mut self, field: u32, value: u64) -> MessageWriter {
        if value != 0 {
            varint(&mut self.0, u64::from(field) << 3);
            varint(&mut self.0, value);
        }
        self
    }

    /// Several of one field.
    pub fn all(self, field: u32, values: impl IntoIterator<Item = Vec<u8>>) -> MessageWriter {
        values.into_iter().fold(self, |message, value| message.bytes(field, value))
    }

    /// The message's bytes.
    pub fn done(self) -> Vec<u8> {
        self.0
    }
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The fields with a length of a message, by number; the last of several counts. Nothing if it is no message.
pub fn fields(message: &[u8]) -> Option<Vec<(u32, &[u8])>> {
    let (mut rest, mut found) = (message, Vec::new());
    while !rest.is_empty() {
        let key = read_varint(&mut rest)?;
        let field = u32::try_from(key >> 3).ok()?;
        match key & 7 {
            0 => drop(read_varint(&mut rest)?),
            1 => drop(take(&mut rest, 8)?),
            2 => {
                let length = usize::try_from(read_varint(&mut rest)?).ok()?;
                found.push((field, take(&mut rest, length)?));
            }
            5 => drop(take(&mut rest, 4)?),
            _ => return None,
        }
    }
    Some(found)
}

/// A field with a length; empty if it is not there.
pub fn field(message: &[u8], number: u32) -> &[u8] {
    let found = fields(message).unwrap_or_default();
    found.iter().rev().find(|(field, _)| *field == number).map_or(&[], |(_, value)| value)
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

fn read_varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = take(rest, 1)?[0];
        value |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let inner = MessageWriter::new().bytes(1, "name").number(4, 1).done();
        let message = MessageWriter::new().bytes(2, &inner).bytes(1, vec![7_u8; 300]).number(3, u64::MAX).done();
        assert_eq!(field(&message, 2), inner);
        assert_eq!(field(&message, 1).len(), 300);
        assert_eq!(field(field(&message, 2), 1), b"name");
        assert_eq!(field(&message, 9), b"");
    }

    #[test]
    fn broken_messages_are_none() {
        for broken in [&[0x0a_u8, 5, 1][..], &[0xff; 11], &[0x0b], &[0x0a]] {
            assert_eq!(fields(broken), None, "{broken:?}");
        }
    }
}
