//! PromQL, LogQL, traces and alerts as plain values: the engines of Prometheus, Loki, Jaeger and Alertmanager with their
//! HTTP APIs, bytes in and bytes out.
//!
//! Nothing here does IO, reads a clock or holds a thread: series, lines, spans and the time are handed in, and the same
//! request on the same data gives the same bytes.

pub mod alertmanager;
mod api;
pub mod conformance;
mod go;
mod http;
pub mod jaeger;
mod json;
mod labels;
mod logql;
pub mod loki;
mod matcher;
mod openmetrics;
pub mod prometheus;
pub mod promql;
pub mod rules;
mod store;

pub use go::{Anchoring, Regexp};
pub use http::{TelemetryRequest, TelemetryResponse, readable_params};
pub use labels::{Labels, LabelsEditor, METRIC_NAME};
pub use matcher::{MatchOp, Matcher};
pub use openmetrics::load_openmetrics;
pub use store::{MetricMetadata, STALE, SeriesPlace, SeriesStore, StoredSeries, is_stale};
