//! Silences: alerts that are known and shall not page.

use serde_json::Value as Json;

use crate::go::json_error;
use crate::go::time::parse_rfc3339;
use crate::http::Params;
use crate::json;
use crate::labels::{Fnv, Labels};
use crate::matcher::{MatchOp, Matcher};

use super::intake::{bad_time, kind_of};
use super::matchers::Filters;
use super::{Alertmanager, Declined, Handled};

/// How far a silence has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SilenceState {
    /// It holds.
    Active,
    /// It will hold.
    Pending,
    /// It held.
    Expired,
}

/// Alerts that fit all matchers are not told between two moments.
#[derive(Clone, Debug, PartialEq)]
pub struct Silence {
    /// Its name.
    pub id: String,
    /// What an alert must have.
    pub matchers: Vec<Matcher>,
    /// From when, in nanoseconds.
    pub starts_at: i64,
    /// Until when.
    pub ends_at: i64,
    /// When it was last changed.
    pub updated_at: i64,
    /// Who made it.
    pub created_by: String,
    /// Why.
    pub comment: String,
}

impl Silence {
    /// How far it has come at a moment.
    pub fn state(&self, now: i64) -> SilenceState {
        if self.ends_at <= now {
            SilenceState::Expired
        } else if self.starts_at > now {
            SilenceState::Pending
        } else {
            SilenceState::Active
        }
    }

    pub(super) fn is_active(&self, now: i64) -> bool {
        self.state(now) == SilenceState::Active
    }

    /// Whether it is about an alert with these labels.
    pub fn fits(&self, labels: &Labels) -> bool {
        self.matchers.iter().all(|m| m.fits(labels))
    }
}

impl Alertmanager {
    /// All silences.
    pub fn silences(&self) -> &[Silence] {
        &self.silences
    }

    pub(super) fn list_silences(&self, params: &Params) -> Handled {
        let filters = Filters::read(params)?;
        let mut list: Vec<&Silence> = self
            .silences
            .iter()
            .filter(|s| filters.fit_values(|n| s.matchers.iter().find(|m| m.name == n).map(|m| m.value.as_str())))
            .collect();
        list.sort_by_key(|s| match s.state(self.now) {
            state @ SilenceState::Active => (state, s.ends_at),
            state @ SilenceState::Pending => (state, s.starts_at),
            state @ SilenceState::Expired => (state, -s.ends_at),
        });
        let parts: Vec<String> = list.iter().map(|s| self.silence_json(s)).collect();
        Ok(Some(format!("[{}]", parts.join(","))))
    }

    pub(super) fn one_silence(&self, id: &str) -> Handled {
        self.check_id(id)?;
        let found = self.silences.iter().find(|s| s.id == id);
        found.map(|s| Some(self.silence_json(s))).ok_or(Declined::Sentence(404, String::new()))
    }

    pub(super) fn expire_silence(&mut self, id: &str) -> Handled {
        self.check_id(id)?;
        let now = self.now;
        let found = self.silences.iter_mut().find(|s| s.id == id);
        let silence = found.ok_or_else(|| Declined::Sentence(500, "silence not found".to_owned()))?;
        if silence.state(now) != SilenceState::Expired {
            silence.expire(now);
        }
        Ok(None)
    }

    fn check_id(&self, id: &str) -> Result<(), Declined> {
        let shape = |(i, c): (usize, u8)| if [8, 13, 18, 23].contains(&i) { c == b'-' } else { c.is_ascii_hexdigit() };
        if id.len() == 36 && id.bytes().enumerate().all(shape) {
            return Ok(());
        }
        Err(Declined::invalid(601, format!("silenceID in path must be of type uuid: {}", crate::go::quote(id))))
    }

    pub(super) fn post_silence(&mut self, body: &str) -> Handled {
        let given = Given::read(body)?;
        let (starts_at, ends_at) = (given.starts_at.max(self.now), given.ends_at);
        let failed = |why: &str| Err(Declined::bad(format!("Failed to create silence: {why}")));
        if given.ends_at <= given.starts_at {
            return failed("start time must be before end time");
        }
        if ends_at < self.now {
            return failed("end time can't be in the past");
        }
        // A matcher that excludes is taken as it is, whatever else it matches.
        let matches_empty = |m: &Matcher| matches!(m.op, MatchOp::Equal | MatchOp::Matches) && m.matches("");
        if given.matchers.iter().all(matches_empty) {
            return Err(Declined::bad("silence invalid: at least one matcher must not match the empty string"));
        }
        let now = self.now;
        if let Some(id) = &given.id {
            let found = self.silences.iter_mut().find(|s| s.id == *id);
            let known = found.ok_or_else(|| Declined::Sentence(404, "silence not found".to_owned()))?;
            if known.may_become(&given, now) {
                if known.state(now) == SilenceState::Pending {
                    known.starts_at = given.starts_at;
                }
                known.ends_at = given.ends_at;
                known.updated_at = now;
                known.comment = given.comment;
                known.created_by = given.created_by;
                return Ok(Some(id_json(id)));
            }
            if known.state(now) != SilenceState::Expired {
                known.expire(now);
            }
        }
        let id = self.new_id();
        self.silences.push(Silence {
            id: id.clone(),
            matchers: given.matchers,
            starts_at,
            ends_at,
            updated_at: now,
            created_by: given.created_by,
            comment: given.comment,
        });
        Ok(Some(id_json(&id)))
    }

