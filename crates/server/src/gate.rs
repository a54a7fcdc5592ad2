//! Who is let in: every client on this machine, or those that show the token; never a stranger's web page.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::App;
use super::problem::Problem;
use super::token::Token;

/// Lets a request through or says why not.
pub async fn admit(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    match check(&app, &request) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

fn check(app: &App, request: &Request) -> Result<(), Problem> {
    let headers = request.headers();
    if !is_own_page(headers) {
        return Err(Problem::STRANGE_ORIGIN);
    }
    if !is_plain(headers) {
        return Err(Problem::PACKED);
    }
    let path = request.uri().path();
    if begins(path, headers) && app.stuck.load(Ordering::Relaxed) {
        return Err(Problem::CANNOT_KEEP);
    }
    match &app.token {
        _ if is_open(path) => Ok(()),
        Some(token) if shows(headers, token) => Ok(()),
        Some(_) => Err(Problem::NO_TOKEN),
        // Without a token the server is for this machine only, also under names that others made up for it.
        None if text(headers, header::HOST.as_str()).is_none_or(is_loopback) => Ok(()),
        None => Err(Problem::STRANGE_ORIGIN),
    }
}

/// Whether a client shows the token, in the header that most send or in that of the Open Reward Standard.
fn shows(headers: &HeaderMap, token: &Token) -> bool {
    token.is_shown_in(text(headers, header::AUTHORIZATION.as_str())) || token.is(text(headers, "x-api-key"))
}

/// Whether a request begins an episode, or a connection on which one can be begun.
fn begins(path: &str, headers: &HeaderMap) -> bool {
    matches!(path, "/episode/reset" | "/reset" | "/create" | "/ws")
        || (path == "/mcp" && !headers.contains_key("mcp-session-id"))
}

/// Whether the server is up is no secret; and a client with one session's address was given the
/// right to play it, and no more.
fn is_open(path: &str) -> bool {
    path == "/health" || path.starts_with("/mcp/")
}

/// Bodies are a few hundred bytes, so no compressed ones are read: a small one could become a large one.
fn is_plain(headers: &HeaderMap) -> bool {
    let mut said = headers.get_all(header::CONTENT_ENCODING).iter();
    said.all(|encoding| encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// A browser says from which page a request comes; programs say nothing.
fn is_own_page(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else { return true };
    let host = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
    host.is_some_and(|host| is_loopback(host) || Some(host) == text(headers, header::HOST.as_str()))
}

fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    let address = name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    address || name.eq_ignore_ascii_case("localhost")
}

/// A header's text.
pub fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_its_own() {
        let check = |host: &str, expect: bool| assert_eq!(is_loopback(host), expect, "{host}");
        for own in ["localhost", "LOCALHOST:80", "127.0.0.1:8000", "127.9.9.9", "[::1]:8000", "[::1]"] {
            check(own, true);
        }
        for strange in ["", "example.com", "localhost.example.com", "10.0.0.1:80", "[::2]:80", "127.0.0.1.example.com"]
        {
            check(strange, false);
        }
    }
}
