//! Creating and replacing objects: the one way by which anything is written, for clients and controllers alike.

use std::sync::Arc;

use serde_json::Value;

use super::negotiate;
use super::{ApiRequest, ApiResponse, ApiTarget, Writer, convert, decode, managed};
use crate::admission::{self, Admission, Operation};
use crate::program::Programs;
use crate::resource::Resource;
use crate::status::{ApiError, FieldError};
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, json};

impl Cluster {
    pub(super) fn create(
        &mut self,
        programs: &mut dyn Programs,
        request: &ApiRequest,
        target: &ApiTarget,
        resource: &Arc<Resource>,
    ) -> Result<ApiResponse, ApiError> {
        let mut warnings = Vec::new();
        let form = negotiate::form(request)?;
        let mut object = decode::body(request, resource, &mut warnings)?;
        decode::drop_empties(&mut object, resource);
        check_namespace(&object, &target.namespace)?;
        let writer = Writer::of(request);
        let stored = self.create_object(programs, &writer, resource, &target.namespace, object, &mut warnings)?;
        Ok(self.show(201, &stored, resource, form, request).warned(&warnings))
    }

    pub(super) fn update(
        &mut self,
        programs: &mut dyn Programs,
        request: &ApiRequest,
        target: &ApiTarget,
        resource: &Arc<Resource>,
    ) -> Result<ApiResponse, ApiError> {
        let mut warnings = Vec::new();
        let form = negotiate::form(request)?;
        let mut object = decode::body(request, resource, &mut warnings)?;
        decode::drop_empties(&mut object, resource);
        check_namespace(&object, &target.namespace)?;
        let name = json::text(&object, "metadata.name");
        if name.is_empty() {
            let error = FieldError::required("metadata.name", "name is required");
            return Err(ApiError::invalid(resource, "", vec![error]));
        }
        if name != target.name {
            let message =
                format!("the name of the object ({name}) does not match the name on the URL ({})", target.name);
            return Err(ApiError::bad_request(message));
        }
        let writer = Writer { subresource: &target.subresource, ..Writer::of(request) };
        let old = self.find(resource, &target.namespace, &target.name)?;
        let stored = self.replace_object(programs, &writer, resource, &old, object, &mut warnings)?;
        Ok(self.show(200, &stored, resource, form, request).warned(&warnings))
    }

    /// Creates an object: names it, fills it in, admits it, looks whether it makes sense, stores it.
    pub(crate) fn create_object(
        &mut self,
        programs: &mut dyn Programs,
        writer: &Writer<'_>,
        resource: &Arc<Resource>,
        namespace: &str,
        object: Value,
        warnings: &mut Vec<String>,
    ) -> Result<Stored, ApiError> {
        let mut object = convert::to_storage(object, resource);
        if !json::text(&object, "metadata.resourceVersion").is_empty() {
            return Err(ApiError::unexplained("resourceVersion should not be set on objects to be created"));
        }
        let managed = writer.keeps_managed.then(|| json::at(&object, "metadata.managedFields").clone());
        self.begin_metadata(&mut object, resource, namespace);
        if let Some(managed) = managed.filter(|managed| !managed.is_null()) {
            json::set(&mut object, "metadata.managedFields", managed);
        }
        if resource.has_status() {
            json::remove(&mut object, "status");
        }
        admission::fill_in(self, resource, &mut object, None);
        let name = json::text(&object, "metadata.name").to_string();
        self.check_room(resource, namespace, &name)?;
        self.admit(
            programs,
            &Admission { writer, resource, operation: Operation::Create, old: None },
            &mut object,
            warnings,
        )?;
        let errors = admission::validate(self, resource, &object, None);
        if !errors.is_empty() {
            return Err(ApiError::invalid(resource, &name, errors));
        }
        let key = ObjectKey::new(&resource.storage, namespace, &name);
        if self.store.at(&key).is_some() {
            return Err(ApiError::already_exists(resource, &name));
        }
        admission::charge(self, resource, &object, writer.dry_run)?;
        if !writer.keeps_managed {
            managed::note(&Value::Null, &mut object, writer, resource, self.now);
        }
        if writer.dry_run {
            return Ok(object.into());
        }
        Ok(self.put(key, object))
    }

