//! Base64, as secrets, tokens and protobuf bytes are written.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as text, with padding.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().chain(&[0, 0]).take(3).fold(0u32, |bits, byte| bits << 8 | u32::from(*byte));
        for at in 0..4 {
            let letter = char::from(LETTERS[(bits >> (18 - 6 * at) & 63) as usize]);
            text.push(if at <= chunk.len() { letter } else { '=' });
        }
    }
    text
}

/// The form of tokens: `-` and `_`, without padding.
pub fn encode_url(bytes: &[u8]) -> String {
    encode(bytes).replace('+', "-").replace('/', "_").trim_end_matches('=').into()
}

/// Text as bytes; padding may be missing and line breaks are skipped. Nothing if it is no base64.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text
        .trim_end_matches('=')
        .bytes()
        .filter(|byte| !matches!(byte, b'\n' | b'\r'))
        .map(|byte| match byte {
            b'-' => Some(62),
            b'_' => Some(63),
            byte => LETTERS.iter().position(|letter| *letter == byte).map(|at| at as u32),
        })
        .collect::<Option<_>>()?;
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for chunk in digits.chunks(4) {
        if chunk.len() == 1 {
            return None;
        }
        let bits = chunk.iter().chain(&[0, 0, 0]).take(4).fold(0, |bits, digit| bits << 6 | digit);
        bytes.extend(&bits.to_be_bytes()[1..chunk.len()]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        for text in ["", "a", "ab", "abc", "s3cr3t", "\u{7f}\u{0}x"] {
            assert_eq!(decode(&encode(text.as_bytes())).as_deref(), Some(text.as_bytes()));
        }
        assert_eq!(encode(b"s3cr3t"), "czNjcjN0");
        assert_eq!(encode(b"b"), "Yg==");
        assert_eq!(decode("!!"), None);
        assert_eq!(decode("a"), None);
    }
}
