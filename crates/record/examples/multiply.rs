//! Makes a large run of a small one: every record again under other seeds, as `run` would have written it.
//!
//! `cargo run --release -p sre-zero-record --example multiply -- RUN TIMES OUT`. For measuring how commands take a hundred
//! thousand episodes; the copies are graded anew and their lines are true, but they do not replay.

#![allow(clippy::disallowed_macros, reason = "an example is a program")]

use std::fs;
use std::path::{Path, PathBuf};

use record::folder::{EPISODES, SETTINGS, read_lines, read_settings, record_path};
use record::{EpisodeLine, Event, Record, sha256};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [run, times, out] = &words[..] else { return Err("write RUN TIMES OUT".into()) };
    let (run, out, times) = (Path::new(run), PathBuf::from(out), times.parse::<u64>()?);
    let mut settings = read_settings(run, "name the folder of a run")?.ok_or("it has no settings")?;
    let seeds = settings.seeds.clone();
    let step = seeds.iter().max().map_or(1, |last| last + 1);
    settings.seeds = (0..times).flat_map(|turn| seeds.iter().map(move |seed| seed + turn * step)).collect();
    let mut lines = Vec::new();
    for line in read_lines(run)?.lines {
        let path = record_path(run, &line.key);
        let record = Record::parse(&path, &fs::read_to_string(&path)?)?;
        for turn in 0..times {
            lines.push(copy(&record, turn * step, turn as u32 * seeds.len() as u32, &out)?);
        }
    }
    lines.sort_by(|one, other| one.key.cmp(&other.key));
    let text =
        lines.iter().map(|line| Ok(serde_json::to_string(line)? + "\n")).collect::<serde_json::Result<String>>()?;
    fs::write(out.join(EPISODES), text)?;
    fs::write(out.join(SETTINGS), serde_json::to_string_pretty(&settings)? + "\n")?;
    println!("{} episodes in {}", lines.len(), out.display());
    Ok(())
}

/// Writes a record under a later seed and gives its line.
fn copy(record: &Record, later: u64, episodes: u32, out: &Path) -> Result<EpisodeLine, Box<dyn std::error::Error>> {
    let mut record = record.clone();
    if let Some(Event::Started(header)) = record.events.first_mut() {
        header.seed += later;
        header.episode += episodes;
    }
    let text = record.text();
    let line = EpisodeLine::of(&record, record.header().ok_or("it has no header")?, sha256(text.as_bytes()))?;
    let path = record_path(out, &line.key);
    fs::create_dir_all(path.parent().unwrap_or(out))?;
    fs::write(path, text)?;
    Ok(line)
}
