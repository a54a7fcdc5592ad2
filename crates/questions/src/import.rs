//! Reads the published files: arrays or lines of `input` (two messages) and `ideal`.

use serde::Deserialize;
use serde_json::Value;

use crate::account::ChangeAccount;
use crate::masked::MaskedRegion;
use crate::{ChoiceSet, Expected, Origin, Provenance, Question, Skill};

/// A file that others published, as questions.
#[derive(Clone, Debug, Default)]
pub struct ImportedSet {
    /// What could be read. Some may have a flaw of their own, such as the same option twice: see [`Question::flaw`].
    pub questions: Vec<Question>,
    /// What could not, and why: counted from 1.
    pub rejected: Vec<(usize, String)>,
}

/// Why a file cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The name tells no family.
    #[error("`{0}` names no family: give one of the published names, such as azure-k8s-mcq or mcq_easy")]
    Family(String),
    /// A set of ours that is damaged.
    #[error(transparent)]
    Store(#[from] crate::store::StoreError),
    /// Neither an array nor lines of JSON.
    #[error("neither an array nor lines of JSON: {0}")]
    Json(#[from] serde_json::Error),
}

#[derive(Deserialize)]
struct Published {
    input: Vec<PublishedMessage>,
    #[serde(default)]
    ideal: Value,
    #[serde(default)]
    repository_name: Option<String>,
}

#[derive(Deserialize)]
struct PublishedMessage {
    #[serde(default)]
    role: String,
    content: Value,
}

/// Reads a published file; its name tells the family.
pub fn read(name: &str, text: &str) -> Result<ImportedSet, ImportError> {
    let skill = Skill::of_published(name).ok_or_else(|| ImportError::Family(name.into()))?;
    let mut set = ImportedSet::default();
    for (at, value) in values(text)?.into_iter().enumerate() {
        let read = value.and_then(serde_json::from_value).map_err(|error| error.to_string());
        match read.and_then(|published: Published| question(skill, name, at + 1, &published)) {
            Ok(question) => set.questions.push(question),
            Err(why) => set.rejected.push((at + 1, why)),
        }
    }
    Ok(set)
}

/// Reads a set of ours or a published file: the one entry for whatever a user has.
pub fn read_any(name: &str, text: &str) -> Result<ImportedSet, ImportError> {
    let text = without_mark(text);
    let ours = text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.contains("\"skill\":"));
    if ours {
        return Ok(ImportedSet { questions: crate::store::read(text)?, rejected: Vec::new() });
    }
    read(name, text)
}

/// The text without the mark that some programs put in front of UTF-8.
fn without_mark(text: &str) -> &str {
    text.trim_start_matches('\u{feff}')
}

/// The items of an array, or of lines. A line that is damaged takes no other with it, unless there is no other.
fn values(text: &str) -> Result<Vec<serde_json::Result<Value>>, serde_json::Error> {
    let text = without_mark(text);
    if text.trim_start().starts_with('[') {
        return Ok(serde_json::from_str::<Vec<Value>>(text)?.into_iter().map(Ok).collect());
    }
    let lines = text.lines().filter(|line| !line.trim().is_empty()).map(serde_json::from_str);
    let mut values: Vec<serde_json::Result<Value>> = lines.collect();
    match values.iter().any(Result::is_ok) {
        false if !values.is_empty() => Err(values.swap_remove(0).expect_err("none of them is JSON")),
        _ => Ok(values),
    }
}

