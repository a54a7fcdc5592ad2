//! Functions of text.

use regex_lite::Regex;

use super::Unknowns::Deep;
use super::{EvalHost, Function, Gives, MANY, items, text, whole};
use crate::datum::Constraint;
use crate::datum::{Datum, number_text};

pub(super) const TABLE: &[Function] = &[
    Function("lower", 1, 1, Deep, Gives::Text, |a, _| Ok(Datum::Text(text(&a[0])?.to_lowercase()))),
    Function("upper", 1, 1, Deep, Gives::Text, |a, _| Ok(Datum::Text(text(&a[0])?.to_uppercase()))),
    Function("title", 1, 1, Deep, Gives::Text, |a, _| Ok(Datum::Text(title(&text(&a[0])?)))),
    Function("trimspace", 1, 1, Deep, Gives::Text, |a, _| Ok(Datum::text(text(&a[0])?.trim()))),
    Function("chomp", 1, 1, Deep, Gives::Text, |a, _| Ok(Datum::text(text(&a[0])?.trim_end_matches(['\r', '\n'])))),
    Function("strrev", 1, 1, Deep, Gives::Text, |a, _| Ok(Datum::Text(text(&a[0])?.chars().rev().collect()))),
    Function("trim", 2, 2, Deep, Gives::Text, |a, _| {
        let (of, set) = (text(&a[0])?, text(&a[1])?);
        Ok(Datum::text(of.trim_matches(|c| set.contains(c))))
    }),
    Function("trimprefix", 2, 2, Deep, Gives::Text, |a, _| {
        let (of, edge) = (text(&a[0])?, text(&a[1])?);
        Ok(Datum::text(of.strip_prefix(edge.as_str()).unwrap_or(&of)))
    }),
    Function("trimsuffix", 2, 2, Deep, Gives::Text, |a, _| {
        let (of, edge) = (text(&a[0])?, text(&a[1])?);
        Ok(Datum::text(of.strip_suffix(edge.as_str()).unwrap_or(&of)))
    }),
    Function("startswith", 2, 2, Deep, Gives::Bool, |a, _| Ok(Datum::Bool(text(&a[0])?.starts_with(&text(&a[1])?)))),
    Function("endswith", 2, 2, Deep, Gives::Bool, |a, _| Ok(Datum::Bool(text(&a[0])?.ends_with(&text(&a[1])?)))),
    Function("strcontains", 2, 2, Deep, Gives::Bool, |a, _| Ok(Datum::Bool(text(&a[0])?.contains(&text(&a[1])?)))),
    Function("join", 2, MANY, Deep, Gives::Text, join),
    Function("split", 2, 2, Deep, Gives::List, |a, _| {
        let (by, of) = (text(&a[0])?, text(&a[1])?);
        if by.is_empty() {
            return Ok(Datum::texts(of.chars().map(String::from)));
        }
        Ok(Datum::texts(of.split(by.as_str())))
    }),
    Function("replace", 3, 3, Deep, Gives::Text, replace),
    Function("substr", 3, 3, Deep, Gives::Text, substr),
    Function("indent", 2, 2, Deep, Gives::Text, |a, _| {
        let spaces =
            usize::try_from(whole(&a[0])?).ok().filter(|n| *n <= 1000).ok_or("0 to 1000 spaces are possible")?;
        Ok(Datum::Text(text(&a[1])?.replace('\n', &format!("\n{}", " ".repeat(spaces)))))
    }),
    Function("format", 1, MANY, Deep, Gives::Text, |a, _| Ok(Datum::Text(format(&text(&a[0])?, &a[1..])?))),
    Function("formatlist", 1, MANY, Deep, Gives::List, format_list),
    Function("regex", 2, 2, Deep, Gives::Any, |a, _| {
        let (pattern, of) = (regex(&text(&a[0])?)?, text(&a[1])?);
        let found = pattern.captures(&of).ok_or("pattern did not match any part of the given string")?;
        Ok(captured(&pattern, &found))
    }),
    Function("regexall", 2, 2, Deep, Gives::List, |a, _| {
        let (pattern, of) = (regex(&text(&a[0])?)?, text(&a[1])?);
        Ok(Datum::List(pattern.captures_iter(&of).map(|found| captured(&pattern, &found)).collect()))
    }),
];

