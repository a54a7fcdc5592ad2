//! The episodes of a run's folder, for commands that only read: what was left out and what nothing vouches for is told.

use std::path::Path;

use record::Record;
use record::folder::{Episodes, read_episodes};
use record::grade::Score;

use crate::progress::Progress;
use crate::say;

/// So many damaged lines are told one by one.
const TOLD: usize = 5;

/// Reads what the folder's index lists, or else its records, each line held against its record.
pub fn read(folder: &Path) -> anyhow::Result<Episodes<()>> {
    read_with(folder, |_, _| None)
}

/// The same, with something kept of each record.
pub fn read_with<T: Send>(
    folder: &Path,
    found: impl Fn(&Record, &Score) -> Option<T> + Sync,
) -> anyhow::Result<Episodes<T>> {
    let mut progress = Progress::new("episodes checked", 0);
    let episodes = read_episodes(folder, &mut |done, all| progress.at(done, all), found)?;
    progress.finish();
    tell(folder, &episodes);
    Ok(episodes)
}

fn tell<T>(folder: &Path, episodes: &Episodes<T>) {
    let shown = folder.display();
    if let Some(trouble) = &episodes.trouble {
        say::note(trouble);
    }
    for problem in episodes.left_out.iter().take(TOLD) {
        say::note(&format!("{shown}: left out: {problem}"));
    }
    if episodes.left_out.len() > TOLD {
        say::note(&format!("{shown}: left out: {} more", episodes.left_out.len() - TOLD));
    }
    if let Some(caution) = episodes.caution() {
        say::note(&format!("{shown}: {caution}"));
    }
}

/// How many episodes each agent of the folder was to play, if that is known. A shard plays a part of its run only:
/// how large a part is not asked here.
pub fn planned<T>(episodes: &Episodes<T>) -> Option<u32> {
    let settings = episodes.settings.as_ref().filter(|settings| settings.shard.is_none())?;
    settings.planned().into_values().next()
}
