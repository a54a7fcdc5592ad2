//! W&B: the file of an offline run, which `wandb sync` uploads. Its messages are protobuf, in a log of checked pieces.

use super::tracked::{TrackedRun, Tracker};
use super::{Export, ExportError, Format, Shelf};

/// `wandb`.
pub struct Wandb;

impl Format for Wandb {
    fn name(&self) -> &'static str {
        "wandb"
    }

    fn about(&self) -> &'static str {
        "W&B offline runs, one per agent, for `wandb sync`: settings, a history over episodes, a summary"
    }

    fn extension(&self) -> Option<&'static str> {
        None
    }

    fn start(&self) -> Result<Box<dyn Export>, ExportError> {
        Ok(Box::new(Tracker::new(write)))
    }
}

/// Where all runs go unless `wandb sync --project` says otherwise.
const PROJECT: &str = "sre-zero";

fn write(run: &TrackedRun, shelf: &mut dyn Shelf) -> Result<(), ExportError> {
    // Ids of W&B are short.
    let id = &run.id[..16];
    let mut log = PieceLog::new();
    for (at, (field, message)) in messages(run, id).into_iter().enumerate() {
        let mut record = Message::default();
        record.number(RECORD_NUM, at as u64 + 1);
        record.message(field, &message);
        log.push(&record.0);
    }
    let mut file = shelf.create(&format!("offline-run-19700101_000000-{id}/run-{id}.wandb"))?;
    file.write_all(&log.bytes)?;
    Ok(file.keep()?)
}

// Numbers of fields in W&B's `Record`.
const RECORD_NUM: u32 = 1;
const HISTORY: u32 = 2;
const SUMMARY: u32 = 3;
const RUN: u32 = 17;
const EXIT: u32 = 18;
const HEADER: u32 = 21;

/// The records of a run, each with its field.
fn messages(run: &TrackedRun, id: &str) -> Vec<(u32, Message)> {
    let mut versions = Message::default();
    versions.text(1, "0.31.0");
    versions.text(2, "0.14.0");
    let mut header = Message::default();
    header.message(1, &versions);
    let mut records = vec![(HEADER, header), (RUN, begun(run, id))];
    for (step, values) in run.series.iter().enumerate() {
        let mut history = Message::default();
        values
            .iter()
            .for_each(|(name, value)| history.message(1, &item(&format!("episode/{name}"), &value.to_string())));
        history.message(1, &item("_step", &step.to_string()));
        let mut number = Message::default();
        number.number(1, step as u64);
        history.message(2, &number);
        records.push((HISTORY, history));
    }
    let mut summary = Message::default();
    run.totals.iter().for_each(|(name, value)| summary.message(1, &item(name, &value.to_string())));
    records.push((SUMMARY, summary));
    records.push((EXIT, Message::default()));
    records
}

fn begun(run: &TrackedRun, id: &str) -> Message {
    let mut config = Message::default();
    run.settings.iter().for_each(|(name, value)| config.message(1, &item(name, &super::json(value))));
    let mut begun = Message::default();
    begun.text(1, id);
    begun.text(3, PROJECT);
    begun.message(4, &config);
    begun.text(6, &run.suite);
    begun.text(8, &format!("{} {}", run.agent, run.suite));
    // The beginning of all time: an export knows no day.
    begun.message(17, &Message::default());
    begun
}

/// A key and its value as JSON: settings, history and summary are made of these.
fn item(key: &str, json: &str) -> Message {
    let mut item = Message::default();
    item.text(1, key);
    item.text(16, json);
    item
}

/// A protobuf message being written.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn number(&mut self, field: u32, value: u64) {
        self.varint(u64::from(field) << 3);
        self.varint(value);
    }

    fn text(&mut self, field: u32, text: &str) {
        self.bytes(field, text.as_bytes());
    }

    fn message(&mut self, field: u32, message: &Message) {
        self.bytes(field, &message.0);
    }

    fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

/// A log of records in blocks; a record that does not fit into what is left of a block goes on in the next.
struct PieceLog {
    bytes: Vec<u8>,
}

const BLOCK: usize = 32 * 1024;
const PIECE_HEAD: usize = 7;
const WHOLE: u8 = 1;
const FIRST: u8 = 2;
const MIDDLE: u8 = 3;
const LAST: u8 = 4;

impl PieceLog {
    fn new() -> PieceLog {
        PieceLog { bytes: vec![b':', b'W', b'&', b'B', 0xE1, 0xBE, 0] }
    }

    fn push(&mut self, record: &[u8]) {
        let (mut rest, mut begun) = (record, false);
        loop {
            let left = BLOCK - self.bytes.len() % BLOCK;
            if left < PIECE_HEAD {
                self.bytes.resize(self.bytes.len() + left, 0);
                continue;
            }
            let (piece, after) = rest.split_at(rest.len().min(left - PIECE_HEAD));
            let kind = match (begun, after.is_empty()) {
                (false, true) => WHOLE,
                (false, false) => FIRST,
                (true, false) => MIDDLE,
                (true, true) => LAST,
            };
            self.bytes.extend_from_slice(&crc32(kind, piece).to_le_bytes());
            self.bytes.extend_from_slice(&(piece.len() as u16).to_le_bytes());
            self.bytes.push(kind);
            self.bytes.extend_from_slice(piece);
            (rest, begun) = (after, true);
            if rest.is_empty() {
                return;
            }
        }
    }
}

/// The usual checksum, over the kind of a piece and its bytes.
fn crc32(kind: u8, piece: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(&[kind]);
    sum.update(piece);
    sum.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a log as W&B does: its records, each checked.
    fn records(bytes: &[u8]) -> Vec<Vec<u8>> {
        assert_eq!(bytes[..7], *b":W&B\xE1\xBE\0");
        let (mut at, mut all, mut open) = (7, Vec::new(), Vec::new());
        while at < bytes.len() {
            if BLOCK - at % BLOCK < PIECE_HEAD {
                at += BLOCK - at % BLOCK;
                continue;
            }
            let length = usize::from(u16::from_le_bytes([bytes[at + 4], bytes[at + 5]]));
            let (kind, piece) = (bytes[at + 6], &bytes[at + 7..at + 7 + length]);
            assert_eq!(crc32(kind, piece).to_le_bytes(), bytes[at..at + 4]);
            open.extend_from_slice(piece);
            if kind == WHOLE || kind == LAST {
                all.push(std::mem::take(&mut open));
            }
            at += PIECE_HEAD + length;
        }
        all
    }

    #[test]
    fn records_of_any_length_come_back() {
        let lengths = [1, 100, BLOCK - 120, 3, BLOCK, 5 * BLOCK + 1, 2, 32_743, 9];
        let written: Vec<Vec<u8>> = lengths.iter().map(|length| vec![*length as u8; *length]).collect();
        let mut log = PieceLog::new();
        written.iter().for_each(|record| log.push(record));
        assert!(records(&log.bytes) == written);
    }

    #[test]
    fn numbers_take_seven_bits_a_byte() {
        let mut message = Message::default();
        message.number(16, 300);
        assert_eq!(message.0, [0x80, 0x01, 0xAC, 0x02]);
    }
}
