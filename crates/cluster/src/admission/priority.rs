//! The priority of a pod, fixed when it is created.

use serde_json::Value;

use super::accounts::shown_name;
use crate::Cluster;
use crate::json;
use crate::resource::Resource;
use crate::status::ApiError;

const CLASSES: &str = "priorityclasses.scheduling.k8s.io";

/// Sets the priority that the pod's class, or the default class, has now.
pub(super) fn admit(cluster: &Cluster, resource: &Resource, pod: &mut Value) -> Result<(), ApiError> {
    let name = json::text(pod, "spec.priorityClassName").to_string();
    let class = match name.as_str() {
        "" => cluster
            .store
            .list(CLASSES, None)
            .filter(|class| json::flag(class, "globalDefault"))
            .min_by_key(|class| json::int(class, "value")),
        name => match cluster.store.get(CLASSES, "", name) {
            None => {
                let why = format!("no PriorityClass with name {name} was found");
                return Err(ApiError::forbidden(resource, shown_name(pod), &why));
            }
            found => found,
        },
    };
    let (value, policy, class_name) = match class {
        Some(class) => (
            json::int(class, "value").unwrap_or(0),
            json::text(class, "preemptionPolicy").to_string(),
            json::text(class, "metadata.name").to_string(),
        ),
        None => (0, "PreemptLowerPriority".to_string(), String::new()),
    };
    let own = json::int(pod, "spec.priority");
    if own.is_some_and(|own| own != value) {
        let why = format!(
            "the integer value of priority ({}) must not be provided in pod spec; priority admission controller computed \
             {value} from the given PriorityClass name",
            own.unwrap_or(0)
        );
        return Err(ApiError::forbidden(resource, shown_name(pod), &why));
    }
    json::set(pod, "spec.priority", value);
    if !class_name.is_empty() {
        json::set(pod, "spec.priorityClassName", class_name);
    }
    let policy = if policy.is_empty() { "PreemptLowerPriority".into() } else { policy };
    json::set_default(pod, "spec.preemptionPolicy", policy);
    Ok(())
}
