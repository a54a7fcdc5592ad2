//! Text as words: lower case, without endings, cut into sentences and clauses.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::table::{Table, Traces};

/// A text, word by word.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    list: Vec<Word>,
    /// The mark that closes each period.
    marks: Vec<char>,
    /// The lines that are headings.
    headings: BTreeSet<u32>,
    /// The traces of all stems.
    traces: Traces,
}

/// One word and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Word {
    /// As written, in lower case, without apostrophes.
    pub raw: String,
    /// Without its ending.
    pub stem: String,
    /// The stretch between two marks other than commas.
    pub period: u32,
    /// The stretch between two marks of punctuation.
    pub sentence: u32,
    /// The same, cut at words such as `because` as well.
    pub clause: u32,
    /// The line that it stands on.
    pub line: u32,
    /// Whether it is tied to the word before, as in `orders_database`.
    pub tied: bool,
    /// Whether it does not count in a gap. Looked up once: a gap is tried at every width.
    small: bool,
}

/// Some words, to look others up in.
pub(super) type WordList = LazyLock<Table<()>>;

/// A [`WordList`] from words in one string.
macro_rules! word_list {
    ($words:literal) => {
        std::sync::LazyLock::new(|| $words.split_whitespace().collect())
    };
}
pub(super) use word_list;

/// Words that open a clause of their own.
static OPENERS: WordList = word_list!(
    "but because so and while which although though however since whereas then therefore hence \
    causing causes caused making leading leaving when after until thus"
);

impl Words {
    pub fn of(text: &str) -> Words {
        let mut reader = Reader::default();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            reader.take(c, chars.peek().copied());
        }
        reader.finish_word();
        let mut words =
            Words { list: reader.list, marks: reader.marks, headings: reader.headings, traces: Traces::default() };
        words.trace();
        words
    }

    /// The mark that closes the period of a word; a blank at the end of the text.
    pub fn closed_by(&self, at: usize) -> char {
        self.get(at).and_then(|word| self.marks.get(word.period as usize)).copied().unwrap_or(' ')
    }

    /// The mark before the period of a word; a blank at the beginning of the text.
    pub fn opened_by(&self, at: usize) -> char {
        let period = self.get(at).map_or(0, |word| word.period as usize);
        period.checked_sub(1).and_then(|before| self.marks.get(before)).copied().unwrap_or(' ')
    }

    /// The words of the period of a word.
    pub fn period(&self, at: usize) -> std::ops::Range<usize> {
        self.stretch(at, |word| word.period)
    }

    /// The words of the sentence of a word.
    pub fn sentence(&self, at: usize) -> std::ops::Range<usize> {
        self.stretch(at, |word| word.sentence)
    }

    /// The words of the clause of a word.
    pub fn clause(&self, at: usize) -> std::ops::Range<usize> {
        self.stretch(at, |word| word.clause)
    }

    fn stretch(&self, at: usize, of: impl Fn(&Word) -> u32) -> std::ops::Range<usize> {
        let Some(own) = self.get(at).map(&of) else { return 0..0 };
        let start = (0..at).rev().take_while(|other| of(&self.list[*other]) == own).last().unwrap_or(at);
        let end = (at..self.len()).take_while(|other| of(&self.list[*other]) == own).last().unwrap_or(at);
        start..end + 1
    }

    /// The line of a word.
    pub fn line(&self, at: usize) -> u32 {
        self.get(at).map_or(0, |word| word.line)
    }

    /// Whether a line is a heading.
    pub fn is_heading(&self, line: u32) -> bool {
        self.headings.contains(&line)
    }

    /// Whether a word is tied to the one before, as in `orders_database`.
    pub fn is_tied(&self, at: usize) -> bool {
        self.get(at).is_some_and(|word| word.tied)
    }

    fn trace(&mut self) {
        self.list.iter().for_each(|word| self.traces.add(&word.stem));
    }

    /// Replaces stems, word by word.
    pub fn mend(&mut self, mended: impl Fn(&str) -> Option<String>) {
        for word in &mut self.list {
            if let Some(stem) = mended(&word.stem) {
                self.traces.add(&stem);
                word.stem = stem;
            }
        }
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn get(&self, at: usize) -> Option<&Word> {
        self.list.get(at)
    }

    pub fn raw(&self, at: usize) -> &str {
        self.list.get(at).map_or("", |word| &word.raw)
    }

    pub fn stem(&self, at: usize) -> &str {
        self.list.get(at).map_or("", |word| &word.stem)
    }

    pub fn is_small(&self, at: usize) -> bool {
        self.list.get(at).is_some_and(|word| word.small)
    }

    pub fn same_period(&self, one: usize, other: usize) -> bool {
        matches!((self.get(one), self.get(other)), (Some(one), Some(other)) if one.period == other.period)
    }

    pub fn same_sentence(&self, one: usize, other: usize) -> bool {
        matches!((self.get(one), self.get(other)), (Some(one), Some(other)) if one.sentence == other.sentence)
    }

    pub fn same_clause(&self, one: usize, other: usize) -> bool {
        matches!((self.get(one), self.get(other)), (Some(one), Some(other)) if one.clause == other.clause)
    }
}

