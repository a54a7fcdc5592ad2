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
    /// Whether any value may lie below the one before it.
    falls: bool,
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

    /// Whether a value may lie below the one before it; where it says no, a counter was never reset.
    pub(crate) fn falls(&self) -> bool {
        self.falls
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
        // What comes late may fall on either side.
        self.falls |= at < self.times.len() || self.values.last().is_some_and(|last| value < *last);
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

/// Where a series is in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeriesPlace(usize);

/// All series of a server. Clones share every series that they did not change.
#[derive(Clone, Debug, Default)]
pub struct SeriesStore {
    series: Vec<Arc<StoredSeries>>,
    /// The newest sample of each series, side by side: what most questions are about.
    newest: Vec<(i64, f64)>,
    places: BTreeMap<Labels, u32>,
    /// Which series have a label with a value, sorted.
    index: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Vec<u32>>>,
    metadata: BTreeMap<String, Vec<MetricMetadata>>,
}

impl SeriesStore {
    /// Adds a sample, and says where its series is. A second one for the same moment replaces the first.
    pub fn append(&mut self, labels: &Labels, time: i64, value: f64) -> SeriesPlace {
        let place = SeriesPlace(self.place(labels));
        self.append_at(place, time, value);
        place
    }

    /// The same where the series is known. Places hold until samples are forgotten.
    pub fn append_at(&mut self, SeriesPlace(place): SeriesPlace, time: i64, value: f64) {
        Arc::make_mut(&mut self.series[place]).push(time, value);
        if time >= self.newest[place].0 {
            self.newest[place] = (time, value);
        }
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
        self.newest.push((i64::MIN, STALE));
        self.series.push(Arc::new(StoredSeries {
            labels: labels.clone(),
            times: Vec::new(),
            values: Vec::new(),
            has_markers: false,
            falls: false,
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
        self.select_places(matchers).into_iter().map(|place| &*self.series[place as usize]).collect()
    }

    /// A series by its place.
    pub(crate) fn at(&self, place: u32) -> &StoredSeries {
        &self.series[place as usize]
    }

    /// The newest sample of a series.
    pub(crate) fn newest(&self, place: u32) -> (i64, f64) {
        self.newest[place as usize]
    }

    /// For every series a number that stands for its value of a label, 0 where it has none; nothing where there are more
    /// series with the label than are worth looking at.
    pub(crate) fn value_numbers(&self, label: &str, most: usize) -> Option<Vec<u32>> {
        let mut numbers = vec![0; self.series.len()];
        let Some(values) = self.index.get(label) else { return Some(numbers) };
        if self.series.len() > most || values.len() > most / 4 {
            return None;
        }
        for (number, places) in (1..).zip(values.values()) {
            for place in places {
                numbers[*place as usize] = number;
            }
        }
        Some(numbers)
    }

    /// The places of the series that all matchers fit.
    pub(crate) fn select_places(&self, matchers: &[Matcher]) -> Vec<u32> {
        let narrowest = matchers
            .iter()
            .enumerate()
            .filter(|(_, m)| m.op == MatchOp::Equal && !m.value.is_empty())
            .map(|(i, m)| (i, self.places_of(&m.name, &m.value)))
            .min_by_key(|(_, places)| places.len());
        let Some((chosen, places)) = narrowest else {
            let all = 0..self.series.len() as u32;
            return all.filter(|p| matchers.iter().all(|m| m.fits(&self.at(*p).labels))).collect();
        };
        let rest: Vec<&Matcher> = matchers.iter().enumerate().filter(|(i, _)| *i != chosen).map(|(_, m)| m).collect();
        if rest.is_empty() {
            return places.to_vec();
        }
        places.iter().copied().filter(|p| rest.iter().all(|m| m.fits(&self.at(*p).labels))).collect()
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
            let last = series.times.len() - 1;
            kept.newest[place] = (series.times[last], series.values[last]);
            kept.series[place] = if from == 0 {
                series.clone()
            } else {
                Arc::new(StoredSeries {
                    labels: series.labels.clone(),
                    times: series.times[from..].to_vec(),
                    values: series.values[from..].to_vec(),
                    has_markers: series.has_markers,
                    falls: series.falls,
                })
            };
        }
        *self = kept;
    }
}
