//! The second part: everything that ran before runs again, Services have endpoints, volumes are still there.

use apps::Site;
use cluster::{Cluster, Stored, json};

use crate::place::ObjectPlace;
use crate::scene::ProblemScene;

/// Kinds whose pods are counted.
const WORKLOADS: [&str; 3] = ["deployments.apps", "statefulsets.apps", "daemonsets.apps"];

/// What does not run that ran before, or that the fault brought and that belongs there.
pub(super) fn part(scene: &ProblemScene, site: &Site) -> Vec<String> {
    let mut found = Vec::new();
    for resource in WORKLOADS {
        for object in scene.healthy.cluster.objects(resource, None) {
            let wanted = scaled(&site.cluster, object).map_or(ready(object), |least| ready(object).min(least));
            found.extend(workload(resource, object, wanted, &site.cluster));
        }
        let brought = scene
            .broken
            .cluster
            .objects(resource, None)
            .filter(|object| same(&scene.healthy.cluster, resource, object).is_none());
        for object in brought.filter(|object| !is_the_defect(scene, resource, object)) {
            let wanted = json::int(object, "spec.replicas").unwrap_or(1).min(1);
            found.extend(workload(resource, object, wanted, &site.cluster));
        }
    }
    for service in
        scene.healthy.cluster.objects("services", None).filter(|service| has_endpoints(&scene.healthy.cluster, service))
    {
        if same(&site.cluster, "services", service).is_some() && !has_endpoints(&site.cluster, service) {
            found.push(format!("service {} has no ready endpoints", name(service)));
        }
    }
    for claim in scene.healthy.cluster.objects("persistentvolumeclaims", None) {
        let volume = json::text(claim, "spec.volumeName");
        // What the fault itself has taken away cannot be lost again.
        let broken = same(&scene.broken.cluster, "persistentvolumeclaims", claim);
        if broken.is_none_or(|broken| json::text(broken, "spec.volumeName") != volume) {
            continue;
        }
        match same(&site.cluster, "persistentvolumeclaims", claim) {
            None => found.push(format!("volume claim {} is gone, and its data with it", name(claim))),
            Some(now) if !volume.is_empty() && json::text(now, "spec.volumeName") != volume => {
                found.push(format!("volume claim {} is another one, and the data of the first is gone", name(claim)));
            }
            Some(_) => {}
        }
    }
    found
}

/// What the fault brought is the defect itself if a cause names the object and no field of it.
fn is_the_defect(scene: &ProblemScene, resource: &str, object: &Stored) -> bool {
    let problem = &scene.problem;
    problem.file.cause.iter().filter(|cause| cause.field.is_empty() && cause.state.is_none()).any(|cause| {
        let namespace = cause.namespace.as_deref().unwrap_or(problem.namespace());
        let place = ObjectPlace::read(&cause.object, namespace);
        place.is_some_and(|place| place.resource == resource && place.name == json::text(object, "metadata.name"))
    })
}

fn workload(resource: &str, before: &Stored, wanted: i64, now: &Cluster) -> Option<String> {
    let kind = resource.split("s.").next().unwrap_or(resource);
    let Some(object) = same(now, resource, before) else { return Some(format!("{kind} {} is gone", name(before))) };
    let is = ready(object);
    if is < wanted {
        return Some(format!("{kind} {} has {is} ready of {wanted}", name(before)));
    }
    // Old pods may serve while new ones never come up: the next node that fails takes the last of them.
    let missing = json::int(object, "status.unavailableReplicas").unwrap_or(0);
    (missing > 0).then(|| format!("{kind} {} has {missing} pods that do not become available", name(before)))
}

/// The least number of replicas that an autoscaler keeps of a workload, if one scales it: how many more run is its business.
fn scaled(now: &Cluster, workload: &Stored) -> Option<i64> {
    let namespace = json::text(workload, "metadata.namespace");
    let mut all = now.objects("horizontalpodautoscalers.autoscaling", Some(namespace));
    let own = all.find(|one| json::text(one, "spec.scaleTargetRef.name") == json::text(workload, "metadata.name"))?;
    Some(json::int(own, "spec.minReplicas").unwrap_or(1))
}

/// Replicas that are ready.
fn ready(object: &Stored) -> i64 {
    json::int(object, "status.readyReplicas").or(json::int(object, "status.numberReady")).unwrap_or(0)
}

fn has_endpoints(cluster: &Cluster, service: &Stored) -> bool {
    let (namespace, own) = (json::text(service, "metadata.namespace"), json::text(service, "metadata.name"));
    let mut slices = cluster.objects("endpointslices.discovery.k8s.io", Some(namespace));
    slices.any(|slice| {
        crate::place::field(slice, "metadata.labels.kubernetes\\.io/service-name").and_then(|name| name.as_str())
            == Some(own)
            && json::list(slice, "endpoints").iter().any(|end| json::flag(end, "conditions.ready"))
    })
}

fn same<'c>(cluster: &'c Cluster, resource: &str, object: &Stored) -> Option<&'c Stored> {
    cluster.object(resource, json::text(object, "metadata.namespace"), json::text(object, "metadata.name"))
}

fn name(object: &Stored) -> String {
    match json::text(object, "metadata.namespace") {
        "" => json::text(object, "metadata.name").to_string(),
        namespace => format!("{namespace}/{}", json::text(object, "metadata.name")),
    }
}
