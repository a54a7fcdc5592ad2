//! Grading a diagnosis: exactly by its structured answer, and by its words.

use std::collections::BTreeSet;

use record::grade::PhraseReading;

use crate::problem::ClusterProblem;
use crate::vocabulary::{CAUSE_KINDS, TROUBLES, is_cause_kind};

/// One answer to the question what is wrong: `component/kind`, with the object behind it where that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CauseClaim {
    /// The component.
    pub component: String,
    /// The kind of cause.
    pub kind: String,
    /// The object, as `deployment/geo`; empty if it was not said.
    pub object: String,
}

/// A text longer than that is a dump rather than a diagnosis.
const LONGEST: usize = 1500;
/// As many components may be blamed beside those of the causes.
const MOST_OTHERS: usize = 4;
/// As many kinds of trouble may be named beside one for each cause: a probe has a port, a pod has an image.
const MOST_TROUBLES: usize = 6;
/// As many may stand in a row.
const LONGEST_ROW: usize = 3;
/// From so many things on a sentence with `or` is a choice.
const FEWEST_CHOICES: usize = 3;

/// Reads answers, several of them separated by `;`. The error says what would have been right.
pub fn read_claims(text: &str) -> Result<Vec<CauseClaim>, String> {
    let mut found = Vec::new();
    for one in text.split(';').map(str::trim).filter(|one| !one.is_empty()) {
        let mut parts = one.splitn(3, '/').map(str::trim);
        let (component, kind) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if component.is_empty() || kind.is_empty() {
            return Err(format!(
                "`{one}` is no cause; write component/kind, such as geo/wrong_image, several separated by `;`"
            ));
        }
        let kind = kind.to_ascii_lowercase().replace([' ', '-'], "_");
        if !is_cause_kind(&kind) {
            let known: Vec<&str> = CAUSE_KINDS.iter().map(|(name, _)| *name).collect();
            return Err(format!("there is no kind `{kind}`; the kinds are {}", known.join(", ")));
        }
        let object = parts.next().unwrap_or_default().to_string();
        found.push(CauseClaim { component: component.to_string(), kind, object });
    }
    if found.is_empty() { Err("the answer is empty; write component/kind".to_string()) } else { Ok(found) }
}

/// Whether answers are right: every kind of cause is named at a component or object that has it, and nothing else is.
pub fn is_right(problem: &ClusterProblem, claims: &[CauseClaim]) -> bool {
    let causes = &problem.file.cause;
    let fits = |claim: &CauseClaim| {
        causes.iter().any(|cause| {
            let object = cause.object.split_once('/').map_or(cause.object.as_str(), |(_, name)| name);
            let named = [cause.component.as_str(), object, cause.object.as_str()];
            let component = named.iter().any(|name| claim.component.eq_ignore_ascii_case(name));
            let object = claim.object.is_empty() || claim.object.eq_ignore_ascii_case(&cause.object);
            cause.kind == claim.kind && component && object
        })
    };
    let kinds: BTreeSet<&str> = causes.iter().map(|cause| cause.kind.as_str()).collect();
    let claimed: BTreeSet<&str> = claims.iter().map(|claim| claim.kind.as_str()).collect();
    claims.iter().all(fits) && kinds == claimed
}

/// Whether a text names the cause by its words: one of every group, asserted, and not everything else as well.
pub fn is_named(problem: &ClusterProblem, text: &str, components: &[String]) -> bool {
    let text = text.to_lowercase();
    let groups = &problem.file.diagnosis.words;
    let phrases: Vec<&str> = groups.iter().flatten().map(String::as_str).collect();
    let reading = PhraseReading::of(&text, phrases.into_iter().map(|phrase| (phrase, phrase)));
    // The name of a component must stand there as a word: mongodb-geo is not geo.
    let has = |word: &String| match components.contains(word) {
        true => mentions(&text, word) && !reading.is_denied(word),
        false => text.contains(&word.to_lowercase()) && !reading.is_denied(word),
    };
    let named = groups.iter().all(|group| group.iter().any(has));
    let own: BTreeSet<&str> = problem.file.cause.iter().map(|cause| cause.component.as_str()).collect();
    let others = components.iter().filter(|name| !own.contains(name.as_str()) && mentions(&text, name)).count();
    named && text.len() <= LONGEST && others <= MOST_OTHERS && !is_a_list(&text, problem.file.cause.len())
}

