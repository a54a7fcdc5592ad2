//! Text as words: lower case, without endings, cut into sentences and clauses.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A text, word by word.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    list: Vec<Word>,
    /// The mark that closes each period.
    marks: Vec<char>,
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
    /// Whether it does not count in a gap. Looked up once: a gap is tried at every width.
    small: bool,
}

/// Some words, to look others up in.
pub(super) type WordList = LazyLock<BTreeSet<&'static str>>;

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
        Words { list: reader.list, marks: reader.marks }
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

    fn is_small(&self, at: usize) -> bool {
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
    period: u32,
    sentence: u32,
    clause: u32,
}

impl Reader {
    fn take(&mut self, c: char, next: Option<char>) {
        match c {
            '\'' | '’' => self.owner = !self.word.is_empty() && next == Some('s'),
            c if c.is_alphanumeric() => self.word.extend(c.to_lowercase()),
            // `cache.TTL_SECONDS`, `10:30` and `1,000` hold together.
            '.' | ',' | ':' if next.is_some_and(|next| !next.is_whitespace()) => self.finish_word(),
            ',' => self.cut(None),
            '.' | ':' | ';' | '!' | '?' | '(' | ')' | '[' | ']' | '\n' | '→' | '—' | '–' => self.cut(Some(c)),
            '-' | '=' if next == Some('>') => self.cut(Some('→')),
            '-' if self.word.is_empty() && next == Some(' ') => self.cut(Some('—')),
            _ => self.finish_word(),
        }
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
        self.list.push(Word { stem: stem(&raw), raw, period, sentence, clause, small });
    }
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
    silent.unwrap_or(root).to_owned()
}

/// A phrase to look for; `..` stands for up to four words of any kind, beside small words and names of services.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    pieces: Vec<Option<String>>,
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
        Pattern { pieces }
    }

    /// The stem that every match begins with.
    pub fn first(&self) -> &str {
        self.pieces.first().and_then(Option::as_deref).unwrap_or_default()
    }

    /// Where a match that begins at `start` ends, and the words that `..` stood for.
    pub fn find_at(&self, words: &Words, start: usize) -> Option<(usize, Vec<usize>)> {
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
