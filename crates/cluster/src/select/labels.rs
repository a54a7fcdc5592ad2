//! Label selectors, as queries write them and as objects hold them.

use std::borrow::Cow;

use serde_json::Value;

use crate::json;
use crate::status::ApiError;

/// Requirements on labels, all of which must hold. The empty one selects everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LabelSelector {
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq)]
struct Term {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq)]
enum Test {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    Missing,
    Above(i64),
    Below(i64),
}

impl LabelSelector {
    /// Reads a query: `a=b,c!=d,e in (x,y),!f`.
    pub(crate) fn parse(text: &str) -> Result<Self, ApiError> {
        let words = words(text);
        let mut words = words.iter().map(|word| &**word).peekable();
        let mut terms = Vec::new();
        while words.peek().is_some() {
            terms.push(
                term(&mut words).map_err(|why| ApiError::bad_request(format!("unable to parse requirement: {why}")))?,
            );
            match words.next() {
                None => break,
                Some(",") if words.peek().is_some() => {}
                Some(",") => {
                    let why = "unable to parse requirement: found '', expected: identifier after ','";
                    return Err(ApiError::bad_request(why));
                }
                Some(other) => {
                    let why = format!("unable to parse requirement: found '{other}', expected: ',' or 'end of string'");
                    return Err(ApiError::bad_request(why));
                }
            }
        }
        Ok(Self { terms })
    }

    /// Reads `matchLabels` and `matchExpressions`. Nothing selects nothing, `{}` selects everything: the caller decides
    /// what a missing selector means.
    pub(crate) fn of(selector: &Value) -> Self {
        let labels = json::entries(selector, "matchLabels");
        let labels = labels.map(|(key, value)| (key.clone(), value.as_str().unwrap_or_default().to_string()));
        let mut terms: Vec<_> = labels.map(|(key, value)| Term { key, test: Test::In(vec![value]) }).collect();
        for expression in json::list(selector, "matchExpressions") {
            let values = || json::list(expression, "values").iter().filter_map(Value::as_str).map(Into::into).collect();
            let first =
                || json::list(expression, "values").first().and_then(Value::as_str).and_then(|v| v.parse().ok());
            let test = match json::text(expression, "operator") {
                "In" => Test::In(values()),
                "NotIn" => Test::NotIn(values()),
                "Exists" => Test::Exists,
                "DoesNotExist" => Test::Missing,
                "Gt" => Test::Above(first().unwrap_or(i64::MAX)),
                "Lt" => Test::Below(first().unwrap_or(i64::MIN)),
                _ => Test::In(Vec::new()),
            };
            terms.push(Term { key: json::text(expression, "key").into(), test });
        }
        Self { terms }
    }

    /// Whether everything is selected.
    pub(crate) fn is_everything(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether the labels satisfy it.
    pub(crate) fn matches(&self, labels: &Value) -> bool {
        self.terms.iter().all(|term| {
            let value = labels.get(&term.key).and_then(Value::as_str);
            let number = || value.and_then(|v| v.parse::<i64>().ok());
            match &term.test {
                Test::In(values) => value.is_some_and(|v| values.iter().any(|w| w == v)),
                Test::NotIn(values) => value.is_none_or(|v| values.iter().all(|w| w != v)),
                Test::Exists => value.is_some(),
                Test::Missing => value.is_none(),
                Test::Above(bound) => number().is_some_and(|n| n > *bound),
                Test::Below(bound) => number().is_some_and(|n| n < *bound),
            }
        })
    }
}

/// Whether labels carry all pairs of a plain map; the empty map matches nothing.
pub(crate) fn matches_labels(wanted: &Value, labels: &Value) -> bool {
    let Some(wanted) = wanted.as_object().filter(|wanted| !wanted.is_empty()) else { return false };
    wanted.iter().all(|(key, value)| labels.get(key) == Some(value))
}

fn words(text: &str) -> Vec<Cow<'_, str>> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let signs = |c: char| matches!(c, '=' | '!' | ',' | '(' | ')' | '<' | '>');
        let end = if signs(first) {
            let two = rest.get(..2).is_some_and(|two| matches!(two, "==" | "!="));
            if two { 2 } else { 1 }
        } else {
            rest.find(|c: char| signs(c) || c.is_whitespace()).unwrap_or(rest.len())
        };
        words.push(Cow::Borrowed(&rest[..end]));
        rest = rest[end..].trim_start();
    }
    words
}

fn term<'a>(words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>) -> Result<Term, String> {
    let mut key = words.next().unwrap_or_default();
    if key == "!" {
        key = words.next().unwrap_or_default();
        return Ok(Term { key: identifier(key, "identifier")?, test: Test::Missing });
    }
    let key = identifier(key, "!, identifier, or 'end of string'")?;
    if matches!(words.peek(), None | Some(&",")) {
        return Ok(Term { key, test: Test::Exists });
    }
    let operator = words.next().unwrap_or_default();
    let test = match operator {
        "in" => Test::In(values(words)?),
        "notin" => Test::NotIn(values(words)?),
        "=" | "==" => Test::In(vec![value(words)]),
        "!=" => Test::NotIn(vec![value(words)]),
        ">" | "<" => {
            let text = value(words);
            let why = "for 'Gt', 'Lt' operators, the value must be an integer";
            let bound = text.parse().map_err(|_| format!("values[0][{key}]: Invalid value: {text:?}: {why}"))?;
            if operator == ">" { Test::Above(bound) } else { Test::Below(bound) }
        }
        other => return Err(format!("found '{other}', expected: in, notin, =, ==, !=, gt, lt")),
    };
    Ok(Term { key, test })
}

fn identifier(word: &str, expected: &str) -> Result<String, String> {
    let plain = word.chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
    if plain { Ok(word.into()) } else { Err(format!("found '{word}', expected: {expected}")) }
}

fn value<'a>(words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>) -> String {
    match words.peek() {
        None | Some(&",") => String::new(),
        Some(_) => words.next().unwrap_or_default().into(),
    }
}

fn values<'a>(words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>) -> Result<Vec<String>, String> {
    let open = words.next().unwrap_or_default();
    if open != "(" {
        return Err(format!("found '{open}' expected: '('"));
    }
    let mut values = Vec::new();
    for word in words.by_ref() {
        match word {
            ")" => return Ok(values),
            "," => {}
            word => values.push(word.into()),
        }
    }
    Err("found '', expected: ',', or ')'".into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn labels_select() {
        let labels = json!({"app": "web", "tier": "front", "n": "5"});
        let check = |text: &str, expect: Result<bool, &str>| {
            let got = LabelSelector::parse(text).map(|s| s.matches(&labels)).map_err(|e| e.message);
            assert_eq!(got, expect.map_err(Into::into), "{text}");
        };
        check("", Ok(true));
        check("app=web", Ok(true));
        check("app==web, tier!=back", Ok(true));
        check("app in (web, db),!gone", Ok(true));
        check("app notin (web)", Ok(false));
        check("tier", Ok(true));
        check("!tier", Ok(false));
        check("n>4,n<6", Ok(true));
        check("missing=", Ok(false));
        check("a b c", Err("unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"));
        check("=x", Err("unable to parse requirement: found '=', expected: !, identifier, or 'end of string'"));
        check("a in x", Err("unable to parse requirement: found 'x' expected: '('"));
        assert!(LabelSelector::of(&json!({})).matches(&labels));
        let both = json!({"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "tier", "operator": "Exists"}]});
        assert!(LabelSelector::of(&both).matches(&labels));
        assert!(!matches_labels(&json!({}), &labels));
    }
}
