//! AWS signatures, version 4, from the side that checks them.

use std::fmt::Write;

use harness::sha256;
use sha2::{Digest, Sha256};

use super::Sent;

/// Whether a request carries a signature by this secret.
pub fn is_signed_by(sent: &Sent<'_>, secret: &str) -> bool {
    signature(sent, secret).is_some_and(|right| field(sent, "Signature=") == Some(right.as_str()))
}

/// The signature that the request should carry; `None` if it does not say what it signed.
fn signature(sent: &Sent<'_>, secret: &str) -> Option<String> {
    // `AKID/20150830/us-east-1/bedrock/aws4_request`
    let (_, scope) = field(sent, "Credential=")?.split_once('/')?;
    let signed = field(sent, "SignedHeaders=")?;
    let time = sent.headers.get("x-amz-date")?;
    let request = canonical(sent, signed)?;
    let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", sha256(request.as_bytes()));
    let first = format!("AWS4{secret}").into_bytes();
    let key = scope.split('/').fold(first, |key, part| hmac(&key, part.as_bytes()).to_vec());
    Some(hex(&hmac(&key, text.as_bytes())))
}

/// A field of `Authorization: AWS4-HMAC-SHA256 Credential=.., SignedHeaders=.., Signature=..`.
fn field<'a>(sent: &Sent<'a>, name: &str) -> Option<&'a str> {
    let fields = sent.headers.get("authorization")?.strip_prefix("AWS4-HMAC-SHA256 ")?;
    fields.split(',').find_map(|field| field.trim().strip_prefix(name))
}

/// The request in the one form that both sides sign.
fn canonical(sent: &Sent<'_>, signed: &str) -> Option<String> {
    let mut headers = String::new();
    for name in signed.split(';') {
        let value = sent.headers.get(name)?.split_whitespace().collect::<Vec<_>>().join(" ");
        writeln!(headers, "{name}:{value}").expect("a string takes everything");
    }
    let mut query: Vec<&str> = sent.query.split('&').filter(|pair| !pair.is_empty()).collect();
    query.sort_unstable();
    let (path, query, body) = (encoded(sent.path), query.join("&"), sha256(sent.body));
    Some(format!("{}\n{path}\n{query}\n{headers}\n{signed}\n{body}", sent.method))
}

/// A path is encoded once more than it was sent: `%3A` becomes `%253A`.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => out.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => out.push(byte.into()),
            _ => write!(out, "%{byte:02X}").expect("a string takes everything"),
        }
    }
    out
}

/// HMAC with SHA-256 (RFC 2104).
fn hmac(key: &[u8], text: &[u8]) -> [u8; 32] {
    const BLOCK: usize = 64;
    let mut block = [0; BLOCK];
    if key.len() > BLOCK {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let inner = Sha256::new().chain_update(block.map(|byte| byte ^ 0x36)).chain_update(text).finalize();
    Sha256::new().chain_update(block.map(|byte| byte ^ 0x5C)).chain_update(inner).finalize().into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_provider::formats::RequestHeaders;

    /// The plainest case of the test suite that AWS publishes for this scheme (`get-vanilla`).
    const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
    const SIGNED: &str = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
                          SignedHeaders=host;x-amz-date, \
                          Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";

    fn check(path: &str, host: &str, authorization: &str, secret: &str, expect: bool) {
        let header = |name: &str, value: &str| (name.to_string(), value.to_string());
        let headers =
            [header("Host", host), header("X-Amz-Date", "20150830T123600Z"), header("Authorization", authorization)];
        let sent = Sent { method: "GET", path, query: "", headers: RequestHeaders(&headers), body: b"" };
        assert_eq!(is_signed_by(&sent, secret), expect, "{path} {host} {authorization}");
    }

    #[test]
    fn a_signature_stands_for_the_secret_and_the_request() {
        let host = "example.amazonaws.com";
        check("/", host, SIGNED, SECRET, true);
        check("/", host, SIGNED, "another secret", false);
        check("/other", host, SIGNED, SECRET, false);
        check("/", "elsewhere", SIGNED, SECRET, false);
        check("/", host, &SIGNED.replace("us-east-1", "eu-west-1"), SECRET, false);
        check("/", host, &SIGNED.replace("host;", "host;x-missing;"), SECRET, false);
        check("/", host, "Bearer token", SECRET, false);
    }

    #[test]
    fn paths_are_encoded_once_more() {
        assert_eq!(encoded("/model/a.b-c%3A0/converse"), "/model/a.b-c%253A0/converse");
    }

    #[test]
    fn long_keys_are_hashed_first() {
        // Case 6 of RFC 4231.
        let expect = "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54";
        assert_eq!(hex(&hmac(&[0xAA; 131], b"Test Using Larger Than Block-Size Key - Hash Key First")), expect);
    }
}