#[derive(Default)]
struct Reader {
    list: Vec<Word>,
    word: String,
    marks: Vec<char>,
    owner: bool,
    headings: BTreeSet<u32>,
    line: u32,
    tied: bool,
    /// Whether a bracket is open that stands at a word.
    call: bool,
    /// Whether the last letter was a small one.
    lower: bool,
    period: u32,
    sentence: u32,
    clause: u32,
}

impl Reader {
    fn take(&mut self, c: char, next: Option<char>) {
        if c == '#' && self.list.last().is_none_or(|word| word.line != self.line) && self.word.is_empty() {
            self.headings.insert(self.line);
        }
        match c {
            '_' => {
                self.finish_word();
                self.tied = true;
            }
            '\n' => {
                self.cut(Some(c));
                self.line += 1;
            }
            '\'' | '’' => self.owner = !self.word.is_empty() && next == Some('s'),
            c if c.is_alphanumeric() => self.letter(c, next),
            // `cache.TTL_SECONDS`, `10:30` and `1,000` hold together; `cache,queue` does not.
            '.' | ':' if next.is_some_and(is_inner) => self.finish_word(),
            ',' if next.is_some_and(|next| next.is_ascii_digit()) => self.finish_word(),
            ',' => self.cut(None),
            // `orders(user_id)` is one thing.
            '(' if !self.word.is_empty() && next.is_some_and(char::is_alphanumeric) => {
                self.finish_word();
                self.call = true;
            }
            ')' if std::mem::take(&mut self.call) => self.finish_word(),
            '.' | ':' | ';' | '!' | '?' | '(' | ')' | '[' | ']' | '→' | '—' | '–' => self.cut(Some(c)),
            '-' | '=' if next == Some('>') => self.cut(Some('→')),
            '-' if self.word.is_empty() && next == Some(' ') => self.cut(Some('—')),
            _ => self.finish_word(),
        }
    }

    /// `AccessExclusiveLock` is three words.
    fn letter(&mut self, c: char, next: Option<char>) {
        if c.is_uppercase() && self.lower && next.is_some_and(char::is_lowercase) {
            self.finish_word();
        }
        self.lower = c.is_lowercase();
        self.word.extend(c.to_lowercase());
    }

