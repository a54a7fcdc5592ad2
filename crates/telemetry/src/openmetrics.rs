//! OpenMetrics text with timestamps: how history is brought in.

use crate::go::parse_float;
use crate::labels::{Labels, METRIC_NAME};
use crate::store::{MetricMetadata, SeriesStore};

/// Reads a text into a store; the error names the line.
pub fn load_openmetrics(store: &mut SeriesStore, text: &str) -> Result<(), String> {
    let mut described = Described::default();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim_end();
        let outcome = if let Some(comment) = line.strip_prefix("# ") {
            described.note(comment, store);
            Ok(())
        } else if line.is_empty() || line.starts_with('#') {
            Ok(())
        } else {
            sample(store, line)
        };
        outcome.map_err(|why| format!("line {}: {why}", i + 1))?;
    }
    described.finish(store);
    Ok(())
}

/// HELP, TYPE and UNIT of the metric that is being read.
#[derive(Default)]
struct Described {
    name: String,
    metadata: Option<MetricMetadata>,
}

impl Described {
    fn note(&mut self, comment: &str, store: &mut SeriesStore) {
        let mut words = comment.splitn(3, ' ');
        let (Some(what), Some(name)) = (words.next(), words.next()) else { return };
        if name != self.name {
            self.finish(store);
            self.name = name.to_owned();
        }
        let text = words.next().unwrap_or("").to_owned();
        let metadata = self.metadata.get_or_insert_with(|| MetricMetadata {
            kind: "unknown".to_owned(),
            help: String::new(),
            unit: String::new(),
        });
        match what {
            "HELP" => metadata.help = text,
            "TYPE" => metadata.kind = text,
            "UNIT" => metadata.unit = text,
            _ => {}
        }
    }

    fn finish(&mut self, store: &mut SeriesStore) {
        if let Some(metadata) = self.metadata.take() {
            store.describe(self.name.clone(), metadata);
        }
    }
}

/// `name{a="b"} 1.5 1767268803.700`
fn sample(store: &mut SeriesStore, line: &str) -> Result<(), String> {
    let (labels, rest) = read_labels(line)?;
    let mut words = rest.split_whitespace();
    let value = words.next().and_then(parse_float).ok_or("no value")?;
    let time: f64 = words.next().and_then(parse_float).ok_or("no timestamp")?;
    store.append(&labels, (time * 1000.0).round() as i64, value);
    Ok(())
}

fn read_labels(line: &str) -> Result<(Labels, &str), String> {
    let name_end = line.find(['{', ' ']).ok_or("no value")?;
    let mut labels = Labels::default().edit();
    labels.set(METRIC_NAME, &line[..name_end]);
    let Some(mut rest) = line[name_end..].strip_prefix('{') else {
        return Ok((labels.finish(), &line[name_end..]));
    };
    loop {
        rest = rest.trim_start_matches([',', ' ']);
        if let Some(after) = rest.strip_prefix('}') {
            return Ok((labels.finish(), after));
        }
        let (name, after) = rest.split_once("=\"").ok_or("a label without a value")?;
        let mut value = String::new();
        let mut chars = after.char_indices();
        let end = loop {
            match chars.next().ok_or("an open quote")? {
                (i, '"') => break i,
                (_, '\\') => match chars.next().ok_or("an open quote")?.1 {
                    'n' => value.push('\n'),
                    other => value.push(other),
                },
                (_, c) => value.push(c),
            }
        };
        labels.set(name, value);
        rest = &after[end + 1..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_and_descriptions_are_read() {
        let mut store = SeriesStore::default();
        let text = "# HELP up Was it there.\n# TYPE up gauge\nup{job=\"a\\\"b\\n\",x=\"\"} 1 12.5\nup 0 13\n# EOF\n";
        load_openmetrics(&mut store, text).expect("it is well formed");
        assert_eq!(store.len(), 2);
        let first = store.iter().next().expect("a series");
        assert_eq!(first.labels().in_braces(), r#"{__name__="up", job="a\"b\n"}"#);
        assert_eq!((first.times(), first.values()), (&[12_500][..], &[1.0][..]));
        assert_eq!(store.metadata()["up"][0].help, "Was it there.");
        assert_eq!(load_openmetrics(&mut store, "up{a=\"b} 1 1"), Err("line 1: an open quote".to_owned()));
    }
}
