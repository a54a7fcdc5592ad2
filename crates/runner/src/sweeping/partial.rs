//! The command that goes on where a run was stopped.

/// The command that was given, without what must not be said twice.
pub fn command() -> String {
    let mut words = vec!["sre-zero".to_string()];
    words.extend(once(std::env::args().skip(1)).map(|word| quoted(&word)));
    words.join(" ")
}

/// Without what was done when the run began and would be done, and paid, again.
fn once(words: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    let mut is_value = false;
    words.filter(move |word| {
        let was_value = std::mem::replace(&mut is_value, word == "--from-step");
        !was_value && word != "--fresh" && word != "--from-step" && !word.starts_with("--from-step=")
    })
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=@+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::once;

    #[test]
    fn what_was_done_at_the_beginning_is_not_said_again() {
        let check = |given: &str, expect: &str| {
            let left: Vec<String> = once(given.split(' ').map(str::to_string)).collect();
            assert_eq!(left.join(" "), expect);
        };
        check("run --fresh --jobs 2", "run --jobs 2");
        check("run --from-step 3 --jobs 2", "run --jobs 2");
        check("run --jobs 2 --from-step=3", "run --jobs 2");
        check("run --seed 3", "run --seed 3");
    }
}
