//! One writer at a time: a lock on the folder of a run. The system releases it when its process
//! ends, however that happens, so there are no stale locks.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;

use crate::error::RecordError;

/// The file that is locked. It stays, empty: removing it would let two runs lock two files.
const LOCK: &str = ".lock";

/// Held as long as a program writes to the folder.
#[derive(Debug)]
pub struct FolderLock {
    file: File,
}

impl FolderLock {
    /// Takes the lock of a folder, unless another program has it.
    pub fn take(folder: &Path) -> Result<FolderLock, RecordError> {
        let path = folder.join(LOCK);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = file.map_err(RecordError::io("lock", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            // Some network disks have no locks: better a run without one than none.
            Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(e)) => return Err(RecordError::io("lock", &path)(e)),
            Err(TryLockError::WouldBlock) => {
                let (dir, who) = (folder.display(), holder(&mut file));
                let problem = format!("another run is writing to {dir}{who}");
                return Err(RecordError::Folder(format!(
                    "{problem}; wait until it is through, or choose another folder"
                )));
            }
        }
        file.set_len(0).map_err(RecordError::io("lock", &path))?;
        write!(file, "{}", std::process::id()).map_err(RecordError::io("lock", &path))?;
        Ok(FolderLock { file })
    }
}

/// ` (process 4711)`, as far as it can be read.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.read_to_string(&mut text);
    read.ok().and_then(|_| text.parse::<u32>().ok()).map_or(String::new(), |id| format!(" (process {id})"))
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // It is not read once the lock is gone; then two equal runs have equal folders.
        let _ = self.file.set_len(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_has_it() {
        let folder = std::env::temp_dir().join(format!("sre-zero-lock-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("it can be made");
        let first = FolderLock::take(&folder).expect("it is free");
        let error = FolderLock::take(&folder).expect_err("it is taken").to_string();
        assert!(error.starts_with("another run is writing to ") && error.contains("(process "), "{error}");
        drop(first);
        // What a killed process wrote there says nothing: its lock is gone with it.
        std::fs::write(folder.join(LOCK), "1").expect("it can be written");
        drop(FolderLock::take(&folder).expect("it is free again"));
        assert_eq!(std::fs::read_to_string(folder.join(LOCK)).expect("it stays"), "");
        std::fs::remove_dir_all(folder).expect("it was there");
    }
}
