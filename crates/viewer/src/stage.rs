//! For tests: folders of runs that really were run, and lines of episodes that were not.

use std::fs;
use std::path::PathBuf;

use harness::sweep::{EPISODES, EpisodeLine};
use harness::{Episode, EpisodeOptions, Noise, Record, Scenario, sha256, tasks};
use std::sync::Arc;

/// A folder of the test's own, gone when the test is.
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
}

impl Folder {
    /// An empty one.
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("sre-zero-view-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("it can be made");
        Folder { path }
    }

    /// Adds a run with these episodes.
    pub fn run(&self, name: &str, lines: &[EpisodeLine]) {
        let folder = self.path.join(name);
        fs::create_dir_all(folder.join("records")).expect("it can be made");
        fs::write(folder.join(EPISODES), text(lines)).expect("it can be written");
    }

    /// Adds a run of one real episode with these calls; gives the episode's key.
    pub fn played(&self, name: &str, calls: &[&str]) -> String {
        let record = played(calls);
        let header = record.header().expect("it has one");
        let line = EpisodeLine::of(&record, header, sha256(record.text().as_bytes())).expect("it can be scored");
        self.run(name, std::slice::from_ref(&line));
        let path = harness::sweep::record_path(&self.path.join(name), &line.key);
        record.write(&path).expect("it can be written");
        line.key
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// A real episode on the first of the tasks.
pub fn played(calls: &[&str]) -> Record {
    let task = tasks::embedded()[0].task().expect("the tasks are valid");
    let scenario = Arc::new(Scenario::prepare(&task, 0, Noise(0)).expect("it pages"));
    let options = EpisodeOptions { agent: "test".into(), suite: "selection".into(), ..EpisodeOptions::default() };
    let mut episode = Episode::start(&scenario, options);
    for call in calls {
        episode.step(call);
    }
    episode.finish()
}

/// The line of an episode that was never played.
pub fn line(agent: &str, seed: u64) -> EpisodeLine {
    let record = played(&[]);
    let line = EpisodeLine::of(&record, record.header().expect("it has one"), "digest".into());
    let mut line = line.expect("it can be scored");
    line.key = format!("{agent}/{}/{seed}", line.score.task);
    line.score.agent = agent.into();
    line.score.seed = seed;
    line
}

/// Lines as a file has them.
pub fn text(lines: &[EpisodeLine]) -> String {
    lines.iter().map(|line| serde_json::to_string(line).expect("plain data") + "\n").collect()
}
