//! YAML as kubectl prints it.

use std::cmp::Ordering;

use serde_json::Value;

/// A document, with a newline at the end.
pub(crate) fn write(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(map) if !map.is_empty() => block(value, 0, &mut out),
        Value::Array(items) if !items.is_empty() => block(value, 0, &mut out),
        scalar => {
            scalar_text(scalar, 0, 0, &mut out);
            out.push('\n');
        }
    }
    out
}

/// Texts break at the first blank after this column.
const WIDTH: usize = 80;

/// A map or a list, each entry on a line that begins at the depth.
fn block(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut fields: Vec<_> = map.iter().collect();
            fields.sort_by(|a, b| natural(a.0, b.0));
            for (at, (key, value)) in fields.into_iter().enumerate() {
                if at > 0 || !ends_with_dash(out) {
                    indent(depth, out);
                }
                let start = column(out);
                scalar_text(&Value::from(key.as_str()), usize::MAX, start, out);
                out.push(':');
                entry(value, depth, out);
            }
        }
        Value::Array(items) => {
            for item in items {
                if !ends_with_dash(out) {
                    indent(depth, out);
                }
                out.push_str("- ");
                match item {
                    Value::Object(map) if !map.is_empty() => block(item, depth + 2, out),
                    Value::Array(inner) if !inner.is_empty() => block(item, depth + 2, out),
                    scalar => {
                        scalar_text(scalar, depth + 2, depth + 2, out);
                        out.push('\n');
                    }
                }
            }
        }
        _ => {}
    }
}

/// What stands after a key.
fn entry(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push('\n');
            block(value, depth + 2, out);
        }
        // Lists in maps stand as deep as their key.
        Value::Array(items) if !items.is_empty() => {
            out.push('\n');
            block(value, depth, out);
        }
        scalar => {
            out.push(' ');
            let start = column(out);
            scalar_text(scalar, depth + 2, start, out);
            out.push('\n');
        }
    }
}

fn indent(depth: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', depth));
}

fn column(out: &str) -> usize {
    out.rsplit('\n').next().map_or(0, |line| line.chars().count())
}

/// Whether the line so far is blanks and a dash, so that an entry goes on it.
fn ends_with_dash(out: &str) -> bool {
    out.ends_with("- ") && out.rsplit('\n').next().is_some_and(|line| line.chars().all(|c| c == ' ' || c == '-'))
}

/// A scalar; `depth` is where further lines of it begin, and a key has none.
fn scalar_text(value: &Value, depth: usize, start: usize, out: &mut String) {
    match value {
        Value::String(text) => string(text, depth, start, out),
        Value::Array(_) => out.push_str("[]"),
        Value::Object(_) => out.push_str("{}"),
        Value::Number(number) => out.push_str(&number.to_string()),
        other => out.push_str(&other.to_string()),
    }
}

fn string(text: &str, depth: usize, start: usize, out: &mut String) {
    let is_key = depth == usize::MAX;
    let look = Look::at(text);
    if text.contains('\n') && !is_key && look.block_allowed {
        return literal(text, depth, out);
    }
    let resolves = resolves_to_other(text);
    if !text.contains('\n') && !resolves && look.plain_allowed {
        return folded(text, depth, start, out, is_key);
    }
    if !text.contains('\n') && !resolves && look.single_allowed {
        out.push('\'');
        folded(&text.replace('\'', "''"), depth, start + 1, out, is_key);
        out.push('\'');
        return;
    }
    double(text, depth, start, out, is_key);
}

/// Text that breaks after 80 columns, at single blanks.
fn folded(text: &str, depth: usize, start: usize, out: &mut String, is_key: bool) {
    if is_key || start + text.len() <= WIDTH {
        out.push_str(text);
        return;
    }
    let letters: Vec<char> = text.chars().collect();
    let mut at = start;
    for (index, c) in letters.iter().enumerate() {
        let is_single = *c == ' '
            && index > 0
            && letters[index - 1] != ' '
            && letters.get(index + 1).is_some_and(|next| *next != ' ');
        if is_single && at > WIDTH {
            out.push('\n');
            indent(depth, out);
            at = depth;
            continue;
        }
        out.push(*c);
        at += 1;
    }
}

/// `|`, with the lines below.
fn literal(text: &str, depth: usize, out: &mut String) {
    out.push('|');
    // A text that begins with a blank tells how deep it stands.
    if text.starts_with([' ', '\n']) {
        out.push('2');
    }
    let trailing = text.len() - text.trim_end_matches('\n').len();
    match trailing {
        0 => out.push('-'),
        1 => {}
        _ => out.push('+'),
    }
    let body = text.strip_suffix('\n').unwrap_or(text);
    for line in body.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            indent(depth, out);
            out.push_str(line);
        }
    }
}