    /// Ends a sentence, and with a mark other than a comma the period too. Of marks in a row the first counts, but a
    /// question is one however it goes on.
    fn cut(&mut self, mark: Option<char>) {
        self.finish_word();
        let is_new = self.list.last().is_some_and(|word| word.period == self.period);
        match mark {
            Some(mark) if is_new => {
                self.marks.push(mark);
                self.period += 1;
            }
            Some('?') => self.marks.last_mut().into_iter().for_each(|last| *last = '?'),
            Some(mark @ ('.' | '!' | '\n')) => {
                self.marks
                    .last_mut()
                    .into_iter()
                    .filter(|last| matches!(last, ')' | ']'))
                    .for_each(|last| *last = mark);
            }
            _ => {}
        }
        self.sentence += 1;
        self.clause += 1;
    }

    fn finish_word(&mut self) {
        self.lower = false;
        if self.word.is_empty() {
            return;
        }
        let mut raw = std::mem::take(&mut self.word);
        // `the LB's limit` is about the LB.
        if std::mem::take(&mut self.owner) && raw.ends_with('s') {
            raw.pop();
        }
        // `, which expired` goes on with what stands before it.
        let is_first =
            self.list.last().is_some_and(|last| last.sentence != self.sentence && last.period == self.period);
        if is_first && matches!(raw.as_str(), "which" | "whose") {
            self.sentence -= 1;
        }
        if OPENERS.contains(raw.as_str()) {
            self.clause += 1;
        }
        let (period, sentence, clause) = (self.period, self.sentence, self.clause);
        let small = SMALL.contains(raw.as_str());
        let (line, tied) = (self.line, std::mem::take(&mut self.tied));
        self.list.push(Word { stem: stem(&raw), raw, period, sentence, clause, line, tied, small });
    }
}

/// Whether a letter goes on what a mark stands inside of.
fn is_inner(next: char) -> bool {
    next.is_alphanumeric() || matches!(next, '_' | '/')
}

/// A word without its ending, so that `crashed`, `crashes` and `crashing` are one word. Crude on
/// purpose: both sides of a comparison go through it.
pub(super) fn stem(word: &str) -> String {
    if let Some(root) = word.strip_suffix("ies").or_else(|| word.strip_suffix("ied")).filter(|root| root.len() > 2) {
        return format!("{root}y");
    }
    let keeps_its_s = ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    let cut = |ending: &str| word.strip_suffix(ending).filter(|root| root.len() >= 3);
    let plural = || if keeps_its_s { None } else { cut("s") };
    let root = cut("ing").or_else(|| cut("ed")).or_else(|| cut("es")).or_else(plural).unwrap_or(word);
    let silent = root.strip_suffix('e').filter(|short| short.len() >= 3);
    one_spelling(silent.unwrap_or(root))
}

/// British and American endings, and the short forms of the field, as one.
fn one_spelling(root: &str) -> String {
    if let Some((_, long)) = SHORT_FORMS.iter().find(|(short, _)| *short == root) {
        return (*long).to_owned();
    }
    let swap = |ending: &str, other: &str| {
        root.strip_suffix(ending).filter(|start| start.len() >= 4).map(|start| format!("{start}{other}"))
    };
    swap("our", "or")
        .or_else(|| swap("iz", "is"))
        .or_else(|| swap("yz", "ys"))
        .or_else(|| swap("ll", "l"))
        .unwrap_or_else(|| root.to_owned())
}

/// What people write for long words, and other words for the same, both as stems.
const SHORT_FORMS: [(&str, &str); 17] = [
    ("tx", "transaction"),
    ("deactivat", "disabl"),
    ("disc", "disk"),
    ("idx", "index"),
    ("conn", "connection"),
    ("proc", "process"),
    ("msg", "messag"),
    ("mem", "memory"),
    ("req", "request"),
    ("vi", "visibility"),
    ("vis", "visibility"),
    ("dup", "duplicat"),
    ("stat", "statistic"),
    ("txn", "transaction"),
    ("filesys", "filesystem"),
    ("analys", "analys"),
    ("svc", "service"),
];

/// A phrase to look for; `..` stands for up to four words of any kind, beside small words and names of services.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    pieces: Vec<Option<String>>,
    traces: Traces,
}

