//! The episodes of one run, kept in memory. A file that has only grown is read from where it was left,
//! so that following a sweep costs as much as what is new.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::SystemTime;

use harness::sweep::{EPISODES, EpisodeLine};

/// So many problems are enough to see what is wrong.
const PROBLEMS_KEPT: usize = 20;

/// What a run's `episodes.jsonl` held when it was last looked at.
#[derive(Default)]
pub struct RunIndex {
    /// The episodes, in the order of the file.
    pub lines: Vec<EpisodeLine>,
    /// Lines that are none, each with what is wrong.
    pub problems: Vec<String>,
    by_key: HashMap<String, usize>,
    /// Bytes that were read.
    read: u64,
    /// The last line that was read, to see whether the file is still the same.
    last: Vec<u8>,
    stamp: Option<(u64, SystemTime)>,
}

impl RunIndex {
    /// The episode of that key.
    pub fn find(&self, key: &str) -> Option<&EpisodeLine> {
        self.by_key.get(key).map(|at| &self.lines[*at])
    }

    /// When the list was last written, in seconds since 1970.
    pub fn written(&self) -> Option<u64> {
        let (_, moment) = self.stamp?;
        Some(moment.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs())
    }

    /// Reads what is new. A file that is not there holds nothing.
    pub fn refresh(&mut self, folder: &Path) -> io::Result<()> {
        let path = folder.join(EPISODES);
        let Ok(about) = fs::metadata(&path) else {
            *self = RunIndex::default();
            return Ok(());
        };
        let stamp = (about.len(), about.modified()?);
        if self.stamp == Some(stamp) {
            return Ok(());
        }
        let mut file = File::open(&path)?;
        if !self.has_only_grown(&mut file, about.len())? {
            *self = RunIndex::default();
        }
        file.seek(SeekFrom::Start(self.read))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        self.take(&bytes);
        self.stamp = Some(stamp);
        Ok(())
    }

    fn has_only_grown(&self, file: &mut File, len: u64) -> io::Result<bool> {
        if self.read == 0 || len < self.read {
            return Ok(self.read == 0);
        }
        let mut same = vec![0; self.last.len()];
        file.seek(SeekFrom::Start(self.read - self.last.len() as u64))?;
        file.read_exact(&mut same)?;
        Ok(same == self.last)
    }

    /// Takes the whole lines; one that is still being written is left for the next time.
    fn take(&mut self, bytes: &[u8]) {
        let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else { return };
        let whole = &bytes[..=end];
        for (line, parsed) in parse(whole) {
            match parsed {
                Ok(found) => self.put(found),
                Err(e) if self.problems.len() < PROBLEMS_KEPT => {
                    self.problems.push(format!("{EPISODES}: {e}: {}", start_of(line)));
                }
                Err(_) => {}
            }
        }
        let start = whole[..end].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        self.last = whole[start..].to_vec();
        self.read += whole.len() as u64;
    }

    /// An episode that was played again takes the place of the old one.
    fn put(&mut self, line: EpisodeLine) {
        match self.by_key.get(&line.key) {
            Some(at) => self.lines[*at] = line,
            None => {
                self.by_key.insert(line.key.clone(), self.lines.len());
                self.lines.push(line);
            }
        }
    }
}

type Parsed<'b> = (&'b [u8], Result<EpisodeLine, String>);

/// Parses lines on all cores.
fn parse(bytes: &[u8]) -> Vec<Parsed<'_>> {
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let share = lines.len().div_ceil(cores).max(1000);
    std::thread::scope(|scope| {
        let parts: Vec<_> = lines.chunks(share).map(|part| scope.spawn(|| parse_part(part))).collect();
        parts.into_iter().flat_map(|part| part.join().expect("parsing does not panic")).collect()
    })
}

fn parse_part<'b>(lines: &[&'b [u8]]) -> Vec<Parsed<'b>> {
    lines.iter().map(|line| (*line, EpisodeLine::parse(line))).collect()
}

fn start_of(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::stage::{Folder, line, text};
    use super::*;

    fn keys(index: &RunIndex) -> Vec<&str> {
        index.lines.iter().map(|line| line.key.rsplit('/').next().unwrap_or_default()).collect()
    }

    #[test]
    fn what_is_new_is_read_and_a_new_file_is_read_anew() {
        let folder = Folder::new("index");
        let path = folder.path.join(EPISODES);
        let lines: Vec<EpisodeLine> = (0..4).map(|seed| line("a", seed)).collect();
        let mut index = RunIndex::default();
        let mut check = |text: String, expect: &[&str]| {
            fs::write(&path, text).expect("it can be written");
            // Two writes within the clock's grain must not look like one.
            index.stamp = None;
            index.refresh(&folder.path).expect("it can be read");
            assert_eq!(keys(&index), expect);
        };
        check(String::new(), &[]);
        check(text(&lines[..2]), &["0", "1"]);
        // The third is still being written.
        let third = text(&lines[2..3]);
        check(text(&lines[..2]) + &third[..third.len() / 2], &["0", "1"]);
        check(text(&lines[..3]), &["0", "1", "2"]);
        // Sorted otherwise: another file.
        check(text(&[lines[3].clone(), lines[0].clone(), lines[1].clone(), lines[2].clone()]), &["3", "0", "1", "2"]);
        check(text(&lines[3..]), &["3"]);
        fs::remove_file(&path).expect("it was there");
        index.refresh(&folder.path).expect("nothing to read");
        assert!(index.lines.is_empty());
    }

    #[test]
    fn an_episode_played_again_counts_once_and_rubbish_is_told() {
        let mut index = RunIndex::default();
        let again = EpisodeLine { digest: "again".into(), ..line("a", 0) };
        index.take((text(&[line("a", 0), line("a", 1)]) + "{\"key\": 1}\nrubbish\n" + &text(&[again])).as_bytes());
        assert_eq!(keys(&index), ["0", "1"]);
        assert_eq!(index.find(&index.lines[0].key).map(|line| &*line.digest), Some("again"));
        assert_eq!(index.problems.len(), 2, "{:?}", index.problems);
    }
}
