//! AWS Signature Version 4: proves who we are without sending the key.

use std::fmt::Write;

use harness::sha256;
use sha2::{Digest, Sha256};

/// What is signed. Names of headers are in lower case; path and query are in their canonical form.
pub(super) struct Signing<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub query: &'a str,
    pub headers: &'a [(String, String)],
    pub body: &'a [u8],
    /// `20150830T123600Z`.
    pub date: &'a str,
    pub region: &'a str,
    pub service: &'a str,
}

impl Signing<'_> {
    /// The value of the `Authorization` header.
    pub fn authorization(&self, access_key: &str, secret_key: &str) -> String {
        let mut headers: Vec<(&str, String)> = self.headers.iter().map(|(n, v)| (n.as_str(), trimmed(v))).collect();
        headers.sort();
        let names = headers.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
        let lines: String = headers.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
        let body = sha256(self.body);
        let canonical = format!("{}\n{}\n{}\n{lines}\n{names}\n{body}", self.method, self.path, self.query);
        let scope = format!("{}/{}/{}/aws4_request", self.day(), self.region, self.service);
        let to_sign = format!("AWS4-HMAC-SHA256\n{}\n{scope}\n{}", self.date, sha256(canonical.as_bytes()));
        let signature = hex(&hmac(&self.key(secret_key), to_sign.as_bytes()));
        format!("AWS4-HMAC-SHA256 Credential={access_key}/{scope}, SignedHeaders={names}, Signature={signature}")
    }

    fn day(&self) -> &str {
        &self.date[..8]
    }

    /// A key for one day, one region and one service.
    fn key(&self, secret_key: &str) -> [u8; 32] {
        let first = hmac(format!("AWS4{secret_key}").as_bytes(), self.day().as_bytes());
        [self.region, self.service, "aws4_request"].iter().fold(first, |key, part| hmac(&key, part.as_bytes()))
    }
}

/// Leading and trailing spaces go, and runs of spaces become one.
fn trimmed(value: &str) -> String {
    value.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// HMAC-SHA256 (RFC 2104).
fn hmac(key: &[u8], text: &[u8]) -> [u8; 32] {
    let mut block = [0u8; 64];
    if key.len() > block.len() {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let inner = Sha256::new().chain_update(block.map(|b| b ^ 0x36)).chain_update(text).finalize();
    Sha256::new().chain_update(block.map(|b| b ^ 0x5c)).chain_update(inner).finalize().into()
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    bytes.iter().for_each(|byte| write!(text, "{byte:02x}").expect("a string takes everything"));
    text
}

/// Percent-encodes everything but letters, digits and `-_.~` (and `/`, if `slash` says so).
pub(super) fn encode(text: &str, slash: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) || (slash && byte == b'/') {
            out.push(byte as char);
        } else {
            write!(out, "%{byte:02X}").expect("a string takes everything");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test cases 1, 2 and 6.
    #[test]
    fn the_hmac_is_the_usual_one() {
        let check = |key: &[u8], text: &[u8], expect: &str| assert_eq!(hex(&hmac(key, text)), expect);
        check(&[0x0b; 20], b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
        check(
            b"Jefe",
            b"what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        );
        check(
            &[0xaa; 131],
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        );
    }

    /// Cases of the test suite that AWS publishes for Signature Version 4 (`aws-sig-v4-test-suite`).
    #[test]
    fn signatures_are_those_of_the_published_suite() {
        let check = |method: &str, path: &str, query: &str, more: &[(&str, &str)], body: &str, expect: &str| {
            let own = [("host", "example.amazonaws.com"), ("x-amz-date", "20150830T123600Z")];
            let headers: Vec<(String, String)> =
                own.iter().chain(more).map(|(n, v)| (n.to_string(), v.to_string())).collect();
            let signing = Signing {
                method,
                path: &encode(path, true),
                query,
                headers: &headers,
                body: body.as_bytes(),
                date: "20150830T123600Z",
                region: "us-east-1",
                service: "service",
            };
            let value = signing.authorization("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
            let scope = "Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=";
            assert!(value.starts_with(&format!("AWS4-HMAC-SHA256 {scope}")), "{value}");
            assert!(value.ends_with(&format!("Signature={expect}")), "{method} {path}?{query}: {value}");
        };
        let vanilla = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";
        check("GET", "/", "", &[], "", vanilla);
        let post = "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b";
        check("POST", "/", "", &[], "", post);
        let order = "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500";
        check("GET", "/", "Param1=value1&Param2=value2", &[], "", order);
        let utf8 = "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85";
        check("GET", "/\u{1234}", "", &[], "", utf8);
        let form = "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a";
        let kind = ("content-type", "application/x-www-form-urlencoded");
        check("POST", "/", "", &[kind], "Param1=value1", form);
        let spaces = "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736";
        check("GET", "/", "", &[("my-header1", "   value1"), ("my-header2", "  \"a   b   c\"  ")], "", spaces);
    }

    /// The derived key of the example in AWS's documentation.
    #[test]
    fn the_derived_key_is_the_documented_one() {
        let signing = Signing {
            method: "GET",
            path: "/",
            query: "",
            headers: &[],
            body: b"",
            date: "20150830T000000Z",
            region: "us-east-1",
            service: "iam",
        };
        let key = signing.key("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
        assert_eq!(hex(&key), "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9");
    }
}
