//! Series: names, labels and samples, as a scraping server keeps them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::labels::{Labels, METRIC_NAME};
use crate::matcher::{MatchOp, Matcher};

/// The bits of the value that says "this series ends here". No computation gives this NaN.
const STALE_BITS: u64 = 0x7ff0_0000_0000_0002;

/// The marker of a series that was gone at a scrape.
pub const STALE: f64 = f64::from_bits(STALE_BITS);

/// Whether a value is the marker.
pub fn is_stale(value: f64) -> bool {
    value.to_bits() == STALE_BITS
}

/// The samples of one label set, sorted by time (milliseconds).
#[derive(Clone, Debug)]
pub struct StoredSeries {
    labels: Labels,
    times: Vec<i64>,
    values: Vec<f64>,
    has_markers: bool,
}

impl StoredSeries {
    /// What names it.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// When samples were taken.
    pub fn times(&self) -> &[i64] {
        &self.times
    }

    /// The values, markers among them.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Whether any value is a marker.
    pub fn has_markers(&self) -> bool {
        self.has_markers
    }

    /// Whether there is a sample in these milliseconds, ends included.
    pub fn is_seen_in(&self, start: i64, end: i64) -> bool {
        let first = self.times.partition_point(|t| *t < start);
        self.times.get(first).is_some_and(|t| *t <= end)
    }

    fn push(&mut self, time: i64, value: f64) {
        self.has_markers |= is_stale(value);
        let at = match self.times.last() {
            Some(last) if time <= *last => self.times.partition_point(|t| *t < time),
            _ => self.times.len(),
        };
        if self.times.get(at) == Some(&time) {
            self.values[at] = value;
        } else {
            self.times.insert(at, time);
            self.values.insert(at, value);
        }
    }
}

/// What a metric is, as its exporter says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MetricMetadata {
    /// counter, gauge, histogram, summary, info, unknown.
    pub kind: String,
    /// One sentence.
    pub help: String,
    /// A unit such as `bytes`, or nothing.
    pub unit: String,
}

/// All series of a server. Clones share every series that they did not change.
#[derive(Clone, Debug, Default)]
pub struct SeriesStore {
    series: Vec<Arc<StoredSeries>>,
    places: BTreeMap<Labels, u32>,
    /// Which series have a label with a value, sorted.
    index: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Vec<u32>>>,
    metadata: BTreeMap<String, Vec<MetricMetadata>>,
}

impl SeriesStore {
    /// Adds a sample. A second one for the same moment replaces the first.
    pub fn append(&mut self, labels: &Labels, time: i64, value: f64) {
        let place = self.place(labels);
        Arc::make_mut(&mut self.series[place]).push(time, value);
    }

    fn place(&mut self, labels: &Labels) -> usize {
        if let Some(place) = self.places.get(labels) {
            return *place as usize;
        }
        let place = u32::try_from(self.series.len()).expect("a simulated server holds fewer than 4 billion series");
        for (name, value) in labels.shared() {
            self.index.entry(name.clone()).or_default().entry(value.clone()).or_default().push(place);
        }
        self.places.insert(labels.clone(), place);
        self.series.push(Arc::new(StoredSeries {
            labels: labels.clone(),
            times: Vec::new(),
            values: Vec::new(),
            has_markers: false,
        }));
        place as usize
    }

    /// Says what a metric is.
    pub fn describe(&mut self, metric: impl Into<String>, metadata: MetricMetadata) {
        let known = self.metadata.entry(metric.into()).or_default();
        if !known.contains(&metadata) {
            known.push(metadata);
        }
    }

    /// What is known of metrics, by name.
    pub fn metadata(&self) -> &BTreeMap<String, Vec<MetricMetadata>> {
        &self.metadata
    }

    /// How many series there are.
    pub fn len(&self) -> usize {
        self.series.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.series.is_empty()
    }

    /// All series, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = &StoredSeries> {
        self.series.iter().map(|s| &**s)
    }

    /// The values that a label has, with how many series have each.
    pub fn values_of(&self, label: &str) -> impl Iterator<Item = (&str, usize)> {
        self.index.get(label).into_iter().flatten().map(|(value, places)| (&**value, places.len()))
    }

    /// The names of all labels.
    pub fn label_names(&self) -> impl Iterator<Item = &str> {
        self.index.keys().map(|name| &**name)
    }

    /// The series that all matchers fit.
    pub fn select(&self, matchers: &[Matcher]) -> Vec<&StoredSeries> {
        let narrowest = matchers
            .iter()
            .enumerate()
            .filter(|(_, m)| m.op == MatchOp::Equal && !m.value.is_empty())
            .map(|(i, m)| (i, self.places_of(&m.name, &m.value)))
            .min_by_key(|(_, places)| places.len());
        let Some((chosen, places)) = narrowest else {
            return self.iter().filter(|s| matchers.iter().all(|m| m.fits(&s.labels))).collect();
        };
        let rest: Vec<&Matcher> = matchers.iter().enumerate().filter(|(i, _)| *i != chosen).map(|(_, m)| m).collect();
        places
            .iter()
            .map(|place| &*self.series[*place as usize])
            .filter(|s| rest.iter().all(|m| m.fits(&s.labels)))
            .collect()
    }

    fn places_of(&self, name: &str, value: &str) -> &[u32] {
        self.index.get(name).and_then(|values| values.get(value)).map_or(&[], Vec::as_slice)
    }

    /// The series of a metric.
    pub fn of_metric(&self, name: &str) -> Vec<&StoredSeries> {
        self.select(&[Matcher::equal(METRIC_NAME, name)])
    }

    /// Forgets samples before a moment, and series that have none left.
    pub fn forget_before(&mut self, moment: i64) {
        let mut kept = Self { metadata: std::mem::take(&mut self.metadata), ..Self::default() };
        for series in &self.series {
            let from = series.times.partition_point(|t| *t < moment);
            if from == series.times.len() {
                continue;
            }
            let place = kept.place(&series.labels);
            kept.series[place] = if from == 0 {
                series.clone()
            } else {
                Arc::new(StoredSeries {
                    labels: series.labels.clone(),
                    times: series.times[from..].to_vec(),
                    values: series.values[from..].to_vec(),
                    has_markers: series.has_markers,
                })
            };
        }
        *self = kept;
    }
}
