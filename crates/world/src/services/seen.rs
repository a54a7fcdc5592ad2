//! What passes along a call, as a scrape finds it.

use super::OwnTime;
use crate::digest::{with_numbers, with_row};
use crate::flow::Flow;
use crate::latency::Latency;
use crate::queued::Queued;

/// A call as a scrape finds it.
#[derive(Clone, Copy, Debug)]
pub struct SeenCall {
    pub(super) offered: f64,
    pub(super) latency: Latency,
    pub(super) queued: Queued,
    delay: f64,
    failed: f32,
    miss: f32,
    /// The number of the most frequent reason, 0 for none.
    reason: u8,
}

impl SeenCall {
    /// What a scrape takes of it.
    pub(crate) fn of(flow: &Flow) -> SeenCall {
        let Flow { offered, latency, queued, delay, miss, .. } = *flow;
        let reason = flow.worst().map_or(0, |reason| reason as u8 + 1);
        SeenCall { offered, latency, queued, delay, failed: flow.felt() as f32, miss: miss as f32, reason }
    }

    /// A digest with all of it.
    pub(crate) fn digest(&self, chain: u64) -> u64 {
        let SeenCall { offered, latency, queued, delay, failed, miss, reason } = *self;
        let exact = [offered, latency.mean, latency.var, queued.mean, queued.most, delay];
        with_row(with_numbers(chain, &exact), &[failed, miss, f32::from(reason)])
    }

    /// Its columns in a row.
    pub(crate) fn note(&self, own: OwnTime, cells: &mut [f32]) {
        let SeenCall { offered, latency, delay, failed, miss, reason, .. } = *self;
        let (mean, deviation) = ((latency.mean + delay) * 1e3, latency.deviation() * 1e3);
        let OwnTime { work, wait } = own;
        let own = [work.mean, work.deviation(), wait.mean, wait.deviation()].map(|seconds| (seconds * 1e3) as f32);
        let seen = [offered as f32, failed, f32::from(reason), mean as f32, deviation as f32, miss];
        cells[..seen.len()].copy_from_slice(&seen);
        cells[seen.len()..seen.len() + own.len()].copy_from_slice(&own);
        cells[seen.len() + own.len()] = (delay * 1e3) as f32;
    }
}
