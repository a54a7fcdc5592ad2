//! Did you mean: names that were meant, near misses, and safe quoting of what was written. The one notion of
//! "near" that all crates share.

use std::fmt::Write;

/// Whether two names are the same but for case and for `-` or a space in place of `_`.
pub(crate) fn same(a: &str, b: &str) -> bool {
    let fold = |c: u8| match c {
        b'-' | b' ' => b'_',
        c => c.to_ascii_lowercase(),
    };
    a.len() == b.len() && a.bytes().zip(b.bytes()).all(|(a, b)| fold(a) == fold(b))
}

/// The known name that was most likely meant, if any comes near.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    within(1, name, known)
}

/// The same for names in files and on the command line, where two slips in a short word are still a word meant:
/// no time of an incident is lost by a wrong guess.
fn nearest_typed<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    within(if name.len() < 4 { 1 } else { 2 }, name, known.iter().copied())
}

/// So many slips are forgiven, or one in three letters.
fn within<'a>(slips: usize, name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = folded(name);
    if name.is_empty() {
        return None;
    }
    let scored = known.map(|candidate| (score(&name, &folded(candidate), slips), candidate));
    scored.filter(|(score, _)| *score < FAR).min_by_key(|(score, _)| *score).map(|(_, candidate)| candidate)
}

/// No near miss.
const FAR: usize = 100;
/// Longer names are compared by their beginning.
const LONGEST: usize = 48;

fn folded(name: &str) -> Vec<char> {
    let letters = name.trim().chars().take(LONGEST);
    letters.map(|c| if c == '-' || c == ' ' { '_' } else { c.to_ascii_lowercase() }).collect()
}

/// Lower is nearer: typing errors first, then abbreviations and names inside other words.
fn score(name: &[char], candidate: &[char], slips: usize) -> usize {
    let near = slips.max(name.len().max(candidate.len()) / 3);
    if name.len().abs_diff(candidate.len()) <= near && letters_apart(name, candidate) <= near {
        let distance = edits(name, candidate);
        if distance <= near {
            return distance;
        }
    }
    let inside = |part: &[char], whole: &[char]| {
        part.len() >= 2 && whole.windows(part.len()).any(|w| w[0] == part[0] && w == part)
    };
    let initials = || candidate.split(|c| *c == '_').filter_map(|word| word.first());
    if inside(name, candidate) || inside(candidate, name) || (name.len() >= 2 && initials().eq(name)) {
        return FAR - 1;
    }
    FAR
}

/// At least so many edits lie between two names: each makes up for one letter that only one of them has.
fn letters_apart(a: &[char], b: &[char]) -> usize {
    const SLOTS: usize = 64;
    let mut balance = [0i8; SLOTS];
    a.iter().for_each(|c| balance[*c as usize % SLOTS] += 1);
    b.iter().for_each(|c| balance[*c as usize % SLOTS] -= 1);
    let sum = |of: fn(i8) -> i8| balance.iter().map(|n| of(*n) as usize).sum::<usize>();
    sum(|n| n.max(0)).max(sum(|n| (-n).max(0)))
}

/// Letters to insert, delete, replace or swap with their neighbour to get from one name to the other.
fn edits(a: &[char], b: &[char]) -> usize {
    // Three rows of the table are enough, and names are short.
    let (mut before, mut last, mut row) = ([0usize; LONGEST + 1], [0usize; LONGEST + 1], [0usize; LONGEST + 1]);
    last.iter_mut().enumerate().for_each(|(j, cell)| *cell = j);
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        (before, last, row) = (last, row, before);
    }
    last[b.len()]
}

/// What was written, short and on one line, so that an error can quote it.
pub(crate) fn clip(text: &str) -> String {
    const MOST: usize = 60;
    let text = text.trim();
    let mut out: String = text.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MOST).is_some() {
        out.push_str("...");
    }
    out
}