/// The most words that count in what `..` stands for, and the most of all.
const GAP: usize = 4;
const WIDEST_GAP: usize = 12;

/// Words that do not count there: `the certificate of the load balancer has expired`.
static SMALL: WordList = word_list!(
    "of the a an its our in on at for from to is was are were has have had been be web server database db cache \
    message queue load balancer lb broker redis postgres which"
);

impl Pattern {
    pub fn new(phrase: &str) -> Pattern {
        let mut pieces = Vec::new();
        for part in phrase.split_whitespace() {
            if part == ".." {
                pieces.push(None);
            } else {
                pieces.extend(Words::of(part).list.into_iter().map(|word| Some(word.stem)));
            }
        }
        let mut traces = Traces::default();
        pieces.iter().flatten().for_each(|stem: &String| traces.add(stem));
        Pattern { pieces, traces }
    }

    /// The stem that every match begins with.
    pub fn first(&self) -> &str {
        self.pieces.first().and_then(Option::as_deref).unwrap_or_default()
    }

    /// Where a match that begins at `start` ends, and the words that `..` stood for.
    pub fn find_at(&self, words: &Words, start: usize) -> Option<(usize, Vec<usize>)> {
        if !words.traces.hold(&self.traces) {
            return None;
        }
        let mut gap = Vec::new();
        let end = walk(&self.pieces, words, start, start, &mut gap)?;
        Some((end, gap))
    }
}

fn walk(pieces: &[Option<String>], words: &Words, start: usize, at: usize, gap: &mut Vec<usize>) -> Option<usize> {
    let Some((piece, rest)) = pieces.split_first() else { return Some(at) };
    if let Some(stem) = piece {
        let fits = words.same_sentence(start, at) && words.stem(at) == stem;
        return if fits { walk(rest, words, start, at + 1, gap) } else { None };
    }
    let mut counted = 0;
    let within = |skip: &usize| {
        counted += usize::from(*skip > 0 && !words.is_small(at + skip - 1));
        counted <= GAP
    };
    (0..=WIDEST_GAP).take_while(within).find_map(|skip| {
        let kept = gap.len();
        gap.extend(at..at + skip);
        let found = walk(rest, words, start, at + skip, gap);
        if found.is_none() {
            gap.truncate(kept);
        }
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_fall_away() {
        let cases = [
            ("crashed crashes crashing crash", "crash"),
            ("expires expired expire expiring", "expir"),
            ("retries retried retry", "retry"),
            ("misses missing miss", "miss"),
            ("cache caches cached", "cach"),
            ("redis", "redis"),
            ("tls", "tls"),
        ];
        for (words, expect) in cases {
            for word in words.split(' ') {
                assert_eq!(stem(word), expect, "{word}");
            }
        }
    }

    #[test]
    fn text_is_cut_where_the_thought_ends() {
        let words = Words::of("It isn't cache.TTL_SECONDS, it's the LB’s fault because of X");
        let raw: Vec<&str> = (0..words.len()).map(|at| words.raw(at)).collect();
        assert_eq!(raw, ["it", "isnt", "cache", "ttl", "seconds", "it", "the", "lb", "fault", "because", "of", "x"]);
        assert!(words.same_sentence(0, 4) && !words.same_sentence(4, 5));
        assert!(words.same_sentence(5, 11) && !words.same_clause(8, 9));
    }

    #[test]
    fn patterns_reach_over_a_few_words() {
        let find = |phrase: &str, text: &str| Pattern::new(phrase).find_at(&Words::of(text), 0);
        assert_eq!(find("worker .. crash", "workers kept on crashing"), Some((4, vec![1, 2])));
        assert_eq!(find("TTL_SECONDS", "ttl_seconds=5"), Some((2, vec![])));
        assert_eq!(find("worker .. crash", "workers are fine. A crash"), None);
        assert_eq!(find("worker .. crash", "workers a1 b c d e crash"), None);
    }
}
