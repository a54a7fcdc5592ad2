//! The letter that the published harness reads, so that its scores can be told beside ours.
//!
//! What is known of it: an ordered list of layouts, of which the first that occurs anywhere wins, with its first
//! occurrence; any capital letter is accepted; what fits no layout is a wrong answer. This is our own program for that
//! behaviour, not a copy.

/// The letter that the published harness would read, if any.
pub fn letter(reply: &str) -> Option<char> {
    let layouts: [fn(&str) -> Option<char>; 6] = [answer_colon, label, boxed, bracketed, bold, line];
    layouts.iter().find_map(|layout| layout(reply))
}

/// "Answer: B", "**Answer:** (B)". It takes the next capital, so "Answer: The right one is C" becomes T.
fn answer_colon(reply: &str) -> Option<char> {
    after_each(reply, "answer").find_map(|rest| {
        let rest = rest.trim_start_matches(['*', ' ']);
        let rest = rest.strip_prefix(':')?;
        rest.trim_start_matches(['*', ' ', '(', '[', '\n', '`']).chars().next().filter(char::is_ascii_uppercase)
    })
}

/// "Option B", "Choice B": the first one that is named, whatever is said of it.
fn label(reply: &str) -> Option<char> {
    let at = |word: &str| {
        after_each(reply, word).find_map(|rest| {
            let mut chars = rest.strip_prefix(' ')?.trim_start_matches(['*', '(']).chars();
            let letter = chars.next().filter(char::is_ascii_uppercase)?;
            chars.next().is_none_or(|next| !next.is_alphanumeric()).then_some((letter, reply.len() - rest.len()))
        })
    };
    [at("option"), at("choice")].into_iter().flatten().min_by_key(|(_, at)| *at).map(|(letter, _)| letter)
}

fn boxed(reply: &str) -> Option<char> {
    after_each(reply, "boxed{").find_map(|rest| rest.chars().next().filter(char::is_ascii_uppercase))
}

fn bracketed(reply: &str) -> Option<char> {
    between(reply, &[("(", ")"), ("[", "]")])
}

fn bold(reply: &str) -> Option<char> {
    between(reply, &[("**", "**")])
}

fn line(reply: &str) -> Option<char> {
    reply.lines().find_map(|line| {
        let line = line.trim().trim_end_matches(['.', ')', ':']);
        let mut chars = line.chars();
        let letter = chars.next().filter(char::is_ascii_uppercase)?;
        chars.next().is_none().then_some(letter)
    })
}

fn between(reply: &str, marks: &[(&str, &str)]) -> Option<char> {
    marks.iter().find_map(|(open, close)| {
        after_each(reply, open).find_map(|rest| {
            let letter = rest.chars().next().filter(char::is_ascii_uppercase)?;
            rest[1..].starts_with(close).then_some(letter)
        })
    })
}

/// What follows each occurrence of a word, whatever its case.
fn after_each<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    // Lower-casing of ASCII alone keeps every byte in its place.
    let lower = text.to_ascii_lowercase();
    let ends: Vec<usize> = lower.match_indices(word).map(|(at, found)| at + found.len()).collect();
    ends.into_iter().map(move |end| &text[end..])
}

#[cfg(test)]
mod tests {
    use super::letter;

    #[test]
    fn the_measured_behaviour_is_kept() {
        let check = |reply, expected| assert_eq!(letter(reply), expected, "{reply}");
        check("B", Some('B'));
        check("**C**", Some('C'));
        check("Answer: D", Some('D'));
        check("(D)", Some('D'));
        check("The answer is D.", None);
        check("I think it's B", None);
        check("b", None);
        check("After comparing, D is right", None);
        check("Answer: The correct patch is C.", Some('T'));
        check("Choice A breaks the build, so the best one is C", Some('A'));
        check("Answer: B. Wait, no.\nAnswer: C", Some('B'));
    }
}
