//! Quantities such as `250m`, `64Mi` and `1.5`: read exactly, compared exactly, written as the real server writes them.

/// An amount in billionths, and the family of suffixes that it was written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    nano: i128,
    family: Family,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Decimal,
    Binary,
    Exponent,
}

const UNIT: i128 = 1_000_000_000;
const DECIMAL: [(&str, i128); 10] = [
    ("E", UNIT * 1_000_000_000_000_000_000),
    ("P", UNIT * 1_000_000_000_000_000),
    ("T", UNIT * 1_000_000_000_000),
    ("G", UNIT * 1_000_000_000),
    ("M", UNIT * 1_000_000),
    ("k", UNIT * 1000),
    ("", UNIT),
    ("m", UNIT / 1000),
    ("u", UNIT / 1_000_000),
    ("n", 1),
];
const BINARY: [(&str, i128); 7] = [
    ("Ei", UNIT << 60),
    ("Pi", UNIT << 50),
    ("Ti", UNIT << 40),
    ("Gi", UNIT << 30),
    ("Mi", UNIT << 20),
    ("Ki", UNIT << 10),
    ("", UNIT),
];

/// What a text must look like, as the real server says it.
pub const RULE: &str = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

impl Quantity {
    /// Nothing.
    pub const ZERO: Self = Self { nano: 0, family: Family::Decimal };

    /// Reads a quantity; nothing if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '+' | '-'))).unwrap_or(text.len());
        let (number, suffix) = text.split_at(end);
        if let Some((_, unit)) = BINARY[..6].iter().find(|(name, _)| *name == suffix) {
            return Some(Self { nano: scaled(number, *unit)?, family: Family::Binary });
        }
        if let Some((_, unit)) = DECIMAL.iter().find(|(name, _)| *name == suffix) {
            return Some(Self { nano: scaled(number, *unit)?, family: Family::Decimal });
        }
        let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
        let unit = if (-9..=18).contains(&exponent) { 10i128.pow((exponent + 9) as u32) } else { return None };
        Some(Self { nano: scaled(number, unit)?, family: Family::Exponent })
    }

    /// Thousandths, rounded up: how cpu is counted.
    pub fn milli(self) -> i64 {
        clamp(div_up(self.nano, UNIT / 1000))
    }

    /// Whole units, rounded up: how memory and counts are counted.
    pub fn whole(self) -> i64 {
        clamp(div_up(self.nano, UNIT))
    }

    /// So many thousandths.
    pub fn from_milli(milli: i64) -> Self {
        Self { nano: i128::from(milli) * (UNIT / 1000), family: Family::Decimal }
    }

    /// So many units, written with binary suffixes.
    pub fn from_bytes(bytes: i64) -> Self {
        Self { nano: i128::from(bytes) * UNIT, family: Family::Binary }
    }

    /// Whether it is less than nothing.
    pub fn is_negative(self) -> bool {
        self.nano < 0
    }

    /// The sum, in the family of the first that is not nothing.
    pub fn plus(self, other: Self) -> Self {
        let family = if self.nano == 0 { other.family } else { self.family };
        Self { nano: self.nano.saturating_add(other.nano), family }
    }

    /// The difference.
    pub fn minus(self, other: Self) -> Self {
        Self { nano: self.nano.saturating_sub(other.nano), ..self }
    }

    /// Its amount, to be compared.
    pub fn amount(self) -> i128 {
        self.nano
    }

    /// The canonical text: the largest suffix that leaves a whole number.
    pub fn text(self) -> String {
        if self.nano == 0 {
            return "0".into();
        }
        let whole = |units: &[(&str, i128)]| {
            units
                .iter()
                .find(|(_, unit)| self.nano % unit == 0)
                .map(|(name, unit)| format!("{}{name}", self.nano / unit))
        };
        match self.family {
            Family::Binary if self.nano.abs() >= UNIT << 10 || self.nano % UNIT == 0 => whole(&BINARY),
            Family::Exponent => exponent(self.nano),
            _ => None,
        }
        .or_else(|| whole(&DECIMAL))
        .unwrap_or_else(|| self.nano.to_string())
    }
}

/// Reads and rewrites a quantity in canonical form.
pub fn canonical(text: &str) -> Option<String> {
    Quantity::parse(text).map(Quantity::text)
}

fn exponent(nano: i128) -> Option<String> {
    let power = (0..=6).rev().find(|p| nano % (UNIT * 10i128.pow(p * 3)) == 0)?;
    let number = nano / (UNIT * 10i128.pow(power * 3));
    Some(if power == 0 { number.to_string() } else { format!("{number}e{}", power * 3) })
}

/// A decimal number times a unit, rounded up to a billionth; nothing if it is no number or too large.
fn scaled(number: &str, unit: i128) -> Option<i128> {
    let (sign, digits) = match number.strip_prefix(['+', '-']) {
        Some(rest) => (if number.starts_with('-') { -1 } else { 1 }, rest),
        None => (1, number),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if (whole.is_empty() && fraction.is_empty()) || whole.len() > 19 || fraction.len() > 18 {
        return None;
    }
    let read = |digits: &str| if digits.is_empty() { Some(0) } else { digits.parse::<u64>().ok().map(i128::from) };
    let scale = 10i128.pow(fraction.len() as u32);
    let whole = read(whole)?.checked_mul(unit)?;
    let part = div_up(read(fraction)?.checked_mul(unit)?, scale);
    whole.checked_add(part)?.checked_mul(sign)
}

fn div_up(value: i128, by: i128) -> i128 {
    value.div_euclid(by) + i128::from(value.rem_euclid(by) != 0)
}

fn clamp(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_canonical() {
        let check = |text: &str, expect: Option<&str>| assert_eq!(canonical(text).as_deref(), expect, "{text}");
        check("1000m", Some("1"));
        check("0.5", Some("500m"));
        check("1.5Gi", Some("1536Mi"));
        check("1024Mi", Some("1Gi"));
        check("128Mi", Some("128Mi"));
        check("1500", Some("1500"));
        check("2000", Some("2k"));
        check("1e3", Some("1e3"));
        check("0", Some("0"));
        check("-5", Some("-5"));
        check("16374Mi", Some("16374Mi"));
        check("abc", None);
        check("1X", None);
        check("", None);
        check("1..2", None);
        check("99999999999999999999999", None);
    }

    #[test]
    fn amounts_round_up() {
        let quantity = |text| Quantity::parse(text).expect("a quantity");
        assert_eq!(quantity("1.0005").milli(), 1001);
        assert_eq!(quantity("100m").whole(), 1);
        assert_eq!(quantity("64Mi").whole(), 64 << 20);
    }
}