/// Whether a text piles up what could be wrong instead of saying what is: too many kinds of trouble in all, a row of them
/// with nothing said of any, or one offered in the place of another.
fn is_a_list(text: &str, causes: usize) -> bool {
    let reading = PhraseReading::of(text, TROUBLES.iter().copied());
    reading.asserted().len() > MOST_TROUBLES + causes
        || reading.longest_row() > LONGEST_ROW
        || reading.offers_alternatives()
        || text.split(['.', ';', '\n']).any(is_a_choice)
}

/// Whether a sentence offers several things to choose from, two of them kinds of trouble: `the quota, pod security, or DNS`.
fn is_a_choice(sentence: &str) -> bool {
    let parts: Vec<&str> = sentence.split(',').flat_map(|part| part.split(" or ")).collect();
    let kind =
        |part: &&str| PhraseReading::of(part, TROUBLES.iter().copied()).asserted().first().map(|kind| kind.to_string());
    let is_offered = sentence.contains(" or ") && parts.len() >= FEWEST_CHOICES;
    is_offered && parts.iter().filter_map(kind).collect::<BTreeSet<String>>().len() > 1
}

/// Whether a name stands in a text as a word of its own.
fn mentions(text: &str, name: &str) -> bool {
    let is_word = |char: char| char.is_ascii_alphanumeric() || char == '-';
    text.match_indices(name).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_word)
            && !text[at + name.len()..].chars().next().is_some_and(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem() -> ClusterProblem {
        let text = "title = 'x'\napplications = ['hotel-reservation']\nlayer = 'application'\nmode = 'single'\n[[fault]]\nrun = 'x'\n\
                    [[cause]]\ncomponent = 'geo'\nkind = 'wrong_image'\nobject = 'deployment/geo'\nabout = 'x'\n[diagnosis]\n\
                    words = [['geo'], ['image', 'build']]\n[solution]\ncommands = ['x']\n";
        ClusterProblem::parse("x", text).expect("it is sound")
    }

    #[test]
    fn structured_answers_are_exact() {
        let check = |text: &str, expect: bool| {
            let claims = read_claims(text).unwrap_or_default();
            assert_eq!(!claims.is_empty() && is_right(&problem(), &claims), expect, "{text}");
        };
        check("geo/wrong_image", true);
        check("Geo/wrong image", true);
        check("geo/wrong_image/deployment/geo", true);
        check("geo/wrong_image/deployment/rate", false);
        check("rate/wrong_image", false);
        check("geo/wrong_env", false);
        check("geo/wrong_image; geo/wrong_env", false);
        check("geo/wrong_image; rate/wrong_image", false);
        check("geo", false);
        check("geo/gremlins", false);
        check("", false);
    }

    #[test]
    fn words_are_read_and_dumps_are_not() {
        let all: Vec<String> =
            ["geo", "rate", "search", "user", "frontend", "profile", "mongodb-geo"].map(String::from).to_vec();
        let check = |text: &str, expect: bool| assert_eq!(is_named(&problem(), text, &all), expect, "{text}");
        check("The image of geo is a faulty build.", true);
        check("The image of rate is faulty.", false);
        check("geo is slow", false);
        check("image of geo, rate, search, user, frontend, profile or mongodb-geo", false);
        check(&format!("geo image {}", "x".repeat(2000)), false);
        check("mongodb-geo has a bad image: not the same as geodata", false);
        check("geo is at fault, but not its image", false);
        check("Could it be the image of geo?", false);
        check("geo: image, port, readiness probe, dns", false);
        check("geo: the image or the port", false);
        check("geo is down: its image is bad, or DNS does not work, or a quota is full", false);
        check("The image of geo is a bad build, so searches fail, or take long.", true);
        check(
            "The image of geo listens on another port than its readiness probe asks, so the Service has no endpoints.",
            true,
        );
        let piled = "geo. The image is bad. The port is wrong. The readiness probe fails. The quota is full. The webhook refuses. \
                     DNS is down. The volume claim is lost. The secret is stale. A node has a taint.";
        check(piled, false);
    }
}
