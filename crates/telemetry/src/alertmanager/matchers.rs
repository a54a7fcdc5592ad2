//! Filters of requests: `name="value"`, and a receiver.

use crate::go::{Anchoring, Regexp, unquote};
use crate::http::Params;
use crate::labels::Labels;
use crate::matcher::{MatchOp, Matcher};

use super::Declined;

/// What a request wants to see.
pub(super) struct Filters {
    matchers: Vec<Matcher>,
    receiver: Option<Regexp>,
}

impl Filters {
    pub fn read(params: &Params) -> Result<Self, Declined> {
        let matchers = params.all("filter").map(parse_matcher).collect::<Result<_, _>>()?;
        let receiver = match params.get("receiver") {
            "" => None,
            text => {
                let anchored = format!("^(?:{text})$");
                let regexp = Regexp::new(&anchored, Anchoring::Anywhere)
                    .map_err(|why| Declined::bad(format!("failed to parse receiver param: {why}")))?;
                Some(regexp)
            }
        };
        Ok(Self { matchers, receiver })
    }

    pub fn fit(&self, labels: &Labels, receiver: &str) -> bool {
        self.receiver.as_ref().is_none_or(|r| r.is_match(receiver)) && fit_all(&self.matchers, |n| labels.find(n))
    }

    /// Whether the matchers of a silence are meant.
    pub fn fit_values<'v>(&self, find: impl Fn(&str) -> Option<&'v str>) -> bool {
        fit_all(&self.matchers, find)
    }
}

/// A filter for the empty value fits what is not there, and its opposite what is.
fn fit_all<'v>(matchers: &[Matcher], find: impl Fn(&str) -> Option<&'v str>) -> bool {
    matchers.iter().all(|m| {
        let found = find(&m.name);
        let negative = matches!(m.op, MatchOp::NotEqual | MatchOp::NotMatches);
        (m.value.is_empty() && negative == found.is_some()) || m.matches(found.unwrap_or(""))
    })
}

/// `name="value"`; the quotes may be left out.
pub(super) fn parse_matcher(text: &str) -> Result<Matcher, Declined> {
    let bad = || Declined::bad(format!("bad matcher format: {text}"));
    let trimmed = text.trim();
    let end = trimmed.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':')).ok_or_else(bad)?;
    let name = &trimmed[..end];
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(bad());
    }
    let rest = trimmed[end..].trim_start();
    let (op, value) =
        [("=~", MatchOp::Matches), ("!~", MatchOp::NotMatches), ("!=", MatchOp::NotEqual), ("=", MatchOp::Equal)]
            .iter()
            .find_map(|(sign, op)| rest.strip_prefix(sign).map(|value| (*op, value.trim())))
            .ok_or_else(bad)?;
    let value = if value.starts_with('"') {
        unquote(value).map_err(|_| Declined::bad(format!("matcher value contains unescaped double quote: {value}")))?
    } else {
        value.to_owned()
    };
    if matches!(op, MatchOp::Matches | MatchOp::NotMatches) {
        // The error names the pattern as it is compiled.
        Regexp::new(&format!("^(?:{value})$"), Anchoring::Anywhere).map_err(Declined::bad)?;
    }
    Matcher::new(name, op, value).map_err(Declined::bad)
}

/// A boolean that is true unless it is given; any word that does not say yes says no.
pub(super) fn flag(params: &Params, name: &str) -> bool {
    match params.find(name) {
        None | Some("") => true,
        Some(text) => {
            let yes = ["true", "1", "yes", "ok", "y", "on", "selected", "checked", "t", "enabled"];
            yes.contains(&text.to_lowercase().as_str())
        }
    }
}
