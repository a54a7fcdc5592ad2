//! Events: what components tell about objects, counted and held back as the real recorders do.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::agenda::Actor;
use crate::resource::Resource;
use crate::store::ObjectKey;
use crate::time::Stamp;
use crate::{Cluster, json, meta};

/// What is told about an object.
#[derive(Clone, Debug)]
pub(crate) struct Told<'a> {
    /// `kubelet`, `deployment-controller`, ...
    pub(crate) source: &'a str,
    /// The node, for kubelets.
    pub(crate) host: &'a str,
    pub(crate) is_warning: bool,
    pub(crate) reason: &'a str,
    pub(crate) message: &'a str,
    /// `spec.containers{web}`.
    pub(crate) field: &'a str,
}

impl<'a> Told<'a> {
    /// Something that goes as it should.
    pub(crate) fn normal(source: &'a str, reason: &'a str, message: &'a str) -> Self {
        Self { source, host: "", is_warning: false, reason, message, field: "" }
    }

    /// Something that does not.
    pub(crate) fn warning(source: &'a str, reason: &'a str, message: &'a str) -> Self {
        Self { is_warning: true, ..Self::normal(source, reason, message) }
    }
}

/// What recorders remember: which event tells what, and how much each of them may still say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder {
    /// The event that tells the same already.
    same: BTreeMap<Arc<str>, ObjectKey>,
    /// What each event tells: the other way round.
    texts: BTreeMap<ObjectKey, Arc<str>>,
    /// Messages alike but for their text: how many, and since when.
    alike: BTreeMap<String, (u32, Stamp)>,
    /// Events that may still be told about an object, and when that was last counted.
    room: BTreeMap<String, (f64, Stamp)>,
    /// When what no longer counts was last thrown away.
    swept: Stamp,
}

/// Events that may be told about one object at once, and the seconds until one more may.
const BURST: f64 = 25.0;
const REFILL_SECONDS: f64 = 300.0;
/// So many different texts of one kind within ten minutes are told as one.
const ALIKE: u32 = 10;
const ALIKE_SECONDS: u64 = 600;
const LIFE_SECONDS: u64 = 3600;

impl Cluster {
    /// Tells something about an object, in the manner of kubelets and controllers.
    pub(crate) fn tell(&mut self, object: &Value, resource: &Resource, told: &Told<'_>) {
        let uid = json::text(object, "metadata.uid");
        let kind = if told.is_warning { "Warning" } else { "Normal" };
        let about = format!("{}|{}|{uid}|{kind}", told.source, told.host);
        if !self.has_room(&about) {
            return;
        }
        let group = format!("{about}|{}|{}", told.field, told.reason);
        let message = self.merged(&group, told.message);
        let exact = format!("{group}|{message}");
        if let Some(key) = self.recorder.same.get(exact.as_str()).cloned()
            && let Some(event) = self.store.at(&key).cloned()
        {
            let mut new = Value::clone(&event);
            json::set(&mut new, "count", json::int(&event, "count").unwrap_or(1) + 1);
            json::set(&mut new, "lastTimestamp", self.now.rfc3339());
            json::set(&mut new, "message", told_text(&message, told.message));
            self.put(key, new);
            return;
        }
        let mut source = json!({"component": told.source});
        if !told.host.is_empty() {
            source["host"] = told.host.into();
        }
        // The macro would copy what stands in it.
        let event = json::object([
            ("involvedObject", meta::reference(object, resource, told.field)),
            ("reason", told.reason.into()),
            ("message", told_text(&message, told.message).into()),
            ("type", kind.into()),
            ("count", 1.into()),
            ("source", source),
            ("firstTimestamp", self.now.rfc3339().into()),
            ("lastTimestamp", self.now.rfc3339().into()),
            ("eventTime", Value::Null),
            ("reportingComponent", told.source.into()),
            ("reportingInstance", told.host.into()),
        ]);
        let key = self.write_event(object, event);
        self.recorder.remember(exact.into(), key);
    }

