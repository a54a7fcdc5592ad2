//! Policies of IAM and of buckets: read, and decided as AWS decides them. A deny anywhere wins; without an allow it is no.

use std::collections::BTreeMap;

use crate::datum::Datum;
use crate::functions::{contains_address, json};

/// One policy document.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyDocument {
    /// Its statements.
    pub statements: Vec<PolicyStatement>,
}

/// One statement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PolicyStatement {
    /// Allow or deny.
    pub allows: bool,
    /// Who; none in policies of an identity.
    pub principals: Option<Principals>,
    /// All but these.
    pub not_principals: Option<Principals>,
    /// What.
    pub actions: Vec<String>,
    /// Everything but these.
    pub not_actions: Vec<String>,
    /// On what.
    pub resources: Vec<String>,
    /// On everything but these.
    pub not_resources: Vec<String>,
    /// When: operator, key, values.
    pub conditions: Vec<(String, String, Vec<String>)>,
}

/// Principals by type, such as `AWS` and `Service`.
pub type Principals = Vec<(String, String)>;

/// A question to policies.
#[derive(Debug, Clone, Default)]
pub struct AccessRequest {
    /// An ARN, an account, a service such as `ec2.amazonaws.com`, or `*` for an anonymous caller.
    pub principal: String,
    /// Such as `s3:GetObject`.
    pub action: String,
    /// An ARN.
    pub resource: String,
    /// Keys that conditions may ask for.
    pub context: BTreeMap<String, String>,
}

/// Whether documents, taken together, allow a request.
pub fn allowed(documents: &[PolicyDocument], request: &AccessRequest) -> bool {
    let applies =
        |allow: bool| documents.iter().flat_map(|d| &d.statements).any(|s| s.allows == allow && s.applies(request));
    applies(true) && !applies(false)
}

impl PolicyDocument {
    /// Reads a document, or says what is malformed.
    pub fn parse(text: &str) -> Result<Self, String> {
        let bad = |why: &str| format!("MalformedPolicyDocument: {why}");
        let document = json(text).map_err(|e| bad(&e))?;
        match document.get("Version").as_text() {
            None | Some("2012-10-17" | "2008-10-17") => {}
            Some(other) => return Err(bad(&format!("the version {other:?} does not exist; use \"2012-10-17\""))),
        }
        let known = ["Version", "Id", "Statement"];
        if let Some(field) = document.as_map().and_then(|m| m.keys().find(|k| !known.contains(&k.as_str()))) {
            return Err(bad(&format!("unknown field {field}")));
        }
        let statements = match document.get("Statement") {
            Datum::List(items) if !items.is_empty() => items.clone(),
            one @ Datum::Map(_) => vec![one.clone()],
            _ => return Err(bad("it has no Statement")),
        };
        Ok(Self { statements: statements.iter().map(|s| statement(s).map_err(|e| bad(&e))).collect::<Result<_, _>>()? })
    }
}

fn statement(value: &Datum) -> Result<PolicyStatement, String> {
    const FIELDS: &[&str] =
        &["Sid", "Effect", "Principal", "NotPrincipal", "Action", "NotAction", "Resource", "NotResource", "Condition"];
    let map = value.as_map().ok_or("a statement must be an object")?;
    if let Some(field) = map.keys().find(|k| !FIELDS.contains(&k.as_str())) {
        return Err(format!("unknown field {field}"));
    }
    let allows = match value.get("Effect").as_text() {
        Some("Allow") => true,
        Some("Deny") => false,
        _ => return Err("Effect must be Allow or Deny".to_owned()),
    };
    let made = PolicyStatement {
        allows,
        principals: principals(value.get("Principal"))?,
        not_principals: principals(value.get("NotPrincipal"))?,
        actions: strings(value.get("Action"))?,
        not_actions: strings(value.get("NotAction"))?,
        resources: strings(value.get("Resource"))?,
        not_resources: strings(value.get("NotResource"))?,
        conditions: conditions(value.get("Condition"))?,
    };
    if made.actions.is_empty() == made.not_actions.is_empty() {
        return Err("a statement needs Action or NotAction".to_owned());
    }
    if let Some(action) = made.actions.iter().find(|a| *a != "*" && !a.contains(':')) {
        return Err(format!("Actions/Conditions must be prefaced by a vendor: {action:?}"));
    }
    Ok(made)
}

fn strings(value: &Datum) -> Result<Vec<String>, String> {
    match value {
        Datum::Null => Ok(Vec::new()),
        Datum::Text(text) => Ok(vec![text.clone()]),
        Datum::List(items) => items
            .iter()
            .map(|i| i.as_text().map(str::to_owned).ok_or_else(|| "a string is needed".to_owned()))
            .collect(),
        _ => Err("a string or a list of strings is needed".to_owned()),
    }
}

