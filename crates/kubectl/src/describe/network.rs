//! Services, Endpoints, EndpointSlices and Ingresses.

use serde_json::Value;

use super::{Page, events, or_none};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;
use crate::targets::Found;

fn joined(object: &Value, path: &str) -> String {
    json::list(object, path).iter().map(json::plain).collect::<Vec<_>>().join(",")
}

pub(super) fn service(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    let text = |path: &str| json::text(object, path);
    page.head(object, true);
    page.entry("Selector", or_none(&super::labels_selector(json::at(object, "spec.selector"))));
    page.entry("Type", text("spec.type"));
    if !text("spec.ipFamilyPolicy").is_empty() {
        page.entry("IP Family Policy", text("spec.ipFamilyPolicy"));
    }
    let families = joined(object, "spec.ipFamilies");
    page.entry("IP Families", or_none(&families));
    page.entry("IP", text("spec.clusterIP"));
    let all = joined(object, "spec.clusterIPs");
    page.entry("IPs", or_none(&all));
    if !json::list(object, "spec.externalIPs").is_empty() {
        page.entry("External IPs", joined(object, "spec.externalIPs"));
    }
    if !text("spec.loadBalancerIP").is_empty() {
        page.entry("Desired LoadBalancer IP", text("spec.loadBalancerIP"));
    }
    if !text("spec.externalName").is_empty() {
        page.entry("External Name", text("spec.externalName"));
    }
    let balancers: Vec<String> = json::list(object, "status.loadBalancer.ingress")
        .iter()
        .map(|one| match json::text(one, "ip") {
            "" => json::text(one, "hostname").to_string(),
            ip => format!("{ip} ({})", json::text(one, "ipMode")),
        })
        .collect();
    if !balancers.is_empty() {
        page.entry("LoadBalancer Ingress", balancers.join(", "));
    }
    let slices = slices(call, &found.namespace, &found.name)?;
    for port in json::list(object, "spec.ports") {
        let name = match json::text(port, "name") {
            "" => "<unset>",
            name => name,
        };
        let protocol = json::text(port, "protocol");
        page.entry("Port", format!("{name}\t{}/{protocol}", json::int(port, "port").unwrap_or(0)));
        page.entry("TargetPort", format!("{}/{protocol}", json::plain(json::at(port, "targetPort"))));
        if let Some(node) = json::int(port, "nodePort").filter(|node| *node > 0) {
            page.entry("NodePort", format!("{name}\t{node}/{protocol}"));
        }
        page.entry("Endpoints", backends(&slices, json::text(port, "name")));
    }
    page.entry("Session Affinity", text("spec.sessionAffinity"));
    if !text("spec.externalTrafficPolicy").is_empty() {
        page.entry("External Traffic Policy", text("spec.externalTrafficPolicy"));
    }
    if !text("spec.internalTrafficPolicy").is_empty() {
        page.entry("Internal Traffic Policy", text("spec.internalTrafficPolicy"));
    }
    if let Some(port) = json::int(object, "spec.healthCheckNodePort").filter(|port| *port > 0) {
        page.entry("HealthCheck NodePort", port.to_string());
    }
    let ranges = joined(object, "spec.loadBalancerSourceRanges");
    if !ranges.is_empty() {
        page.entry("LoadBalancer Source Ranges", ranges);
    }
    events(call, found, page)
}

fn slices(call: &mut Kubectl<'_, '_>, namespace: &str, service: &str) -> Result<Vec<Value>, Failure> {
    let kind = call.kind("endpointslices.discovery.k8s.io")?;
    call.list(&kind, namespace, &format!("kubernetes.io/service-name={service}"), "")
}

/// The ready addresses behind a port, three of them.
fn backends(slices: &[Value], port: &str) -> String {
    let mut all = Vec::new();
    for slice in slices {
        let numbers = json::list(slice, "ports").iter().filter(|known| json::text(known, "name") == port);
        for number in numbers.filter_map(|known| json::int(known, "port")) {
            for end in json::list(slice, "endpoints") {
                if json::at(end, "conditions.ready").as_bool() != Some(false) {
                    let addresses = json::list(end, "addresses").iter().filter_map(Value::as_str);
                    all.extend(addresses.map(|address| format!("{address}:{number}")));
                }
            }
        }
    }
    let count = all.len();
    all.truncate(3);
    match count {
        0 => String::new(),
        1..=3 => all.join(","),
        _ => format!("{} + {} more...", all.join(","), count - 3),
    }
}

pub(super) fn endpoints(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    page.head(object, true);
    page.line(0, "Subsets:");
    for (at, subset) in json::list(object, "subsets").iter().enumerate() {
        if at > 0 {
            page.line(0, "");
        }
        let addresses = |field: &str| {
            let all: Vec<&str> = json::list(subset, field).iter().map(|address| json::text(address, "ip")).collect();
            if all.is_empty() { "<none>".to_string() } else { all.join(",") }
        };
        page.line(1, format!("Addresses:\t{}", addresses("addresses")));
        page.line(1, format!("NotReadyAddresses:\t{}", addresses("notReadyAddresses")));
        let ports = json::list(subset, "ports");
        if !ports.is_empty() {
            page.line(1, "Ports:\n    Name\tPort\tProtocol\n    ----\t----\t--------");
            for port in ports {
                let name = json::text(port, "name");
                page.line(
                    2,
                    format!(
                        "{}\t{}\t{}",
                        if name.is_empty() { "<unset>" } else { name },
                        json::int(port, "port").unwrap_or(0),
                        json::text(port, "protocol")
                    ),
                );
            }
        }
        page.line(0, "");
    }
    events(call, found, page)
}

