//! The folder that a program works in: empty, its own, and gone afterwards.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};

use server::fresh_id;

/// A folder that is removed when this is dropped.
pub struct Room {
    path: PathBuf,
}

impl Room {
    /// Makes one under a name that cannot be guessed; on Unix no other user may look into it.
    pub fn new() -> io::Result<Room> {
        let base = std::env::temp_dir();
        let path = base.canonicalize().unwrap_or(base).join(format!("sre-zero-{}", fresh_id()));
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(Room { path })
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
        // What a program made unreadable for itself stays; that hurts no other program.
        let _ = fs::remove_dir_all(&self.path);
    }
}