fn principals(value: &Datum) -> Result<Option<Principals>, String> {
    match value {
        Datum::Null => Ok(None),
        Datum::Text(text) if text == "*" => Ok(Some(vec![("AWS".to_owned(), "*".to_owned())])),
        Datum::Map(entries) => {
            let mut made = Vec::new();
            for (kind, ids) in entries {
                if !matches!(kind.as_str(), "AWS" | "Service" | "Federated" | "CanonicalUser") {
                    return Err(format!("Invalid principal in policy: {kind}"));
                }
                made.extend(strings(ids)?.into_iter().map(|id| (kind.clone(), id)));
            }
            Ok(Some(made))
        }
        _ => Err("Invalid principal in policy".to_owned()),
    }
}

fn conditions(value: &Datum) -> Result<Vec<(String, String, Vec<String>)>, String> {
    let mut made = Vec::new();
    for (operator, keys) in value.as_map().into_iter().flatten() {
        let keys = keys.as_map().ok_or("a condition must be an object")?;
        for (key, values) in keys {
            let values = match values {
                Datum::Bool(b) => vec![b.to_string()],
                Datum::Number(n) => vec![n.to_string()],
                other => strings(other)?,
            };
            made.push((operator.clone(), key.clone(), values));
        }
    }
    Ok(made)
}

impl PolicyStatement {
    /// Whether the statement speaks about a request.
    pub fn applies(&self, request: &AccessRequest) -> bool {
        self.names_principal(&request.principal)
            && covers(&self.actions, &self.not_actions, &request.action.to_lowercase(), true)
            && (self.resources.is_empty() && self.not_resources.is_empty()
                || covers(&self.resources, &self.not_resources, &request.resource, false))
            && self.conditions.iter().all(|c| holds(c, &request.context))
    }

    fn names_principal(&self, principal: &str) -> bool {
        if let Some(excluded) = &self.not_principals {
            return !excluded.iter().any(|(_, id)| is_principal(id, principal));
        }
        self.principals.as_ref().is_none_or(|p| p.iter().any(|(_, id)| is_principal(id, principal)))
    }

    /// Whether anyone at all is meant, without a condition that narrows it.
    pub fn is_public(&self) -> bool {
        let anyone = self.principals.as_ref().is_some_and(|p| p.iter().any(|(kind, id)| kind == "AWS" && id == "*"));
        let narrowed = self.conditions.iter().any(|(_, key, _)| {
            let key = key.to_lowercase();
            key.starts_with("aws:source") || key.starts_with("aws:principal") || key == "aws:userid"
        });
        self.allows && (anyone || self.not_principals.is_some()) && !narrowed
    }
}

/// An account's number or its root stands for all of its identities.
fn is_principal(pattern: &str, principal: &str) -> bool {
    if pattern == "*" || pattern == principal {
        return true;
    }
    let account = |arn: &str| arn.split(':').nth(4).map(str::to_owned);
    let root = pattern.strip_suffix(":root").and_then(|p| p.rsplit(':').next()).map(str::to_owned);
    let number = (pattern.len() == 12 && pattern.bytes().all(|b| b.is_ascii_digit())).then(|| pattern.to_owned());
    root.or(number).is_some_and(|owner| account(principal) == Some(owner))
}

fn covers(patterns: &[String], except: &[String], text: &str, fold: bool) -> bool {
    let fits = |p: &String| if fold { wildcard(&p.to_lowercase(), text) } else { wildcard(p, text) };
    if except.is_empty() { patterns.iter().any(fits) } else { !except.iter().any(fits) }
}

