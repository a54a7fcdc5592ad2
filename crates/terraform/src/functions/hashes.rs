//! Hashes and ids.

use std::fmt::Write;

use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::Unknowns::{Deep, Own};
use super::encoding::{base64, read};
use super::{EvalHost, Function, Gives, text};
use crate::datum::Constraint;
use crate::datum::Datum;

pub(super) const TABLE: &[Function] = &[
    Function("sha1", 1, 1, Deep, Gives::Text, |a, _| Ok(hex(&Sha1::digest(text(&a[0])?)))),
    Function("sha256", 1, 1, Deep, Gives::Text, |a, _| Ok(hex(&Sha256::digest(text(&a[0])?)))),
    Function("sha512", 1, 1, Deep, Gives::Text, |a, _| Ok(hex(&Sha512::digest(text(&a[0])?)))),
    Function("base64sha256", 1, 1, Deep, Gives::Text, |a, _| Ok(Datum::Text(base64(&Sha256::digest(text(&a[0])?))))),
    Function("base64sha512", 1, 1, Deep, Gives::Text, |a, _| Ok(Datum::Text(base64(&Sha512::digest(text(&a[0])?))))),
    Function("filesha1", 1, 1, Deep, Gives::Text, |a, host| Ok(hex(&Sha1::digest(read(&a[0], host)?)))),
    Function("filesha256", 1, 1, Deep, Gives::Text, |a, host| Ok(hex(&Sha256::digest(read(&a[0], host)?)))),
    Function("filebase64sha256", 1, 1, Deep, Gives::Text, |a, host| {
        Ok(Datum::Text(base64(&Sha256::digest(read(&a[0], host)?))))
    }),
    Function("md5", 1, 1, Deep, Gives::Text, |a, _| Ok(hex(&md5(text(&a[0])?.as_bytes())))),
    Function("filemd5", 1, 1, Deep, Gives::Text, |a, host| Ok(hex(&md5(read(&a[0], host)?.as_bytes())))),
    Function("uuid", 0, 0, Own, Gives::Text, uuid),
    Function("uuidv5", 2, 2, Deep, Gives::Text, |a, _| {
        let digest = Sha1::digest(format!("{}/{}", text(&a[0])?, text(&a[1])?));
        Ok(Datum::Text(grouped(&digest)))
    }),
    Function("bcrypt", 1, 2, Own, Gives::Text, |a, host| match host.now {
        None => Ok(Datum::Unknown(Constraint::Text)),
        Some(now) => Ok(Datum::Text(format!("$2a$10${}", base64(&Sha256::digest(format!("{}{now}", text(&a[0])?)))))),
    }),
];

fn hex(bytes: &[u8]) -> Datum {
    Datum::Text(hex_text(bytes))
}

fn hex_text(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut made, byte| {
        write!(made, "{byte:02x}").expect("a string takes everything");
        made
    })
}

/// A new id in every run, as in Terraform; known while applying only.
fn uuid(_: &[Datum], host: &EvalHost) -> Result<Datum, String> {
    Ok(match host.now {
        None => Datum::Unknown(Constraint::Text),
        Some(now) => Datum::Text(grouped(&Sha1::digest(now.to_le_bytes()))),
    })
}

fn grouped(bytes: &[u8]) -> String {
    let hex = hex_text(&bytes[..16]);
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// MD5, which configurations use for names, never for secrets.
fn md5(message: &[u8]) -> [u8; 16] {
    const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let mut state: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let mut data = message.to_vec();
    data.push(0x80);
    data.resize((data.len() + 8).next_multiple_of(64) - 8, 0);
    data.extend((message.len() as u64).wrapping_mul(8).to_le_bytes());
    for block in data.chunks_exact(64) {
        let word = |i: usize| u32::from_le_bytes([block[4 * i], block[4 * i + 1], block[4 * i + 2], block[4 * i + 3]]);
        let [mut a, mut b, mut c, mut d] = state;
        for i in 0..64usize {
            let (mix, g) = match i / 16 {
                0 => (b & c | !b & d, i),
                1 => (d & b | !d & c, (5 * i + 1) % 16),
                2 => (b ^ c ^ d, (3 * i + 5) % 16),
                _ => (c ^ (b | !d), 7 * i % 16),
            };
            let sum = a.wrapping_add(mix).wrapping_add(sine(i)).wrapping_add(word(g));
            (a, d, c) = (d, c, b);
            b = b.wrapping_add(sum.rotate_left(SHIFTS[i / 16][i % 4]));
        }
        for (slot, value) in state.iter_mut().zip([a, b, c, d]) {
            *slot = slot.wrapping_add(value);
        }
    }
    let mut digest = [0; 16];
    for (i, word) in state.iter().enumerate() {
        digest[4 * i..4 * i + 4].copy_from_slice(&word.to_le_bytes());
    }
    digest
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
fn sine(i: usize) -> u32 {
    (libm::fabs(libm::sin((i + 1) as f64)) * 4_294_967_296.0) as u32
}