    /// Replaces an object by a new state of it. Returns the old one untouched if nothing changed.
    pub(crate) fn replace_object(
        &mut self,
        programs: &mut dyn Programs,
        writer: &Writer<'_>,
        resource: &Arc<Resource>,
        old: &Stored,
        object: Value,
        warnings: &mut Vec<String>,
    ) -> Result<Stored, ApiError> {
        let mut new = convert::to_storage(object, resource);
        let name = json::text(old, "metadata.name").to_string();
        check_precondition(&new, old, resource, &name)?;
        keep_metadata(&mut new, old);
        match writer.subresource {
            "status" => keep_all_but_status(&mut new, old),
            _ if resource.has_status() => keep(&mut new, old, "status"),
            _ => {}
        }
        admission::fill_in(self, resource, &mut new, Some(old));
        if writer.subresource != "status" {
            let ask = Admission { writer, resource, operation: Operation::Update, old: Some(old) };
            self.admit(programs, &ask, &mut new, warnings)?;
        }
        let mut errors = finalizer_errors(&new, old);
        errors.extend(admission::validate(self, resource, &new, Some((old, writer.subresource))));
        if !errors.is_empty() {
            return Err(ApiError::invalid(resource, &name, errors));
        }
        if resource.counts_generations && wants_differ(&new, old) {
            let generation = json::int(old, "metadata.generation").unwrap_or(0);
            json::set(&mut new, "metadata.generation", generation + 1);
        }
        if !writer.keeps_managed {
            managed::note(old, &mut new, writer, resource, self.now);
        }
        if is_same(&new, old) {
            return Ok(old.clone());
        }
        if writer.dry_run {
            return Ok(new.into());
        }
        let key = ObjectKey::new(&resource.storage, json::text(old, "metadata.namespace"), &name);
        if is_finished(&new) {
            self.put(key.clone(), new);
            return Ok(self.remove(&key).expect("it was put just above"));
        }
        Ok(self.put(key, new))
    }

    /// Asks the admission plugins, and notes how long that took.
    fn admit(
        &mut self,
        programs: &mut dyn Programs,
        ask: &Admission<'_>,
        object: &mut Value,
        warnings: &mut Vec<String>,
    ) -> Result<(), ApiError> {
        let (result, waited) = admission::admit(self, programs, ask, object, warnings);
        self.waited = waited;
        result
    }

    fn begin_metadata(&self, object: &mut Value, resource: &Resource, namespace: &str) {
        for server in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields", "generation"] {
            json::remove(object, &format!("metadata.{server}"));
        }
        let number = self.store.revision() + 1;
        json::set(object, "metadata.uid", self.chance.uid(number));
        json::set(object, "metadata.creationTimestamp", self.now.rfc3339());
        match resource.namespaced {
            true => json::set(object, "metadata.namespace", namespace),
            false => drop(json::remove(object, "metadata.namespace")),
        }
        if resource.counts_generations {
            json::set(object, "metadata.generation", 1);
        }
        let prefix = json::text(object, "metadata.generateName").to_string();
        if json::text(object, "metadata.name").is_empty() && !prefix.is_empty() {
            let name = self.generated_name(&prefix, resource, namespace);
            json::set(object, "metadata.name", name);
        }
    }

    /// A name with this beginning that is free.
    fn generated_name(&self, prefix: &str, resource: &Resource, namespace: &str) -> String {
        let base: String = prefix.chars().take(58).collect();
        let number = self.store.revision() + 1;
        let candidates = (0..8).map(|attempt| {
            let purpose = format!("name/{}/{namespace}/{prefix}/{attempt}", resource.storage);
            format!("{base}{}", self.chance.letters(5, &purpose, number))
        });
        let mut last = String::new();
        for candidate in candidates {
            if self.store.get(&resource.storage, namespace, &candidate).is_none() {
                return candidate;
            }
            last = candidate;
        }
        last
    }

    /// Whether the namespace is there and takes new objects.
    fn check_room(&self, resource: &Resource, namespace: &str, name: &str) -> Result<(), ApiError> {
        if !resource.namespaced {
            return Ok(());
        }
        let spaces = crate::resource::built_in("namespaces");
        let Some(space) = self.store.get("namespaces", "", namespace) else {
            return Err(ApiError::not_found(spaces, namespace));
        };
        if json::text(space, "status.phase") == "Terminating" && &*resource.storage != "events" {
            let why = format!("unable to create new content in namespace {namespace} because it is being terminated");
            let mut error = ApiError::forbidden(resource, name, &why);
            if let Some(details) = &mut error.details {
                let message = format!("namespace {namespace} is being terminated");
                details["causes"] = serde_json::json!([
                    {"reason": "NamespaceTerminating", "message": message, "field": "metadata.namespace"}
                ]);
            }
            return Err(error);
        }
        Ok(())
    }
}