fn title(of: &str) -> String {
    let mut made = String::with_capacity(of.len());
    let mut start = true;
    for c in of.chars() {
        if start {
            made.extend(c.to_uppercase())
        } else {
            made.push(c)
        }
        start = !(c.is_alphanumeric() || c == '_' || c == '\'');
    }
    made
}

fn join(args: &[Datum], _: &EvalHost) -> Result<Datum, String> {
    let by = text(&args[0])?;
    let mut parts = Vec::new();
    for list in &args[1..] {
        for item in items(list)? {
            parts.push(text(item)?);
        }
    }
    Ok(Datum::Text(parts.join(&by)))
}

fn replace(args: &[Datum], _: &EvalHost) -> Result<Datum, String> {
    let (of, what, with) = (text(&args[0])?, text(&args[1])?, text(&args[2])?);
    let pattern = what.strip_prefix('/').and_then(|w| w.strip_suffix('/'));
    let grows = what.is_empty() || with.len() > what.len();
    if grows && (of.len() + 1).saturating_mul(with.len() + 1) > 1 << 20 {
        return Err("the result is too large".to_owned());
    }
    match pattern {
        Some(pattern) => Ok(Datum::Text(regex(pattern)?.replace_all(&of, with.as_str()).into_owned())),
        None => Ok(Datum::Text(of.replace(&what, &with))),
    }
}

fn substr(args: &[Datum], _: &EvalHost) -> Result<Datum, String> {
    let of: Vec<char> = text(&args[0])?.chars().collect();
    let (offset, length) = (whole(&args[1])?, whole(&args[2])?);
    let size = i64::try_from(of.len()).unwrap_or(i64::MAX);
    let start = if offset < 0 { (size + offset).max(0) } else { offset.min(size) };
    let end = if length < 0 { size } else { (start + length.min(size)).min(size) };
    let range = usize::try_from(start).unwrap_or(0)..usize::try_from(end).unwrap_or(0);
    Ok(Datum::Text(of.get(range).unwrap_or_default().iter().collect()))
}

/// Compiles a pattern; large ones are refused.
fn regex(pattern: &str) -> Result<Regex, String> {
    if pattern.len() > 4096 {
        return Err("the pattern is too long".to_owned());
    }
    regex_lite::RegexBuilder::new(pattern)
        .size_limit(1 << 18)
        .build()
        .map_err(|e| format!("invalid regexp pattern: {e}"))
}

/// What a match gives: the text, the list of groups, or the map of named groups.
fn captured(pattern: &Regex, found: &regex_lite::Captures) -> Datum {
    let group = |i: usize| found.get(i).map_or(Datum::Null, |m| Datum::text(m.as_str()));
    let names: Vec<Option<&str>> = pattern.capture_names().collect();
    if names.len() == 1 {
        return group(0);
    }
    if names.iter().any(Option::is_some) {
        return Datum::map(names.iter().enumerate().filter_map(|(i, name)| Some(((*name)?.to_owned(), group(i)))));
    }
    Datum::List((1..names.len()).map(group).collect())
}

fn format_list(args: &[Datum], _: &EvalHost) -> Result<Datum, String> {
    let pattern = text(&args[0])?;
    let lengths = args[1..].iter().filter_map(|a| a.as_items().map(<[Datum]>::len));
    let Some(longest) = lengths.clone().max() else {
        return Ok(Datum::List(vec![Datum::Text(format(&pattern, &args[1..])?)]));
    };
    if lengths.clone().any(|l| l != longest) {
        return Err("the lists have different lengths".to_owned());
    }
    let row = |i: usize| -> Result<Datum, String> {
        let row: Vec<Datum> =
            args[1..].iter().map(|a| a.as_items().map_or_else(|| a.clone(), |l| l[i].clone())).collect();
        Ok(Datum::Text(format(&pattern, &row)?))
    };
    Ok(Datum::List((0..longest).map(row).collect::<Result<_, _>>()?))
}

