//! The key of an episode, `agent/task/seed`: it names its files, so nothing in it may lead elsewhere.

/// The key of an episode, with the repetition where there are several.
pub fn key(agent: &str, task: &str, seed: u64, repeat: u32) -> String {
    match repeat {
        0 => format!("{agent}/{task}/{seed}"),
        n => format!("{agent}/{task}/{seed}-r{n}"),
    }
}

/// Whether a name from a file may become part of a path below a run's folder. The names of agents may have slashes
/// in them (`react@openai/gpt-5`); no part may lead up, out, or to a name that differs between systems.
pub fn is_plain(name: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    name.split('/').all(plain) && !name.contains(|c: char| c == '\\' || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_not_plain() {
        for good in ["scripted", "react@openai/gpt-5", "a/b/0-r2", "ollama/llama3:8b", "..a", "a b"] {
            assert!(is_plain(good), "{good:?}");
        }
        for bad in
            ["", "/", "/abs", "a//b", "a/", "..", "../up", "a/../b", "a/./b", "a\\..\\b", "a\nb", "\0", "a\u{1b}[0m"]
        {
            assert!(!is_plain(bad), "{bad:?}");
        }
    }
}
