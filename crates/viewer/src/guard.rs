//! Who may ask. The server listens on this machine only; what is left are pages of other sites in the
//! same browser, and names that are made to point here.

use super::ask::{Ask, ViewRefusal};

/// What only our own page knows and may do.
pub struct Guard {
    token: String,
    hosts: Vec<String>,
}

/// Sent with every answer. Nothing is loaded from elsewhere, and no text can become a script.
pub const HEADERS: &[(&str, &str)] = &[
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
    ("cache-control", "no-store"),
];

impl Guard {
    /// A guard of the server on this port, with a token that cannot be guessed.
    pub fn new(port: u16) -> anyhow::Result<Guard> {
        let mut bytes = [0u8; 24];
        getrandom::fill(&mut bytes).map_err(|e| anyhow::anyhow!("the system gives no random numbers: {e}"))?;
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Guard { token, hosts: ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}")).to_vec() })
    }

    /// The token, for our own page.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Whether the request may be answered.
    pub fn admit(&self, ask: &Ask) -> Result<(), ViewRefusal> {
        self.knows_host(ask)?;
        if ask.path != "/" && ask.site.as_deref().is_some_and(|site| !["same-origin", "none"].contains(&site)) {
            return Err(ViewRefusal::forbidden("a page of another site asked for this"));
        }
        if ask.method == "GET" { Ok(()) } else { self.may_change(ask) }
    }

    /// A name of another site that points here would let its page read everything.
    fn knows_host(&self, ask: &Ask) -> Result<(), ViewRefusal> {
        let known = |host: &String| self.hosts.iter().any(|h| h.eq_ignore_ascii_case(host));
        if ask.host.as_ref().is_some_and(known) {
            return Ok(());
        }
        Err(ViewRefusal::forbidden(format!("this server answers to http://{} only", self.hosts[0])))
    }

    fn may_change(&self, ask: &Ask) -> Result<(), ViewRefusal> {
        if ask.method != "POST" {
            return Err(ViewRefusal { status: 405, why: "only GET and POST are answered".to_string() });
        }
        let own = |origin: &String| self.hosts.iter().any(|h| *origin == format!("http://{h}"));
        if !ask.origin.as_ref().is_some_and(own) {
            return Err(ViewRefusal::forbidden("only the viewer's own page may change something"));
        }
        if !ask.token.as_ref().is_some_and(|token| same(token.as_bytes(), self.token.as_bytes())) {
            return Err(ViewRefusal::forbidden(
                "the server was started again since this page was loaded; reload the page",
            ));
        }
        Ok(())
    }
}

/// Compares in a time that tells nothing of where two texts differ.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(change: impl Fn(&mut Ask), expect: Result<(), u16>) {
        let guard = Guard::new(4711).expect("random numbers");
        let mut ask = Ask {
            method: "POST".into(),
            path: "/api/play/start".into(),
            host: Some("127.0.0.1:4711".into()),
            origin: Some("http://127.0.0.1:4711".into()),
            token: Some(guard.token().into()),
            site: Some("same-origin".into()),
            ..Ask::default()
        };
        change(&mut ask);
        assert_eq!(guard.admit(&ask).map_err(|r| r.status), expect, "{ask:?}");
    }

    #[test]
    fn only_our_own_page_may_change_something() {
        check(|_| {}, Ok(()));
        check(|ask| ask.token = None, Err(403));
        check(|ask| ask.token = Some("0".repeat(48)), Err(403));
        check(|ask| ask.token = Some(String::new()), Err(403));
        check(|ask| ask.origin = None, Err(403));
        check(|ask| ask.origin = Some("http://127.0.0.1:4712".into()), Err(403));
        check(|ask| ask.origin = Some("https://example.org".into()), Err(403));
        check(|ask| ask.origin = Some("null".into()), Err(403));
        check(|ask| ask.method = "DELETE".into(), Err(405));
    }

    #[test]
    fn only_our_own_names_are_answered() {
        let get = |host: &'static str| {
            move |ask: &mut Ask| {
                ask.method = "GET".into();
                ask.host = Some(host.into());
            }
        };
        check(get("127.0.0.1:4711"), Ok(()));
        check(get("LOCALHOST:4711"), Ok(()));
        for host in ["evil.example:4711", "127.0.0.1", "127.0.0.1:80", "127.0.0.1.evil.example:4711", ""] {
            check(get(host), Err(403));
        }
        check(|ask| ask.host = None, Err(403));
    }

    #[test]
    fn other_sites_may_link_here_and_no_more() {
        let from = |site: &'static str, path: &'static str| {
            move |ask: &mut Ask| {
                ask.method = "GET".into();
                ask.origin = None;
                ask.token = None;
                ask.site = Some(site.into());
                ask.path = path.into();
            }
        };
        check(from("cross-site", "/"), Ok(()));
        check(from("cross-site", "/api/runs"), Err(403));
        check(from("same-site", "/main.js"), Err(403));
        check(from("none", "/api/runs"), Ok(()));
    }

    #[test]
    fn tokens_differ() {
        let token = || Guard::new(1).expect("random numbers").token().to_string();
        assert_ne!(token(), token());
        assert_eq!(token().len(), 48);
    }
}
