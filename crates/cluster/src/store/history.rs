//! The recent writes, in order: what watches are told and controllers are woken by.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{ObjectKey, Stored};
use crate::json;

/// One write: what stood there before and what stands there after.
#[derive(Clone, Debug)]
pub struct StoreChange {
    /// The revision of this write.
    pub revision: u64,
    /// Which object.
    pub key: ObjectKey,
    /// Nothing if it was created. For a removal, the last state under the revision of the removal.
    pub before: Option<Stored>,
    /// Nothing if it was removed.
    pub after: Option<Stored>,
}

impl StoreChange {
    /// Whether a kubelet only told that what its node's status says still holds.
    pub fn is_heartbeat(&self) -> bool {
        let (Some(before), Some(after)) = (&self.before, &self.after) else { return false };
        if &*self.key.resource != "nodes" || json::at(before, "spec") != json::at(after, "spec") {
            return false;
        }
        let stays = |path: &str| json::at(before, path) == json::at(after, path);
        let statuses = |node: &Stored| -> Vec<(String, String)> {
            let conditions = json::list(node, "status.conditions").iter();
            conditions.map(|own| (json::text(own, "type").into(), json::text(own, "status").into())).collect()
        };
        stays("metadata.labels") && stays("status.allocatable") && statuses(before) == statuses(after)
    }
}

/// The writes after this revision are no longer all known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone {
    /// The revision that was asked for.
    pub asked: u64,
    /// The oldest revision from which all writes are known.
    pub oldest: u64,
}

const CHUNK: usize = 256;
/// Writes that are surely remembered. Older ones are forgotten a chunk at a time, so memory is bounded.
const KEPT: usize = 4096;

/// The writes of the near past in chunks, so that clones share all but the last chunk.
#[derive(Clone, Debug, Default)]
pub(super) struct WriteLog {
    chunks: VecDeque<Arc<Vec<StoreChange>>>,
}

impl WriteLog {
    pub(super) fn push(&mut self, change: StoreChange) {
        if self.chunks.back().is_none_or(|chunk| chunk.len() >= CHUNK) {
            self.chunks.push_back(Arc::new(Vec::with_capacity(CHUNK)));
            if self.chunks.len() > KEPT / CHUNK + 1 {
                self.chunks.pop_front();
            }
        }
        let last = self.chunks.back_mut().expect("one was pushed just above");
        Arc::make_mut(last).push(change);
    }

    pub(super) fn since(&self, revision: u64, latest: u64) -> Result<impl Iterator<Item = &StoreChange>, Gone> {
        let first = self.chunks.front().and_then(|chunk| chunk.first()).map_or(latest + 1, |change| change.revision);
        if revision + 1 < first {
            return Err(Gone { asked: revision, oldest: first - 1 });
        }
        let whole = |chunk: &&Arc<Vec<StoreChange>>| chunk.last().is_none_or(|change| change.revision <= revision);
        let skipped = self.chunks.iter().take_while(whole).count();
        let later = self.chunks.iter().skip(skipped).flat_map(|chunk| chunk.iter());
        Ok(later.filter(move |change| change.revision > revision))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_near_past_is_known_and_the_far_past_is_gone() {
        let mut history = WriteLog::default();
        let latest = 3 * KEPT as u64;
        for revision in 1..=latest {
            let key = ObjectKey::new("pods", "", "a");
            history.push(StoreChange { revision, key, before: None, after: None });
        }
        let recent = history.since(latest - KEPT as u64, latest).map(|changes| changes.count());
        assert_eq!(recent, Ok(KEPT));
        assert_eq!(history.since(latest, latest).map(|changes| changes.count()), Ok(0));
        assert!(history.since(1, latest).is_err());
        assert_eq!(WriteLog::default().since(0, 0).map(|changes| changes.count()), Ok(0));
    }
}
