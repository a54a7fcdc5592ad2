//! Who may do what: users, impersonation, RBAC.

use serde_json::Value;

use crate::request::{ApiRequest, HttpMethod, User};
use crate::resource::Resource;
use crate::route::{ApiTarget, Route};
use crate::status::ApiError;
use crate::{Cluster, json};

/// Something that a user wants to do.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccessAttempt<'a> {
    pub(crate) verb: &'a str,
    pub(crate) group: &'a str,
    /// With the subresource, as rules write it: `pods/log`.
    pub(crate) resource: String,
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    /// For what is no resource: the path.
    pub(crate) path: &'a str,
}

impl Cluster {
    /// Who asks: the user of the connection, or the one that it may speak for.
    pub(crate) fn caller(&self, request: &ApiRequest) -> Result<User, ApiError> {
        let user = request.user.clone().ok_or_else(ApiError::unauthorized)?;
        let wanted = request.header_value("impersonate-user");
        if wanted.is_empty() {
            return Ok(user);
        }
        let attempt =
            AccessAttempt { verb: "impersonate", resource: "users".into(), name: wanted, ..AccessAttempt::default() };
        if self.allowance(&user, &attempt).is_none() {
            let why = format!(
                "User {:?} cannot impersonate resource \"users\" in API group \"\" at the cluster scope",
                user.name
            );
            let details = serde_json::json!({"name": wanted, "kind": "users"});
            let message = format!("users {wanted:?} is forbidden: {why}");
            return Err(ApiError { message, details: Some(details), ..ApiError::forbidden_path("") });
        }
        let groups: Vec<_> = request.header_values("impersonate-group").collect();
        let account = wanted.strip_prefix("system:serviceaccount:").and_then(|rest| rest.split_once(':'));
        match account {
            Some((namespace, name)) if groups.is_empty() => Ok(User::service_account(namespace, name)),
            _ => Ok(User::new(wanted, &groups)),
        }
    }

    /// Refuses what no rule allows.
    pub(crate) fn authorize(&self, user: &User, request: &ApiRequest, route: &Route) -> Result<(), ApiError> {
        if user.is_master() {
            return Ok(());
        }
        match route {
            Route::Object(target) => self.authorize_object(user, request, target),
            _ => {
                let verb = if request.method == HttpMethod::Get { "get" } else { "post" };
                let attempt = AccessAttempt { verb, path: request.path(), ..AccessAttempt::default() };
                match self.allowance(user, &attempt) {
                    Some(_) => Ok(()),
                    None => {
                        let why = format!("User {:?} cannot {verb} path {:?}", user.name, request.path());
                        Err(ApiError::forbidden_path(&why))
                    }
                }
            }
        }
    }

    fn authorize_object(&self, user: &User, request: &ApiRequest, target: &ApiTarget) -> Result<(), ApiError> {
        let verb = verb(request, target);
        let resource = match target.subresource.as_str() {
            "" => target.resource.clone(),
            sub => format!("{}/{sub}", target.resource),
        };
        let attempt = AccessAttempt {
            verb,
            group: &target.group,
            resource: resource.clone(),
            namespace: &target.namespace,
            name: &target.name,
            path: "",
        };
        if self.allowance(user, &attempt).is_some() {
            return Ok(());
        }
        let place = match target.namespace.as_str() {
            "" => "at the cluster scope".to_string(),
            namespace => format!("in the namespace {namespace:?}"),
        };
        let why =
            format!("User {:?} cannot {verb} resource {resource:?} in API group {:?} {place}", user.name, target.group);
        let named = self.registry.find(&target.group, &target.version, &target.resource);
        let unknown = unknown(target);
        Err(ApiError::forbidden(named.map_or(&unknown, |named| named), &target.name, &why))
    }

