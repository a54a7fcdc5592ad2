//! Address ranges.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::Unknowns::Deep;
use super::{EvalHost, Function, Gives, MANY, text, whole};
use crate::datum::Datum;

pub(super) const TABLE: &[Function] = &[
    Function("cidrhost", 2, 2, Deep, Gives::Text, |a, _| {
        let range = Cidr::parse_loose(&text(&a[0])?)?;
        let host = whole(&a[1])?;
        let size = range.size();
        let offset = if host < 0 {
            size.map(|s| s.wrapping_sub(u128::from(host.unsigned_abs())))
        } else {
            Some(u128::from(host.unsigned_abs()))
        };
        let inside = offset.filter(|o| size.is_none_or(|s| *o < s));
        let offset =
            inside.ok_or_else(|| format!("prefix of {} does not accommodate a host numbered {host}", range.prefix))?;
        Ok(Datum::Text(range.at(offset).to_string()))
    }),
    Function("cidrnetmask", 1, 1, Deep, Gives::Text, |a, _| {
        let range = Cidr::parse_loose(&text(&a[0])?)?;
        if range.is_v6 {
            return Err("IPv6 addresses cannot have a netmask".to_owned());
        }
        Ok(Datum::Text(Ipv4Addr::from(u32::MAX.checked_shl(32 - u32::from(range.prefix)).unwrap_or(0)).to_string()))
    }),
    Function("cidrsubnet", 3, 3, Deep, Gives::Text, |a, _| {
        let range = Cidr::parse_loose(&text(&a[0])?)?;
        Ok(Datum::Text(range.subnet(whole(&a[1])?, whole(&a[2])?)?.to_string()))
    }),
    Function("cidrsubnets", 1, MANY, Deep, Gives::List, subnets),
];

/// A range of addresses, such as `10.0.0.0/16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cidr {
    base: u128,
    prefix: u8,
    is_v6: bool,
}

impl Cidr {
    /// Reads a range whose host bits are zero.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (range, exact) = Self::read(text)?;
        if exact { Ok(range) } else { Err(format!("{text:?} is not the first address of its range; {range} is")) }
    }

    /// Reads a range and clears its host bits.
    pub fn parse_loose(text: &str) -> Result<Self, String> {
        Self::read(text).map(|(range, _)| range)
    }

    fn read(text: &str) -> Result<(Self, bool), String> {
        let bad = || format!("invalid CIDR expression: {text:?} is no CIDR address");
        let (address, prefix) = text.split_once('/').ok_or_else(bad)?;
        if prefix.is_empty() || !prefix.bytes().all(|b| b.is_ascii_digit()) {
            return Err(bad());
        }
        let prefix: u8 = prefix.parse().map_err(|_| bad())?;
        let address: IpAddr = address.parse().map_err(|_| bad())?;
        let (raw, is_v6) = bits(address);
        let width = if is_v6 { 128 } else { 32 };
        if prefix > width {
            return Err(bad());
        }
        let mask = ones(width) & !ones(width - prefix);
        Ok((Self { base: raw & mask, prefix, is_v6 }, raw & !mask == 0))
    }

    fn width(self) -> u8 {
        if self.is_v6 { 128 } else { 32 }
    }

    /// The number of addresses; nothing for the whole of IPv6.
    pub fn size(self) -> Option<u128> {
        1u128.checked_shl(u32::from(self.width() - self.prefix))
    }

    /// The length of the prefix.
    pub fn prefix(self) -> u8 {
        self.prefix
    }

    /// Whether it is a range of IPv6.
    pub fn is_v6(self) -> bool {
        self.is_v6
    }

    fn last(self) -> u128 {
        self.base | ones(self.width() - self.prefix)
    }

    /// The address at an offset.
    pub fn at(self, offset: u128) -> IpAddr {
        address(self.base.wrapping_add(offset), self.is_v6)
    }

    /// Whether the other range lies within this one.
    pub fn contains(self, other: Cidr) -> bool {
        self.is_v6 == other.is_v6 && self.base <= other.base && other.last() <= self.last()
    }

    /// Whether the two share an address.
    pub fn overlaps(self, other: Cidr) -> bool {
        self.is_v6 == other.is_v6 && self.base <= other.last() && other.base <= self.last()
    }

    fn subnet(self, bits: i64, number: i64) -> Result<Cidr, String> {
        let prefix = i64::from(self.prefix) + bits;
        let prefix = u8::try_from(prefix).ok().filter(|p| bits >= 0 && *p <= self.width());
        let prefix = prefix
            .ok_or_else(|| format!("insufficient address space to extend prefix of {} by {bits}", self.prefix))?;
        let number = u128::try_from(number).map_err(|_| "the number must not be negative".to_owned())?;
        if number > ones(prefix - self.prefix) {
            return Err(format!("prefix extension of {bits} does not accommodate a subnet numbered {number}"));
        }
        let step = number.checked_shl(u32::from(self.width() - prefix)).unwrap_or(0);
        Ok(Cidr { base: self.base | step, prefix, is_v6: self.is_v6 })
    }
}

impl std::fmt::Display for Cidr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", address(self.base, self.is_v6), self.prefix)
    }
}

/// Whether a range, as text, holds an address or a whole range, as text.
pub fn contains_address(range: &str, inner: &str) -> bool {
    let inner = if inner.contains('/') {
        inner.to_owned()
    } else {
        format!("{inner}/{}", if inner.contains(':') { 128 } else { 32 })
    };
    matches!((Cidr::parse_loose(range), Cidr::parse_loose(&inner)), (Ok(range), Ok(inner)) if range.contains(inner))
}

fn ones(count: u8) -> u128 {
    1u128.checked_shl(u32::from(count)).map_or(u128::MAX, |v| v - 1)
}

fn bits(address: IpAddr) -> (u128, bool) {
    match address {
        IpAddr::V4(v4) => (u128::from(u32::from(v4)), false),
        IpAddr::V6(v6) => (u128::from(v6), true),
    }
}

fn address(bits: u128, is_v6: bool) -> IpAddr {
    if is_v6 {
        Ipv6Addr::from(bits).into()
    } else {
        Ipv4Addr::from(u32::try_from(bits & ones(32)).expect("32 bits are left")).into()
    }
}

/// Consecutive subnets, each as large as asked for, none across a border of its own size.
fn subnets(args: &[Datum], _: &EvalHost) -> Result<Datum, String> {
    let range = Cidr::parse_loose(&text(&args[0])?)?;
    let mut next = range.base;
    let mut made = Vec::new();
    for bits in &args[1..] {
        let first = range.subnet(whole(bits)?, 0)?;
        if first.prefix == range.prefix && !made.is_empty() {
            return Err("not enough remaining address space".to_owned());
        }
        let mask = ones(first.width() - first.prefix);
        let base = next.checked_add(mask).map(|n| n & !mask).filter(|b| *b <= range.last());
        let base = base.ok_or("not enough remaining address space")?;
        let subnet = Cidr { base, ..first };
        next = subnet.last().saturating_add(1);
        made.push(Datum::Text(subnet.to_string()));
    }
    Ok(Datum::List(made))
}
