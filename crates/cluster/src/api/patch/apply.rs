//! Server-side apply: a manager says all the fields it wants; what others own it takes only by force.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::super::fields::{self, FieldPlace, FieldSet};
use super::super::managed::{self, Managed};
use super::super::{ApiRequest, ApiResponse, ApiTarget, Writer, convert, decode, negotiate};
use crate::program::Programs;
use crate::resource::Resource;
use crate::status::{ApiError, FieldError};
use crate::{Cluster, json};

impl Cluster {
    pub(super) fn apply(
        &mut self,
        programs: &mut dyn Programs,
        request: &ApiRequest,
        writer: &Writer<'_>,
        target: &ApiTarget,
        resource: &Arc<Resource>,
    ) -> Result<ApiResponse, ApiError> {
        let form = negotiate::form(request)?;
        if request.query("fieldManager").is_empty() {
            let error = FieldError::required("fieldManager", "is required for apply patch");
            return Err(ApiError::invalid_kind("PatchOptions", "meta.k8s.io", "", vec![error]));
        }
        let mut warnings = Vec::new();
        let mut wanted = decode::body(request, resource, &mut warnings)?;
        if !json::at(&wanted, "metadata.managedFields").is_null() {
            return Err(ApiError::bad_request("metadata.managedFields must be nil"));
        }
        json::set(&mut wanted, "metadata.name", target.name.clone());
        let writer = Writer { keeps_managed: true, ..writer.clone() };
        let mut own = managed::entry(&writer, "Apply", resource, self.now);
        own.fields = FieldSet::applied(&wanted, managed::root(resource));
        let old = self.store.get(&resource.storage, &target.namespace, &target.name).cloned();
        let Some(old) = old else {
            if !json::text(&wanted, "metadata.uid").is_empty() {
                let why = "uid mismatch: the provided object specified uid but no existing object was found";
                return Err(ApiError::conflict(&resource.plural, &resource.group, &target.name, why));
            }
            decode::drop_empties(&mut wanted, resource);
            managed::write(&mut wanted, vec![own]);
            let stored = self.create_object(programs, &writer, resource, &target.namespace, wanted, &mut warnings)?;
            return Ok(self.show(201, &stored, resource, form, request).warned(&warnings));
        };
        let live = convert::from_storage(&old, resource).into_owned();
        let mut new = merged(&live, &wanted, own, resource, request.flag("force"))?;
        decode::drop_empties(&mut new, resource);
        let stored = self.replace_object(programs, &writer, resource, &old, new, &mut warnings)?;
        Ok(self.show(200, &stored, resource, form, request).warned(&warnings))
    }
}

/// The live object with what is wanted in it, and who owns what afterwards.
fn merged(live: &Value, wanted: &Value, own: Managed, resource: &Resource, force: bool) -> Result<Value, ApiError> {
    let root = managed::root(resource);
    let entries = managed::read(live);
    let is_own = |entry: &Managed| {
        entry.manager == own.manager && entry.operation == "Apply" && entry.subresource == own.subresource
    };
    let (former, mut others): (Vec<_>, Vec<_>) = entries.into_iter().partition(is_own);
    let taken: Vec<_> =
        own.fields.paths().into_iter().filter(|path| differs(live, wanted, path, &own.fields)).collect();
    let conflicts: Vec<_> = others
        .iter()
        .flat_map(|entry| {
            let owned = taken.iter().filter(|path| entry.fields.has(path));
            owned.map(|path| (entry.told(), fields::print(path)))
        })
        .collect();
    if !conflicts.is_empty() && !force {
        return Err(ApiError::apply_conflicts(&conflicts));
    }
    let mut new = live.clone();
    join(&mut new, wanted, root);
    for path in former.iter().flat_map(|entry| entry.fields.paths()).rev() {
        let is_shared = others.iter().any(|entry| entry.fields.has(&path) || entry.fields.has_below(&path));
        if !own.fields.has(&path) && !own.fields.has_below(&path) && !is_shared {
            fields::remove_at(&mut new, &path);
        }
    }
    let (changed, gone) = FieldSet::difference(live, &new, root);
    for entry in &mut others {
        entry.fields.subtract(&changed);
        entry.fields.subtract(&gone);
    }
    let unchanged = former.first().filter(|entry| entry.fields == own.fields && changed.is_empty());
    let time = unchanged.map_or(own.time.clone(), |entry| entry.time.clone());
    others.push(Managed { time, ..own });
    managed::write(&mut new, others);
    Ok(new)
}

/// Whether the value at a path would change. Lists and maps that are made are no values.
fn differs(live: &Value, wanted: &Value, path: &[String], all: &FieldSet) -> bool {
    let (live, wanted) = (fields::value_at(live, path), fields::value_at(wanted, path));
    live.is_some() && live != wanted && !all.has_below(path)
}

/// Puts what is wanted into a value: maps and keyed lists are joined, all else is replaced.
fn join(value: &mut Value, wanted: &Value, place: FieldPlace) {
    match (place, &mut *value, wanted) {
        (FieldPlace::Shape(_) | FieldPlace::Map | FieldPlace::Open, Value::Object(map), Value::Object(wanted)) => {
            for (name, wanted) in wanted {
                let place = if matches!(place, FieldPlace::Map) { FieldPlace::Leaf } else { place.step(name) };
                join(map.entry(name).or_insert(Value::Null), wanted, place);
            }
        }
        (FieldPlace::Keyed(keys, shape, _), Value::Array(list), Value::Array(wanted)) => {
            for item in wanted {
                let step = fields::key_step(item, keys);
                match list.iter_mut().find(|own| fields::key_step(own, keys) == step) {
                    Some(own) => join(own, item, FieldPlace::Shape(shape)),
                    None => list.push(item.clone()),
                }
            }
        }
        (FieldPlace::Set, Value::Array(list), Value::Array(wanted)) => {
            let new: Vec<_> = wanted.iter().filter(|item| !list.contains(item)).cloned().collect();
            list.extend(new);
        }
        (FieldPlace::Shape(_) | FieldPlace::Open, value @ Value::Null, Value::Object(_)) => {
            *value = Value::Object(Map::new());
            join(value, wanted, place);
        }
        (_, value, wanted) => *value = wanted.clone(),
    }
}
