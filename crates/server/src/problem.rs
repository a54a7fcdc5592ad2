//! What a client is told when something is wrong: a status, a word for programs, a sentence for people.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use doors::session::Refusal;
use serde_json::{Value, json};

/// A refusal on its way to the client.
#[derive(Clone, Debug)]
pub struct Problem {
    status: StatusCode,
    word: &'static str,
    message: std::borrow::Cow<'static, str>,
}

impl Problem {
    /// There is nothing at that path.
    pub const NOT_FOUND: Problem =
        Problem::of(404, "not_found", "there is nothing here; GET /openapi.json lists what is");
    /// The path wants another method.
    pub const WRONG_METHOD: Problem =
        Problem::of(405, "method_not_allowed", "this path takes another method; GET /openapi.json says which");
    /// The token is missing or wrong.
    pub const NO_TOKEN: Problem =
        Problem::of(401, "unauthorized", "send the server's token as `Authorization: Bearer TOKEN`");
    /// A web page of another site asks.
    pub const STRANGE_ORIGIN: Problem = Problem::of(403, "forbidden", "requests from other web sites are not served");
    /// More bytes than are read.
    pub const TOO_LARGE: Problem = Problem::of(413, "too_large", "the body is longer than this server reads");
    /// A body in a form that is not read.
    pub const PACKED: Problem =
        Problem::of(415, "unsupported_encoding", "the body is compressed; send it as it is, without Content-Encoding");
    /// The body did not come.
    pub const TOO_SLOW: Problem = Problem::of(408, "timeout", "the body did not arrive in time");
    /// The body is no JSON.
    pub const NO_JSON: Problem = Problem::of(400, "invalid_json", "the body is no valid JSON");
    /// The body is something else than an object.
    pub const NO_OBJECT: Problem = Problem::of(400, "json_body_must_be_object", "the body must be a JSON object");
    /// A step without an action.
    pub const NO_ACTION: Problem = Problem::of(400, "missing_action", "`action` takes text or an object");
    /// A request that must say which session it is about.
    pub const NO_SESSION: Problem =
        Problem::of(400, "missing_session", "send the session id that the reset gave, as the header X-Session-ID");

    /// What is played now would be lost.
    pub const CANNOT_KEEP: Problem = Problem::of(
        503,
        "cannot_keep",
        "records cannot be written at the moment, so no episode begins; try again later",
    );

    const fn of(status: u16, word: &'static str, message: &'static str) -> Problem {
        let status = match StatusCode::from_u16(status) {
            Ok(status) => status,
            Err(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Problem { status, word, message: std::borrow::Cow::Borrowed(message) }
    }

    /// The same, as OpenEnv's clients read it.
    pub fn detailed(self) -> Response {
        let detail = match self.status {
            StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => {
                json!([{ "loc": ["body"], "msg": self.message, "type": self.word }])
            }
            _ => json!(self.message),
        };
        let status = match self.word {
            "invalid_request" => StatusCode::UNPROCESSABLE_ENTITY,
            _ => self.status,
        };
        respond(status, &json!({ "detail": detail, "error": self.word }))
    }

    /// The same, as clients of the Open Reward Standard read it.
    pub fn told(self) -> Response {
        respond(self.status, &json!({ "detail": self.message, "error": self.word }))
    }

    /// What is wrong, as a sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The HTTP status.
    pub fn status(&self) -> StatusCode {
        self.status
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        let (status, word) = match refusal {
            Refusal::UnknownSession => (404, "unknown_session"),
            Refusal::NoEpisode => (409, "no_episode"),
            Refusal::Full(_) => (503, "full"),
            Refusal::Invalid(_) => (400, "invalid_request"),
            Refusal::Unplayable => (422, "unplayable"),
        };
        Problem { message: refusal.to_string().into(), ..Problem::of(status, word, "") }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        respond(self.status, &json!({ "error": self.word, "message": self.message }))
    }
}

/// JSON with a status; who finds the server full is told when to come again.
pub fn respond(status: StatusCode, body: &Value) -> Response {
    let mut response = (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response();
    let headers = response.headers_mut();
    if status == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    }
    if status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    }
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

/// JSON, and all is well.
pub fn fine(body: &Value) -> Response {
    respond(StatusCode::OK, body)
}
