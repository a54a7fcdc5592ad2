//! The folder of a person's episodes: a run like any other, so that reports show a human row.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use harness::suites::SUITE_VERSION;
use harness::sweep::{add_challenge, add_task, base_settings};
use harness::{Challenge, Noise, Record, Task, ToolSet, WORLD_VERSION};
use record::folder::{
    FolderLock, Index, RunSettings, SELECTION, SETTINGS, SUMMARY, read_lines, read_settings, record_path,
};
use record::{EpisodeLine, key, sha256, write_whole};
use report::{RunFacts, Summary};

/// Before a person's name in the agent's.
pub const PREFIX: &str = "human:";
const LONGEST_NAME: usize = 40;
const ADVICE: &str = "move it away or play under another name";

/// A person's place among the runs, for one way of playing.
pub struct Desk {
    folder: PathBuf,
    /// The agent's name in records.
    pub agent: String,
    /// The suite in records: that of the run that is paired with.
    pub suite: String,
    tools: String,
    noise: u8,
}

/// Which episode of the run it is going to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HumanTurn {
    /// The number of its seed among the run's.
    pub episode: u32,
    /// How often the person has had this incident before.
    pub repeat: u32,
}

impl Desk {
    /// The place of a person who plays with these tools and this noise.
    pub fn new(root: &Path, name: &str, suite: &str, tools: &str, noise: u8) -> Result<Desk, String> {
        let good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(good) {
            return Err(format!("a name has letters, digits, - and _ only, and at most {LONGEST_NAME} of them"));
        }
        let tools_part = if tools == "classic" { String::new() } else { format!("_{tools}-tools") };
        let noise_part = if noise == 0 { String::new() } else { format!("_noise{noise}") };
        let good = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let suite_part = match suite {
            SELECTION => String::new(),
            suite if suite.chars().all(good) && !suite.starts_with('.') => format!("_{suite}"),
            _ => return Err("the suite's name cannot be part of a folder's".to_string()),
        };
        let folder = root.join(format!("human-{name}{suite_part}{tools_part}{noise_part}"));
        let (agent, suite) = (format!("{PREFIX}{name}"), suite.to_string());
        Ok(Desk { folder, agent, suite, tools: tools.to_string(), noise })
    }

    /// The tools and the noise that a task is played with: a task may need more than was asked for.
    pub fn played_with(&self, task: &Task) -> Result<(ToolSet, Noise), String> {
        let (tools, noise) = self.asked()?;
        Ok((tools.or_needed(task.tools), Noise(noise).max(task.noise)))
    }

    /// The tools and the noise of the run.
    pub fn asked(&self) -> Result<(ToolSet, u8), String> {
        Ok((self.tools.parse::<ToolSet>().map_err(|e| e.to_string())?, self.noise))
    }

    /// Whether an incident was finished here.
    pub fn has(&self, task: &str, seed: u64) -> bool {
        record_path(&self.folder, &key(&self.agent, task, seed, 0)).exists()
    }

    /// Takes an incident: its task and seed become part of the run.
    pub fn take(&self, task: &Task, seed: u64) -> anyhow::Result<HumanTurn> {
        self.take_one(&task.id, &task.digest, seed, |settings, noise, tools| add_task(settings, task, noise, tools))
    }

    /// The same for what is no task.
    pub fn take_challenge(&self, challenge: &dyn Challenge, seed: u64) -> anyhow::Result<HumanTurn> {
        let add = |settings: &mut RunSettings, noise, tools| add_challenge(settings, challenge, noise, tools);
        self.take_one(challenge.id(), challenge.digest(), seed, add)
    }

