//! `compare`: two agents or two runs, pair by pair.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::ValueHint;
use record::EpisodeLine;
use record::folder::Episodes;
use report::compare::{self, Side};

use crate::episodes;
use crate::exit::CommandOutcome;
use crate::say;

const EXAMPLES: &str = "\
Examples:
  sre-zero compare runs/RUN --agents runbook,random    two agents of one run
  sre-zero compare runs/A runs/B                       two runs of one agent each
  sre-zero compare runs/A:runbook runs/B:runbook       one agent before and after a change
  sre-zero compare runs/A runs/B --across-noise        the same with noise on and off
  sre-zero compare runs/A runs/B --json | jq .verdict  for other programs

Episodes are compared in pairs: the same task, seed and repetition. Errors take the task family
within a service as the cluster; docs/statistics.md tells how. Runs of another world or suite
version, noise, tool set or task file are refused: they are not the same incidents. With
--across-noise the noise alone may differ.";

/// Arguments of `compare`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The folder of a run, or DIR:AGENT for one of its agents
    #[arg(value_name = "A", value_hint = ValueHint::DirPath)]
    first: String,
    /// The other one; without it, two agents of the first
    #[arg(value_name = "B", value_hint = ValueHint::DirPath)]
    second: Option<String>,
    /// The agents to compare: the first of A, the second of B, or both of A
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    agents: Vec<String>,
    /// Compare runs with and without noise: what does noise cost?
    #[arg(long)]
    across_noise: bool,
    /// Print the comparison as JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Prints the comparison.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let (first, second) = picks(args)?;
    let one = first.read()?;
    // Two agents of one folder: it is read, and held against its records, once.
    let apart = if second.folder == first.folder { None } else { Some(second.read()?) };
    let other = apart.as_ref().unwrap_or(&one);
    let mut sides = [first.side(&one)?, second.side(other)?];
    if sides[0].name == sides[1].name {
        sides[0].name = format!("{} in {}", sides[0].name, first.folder.display());
        sides[1].name = format!("{} in {}", sides[1].name, second.folder.display());
    }
    let compared = if args.across_noise { compare::compare_across_noise } else { compare::compare };
    let found = compared(&sides[0], &sides[1])?;
    if args.json {
        let value = report::rounded(serde_json::to_value(&found)?);
        say::print(&(serde_json::to_string_pretty(&value)? + "\n"))?;
    } else {
        say::print(&compare::text(&found))?;
    }
    Ok(if one.is_sound() && other.is_sound() { CommandOutcome::Fine } else { CommandOutcome::Failed })
}

/// A folder and, if said, one of its agents.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pick {
    folder: PathBuf,
    agent: Option<String>,
}

fn picks(args: &Args) -> anyhow::Result<(Pick, Pick)> {
    let first = Pick::of(&args.first);
    let second = args.second.as_deref().map(Pick::of);
    match (&args.agents[..], second) {
        ([], Some(second)) => Ok((first, second)),
        ([], None) => bail!("compare with what? Give a second run, or two agents of this one with --agents A,B"),
        ([one, other], second) => {
            let second = second.unwrap_or_else(|| first.clone());
            Ok((first.with(one)?, second.with(other)?))
        }
        (names, _) => bail!("--agents takes two names with a comma between them, not {}", names.len()),
    }
}

impl Pick {
    /// A folder may have a colon in its name: what exists is taken as it is.
    fn of(text: &str) -> Pick {
        match text.rsplit_once(':') {
            Some((folder, agent)) if !Path::new(text).exists() => {
                Pick { folder: folder.into(), agent: Some(agent.to_owned()) }
            }
            _ => Pick { folder: text.into(), agent: None },
        }
    }

    fn with(self, agent: &str) -> anyhow::Result<Pick> {
        if let Some(said) = self.agent.filter(|said| said != agent) {
            bail!("{}:{said} and --agents {agent} contradict each other; say the agent once", self.folder.display());
        }
        Ok(Pick { agent: Some(agent.to_owned()), ..self })
    }

    fn read(&self) -> anyhow::Result<Episodes<()>> {
        episodes::read(&self.folder)
    }

    fn side<'a>(&self, episodes: &'a Episodes<()>) -> anyhow::Result<Side<'a>> {
        let names: BTreeSet<&str> = episodes.lines.iter().map(|line| &*line.score.agent).collect();
        let all = names.iter().copied().collect::<Vec<_>>().join(", ");
        let folder = self.folder.display();
        let name = match (&self.agent, names.len()) {
            (_, 0) => bail!("{folder} has no finished episode"),
            (Some(agent), _) if names.contains(&**agent) => agent.as_str(),
            (Some(agent), _) => bail!("{folder} has no agent `{agent}`; it has {all}"),
            (None, 1) => names.first().copied().unwrap_or_default(),
            (None, _) => bail!("{folder} has several agents; write {folder}:AGENT or --agents with one of {all}"),
        };
        let lines: Vec<&EpisodeLine> = episodes.lines.iter().filter(|line| line.score.agent == name).collect();
        Ok(Side { name: name.to_owned(), lines, planned: episodes::planned(episodes) })
    }
}
