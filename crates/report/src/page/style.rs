//! The page's style sheet and its few lines of script, and the policy that lets nothing else run.

/// Colours for light, dark and paper; the drawings take theirs from the same variables.
pub(super) const STYLE: &str = include_str!("style.css");

/// Sorting and the light switch; the page is complete without it.
pub(super) const SCRIPT: &str = include_str!("script.js");

/// Nothing is loaded, and no script runs but ours: whatever hides in a name stays text.
pub(super) fn policy() -> String {
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        base64(&digest())
    )
}

fn digest() -> Vec<u8> {
    let hex = record::sha256(SCRIPT.as_bytes());
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("a digest is hexadecimal");
    (0..hex.len()).step_by(2).map(byte).collect()
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, at| bits << 8 | u32::from(chunk.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at) & 63) as usize];
            out.push(if at > chunk.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_as_everybody_writes_it() {
        let cases = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (text, expect) in cases {
            assert_eq!(base64(text.as_bytes()), expect);
        }
    }

    #[test]
    fn the_page_holds_its_script_to_the_letter() {
        assert!(!SCRIPT.contains("</"), "the script may not end its own element");
        assert!(
            !STYLE.contains("</") && !STYLE.contains("url(") && !STYLE.contains("@import"),
            "the style loads nothing"
        );
    }
}
