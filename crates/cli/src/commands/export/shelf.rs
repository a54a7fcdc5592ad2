//! The disk as a shelf for exports. A file has its name only when it is whole, and nothing that was
//! there before is written over unless that was asked for.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::bail;
use report::export::{Shelf, Sink, Spool};

/// Files below a folder, or one file.
pub struct Disk {
    out: PathBuf,
    /// Whether `out` is the one file.
    single: bool,
    force: bool,
    /// What was begun, in order.
    pub files: Vec<PathBuf>,
    names: BTreeSet<PathBuf>,
}

impl Disk {
    /// A place for an export; `extension` is that of the format's files where one may be named.
    pub fn new(out: &Path, extension: Option<&str>, force: bool) -> anyhow::Result<Disk> {
        let single =
            !out.is_dir() && out.extension().is_some_and(|found| Some(found.to_string_lossy().as_ref()) == extension);
        if out.exists() && !out.is_dir() && !single {
            bail!("{} is a file; name a folder with --out", out.display());
        }
        Ok(Disk { out: out.to_path_buf(), single, force, files: Vec::new(), names: BTreeSet::new() })
    }

    fn path(&self, name: &str) -> io::Result<PathBuf> {
        match (self.single, self.files.first()) {
            (false, _) => Ok(self.out.join(name)),
            (true, None) => Ok(self.out.clone()),
            (true, Some(file)) => {
                let problem = format!("it comes to more files than {}; name a folder with --out", file.display());
                Err(io::Error::other(problem))
            }
        }
    }
}

impl Shelf for Disk {
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Sink>> {
        let path = self.path(name)?;
        let known = !self.names.insert(path.clone());
        if known || (path.exists() && !self.force) {
            let problem = format!("{} is there already; choose another --out, or give --force", path.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, problem));
        }
        self.files.push(path.clone());
        let begun = beside(&path, "part");
        Ok(Box::new(Page { file: Some(BufWriter::new(begin(&begun)?)), begun, path }))
    }

    fn spool(&mut self) -> io::Result<Box<dyn Spool>> {
        let path = beside(&self.path("samples")?, "spool");
        Ok(Box::new(Roll { file: begin(&path)?, path }))
    }
}

/// A file on its way to its name.
struct Page {
    file: Option<BufWriter<File>>,
    begun: PathBuf,
    path: PathBuf,
}

impl Sink for Page {
    fn keep(mut self: Box<Self>) -> io::Result<()> {
        if let Some(file) = self.file.take() {
            file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
            fs::rename(&self.begun, &self.path)?;
        }
        Ok(())
    }
}

impl Page {
    fn file(&mut self) -> &mut BufWriter<File> {
        self.file.as_mut().expect("a file is open until it is kept")
    }
}

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

impl Seek for Page {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file().seek(to)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // Nobody can do anything about a remainder that does not go away.
            let _ = fs::remove_file(&self.begun);
        }
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

/// A new file; what an interrupted export left under its name is of no use to anybody.
fn begin(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    File::options().read(true).write(true).create(true).truncate(true).open(path)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{ending}"));
    name.into()
}
