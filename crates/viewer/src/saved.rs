//! Games that are not over, as files: a server that is started again goes on with them.

use std::fs;
use std::path::{Path, PathBuf};

use harness::{RecordError, ToolSet, write_whole};
use record::folder::SELECTION;
use serde::{Deserialize, Serialize};

/// Below the viewer's folder; hidden, so that it is never taken for a run.
const OPEN: &str = ".open-incidents";

/// A game: the incident and what was done in it. Everything else follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Game {
    /// The person's name.
    pub name: String,
    /// The task.
    pub task: String,
    /// The suite in the record.
    #[serde(default = "selection")]
    pub suite: String,
    /// Whether the person does not know the task.
    pub surprise: bool,
    /// The world's seed.
    pub seed: u64,
    /// The noise dial.
    pub noise: u8,
    /// The tools at hand.
    pub tools: ToolSet,
    /// The tools and the noise of the person's run, where the task needs more than these.
    #[serde(default)]
    pub asked: Option<(ToolSet, u8)>,
    /// The number of the seed in the person's run.
    pub episode: u32,
    /// How often the person had this incident before.
    pub repeat: u32,
    /// What was done, to the letter.
    pub actions: Vec<String>,
}

impl Game {
    /// Whether it is about this incident.
    pub fn is(&self, task: &str, seed: u64) -> bool {
        self.task == task && self.seed == seed
    }
}

/// Games of older servers were part of no suite.
fn selection() -> String {
    SELECTION.to_string()
}

/// An id that cannot be guessed and that tells nothing.
pub fn new_id() -> Result<String, String> {
    Ok(format!("{:016x}", random()?))
}

/// Random bits from the system.
pub fn random() -> Result<u64, String> {
    let mut bytes = [0u8; 8];
    getrandom::fill(&mut bytes).map_err(|e| format!("the system gives no random numbers: {e}"))?;
    Ok(u64::from_le_bytes(bytes))
}

/// Writes a game: all of it or nothing.
pub fn write(root: &Path, id: &str, game: &Game) -> Result<(), RecordError> {
    let text = serde_json::to_string(game).expect("a game is plain data");
    write_whole(&path(root, id), text.as_bytes())
}

/// Removes a game that is over. If it stays, it is offered once more, which does no harm.
pub fn remove(root: &Path, id: &str) {
    let _ = fs::remove_file(path(root, id));
    let _ = fs::remove_dir(root.join(OPEN));
}

/// All games that can be read, by id.
pub fn all(root: &Path) -> Vec<(String, Game)> {
    let entries = fs::read_dir(root.join(OPEN)).into_iter().flatten().flatten();
    let game = |entry: fs::DirEntry| {
        let id = entry.file_name().to_string_lossy().strip_suffix(".json")?.to_string();
        let text = fs::read_to_string(entry.path()).ok()?;
        Some((id, serde_json::from_str(&text).ok()?))
    };
    entries.filter_map(game).collect()
}

fn path(root: &Path, id: &str) -> PathBuf {
    root.join(OPEN).join(format!("{id}.json"))
}
