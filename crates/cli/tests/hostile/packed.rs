//! Compressed bodies that no request asked for.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use harness::ProviderFault::{EmptyReply, MalformedReply};

use super::Dialect::{Chat, Gemini, Messages};
use super::Means::{Answer, Fault};
use super::Sends::Bytes;
use super::{Good, Mode, Wire, mode};

const GZIP: &str = "content-type: application/json\ncontent-encoding: gzip";
const DAMAGED: &str = "the compressed body is damaged";
const PLAIN: &str = "content-type: application/json";

pub const MODES: &[Mode] = &[
    mode(Chat, "gzip", Bytes(|good| Wire::reply(200, GZIP, &gzip(&good.body()))), Answer),
    mode(Messages, "gzip-unsaid", Bytes(|good| Wire::reply(200, PLAIN, &gzip(&good.body()))), Answer),
    mode(Chat, "gzip-said-not-done", Bytes(|good| Wire::reply(200, GZIP, &good.body())), Answer),
    mode(
        Chat,
        "gzip-cut",
        Bytes(|good| spoilt(good, |packed| packed.truncate(packed.len() / 2))),
        Fault(MalformedReply, DAMAGED),
    ),
    mode(
        Chat,
        "gzip-head-alone",
        Bytes(|good| spoilt(good, |packed| packed.truncate(10))),
        Fault(MalformedReply, DAMAGED),
    ),
    mode(
        Chat,
        "gzip-no-sum",
        Bytes(|good| spoilt(good, |packed| packed.truncate(packed.len() - 8))),
        Fault(MalformedReply, DAMAGED),
    ),
    mode(Chat, "gzip-wrong-sum", Bytes(|good| spoilt(good, |packed| flip_sum(packed))), Fault(MalformedReply, DAMAGED)),
    mode(
        Chat,
        "gzip-flipped",
        Bytes(|good| spoilt(good, |packed| flip_middle(packed))),
        Fault(MalformedReply, DAMAGED),
    ),
    mode(Chat, "gzip-rest", Bytes(|good| spoilt(good, |packed| packed.extend(*b"rest"))), Answer),
    mode(
        Chat,
        "gzip-twice",
        Bytes(|good| Wire::reply(200, GZIP, &gzip(&gzip(&good.body())))),
        Fault(MalformedReply, "no JSON"),
    ),
    mode(
        Gemini,
        "gzip-bomb",
        Bytes(|_| Wire::reply(200, GZIP, &gzip(&vec![b' '; 40 << 20]))),
        Fault(MalformedReply, "limit"),
    ),
    mode(
        Chat,
        "gzip-of-nothing",
        Bytes(|_| Wire::reply(200, GZIP, &gzip(b""))),
        Fault(EmptyReply, "the reply has no body"),
    ),
    mode(Chat, "deflate", Bytes(|good| Wire::reply(200, "content-encoding: deflate", &zlib(&good.body()))), Answer),
    mode(
        Chat,
        "deflate-bare",
        Bytes(|good| Wire::reply(200, "content-encoding: deflate", &bare(&good.body()))),
        Answer,
    ),
    mode(
        Chat,
        "brotli",
        Bytes(|_| Wire::reply(200, "content-encoding: br", b"\x8b\x03\x80{}\x03")),
        Fault(MalformedReply, "no JSON"),
    ),
    mode(
        Chat,
        "zstd",
        Bytes(|_| Wire::reply(200, "content-encoding: zstd", b"\x28\xb5\x2f\xfd\x04\x00")),
        Fault(MalformedReply, "no JSON"),
    ),
];

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(plain).and_then(|()| packed.finish()).expect("it is kept in memory")
}

fn zlib(plain: &[u8]) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(plain).and_then(|()| packed.finish()).expect("it is kept in memory")
}

fn bare(plain: &[u8]) -> Vec<u8> {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(plain).and_then(|()| packed.finish()).expect("it is kept in memory")
}

fn spoilt(good: &Good, spoil: fn(&mut Vec<u8>)) -> Wire {
    let mut packed = gzip(&good.body());
    spoil(&mut packed);
    Wire::reply(200, GZIP, &packed)
}

fn flip_sum(packed: &mut [u8]) {
    let at = packed.len() - 6;
    packed[at] ^= 0xff;
}

fn flip_middle(packed: &mut [u8]) {
    let at = packed.len() / 2;
    packed[at] ^= 0xff;
}
