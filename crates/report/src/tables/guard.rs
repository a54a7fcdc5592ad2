//! Text of strangers made harmless to look at. Names of agents, models and tasks come from outside;
//! whatever is in them, the reader sees one short line of visible characters.

/// Longer names are cut.
const LONGEST: usize = 96;

/// A text as it may be shown: one line, no control characters, no characters that turn or hide others,
/// cut if it is long. Escaping for a format comes after this.
pub fn shown(text: &str) -> String {
    let mut out: String = text.chars().take(LONGEST).map(visible).collect();
    // Counting a megabyte is cheap; showing it is not.
    let rest = text.chars().skip(LONGEST).count();
    if rest > 0 {
        out.push_str(&format!("\u{2026} (cut: {} characters)", LONGEST + rest));
    }
    if out.trim().is_empty() { "(no name)".to_owned() } else { out }
}

fn visible(c: char) -> char {
    match c {
        // The symbols for control characters stand in their order.
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(REPLACEMENT),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' => REPLACEMENT,
        // Direction marks, joiners, line separators, invisible operators, tags, byte order mark.
        '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => {
            REPLACEMENT
        }
        '\u{feff}' | '\u{fff9}'..='\u{fffc}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e0fff}' => REPLACEMENT,
        // Accents that can be piled up without end.
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}' => REPLACEMENT,
        other => other,
    }
}

const REPLACEMENT: char = '\u{fffd}';

/// A text between tags or in a quoted attribute of HTML or SVG.
pub fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// A name made of small letters, digits and hyphens, for files and anchors.
pub fn slug(text: &str) -> String {
    let letters: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let parts: Vec<&str> = letters.split('-').filter(|part| !part.is_empty()).collect();
    parts.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expect: &Expect) {
        expect.assert_eq(&shown(text));
    }

    #[test]
    fn what_cannot_be_seen_is_made_visible() {
        check("react@openai/gpt-5", &expect!["react@openai/gpt-5"]);
        check("a\nb\tc\u{0}\u{1b}[31m\u{7f}", &expect!["a␊b␉c␀␛[31m␡"]);
        check("safe\u{202e}gpj.exe\u{200b}\u{feff}", &expect!["safe�gpj.exe��"]);
        check("z\u{300}\u{301}", &expect!["z��"]);
        check(" \u{a0} ", &expect!["(no name)"]);
        check("", &expect!["(no name)"]);
    }

    #[test]
    fn a_megabyte_becomes_a_line() {
        let text = shown(&"x".repeat(1 << 20));
        assert!(text.ends_with("(cut: 1048576 characters)") && text.len() < 200, "{text}");
    }

    #[test]
    fn markup_is_text() {
        assert_eq!(markup("<script a='b' c=\"d\">&"), "&lt;script a=&#39;b&#39; c=&quot;d&quot;&gt;&amp;");
    }

    #[test]
    fn a_slug_is_a_file_name() {
        assert_eq!(slug("../Cost & <success>"), "cost-success");
    }
}