pub(super) fn slice(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    page.head(object, true);
    page.entry("AddressType", json::text(object, "addressType"));
    let ports = json::list(object, "ports");
    if ports.is_empty() {
        page.entry("Ports", "<unset>");
    } else {
        page.line(0, "Ports:\n  Name\tPort\tProtocol\n  ----\t----\t--------");
        for port in ports {
            let name = json::text(port, "name");
            let number = json::int(port, "port").map_or("<unset>".to_string(), |port| port.to_string());
            page.line(
                1,
                format!(
                    "{}\t{number}\t{}",
                    if name.is_empty() { "<unset>" } else { name },
                    json::text(port, "protocol")
                ),
            );
        }
    }
    let ends = json::list(object, "endpoints");
    page.line(0, if ends.is_empty() { "Endpoints:\t<none>" } else { "Endpoints:" });
    for end in ends {
        let or_unset = |text: &str| if text.is_empty() { "<unset>".to_string() } else { text.to_string() };
        page.line(1, format!("- Addresses:\t{}", joined(end, "addresses")));
        page.line(2, "Conditions:");
        let ready = json::at(end, "conditions.ready").as_bool().map_or("<unset>".into(), |ready| ready.to_string());
        page.line(3, format!("Ready:\t{ready}"));
        page.line(2, format!("Hostname:\t{}", or_unset(json::text(end, "hostname"))));
        if json::at(end, "targetRef").is_object() {
            page.line(
                2,
                format!("TargetRef:\t{}/{}", json::text(end, "targetRef.kind"), json::text(end, "targetRef.name")),
            );
        }
        page.line(2, format!("NodeName:\t{}", or_unset(json::text(end, "nodeName"))));
        page.line(2, format!("Zone:\t{}", or_unset(json::text(end, "zone"))));
    }
    events(call, found, page)
}

pub(super) fn ingress(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    page.entry("Name", &found.name);
    page.labels("Labels", json::at(object, "metadata.labels"), "");
    page.entry("Namespace", &found.namespace);
    let addresses: Vec<&str> = json::list(object, "status.loadBalancer.ingress")
        .iter()
        .map(|one| match json::text(one, "ip") {
            "" => json::text(one, "hostname"),
            ip => ip,
        })
        .collect();
    page.entry("Address", addresses.join(","));
    page.entry("Ingress Class", or_none(json::text(object, "spec.ingressClassName")));
    let default = json::at(object, "spec.defaultBackend");
    let shown = match default.is_object() {
        true => backend(call, &found.namespace, default)?,
        false => "<default>".into(),
    };
    page.entry("Default backend", shown);
    let tls = json::list(object, "spec.tls");
    if !tls.is_empty() {
        page.line(0, "TLS:");
        for one in tls {
            let hosts = joined(one, "hosts");
            match json::text(one, "secretName") {
                "" => page.line(1, format!("SNI routes {hosts}")),
                secret => page.line(1, format!("{secret} terminates {hosts}")),
            }
        }
    }
    page.line(0, "Rules:\n  Host\tPath\tBackends\n  ----\t----\t--------");
    let rules = json::list(object, "spec.rules");
    for rule in rules {
        let paths = json::list(rule, "http.paths");
        let host = json::text(rule, "host");
        page.line(1, format!("{}\t", if host.is_empty() { "*" } else { host }));
        for path in paths {
            let shown = backend(call, &found.namespace, json::at(path, "backend"))?;
            page.line(1, format!("\t{} \t{shown}", json::text(path, "path")));
        }
    }
    if rules.is_empty() {
        let shown = match default.is_object() {
            true => backend(call, &found.namespace, default)?,
            false => "<default>".into(),
        };
        page.line(1, format!("*\t*\t{shown}"));
    }
    page.annotations("Annotations", json::at(object, "metadata.annotations"), "");
    events(call, found, page)
}

/// `web:80 (10.0.0.1:80)`, or why there is nothing behind it.
fn backend(call: &mut Kubectl<'_, '_>, namespace: &str, backend: &Value) -> Result<String, Failure> {
    let service = json::text(backend, "service.name");
    if service.is_empty() {
        let resource = json::at(backend, "resource");
        return Ok(format!(
            "APIGroup: {}, Kind: {}, Name: {}",
            json::text(resource, "apiGroup"),
            json::text(resource, "kind"),
            json::text(resource, "name")
        ));
    }
    let port = match json::int(backend, "service.port.number") {
        Some(number) => number.to_string(),
        None => json::text(backend, "service.port.name").into(),
    };
    let kind = call.kind("services")?;
    let shown = match call.object(&kind, namespace, service) {
        Ok(object) => {
            let wanted = json::list(&object, "spec.ports")
                .iter()
                .find(|known| json::plain(json::at(known, "port")) == port || json::text(known, "name") == port);
            let name = wanted.map_or("", |port| json::text(port, "name")).to_string();
            let slices = slices(call, namespace, service)?;
            backends(&slices, &name)
        }
        Err(failure) => format!("<error: {}>", failure.message()),
    };
    Ok(format!("{service}:{port} ({shown})"))
}
