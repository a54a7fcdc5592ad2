//! Code blocks in a reply.

/// A fenced block: what stands on its opening line, and its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeBlock<'a> {
    /// The words after the opening marks, such as `diff`.
    pub info: &'a str,
    /// The text between the fences, with its line ends.
    pub text: &'a str,
}

/// All fenced blocks. A block that is never closed ends with the reply, as when the reply was cut.
pub fn blocks(reply: &str) -> Vec<CodeBlock<'_>> {
    let mut found = Vec::new();
    let mut open: Option<(&str, &str, usize)> = None;
    let mut at = 0;
    for line in reply.split_inclusive('\n') {
        let bare = line.trim_start();
        let marks = fence(bare);
        match open {
            None => {
                if let Some(marks) = marks {
                    open = Some((marks, bare[marks.len()..].trim(), at + line.len()));
                }
            }
            Some((marks, info, start)) => {
                let closes = bare.starts_with(marks) && bare.trim_end().trim_start_matches(&marks[..1]).is_empty();
                if closes {
                    found.push(CodeBlock { info, text: &reply[start..at] });
                    open = None;
                }
            }
        }
        at += line.len();
    }
    if let Some((_, info, start)) = open {
        found.push(CodeBlock { info, text: &reply[start..] });
    }
    found
}

fn fence(line: &str) -> Option<&str> {
    ['`', '~'].into_iter().find_map(|mark| {
        let length = line.len() - line.trim_start_matches(mark).len();
        (length >= 3).then(|| &line[..length])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found() {
        let check = |reply: &str, expected: &[(&str, &str)]| {
            let found: Vec<(&str, &str)> = blocks(reply).iter().map(|block| (block.info, block.text)).collect();
            assert_eq!(found, expected, "{reply}");
        };
        check("no block", &[]);
        check("a\n```diff\n+x\n```\nb", &[("diff", "+x\n")]);
        check("```\none\n```\n~~~rust\ntwo\n~~~", &[("", "one\n"), ("rust", "two\n")]);
        check("````\n```\ninner\n```\n````", &[("", "```\ninner\n```\n")]);
        check("```diff\n+cut", &[("diff", "+cut")]);
        check("   ```tf\nx\n   ```", &[("tf", "x\n")]);
    }
}
