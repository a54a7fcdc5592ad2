//! Reading one object or many.

use std::sync::Arc;

use serde_json::{Value, json};

use super::negotiate::{self, MediaForm};
use super::{ApiRequest, ApiResponse, ApiTarget, FieldSelector, LabelSelector, convert, table, write_json};
use crate::resource::Resource;
use crate::status::ApiError;
use crate::store::Stored;
use crate::{Cluster, base64, json};

/// Which objects of a resource are meant.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    pub(super) resource: Arc<Resource>,
    /// Empty for all namespaces.
    pub(super) namespace: String,
    pub(super) labels: LabelSelector,
    pub(super) fields: FieldSelector,
}

impl Selection {
    pub(super) fn of(request: &ApiRequest, target: &ApiTarget, resource: &Arc<Resource>) -> Result<Self, ApiError> {
        Ok(Self {
            resource: resource.clone(),
            namespace: target.namespace.clone(),
            labels: LabelSelector::parse(request.query("labelSelector"))?,
            fields: FieldSelector::parse(request.query("fieldSelector"), resource)?.named(&target.name),
        })
    }

    /// Whether an object of the resource is meant.
    pub(super) fn matches(&self, object: &Value) -> bool {
        (self.namespace.is_empty() || json::text(object, "metadata.namespace") == self.namespace)
            && self.fields.matches(object)
            && self.labels.matches(json::at(object, "metadata.labels"))
    }

    /// All that are meant, ordered by namespace and name.
    pub(super) fn objects(&self, cluster: &Cluster) -> Vec<Stored> {
        let namespace = Some(&*self.namespace).filter(|namespace| !namespace.is_empty());
        if let (Some(name), Some(namespace)) = (self.fields.name(), namespace) {
            let one = cluster.store.get(&self.resource.storage, namespace, name);
            return one.filter(|object| self.matches(object)).cloned().into_iter().collect();
        }
        let all = cluster.store.list(&self.resource.storage, namespace);
        all.filter(|object| self.matches(object)).cloned().collect()
    }
}

impl Cluster {
    pub(super) fn get(
        &self,
        request: &ApiRequest,
        target: &ApiTarget,
        resource: &Resource,
    ) -> Result<ApiResponse, ApiError> {
        self.check_revision(request.query("resourceVersion"))?;
        let form = negotiate::form(request)?;
        let object = self.find(resource, &target.namespace, &target.name)?;
        Ok(self.show(200, &object, resource, form, request))
    }

    /// The object of a path, or the refusal that names it.
    pub(crate) fn find(&self, resource: &Resource, namespace: &str, name: &str) -> Result<Stored, ApiError> {
        let found = self.store.get(&resource.storage, namespace, name);
        found.cloned().ok_or_else(|| ApiError::not_found(resource, name))
    }

    /// One object in the form that the client wants.
    pub(super) fn show(
        &self,
        status: u16,
        object: &Value,
        resource: &Resource,
        form: MediaForm,
        request: &ApiRequest,
    ) -> ApiResponse {
        let shown = convert::from_storage(object, resource);
        let body = match form {
            MediaForm::Plain => write_json(&shown),
            MediaForm::Table => {
                let with = request.query("includeObject");
                let metadata = json!({"resourceVersion": json::text(&shown, "metadata.resourceVersion")});
                table::write(self, resource, &[&shown], with, metadata, true)
            }
            MediaForm::Metadata => write_json(&table::metadata_of(&shown)),
        };
        ApiResponse::bytes(status, "application/json", body)
    }

    pub(super) fn list(
        &self,
        request: &ApiRequest,
        target: &ApiTarget,
        resource: &Arc<Resource>,
    ) -> Result<ApiResponse, ApiError> {
        let selection = Selection::of(request, target, resource)?;
        let form = negotiate::form(request)?;
        self.check_revision(request.query("resourceVersion"))?;
        if &*resource.storage == "componentstatuses" {
            return Ok(ApiResponse::bytes(200, "application/json", plain_list(resource, &[], json!({}))));
        }
        let mut objects = selection.objects(self);
        let metadata = self.page(request, &mut objects)?;
        let shown: Vec<_> = objects.iter().map(|object| convert::from_storage(object, resource)).collect();
        let shown: Vec<&Value> = shown.iter().map(|object| &**object).collect();
        let body = match form {
            MediaForm::Plain => plain_list(resource, &shown, metadata),
            MediaForm::Table => table::write(self, resource, &shown, request.query("includeObject"), metadata, true),
            MediaForm::Metadata => {
                let items: Vec<_> = shown.iter().map(|object| table::metadata_of(object)).collect();
                let kind = "PartialObjectMetadataList";
                write_json(&json!({"kind": kind, "apiVersion": "meta.k8s.io/v1", "metadata": metadata, "items": items}))
            }
        };
        Ok(ApiResponse::bytes(200, "application/json", body))
    }