    /// The rule that allows it, in words; nothing if none does.
    pub(crate) fn allowance(&self, user: &User, attempt: &AccessAttempt<'_>) -> Option<String> {
        if user.is_master() {
            return Some(String::new());
        }
        for binding in self.store.list("clusterrolebindings.rbac.authorization.k8s.io", None) {
            let Some(subject) = subject_of(binding, user) else { continue };
            if self.rules(binding).iter().any(|rule| allows(rule, attempt)) {
                let role = json::text(binding, "roleRef.name");
                let name = json::text(binding, "metadata.name");
                return Some(format!(
                    "RBAC: allowed by ClusterRoleBinding {name:?} of ClusterRole {role:?} to {subject}"
                ));
            }
        }
        if attempt.namespace.is_empty() {
            return None;
        }
        for binding in self.store.list("rolebindings.rbac.authorization.k8s.io", Some(attempt.namespace)) {
            let Some(subject) = subject_of(binding, user) else { continue };
            if self.rules(binding).iter().any(|rule| allows(rule, attempt)) {
                let (kind, role) = (json::text(binding, "roleRef.kind"), json::text(binding, "roleRef.name"));
                let name = format!("{}/{}", json::text(binding, "metadata.name"), attempt.namespace);
                return Some(format!("RBAC: allowed by RoleBinding {name:?} of {kind} {role:?} to {subject}"));
            }
        }
        None
    }

    /// All rules that hold for a user in a namespace.
    pub(crate) fn rules_of(&self, user: &User, namespace: &str) -> Vec<Value> {
        let everywhere = self.store.list("clusterrolebindings.rbac.authorization.k8s.io", None);
        let here = self.store.list("rolebindings.rbac.authorization.k8s.io", Some(namespace));
        let bound = everywhere.chain(here).filter(|binding| subject_of(binding, user).is_some());
        bound.flat_map(|binding| self.rules(binding)).cloned().collect()
    }

    fn rules(&self, binding: &Value) -> &[Value] {
        let role = json::text(binding, "roleRef.name");
        let found = match json::text(binding, "roleRef.kind") {
            "ClusterRole" => self.store.get("clusterroles.rbac.authorization.k8s.io", "", role),
            _ => self.store.get("roles.rbac.authorization.k8s.io", json::text(binding, "metadata.namespace"), role),
        };
        found.map(|role| json::list(role, "rules")).unwrap_or_default()
    }
}

/// The verb of a request as rules name it.
fn verb<'a>(request: &ApiRequest, target: &ApiTarget) -> &'a str {
    let named = !target.name.is_empty();
    match request.method {
        HttpMethod::Get if target.is_watch || request.flag("watch") => "watch",
        HttpMethod::Get if named => "get",
        HttpMethod::Get => "list",
        HttpMethod::Post => "create",
        HttpMethod::Put => "update",
        HttpMethod::Patch => "patch",
        HttpMethod::Delete if named => "delete",
        HttpMethod::Delete => "deletecollection",
        HttpMethod::Other => "",
    }
}

fn unknown(target: &ApiTarget) -> Resource {
    Resource {
        group: target.group.clone(),
        plural: target.resource.clone(),
        ..Resource::clone(crate::resource::built_in("pods"))
    }
}

/// How a binding names the user, if it does.
fn subject_of(binding: &Value, user: &User) -> Option<String> {
    json::list(binding, "subjects").iter().find_map(|subject| {
        let (name, namespace) = (json::text(subject, "name"), json::text(subject, "namespace"));
        match json::text(subject, "kind") {
            "User" if user.name == name => Some(format!("User {name:?}")),
            "Group" if user.groups.iter().any(|group| group == name) => Some(format!("Group {name:?}")),
            "ServiceAccount" if user.name == format!("system:serviceaccount:{namespace}:{name}") => {
                Some(format!("ServiceAccount \"{name}/{namespace}\""))
            }
            _ => None,
        }
    })
}

fn allows(rule: &Value, attempt: &AccessAttempt<'_>) -> bool {
    let has = |field: &str, wanted: &str| json::list(rule, field).iter().any(|own| own == "*" || own == wanted);
    if !has("verbs", attempt.verb) {
        return false;
    }
    if !attempt.path.is_empty() {
        return json::list(rule, "nonResourceURLs").iter().filter_map(Value::as_str).any(|own| {
            match own.strip_suffix('*') {
                Some(prefix) => attempt.path.starts_with(prefix),
                None => own == attempt.path,
            }
        });
    }
    let any_of_sub = attempt.resource.split_once('/').is_some_and(|(_, sub)| has("resources", &format!("*/{sub}")));
    let names = json::list(rule, "resourceNames");
    has("apiGroups", attempt.group)
        && (has("resources", &attempt.resource) || any_of_sub)
        && (names.is_empty() || names.iter().any(|name| name == attempt.name))
}