fn question(skill: Skill, name: &str, number: usize, published: &Published) -> Result<Question, String> {
    let user = published.input.iter().rfind(|message| message.role != "system").ok_or("no message of the user")?;
    let user = plain(&user.content).ok_or("the user's message is no text")?;
    let ideal = published.ideal.as_str().map(str::trim).filter(|ideal| !ideal.is_empty()).ok_or("it has no `ideal`")?;
    let (text, expected) = match skill {
        Skill::MaskedChange => (user.clone(), Expected::Region(region(&user, ideal)?)),
        Skill::Reverse | Skill::ReverseGrounded => {
            (user.clone(), Expected::Account(ChangeAccount { facts: Vec::new(), reference: ideal.into() }))
        }
        _ => choice(&user, ideal)?,
    };
    let stem = name.rsplit('/').next().unwrap_or(name).split('.').next().unwrap_or(name);
    let repository = published.repository_name.clone().unwrap_or_else(|| stem.into());
    let clusters = [("repository".to_string(), repository)].into();
    let provenance = Provenance { origin: Origin::Imported, source: stem.into(), ..Default::default() };
    Ok(Question { id: format!("{stem}-{number}"), skill, text, expected, provenance, clusters })
}

/// A message's text: a string, or a list of parts with text.
fn plain(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text").unwrap_or(part).as_str()).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        _ => None,
    }
}

/// The text above the options, and the blocks headed "Choice A:" and so on.
fn choice(user: &str, ideal: &str) -> Result<(String, Expected), String> {
    let letter = key_letter(ideal).ok_or("its `ideal` is no letter")?;
    let key = (letter.to_ascii_uppercase() as u8 - b'A') as usize;
    let mut starts: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    for line in user.split_inclusive('\n') {
        let heading = format!("Choice {}:", crate::ask::letter(starts.len().min(9)));
        if starts.len() < 10 && line.trim_start().starts_with(&heading) {
            let indent = line.len() - line.trim_start().len();
            starts.push((at, at + indent + heading.len()));
        }
        at += line.len();
    }
    if starts.len() < 2 || key >= starts.len() {
        return Err(format!("{} choices and the key {letter}", starts.len()));
    }
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([user.len()]);
    let options =
        starts.iter().zip(ends).map(|((_, from), to)| user[*from..to].trim_matches('\n').to_string()).collect();
    let text = user[..starts[0].0].trim_end().trim_end_matches("---").trim();
    let (_, text) = text.split_once('\n').filter(|(first, _)| first.trim_end().ends_with(':')).unwrap_or(("", text));
    Ok((text.trim().into(), Expected::Choice(ChoiceSet { options, key, ..Default::default() })))
}

/// A letter by itself, whatever marks stand around it. The first letter of a word is no key.
fn key_letter(ideal: &str) -> Option<char> {
    let mut letters = ideal.trim_matches(|c: char| !c.is_alphanumeric()).chars();
    let letter = letters.next().filter(char::is_ascii_alphabetic)?;
    letters.next().is_none_or(|next| !next.is_alphanumeric() && next != '\'').then_some(letter)
}

