//! Names, ids and jitter drawn from the seed: a draw is a pure function of (seed, purpose, number).

/// Where everything random in a cluster comes from.
/// A draw has an address, so one more draw in one place moves nothing elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance {
    seed: u64,
}

/// The letters of generated names: no vowels, so no words.
const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

impl Chance {
    /// Draws from this seed.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// 64 bits for a purpose and a number.
    pub fn bits(self, purpose: &str, number: u64) -> u64 {
        mix(mix(self.seed ^ fnv(purpose.as_bytes())) ^ number)
    }

    /// A whole number below the bound.
    pub fn below(self, bound: u64, purpose: &str, number: u64) -> u64 {
        assert!(bound > 0, "a bound of zero leaves nothing to draw");
        self.bits(purpose, number) % bound
    }

    /// Letters for a generated name.
    pub fn letters(self, count: usize, purpose: &str, number: u64) -> String {
        let mut bits = self.bits(purpose, number);
        let mut letters = String::with_capacity(count);
        for _ in 0..count {
            letters.push(char::from(LETTERS[(bits % LETTERS.len() as u64) as usize]));
            bits = mix(bits);
        }
        letters
    }

    /// A UUID of version 4.
    pub fn uid(self, number: u64) -> String {
        let (a, b) = (self.bits("uid/high", number), self.bits("uid/low", number));
        let (a, b) = (a & !0xf000 | 0x4000, b & !(0b11 << 62) | 0b10 << 62);
        format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            a >> 32,
            a >> 16 & 0xffff,
            a & 0xffff,
            b >> 48,
            b & ((1 << 48) - 1)
        )
    }

    /// Hexadecimal digits, as ids of containers and images are written.
    pub fn hex(self, digits: usize, purpose: &str, number: u64) -> String {
        let mut text = String::new();
        let mut bits = self.bits(purpose, number);
        while text.len() < digits {
            text.push_str(&format!("{bits:016x}"));
            bits = mix(bits);
        }
        text.truncate(digits);
        text
    }
}

/// FNV-1a over 64 bits: the address of a text.
pub fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// FNV-1a over 32 bits, which names template hashes.
pub fn fnv32(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// A number written with letters that make no words: the suffix of ReplicaSets and revisions.
pub fn safe_letters(number: u32) -> String {
    number.to_string().bytes().map(|digit| char::from(b"456789bcdf"[usize::from(digit - b'0')])).collect()
}

/// The finalizer of SplitMix64.
pub(crate) fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_an_address() {
        let chance = Chance::new(7);
        assert_eq!(chance.uid(1), Chance::new(7).uid(1));
        assert_ne!(chance.uid(1), chance.uid(2));
        assert_ne!(chance.uid(1), Chance::new(8).uid(1));
        assert_eq!(chance.uid(3).len(), 36);
        assert_eq!(&chance.uid(3)[14..15], "4");
        assert_eq!(chance.letters(5, "name", 0).len(), 5);
        assert_eq!(chance.hex(64, "container", 0).len(), 64);
    }
}
