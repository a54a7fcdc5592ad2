//! Tools that pass text on: cat, head, tail, tee, tr, wc, and small ones.

use super::{ToolInput, done};
use crate::state::Output;

pub(super) fn cat(call: &mut ToolInput<'_>) -> Output {
    let options = match call.options("nAeEsTuv", &[("number", 'n')]) {
        Ok(options) => options,
        Err(output) => return output,
    };
    let (text, complaints) = call.joined(&options.rest);
    let text = if options.has('n') { numbered(&text) } else { text };
    done(text, complaints)
}

fn numbered(text: &str) -> String {
    text.lines().enumerate().map(|(at, line)| format!("{:>6}\t{line}\n", at + 1)).collect()
}

pub(super) fn nl(call: &mut ToolInput<'_>) -> Output {
    let (text, complaints) = call.joined(&call.words[1..]);
    done(numbered(&text), complaints)
}

/// How many lines or bytes: `-n 5`, `-5`, `-n -5`, `-n +5`, `-c 20`.
fn amount(call: &ToolInput<'_>) -> Result<(char, char, usize, super::Options), Output> {
    let mut options = call.options("n:c:qvf", &[("lines", 'n'), ("bytes", 'c'), ("quiet", 'q')])?;
    if let Some(at) = options.rest.iter().position(|w| w.len() > 1 && w.starts_with('-')) {
        let number = options.rest.remove(at);
        options.set.push(('n', number[1..].into()));
    }
    let (unit, text) = match (options.value('c'), options.value('n')) {
        (Some(bytes), _) => ('c', bytes),
        (None, Some(lines)) => ('n', lines),
        (None, None) => ('n', "10"),
    };
    let sign = text.chars().next().filter(|c| "+-".contains(*c)).unwrap_or(' ');
    let number = text.trim_start_matches(['+', '-']).parse::<usize>();
    let what = if unit == 'c' { "bytes" } else { "lines" };
    let name = call.name();
    let number = number.map_err(|_| Output::failed(1, format!("{name}: invalid number of {what}: ‘{text}’\n")))?;
    Ok((unit, sign, number, options))
}

pub(super) fn head(call: &mut ToolInput<'_>) -> Output {
    let (unit, sign, number, options) = match amount(call) {
        Ok(found) => found,
        Err(output) => return output,
    };
    each(call, &options, |text| {
        if unit == 'c' {
            let end = if sign == '-' { text.len().saturating_sub(number) } else { number.min(text.len()) };
            return at_boundary(text, end, true).to_string();
        }
        let count = text.split_inclusive('\n').count();
        let kept = if sign == '-' { count.saturating_sub(number) } else { number };
        text.split_inclusive('\n').take(kept).collect()
    })
}

pub(super) fn tail(call: &mut ToolInput<'_>) -> Output {
    let (unit, sign, number, options) = match amount(call) {
        Ok(found) => found,
        Err(output) => return output,
    };
    each(call, &options, |text| {
        if unit == 'c' {
            let start = if sign == '+' { number.saturating_sub(1) } else { text.len().saturating_sub(number) };
            return at_boundary(text, start.min(text.len()), false).to_string();
        }
        let count = text.split_inclusive('\n').count();
        let skipped = if sign == '+' { number.saturating_sub(1) } else { count.saturating_sub(number) };
        text.split_inclusive('\n').skip(skipped).collect()
    })
}

/// The text before or after a byte, moved to where a letter begins.
fn at_boundary(text: &str, mut at: usize, before: bool) -> &str {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    if before { &text[..at] } else { &text[at..] }
}

fn each(call: &mut ToolInput<'_>, options: &super::Options, cut: impl Fn(&str) -> String) -> Output {
    let (texts, complaints) = call.texts(&options.rest);
    let several = texts.len() > 1 && !options.has('q');
    let mut out = String::new();
    for (at, (path, text)) in texts.iter().enumerate() {
        if several {
            out.push_str(&format!("{}==> {path} <==\n", if at > 0 { "\n" } else { "" }));
        }
        out.push_str(&cut(text));
    }
    done(out, complaints)
}

pub(super) fn tac(call: &mut ToolInput<'_>) -> Output {
    let (text, complaints) = call.joined(&call.words[1..]);
    done(text.lines().rev().map(|line| format!("{line}\n")).collect(), complaints)
}

pub(super) fn rev(call: &mut ToolInput<'_>) -> Output {
    let (text, complaints) = call.joined(&call.words[1..]);
    done(text.lines().map(|line| line.chars().rev().chain(['\n']).collect::<String>()).collect(), complaints)
}