fn double(text: &str, depth: usize, start: usize, out: &mut String, is_key: bool) {
    out.push('"');
    let letters: Vec<char> = text.chars().collect();
    let mut at = start + 1;
    let mut after_blank = false;
    for (index, c) in letters.iter().enumerate() {
        let piece = match c {
            '"' => "\\\"".to_string(),
            '\\' => "\\\\".into(),
            '\n' => "\\n".into(),
            '\t' => "\\t".into(),
            '\r' => "\\r".into(),
            '\0' => "\\0".into(),
            '\u{7}' => "\\a".into(),
            '\u{8}' => "\\b".into(),
            '\u{b}' => "\\v".into(),
            '\u{c}' => "\\f".into(),
            '\u{1b}' => "\\e".into(),
            '\u{85}' => "\\N".into(),
            '\u{a0}' => "\\_".into(),
            '\u{2028}' => "\\L".into(),
            '\u{2029}' => "\\P".into(),
            c if (*c as u32) < 0x20 || *c == '\u{7f}' || *c == '\u{feff}' => match *c as u32 {
                code @ 0..=0xff => format!("\\x{code:02X}"),
                code => format!("\\u{code:04X}"),
            },
            ' ' => {
                let breaks = !is_key && !after_blank && at > WIDTH && index > 0 && index + 1 < letters.len();
                if breaks {
                    out.push('\n');
                    indent(depth, out);
                    at = depth;
                    if letters[index + 1] == ' ' {
                        out.push('\\');
                        at += 1;
                    }
                } else {
                    out.push(' ');
                    at += 1;
                }
                after_blank = true;
                continue;
            }
            c => c.to_string(),
        };
        after_blank = false;
        at += piece.chars().count();
        out.push_str(&piece);
    }
    out.push('"');
}

/// What a text may be written as.
struct Look {
    plain_allowed: bool,
    single_allowed: bool,
    block_allowed: bool,
}

impl Look {
    fn at(text: &str) -> Self {
        let letters: Vec<char> = text.chars().collect();
        if letters.is_empty() {
            return Self { plain_allowed: true, single_allowed: true, block_allowed: false };
        }
        let mut indicators = text.starts_with("---") || text.starts_with("...");
        let (mut special, mut break_space, mut space_break, mut breaks) = (false, false, false, false);
        let mut before_is_blank = true;
        for (at, c) in letters.iter().enumerate() {
            let next_is_blank = letters.get(at + 1).is_none_or(|next| matches!(next, ' ' | '\t' | '\n' | '\r'));
            indicators |= match c {
                '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`'
                    if at == 0 =>
                {
                    true
                }
                '?' | '-' if at == 0 => next_is_blank,
                ':' => next_is_blank,
                '#' => before_is_blank,
                _ => false,
            };
            special |= !is_printable(*c);
            let previous = at.checked_sub(1).map(|at| letters[at]);
            match c {
                ' ' => break_space |= previous == Some('\n'),
                '\n' => {
                    breaks = true;
                    space_break |= previous == Some(' ');
                }
                _ => {}
            }
            before_is_blank = matches!(c, ' ' | '\t' | '\n' | '\r');
        }
        let edge = |c: Option<&char>| matches!(c, Some(' ' | '\n'));
        let at_edges = edge(letters.first()) || edge(letters.last());
        let broken = space_break || special;
        Self {
            plain_allowed: !at_edges && !break_space && !broken && !breaks && !indicators,
            single_allowed: !break_space && !broken,
            block_allowed: !broken && letters.last() != Some(&' '),
        }
    }
}

fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~') || (c as u32 >= 0xa0 && c != '\u{feff}' && !matches!(c as u32, 0xfffe | 0xffff))
}

/// Whether a text without quotes would be read as something else: a number, a truth value, null, a date.
fn resolves_to_other(text: &str) -> bool {
    const WORDS: [&str; 30] = [
        "", "~", "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE", "y", "Y", "yes", "Yes",
        "YES", "n", "N", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "<<", "=", ".nan",
    ];
    if WORDS.contains(&text)
        || matches!(
            text,
            ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" | "-.inf" | "-.Inf" | "-.INF" | ".NaN" | ".NAN"
        )
    {
        return true;
    }
    let Some(first) = text.chars().next() else { return true };
    if !(first.is_ascii_digit() || matches!(first, '+' | '-' | '.')) {
        return false;
    }
    is_number(text) || is_date(text) || is_base_60(text)
}

fn is_number(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    let unsigned = plain.strip_prefix(['+', '-']).unwrap_or(&plain);
    let digits = |text: &str, radix: u32| !text.is_empty() && text.chars().all(|c| c.is_digit(radix));
    if digits(unsigned, 10) {
        return true;
    }
    if let Some(rest) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        return digits(rest, 16);
    }
    if let Some(rest) = unsigned.strip_prefix("0b") {
        return digits(rest, 2);
    }
    if let Some(rest) = unsigned.strip_prefix("0o") {
        return digits(rest, 8);
    }
    // A number with a point or an exponent: [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(m, e)| (m, Some(e)));
    let exponent_fits = exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e), 10));
    let mantissa_fits = match mantissa.split_once('.') {
        Some(("", fraction)) => digits(fraction, 10),
        Some((whole, fraction)) => digits(whole, 10) && (fraction.is_empty() || digits(fraction, 10)),
        None => digits(mantissa, 10),
    };
    exponent_fits && mantissa_fits
}

