//! A comparison as text.

use std::fmt::Write;

use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};

use super::verdict::{p, plain, signed};
use super::{Comparison, Flip};

/// So many tasks on which the sides differ are named.
const NAMED: usize = 12;

/// The comparison as a page of text: the verdict first, then what it stands on.
pub fn text(found: &Comparison) -> String {
    let mut out = format!("{}\n", found.verdict.sentence);
    found.verdict.caveats.iter().for_each(|caveat| line(&mut out, caveat));
    line(&mut out, &common(found));
    out.push('\n');
    out.push_str(&figures(found));
    line(&mut out, &test(found));
    out.push('\n');
    out.push_str(&flipped(found));
    out.push_str("\nWhat would change the verdict:\n");
    what_if(found).iter().for_each(|reason| line(&mut out, &format!("  - {reason}")));
    out
}

fn line(out: &mut String, text: &str) {
    writeln!(out, "{text}").expect("text can be written to text");
}

fn common(found: &Comparison) -> String {
    let common = &found.common;
    let mut parts = vec![format!("Compared: {} over {}", count(common.pairs, "pair"), count(common.tasks, "task"))];
    let left_out = [
        (common.only_first, format!("only {} played", found.first)),
        (common.only_second, format!("only {} played", found.second)),
        (common.provider_failed, "a provider failed in".to_owned()),
    ];
    let left_out = left_out.iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{n} that {why}"));
    let left_out: Vec<String> = left_out.collect();
    if !left_out.is_empty() {
        parts.push(format!("left out: {}", left_out.join(", ")));
    }
    parts.join("; ") + "."
}

fn figures(found: &Comparison) -> String {
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
    table.set_header(["", &found.first, &found.second, "difference", "95 % interval", "pairs"]);
    let ends = |low: f64, high: f64| format!("[{}, {}]", signed(low), signed(high));
    let mut row = |name: &str, first: f64, second: f64, interval: &crate::stats::Interval, pairs: u32| {
        let (first, second) = (plain(first), plain(second));
        let apart = ends(interval.low, interval.high);
        table.add_row([name.to_owned(), first, second, signed(interval.point), apart, pairs.to_string()]);
    };
    let [one, other] = &found.success;
    row("success", one.point, other.point, &found.difference.interval, found.common.pairs);
    for group in &found.by_difficulty {
        row(&format!("  {}", group.name), group.first, group.second, &group.difference.interval, group.pairs);
    }
    for figure in &found.figures {
        row(&figure.name, figure.first, figure.second, &figure.difference, figure.pairs);
    }
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 1)).set_cell_alignment(if at == 0 { CellAlignment::Left } else { CellAlignment::Right });
    }
    table.trim_fmt() + "\n"
}

fn test(found: &Comparison) -> String {
    let test = &found.mcnemar;
    format!(
        "McNemar: {} only {}, {} only {}; exact p {}, mid-p {}.",
        test.first_only,
        found.first,
        test.second_only,
        found.second,
        p(test.p_exact),
        p(test.p_mid)
    )
}

fn flipped(found: &Comparison) -> String {
    if found.flips.is_empty() {
        return "They succeed and fail on the same incidents.\n".to_owned();
    }
    let mut tasks: Vec<(&str, u32, u32)> = Vec::new();
    for Flip { task, first_won, .. } in &found.flips {
        match tasks.last_mut().filter(|(name, ..)| name == task) {
            Some(last) if *first_won => last.1 += 1,
            Some(last) => last.2 += 1,
            None => tasks.push((task, u32::from(*first_won), u32::from(!*first_won))),
        }
    }
    tasks.sort_by_key(|(name, one, other)| (std::cmp::Reverse(one.abs_diff(*other)), *name));
    let mut out = format!("Tasks on which they differ (won by {}, won by {}):\n", found.first, found.second);
    for (name, one, other) in tasks.iter().take(NAMED) {
        line(&mut out, &format!("  {name}: {one}, {other}"));
    }
    if tasks.len() > NAMED {
        line(&mut out, &format!("  and {} more", tasks.len() - NAMED));
    }
    out
}

fn what_if(found: &Comparison) -> Vec<String> {
    let what_if = &found.what_if;
    let all = found.mcnemar.first_only + found.mcnemar.second_only;
    let crossing = if found.mcnemar.p_exact < 0.05 { "no longer shown" } else { "shown" };
    let flips = match what_if.flips {
        Some(n) => format!("by McNemar's test it is {crossing} if {n} of the {all} pairs that differ go the other way"),
        None if all == 0 => "no pair differs, so McNemar's test has nothing to go by".to_owned(),
        None => format!("no flip among the {all} pairs that differ is enough for McNemar's test: too few differ"),
    };
    let enough = what_if.enough.map(|enough| {
        let tasks = format!("about {} tasks of the same kinds", enough.tasks);
        match enough.episodes {
            Some(n) => format!("to show a difference of this size (80 % power): {n} episodes of each, or {tasks}"),
            None => format!(
                "to show a difference of this size (80 % power): {tasks}; more episodes of these tasks are not \
                 enough, because families differ too much"
            ),
        }
    });
    let families = match &what_if.turning_families[..] {
        [] => "leaving out any one family does not change it".to_owned(),
        [one] => format!("it is another one without the family `{one}`"),
        several => format!("it is another one without any of the families {}", several.join(", ")),
    };
    [Some(flips), enough, Some(families)].into_iter().flatten().collect()
}

fn count(n: u32, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
