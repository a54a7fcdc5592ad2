//! `metadata.managedFields`: which manager set which fields, and when.

use serde_json::{Value, json};

use super::Writer;
use super::fields::{FieldPlace, FieldSet};
use crate::json;
use crate::resource::Resource;
use crate::time::Stamp;

/// The fields of one manager.
#[derive(Clone, Debug)]
pub(super) struct Managed {
    pub(super) manager: String,
    pub(super) operation: String,
    pub(super) api_version: String,
    pub(super) subresource: String,
    pub(super) time: String,
    pub(super) fields: FieldSet,
}

impl Managed {
    /// Whether it is the entry of the same manager, doing the same through the same path.
    fn is_same(&self, other: &Managed) -> bool {
        let of = |m: &Managed| (m.manager.clone(), m.operation.clone(), m.api_version.clone(), m.subresource.clone());
        of(self) == of(other)
    }

    /// As conflicts name it: `"kubectl-edit" using v1`.
    pub(super) fn told(&self) -> String {
        let sub = if self.subresource.is_empty() {
            String::new()
        } else {
            format!(" with subresource {:?}", self.subresource)
        };
        let using = if self.operation == "Update" { format!(" using {}", self.api_version) } else { String::new() };
        format!("{:?}{sub}{using}", self.manager)
    }
}

/// Where the walk along the fields of a kind begins.
pub(super) fn root(resource: &Resource) -> FieldPlace {
    resource.shape.map_or(FieldPlace::Open, FieldPlace::Shape)
}

/// The entries of an object.
pub(super) fn read(object: &Value) -> Vec<Managed> {
    let entry = |entry: &Value| Managed {
        manager: json::text(entry, "manager").into(),
        operation: json::text(entry, "operation").into(),
        api_version: json::text(entry, "apiVersion").into(),
        subresource: json::text(entry, "subresource").into(),
        time: json::text(entry, "time").into(),
        fields: FieldSet::from_json(json::at(entry, "fieldsV1")),
    };
    json::list(object, "metadata.managedFields").iter().map(entry).collect()
}

/// Writes the entries into an object: appliers first, then by time and name; managers of nothing are dropped.
pub(super) fn write(object: &mut Value, mut entries: Vec<Managed>) {
    entries.retain(|entry| !entry.fields.is_empty());
    if entries.is_empty() {
        json::remove(object, "metadata.managedFields");
        return;
    }
    let order = |m: &Managed| (m.operation.clone(), m.time.clone(), m.manager.clone(), m.subresource.clone());
    entries.sort_by_key(order);
    let written: Vec<_> = entries.iter().map(entry_json).collect();
    json::set(object, "metadata.managedFields", written);
}

fn entry_json(entry: &Managed) -> Value {
    let mut value = json!({
        "manager": entry.manager,
        "operation": entry.operation,
        "apiVersion": entry.api_version,
        "time": entry.time,
        "fieldsType": "FieldsV1",
        "fieldsV1": entry.fields.to_json(),
    });
    if !entry.subresource.is_empty() {
        value["subresource"] = entry.subresource.clone().into();
    }
    value
}

/// The entry of a writer, still without fields.
pub(super) fn entry(writer: &Writer<'_>, operation: &str, resource: &Resource, now: Stamp) -> Managed {
    Managed {
        manager: writer.manager.clone(),
        operation: operation.into(),
        api_version: resource.api_version(),
        subresource: writer.subresource.into(),
        time: now.rfc3339(),
        fields: FieldSet::default(),
    }
}

/// Notes a write: the writer owns what it changed, others lose it.
pub(super) fn note(old: &Value, new: &mut Value, writer: &Writer<'_>, resource: &Resource, now: Stamp) {
    // Who sends entries along means them: so kubectl takes over what it applied in the old way.
    let sent = json::at(new, "metadata.managedFields");
    let mut entries = if sent.is_array() { read(new) } else { read(old) };
    let (changed, gone) = FieldSet::difference(old, new, root(resource));
    if changed.is_empty() && gone.is_empty() {
        return write(new, entries);
    }
    let mut own = entry(writer, "Update", resource, now);
    for entry in &mut entries {
        if !entry.is_same(&own) {
            entry.fields.subtract(&changed);
        }
        entry.fields.subtract(&gone);
    }
    match entries.iter_mut().find(|entry| entry.is_same(&own)) {
        Some(entry) => {
            entry.fields.add(&changed);
            entry.time = own.time;
        }
        None => {
            own.fields = changed;
            entries.push(own);
        }
    }
    write(new, entries);
}