/// `format` with the verbs of Go that Terraform has.
pub(super) fn format(pattern: &str, args: &[Datum]) -> Result<String, String> {
    let mut made = String::new();
    let mut chars = pattern.chars().peekable();
    let mut next = 0;
    while let Some(c) = chars.next() {
        if c != '%' {
            made.push(c);
            continue;
        }
        let mut spec = Verb::default();
        loop {
            let c = chars.next().ok_or("unterminated format verb")?;
            match c {
                '%' => {
                    made.push('%');
                    break;
                }
                '-' => spec.left = true,
                '+' => spec.plus = true,
                ' ' | '#' => {}
                '0' if spec.width.is_none() && spec.precision.is_none() => spec.zero = true,
                '0'..='9' => spec.digit(c)?,
                '.' => spec.precision = Some(0),
                '[' => {
                    let index: String = chars.by_ref().take_while(|c| *c != ']').collect();
                    next = index.parse::<usize>().ok().filter(|i| *i > 0).ok_or("invalid argument index")? - 1;
                }
                verb => {
                    let value = args.get(next).ok_or_else(|| format!("not enough arguments for %{verb}"))?;
                    next += 1;
                    made.push_str(&spec.apply(verb, value)?);
                    break;
                }
            }
        }
    }
    if next < args.len() && !pattern.contains("%[") {
        return Err(format!("too many arguments; only {next} used by format string"));
    }
    Ok(made)
}

#[derive(Default)]
struct Verb {
    left: bool,
    plus: bool,
    zero: bool,
    width: Option<usize>,
    precision: Option<usize>,
}

impl Verb {
    fn digit(&mut self, c: char) -> Result<(), String> {
        let slot = if self.precision.is_some() { &mut self.precision } else { &mut self.width };
        let value = slot.unwrap_or(0) * 10 + c.to_digit(10).map_or(0, |d| d as usize);
        if value > 1000 {
            return Err("widths go up to 1000".to_owned());
        }
        *slot = Some(value);
        Ok(())
    }

    #[allow(clippy::cast_possible_truncation)]
    fn apply(&self, verb: char, value: &Datum) -> Result<String, String> {
        let number = || super::number(value);
        let body = match verb {
            's' => match self.precision {
                Some(p) => text(value)?.chars().take(p).collect(),
                None => text(value)?,
            },
            'q' => format!("{:?}", text(value)?),
            'v' => match value {
                Datum::Null => "null".to_owned(),
                Datum::List(_) | Datum::Set(_) | Datum::Map(_) => super::json_text(value),
                _ => text(value)?,
            },
            't' => match Constraint::Bool.convert(value.clone()) {
                Ok(Datum::Bool(b)) => b.to_string(),
                _ => return Err("unsupported value for %t: a bool is required".to_owned()),
            },
            'd' => number_text(number()?.trunc()),
            'b' => format!("{:b}", number()? as i64),
            'o' => format!("{:o}", number()? as i64),
            'x' => format!("{:x}", number()? as i64),
            'X' => format!("{:X}", number()? as i64),
            'f' | 'F' => format!("{:.*}", self.precision.unwrap_or(6), number()?),
            'e' => format!("{:e}", number()?),
            'g' => number_text(number()?),
            other => return Err(format!("unsupported format verb {other:?}")),
        };
        let body =
            if self.plus && matches!(verb, 'd' | 'f') && !body.starts_with('-') { format!("+{body}") } else { body };
        let missing = self.width.unwrap_or(0).saturating_sub(body.chars().count());
        Ok(match (self.left, self.zero && !matches!(verb, 's' | 'v' | 'q' | 't')) {
            (true, _) => body + &" ".repeat(missing),
            (false, true) => match body.strip_prefix('-') {
                Some(digits) => format!("-{}{digits}", "0".repeat(missing)),
                None => "0".repeat(missing) + &body,
            },
            (false, false) => " ".repeat(missing) + &body,
        })
    }
}
