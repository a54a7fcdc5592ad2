//! grep.

use super::ToolInput;
use crate::state::Output;
use crate::{Dialect, pattern};

pub(super) fn grep(call: &mut ToolInput<'_>) -> Output {
    let long = [
        ("ignore-case", 'i'),
        ("invert-match", 'v'),
        ("count", 'c'),
        ("line-number", 'n'),
        ("only-matching", 'o'),
        ("extended-regexp", 'E'),
        ("perl-regexp", 'P'),
        ("fixed-strings", 'F'),
        ("quiet", 'q'),
        ("silent", 'q'),
        ("word-regexp", 'w'),
        ("line-regexp", 'x'),
        ("after-context", 'A'),
        ("before-context", 'B'),
        ("context", 'C'),
        ("max-count", 'm'),
        ("regexp", 'e'),
        ("no-filename", 'h'),
        ("with-filename", 'H'),
        ("files-with-matches", 'l'),
        ("color", 'z'),
        ("colour", 'z'),
        ("line-buffered", 'u'),
        ("text", 'a'),
    ];
    let mut options = match call.options("ivcnoEFPqwxA:B:C:m:e:hHlsrRazuG", &long) {
        Ok(options) => options,
        Err(output) => return output,
    };
    if let Some(at) = options.rest.iter().position(|w| w.len() > 1 && w.starts_with('-')) {
        let number = options.rest.remove(at);
        options.set.push(('C', number[1..].into()));
    }
    let mut patterns: Vec<String> =
        options.set.iter().filter(|(letter, _)| *letter == 'e').map(|(_, value)| value.clone()).collect();
    if patterns.is_empty() {
        if options.rest.is_empty() {
            return Output::failed(
                2,
                "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n",
            );
        }
        patterns.push(options.rest.remove(0));
    }
    let dialect = match call.name() {
        _ if options.has('F') => Dialect::Fixed,
        "fgrep" => Dialect::Fixed,
        "egrep" => Dialect::Extended,
        _ if options.has('E') || options.has('P') => Dialect::Extended,
        _ => Dialect::Basic,
    };
    let lines = patterns.iter().flat_map(|text| text.split('\n'));
    let compiled: Result<Vec<_>, _> = lines.map(|text| pattern(text, dialect, options.has('i'))).collect();
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(why) => return Output::failed(2, format!("grep: {why}\n")),
    };
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let found = |line: &str| -> Vec<(usize, usize)> {
        let mut spans: Vec<(usize, usize)> = compiled
            .iter()
            .flat_map(|regex| regex.find_iter(line).map(|m| (m.start(), m.end())).collect::<Vec<_>>())
            .filter(|(start, end)| {
                !options.has('w')
                    || (!is_word(line[..*start].chars().next_back()) && !is_word(line[*end..].chars().next()))
            })
            .filter(|(start, end)| !options.has('x') || (*start == 0 && *end == line.len()))
            .collect();
        spans.sort_unstable();
        spans
    };
    let number = |letter| options.value(letter).and_then(|n| n.parse::<usize>().ok());
    let after = number('A').or(number('C')).unwrap_or(0);
    let before = number('B').or(number('C')).unwrap_or(0);
    let most = number('m').unwrap_or(usize::MAX);
    let (texts, complaints) = call.texts(&options.rest);
    let named = (texts.len() > 1 || options.has('H')) && !options.has('h');
    let (mut out, mut any) = (String::new(), false);
    for (path, text) in &texts {
        let lines: Vec<&str> = text.lines().collect();
        let mut count = 0;
        let mut shown = 0;
        let mut tail = 0;
        let prefix = |sign: char, at: usize| {
            let name = if named { format!("{path}{sign}") } else { String::new() };
            if options.has('n') { format!("{name}{}{sign}", at + 1) } else { name }
        };
        for (at, line) in lines.iter().enumerate() {
            let spans = found(line);
            if spans.is_empty() == options.has('v') && count < most {
                count += 1;
                if options.has('q') || options.has('c') || options.has('l') {
                    continue;
                }
                if options.has('o') {
                    for (start, end) in spans.iter().filter(|(start, end)| start < end) {
                        out.push_str(&format!("{}{}\n", prefix(':', at), &line[*start..*end]));
                    }
                    continue;
                }
                let from = at.saturating_sub(before).max(shown);
                if (before > 0 || after > 0) && shown > 0 && from > shown {
                    out.push_str("--\n");
                }
                for (gap, context) in lines.iter().enumerate().take(at).skip(from) {
                    out.push_str(&format!("{}{context}\n", prefix('-', gap)));
                }
                out.push_str(&format!("{}{line}\n", prefix(':', at)));
                shown = at + 1;
                tail = after;
            } else if tail > 0 {
                out.push_str(&format!("{}{line}\n", prefix('-', at)));
                shown = at + 1;
                tail -= 1;
            }
        }
        any |= count > 0;
        if options.has('c') {
            out.push_str(&format!("{}{count}\n", if named { format!("{path}:") } else { String::new() }));
        }
        if options.has('l') && count > 0 {
            out.push_str(&format!("{path}\n"));
        }
    }
    let code = if !complaints.is_empty() { 2 } else { i32::from(!any) };
    Output { stdout: out, stderr: if options.has('s') { String::new() } else { complaints }, code }
}
