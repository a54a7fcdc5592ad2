//! Words that replies are read by.

/// Names for an option.
pub(super) const LABELS: [&str; 12] = [
    "option",
    "choice",
    "patch",
    "diff",
    "change",
    "answer",
    "letter",
    "configuration",
    "version",
    "candidate",
    "hunk",
    "commit",
];

/// Words that begin a conclusion.
pub(super) const CONCLUDE: [&str; 10] =
    ["so", "therefore", "thus", "hence", "best", "overall", "conclusion", "finally", "ultimately", "final"];

/// Ranks that stand for a place.
pub(super) const ORDINALS: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "sixth"];

/// Words that state an answer, in several languages.
pub(super) const STATE: [&str; 30] = [
    "answer",
    "choose",
    "chose",
    "pick",
    "select",
    "selecting",
    "choosing",
    "picking",
    "picked",
    "selected",
    "vote",
    "go",
    "going",
    "say",
    "conclusion",
    "solution",
    "verdict",
    "decision",
    "response",
    "recommend",
    "prefer",
    "respuesta",
    "antwort",
    "réponse",
    "reponse",
    "risposta",
    "resposta",
    "ответ",
    "答案",
    "答え",
];

/// Words that judge an option before it is named.
pub(super) const JUDGE: [&str; 11] =
    ["correct", "right", "best", "safest", "winner", "choice", "winning", "proper", "matching", "one", "valid"];

/// What may stand between a cue and its letter.
pub(super) const BRIDGE: [&str; 40] = [
    "is",
    "be",
    "would",
    "the",
    "was",
    "must",
    "should",
    "has",
    "to",
    "with",
    "for",
    "think",
    "it",
    "it's",
    "its",
    "that",
    "i",
    "i'd",
    "i'll",
    "option",
    "choice",
    "letter",
    "patch",
    "one",
    "correct",
    "best",
    "my",
    "here",
    "es",
    "la",
    "ist",
    "est",
    "è",
    "é",
    "是",
    "为",
    "therefore",
    "definitely",
    "clearly",
    "number",
];

/// Words after a letter that accept it.
pub(super) const PRAISE: [&str; 22] = [
    "right",
    "correct",
    "best",
    "answer",
    "one",
    "safest",
    "winner",
    "fits",
    "fixes",
    "resolves",
    "satisfies",
    "matches",
    "meets",
    "works",
    "correctly",
    "only",
    "properly",
    "wins",
    "does",
    "implements",
    "addresses",
    "complete",
];

/// Words after a letter that rule it out.
pub(super) const REJECT: [&str; 26] = [
    "wrong",
    "incorrect",
    "not",
    "breaks",
    "fails",
    "misses",
    "violates",
    "isn't",
    "doesn't",
    "can't",
    "cannot",
    "broken",
    "opens",
    "lacks",
    "out",
    "invalid",
    "bad",
    "unsafe",
    "ignores",
    "leaves",
    "changes",
    "drops",
    "omits",
    "forgets",
    "removes",
    "worse",
];