    /// A name of the usual form, drawn from the moment and how many were given before.
    fn new_id(&mut self) -> String {
        self.issued += 1;
        let mut words = [0u64; 2];
        for (i, word) in words.iter_mut().enumerate() {
            let mut hash = Fnv::default();
            hash.add(&self.now.to_le_bytes());
            hash.add(&self.issued.to_le_bytes());
            hash.add(&[i as u8]);
            *word = hash.0 ^ (hash.0 >> 29);
        }
        let text = format!("{:016x}{:016x}", words[0], words[1]);
        format!("{}-{}-4{}-a{}-{}", &text[..8], &text[8..12], &text[13..16], &text[17..20], &text[20..])
    }
}

fn id_json(id: &str) -> String {
    format!("{{\"silenceID\":{}}}", json::string(id))
}

impl Silence {
    fn expire(&mut self, now: i64) {
        if self.state(now) == SilenceState::Pending {
            self.starts_at = now;
        }
        self.ends_at = now;
        self.updated_at = now;
    }

    /// Whether a change may be made in place.
    fn may_become(&self, given: &Given, now: i64) -> bool {
        const SECOND: i64 = 1_000_000_000;
        self.matchers == given.matchers
            && match self.state(now) {
                SilenceState::Active => given.starts_at / SECOND == self.starts_at / SECOND && given.ends_at >= now,
                SilenceState::Pending => given.starts_at >= now,
                SilenceState::Expired => false,
            }
    }
}

/// A silence as it was posted.
struct Given {
    id: Option<String>,
    matchers: Vec<Matcher>,
    starts_at: i64,
    ends_at: i64,
    created_by: String,
    comment: String,
}

impl Given {
    fn read(body: &str) -> Result<Self, Declined> {
        let failed = |why: String| Declined::Coded {
            status: 400,
            code: 400,
            text: format!("parsing silence body from \"\" failed, because {why}"),
        };
        let json: Json = serde_json::from_str(body).map_err(|_| failed(json_error(body)))?;
        if !json.is_object() {
            let kind = kind_of(&json);
            return Err(failed(format!("json: cannot unmarshal {kind} into Go value of type models.PostableSilence")));
        }
        let time = |key: &str| match &json[key] {
            Json::String(text) => parse_rfc3339(text).map(Some).ok_or_else(|| failed(bad_time(text))),
            _ => Ok(None),
        };
        let (starts_at, ends_at) = (time("startsAt")?, time("endsAt")?);
        let mut missing: Vec<(u32, String)> = Vec::new();
        let mut require = |present: bool, name: &str| {
            if !present {
                missing.push((602, format!("{name} in body is required")));
            }
        };
        require(json["comment"].is_string(), "comment");
        require(json["createdBy"].is_string(), "createdBy");
        require(ends_at.is_some(), "endsAt");
        require(json["matchers"].is_array(), "matchers");
        let list = json["matchers"].as_array().cloned().unwrap_or_default();
        for (i, matcher) in list.iter().enumerate() {
            require(matcher["isRegex"].is_boolean(), &format!("matchers.{i}.isRegex"));
            require(matcher["name"].is_string(), &format!("matchers.{i}.name"));
            require(matcher["value"].is_string(), &format!("matchers.{i}.value"));
        }
        require(starts_at.is_some(), "startsAt");
        if json["matchers"].as_array().is_some_and(Vec::is_empty) {
            missing.push((612, "matchers in body should have at least 1 items".to_owned()));
        }
        match missing.as_slice() {
            [] => {}
            [(code, text)] => return Err(Declined::invalid(*code, text.clone())),
            many => {
                let texts: Vec<&str> = many.iter().map(|(_, text)| text.as_str()).collect();
                return Err(Declined::invalid(422, format!("validation failure list:\n{}", texts.join("\n"))));
            }
        }
        let matchers = list.iter().enumerate().map(|(i, m)| read_matcher(i, m)).collect::<Result<_, _>>()?;
        let text = |key: &str| json[key].as_str().unwrap_or("").to_owned();
        Ok(Self {
            id: json["id"].as_str().filter(|id| !id.is_empty()).map(str::to_owned),
            matchers,
            starts_at: starts_at.unwrap_or(0),
            ends_at: ends_at.unwrap_or(0),
            created_by: text("createdBy"),
            comment: text("comment"),
        })
    }
}

fn read_matcher(place: usize, json: &Json) -> Result<Matcher, Declined> {
    let (name, value) = (json["name"].as_str().unwrap_or(""), json["value"].as_str().unwrap_or(""));
    let op = match (json["isRegex"].as_bool().unwrap_or(false), json["isEqual"].as_bool().unwrap_or(true)) {
        (false, true) => MatchOp::Equal,
        (false, false) => MatchOp::NotEqual,
        (true, true) => MatchOp::Matches,
        (true, false) => MatchOp::NotMatches,
    };
    Matcher::new(name, op, value).map_err(|why| {
        let shown = crate::go::quote(value);
        Declined::bad(format!(
            "silence invalid: invalid label matcher {place}: invalid regular expression {shown}: {why}"
        ))
    })
}