/// Matches `*` and `?`, without backtracking beyond the last star.
pub fn wildcard(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t, mut star, mut mark) = (0, 0, None, 0);
    while t < text.len() {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some(p);
            mark = t;
            p += 1;
        } else if p < pattern.len() && (pattern[p] == '?' || pattern[p] == text[t]) {
            p += 1;
            t += 1;
        } else if let Some(at) = star {
            p = at + 1;
            mark += 1;
            t = mark;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// Whether a condition holds. A key that the request does not carry fails it, unless the operator says otherwise.
fn holds((operator, key, values): &(String, String, Vec<String>), context: &BTreeMap<String, String>) -> bool {
    let operator = operator.rsplit(':').next().unwrap_or(operator);
    let (operator, if_exists) = operator.strip_suffix("IfExists").map_or((operator, false), |o| (o, true));
    let found = context.iter().find(|(k, _)| k.eq_ignore_ascii_case(key)).map(|(_, v)| v.as_str());
    if operator == "Null" {
        return values.iter().any(|v| (v == "true") == found.is_none());
    }
    let negative = operator.contains("Not");
    let Some(have) = found else { return if_exists || negative };
    let any = |test: &dyn Fn(&str) -> bool| values.iter().any(|v| test(v));
    let number = |v: &str| v.parse::<f64>().unwrap_or(f64::NAN);
    match operator {
        "StringEquals" | "ArnEquals" | "NumericEquals" | "BinaryEquals" => any(&|v| v == have),
        "StringNotEquals" | "ArnNotEquals" | "NumericNotEquals" => !any(&|v| v == have),
        "StringEqualsIgnoreCase" => any(&|v| v.eq_ignore_ascii_case(have)),
        "StringNotEqualsIgnoreCase" => !any(&|v| v.eq_ignore_ascii_case(have)),
        "StringLike" | "ArnLike" => any(&|v| wildcard(v, have)),
        "StringNotLike" | "ArnNotLike" => !any(&|v| wildcard(v, have)),
        "Bool" => any(&|v| v.eq_ignore_ascii_case(have)),
        "IpAddress" => any(&|v| contains_address(v, have) || v == have),
        "NotIpAddress" => !any(&|v| contains_address(v, have) || v == have),
        "NumericLessThan" => any(&|v| number(have) < number(v)),
        "NumericLessThanEquals" => any(&|v| number(have) <= number(v)),
        "NumericGreaterThan" => any(&|v| number(have) > number(v)),
        "NumericGreaterThanEquals" => any(&|v| number(have) >= number(v)),
        "DateLessThan" => any(&|v| have < v),
        "DateGreaterThan" => any(&|v| have > v),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(principal: &str, action: &str, resource: &str, context: &[(&str, &str)]) -> AccessRequest {
        let context = context.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        AccessRequest {
            principal: principal.to_owned(),
            action: action.to_owned(),
            resource: resource.to_owned(),
            context,
        }
    }

    #[track_caller]
    fn check(statements: &str, asked: &AccessRequest, expected: bool) {
        let text = format!("{{\"Version\": \"2012-10-17\", \"Statement\": [{statements}]}}");
        let document = PolicyDocument::parse(&text).expect("it is well formed");
        assert_eq!(allowed(&[document], asked), expected, "{statements} {asked:?}");
    }

    #[test]
    fn wildcards_principals_and_denials() {
        let get = request("arn:aws:iam::1:role/app", "s3:GetObject", "arn:aws:s3:::b/k", &[]);
        check(r#"{"Effect":"Allow","Action":"s3:*","Resource":"*"}"#, &get, true);
        check(r#"{"Effect":"Allow","Action":"s3:get*","Resource":"arn:aws:s3:::b/*"}"#, &get, true);
        check(r#"{"Effect":"Allow","Action":"s3:PutObject","Resource":"*"}"#, &get, false);
        check(r#"{"Effect":"Allow","Action":"s3:GetObject","Resource":"arn:aws:s3:::b"}"#, &get, false);
        check(
            r#"{"Effect":"Allow","Action":"*","Resource":"*"},{"Effect":"Deny","Action":"s3:GetObject","Resource":"*"}"#,
            &get,
            false,
        );
        check(r#"{"Effect":"Allow","NotAction":"iam:*","Resource":"*"}"#, &get, true);
        check(r#"{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"*"}"#, &get, true);
        check(
            r#"{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::1:root"},"Action":"s3:GetObject","Resource":"*"}"#,
            &get,
            true,
        );
        check(
            r#"{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::2:root"},"Action":"s3:GetObject","Resource":"*"}"#,
            &get,
            false,
        );
        check(
            r#"{"Effect":"Allow","NotPrincipal":{"AWS":"arn:aws:iam::1:role/app"},"Action":"s3:GetObject","Resource":"*"}"#,
            &get,
            false,
        );
    }

    #[test]
    fn conditions() {
        let tls = |v| request("x", "s3:GetObject", "r", &[("aws:SecureTransport", v)]);
        let deny = r#"{"Effect":"Allow","Action":"s3:*","Resource":"*"},{"Effect":"Deny","Action":"s3:*","Resource":"*","Condition":{"Bool":{"aws:SecureTransport":"false"}}}"#;
        check(deny, &tls("true"), true);
        check(deny, &tls("false"), false);
        let from = |ip| request("x", "s3:GetObject", "r", &[("aws:SourceIp", ip)]);
        let office = r#"{"Effect":"Allow","Action":"s3:*","Resource":"*","Condition":{"IpAddress":{"aws:SourceIp":["10.0.0.0/8"]}}}"#;
        check(office, &from("10.1.2.3"), true);
        check(office, &from("11.1.2.3"), false);
        check(office, &request("x", "s3:GetObject", "r", &[]), false);
    }

    #[test]
    fn malformed_documents_are_refused() {
        for text in [
            "[]",
            "{}",
            r#"{"Statement":[{"Effect":"allow","Action":"s3:*"}]}"#,
            r#"{"Statement":[{"Effect":"Allow","Action":"GetObject"}]}"#,
            r#"{"Version":"2012-10-18","Statement":[{"Effect":"Allow","Action":"s3:*"}]}"#,
            r#"{"Statement":[{"Effect":"Allow","Actions":"s3:*"}]}"#,
        ] {
            assert!(PolicyDocument::parse(text).is_err(), "{text}");
        }
    }
}
