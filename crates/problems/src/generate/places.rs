//! Where faults can strike: the Deployments, Services, settings and files of an application that is deployed and well.

use std::collections::BTreeMap;

use apps::Site;
use cluster::{Stored, json};
use serde_json::{Value, json};

use super::template::StruckThing;

/// A place, as the words that stand for it.
pub(super) type PlaceWords = BTreeMap<&'static str, String>;

/// All places of a sort in an application, in order.
pub(super) fn places(site: &Site, application: &str, at: StruckThing) -> Vec<PlaceWords> {
    let deployments = site.cluster.objects("deployments.apps", Some(application));
    let deployments = deployments.filter(|one| json::text(one, "metadata.name") != "load-generator");
    match at {
        StruckThing::Deployment => deployments.filter_map(deployment).collect(),
        StruckThing::Setting => {
            let hosts: Vec<String> = names(site, application);
            deployments.flat_map(|one| settings(one, &hosts)).collect()
        }
        StruckThing::Configmap => deployments.flat_map(|one| files(site, application, one)).collect(),
        StruckThing::Service => {
            let all: Vec<&Stored> = deployments.collect();
            let services = site.cluster.objects("services", Some(application));
            services.filter_map(|service| self::service(service, &all)).collect()
        }
    }
}

fn names(site: &Site, application: &str) -> Vec<String> {
    let all = site.cluster.objects("services", Some(application));
    let mut names: Vec<String> = all.map(|one| json::text(one, "metadata.name").to_string()).collect();
    // The longest first: mongodb-geo is not geo.
    names.sort_by_key(|name| (std::cmp::Reverse(name.len()), name.clone()));
    names
}

fn deployment(object: &Stored) -> Option<PlaceWords> {
    let container = json::list(object, "spec.template.spec.containers").first()?;
    let image = json::text(container, "image");
    let repository = image.rsplit_once(':').map_or(image, |(repository, _)| repository);
    let labels = json::at(object, "spec.selector.matchLabels");
    let pairs = labels.as_object()?.iter().map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()));
    Some(BTreeMap::from([
        ("name", json::text(object, "metadata.name").to_string()),
        ("namespace", json::text(object, "metadata.namespace").to_string()),
        ("container", json::text(container, "name").to_string()),
        ("image", image.to_string()),
        ("repository", repository.to_string()),
        ("replicas", json::int(object, "spec.replicas").unwrap_or(1).to_string()),
        ("labels", pairs.collect::<Vec<_>>().join(",")),
        ("labels-map", labels.to_string()),
    ]))
}

fn settings(object: &Stored, hosts: &[String]) -> Vec<PlaceWords> {
    let Some(place) = deployment(object) else { return Vec::new() };
    let Some(container) = json::list(object, "spec.template.spec.containers").first() else { return Vec::new() };
    let mut found = Vec::new();
    for variable in json::list(container, "env") {
        let (name, value) = (json::text(variable, "name"), json::text(variable, "value"));
        let Some(host) = hosts.iter().find(|host| names_host(value, host)) else { continue };
        // What a shell would read as more than a text is left alone.
        if value.contains(['\'', '"', '$', '\n']) || host.as_str() == place["name"] {
            continue;
        }
        let mut place = place.clone();
        place.insert("variable", name.to_string());
        place.insert("host", host.clone());
        place.insert("wrong-host", value.replacen(host.as_str(), &format!("{host}-retired"), 1));
        if let Some(port) = port_after(value, host) {
            place.insert("wrong-port", value.replacen(&format!("{host}:{port}"), &format!("{host}:6553"), 1));
        }
        found.push(place);
    }
    found
}

/// Whether a value names a host: as a word of its own, alone or before a port, a path or a domain.
fn names_host(value: &str, host: &str) -> bool {
    let is_word = |char: char| char.is_ascii_alphanumeric() || char == '-' || char == '_';
    value.match_indices(host).any(|(at, _)| {
        let (before, after) = (value[..at].chars().next_back(), value[at + host.len()..].chars().next());
        !before.is_some_and(|c| is_word(c) || c == '.') && !after.is_some_and(is_word)
    })
}

fn port_after<'v>(value: &'v str, host: &str) -> Option<&'v str> {
    let rest = &value[value.find(&format!("{host}:"))? + host.len() + 1..];
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

fn service(object: &Stored, deployments: &[&Stored]) -> Option<PlaceWords> {
    let selector = json::at(object, "spec.selector").as_object().filter(|map| !map.is_empty())?;
    let is_own = |deployment: &&&Stored| {
        let labels = json::at(deployment, "spec.template.metadata.labels");
        selector.iter().all(|(key, value)| labels.get(key) == Some(value))
    };
    let workload = deployments.iter().find(is_own)?;
    let ports = json::at(object, "spec.ports");
    let first = ports.as_array()?.first()?;
    let target = first.get("targetPort").or_else(|| first.get("port"))?;
    Some(BTreeMap::from([
        ("name", json::text(object, "metadata.name").to_string()),
        ("namespace", json::text(object, "metadata.namespace").to_string()),
        ("workload", json::text(workload, "metadata.name").to_string()),
        ("selector", Value::Object(selector.clone()).to_string()),
        ("ports", ports.to_string()),
        ("target", target.to_string()),
        (
            "manifest",
            manifest("v1", "Service", object, "spec", &["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"]),
        ),
    ]))
}

fn files(site: &Site, application: &str, workload: &Stored) -> Vec<PlaceWords> {
    let Some(place) = deployment(workload) else { return Vec::new() };
    let mut found = Vec::new();
    for volume in json::list(workload, "spec.template.spec.volumes") {
        let name = json::text(volume, "configMap.name");
        let Some(object) = site.cluster.object("configmaps", application, name) else { continue };
        let Some(data) = json::at(object, "data").as_object() else { continue };
        for key in data.keys() {
            found.push(BTreeMap::from([
                ("name", name.to_string()),
                ("namespace", application.to_string()),
                ("workload", place["name"].clone()),
                ("labels", place["labels"].clone()),
                ("key", key.clone()),
                ("key-path", key.replace('~', "~0").replace('/', "~1")),
                ("manifest", manifest("v1", "ConfigMap", object, "data", &[])),
            ]));
        }
    }
    found
}

/// An object as it would be written anew.
fn manifest(version: &str, kind: &str, object: &Stored, part: &str, without: &[&str]) -> String {
    let mut body = json::at(object, part).clone();
    if let Some(map) = body.as_object_mut() {
        without.iter().for_each(|key| drop(map.remove(*key)));
    }
    let mut metadata = json!({"name": json::text(object, "metadata.name")});
    if json::at(object, "metadata.labels").is_object() {
        metadata["labels"] = json::at(object, "metadata.labels").clone();
    }
    json!({"apiVersion": version, "kind": kind, "metadata": metadata, part: body}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_words() {
        let check = |value: &str, host: &str, expect: bool| assert_eq!(names_host(value, host), expect, "{value}");
        check("geo:8083", "geo", true);
        check("http://geo/path", "geo", true);
        check("geo.hotel.svc:80", "geo", true);
        check("mongodb-geo:27017", "geo", false);
        check("geography", "geo", false);
        assert_eq!(port_after("http://geo:8083/x", "geo"), Some("8083"));
        assert_eq!(port_after("geo", "geo"), None);
    }
}
