//! cut, paste and column.

use super::{ToolInput, done};
use crate::state::Output;

pub(super) fn cut(call: &mut ToolInput<'_>) -> Output {
    let long = [("delimiter", 'd'), ("fields", 'f'), ("characters", 'c'), ("bytes", 'b'), ("only-delimited", 's')];
    let options = match call.options("d:f:c:b:s", &long) {
        Ok(options) => options,
        Err(output) => return output,
    };
    let (text, complaints) = call.joined(&options.rest);
    let list = options.value('f').or(options.value('c')).or(options.value('b'));
    let Some(list) = list else {
        return Output::failed(1, "cut: you must specify a list of bytes, characters, or fields\n");
    };
    let Some(ranges) = ranges(list) else { return Output::failed(1, "cut: invalid field value\n") };
    let is_in = |at: usize| ranges.iter().any(|(first, last)| (*first..=*last).contains(&(at + 1)));
    let by_fields = options.has('f');
    let delimiter = options.value('d').unwrap_or("\t").chars().next().unwrap_or('\t');
    let mut out = String::new();
    for line in text.lines() {
        if !by_fields {
            out.extend(line.chars().enumerate().filter(|(at, _)| is_in(*at)).map(|(_, c)| c));
        } else if line.contains(delimiter) {
            let kept: Vec<_> =
                line.split(delimiter).enumerate().filter(|(at, _)| is_in(*at)).map(|(_, field)| field).collect();
            out.push_str(&kept.join(&delimiter.to_string()));
        } else if options.has('s') {
            continue;
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
    done(out, complaints)
}

/// `1,3-5,7-`.
fn ranges(list: &str) -> Option<Vec<(usize, usize)>> {
    list.split(',')
        .map(|range| match range.split_once('-') {
            None => range.parse().ok().map(|at| (at, at)),
            Some((first, last)) => {
                let first = if first.is_empty() { Some(1) } else { first.parse().ok() };
                let last = if last.is_empty() { Some(usize::MAX) } else { last.parse().ok() };
                first.zip(last)
            }
        })
        .collect()
}

pub(super) fn paste(call: &mut ToolInput<'_>) -> Output {
    let options = match call.options("d:s", &[("delimiters", 'd'), ("serial", 's')]) {
        Ok(options) => options,
        Err(output) => return output,
    };
    let (texts, complaints) = call.texts(&options.rest);
    let sign = options.value('d').map_or("\t".to_string(), crate::text::unescape);
    if options.has('s') {
        let rows = texts.iter().map(|(_, text)| format!("{}\n", text.lines().collect::<Vec<_>>().join(&sign)));
        return done(rows.collect(), complaints);
    }
    let columns: Vec<Vec<&str>> = texts.iter().map(|(_, text)| text.lines().collect()).collect();
    let most = columns.iter().map(Vec::len).max().unwrap_or(0);
    let row = |at: usize| {
        let cells: Vec<_> = columns.iter().map(|column| column.get(at).copied().unwrap_or_default()).collect();
        format!("{}\n", cells.join(&sign))
    };
    done((0..most).map(row).collect(), complaints)
}

pub(super) fn column(call: &mut ToolInput<'_>) -> Output {
    let options = match call.options("ts:o:", &[("table", 't'), ("separator", 's')]) {
        Ok(options) => options,
        Err(output) => return output,
    };
    let (text, complaints) = call.joined(&options.rest);
    if !options.has('t') {
        return done(text, complaints);
    }
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| match options.value('s') {
            Some(signs) => line.split(|c| signs.contains(c)).collect(),
            None => line.split_whitespace().collect(),
        })
        .collect();
    let mut widths: Vec<usize> = Vec::new();
    for row in &rows {
        for (at, cell) in row.iter().enumerate() {
            if widths.len() <= at {
                widths.push(0);
            }
            widths[at] = widths[at].max(cell.chars().count());
        }
    }
    let line = |row: &Vec<&str>| {
        let mut out = String::new();
        for (at, cell) in row.iter().enumerate() {
            out.push_str(cell);
            if at + 1 < row.len() {
                out.extend(std::iter::repeat_n(' ', widths[at] - cell.chars().count() + 2));
            }
        }
        format!("{out}\n")
    };
    done(rows.iter().map(line).collect(), complaints)
}
