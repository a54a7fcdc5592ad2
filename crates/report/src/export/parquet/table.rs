//! One Parquet file: rows come one by one and are written in groups, so memory stays bounded.

use std::io;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use crate::export::{ExportError, Shelf, Sink};

/// So many rows are kept before they are written.
const GROUP: usize = 4096;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// A whole number that is not negative.
    Whole,
    /// Any number.
    Real,
    /// True or false.
    Truth,
}

/// One value. `None` if there is none.
pub enum ParquetCell {
    /// Text.
    Text(Option<String>),
    /// A whole number.
    Whole(Option<u64>),
    /// Any number.
    Real(Option<f64>),
    /// True or false.
    Truth(Option<bool>),
}

/// A file that is being written.
pub struct ParquetFile {
    file: SerializedFileWriter<Box<dyn Sink>>,
    columns: Vec<PendingColumn>,
    rows: usize,
}

/// The values of a column that wait to be written, and for each row whether it has one.
struct PendingColumn {
    values: ColumnValues,
    present: Vec<i16>,
}

enum ColumnValues {
    Text(Vec<ByteArray>),
    Whole(Vec<i64>),
    Real(Vec<f64>),
    Truth(Vec<bool>),
}

impl ParquetFile {
    /// Begins the file `NAME.parquet`.
    pub fn begin(
        name: &str,
        columns: impl Iterator<Item = (&'static str, ColumnKind)> + Clone,
        shelf: &mut dyn Shelf,
    ) -> Result<ParquetFile, ExportError> {
        let held = columns.clone().map(|(_, kind)| PendingColumn::new(kind)).collect();
        let schema = schema(name, columns).map_err(told)?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let sink = shelf.create(&format!("{name}.parquet"))?;
        let file = SerializedFileWriter::new(sink, schema, Arc::new(properties)).map_err(told)?;
        Ok(ParquetFile { file, columns: held, rows: 0 })
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl Iterator<Item = ParquetCell>) -> Result<(), ExportError> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell);
        }
        self.rows += 1;
        if self.rows >= GROUP { self.flush() } else { Ok(()) }
    }

    /// Ends the file.
    pub fn keep(mut self) -> Result<(), ExportError> {
        self.flush()?;
        let sink = self.file.into_inner().map_err(told)?;
        Ok(sink.keep()?)
    }

    fn flush(&mut self) -> Result<(), ExportError> {
        if self.rows > 0 {
            self.rows = 0;
            write_group(&mut self.file, &mut self.columns).map_err(told)?;
        }
        Ok(())
    }
}

fn write_group(
    file: &mut SerializedFileWriter<Box<dyn Sink>>,
    columns: &mut [PendingColumn],
) -> Result<(), ParquetError> {
    let mut group = file.next_row_group()?;
    for column in columns {
        let mut writer = group.next_column()?.ok_or_else(|| ParquetError::General("a column too many".to_string()))?;
        column.write(&mut writer)?;
        writer.close()?;
    }
    group.close()?;
    Ok(())
}

impl PendingColumn {
    fn new(kind: ColumnKind) -> PendingColumn {
        let values = match kind {
            ColumnKind::Text => ColumnValues::Text(Vec::new()),
            ColumnKind::Whole => ColumnValues::Whole(Vec::new()),
            ColumnKind::Real => ColumnValues::Real(Vec::new()),
            ColumnKind::Truth => ColumnValues::Truth(Vec::new()),
        };
        PendingColumn { values, present: Vec::new() }
    }

    fn push(&mut self, cell: ParquetCell) {
        let present = match (&mut self.values, cell) {
            (ColumnValues::Text(all), ParquetCell::Text(text)) => {
                put(all, text.map(|text| ByteArray::from(text.into_bytes())))
            }
            // The column says that it is unsigned; the bits are the same.
            (ColumnValues::Whole(all), ParquetCell::Whole(number)) => put(all, number.map(u64::cast_signed)),
            (ColumnValues::Real(all), ParquetCell::Real(number)) => put(all, number),
            (ColumnValues::Truth(all), ParquetCell::Truth(holds)) => put(all, holds),
            _ => panic!("a column holds what it says"),
        };
        self.present.push(i16::from(present));
    }

    fn write(&mut self, writer: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let present = std::mem::take(&mut self.present);
        let levels = Some(&present[..]);
        match &mut self.values {
            ColumnValues::Text(all) => writer.typed::<ByteArrayType>().write_batch(&std::mem::take(all), levels, None),
            ColumnValues::Whole(all) => writer.typed::<Int64Type>().write_batch(&std::mem::take(all), levels, None),
            ColumnValues::Real(all) => writer.typed::<DoubleType>().write_batch(&std::mem::take(all), levels, None),
            ColumnValues::Truth(all) => writer.typed::<BoolType>().write_batch(&std::mem::take(all), levels, None),
        }?;
        Ok(())
    }
}

/// Puts a value behind the others, and says whether there was one.
fn put<T>(all: &mut Vec<T>, value: Option<T>) -> bool {
    let present = value.is_some();
    all.extend(value);
    present
}

fn schema(name: &str, columns: impl Iterator<Item = (&'static str, ColumnKind)>) -> Result<TypePtr, ParquetError> {
    let fields = columns.map(|(name, kind)| field(name, kind).map(Arc::new)).collect::<Result<Vec<_>, _>>()?;
    Ok(Arc::new(Type::group_type_builder(name).with_fields(fields).build()?))
}

fn field(name: &str, kind: ColumnKind) -> Result<Type, ParquetError> {
    let (physical, logical) = match kind {
        ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnKind::Whole => (Physical::INT64, Some(LogicalType::integer(64, false))),
        ColumnKind::Real => (Physical::DOUBLE, None),
        ColumnKind::Truth => (Physical::BOOLEAN, None),
    };
    let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
    builder.with_logical_type(logical).build()
}

fn told(error: ParquetError) -> ExportError {
    ExportError::Io(io::Error::other(error))
}
