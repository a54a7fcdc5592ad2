//! `kappa`: do judges, graders and people agree?

use std::path::PathBuf;

use anyhow::Context;
use clap::ValueHint;
use harness::read_text;
use report::labels::LabelTable;
use report::stats::kappa::Agreement;
use serde_json::json;

use crate::exit::CommandOutcome;
use crate::say;
use crate::sheet;

/// The level of the intervals.
const LEVEL: f64 = 0.95;

const EXAMPLES: &str = "\
Examples:
  sre-zero kappa labels.csv           every pair of graders, all together, and where they differ
  sre-zero kappa labels.csv --json    the same for other programs

The file has a line per item and a column per judge, grader or person:

  item,task,ann,ben,judge
  1,TASK,right,right,right
  2,TASK,wrong,partly,

An empty field is a missing label and never a disagreement. Two graders are measured over what both labelled (Cohen), all
together over what all labelled (Fleiss). 1 is agreement, 0 is chance.";

/// Arguments of `kappa`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The labels, as comma-separated values
    #[arg(value_name = "LABELS", value_hint = ValueHint::FilePath)]
    labels: PathBuf,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Measures agreement and prints it.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let text = read_text(&args.labels, "read the labels", "save the file as UTF-8")?;
    let table = LabelTable::parse(&text).with_context(|| args.labels.display().to_string())?;
    say::print(&if args.json { as_json(&table) } else { as_text(&table) })?;
    Ok(CommandOutcome::Fine)
}

fn as_text(table: &LabelTable) -> String {
    let row = |who: String, found: Option<Agreement>| match found {
        None => [who, "-".into(), "-".into(), "-".into()],
        Some(found) => {
            let (low, high) = found.interval(LEVEL);
            [who, format!("{:.3}", found.kappa), format!("{low:.3} to {high:.3}"), found.items.to_string()]
        }
    };
    let pairs = table.pairs().into_iter().map(|(one, other, found)| row(format!("{one}, {other}"), found));
    let together = (table.graders.len() > 2).then(|| row("all together (Fleiss)".into(), table.together()));
    let mut text = sheet::wide(["graders", "kappa", "95 %", "items"], pairs.chain(together));
    let differing = table.differing();
    if differing.is_empty() {
        text.push_str("\nThey differ nowhere.\n");
        return text;
    }
    let rows = differing.iter().map(|(task, differing, all)| [task.to_string(), format!("{differing} of {all}")]);
    text.push_str(&format!("\n{}", sheet::wide(["they differ on", "items"], rows)));
    text
}

fn as_json(table: &LabelTable) -> String {
    let figures = |found: Option<Agreement>| {
        found.map(|found| {
            let (low, high) = found.interval(LEVEL);
            json!({"kappa": found.kappa, "error": found.error, "low": low, "high": high, "items": found.items})
        })
    };
    let pairs: Vec<_> =
        table.pairs().into_iter().map(|(a, b, found)| json!({"graders": [a, b], "cohen": figures(found)})).collect();
    let differing: Vec<_> = table
        .differing()
        .into_iter()
        .map(|(task, n, all)| json!({"task": task, "differing": n, "items": all}))
        .collect();
    format!(
        "{:#}\n",
        json!({"level": LEVEL, "pairs": pairs, "fleiss": figures(table.together()), "differing": differing})
    )
}
