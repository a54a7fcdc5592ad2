//! The transport over HTTP.

use std::io::{self, Read};
use std::time::Duration;

use flate2::read::{DeflateDecoder, GzDecoder, ZlibDecoder};
use ureq::Error;
use ureq::http::Response;

use super::transport::{HttpReply, Transport};
use crate::model::{HttpRequest, ProviderFault, RequestFailure};

/// No answer of a model is as long as this.
const MOST_BYTES: u64 = 32 * 1024 * 1024;

/// HTTP and HTTPS, with connections that are used again.
pub struct Http {
    agent: ureq::Agent,
}

impl Http {
    /// Keeps at most so many idle connections.
    pub fn new(connections: usize) -> Http {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(connections)
            .max_idle_connections_per_host(connections)
            .max_response_header_size(256 * 1024)
            .user_agent(concat!("sre-zero/", env!("CARGO_PKG_VERSION")))
            .build();
        Http { agent: config.new_agent() }
    }
}

impl Transport for Http {
    fn send(&self, request: &HttpRequest, timeout: Duration) -> Result<HttpReply, RequestFailure> {
        let mut call = self.agent.post(&request.url);
        for (name, value) in &request.headers {
            call = call.header(name, value);
        }
        let call = call.config().timeout_global(Some(timeout)).build();
        let reply = call.send(&request.body[..]).map_err(|e| failure(&e))?;
        read(reply).map_err(|e| failure(&e))
    }
}

fn read(mut reply: Response<ureq::Body>) -> Result<HttpReply, Error> {
    let text = |value: &ureq::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = reply.headers().iter().map(|(name, value)| (name.as_str().to_string(), text(value))).collect();
    let status = reply.status().as_u16();
    let says_deflate = reply.headers().get("content-encoding").is_some_and(|value| value == "deflate");
    let body = reply.body_mut().with_config().limit(MOST_BYTES).read_to_vec()?;
    Ok(HttpReply { status, headers, body: unpacked(body, says_deflate)? })
}

/// Some servers and proxies compress though they were not asked to. Two bytes tell, and no JSON begins with them; only
/// deflate without its frame has no such bytes, so there the header is believed.
fn unpacked(body: Vec<u8>, says_deflate: bool) -> Result<Vec<u8>, Error> {
    let unpack: Box<dyn Read + '_> = match body[..] {
        [0x1f, 0x8b, ..] => Box::new(GzDecoder::new(&body[..])),
        [0x78, flags, ..] if (0x7800 + u16::from(flags)).is_multiple_of(31) => Box::new(ZlibDecoder::new(&body[..])),
        [first, ..] if says_deflate && !matches!(first, b'{' | b'[') => Box::new(DeflateDecoder::new(&body[..])),
        _ => return Ok(body),
    };
    let mut plain = Vec::new();
    // The body came whole: if it ends too early now, it was made so, and no connection broke.
    let damaged =
        |e: io::Error| io::Error::new(io::ErrorKind::InvalidData, format!("the compressed body is damaged: {e}"));
    unpack.take(MOST_BYTES + 1).read_to_end(&mut plain).map_err(damaged)?;
    if plain.len() as u64 > MOST_BYTES { Err(Error::BodyExceedsLimit(MOST_BYTES)) } else { Ok(plain) }
}

/// Trouble on the way, sorted. What is no timeout and not the reply's own fault is the network's.
fn failure(error: &Error) -> RequestFailure {
    let fault = match error {
        Error::Timeout(_) => ProviderFault::Timeout,
        Error::Io(e) if matches!(e.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock) => {
            ProviderFault::Timeout
        }
        // A compressed body that is damaged.
        Error::Io(e) if matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData) => {
            ProviderFault::MalformedReply
        }
        Error::BodyExceedsLimit(_) | Error::Protocol(_) | Error::Http(_) => ProviderFault::MalformedReply,
        Error::BadUri(_) | Error::RequireHttpsOnly(_) => {
            return RequestFailure::new(ProviderFault::Refused, &error.to_string()).for_good();
        }
        _ => ProviderFault::Network,
    };
    RequestFailure::new(fault, &error.to_string())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    fn packed(plain: &[u8]) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(plain).expect("it is kept in memory");
        packed.finish().expect("it is kept in memory")
    }

    /// Deflate as it is meant, in a frame, and as some servers send it, without.
    fn deflated(plain: &[u8]) -> [Vec<u8>; 2] {
        let mut framed = ZlibEncoder::new(Vec::new(), Compression::fast());
        framed.write_all(plain).expect("it is kept in memory");
        let mut bare = DeflateEncoder::new(Vec::new(), Compression::fast());
        bare.write_all(plain).expect("it is kept in memory");
        [framed.finish(), bare.finish()].map(|packed| packed.expect("it is kept in memory"))
    }

    #[test]
    fn a_compressed_body_is_read_and_a_bomb_is_not() {
        let told = |body: Vec<u8>, says_deflate: bool, expect: Result<&[u8], ProviderFault>| {
            let read = unpacked(body, says_deflate).map_err(|e| failure(&e).fault);
            assert_eq!(read.as_deref(), expect.as_ref().map(|plain| *plain));
        };
        let check = |body: Vec<u8>, expect: Result<&[u8], ProviderFault>| told(body, false, expect);
        let [framed, bare] = deflated(b"{\"a\": 1}");
        check(framed.clone(), Ok(b"{\"a\": 1}"));
        told(framed, true, Ok(b"{\"a\": 1}"));
        told(bare, true, Ok(b"{\"a\": 1}"));
        // A header that is wrong costs nothing.
        told(b"{\"a\": 1}".to_vec(), true, Ok(b"{\"a\": 1}"));
        told(b"<html>".to_vec(), true, Err(ProviderFault::MalformedReply));
        check(Vec::new(), Ok(b""));
        check(b"{\"a\": 1}".to_vec(), Ok(b"{\"a\": 1}"));
        check(packed(b"{\"a\": 1}"), Ok(b"{\"a\": 1}"));
        check(packed(&vec![b' '; MOST_BYTES as usize + 1]), Err(ProviderFault::MalformedReply));
        let whole = packed(b"{\"a\": 1}");
        for length in [3, 10, whole.len() / 2, whole.len() - 8, whole.len() - 1] {
            check(whole[..length].to_vec(), Err(ProviderFault::MalformedReply));
        }
        let mut broken = packed(b"{\"a\": 1}");
        broken[12] ^= 0xff;
        check(broken, Err(ProviderFault::MalformedReply));
    }
}
