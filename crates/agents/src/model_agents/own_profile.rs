//! A profile of the user's own: a text file with a prompt, and above it, if wanted, which loop asks with it and how.
//!
//! ```text
//! name: careful            (the file's name, if left out)
//! agent: react             (whose loop it is; react, if left out)
//! about: looks twice       (optional)
//! version: 2               (optional)
//! temperature: 0           (and every other model setting, by its name in a sweep file)
//! history: 6               (how many of the latest exchanges the model is shown)
//! ---
//! You are an on-call engineer. ...
//! ```

use harness::record::OWN_PROMPT;
use serde_json::{Map, Value};

use super::profile::{self, Profile};
use crate::model::Sampling;

/// A profile that came from a file.
#[derive(Clone, Debug)]
pub struct OwnProfile {
    /// Its name before the `@`.
    pub name: String,
    /// What it does, in one line.
    pub about: String,
    /// What the model is told.
    pub text: String,
    /// How many of the latest exchanges the model is shown, if the file says so.
    pub history: Option<usize>,
    /// The settings that the file gives.
    pub(super) sampling: Sampling,
    /// Whose loop asks.
    pub(super) base: &'static Profile,
    version: Option<String>,
}

impl OwnProfile {
    /// Reads the text of a file; `stem` is its name without the ending.
    pub fn parse(stem: &str, file: &str) -> Result<OwnProfile, String> {
        let file = file.replace("\r\n", "\n");
        let (mut fields, text) = match file.split_once("\n---\n").filter(|(head, _)| is_head(head)) {
            Some((head, text)) => (fields(head)?, text.trim()),
            None => (Map::new(), file.trim()),
        };
        if text.is_empty() {
            return Err(
                "it holds no prompt; write what the model is told, below a line `---` if fields are above it".into()
            );
        }
        let mut take = |name: &str| fields.remove(name).map(|value| written(&value));
        let name = take("name").unwrap_or_else(|| stem.to_string());
        check_name(&name)?;
        let base = profile::find(&take("agent").unwrap_or_else(|| "react".to_string()))?;
        let about = take("about").unwrap_or_else(|| format!("a prompt of your own, asked as {} asks", base.name));
        let version = take("version");
        let history = fields.remove("history").map(|value| history(&value)).transpose()?;
        let sampling: Sampling = serde_json::from_value(Value::Object(fields)).map_err(|problem| {
            format!("{problem}; a profile's own fields are `name`, `agent`, `about`, `version` and `history`")
        })?;
        let sampling = sampling.or(&base.sampling());
        Ok(OwnProfile { name, about, text: text.to_string(), history, sampling, base, version })
    }

    /// The name of the profile whose loop asks.
    pub fn asks_as(&self) -> &'static str {
        self.base.name
    }

    /// The SHA-256 of the text.
    pub fn digest(&self) -> String {
        harness::sha256(self.text.as_bytes())
    }

    /// What records call it. A few letters of the digest are in it: the author of a prompt may change it and leave
    /// its name and version as they were, and two texts must not pass for one.
    pub fn label(&self) -> String {
        let version = self.version.as_ref().map_or(String::new(), |version| format!(" v{version}"));
        format!("{OWN_PROMPT}{}{version} ({}, {})", self.name, self.base.name, &self.digest()[..12])
    }
}

/// Whether all of it is fields: a rule of dashes in a prompt without fields is part of the prompt.
fn is_head(head: &str) -> bool {
    head.lines().all(|line| {
        line.trim().is_empty()
            || line.split_once(':').is_some_and(|(name, _)| name.chars().all(|c| c == '_' || c.is_ascii_lowercase()))
    })
}

fn fields(head: &str) -> Result<Map<String, Value>, String> {
    let mut fields = Map::new();
    for (name, value) in head.lines().filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        // A word without quotes is a text.
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_string()));
        if fields.insert(name.to_string(), value).is_some() {
            return Err(format!("`{name}` is given twice"));
        }
    }
    Ok(fields)
}

fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

fn history(value: &Value) -> Result<usize, String> {
    let count = value.as_u64().and_then(|count| usize::try_from(count).ok()).filter(|count| *count > 0);
    count.ok_or_else(|| format!("`history` is a whole number from 1, not {value}"))
}

/// The name becomes a folder's and stands before an `@`.
fn check_name(name: &str) -> Result<(), String> {
    let good = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.len() > 64 || name.starts_with('.') || !name.chars().all(good) {
        return Err(format!(
            "`{name}` cannot be the name of an agent: up to 64 letters, digits, -, _ and ., and no dot at the start; \
             give another with `name: NAME` above a line `---`"
        ));
    }
    if profile::find(name).is_ok() {
        return Err(format!(
            "`{name}` is the name of a built-in agent; give another with `name: NAME` above a line `---`"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::OwnProfile;

    #[test]
    fn a_file_is_a_prompt_with_or_without_fields() {
        let check = |file: &str, expect: &str| {
            let own = OwnProfile::parse("mine", file).expect(file);
            let sampling = serde_json::to_string(&own.sampling.to_map()).expect("plain data");
            let label = own.label();
            let label = label.rsplit_once(", ").expect("a label ends in a digest").0;
            assert_eq!(format!("{label} {sampling} {:?} {:?}", own.history, own.text), expect);
        };
        check("Be quick.\n", r#"own:mine (react {} None "Be quick.""#);
        check("Be quick.\n---\nBe right.", r#"own:mine (react {} None "Be quick.\n---\nBe right.""#);
        check("name: a\nagent: tools\nversion: 2\n---\nGo.", r#"own:a v2 (tools {} None "Go.""#);
        check(
            "agent: open_source\r\ntemperature: 0.5\r\nhistory: 4\r\n---\r\nGo.",
            r#"own:mine (open_source {"max_tokens":512,"temperature":0.5} Some(4) "Go.""#,
        );
    }

    #[test]
    fn two_texts_have_two_labels() {
        let label = |text: &str| OwnProfile::parse("mine", text).expect("sound").label();
        assert_ne!(label("Be quick."), label("Be quick!"));
        assert_eq!(label("Be quick."), label("\nBe quick.\n\n"));
    }

    #[test]
    fn mistakes_are_named() {
        let check = |stem: &str, file: &str, expect: &str| {
            let problem = OwnProfile::parse(stem, file).expect_err(file);
            assert!(problem.contains(expect), "{problem}");
        };
        check("mine", " \n", "it holds no prompt");
        check("mine", "agent: react\n---\n", "it holds no prompt");
        check("mine", "agnet: react\n---\nGo.", "unknown field `agnet`");
        check("mine", "agent: reakt\n---\nGo.", "did you mean `react`?");
        check("mine", "name: a\nname: b\n---\nGo.", "`name` is given twice");
        check("mine", "history: none\n---\nGo.", "`history` is a whole number from 1, not \"none\"");
        check("mine", "temperature: warm\n---\nGo.", "invalid type");
        check("react", "Go.", "`react` is the name of a built-in agent");
        check("../up", "Go.", "cannot be the name of an agent");
    }
}
