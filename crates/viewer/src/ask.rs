//! A request and its answer as plain values, so that everything but the socket is tested without one.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What a browser asks.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// `GET`, `POST`.
    pub method: String,
    /// The path, as sent.
    pub path: String,
    /// What stands behind the question mark, taken apart.
    pub query: Query,
    /// The header `Host`.
    pub host: Option<String>,
    /// The header `Origin`.
    pub origin: Option<String>,
    /// The header in which the page proves that it is ours.
    pub token: Option<String>,
    /// The header `Cookie`.
    pub cookie: Option<String>,
    /// The header `Sec-Fetch-Site`.
    pub site: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

impl Ask {
    /// The body as a value.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, ViewRefusal> {
        serde_json::from_slice(&self.body).map_err(|e| ViewRefusal::bad(format!("the request is not understood: {e}")))
    }
}

/// Names and values of a query, in order; names may repeat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Takes a query string apart.
    pub fn parse(text: &str) -> Query {
        Query(form_urlencoded::parse(text.as_bytes()).into_owned().collect())
    }

    /// All values of a name that are not empty.
    pub fn all<'q>(&'q self, name: &'q str) -> impl Iterator<Item = &'q str> {
        self.0.iter().filter(move |(n, v)| n == name && !v.is_empty()).map(|(_, v)| v.as_str())
    }

    /// The first value of a name.
    pub fn one<'q>(&'q self, name: &'q str) -> Option<&'q str> {
        self.all(name).next()
    }

    /// The first value of a name, which must be there.
    pub fn need<'q>(&'q self, name: &'q str) -> Result<&'q str, ViewRefusal> {
        self.one(name).ok_or_else(|| ViewRefusal::bad(format!("the request does not say which `{name}`")))
    }

    /// A whole number, or what stands for it if there is none.
    pub fn number(&self, name: &str, otherwise: usize) -> Result<usize, ViewRefusal> {
        match self.one(name) {
            None => Ok(otherwise),
            Some(text) => {
                text.parse().map_err(|_| ViewRefusal::bad(format!("`{name}` is a whole number, not `{text}`")))
            }
        }
    }
}

/// What is sent back.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The media type.
    pub kind: &'static str,
    /// The body.
    pub body: Cow<'static, [u8]>,
}

impl Answer {
    /// A value as JSON.
    pub fn json(value: &impl Serialize) -> Answer {
        let body = serde_json::to_vec(value).expect("answers are plain data");
        Answer { status: 200, kind: "application/json", body: body.into() }
    }
}

/// Why a request is not answered, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewRefusal {
    /// The status code.
    pub status: u16,
    /// For the person in front of the page.
    pub why: String,
}

impl ViewRefusal {
    /// The request is wrong.
    pub fn bad(why: impl Into<String>) -> ViewRefusal {
        ViewRefusal { status: 400, why: why.into() }
    }

    /// The one who asks must not.
    pub fn forbidden(why: impl Into<String>) -> ViewRefusal {
        ViewRefusal { status: 403, why: why.into() }
    }

    /// There is no such thing.
    pub fn missing(why: impl Into<String>) -> ViewRefusal {
        ViewRefusal { status: 404, why: why.into() }
    }

    /// What was asked for cannot be done now.
    pub fn failed(why: impl std::fmt::Display) -> ViewRefusal {
        ViewRefusal { status: 422, why: why.to_string() }
    }
}

impl From<ViewRefusal> for Answer {
    fn from(refusal: ViewRefusal) -> Answer {
        Answer { status: refusal.status, ..Answer::json(&serde_json::json!({ "error": refusal.why })) }
    }
}
