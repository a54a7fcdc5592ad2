//! What went wrong, in the form in which Terraform says it.

use std::fmt;

/// An error with its place. The summary is Terraform's own, so that those who know the tool recognise it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The headline, such as `Unsupported argument`.
    pub summary: String,
    /// One or two sentences.
    pub detail: String,
    /// The file, where it is known.
    pub file: Option<String>,
    /// The line, counted from one.
    pub line: Option<u32>,
    /// The block it is about, such as `aws_vpc.main`.
    pub address: Option<String>,
}

impl Diagnostic {
    /// An error without a place.
    pub fn new(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { summary: summary.into(), detail: detail.into(), file: None, line: None, address: None }
    }

    /// Adds the file, unless a closer one is known.
    #[must_use]
    pub fn in_file(mut self, file: &str) -> Self {
        self.file.get_or_insert_with(|| file.to_owned());
        self
    }

    /// Adds the line, unless a closer one is known.
    #[must_use]
    pub fn at(mut self, line: u32) -> Self {
        self.line.get_or_insert(line);
        self
    }

    /// Adds the block, unless a closer one is known.
    #[must_use]
    pub fn with(mut self, address: impl Into<String>) -> Self {
        self.address.get_or_insert_with(|| address.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(file), Some(line)) = (&self.file, self.line) {
            write!(f, "{file}:{line}: ")?;
        }
        if let Some(address) = &self.address {
            write!(f, "{address}: ")?;
        }
        write!(f, "{}", self.summary)?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, ": {}", self.detail) }
    }
}

impl std::error::Error for Diagnostic {}
