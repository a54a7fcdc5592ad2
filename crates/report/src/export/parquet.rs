//! Parquet tables: `episodes.parquet`, a row per episode with its whole score, and `steps.parquet`, a row
//! per step. Behind the feature `parquet`, because its library costs much to compile.

#[cfg(feature = "parquet")]
mod columns;
#[cfg(feature = "parquet")]
mod table;
#[cfg(feature = "parquet")]
mod tables;

use super::{Export, ExportError, Format};

/// `parquet`.
pub struct Parquet;

impl Format for Parquet {
    fn name(&self) -> &'static str {
        "parquet"
    }

    fn about(&self) -> &'static str {
        "two Parquet tables, of episodes and of steps (needs a program built with the feature `parquet`)"
    }

    fn extension(&self) -> Option<&'static str> {
        None
    }

    #[cfg(feature = "parquet")]
    fn start(&self) -> Result<Box<dyn Export>, ExportError> {
        Ok(Box::new(tables::Tables::default()))
    }

    #[cfg(not(feature = "parquet"))]
    fn start(&self) -> Result<Box<dyn Export>, ExportError> {
        Err(ExportError::NotBuilt("parquet"))
    }
}
