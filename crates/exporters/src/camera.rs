//! A camera on a cluster: pictures every few seconds and every event, so that any moment can be looked at again.

use std::sync::Arc;

use cluster::{Cluster, Programs, Stamp, json};
use serde::Serialize;

use crate::picture::ClusterPicture;

/// Seconds between two pictures.
pub const PICTURE_SECONDS: i64 = 5;

/// What a camera has seen so far.
#[derive(Clone, Debug, Default)]
pub struct ClusterCamera {
    pictures: Vec<(Stamp, Arc<ClusterPicture>)>,
    events: Vec<Arc<EventPicture>>,
    /// The revision up to which events were seen.
    seen: u64,
    next: Option<Stamp>,
}

/// An event, at the time at which it was told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventPicture {
    /// Microseconds of the cluster's time.
    #[serde(skip)]
    pub at: i64,
    /// `Normal` or `Warning`.
    pub kind: String,
    /// Such as `BackOff`.
    pub reason: String,
    /// What it is about, as `pod/geo-7d`.
    pub object: String,
    /// Where that is.
    pub namespace: String,
    /// What it says.
    pub message: String,
    /// How often it was told, up to then.
    pub count: i64,
}

impl ClusterCamera {
    /// Takes a picture if it is time to.
    pub fn look_if_due(&mut self, cluster: &Cluster, programs: &dyn Programs) {
        if self.next.is_none_or(|next| next <= cluster.now()) {
            self.look(cluster, programs);
        }
    }

    /// Takes a picture now.
    pub fn look(&mut self, cluster: &Cluster, programs: &dyn Programs) {
        let now = cluster.now();
        self.next = Some(now.after_secs(PICTURE_SECONDS));
        let before = self.pictures.last().map(|(_, picture)| picture.clone());
        let picture = ClusterPicture::of(cluster, &programs.calls(), before.as_deref());
        let picture = before.filter(|before| **before == picture).unwrap_or_else(|| Arc::new(picture));
        self.pictures.retain(|(time, _)| *time < now);
        self.pictures.push((now, picture));
        self.listen(cluster);
    }

    /// Notes the events that are new or were told again.
    fn listen(&mut self, cluster: &Cluster) {
        let revision = |event: &cluster::Stored| json::text(event, "metadata.resourceVersion").parse().unwrap_or(0);
        let mut new: Vec<(u64, EventPicture)> = cluster
            .objects("events", None)
            .map(|event| (revision(event), event))
            .filter(|(revision, _)| *revision > self.seen)
            .map(|(revision, event)| (revision, told(event, cluster.now())))
            .collect();
        new.sort_by_key(|(revision, _)| *revision);
        self.seen = new.last().map_or(self.seen, |(revision, _)| *revision);
        self.events.extend(new.into_iter().map(|(_, event)| Arc::new(event)));
    }

    /// The pictures with their times, the oldest first.
    pub fn pictures(&self) -> &[(Stamp, Arc<ClusterPicture>)] {
        &self.pictures
    }

    /// The picture of a moment: the last that was taken until then, or else the first.
    pub fn at(&self, moment: Stamp) -> Option<(Stamp, &Arc<ClusterPicture>)> {
        let after = self.pictures.partition_point(|(time, _)| *time <= moment);
        self.pictures.get(after.saturating_sub(1)).map(|(time, picture)| (*time, picture))
    }

    /// Every event, in the order in which they were told.
    pub fn events(&self) -> &[Arc<EventPicture>] {
        &self.events
    }
}

fn told(event: &cluster::Stored, now: Stamp) -> EventPicture {
    let text = |path: &str| json::text(event, path).to_string();
    let times = ["series.lastObservedTime", "lastTimestamp", "eventTime"];
    let at = times.iter().find_map(|path| Stamp::parse(json::text(event, path))).unwrap_or(now);
    EventPicture {
        at: at.0,
        kind: text("type"),
        reason: text("reason"),
        object: format!("{}/{}", text("involvedObject.kind").to_lowercase(), json::text(event, "involvedObject.name")),
        namespace: text("involvedObject.namespace"),
        message: text("message"),
        count: json::int(event, "count").or(json::int(event, "series.count")).unwrap_or(1),
    }
}