fn check_namespace(object: &Value, namespace: &str) -> Result<(), ApiError> {
    let own = json::text(object, "metadata.namespace");
    if own.is_empty() || own == namespace {
        return Ok(());
    }
    Err(ApiError::bad_request("the namespace of the provided object does not match the namespace sent on the request"))
}

fn check_precondition(new: &Value, old: &Value, resource: &Resource, name: &str) -> Result<(), ApiError> {
    let (uid, old_uid) = (json::text(new, "metadata.uid"), json::text(old, "metadata.uid"));
    if !uid.is_empty() && uid != old_uid {
        let why = format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {old_uid}");
        return Err(ApiError::conflict(&resource.plural, &resource.group, name, &why));
    }
    let revision = json::text(new, "metadata.resourceVersion");
    if !revision.is_empty() && revision != json::text(old, "metadata.resourceVersion") {
        return Err(ApiError::modified(resource, name));
    }
    Ok(())
}

/// What no client changes: identity, age, and that it is being deleted.
fn keep_metadata(new: &mut Value, old: &Value) {
    for kept in [
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "metadata.resourceVersion",
        "metadata.creationTimestamp",
        "metadata.generation",
        "metadata.generateName",
        "metadata.deletionTimestamp",
        "metadata.deletionGracePeriodSeconds",
    ] {
        keep(new, old, kept);
    }
    json::remove(new, "metadata.selfLink");
}

fn keep_all_but_status(new: &mut Value, old: &Value) {
    let status = json::remove(new, "status");
    let metadata = json::remove(new, "metadata");
    *new = old.clone();
    if let Some(status) = status {
        json::set(new, "status", status);
    }
    for (field, value) in metadata.as_ref().and_then(Value::as_object).into_iter().flatten() {
        if matches!(field.as_str(), "labels" | "annotations" | "managedFields") {
            json::set(new, &format!("metadata.{field}"), value.clone());
        }
    }
}

fn keep(new: &mut Value, old: &Value, path: &str) {
    match json::at(old, path) {
        Value::Null => drop(json::remove(new, path)),
        value => json::set(new, path, value.clone()),
    }
}

fn finalizer_errors(new: &Value, old: &Value) -> Vec<FieldError> {
    if json::at(old, "metadata.deletionTimestamp").is_null() {
        return Vec::new();
    }
    let before = json::list(old, "metadata.finalizers");
    let added = json::list(new, "metadata.finalizers").iter().filter(|finalizer| !before.contains(finalizer));
    let added: Vec<_> = added.map(ToString::to_string).collect();
    if added.is_empty() {
        return Vec::new();
    }
    let why = format!(
        "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
        added.join(", ")
    );
    vec![FieldError::forbidden("metadata.finalizers", &why)]
}

/// Whether what is wanted differs: everything but metadata and status.
fn wants_differ(new: &Value, old: &Value) -> bool {
    let wanted = |object: &Value| -> Vec<(String, Value)> {
        let entries = object.as_object().into_iter().flatten();
        let entries =
            entries.filter(|(name, _)| !matches!(name.as_str(), "metadata" | "status" | "kind" | "apiVersion"));
        entries.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    wanted(new) != wanted(old)
}

/// Whether nothing changed but who says so when.
fn is_same(new: &Value, old: &Value) -> bool {
    if new == old {
        return true;
    }
    let bare = |object: &Value| {
        let mut object = object.clone();
        for entry in json::items_mut(&mut object, "metadata.managedFields") {
            json::remove(entry, "time");
        }
        object
    };
    bare(new) == bare(old)
}

/// Whether it is being deleted and nothing holds it any longer.
fn is_finished(object: &Value) -> bool {
    !json::at(object, "metadata.deletionTimestamp").is_null()
        && json::list(object, "metadata.finalizers").is_empty()
        && json::int(object, "metadata.deletionGracePeriodSeconds").unwrap_or(0) == 0
        && json::list(object, "spec.finalizers").is_empty()
}