/// `2026-11-15`, with or without a time.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let shape = bytes.len() >= 8
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && text.split('-').take(3).count() == 3;
    if !shape {
        return false;
    }
    let mut parts = text.splitn(3, '-');
    let (_, month, rest) = (parts.next(), parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let day: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let tail = &rest[day.len()..];
    let is_short = |text: &str| (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    is_short(month) && is_short(&day) && (tail.is_empty() || (tail.starts_with(['T', 't', ' ']) && tail.contains(':')))
}

/// `1:30`, which older readers take for a number of base 60.
fn is_base_60(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut parts = unsigned.split(':');
    let whole = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let Some((last, middle)) = rest.split_last() else { return false };
    let sixty = |text: &str| digits(text) && text.len() <= 2 && text.parse::<u8>().is_ok_and(|n| n < 60);
    let last = last.split_once('.').map_or(*last, |(whole, _)| whole);
    digits(whole) && middle.iter().all(|part| sixty(part)) && sixty(last)
}

/// The order of keys: letters after signs, digits by their number.
fn natural(a: &str, b: &str) -> Ordering {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    for at in 0..a.len().min(b.len()) {
        if a[at] == b[at] {
            continue;
        }
        let (letter_a, letter_b) = (a[at].is_alphabetic(), b[at].is_alphabetic());
        if letter_a && letter_b {
            return a[at].cmp(&b[at]);
        }
        if letter_a || letter_b {
            return if letter_b { Ordering::Less } else { Ordering::Greater };
        }
        let mut start = 0u64;
        if a[at] == '0' || b[at] == '0' {
            let before = a[..at].iter().rev().take_while(|c| c.is_ascii_digit());
            start = u64::from(before.into_iter().any(|c| *c != '0'));
        }
        let number = |letters: &[char]| {
            let digits: Vec<char> = letters[at..].iter().copied().take_while(char::is_ascii_digit).collect();
            let value =
                digits.iter().fold(start, |n, c| n.wrapping_mul(10).wrapping_add(u64::from(*c as u32 - '0' as u32)));
            (value, digits.len())
        };
        return number(&a).cmp(&number(&b)).then(a[at].cmp(&b[at]));
    }
    a.len().cmp(&b.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scalars_are_quoted_where_they_must() {
        for (text, expected) in [
            ("a", "a"),
            ("1", "\"1\""),
            ("true", "\"true\""),
            ("", "\"\""),
            ("a: b", "'a: b'"),
            ("a:b", "a:b"),
            ("{a}", "'{a}'"),
            ("*", "'*'"),
            ("-", "'-'"),
            ("-a", "-a"),
            ("100m", "100m"),
            ("1e3", "\"1e3\""),
            ("it's", "it's"),
            ("a #b", "'a #b'"),
            ("a\tb", "\"a\\tb\""),
            (" a", "' a'"),
            ("2026-11-15T02:37:22Z", "\"2026-11-15T02:37:22Z\""),
            ("0x1f", "\"0x1f\""),
            ("1:30", "\"1:30\""),
            ("10.0.0.1", "10.0.0.1"),
            ("no", "\"no\""),
            ("0 3 * * *", "0 3 * * *"),
            ("'a'", "'''a'''"),
            ("25%", "25%"),
            ("%a", "'%a'"),
            ("a\nb", "|-\n  a\n  b"),
            ("a\nb\n", "|\n  a\n  b"),
            ("1.5", "\"1.5\""),
            ("v1.5", "v1.5"),
            ("app=web", "app=web"),
            ("=", "\"=\""),
            ("100", "\"100\""),
            ("1_000", "\"1_000\""),
            ("!x", "'!x'"),
            ("@x", "'@x'"),
        ] {
            assert_eq!(write(&json!({"k": text})), format!("k: {expected}\n"), "{text:?}");
        }
    }

    #[test]
    fn trees_are_indented() {
        let value = json!({"a": [{"b": 1, "c": [1, 2]}, [3]], "e": {}, "f": [], "g": null, "h": {"i10": 1, "i9": 2}});
        let expected = "a:\n- b: 1\n  c:\n  - 1\n  - 2\n- - 3\ne: {}\nf: []\ng: null\nh:\n  i9: 2\n  i10: 1\n";
        assert_eq!(write(&value), expected);
    }

    #[test]
    fn long_texts_break() {
        let text = "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
        let expected = "s:\n  c:\n  - message: '0/2 nodes are available: 2 node(s) didn''t match Pod''s node affinity/selector.\n      preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.'\n";
        assert_eq!(write(&json!({"s": {"c": [{"message": text}]}})), expected);
    }
}
