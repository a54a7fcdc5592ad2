//! Who may ask. Only those who were told the token: the other programs of this machine, agents under test among them,
//! must not read the truth of a run; nor may pages of other sites, or names that are made to point here.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use super::ask::{Ask, ViewRefusal};

/// What only those know who were told.
pub struct Guard {
    token: String,
    address: SocketAddr,
    /// The names that the server answers to on this machine; off it, the token has to do.
    hosts: Vec<String>,
}

/// A token that is shorter can be guessed.
const SHORTEST: usize = 16;

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
    /// A guard of the server at this address. Without a `token` one is drawn that cannot be guessed.
    pub fn new(address: SocketAddr, token: Option<&str>) -> anyhow::Result<Guard> {
        let plain = |token: &str| token.len() >= SHORTEST && token.bytes().all(|b| b.is_ascii_alphanumeric());
        let token = match token {
            Some(token) if plain(token) => token.to_string(),
            Some(_) => anyhow::bail!("a token has at least {SHORTEST} letters and digits, and nothing else"),
            None => drawn()?,
        };
        let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", address.port()));
        let hosts = if address.ip().is_loopback() { names.to_vec() } else { Vec::new() };
        Ok(Guard { token, address, hosts })
    }

    /// The token, for our own page.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// What to type into a browser.
    pub fn address(&self) -> String {
        let ip = match self.address.ip() {
            ip if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            ip => ip,
        };
        format!("http://{}/?token={}", SocketAddr::new(ip, self.address.port()), self.token)
    }

    /// Whether the request may be answered.
    pub fn admit(&self, ask: &Ask) -> Result<(), ViewRefusal> {
        self.knows_host(ask)?;
        if ask.path != "/" && ask.site.as_deref().is_some_and(|site| !["same-origin", "none"].contains(&site)) {
            return Err(ViewRefusal::forbidden("a page of another site asked for this"));
        }
        if !self.is_shown(ask) {
            return Err(ViewRefusal { status: 401, why: format!("{ASK_FOR_TOKEN}.") });
        }
        if ask.method == "GET" { Ok(()) } else { self.may_change(ask) }
    }

    /// What a browser keeps, so that the token need not stand in every address. Given to those who showed the token.
    pub fn cookie(&self, ask: &Ask) -> Option<String> {
        let told = ask.path == "/" && self.admit(ask).is_ok();
        told.then(|| format!("{}={}; Path=/; HttpOnly; SameSite=Lax", self.cookie_name(), self.token))
    }

    /// Browsers give cookies to all ports of a host, so the name has the port.
    fn cookie_name(&self) -> String {
        format!("sre-zero-{}", self.address.port())
    }

    /// Shown in the page's header, in the cookie, or in the address of the page itself.
    fn is_shown(&self, ask: &Ask) -> bool {
        let right = |token: &str| same(token.as_bytes(), self.token.as_bytes());
        let (name, cookies) = (self.cookie_name(), ask.cookie.as_deref().unwrap_or_default());
        let mut kept = cookies.split(';').filter_map(|part| part.trim().split_once('='));
        ask.token.as_deref().is_some_and(right)
            || kept.any(|(known, token)| known == name && right(token))
            || (ask.path == "/" && ask.query.one("token").is_some_and(right))
    }

    /// A name of another site that points here would let its pages read everything.
    fn knows_host(&self, ask: &Ask) -> Result<(), ViewRefusal> {
        let known = |host: &String| self.hosts.is_empty() || self.hosts.iter().any(|h| h.eq_ignore_ascii_case(host));
        if ask.host.as_ref().is_some_and(known) {
            return Ok(());
        }
        Err(ViewRefusal::forbidden(format!("this server answers to http://{} only", self.address)))
    }

    fn may_change(&self, ask: &Ask) -> Result<(), ViewRefusal> {
        if ask.method != "POST" {
            return Err(ViewRefusal { status: 405, why: "only GET and POST are answered".to_string() });
        }
        let host = ask.host.as_deref().unwrap_or_default();
        if ask.origin.as_deref() != Some(&format!("http://{host}")) {
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

/// What a page without the token says.
pub const ASK_FOR_TOKEN: &str = "This viewer asks for its token: open the address that `sre-zero view` printed";

fn drawn() -> anyhow::Result<String> {
    let mut bytes = [0u8; 24];
    getrandom::fill(&mut bytes).map_err(|e| anyhow::anyhow!("the system gives no random numbers: {e}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Compares in a time that tells nothing of where two texts differ.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::super::ask::Query;
    use super::*;

    const HERE: &str = "127.0.0.1:4711";

    fn guard(address: &str, token: Option<&str>) -> Guard {
        Guard::new(address.parse().expect("an address"), token).expect("random numbers")
    }

    fn check(change: impl Fn(&mut Ask), expect: Result<(), u16>) {
        check_at(&guard(HERE, None), change, expect);
    }

    fn check_at(guard: &Guard, change: impl Fn(&mut Ask), expect: Result<(), u16>) {
        let mut ask = Ask {
            method: "POST".into(),
            path: "/api/play/start".into(),
            host: Some(HERE.into()),
            origin: Some(format!("http://{HERE}")),
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
        check(|ask| ask.token = None, Err(401));
        check(|ask| ask.token = Some("0".repeat(48)), Err(401));
        check(|ask| ask.token = Some(String::new()), Err(401));
        check(|ask| ask.origin = None, Err(403));
        check(|ask| ask.origin = Some("http://127.0.0.1:4712".into()), Err(403));
        check(|ask| ask.origin = Some("https://example.org".into()), Err(403));
        check(|ask| ask.origin = Some("null".into()), Err(403));
        check(|ask| ask.method = "DELETE".into(), Err(405));
    }

    #[test]
    fn a_cookie_reads_and_does_not_change() {
        let guard = guard(HERE, Some("correcthorsebattery"));
        let with = |method: &'static str, cookie: &'static str| {
            move |ask: &mut Ask| {
                ask.method = method.into();
                ask.token = None;
                ask.cookie = Some(cookie.into());
            }
        };
        check_at(&guard, with("GET", "a=b; sre-zero-4711=correcthorsebattery"), Ok(()));
        check_at(&guard, with("GET", "sre-zero-4712=correcthorsebattery"), Err(401));
        check_at(&guard, with("GET", "sre-zero-4711=correcthorsebatter"), Err(401));
        check_at(&guard, with("GET", ""), Err(401));
        check_at(&guard, with("POST", "sre-zero-4711=correcthorsebattery"), Err(403));
    }

    #[test]
    fn the_token_in_an_address_opens_the_page_alone() {
        let guard = guard(HERE, Some("correcthorsebattery"));
        assert_eq!(guard.address(), "http://127.0.0.1:4711/?token=correcthorsebattery");
        let at = |path: &'static str, query: &'static str| {
            move |ask: &mut Ask| {
                ask.method = "GET".into();
                ask.token = None;
                ask.path = path.into();
                ask.query = Query::parse(query);
            }
        };
        check_at(&guard, at("/", "token=correcthorsebattery"), Ok(()));
        check_at(&guard, at("/", ""), Err(401));
        check_at(&guard, at("/api/truth", "token=correcthorsebattery"), Err(401));
    }

    #[test]
    fn off_this_machine_any_name_will_do_and_the_token_is_needed() {
        let guard = guard("0.0.0.0:4711", None);
        assert!(guard.address().starts_with("http://127.0.0.1:4711/?token="));
        let named = |ask: &mut Ask| {
            ask.host = Some("laptop.example:4711".into());
            ask.origin = Some("http://laptop.example:4711".into());
        };
        check_at(&guard, named, Ok(()));
        check_at(&guard, |ask| ask.token = None, Err(401));
        let strange = |ask: &mut Ask| ask.origin = Some("http://evil.example:4711".into());
        check_at(&guard, strange, Err(403));
        assert!(Guard::new(HERE.parse().expect("an address"), Some("short")).is_err());
        assert!(Guard::new(HERE.parse().expect("an address"), Some("with; a semicolon in it")).is_err());
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
        let token = || guard(HERE, None).token().to_string();
        assert_ne!(token(), token());
        assert_eq!(token().len(), 48);
    }
}
