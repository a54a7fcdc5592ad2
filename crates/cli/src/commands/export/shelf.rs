//! The disk as a shelf for exports. A file has its name only when it is whole, and nothing that was
//! there before is written over unless that was asked for.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::bail;
use report::export::{Shelf, Sink, Spool};

/// Files below a folder, or one file. They get their names together, when the export is whole.
pub struct Disk {
    out: PathBuf,
    /// Whether `out` is the one file.
    single: bool,
    force: bool,
    begun: BTreeSet<PathBuf>,
}

impl Disk {
    /// A place for an export; `extension` is that of the format's files where one may be named.
    pub fn new(out: &Path, extension: Option<&str>, force: bool) -> anyhow::Result<Disk> {
        let named = out.extension().is_some_and(|found| Some(&*found.to_string_lossy()) == extension);
        let single = named && !out.is_dir();
        if out.exists() && !out.is_dir() && !single {
            bail!("{} is a file; name a folder with --out", out.display());
        }
        Ok(Disk { out: out.to_path_buf(), single, force, begun: BTreeSet::new() })
    }

    /// Gives all files their names, and says which they are.
    pub fn keep(mut self) -> io::Result<Vec<PathBuf>> {
        let files: Vec<PathBuf> = std::mem::take(&mut self.begun).into_iter().collect();
        for (at, path) in files.iter().enumerate() {
            if let Err(error) = fs::rename(part(path), path) {
                self.begun.extend(files[at..].iter().cloned());
                return Err(error);
            }
        }
        Ok(files)
    }

    fn path(&self, name: &str) -> io::Result<PathBuf> {
        match (self.single, self.begun.is_empty()) {
            (false, _) => Ok(self.out.join(name)),
            (true, true) => Ok(self.out.clone()),
            (true, false) => Err(io::Error::other(format!(
                "there is more to write than fits in {}; name a folder with --out",
                self.out.display()
            ))),
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        for path in &self.begun {
            // Nothing can be done about a remainder that does not go away.
            let _ = fs::remove_file(part(path));
        }
    }
}

impl Shelf for Disk {
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Sink>> {
        let path = self.path(name)?;
        if self.begun.contains(&path) || (path.exists() && !self.force) {
            let problem = format!("{} is there already; choose another --out, or give --force", path.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, problem));
        }
        let file = begin(&part(&path))?;
        self.begun.insert(path);
        Ok(Box::new(Page(BufWriter::new(file))))
    }

    fn spool(&mut self) -> io::Result<Box<dyn Spool>> {
        let path = beside(&self.path("samples")?, "spool");
        Ok(Box::new(Roll { file: begin(&path)?, path }))
    }
}

/// A file that is being written.
struct Page(BufWriter<File>);

impl Sink for Page {
    fn keep(self: Box<Self>) -> io::Result<()> {
        // Not synced to the disk: an export can be made again, and thousands of files would wait for it.
        self.0.into_inner().map(drop).map_err(io::IntoInnerError::into_error)
    }
}

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for Page {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

/// What waits to be written; it goes away with its last reader.
struct Roll {
    file: File,
    path: PathBuf,
}

impl Read for Roll {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.read(bytes)
    }
}

impl Write for Roll {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Roll {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for Roll {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// A new file; what an interrupted export left under its name is of no use.
fn begin(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    File::options().read(true).write(true).create(true).truncate(true).open(path)
}

/// The name of a file until it is whole.
fn part(path: &Path) -> PathBuf {
    beside(path, "part")
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{ending}"));
    name.into()
}