    /// Tells something in the manner of the scheduler: the first text stays, repeats become a series.
    pub(crate) fn tell_series(&mut self, pod: &Value, is_warning: bool, reason: &str, action: &str, message: &str) {
        let uid = json::text(pod, "metadata.uid");
        let exact = format!("scheduler|{uid}|{reason}");
        if let Some(key) = self.recorder.same.get(exact.as_str()).cloned()
            && let Some(event) = self.store.at(&key).cloned()
        {
            // The second is written at once, later ones when the series is over.
            if json::at(&event, "series").is_null() {
                let mut new = Value::clone(&event);
                json::set(&mut new, "series", json!({"count": 2, "lastObservedTime": self.now.rfc3339_micro()}));
                self.put(key, new);
            }
            return;
        }
        let event = json!({
            "involvedObject": meta::reference(pod, crate::resource::built_in("pods"), ""),
            "reason": reason,
            "message": message,
            "type": if is_warning { "Warning" } else { "Normal" },
            "action": action,
            "source": {},
            "firstTimestamp": null,
            "lastTimestamp": null,
            "eventTime": self.now.rfc3339_micro(),
            "reportingComponent": "default-scheduler",
            "reportingInstance": "default-scheduler-control-plane",
        });
        let key = self.write_event(pod, event);
        self.recorder.remember(exact.into(), key);
    }

    fn write_event(&mut self, object: &Value, mut event: Value) -> ObjectKey {
        let space = json::text(object, "metadata.namespace");
        let space = if space.is_empty() { "default" } else { space };
        let number = self.store.revision() + 1;
        // Names end in the time in nanoseconds; several in one microsecond are told apart by their revision.
        let time = self.now.0 as u64 * 1000 + number % 1000;
        let name = format!("{}.{time:x}", json::text(object, "metadata.name"));
        event["kind"] = "Event".into();
        event["apiVersion"] = "v1".into();
        event["metadata"] = json!({
            "name": name,
            "namespace": space,
            "uid": self.chance.uid(number),
            "creationTimestamp": self.now.rfc3339(),
        });
        let key = ObjectKey::new("events", space, &name);
        self.put(key.clone(), event);
        self.plan(Actor::Expiry, key.clone(), Duration::from_secs(LIFE_SECONDS));
        key
    }

    /// Takes one from what a source may still tell about an object.
    fn has_room(&mut self, about: &str) -> bool {
        let now = self.now;
        let room = self.recorder.room.entry(about.into()).or_insert((BURST, now));
        let refilled = now.since(room.1).as_secs_f64() / REFILL_SECONDS;
        room.0 = (room.0 + refilled).min(BURST);
        room.1 = now;
        let has = room.0 >= 1.0;
        if has {
            room.0 -= 1.0;
        }
        has
    }

    /// The text that counts for sameness: the message, or one word for too many that are alike.
    fn merged(&mut self, group: &str, message: &str) -> String {
        if self.recorder.same.contains_key(format!("{group}|{message}").as_str()) {
            return message.into();
        }
        let now = self.now;
        let alike = self.recorder.alike.entry(group.into()).or_insert((0, now));
        if now.since(alike.1).as_secs() > ALIKE_SECONDS {
            alike.0 = 0;
        }
        *alike = (alike.0 + 1, now);
        if alike.0 < ALIKE { message.into() } else { COMBINED.into() }
    }

    /// Forgets an event that is no more, and once a minute what no longer counts.
    pub(crate) fn forget_event(&mut self, key: &ObjectKey) {
        self.recorder.forget(key);
        let now = self.now;
        if now.since(self.recorder.swept).as_secs() >= 60 {
            self.recorder.swept = now;
            self.recorder.alike.retain(|_, (_, last)| now.since(*last).as_secs() <= 2 * ALIKE_SECONDS);
            self.recorder.room.retain(|_, (_, last)| now.since(*last).as_secs_f64() <= BURST * REFILL_SECONDS);
        }
    }
}

impl Recorder {
    fn remember(&mut self, text: Arc<str>, key: ObjectKey) {
        if let Some(before) = self.same.insert(text.clone(), key.clone()) {
            self.texts.remove(&before);
        }
        self.texts.insert(key, text);
    }

    fn forget(&mut self, key: &ObjectKey) {
        if let Some(text) = self.texts.remove(key) {
            self.same.remove(&text);
        }
    }
}

const COMBINED: &str = "(combined)";

fn told_text(merged: &str, message: &str) -> String {
    if merged == COMBINED { format!("(combined from similar events): {message}") } else { message.into() }
}
