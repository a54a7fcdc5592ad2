//! What servers and proxies answer over HTTP when a request came to nothing, and what their clients make of that.

use super::{Callee, Trouble, method_and_path};
use crate::spec::Language;

/// The status with which a server tells its client that a request came to nothing. A proxy tells apart why, and passes on
/// what it was told by the server behind it.
pub(crate) fn failed_status(language: Language, reason: &str, why: Option<&str>) -> u16 {
    let told = || why.and_then(status_of).unwrap_or(500);
    match (language, reason) {
        (Language::Nginx | Language::Envoy, "error" | "denied") => told(),
        (Language::Nginx | Language::Envoy, "deadline" | "connect-timeout" | "dns-timeout") => 504,
        (Language::Nginx | Language::Envoy, "overloaded") => 503,
        (Language::Nginx, "unimplemented") => 404,
        (Language::Nginx, _) => 502,
        (Language::Envoy, _) => 503,
        _ => 500,
    }
}

/// The words of a status.
pub(crate) fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        404 => "Not Found",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Internal Server Error",
    }
}

/// What a proxy answers its own client when a request over HTTP fails behind it; nothing for programs that are none.
pub(crate) fn passed_on(language: Language, trouble: &Trouble) -> Option<String> {
    if !matches!(language, Language::Nginx | Language::Envoy) {
        return None;
    }
    let words = match trouble {
        Trouble::Failed(words) | Trouble::Denied(words) => Some(words.as_str()),
        _ => None,
    };
    let status = failed_status(language, trouble.reason(), words);
    Some(format!("{status} {}", phrase(status)))
}

/// What a client over HTTP knows of a request that failed on the other side: its status, not why.
pub(super) fn failed_over_http(language: Language, callee: &Callee<'_>, words: &str) -> String {
    let (host, port, (_, path)) = (callee.host, callee.port, method_and_path(callee.operation));
    let status = status_of(words).unwrap_or(500);
    let phrase = phrase(status);
    match language {
        Language::Java => {
            let kind = phrase.replace(' ', "");
            format!("org.springframework.web.client.HttpServerErrorException${kind}: {status} : [no body]")
        }
        Language::Python => format!("{status} Server Error: {phrase} for url: http://{host}:{port}{path}"),
        Language::Node => format!("Request failed with status code {status}"),
        Language::Envoy => format!("{status} - via_upstream - \"-\""),
        Language::Go => format!("unexpected status {status} {phrase}"),
        _ => format!("{status} {phrase}"),
    }
}

/// The status at the beginning of what a proxy told: `502 Bad Gateway`.
fn status_of(words: &str) -> Option<u16> {
    let (status, told) = words.split_once(' ')?;
    status.parse().ok().filter(|status| (400..600).contains(status) && phrase(*status) == told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::WireProtocol;

    #[test]
    fn clients_know_the_status_and_not_the_reason() {
        let operation = "HTTP GET /hotels";
        let callee = Callee { host: "frontend", port: 5000, wire: WireProtocol::Http, operation };
        let check = |language: Language, words: &str, expect: &str| {
            assert_eq!(failed_over_http(language, &callee, words), expect);
        };
        let url = "for url: http://frontend:5000/hotels";
        check(Language::Python, "no such host", &format!("500 Server Error: Internal Server Error {url}"));
        check(Language::Python, "502 Bad Gateway", &format!("502 Server Error: Bad Gateway {url}"));
        check(Language::Go, "secret words", "unexpected status 500 Internal Server Error");
    }

    #[test]
    fn proxies_tell_why_they_fail() {
        let check = |language: Language, trouble: &Trouble, expect: Option<&str>| {
            assert_eq!(passed_on(language, trouble).as_deref(), expect);
        };
        check(Language::Nginx, &Trouble::Refused("10.0.0.1:80".into()), Some("502 Bad Gateway"));
        check(Language::Envoy, &Trouble::NoSuchName, Some("503 Service Unavailable"));
        check(Language::Nginx, &Trouble::Late, Some("504 Gateway Timeout"));
        check(Language::Nginx, &Trouble::Failed("502 Bad Gateway".into()), Some("502 Bad Gateway"));
        check(Language::Nginx, &Trouble::Failed("any words".into()), Some("500 Internal Server Error"));
        check(Language::Java, &Trouble::Late, None);
    }
}
