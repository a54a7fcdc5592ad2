//! What happens to an object between its arrival and its storing: it is filled in, admitted, looked at, and charged.

mod accounts;
mod allocate;
mod custom;
mod defaults;
mod limits;
mod priority;
mod quota;
mod security;
mod validation;
mod webhooks;

use serde_json::Value;

use crate::Cluster;
use crate::api::Writer;
use crate::resource::Resource;
use crate::status::{ApiError, FieldError};
use crate::store::Stored;
pub(crate) use quota::recount;

/// What is being done to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    Update,
}

/// Sets what a client left out.
pub(crate) fn fill_in(cluster: &Cluster, resource: &Resource, object: &mut Value, old: Option<&Stored>) {
    defaults::set(resource, object, old.map(|old| &**old), cluster.now);
    if &*resource.storage == "services" {
        allocate::service(cluster, object, old.map(|old| &**old));
    }
    if let Some(kind) = &resource.custom {
        custom::fill_in(object, &kind.schema);
    }
}

/// The admission plugins: they change the object or refuse it.
pub(crate) fn admit(
    cluster: &Cluster,
    writer: &Writer<'_>,
    resource: &Resource,
    operation: Operation,
    object: &mut Value,
    old: Option<&Stored>,
    warnings: &mut Vec<String>,
) -> Result<(), ApiError> {
    if &*resource.storage == "pods" && operation == Operation::Create {
        accounts::admit(cluster, resource, object)?;
        priority::admit(cluster, resource, object)?;
        limits::set_defaults(cluster, object);
        defaults::quality(object);
        limits::check(cluster, resource, object)?;
        security::check(cluster, resource, object, warnings)?;
    }
    if &*resource.storage == "persistentvolumeclaims" && operation == Operation::Create {
        defaults::storage_class(cluster, object);
        limits::check(cluster, resource, object)?;
    }
    security::warn(cluster, resource, object, old, warnings);
    if writer.subresource.is_empty() {
        validation::warn(resource, object, warnings);
    }
    webhooks::call(cluster, writer, resource, operation, object)
}

/// What is wrong with an object; with the old state and the subresource if it is an update.
pub(crate) fn validate(
    cluster: &Cluster,
    resource: &Resource,
    object: &Value,
    old: Option<(&Stored, &str)>,
) -> Vec<FieldError> {
    let mut errors = validation::check(cluster, resource, object, old.map(|(old, _)| &**old));
    if let Some(kind) = &resource.custom {
        errors.extend(custom::check(object, &kind.schema, kind.scale.as_ref()));
    }
    errors
}

/// Charges a new object to the quotas of its namespace, or refuses it.
pub(crate) fn charge(
    cluster: &mut Cluster,
    resource: &Resource,
    object: &Value,
    dry_run: bool,
) -> Result<(), ApiError> {
    quota::charge(cluster, resource, object, dry_run)
}