/// What the reference has where the prompt has its mask: they agree above and below.
fn region(user: &str, ideal: &str) -> Result<MaskedRegion, String> {
    let shown: Vec<&str> = user.lines().collect();
    let whole: Vec<&str> = ideal.lines().collect();
    let first = whole.iter().find(|line| !line.trim().is_empty()).ok_or("its reference is empty")?;
    let start = shown.iter().rposition(|line| line == first).ok_or("the prompt does not show the change")?;
    let skipped = whole.iter().position(|line| line == first).unwrap_or(0);
    let whole = &whole[skipped..];
    let above = shown[start..].iter().zip(whole).take_while(|(a, b)| a == b).count();
    let tail = shown[start..].iter().rev().skip_while(|line| line.trim().is_empty());
    let below = tail.zip(whole.iter().rev()).take_while(|(a, b)| a == b).count();
    if above + below >= whole.len() {
        return Err("nothing is masked".into());
    }
    let owned = |lines: &[&str]| lines.iter().map(|line| line.to_string()).collect();
    let (head, rest) = whole.split_at(above);
    let (lines, tail) = rest.split_at(rest.len() - below);
    Ok(MaskedRegion { above: owned(head), lines: owned(lines), below: owned(tail) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn item(user: Value, ideal: &str) -> Value {
        json!({"input": [{"role": "system", "content": "Choose."}, {"role": "user", "content": user}], "ideal": ideal})
    }

    const USER: &str = "Pull request:\nClose the port.\n\n---\nChoice A:\na.tf\n+x\n---\nChoice B:\nb.tf\n+y\n---\nChoice C:\n+z\nChoice D:\n+w";

    #[test]
    fn arrays_and_lines_are_read() {
        let value = item(json!(USER), "C");
        for text in [json!([value]).to_string(), format!("{value}\n\n")] {
            let set = read("s3-security-mcq.json", &text).expect("a published layout");
            let question = &set.questions[0];
            let choice = question.choice().expect("a choice");
            assert_eq!((question.skill, choice.key, choice.options.len()), (Skill::S3Security, 2, 4));
            assert_eq!((question.text.as_str(), choice.options[0].as_str()), ("Close the port.", "a.tf\n+x\n---"));
        }
    }

    #[test]
    fn a_missing_label_is_not_an_a() {
        let set = read("mcq_easy.jsonl", &item(json!(USER), "").to_string()).expect("lines of JSON");
        assert_eq!(set.rejected, [(1, "it has no `ideal`".to_string())]);
    }

    #[test]
    fn a_key_is_a_letter_by_itself() {
        let check = |ideal: &str, key: Option<usize>| {
            let set = read("mcq_easy.jsonl", &item(json!(USER), ideal).to_string()).expect("lines of JSON");
            let found = set.questions.first().and_then(|question| question.choice()).map(|choice| choice.key);
            assert_eq!(found, key, "{ideal}: {:?}", set.rejected);
        };
        check("B", Some(1));
        check(" (c). ", Some(2));
        check("D: the last", Some(3));
        check("E", None);
        check("Because of the port", None);
        check("Can't say", None);
        check("7", None);
    }

    #[test]
    fn a_damaged_line_takes_no_other_with_it() {
        let good = item(json!(USER), "C");
        let set = read_any("mcq_easy.jsonl", &format!("\u{feff}{good}\r\n[1]\r\n{{cut\r\n")).expect("one is good");
        assert_eq!((set.questions.len(), set.rejected.len()), (1, 2));
        assert!(read_any("mcq_easy.jsonl", "{cut\n").is_err());
    }

    #[test]
    fn content_in_parts_is_read() {
        let parts = json!([{"type": "text", "text": USER}]);
        let set = read("gmcq.jsonl", &item(parts, "a").to_string()).expect("lines of JSON");
        assert_eq!(set.questions[0].choice().expect("a choice").key, 0);
    }

    #[test]
    fn the_mask_is_found_by_what_surrounds_it() {
        let ideal = "a.rs\n@@ -1,2 +1,4 @@\n one\n+two\n+three\n four";
        let user = "Title: t\nBody: b\n\na.rs\n@@ -1,2 +1,4 @@\n one\n[MASK]\n four\n";
        let set = read("mpr_gen.jsonl", &item(json!(user), ideal).to_string()).expect("lines of JSON");
        let question = &set.questions[0];
        let Expected::Region(region) = &question.expected else { panic!("a region") };
        assert_eq!(region.lines, ["+two", "+three"]);
        assert!(question.grade(ideal, 0).correct);
        assert_eq!(question.grade(user, 0).score, 0.0);
    }

    #[test]
    fn sets_of_ours_are_known_by_their_lines() {
        let ours = crate::store::write(&[crate::question::tests::four(1)]);
        assert_eq!(read_any("any.jsonl", &ours).expect("ours").questions.len(), 1);
        assert_eq!(read_any("mcq_easy.jsonl", &item(json!(USER), "C").to_string()).expect("theirs").questions.len(), 1);
    }

    #[test]
    fn an_unknown_name_is_refused() {
        assert!(matches!(read("models.json", "[]"), Err(ImportError::Family(_))));
    }
}
