//! Reads the columns of a reply's text back into words and numbers.

/// The columns of a line: at least two spaces stand between them.
pub fn columns(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line.trim_start_matches(' ');
    std::iter::from_fn(move || {
        let end = rest.as_bytes().windows(2).position(|pair| pair == b"  ").unwrap_or(rest.len());
        let (cell, behind) = rest.split_at(end);
        rest = behind.trim_start_matches(' ');
        let cell = cell.trim_end_matches(' ');
        (!cell.is_empty()).then_some(cell)
    })
}

/// The number at the beginning of a cell such as `12.3ms`; none for `no data`.
pub fn number(cell: &str) -> Option<f64> {
    let end = cell.bytes().position(|b| !(b.is_ascii_digit() || b == b'.' || b == b'-')).unwrap_or(cell.len());
    decimal(&cell.as_bytes()[..end])
}

/// A share such as `1.25%`, from 0 to 1.
pub fn share(cell: &str) -> Option<f64> {
    number(cell).map(|percent| percent / 100.0)
}

/// Plain decimals by hand: a reply has dozens, and the general parser costs five times as much.
fn decimal(text: &[u8]) -> Option<f64> {
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1.0, rest),
        all => (1.0, all),
    };
    let (mut value, mut scale, mut behind, mut any) = (0.0, 1.0, false, false);
    for byte in digits {
        match byte {
            b'.' if !behind => behind = true,
            b'0'..=b'9' => {
                value = value * 10.0 + f64::from(byte - b'0');
                scale *= if behind { 10.0 } else { 1.0 };
                any = true;
            }
            _ => return None,
        }
    }
    any.then(|| sign * value / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_read_as_they_were_written() {
        let check = |cell: &str, expect: Option<f64>| assert_eq!(number(cell), expect, "{cell}");
        check("12.3ms", Some(12.3));
        check("0.0049", Some(0.0049));
        check("86400/min", Some(86_400.0));
        check("-12.3", Some(-12.3));
        check("no data", None);
        check("", None);
        check("1.2.3", None);
        assert_eq!(share("1.25%"), Some(0.0125));
        let cells: Vec<&str> = columns("p95_latency_ms  no data     140ms       86.2ms").collect();
        assert_eq!(cells, ["p95_latency_ms", "no data", "140ms", "86.2ms"]);
    }
}