    fn take_one(
        &self,
        id: &str,
        digest: &str,
        seed: u64,
        add: impl FnOnce(&mut RunSettings, Noise, ToolSet),
    ) -> anyhow::Result<HumanTurn> {
        fs::create_dir_all(&self.folder)
            .with_context(|| format!("cannot make the folder {}", self.folder.display()))?;
        let _lock = FolderLock::take(&self.folder)?;
        let mut settings = match read_settings(&self.folder, ADVICE)? {
            Some(settings) => settings,
            None => self.settings()?,
        };
        let (then, now) = ((settings.world_version, settings.suite_version), (WORLD_VERSION, SUITE_VERSION));
        let changed = settings.tasks.get(id).is_some_and(|then| then != digest);
        if then != now || changed {
            bail!("{} was begun with another version of the program; {ADVICE}", self.folder.display());
        }
        let episode = settings.seeds.iter().position(|s| *s == seed).unwrap_or_else(|| {
            settings.seeds.push(seed);
            settings.seeds.len() - 1
        });
        let mut repeat = 0;
        let begun = |repeat| record_path(&self.folder, &key(&self.agent, id, seed, repeat)).exists();
        while begun(repeat) {
            repeat += 1;
        }
        settings.repeats = settings.repeats.max(repeat + 1);
        add(&mut settings, Noise(self.noise), self.tools.parse()?);
        write_whole(&self.folder.join(SETTINGS), (serde_json::to_string_pretty(&settings)? + "\n").as_bytes())?;
        Ok(HumanTurn { episode: episode as u32, repeat })
    }

    /// Keeps an episode: its record, its line, and a summary of all; gives its key.
    pub fn keep(&self, record: &Record) -> anyhow::Result<String> {
        let _lock = FolderLock::take(&self.folder)?;
        let header = record.header().context("the record has no header")?;
        let line = EpisodeLine::of(record, header, sha256(record.text().as_bytes()))?;
        record.write(&record_path(&self.folder, &line.key))?;
        let mut index = Index::open(&self.folder)?;
        index.add(&line)?;
        index.sync()?;
        let lines = read_lines(&self.folder)?.lines;
        let seed = lines.first().map_or(0, |line| line.score.seed);
        let summary = Summary::of(RunFacts::of(seed, &lines), lines.iter().map(|line| &line.score));
        write_whole(&self.folder.join(SUMMARY), summary.to_json().as_bytes())?;
        Ok(line.key)
    }

    /// The id of the run below the viewer's folder.
    pub fn run_id(&self) -> String {
        self.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    fn settings(&self) -> anyhow::Result<RunSettings> {
        let base = base_settings(&self.suite, Noise(self.noise), self.tools.parse()?);
        Ok(RunSettings { agents: vec![self.agent.clone()], open_ended: true, ..base })
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::{Folder, played};
    use super::*;
    use harness::tasks;

    #[test]
    fn names_become_folders_and_nothing_else_does() {
        let name = |name: &str| Desk::new(Path::new("runs"), name, SELECTION, "full", 2).map(|desk| desk.run_id());
        assert_eq!(name("Ada-1").as_deref(), Ok("human-Ada-1_full-tools_noise2"));
        for bad in ["", "..", "a/b", "a\\b", "ada lovelace", "\0", "é", &"x".repeat(41)] {
            assert!(name(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn seeds_and_repeats_are_counted_and_everything_is_kept() {
        let folder = Folder::new("desk");
        let desk = Desk::new(&folder.path, "ada", SELECTION, "classic", 0).expect("a good name");
        let task = tasks::embedded()[0].task().expect("the tasks are valid");
        let take = |seed| desk.take(&task, seed).expect("there is room");
        assert_eq!(take(7), HumanTurn { episode: 0, repeat: 0 });
        assert_eq!(take(0), HumanTurn { episode: 1, repeat: 0 });
        let mut record = played(&["check_status(cache)"]);
        if let harness::record::Event::Started(header) = &mut record.events[0] {
            (header.agent, header.episode) = (desk.agent.clone(), 1);
        }
        let key = desk.keep(&record).expect("it can be kept");
        assert_eq!(take(0), HumanTurn { episode: 1, repeat: 1 });
        let settings = read_settings(&folder.path.join(desk.run_id()), "").expect("readable").expect("there");
        let lines = read_lines(&folder.path.join(desk.run_id())).expect("readable").lines;
        assert_eq!(lines[0].key, key);
        assert_eq!(settings.excludes(&lines[0]), None);
        assert!(folder.path.join("human-ada/summary.json").exists());
    }
}