pub(super) fn wc(call: &mut ToolInput<'_>) -> Output {
    let long = [("lines", 'l'), ("words", 'w'), ("bytes", 'c'), ("chars", 'm')];
    let options = match call.options("lwcmL", &long) {
        Ok(options) => options,
        Err(output) => return output,
    };
    let (texts, complaints) = call.texts(&options.rest);
    let wanted: Vec<char> = match options.set.is_empty() {
        true => vec!['l', 'w', 'c'],
        false => ['l', 'w', 'm', 'c', 'L'].into_iter().filter(|letter| options.has(*letter)).collect(),
    };
    let count = |text: &str, letter: &char| match letter {
        'l' => text.matches('\n').count(),
        'w' => text.split_whitespace().count(),
        'm' => text.chars().count(),
        'L' => text.lines().map(|line| line.chars().count()).max().unwrap_or(0),
        _ => text.len(),
    };
    let row = |counts: &[usize], name: &str, width: usize| {
        let counts: Vec<_> = counts.iter().map(|count| format!("{count:>width$}")).collect();
        format!("{}{}{name}\n", counts.join(" "), if name.is_empty() { "" } else { " " })
    };
    let counted: Vec<(Vec<usize>, &str)> =
        texts.iter().map(|(path, text)| (wanted.iter().map(|l| count(text, l)).collect(), &**path)).collect();
    let mut total = vec![0; wanted.len()];
    counted.iter().for_each(|(counts, _)| counts.iter().zip(&mut total).for_each(|(count, sum)| *sum += count));
    let piped = options.rest.is_empty();
    let width = match (wanted.len(), piped) {
        (1, true) => 1,
        (_, true) => 7,
        _ => total.iter().map(|count| count.to_string().len()).max().unwrap_or(1),
    };
    let mut out: String = counted.iter().map(|(counts, name)| row(counts, name, width)).collect();
    if counted.len() > 1 {
        out.push_str(&row(&total, "total", width));
    }
    done(out, complaints)
}

pub(super) fn tee(call: &mut ToolInput<'_>) -> Output {
    let append = call.words.iter().any(|word| word == "-a");
    let mut complaints = String::new();
    for path in call.words[1..].iter().filter(|word| !word.starts_with('-') && *word != "/dev/null") {
        if let Err(why) = call.host.write_file(path, call.input, append) {
            complaints.push_str(&format!("tee: {path}: {why}\n"));
        }
    }
    done(call.input.into(), complaints)
}

pub(super) fn tr(call: &mut ToolInput<'_>) -> Output {
    let options = match call.options("dsc", &[("delete", 'd'), ("squeeze-repeats", 's'), ("complement", 'c')]) {
        Ok(options) => options,
        Err(output) => return output,
    };
    let sets: Vec<Vec<char>> = options.rest.iter().map(|set| letters(set)).collect();
    let Some(first) = sets.first() else { return Output::failed(1, "tr: missing operand\n") };
    let is_in = |c: char| first.contains(&c) != options.has('c');
    let second = sets.get(1);
    if second.is_none() && !options.has('d') && !options.has('s') {
        return Output::failed(1, format!("tr: missing operand after '{}'\n", options.rest[0]));
    }
    let squeezed = second.unwrap_or(first);
    let mut out = String::new();
    for c in call.input.chars() {
        let c = match second {
            _ if options.has('d') && is_in(c) => continue,
            Some(second) if !options.has('d') && is_in(c) => {
                let at = first.iter().position(|known| *known == c).unwrap_or(usize::MAX);
                second.get(at).or(second.last()).copied().unwrap_or(c)
            }
            _ => c,
        };
        let squeezes = options.has('s') && squeezed.contains(&c) != (options.has('c') && second.is_none());
        if !(squeezes && out.ends_with(c)) {
            out.push(c);
        }
    }
    Output::printed(out)
}