    /// Cuts a page out of the objects; returns the metadata of the list.
    fn page(&self, request: &ApiRequest, objects: &mut Vec<Stored>) -> Result<Value, ApiError> {
        let mut revision = self.store.revision();
        let place = |object: &Value| {
            (json::text(object, "metadata.namespace").to_string(), json::text(object, "metadata.name").to_string())
        };
        let token = request.query("continue");
        if !token.is_empty() {
            let (at, start) = read_token(token)?;
            revision = at;
            objects.retain(|object| place(object) >= start);
        }
        let mut metadata = json!({"resourceVersion": revision.to_string()});
        let limit = request.query("limit").parse::<usize>().unwrap_or(0);
        if limit > 0 && objects.len() > limit {
            let (namespace, name) = place(&objects[limit]);
            metadata["continue"] = write_token(revision, &namespace, &name).into();
            let selects = !request.query("labelSelector").is_empty() || !request.query("fieldSelector").is_empty();
            if !selects {
                metadata["remainingItemCount"] = (objects.len() - limit).into();
            }
            objects.truncate(limit);
        }
        Ok(metadata)
    }

    /// The revision that a read or a watch starts from: refused if it is none or not yet there.
    pub(super) fn check_revision(&self, text: &str) -> Result<Option<u64>, ApiError> {
        if text.is_empty() {
            return Ok(None);
        }
        let invalid = || {
            let why = format!("strconv.ParseUint: parsing {text:?}: invalid syntax");
            ApiError::unexplained(format!("resourceVersion: Invalid value: {text:?}: {why}"))
        };
        let revision: u64 = text.parse().map_err(|_| invalid())?;
        if revision > self.store.revision() {
            return Err(ApiError::revision_too_large(revision, self.store.revision()));
        }
        Ok(Some(revision))
    }
}

/// A list; items of built-in kinds do not repeat what the list says.
fn plain_list(resource: &Resource, objects: &[&Value], metadata: Value) -> Vec<u8> {
    let head =
        json!({"kind": format!("{}List", resource.kind), "apiVersion": resource.api_version(), "metadata": metadata});
    let mut out = write_json(&head);
    out.pop();
    out.extend_from_slice(b",\"items\":[");
    for (at, object) in objects.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write_item(object, resource.custom.is_some(), &mut out);
    }
    out.extend_from_slice(b"]}");
    out
}

fn write_item(object: &Value, with_kind: bool, out: &mut Vec<u8>) {
    let Some(map) = object.as_object() else { return };
    let mut sign = b'{';
    let kept = map.iter().filter(|(name, _)| with_kind || !matches!(name.as_str(), "kind" | "apiVersion"));
    for (name, value) in kept {
        out.push(sign);
        sign = b',';
        serde_json::to_writer(&mut *out, name).expect("a text is always written");
        out.push(b':');
        serde_json::to_writer(&mut *out, value).expect("a tree of values is always written");
    }
    out.push(b'}');
}

fn write_token(revision: u64, namespace: &str, name: &str) -> String {
    let start = format!("{namespace}/{name}");
    base64::encode_url(json!({"v": "meta.k8s.io/v1", "rv": revision, "start": start}).to_string().as_bytes())
}

fn read_token(token: &str) -> Result<(u64, (String, String)), ApiError> {
    let invalid =
        |why: &str| ApiError::bad_request(format!("invalid continue token: continue key is not valid: {why}"));
    let bytes = base64::decode(token).ok_or_else(|| invalid("illegal base64 data at input byte 0"))?;
    let value: Value = serde_json::from_slice(&bytes).map_err(|_| {
        let first = bytes.first().map_or(' ', |byte| char::from(*byte));
        invalid(&format!("invalid character '{first}' looking for beginning of value"))
    })?;
    let revision = json::at(&value, "rv").as_u64().filter(|revision| *revision > 0);
    let revision = revision.ok_or_else(|| invalid("incorrect encoded start resourceVersion"))?;
    let (namespace, name) = json::text(&value, "start").split_once('/').unwrap_or_default();
    Ok((revision, (namespace.into(), name.into())))
}
