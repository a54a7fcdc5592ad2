//! In whose name something is written.

use crate::request::ApiRequest;

/// In whose name something is written, and how.
#[derive(Clone, Debug)]
pub(crate) struct Writer<'a> {
    /// The name under which fields are owned.
    pub(crate) manager: String,
    /// Nothing is stored.
    pub(crate) dry_run: bool,
    /// `status`, `scale`, or nothing for the object itself.
    pub(crate) subresource: &'a str,
    /// The entries of `managedFields` are those in the object: an apply has made them.
    pub(crate) keeps_managed: bool,
}

impl<'a> Writer<'a> {
    /// A controller: a part of the cluster that writes in its own name. Its fields are not noted: clients do not ask for them,
    /// and they would be half of every pod.
    pub(crate) fn controller(manager: &str) -> Self {
        Self { manager: manager.into(), dry_run: false, subresource: "", keeps_managed: true }
    }

    /// A client, by the manager that it names or else by its program.
    pub(crate) fn of(request: &ApiRequest) -> Self {
        let named = request.query("fieldManager");
        let agent = request.header_value("user-agent").split('/').next().unwrap_or_default();
        let agent = if agent.is_empty() { "unknown" } else { agent };
        let manager = if named.is_empty() { agent } else { named };
        let manager = manager.chars().take(128).collect();
        Self { manager, dry_run: request.is_dry_run(), subresource: "", keeps_managed: false }
    }
}
