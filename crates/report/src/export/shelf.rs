//! Where an export goes. Formats say what a file holds; the owner of the disk says where it stands.

use std::io::{self, Read, Seek, Write};

/// A place for the files of an export.
pub trait Shelf {
    /// A new file. Its name may have folders in it, divided by `/`.
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Sink>>;
    /// Room for what cannot be written to its file yet.
    fn spool(&mut self) -> io::Result<Box<dyn Spool>>;
}

/// A file that is being written.
pub trait Sink: Write + Seek + Send {
    /// Ends it: all of it is written.
    fn keep(self: Box<Self>) -> io::Result<()>;
}

/// A file that no other program sees.
pub trait Spool: Read + Write + Seek {}

impl<T: Read + Write + Seek> Spool for T {}
