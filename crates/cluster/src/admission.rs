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

use std::time::Duration;

use serde_json::Value;

use crate::Cluster;
use crate::program::Programs;
use crate::resource::Resource;
use crate::status::{ApiError, FieldError};
use crate::store::Stored;
use crate::writer::Writer;
pub(crate) use quota::recount;

/// What is being done to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    Update,
    Delete,
}

impl Operation {
    /// As rules of webhooks name it.
    fn verb(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
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

/// What an admission plugin is asked about.
pub(crate) struct Admission<'a> {
    pub(crate) writer: &'a Writer<'a>,
    pub(crate) resource: &'a Resource,
    pub(crate) operation: Operation,
    pub(crate) old: Option<&'a Stored>,
}

/// The admission plugins: they change the object or refuse it. Comes with how long the webhooks among them took.
pub(crate) fn admit(
    cluster: &Cluster,
    programs: &mut dyn Programs,
    ask: &Admission<'_>,
    object: &mut Value,
    warnings: &mut Vec<String>,
) -> (Result<(), ApiError>, Duration) {
    let mut patience = webhooks::Patience::default();
    let result = admit_with(cluster, programs, ask, object, warnings, &mut patience);
    (result, patience.waited())
}

fn admit_with(
    cluster: &Cluster,
    programs: &mut dyn Programs,
    ask: &Admission<'_>,
    object: &mut Value,
    warnings: &mut Vec<String>,
    patience: &mut webhooks::Patience,
) -> Result<(), ApiError> {
    let resource = ask.resource;
    let is_new = ask.operation == Operation::Create;
    let (is_pod, is_claim) =
        (&*resource.storage == "pods" && is_new, &*resource.storage == "persistentvolumeclaims" && is_new);
    if is_pod {
        accounts::admit(cluster, resource, object)?;
        priority::admit(cluster, resource, object)?;
        limits::set_defaults(cluster, object);
    }
    if is_claim {
        defaults::storage_class(cluster, object);
    }
    if webhooks::mutate(cluster, programs, ask, object, warnings, patience)? {
        fill_in(cluster, resource, object, ask.old);
    }
    if is_pod {
        defaults::quality(object);
    }
    if is_pod || is_claim {
        limits::check(cluster, resource, object)?;
    }
    if is_pod {
        security::check(cluster, resource, object, warnings)?;
    }
    security::warn(cluster, resource, object, ask.old, warnings);
    if ask.writer.subresource.is_empty() {
        validation::warn(resource, object, warnings);
    }
    webhooks::validate(cluster, programs, ask, object, warnings, patience)
}

/// Whether an object may be deleted: only webhooks have a say. Comes with how long they took.
pub(crate) fn admit_deletion(
    cluster: &Cluster,
    programs: &mut dyn Programs,
    ask: &Admission<'_>,
    object: &Stored,
    warnings: &mut Vec<String>,
) -> (Result<(), ApiError>, Duration) {
    let mut patience = webhooks::Patience::default();
    let mut copy = Value::clone(object);
    let result = webhooks::mutate(cluster, programs, ask, &mut copy, warnings, &mut patience)
        .and_then(|_| webhooks::validate(cluster, programs, ask, object, warnings, &mut patience));
    (result, patience.waited())
}

/// Whether there are any webhooks.
pub(crate) fn has_webhooks(cluster: &Cluster) -> bool {
    webhooks::are_there(cluster)
}

/// How long the webhooks would keep a new pod of a controller waiting that do not answer.
pub(crate) fn delay(cluster: &Cluster, ask: &Admission<'_>, object: &Value) -> Duration {
    webhooks::delay(cluster, ask, object)
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
