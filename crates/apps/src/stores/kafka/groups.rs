//! Consumer groups: where they are, and who is in them.

use std::collections::BTreeMap;

use cluster::Stamp;

use super::KafkaStore;
use crate::stores::StoreAsk;

/// A group: the offset that it has committed for each topic and partition, and its member.
#[derive(Clone, Debug, Default)]
pub(super) struct ConsumerGroup {
    pub(super) offsets: BTreeMap<(String, usize), f64>,
    pub(super) member: String,
    pub(super) address: String,
    pub(super) heard: Stamp,
}

impl ConsumerGroup {
    /// Whether its member is there.
    pub(super) fn is_active(&self, now: Stamp) -> bool {
        !self.member.is_empty() && now.secs() - self.heard.secs() < 45
    }
}

impl KafkaStore {
    /// A consumer takes as many records as it asks for, so many with each question; gives how many it took. A strict one does
    /// not step over a record that is no JSON: the error is what it says once it stands before one.
    pub(super) fn consume(
        &mut self,
        topic: &str,
        group: &str,
        ask: &StoreAsk,
        batch: f64,
        is_strict: bool,
    ) -> Result<f64, String> {
        let (mut taken, mut stands_before) = (0.0, None);
        let partitions = self.topic(topic).partitions.clone();
        let group = self.groups.entry(group.into()).or_default();
        group.member.clone_from(&ask.client);
        group.address.clone_from(&ask.address);
        group.heard = ask.now;
        for (number, partition) in partitions.iter().enumerate() {
            let at = group.offsets.entry((topic.into(), number)).or_insert(partition.start as f64);
            *at = at.max(partition.start as f64);
            let mut until = (*at + batch * ask.rate.max(if batch > 1.0 { 0.0 } else { 1.0 })).min(partition.end);
            let is_poison = |value: &String| serde_json::from_str::<serde_json::Value>(value).is_err();
            let poison = partition.records.range(*at as i64..).find(|(_, value)| is_poison(value));
            if let Some((offset, _)) = poison.filter(|_| is_strict) {
                until = until.min(*offset as f64);
                stands_before = (until - *at < 1.0).then_some((number, *offset));
            }
            taken += (until - *at).max(0.0);
            *at = at.max(until);
        }
        match stands_before {
            Some((partition, offset)) => Err(format!(
                "json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1) \
                 ({topic}-{partition}@{offset})"
            )),
            None => Ok(taken),
        }
    }
}
