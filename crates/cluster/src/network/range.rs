//! Ranges of addresses such as `10.0.0.0/8`.

use std::fmt;

/// A range of addresses: the first one, and how many bits all of them share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddressRange {
    pub(crate) base: u32,
    bits: u32,
}

impl AddressRange {
    /// Reads a range; a single address is a range of one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (base, bits) = text.split_once('/').unwrap_or((text, "32"));
        let bits: u32 = bits.parse().ok().filter(|bits| *bits <= 32)?;
        let mask = if bits == 0 { 0 } else { u32::MAX << (32 - bits) };
        Some(Self { base: number(base)? & mask, bits })
    }

    /// Whether an address lies in it.
    pub(crate) fn has(self, address: &str) -> bool {
        let Some(address) = number(address) else { return false };
        self.bits == 0 || (address ^ self.base) >> (32 - self.bits) == 0
    }

    /// How many addresses it has; at most what a number of 32 bits can say.
    pub(crate) fn size(self) -> u32 {
        1u32.checked_shl(32 - self.bits).unwrap_or(u32::MAX)
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", shown(self.base), self.bits)
    }
}

/// An address as people write it.
pub(crate) fn shown(address: u32) -> String {
    let [a, b, c, d] = address.to_be_bytes();
    format!("{a}.{b}.{c}.{d}")
}

fn number(text: &str) -> Option<u32> {
    let parts: Vec<u8> = text.split('.').map(str::parse).collect::<Result<_, _>>().ok()?;
    let four: [u8; 4] = parts.try_into().ok()?;
    Some(u32::from_be_bytes(four))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lie_in_ranges() {
        let check = |address: &str, range: &str, expect: bool| {
            assert_eq!(AddressRange::parse(range).is_some_and(|range| range.has(address)), expect, "{address} {range}");
        };
        check("10.244.1.5", "10.0.0.0/8", true);
        check("11.0.0.1", "10.0.0.0/8", false);
        check("10.1.2.3", "0.0.0.0/0", true);
        check("10.1.2.3", "10.1.2.3/32", true);
        check("10.1.2.3", "nonsense", false);
        check("x", "10.0.0.0/8", false);
        assert_eq!(AddressRange::parse("10.244.3.77/26").map(|range| range.to_string()), Some("10.244.3.64/26".into()));
        assert_eq!(AddressRange::parse("10.244.3.64/26").map(AddressRange::size), Some(64));
    }
}
