//! What a run that was stopped leaves behind: what it came to so far, and how to go on.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::{PARTIAL, SUMMARY};
use crate::error::RecordError;
use crate::record::write_whole;

/// How far a stopped run came.
#[derive(Debug, Serialize)]
pub struct Partial<'a> {
    /// Why it stopped.
    pub stopped: &'a str,
    /// Episodes that are finished.
    pub finished: usize,
    /// Episodes that could not be played.
    pub failed: usize,
    /// Episodes that are still to be played, the begun ones among them.
    pub open: usize,
    /// Episodes that were begun, with the steps they had taken.
    pub begun: &'a BTreeMap<String, u32>,
    /// The command that goes on.
    pub go_on: &'a str,
    /// What the finished episodes came to.
    pub so_far: Value,
}

impl Partial<'_> {
    /// Writes it: all of it or nothing.
    pub fn write(&self, folder: &Path) -> Result<(), RecordError> {
        let text = serde_json::to_string_pretty(self).expect("it is plain data") + "\n";
        write_whole(&folder.join(PARTIAL), text.as_bytes())?;
        // A summary that an earlier, smaller run left would pass for this one's.
        let _ = fs::remove_file(folder.join(SUMMARY));
        Ok(())
    }
}
