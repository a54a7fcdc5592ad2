//! The folder that a program works in: empty, its own, and gone afterwards.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;

use server::fresh_id;

const PREFIX: &str = "sre-zero-";
/// Beside each folder. The system lets go of a lock when its process ends, however it ends: so a lock that can be
/// taken says that the folder was left behind.
const LOCK: &str = "lock";

static SWEPT: Once = Once::new();

/// A folder that is removed when this is dropped.
pub struct Room {
    path: PathBuf,
    lock: File,
}

impl Room {
    /// Makes one under a name that cannot be guessed; on Unix no other user may look into it. The first one of a
    /// process also removes what killed runs left.
    pub fn new() -> io::Result<Room> {
        let base = std::env::temp_dir();
        let base = base.canonicalize().unwrap_or(base);
        SWEPT.call_once(|| remove_abandoned(&base));
        Room::below(&base)
    }

    fn below(base: &Path) -> io::Result<Room> {
        let path = base.join(format!("{PREFIX}{}", fresh_id()));
        let lock = OpenOptions::new().write(true).create_new(true).open(path.with_extension(LOCK))?;
        lock.lock()?;
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(Room { path, lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts a file into it.
    pub fn write(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        fs::write(&path, text)?;
        Ok(path)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // What a program made unreadable for itself stays; that hurts no other.
        let _ = fs::remove_dir_all(&self.path);
        let _ = fs::remove_file(self.path.with_extension(LOCK));
        let _ = self.lock.unlock();
    }
}

/// Removes the folders whose process is gone. What cannot be removed (another user's) is left alone.
fn remove_abandoned(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let path = entry.path();
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if !ours || path.extension().is_none_or(|end| end != LOCK) {
            continue;
        }
        let Ok(lock) = File::open(&path) else { continue };
        if lock.try_lock().is_ok() {
            let _ = fs::remove_dir_all(path.with_extension(""));
            let _ = fs::remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_run_left_is_removed_and_what_is_in_use_stays() {
        let base = Room::new().expect("a folder");
        let used = Room::below(base.path()).expect("a folder");
        used.write("file", "in use").expect("it can be written");
        let left = base.path().join("sre-zero-left");
        fs::create_dir(&left).expect("it can be made");
        fs::write(left.join("file"), "left").expect("it can be written");
        fs::write(left.with_extension(LOCK), "").expect("it can be written");
        let other = base.path().join("sre-zero-of-something-else");
        fs::create_dir(&other).expect("it can be made");
        remove_abandoned(base.path());
        assert!(!left.exists() && !left.with_extension(LOCK).exists());
        assert!(used.path().join("file").exists() && other.exists());
    }

    #[test]
    fn a_folder_goes_with_its_room() {
        let room = Room::new().expect("a folder");
        let path = room.path().to_path_buf();
        assert!(path.is_dir() && path.with_extension(LOCK).exists());
        drop(room);
        assert!(!path.exists() && !path.with_extension(LOCK).exists());
    }
}