/// `a-z`, `[:upper:]`, `\n` as letters.
fn letters(set: &str) -> Vec<char> {
    let set = crate::text::unescape(set);
    type Keep = fn(&char) -> bool;
    let ascii = |keep: Keep| (0..128u8).map(char::from).filter(keep).collect::<Vec<_>>();
    let classes: [(&str, Keep); 6] = [
        ("[:upper:]", char::is_ascii_uppercase),
        ("[:lower:]", char::is_ascii_lowercase),
        ("[:digit:]", char::is_ascii_digit),
        ("[:alpha:]", char::is_ascii_alphabetic),
        ("[:alnum:]", char::is_ascii_alphanumeric),
        ("[:space:]", char::is_ascii_whitespace),
    ];
    let mut out = Vec::new();
    let mut rest = &*set;
    while let Some(c) = rest.chars().next() {
        if let Some((name, keep)) = classes.iter().find(|(name, _)| rest.starts_with(name)) {
            out.extend(ascii(*keep));
            rest = &rest[name.len()..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        let mut ahead = rest.chars();
        match (ahead.next(), ahead.next()) {
            (Some('-'), Some(last)) if last >= c && last as u32 - (c as u32) < 1000 => {
                out.extend(c..=last);
                rest = ahead.as_str();
            }
            _ => out.push(c),
        }
    }
    out
}

pub(super) fn seq(call: &mut ToolInput<'_>) -> Output {
    let numbers: Vec<i64> = call.words[1..].iter().filter_map(|word| word.parse().ok()).collect();
    let (first, step, last) = match *numbers {
        [last] => (1, 1, last),
        [first, last] => (first, 1, last),
        [first, step, last] if step != 0 => (first, step, last),
        _ => return Output::failed(1, "seq: missing operand\n"),
    };
    let mut out = String::new();
    let mut at = first;
    while (step > 0 && at <= last || step < 0 && at >= last) && out.len() < 1 << 20 {
        out.push_str(&format!("{at}\n"));
        at = at.saturating_add(step);
    }
    Output::printed(out)
}

pub(super) fn yes(_: &mut ToolInput<'_>) -> Output {
    Output::failed(1, "yes: not supported here: it never ends\n")
}

pub(super) fn basename(call: &mut ToolInput<'_>) -> Output {
    let path = call.words.get(1).map_or("", |path| path.trim_end_matches('/'));
    let name = path.rsplit('/').next().unwrap_or_default();
    let suffix = call.words.get(2).map_or("", |suffix| suffix);
    Output::printed(format!("{}\n", name.strip_suffix(suffix).filter(|name| !name.is_empty()).unwrap_or(name)))
}

pub(super) fn dirname(call: &mut ToolInput<'_>) -> Output {
    let path = call.words.get(1).map_or("", |path| path.trim_end_matches('/'));
    Output::printed(format!("{}\n", path.rsplit_once('/').map_or(".", |(folder, _)| folder)))
}

pub(super) fn base64(call: &mut ToolInput<'_>) -> Output {
    let options = match call.options("diw:", &[("decode", 'd'), ("wrap", 'w')]) {
        Ok(options) => options,
        Err(output) => return output,
    };
    let (text, complaints) = call.joined(&options.rest);
    if options.has('d') {
        let clean: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        return match decoded(&clean) {
            Some(bytes) => done(String::from_utf8_lossy(&bytes).into_owned(), complaints),
            None => Output::failed(1, "base64: invalid input\n"),
        };
    }
    let code = encoded(text.as_bytes());
    let width = options.value('w').and_then(|width| width.parse::<usize>().ok()).unwrap_or(76);
    if width == 0 {
        return done(code, complaints);
    }
    let lines: Vec<char> = code.chars().collect();
    done(lines.chunks(width).map(|line| line.iter().chain(&['\n']).collect::<String>()).collect(), complaints)
}

const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(crate) fn encoded(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let sign = SIGNS[(word >> (18 - 6 * at) & 63) as usize];
            out.push(if at <= chunk.len() { char::from(sign) } else { '=' });
        }
    }
    out
}

pub(crate) fn decoded(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut out = Vec::new();
    let (mut word, mut bits) = (0u32, 0);
    for byte in text.bytes() {
        let value = SIGNS.iter().position(|sign| *sign == byte)?;
        word = word << 6 | value as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((word >> bits & 255) as u8);
        }
    }
    Some(out)
}

pub(super) fn date(call: &mut ToolInput<'_>) -> Output {
    let format = call.words[1..].iter().find_map(|word| word.strip_prefix('+'));
    let seconds = call.host.now().div_euclid(1_000_000);
    let format = format.unwrap_or("%a %b %e %H:%M:%S UTC %Y");
    Output::printed(format!("{}\n", time_text(seconds, format)))
}

/// A time as `strftime` writes it.
pub(crate) fn time_text(seconds: i64, format: &str) -> String {
    let days = seconds.div_euclid(86_400);
    let second = seconds.rem_euclid(86_400);
    // Days since 1970 as a date of the Gregorian calendar, counted in eras of 400 years from March.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (hour, minute) = (second / 3600, second / 60 % 60);
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        out.push_str(&match chars.next() {
            Some('Y') => format!("{year:04}"),
            Some('m') => format!("{month:02}"),
            Some('d') => format!("{day:02}"),
            Some('e') => format!("{day:>2}"),
            Some('H') => format!("{hour:02}"),
            Some('M') => format!("{minute:02}"),
            Some('S') => format!("{:02}", second % 60),
            Some('s') => seconds.to_string(),
            Some('F') => format!("{year:04}-{month:02}-{day:02}"),
            Some('T') => format!("{hour:02}:{minute:02}:{:02}", second % 60),
            Some('Z') => "UTC".into(),
            Some('z') => "+0000".into(),
            Some('a') => DAYS[days.rem_euclid(7) as usize].into(),
            Some('b') => MONTHS[(month - 1) as usize].into(),
            Some('N') => "000000000".into(),
            Some('%') => "%".into(),
            Some(other) => format!("%{other}"),
            None => "%".into(),
        });
    }
    out
}
