//! What the cluster serves: groups, versions, resources, health, version.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{ApiRequest, ApiResponse, HttpMethod, Route, negotiate, openapi};
use crate::resource::{Resource, Subresource};
use crate::status::ApiError;
use crate::{Cluster, base64};

/// Answers a path that is no object.
pub(super) fn answer(cluster: &Cluster, request: &ApiRequest, route: &Route) -> Result<ApiResponse, ApiError> {
    let known = match route {
        Route::Other(path) => path_is_known(path),
        _ => true,
    };
    if known && request.method != HttpMethod::Get {
        return Err(ApiError::method_not_allowed());
    }
    match route {
        Route::Groups { core } if negotiate::wants_aggregated(request) => {
            Ok(tagged(request, aggregated(cluster, *core), AGGREGATED))
        }
        Route::Groups { core: true } => Ok(json_text(core_versions())),
        Route::Groups { core: false } => Ok(json_text(group_list(cluster))),
        Route::Group(group) => group_text(cluster, group, true).map(json_text).ok_or_else(ApiError::no_such_path),
        Route::Version(group, version) => {
            resource_list(cluster, group, version).map(json_text).ok_or_else(ApiError::no_such_path)
        }
        Route::Other(path) => other(cluster, request, path),
        Route::Object(_) => Err(ApiError::no_such_path()),
    }
}

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

fn path_is_known(path: &str) -> bool {
    matches!(path, "/version" | "/healthz" | "/livez" | "/readyz" | "") || path.starts_with("/openapi")
}

fn other(cluster: &Cluster, request: &ApiRequest, path: &str) -> Result<ApiResponse, ApiError> {
    match path {
        "/version" => Ok(ApiResponse::bytes(200, "application/json", version().into_bytes())),
        "/healthz" | "/livez" | "/readyz" if request.path().len() > 1 && is_verbose(request) => {
            let name = path.trim_start_matches('/');
            Ok(ApiResponse::text(200, format!("[+]ping ok\n[+]log ok\n[+]etcd ok\n{name} check passed\n")))
        }
        "/healthz" | "/livez" | "/readyz" => Ok(ApiResponse::text(200, "ok")),
        "" => Ok(ApiResponse::json(200, &json!({"paths": paths(cluster)}))),
        path if path.starts_with("/openapi") => openapi::answer(cluster, request, path),
        _ => Err(ApiError::no_such_path()),
    }
}

fn is_verbose(request: &ApiRequest) -> bool {
    request.queries("verbose").next().is_some()
}

/// The release that this cluster is.
pub(crate) const RELEASE: &str = "v1.32.5";

fn version() -> String {
    let fields = [
        ("major", "1"),
        ("minor", "32"),
        ("gitVersion", RELEASE),
        ("gitCommit", "9894294ef13a5b32803e3ca2c0d620a088cc84d1"),
        ("gitTreeState", "clean"),
        ("buildDate", "2025-05-15T09:12:10Z"),
        ("goVersion", "go1.23.9"),
        ("compiler", "gc"),
        ("platform", "linux/amd64"),
    ];
    let lines: Vec<_> = fields.iter().map(|(key, value)| format!("  {key:?}: {value:?}")).collect();
    format!("{{\n{}\n}}", lines.join(",\n"))
}

fn paths(cluster: &Cluster) -> Vec<String> {
    let mut paths: Vec<String> = ["/api", "/api/v1", "/apis", "/apis/"].map(Into::into).to_vec();
    for (group, versions) in groups(cluster) {
        paths.push(format!("/apis/{group}"));
        paths.extend(versions.iter().map(|version| format!("/apis/{group}/{version}")));
    }
    paths.extend(["/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"].map(Into::into));
    paths.sort();
    paths
}

/// The groups but the core one, each with its versions, preferred first.
pub(super) fn groups(cluster: &Cluster) -> Vec<(String, Vec<String>)> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for resource in cluster.registry.all().filter(|resource| !resource.group.is_empty()) {
        match groups.iter_mut().find(|(group, _)| *group == resource.group) {
            Some((_, versions)) if versions.contains(&resource.version) => {}
            Some((_, versions)) => versions.push(resource.version.clone()),
            None => groups.push((resource.group.clone(), vec![resource.version.clone()])),
        }
    }
    groups
}

fn resources<'a>(cluster: &'a Cluster, group: &'a str, version: &'a str) -> impl Iterator<Item = &'a Resource> {
    cluster.registry.all().map(|resource| &**resource).filter(move |r| r.group == group && r.version == version)
}

fn json_text(text: String) -> ApiResponse {
    ApiResponse::bytes(200, "application/json", text.into_bytes())
}

/// With an ETag, so that clients need not read the same again.
pub(super) fn tagged(request: &ApiRequest, text: String, content_type: &str) -> ApiResponse {
    let hash: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02X}")).collect();
    let tag = format!("\"{hash}{hash}\"");
    let unchanged = request.header_value("if-none-match").contains(&*tag);
    let mut response = match unchanged {
        true => ApiResponse::bytes(304, content_type, Vec::new()),
        false => ApiResponse::bytes(200, content_type, text.into_bytes()),
    };
    response.headers.push(("ETag", tag));
    response.headers.push(("Cache-Control", "public".into()));
    response.headers.push(("Vary", "Accept".into()));
    response
}

