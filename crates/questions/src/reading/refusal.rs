//! Whether a reply declines to answer.

/// What models say when they decline. Each needs to stand near the beginning: a long answer may say "I cannot" of a tool.
const DECLINE: [&str; 18] = [
    "i can't help",
    "i cannot help",
    "i can't assist",
    "i cannot assist",
    "i'm not able to",
    "i am not able to",
    "i'm unable to",
    "i am unable to",
    "i won't",
    "i will not",
    "i must decline",
    "i have to decline",
    "i can't provide",
    "i cannot provide",
    "i can't answer",
    "i cannot answer",
    "i can't choose",
    "i cannot choose",
];

/// Whether a text without an answer is a refusal.
pub(crate) fn is_refusal(text: &str) -> bool {
    let start: String = text.chars().take(400).collect::<String>().to_lowercase().replace('\u{2019}', "'");
    DECLINE.iter().any(|words| start.contains(words))
}
