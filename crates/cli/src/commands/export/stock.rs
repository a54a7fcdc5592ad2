//! The records that there are to export, in the order in which they are exported. Only their first
//! lines are read for this; the rest is read when its turn comes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use record::folder::{EPISODES, read_lines, record_files, record_path};
use record::{Event, Record, read_text, sha256};
use report::export::{ExportEpisode, ExportOrder};

const ADVICE_RUN_AGAIN: &str = "run the episode again";

/// All records.
#[derive(Default)]
pub struct Stock {
    /// Those that can be exported as far as their first line tells.
    pub items: Vec<Item>,
    /// What is wrong with the others.
    pub damaged: Vec<String>,
}

/// A record.
pub struct Item {
    path: PathBuf,
    /// What the run says of it, if there is an index.
    digest: Option<String>,
    /// Where it stands in the export.
    pub place: ExportOrder,
}

impl Stock {
    /// Finds the records of these runs.
    pub fn open(runs: &[PathBuf]) -> anyhow::Result<Stock> {
        let mut stock = Stock::default();
        for run in runs {
            let found = stock.items.len() + stock.damaged.len();
            stock.add(run)?;
            if found == stock.items.len() + stock.damaged.len() {
                bail!("there is no record in {}; give the folder of a run", run.display());
            }
        }
        stock.items.sort_by(|one, other| (&one.place, &one.path).cmp(&(&other.place, &other.path)));
        Ok(stock)
    }

    fn add(&mut self, run: &Path) -> anyhow::Result<()> {
        if run.is_file() {
            self.peek(run.to_path_buf(), None);
        } else if run.join(EPISODES).exists() {
            self.add_listed(run)?;
        } else {
            record_files(run)
                .context("give the folder of a run")?
                .into_iter()
                .for_each(|file| self.peek(file.path, None));
        }
        Ok(())
    }

    /// An episode is finished when the index says so.
    fn add_listed(&mut self, run: &Path) -> anyhow::Result<()> {
        let found = read_lines(run)?;
        let index = run.join(EPISODES);
        self.damaged
            .extend(found.damaged.iter().map(|d| format!("{}: line {}: {}", index.display(), d.line, d.problem)));
        let listed: BTreeMap<String, String> = found.lines.into_iter().map(|line| (line.key, line.digest)).collect();
        for (key, digest) in listed {
            let path = record_path(run, &key);
            match path.exists() {
                true => self.peek(path, Some(digest)),
                false => self.damaged.push(format!("{key}: its record is missing; {ADVICE_RUN_AGAIN}")),
            }
        }
        Ok(())
    }

    fn peek(&mut self, path: PathBuf, digest: Option<String>) {
        match place(&path) {
            Some(place) => self.items.push(Item { path, digest, place }),
            None => {
                let problem = Record::read(&path).err().map(|error| error.to_string());
                self.damaged
                    .push(problem.unwrap_or_else(|| format!("{}: no record; {ADVICE_RUN_AGAIN}", path.display())));
            }
        }
    }
}

impl Item {
    /// Reads all of it.
    pub fn read(&self) -> Result<ExportEpisode, String> {
        let text = read_text(&self.path, "read the record", ADVICE_RUN_AGAIN).map_err(|error| error.to_string())?;
        let record = Record::parse(&self.path, &text).map_err(|error| error.to_string())?;
        let digest = sha256(text.as_bytes());
        let shown = self.path.display();
        if self.digest.as_ref().is_some_and(|listed| *listed != digest) {
            return Err(format!("{shown}: it is not the record that the run wrote; {ADVICE_RUN_AGAIN}"));
        }
        ExportEpisode::of(record, digest).map_err(|error| format!("{shown}: {error}"))
    }
}

/// Where the record in a file stands, if its first line can be read.
fn place(path: &Path) -> Option<ExportOrder> {
    let mut line = String::new();
    BufReader::new(File::open(path).ok()?).read_line(&mut line).ok()?;
    match serde_json::from_str(&line) {
        Ok(Event::Started(header)) => Some(ExportOrder::of(&header)),
        Ok(_) => None,
        // One of an older version is lifted as a whole.
        Err(_) => Record::read(path).ok()?.header().map(ExportOrder::of),
    }
}