/// A JSON object in the order in which the fields are given; those without a value are left out.
fn object(fields: &[(&str, Option<String>)]) -> String {
    let fields = fields.iter().filter_map(|(key, value)| Some(format!("{key:?}:{}", value.as_ref()?)));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

fn text(value: &str) -> Option<String> {
    Some(Value::from(value).to_string())
}

fn list(items: impl IntoIterator<Item = String>) -> Option<String> {
    Some(format!("[{}]", items.into_iter().collect::<Vec<_>>().join(",")))
}

fn texts<S: AsRef<str>>(items: &[S]) -> Option<String> {
    list(items.iter().map(|item| Value::from(item.as_ref()).to_string()))
}

fn some_texts<S: AsRef<str>>(items: &[S]) -> Option<String> {
    texts(items).filter(|_| !items.is_empty())
}

fn core_versions() -> String {
    let address = object(&[("clientCIDR", text("0.0.0.0/0")), ("serverAddress", text("192.0.2.1:6443"))]);
    object(&[
        ("kind", text("APIVersions")),
        ("versions", texts(&["v1"])),
        ("serverAddressByClientCIDRs", list([address])),
    ])
}

fn group_list(cluster: &Cluster) -> String {
    let all = groups(cluster);
    let all = all.iter().filter_map(|(group, _)| group_text(cluster, group, false));
    object(&[("kind", text("APIGroupList")), ("apiVersion", text("v1")), ("groups", list(all))])
}

fn group_text(cluster: &Cluster, group: &str, alone: bool) -> Option<String> {
    let (_, versions) = groups(cluster).into_iter().find(|(name, _)| name == group)?;
    let version =
        |version: &String| object(&[("groupVersion", text(&format!("{group}/{version}"))), ("version", text(version))]);
    Some(object(&[
        ("kind", text("APIGroup").filter(|_| alone)),
        ("apiVersion", text("v1").filter(|_| alone)),
        ("name", text(group)),
        ("versions", list(versions.iter().map(version))),
        ("preferredVersion", versions.first().map(version)),
    ]))
}

fn resource_list(cluster: &Cluster, group: &str, version: &str) -> Option<String> {
    let mut items = Vec::new();
    for resource in resources(cluster, group, version) {
        items.push(resource_text(resource));
        items.extend(resource.subresources.iter().map(|sub| subresource_text(resource, sub)));
    }
    if items.is_empty() {
        return None;
    }
    let group_version = if group.is_empty() { version.to_string() } else { format!("{group}/{version}") };
    Some(object(&[
        ("kind", text("APIResourceList")),
        ("apiVersion", text("v1").filter(|_| !group.is_empty())),
        ("groupVersion", text(&group_version)),
        ("resources", list(items)),
    ]))
}

fn resource_text(resource: &Resource) -> String {
    let path = match resource.group.as_str() {
        "" => format!("{}/{}", resource.version, resource.kind),
        group => format!("{group}/{}/{}", resource.version, resource.kind),
    };
    let stored = resource.allows("watch").then(|| base64::encode(&Sha256::digest(path.as_bytes())[..8]));
    object(&[
        ("name", text(&resource.plural)),
        ("singularName", text(&resource.singular)),
        ("namespaced", Some(resource.namespaced.to_string())),
        ("kind", text(&resource.kind)),
        ("verbs", texts(&resource.verbs)),
        ("shortNames", some_texts(&resource.short_names)),
        ("categories", some_texts(&resource.categories)),
        ("storageVersionHash", stored.as_deref().and_then(text)),
    ])
}

fn subresource_text(resource: &Resource, sub: &Subresource) -> String {
    let (group, version, kind) = &sub.answers;
    let own = resource.group == *group && resource.version == *version;
    let said = |value: &str| text(value).filter(|_| !value.is_empty() && !own);
    object(&[
        ("name", text(&format!("{}/{}", resource.plural, sub.name))),
        ("singularName", text("")),
        ("namespaced", Some(resource.namespaced.to_string())),
        ("group", said(group)),
        ("version", said(version)),
        ("kind", text(kind)),
        ("verbs", texts(&sub.verbs)),
    ])
}

fn aggregated(cluster: &Cluster, core: bool) -> String {
    let groups = if core { vec![(String::new(), vec!["v1".to_string()])] } else { groups(cluster) };
    let items = groups.iter().map(|(group, versions)| {
        let versions = versions.iter().map(|version| {
            let resources = resources(cluster, group, version).map(aggregated_resource);
            object(&[("version", text(version)), ("resources", list(resources)), ("freshness", text("Current"))])
        });
        let name = text(group).filter(|_| !group.is_empty());
        let metadata = object(&[("name", name), ("creationTimestamp", Some("null".into()))]);
        object(&[("metadata", Some(metadata)), ("versions", list(versions))])
    });
    object(&[
        ("kind", text("APIGroupDiscoveryList")),
        ("apiVersion", text("apidiscovery.k8s.io/v2")),
        ("metadata", Some("{}".into())),
        ("items", list(items)),
    ])
}

fn aggregated_resource(resource: &Resource) -> String {
    let kind = |group: &str, version: &str, kind: &str| {
        Some(object(&[("group", text(group)), ("version", text(version)), ("kind", text(kind))]))
    };
    let own = if resource.custom.is_some() { (&*resource.group, &*resource.version) } else { ("", "") };
    let subs = resource.subresources.iter().map(|sub| {
        let (group, version, name) = &sub.answers;
        object(&[
            ("subresource", text(&sub.name)),
            ("responseKind", kind(group, version, name)),
            ("verbs", texts(&sub.verbs)),
        ])
    });
    object(&[
        ("resource", text(&resource.plural)),
        ("responseKind", kind(own.0, own.1, &resource.kind)),
        ("scope", text(if resource.namespaced { "Namespaced" } else { "Cluster" })),
        ("singularResource", text(&resource.singular)),
        ("verbs", texts(&resource.verbs)),
        ("shortNames", some_texts(&resource.short_names)),
        ("categories", some_texts(&resource.categories)),
        ("subresources", list(subs).filter(|_| !resource.subresources.is_empty())),
    ])
}