/// `unknown fault `leak`: did you mean `memory_leak`?`, or all known names behind `otherwise` where none is near.
pub fn unknown_name(what: &str, name: &str, known: &[&str], otherwise: &str) -> String {
    match nearest_typed(name, known) {
        Some(near) => format!("unknown {what} `{name}`: did you mean `{near}`?"),
        None => format!("unknown {what} `{name}`; {otherwise} {}", known.join(", ")),
    }
}

/// ` (did you mean `x`?)`, or nothing where nothing is near.
pub fn near_hint(name: &str, known: &[&str]) -> String {
    nearest_typed(name, known).map_or(String::new(), |near| format!(" (did you mean `{near}`?)"))
}

/// `there is no service `cach`; did you mean `cache`? There are cache, database`.
pub(crate) fn unknown(what: &str, name: &str, verb: &str, known: &[&str]) -> String {
    let mut out = format!("{what} `{}`", clip(name));
    let near = nearest(name, known.iter().copied());
    if let Some(near) = near {
        let _ = write!(out, "; did you mean `{near}`?");
    }
    if known.is_empty() {
        return out;
    }
    const MOST: usize = 24;
    let shown = &known[..known.len().min(MOST)];
    let verb =
        if near.is_some() { format!(" {}{}", verb[..1].to_uppercase(), &verb[1..]) } else { format!("; {verb}") };
    let _ = write!(out, "{verb} {}", shown.join(", "));
    if known.len() > MOST {
        let _ = write!(out, " and {} more", known.len() - MOST);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_are_recognised() {
        const KNOWN: &[&str] = &["web_server", "database", "cache", "message_queue", "load_balancer"];
        let check = |name: &str, expect: &str| {
            assert_eq!(nearest(name, KNOWN.iter().copied()).unwrap_or("nothing"), expect, "{name}");
        };
        check("cach", "cache");
        check("cahce", "cache");
        check("databse", "database");
        check("web", "web_server");
        check("webserver", "web_server");
        check("queue", "message_queue");
        check("lb", "load_balancer");
        check("redis cache", "cache");
        check("Load Balancers", "load_balancer");
        check("payments", "nothing");
        check("", "nothing");
        check("\u{0}\u{1}", "nothing");
    }

    #[test]
    fn the_nearest_name_is_offered() {
        let known = ["memory_leak", "crash", "config_push"];
        let check = |name: &str, expect: &str| assert_eq!(unknown_name("fault", name, &known, "known are"), expect);
        check("leak", "unknown fault `leak`: did you mean `memory_leak`?");
        check("carsh", "unknown fault `carsh`: did you mean `crash`?");
        check("crsh", "unknown fault `crsh`: did you mean `crash`?");
        check("crush", "unknown fault `crush`: did you mean `crash`?");
        check("krsh", "unknown fault `krsh`: did you mean `crash`?");
        check("Config_Push", "unknown fault `Config_Push`: did you mean `config_push`?");
        check("flood", "unknown fault `flood`; known are memory_leak, crash, config_push");
        assert_eq!(near_hint("carsh", &known), " (did you mean `crash`?)");
        assert_eq!(near_hint("flood", &known), "");
    }

    #[test]
    fn edits_count_a_swap_once() {
        let check = |a: &str, b: &str, expect: usize| {
            let letters = |t: &str| t.chars().collect::<Vec<_>>();
            assert_eq!(edits(&letters(a), &letters(b)), expect, "{a} {b}");
            assert!(letters_apart(&letters(a), &letters(b)) <= expect, "{a} {b}");
        };
        check("", "abc", 3);
        check("abc", "abc", 0);
        check("abc", "acb", 1);
        check("kitten", "sitting", 3);
    }

    #[test]
    fn quoted_input_is_short_and_on_one_line() {
        assert_eq!(clip("a\nb\u{0}c"), "a b c");
        assert_eq!(clip(&"x".repeat(500)).len(), 63);
    }
}
