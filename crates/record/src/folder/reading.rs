//! The episodes of a run's folder, for those who only read. The folder may come from another machine: every line is
//! held against its record, and what could not be checked is said.

use std::path::{Path, PathBuf};

use super::audit::{Checked, check, each};
use super::{EPISODES, RECORDS, RunSettings, read_lines, read_settings, record_files};
use crate::error::RecordError;
use crate::grade::Score;
use crate::line::EpisodeLine;
use crate::record::Record;

const ADVICE: &str = "give the folder of a run, such as runs/RUN";

/// What a folder holds.
#[derive(Debug)]
pub struct Episodes<T> {
    /// Its finished episodes, with what was found in their records.
    pub lines: Vec<EpisodeLine>,
    /// What `found` made of the record of each line; `None` where there is none.
    pub found: Vec<Option<T>>,
    /// What the run was asked for, if that is known.
    pub settings: Option<RunSettings>,
    /// What was left out: lines that cannot be read, and those that do not say what their records say.
    pub left_out: Vec<String>,
    /// Lines that have no record, so that nothing vouches for them.
    pub unproven: usize,
    /// Lines that did not say what their records say: the records count.
    pub corrected: usize,
    /// Why the settings could not be read, if they could not.
    pub trouble: Option<String>,
}

impl<T> Episodes<T> {
    /// Whether every line says what its record says.
    pub fn is_sound(&self) -> bool {
        self.left_out.is_empty() && self.corrected == 0
    }

    /// A sentence on the lines that nothing vouches for.
    pub fn caution(&self) -> Option<String> {
        let all = self.lines.len();
        match (self.unproven, self.corrected) {
            (0, 0) => None,
            (0, n) => Some(format!(
                "{n} of {all} lines do not say what their records say: the records count; `sre-zero rescore` writes the \
                 lines anew"
            )),
            (n, _) => Some(format!("{n} of {all} lines have no record: they are believed unchecked")),
        }
    }
}

/// Reads what a folder's index lists, or else its records. Of each record that can be read, `found` may keep
/// something; it is handed the score too, since grading takes longer than reading.
pub fn read_episodes<T: Send>(
    folder: &Path,
    told: &mut dyn FnMut(usize, usize),
    found: impl Fn(&Record, &Score) -> Option<T> + Sync,
) -> Result<Episodes<T>, RecordError> {
    if !folder.is_dir() {
        return Err(RecordError::Folder(format!("{} is not a folder; {ADVICE}", folder.display())));
    }
    if !folder.join(EPISODES).exists() {
        return unlisted(folder, found);
    }
    let listed = read_lines(folder)?;
    let damaged = |d: super::Damage| format!("line {} of {EPISODES}: {}", d.line, d.problem);
    let mut left_out: Vec<String> = listed.damaged.into_iter().map(damaged).collect();
    if listed.cut_off {
        left_out.push("the last line was cut off while it was written".to_string());
    }
    let checked = each(&listed.lines, told, |line| {
        let (checked, record) = check(folder, line);
        let score = if let Checked::Scored(now) = &checked { &now.score } else { &line.score };
        let found = record.and_then(|record| found(&record, score));
        (checked, found)
    });
    let (settings, trouble) = match read_settings(folder, "what was played is taken as planned") {
        Ok(settings) => (settings, None),
        Err(error) => (None, Some(error.to_string())),
    };
    let mut all =
        Episodes { lines: Vec::new(), found: Vec::new(), settings, left_out, unproven: 0, corrected: 0, trouble };
    for (line, (checked, found)) in listed.lines.into_iter().zip(checked) {
        match checked {
            Checked::Differs(why) => all.left_out.push(format!("{}: {why}", line.key)),
            checked => {
                all.unproven += usize::from(checked == Checked::Missing);
                all.corrected += usize::from(matches!(checked, Checked::Scored(_)));
                all.lines.push(if let Checked::Scored(now) = checked { *now } else { line });
                all.found.push(found);
            }
        }
    }
    Ok(all)
}

/// A folder without an index: records of single episodes, in places that tell them apart.
fn unlisted<T>(folder: &Path, found: impl Fn(&Record, &Score) -> Option<T>) -> Result<Episodes<T>, RecordError> {
    if !folder.join(RECORDS).is_dir() {
        let problem = format!("{} holds neither `{EPISODES}` nor `{RECORDS}/`; {ADVICE}", folder.display());
        return Err(RecordError::Folder(problem));
    }
    let (mut lines, mut kept, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
    for file in record_files(folder)? {
        match EpisodeLine::read_with(&file.path) {
            Ok((line, record)) => {
                kept.push(found(&record, &line.score));
                lines.push(EpisodeLine { key: file.place, ..line });
            }
            Err(error) => left_out.push(error.to_string()),
        }
    }
    Ok(Episodes { lines, found: kept, settings: None, left_out, unproven: 0, corrected: 0, trouble: None })
}

/// The runs in the folder of a sweep, or the folder itself.
pub fn run_folders(folder: &Path) -> Vec<PathBuf> {
    let own = [EPISODES, RECORDS].iter().any(|name| folder.join(name).exists());
    let inside = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut runs: Vec<PathBuf> = inside.filter(|path| path.join(EPISODES).is_file()).collect();
    runs.sort();
    if own || runs.is_empty() { vec![folder.to_path_buf()] } else { runs }
}
