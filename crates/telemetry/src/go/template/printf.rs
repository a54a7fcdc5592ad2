//! Go's `fmt.Sprintf` for the verbs that templates use.

use super::TemplateValue;
use crate::go::number::{exponent, general};

/// A format with its arguments filled in.
pub(crate) fn sprintf(format: &str, args: &[TemplateValue]) -> String {
    let mut out = String::new();
    let mut chars = format.chars().peekable();
    let mut args = args.iter();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut flags = Flags::default();
        while let Some(flag) = chars.next_if(|c| matches!(c, '-' | '+' | '0' | ' ' | '#')) {
            match flag {
                '-' => flags.left = true,
                '+' => flags.plus = true,
                '0' => flags.zero = true,
                _ => {}
            }
        }
        let number = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>| {
            let mut value = None;
            while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                value = Some((value.unwrap_or(0) * 10 + digit.to_digit(10).unwrap_or(0) as usize).min(1000));
            }
            value
        };
        flags.width = number(&mut chars).unwrap_or(0);
        if chars.next_if_eq(&'.').is_some() {
            flags.precision = Some(number(&mut chars).unwrap_or(0));
        }
        match chars.next() {
            None => out.push_str("%!(NOVERB)"),
            Some('%') => out.push('%'),
            Some(verb) => match args.next() {
                None => out.push_str(&format!("%!{verb}(MISSING)")),
                Some(arg) => out.push_str(&flags.padded(verbed(verb, arg, &flags))),
            },
        }
    }
    let rest: Vec<String> = args.map(|a| format!("{}={}", kind(a), a.shown())).collect();
    if !rest.is_empty() {
        out.push_str(&format!("%!(EXTRA {})", rest.join(", ")));
    }
    out
}

#[derive(Default)]
struct Flags {
    left: bool,
    plus: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

impl Flags {
    fn padded(&self, text: String) -> String {
        let missing = self.width.saturating_sub(text.chars().count());
        if missing == 0 {
            return text;
        }
        if self.left {
            return text + &" ".repeat(missing);
        }
        if self.zero {
            let (sign, digits) = text.split_at(usize::from(text.starts_with(['-', '+'])));
            return format!("{sign}{}{digits}", "0".repeat(missing));
        }
        " ".repeat(missing) + &text
    }
}

fn verbed(verb: char, arg: &TemplateValue, flags: &Flags) -> String {
    let bad = || format!("%!{verb}({}={})", kind(arg), arg.shown());
    let signed = |text: String| if flags.plus && !text.starts_with('-') { format!("+{text}") } else { text };
    match (verb, arg) {
        ('v', TemplateValue::Float(value)) if flags.precision.is_some() => precise(*value, flags.precision),
        ('v', value) => value.shown(),
        ('s', TemplateValue::Text(text)) => match flags.precision {
            Some(most) => text.chars().take(most).collect(),
            None => text.clone(),
        },
        ('s', TemplateValue::Int(_) | TemplateValue::Float(_) | TemplateValue::Bool(_)) => bad(),
        ('s', value) => value.shown(),
        ('q', value) => crate::go::quote(&value.shown()),
        ('d', TemplateValue::Int(value)) => signed(value.to_string()),
        ('x', TemplateValue::Int(value)) => format!("{value:x}"),
        ('X', TemplateValue::Int(value)) => format!("{value:X}"),
        ('o', TemplateValue::Int(value)) => format!("{value:o}"),
        ('b', TemplateValue::Int(value)) => format!("{value:b}"),
        ('c', TemplateValue::Int(value)) => {
            u32::try_from(*value).ok().and_then(char::from_u32).map_or_else(bad, String::from)
        }
        ('x', TemplateValue::Text(text)) => text.bytes().map(|b| format!("{b:02x}")).collect(),
        ('t', TemplateValue::Bool(value)) => value.to_string(),
        ('f' | 'F', TemplateValue::Float(value)) => signed(fixed(*value, flags.precision.unwrap_or(6))),
        ('e', TemplateValue::Float(value)) => {
            let digits = flags.precision.unwrap_or(6);
            signed(exponent_with(*value, digits))
        }
        ('g', TemplateValue::Float(value)) => signed(match flags.precision {
            None => general(*value),
            precision => precise(*value, precision),
        }),
        _ => bad(),
    }
}

fn fixed(value: f64, digits: usize) -> String {
    if value.is_finite() { format!("{value:.digits$}") } else { general(value) }
}

fn exponent_with(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return general(value);
    }
    let text = format!("{value:.digits$e}");
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, power) = power.strip_prefix('-').map_or(('+', power), |p| ('-', p));
    format!("{mantissa}e{sign}{power:0>2}")
}

/// `%.4g`: significant digits, without zeros at the end.
fn precise(value: f64, digits: Option<usize>) -> String {
    let digits = digits.unwrap_or(6).max(1);
    if !value.is_finite() || value == 0.0 {
        return general(value);
    }
    let rounded: f64 = format!("{value:.*e}", digits - 1).parse().unwrap_or(value);
    let power = rounded.abs().log10_floor();
    if power < -4 || power >= digits as i32 {
        return exponent(rounded);
    }
    crate::go::format_float(rounded)
}

trait Log10Floor {
    fn log10_floor(self) -> i32;
}

impl Log10Floor for f64 {
    /// The exponent of its decimal form.
    fn log10_floor(self) -> i32 {
        format!("{self:e}").split_once('e').and_then(|(_, p)| p.parse().ok()).unwrap_or(0)
    }
}

fn kind(value: &TemplateValue) -> &'static str {
    match value {
        TemplateValue::Nil => "<nil>",
        TemplateValue::Bool(_) => "bool",
        TemplateValue::Int(_) => "int",
        TemplateValue::Float(_) => "float64",
        TemplateValue::Text(_) => "string",
        TemplateValue::List(_) => "[]interface {}",
        TemplateValue::Map(_) => "map[string]interface {}",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_as_go_formats() {
        use TemplateValue::{Float, Int};
        let text = TemplateValue::text;
        for (format, args, wanted) in [
            ("%s-%d", vec![text("a"), Int(3)], "a-3"),
            ("%.2f%%", vec![Float(12.345)], "12.35%"),
            ("%5d|%-5s|%05d", vec![Int(42), text("ab"), Int(-7)], "   42|ab   |-0007"),
            ("%.4g", vec![Float(1234567.0)], "1.235e+06"),
            ("%.4g", vec![Float(12.3456)], "12.35"),
            ("%d", vec![text("x")], "%!d(string=x)"),
            ("%s", vec![], "%!s(MISSING)"),
            ("%v %q", vec![Float(0.5), text("a\"b")], "0.5 \"a\\\"b\""),
        ] {
            assert_eq!(sprintf(format, &args), wanted);
        }
    }
}
