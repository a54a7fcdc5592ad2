//! The envelope of Prometheus' API: data or a failure with its kind.

use crate::http::TelemetryResponse;

/// A failed request: kind and sentence.
pub(crate) struct ApiFailure {
    pub kind: FailureKind,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    BadData,
    Execution,
    Timeout,
    Unavailable,
}

impl FailureKind {
    fn name_and_status(self) -> (&'static str, u16) {
        match self {
            Self::BadData => ("bad_data", 400),
            Self::Execution => ("execution", 422),
            Self::Timeout => ("timeout", 503),
            Self::Unavailable => ("unavailable", 500),
        }
    }
}

impl ApiFailure {
    pub fn bad(text: impl Into<String>) -> Self {
        Self { kind: FailureKind::BadData, text: text.into() }
    }

    /// A parameter that cannot be used.
    pub fn parameter(name: &str, text: impl std::fmt::Display) -> Self {
        Self::bad(format!("invalid parameter \"{name}\": {text}"))
    }
}

/// What a handler gives: data with its warnings and hints.
#[derive(Default)]
pub(crate) struct ApiData {
    pub data: String,
    pub warnings: Vec<String>,
    pub infos: Vec<String>,
}

impl From<String> for ApiData {
    fn from(data: String) -> Self {
        Self { data, ..Self::default() }
    }
}

pub(crate) type ApiResult = Result<ApiData, ApiFailure>;

/// The response for what a handler gave.
pub(crate) fn respond(result: ApiResult) -> TelemetryResponse {
    match result {
        Ok(answer) => {
            let mut out = String::with_capacity(answer.data.len() + 40);
            out.push_str("{\"status\":\"success\"");
            if !answer.data.is_empty() {
                out.push_str(",\"data\":");
                out.push_str(&answer.data);
            }
            for (key, texts) in [("warnings", &answer.warnings), ("infos", &answer.infos)] {
                if !texts.is_empty() {
                    out.push_str(&format!(",\"{key}\":{}", crate::json::strings(texts.iter().map(String::as_str))));
                }
            }
            out.push('}');
            TelemetryResponse::json(200, out)
        }
        Err(failure) => {
            let (name, status) = failure.kind.name_and_status();
            let text = crate::json::string(&failure.text);
            TelemetryResponse::json(
                status,
                format!("{{\"status\":\"error\",\"errorType\":\"{name}\",\"error\":{text}}}"),
            )
        }
    }
}
