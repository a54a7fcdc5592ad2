//! The bearer token: what a client shows to be let in.

use harness::sha256;

/// Shorter ones can be guessed.
const SHORTEST: usize = 16;

/// A secret that is compared and never shown.
#[derive(Clone)]
pub struct Token {
    digest: String,
}

impl Token {
    /// A token from the command line or the environment.
    pub fn new(secret: &str) -> Result<Token, String> {
        if secret.len() < SHORTEST || !secret.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(format!("a token has at least {SHORTEST} printable characters, without spaces"));
        }
        Ok(Token { digest: sha256(secret.as_bytes()) })
    }

    /// Whether an `Authorization` header shows it. Digests are compared, so that the time which that
    /// takes tells nothing of the secret.
    pub fn is_shown_in(&self, header: Option<&str>) -> bool {
        let shown = header.and_then(|value| {
            let (scheme, secret) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(secret.trim())
        });
        self.is(shown)
    }

    /// Whether this is it.
    pub fn is(&self, secret: Option<&str>) -> bool {
        secret.is_some_and(|secret| sha256(secret.as_bytes()) == self.digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_itself_opens() {
        let token = Token::new("correct-horse-battery").expect("it is long enough");
        let check = |header: Option<&str>, expect: bool| assert_eq!(token.is_shown_in(header), expect, "{header:?}");
        check(Some("Bearer correct-horse-battery"), true);
        check(Some("bearer correct-horse-battery"), true);
        check(Some("Bearer correct-horse-batter"), false);
        check(Some("Bearer "), false);
        check(Some("Bearer"), false);
        check(Some("Basic correct-horse-battery"), false);
        check(Some("correct-horse-battery"), false);
        check(None, false);
        assert!(token.is(Some("correct-horse-battery")) && !token.is(Some("correct-horse-batter")) && !token.is(None));
        assert!(Token::new("short").is_err());
        assert!(Token::new("with spaces in between").is_err());
    }
}
