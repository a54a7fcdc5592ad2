//! Phrases of any vocabulary in a text, read as diagnoses are: what is asserted counts, and a bare list is told apart
//! from an account.

use super::mentions::{Mention, Subject};
use super::negation;
use super::words::{Pattern, Words};

/// A text with the phrases that were looked for in it.
#[derive(Clone, Debug)]
pub struct PhraseReading {
    words: Words,
    mentions: Vec<Mention>,
}

impl PhraseReading {
    /// Looks for phrases, each under the name of what it stands for.
    pub fn of<'a>(text: &str, phrases: impl IntoIterator<Item = (&'a str, &'a str)>) -> PhraseReading {
        let words = Words::of(text);
        let mut mentions: Vec<Mention> = Vec::new();
        for (name, phrase) in phrases {
            let pattern = Pattern::new(phrase);
            for start in 0..words.len() {
                if let Some((end, gap)) = pattern.find_at(&words, start) {
                    let of = Subject::Service(name.to_string());
                    mentions.push(Mention { of, start, end, gap, thing: None, negated: false });
                }
            }
        }
        mentions.sort_by(|one, other| (one.start, other.end, &one.of).cmp(&(other.start, one.end, &other.of)));
        negation::mark(&words, &mut mentions);
        PhraseReading { words, mentions }
    }

    /// Whether something is mentioned, and wherever it is, asked, supposed, denied or said to be in order.
    pub fn is_denied(&self, name: &str) -> bool {
        let mut own = self.mentions.iter().filter(|mention| mention.service() == Some(name)).peekable();
        own.peek().is_some() && own.all(|mention| mention.negated)
    }

    /// The names of what is asserted, in the order of the text.
    pub fn asserted(&self) -> Vec<&str> {
        let mut found = Vec::new();
        for name in self.mentions.iter().filter(|mention| !mention.negated).filter_map(Mention::service) {
            if !found.contains(&name) {
                found.push(name);
            }
        }
        found
    }

    /// How many different things stand in the longest row with nothing said of them: `image, port, probe`.
    pub fn longest_row(&self) -> usize {
        let (mut longest, mut row): (usize, Vec<&str>) = (0, Vec::new());
        let mut end = 0;
        for mention in &self.mentions {
            let Some(name) = mention.service() else { continue };
            if mention.start > end && !(end..mention.start).all(|word| JOINTS.contains(&self.words.raw(word))) {
                row.clear();
            }
            if !row.contains(&name) {
                row.push(name);
            }
            (longest, end) = (longest.max(row.len()), end.max(mention.end));
        }
        longest
    }

    /// Whether two different things are offered as alternatives: `the image or the port`.
    pub fn offers_alternatives(&self) -> bool {
        self.mentions.windows(2).any(|pair| {
            let (one, next) = (&pair[0], &pair[1]);
            let mut between = one.end..next.start;
            one.of != next.of
                && between.clone().any(|word| self.words.raw(word) == "or")
                && between.all(|word| JOINTS.contains(&self.words.raw(word)))
        })
    }
}

/// Words that join the parts of a list.
const JOINTS: [&str; 12] =
    ["and", "or", "the", "a", "an", "also", "plus", "maybe", "possibly", "perhaps", "likely", "either"];

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [(&str, &str); 5] =
        [("image", "image"), ("image", "build"), ("port", "port"), ("probe", "readiness probe"), ("dns", "dns")];

    #[test]
    fn what_is_asserted_counts() {
        let check =
            |text: &str, expect: &[&str]| assert_eq!(PhraseReading::of(text, KNOWN).asserted(), expect, "{text}");
        check("The image is broken because its build failed.", &["image"]);
        check("It is not the image but the port.", &["port"]);
        check("Could it be the image?", &[]);
        check("The image is fine. The readiness probe fails.", &["probe"]);
        check("nothing at all", &[]);
        assert!(PhraseReading::of("It is not the image.", KNOWN).is_denied("image"));
        assert!(!PhraseReading::of("It is the image.", KNOWN).is_denied("image"));
        assert!(!PhraseReading::of("It is the port.", KNOWN).is_denied("image"));
    }

    #[test]
    fn lists_are_told_from_accounts() {
        let check = |text: &str, expect: (usize, bool)| {
            let reading = PhraseReading::of(text, KNOWN);
            assert_eq!((reading.longest_row(), reading.offers_alternatives()), expect, "{text}");
        };
        check("image, port, readiness probe, dns", (4, false));
        check("the image or the port", (2, true));
        check("the image listens on another port, so the readiness probe fails", (1, false));
        check("image and build", (1, false));
        check("", (0, false));
    }
}
