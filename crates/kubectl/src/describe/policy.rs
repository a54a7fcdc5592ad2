//! Namespaces, quotas, limits, budgets, priorities and network policies.

use serde_json::Value;

use super::{Page, events, or_none, selector};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;
use crate::targets::Found;

pub(super) fn namespace(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    page.head(object, false);
    page.entry("Status", json::text(object, "status.phase"));
    let conditions = json::list(object, "status.conditions");
    if !conditions.is_empty() {
        page.line(0, "Conditions:\n  Type\tStatus\tLastTransitionTime\tReason\tMessage\n  ----\t------\t------------------\t------\t-------");
        for c in conditions {
            let text = |field: &str| json::text(c, field);
            page.line(
                1,
                format!(
                    "{}\t{}\t{}\t{}\t{}",
                    text("type"),
                    text("status"),
                    super::long_time(c, "lastTransitionTime"),
                    text("reason"),
                    text("message")
                ),
            );
        }
    }
    let quotas = call.kind("resourcequotas")?;
    let quotas = call.list(&quotas, &found.name, "", "")?;
    page.line(0, "");
    if quotas.is_empty() {
        page.line(0, "No resource quota.");
    } else {
        page.line(0, "Resource Quotas");
        for (at, quota) in quotas.iter().enumerate() {
            if at > 0 {
                page.line(0, "");
            }
            page.line(0, format!("  Name:\t{}", json::text(quota, "metadata.name")));
            page.line(0, "  Resource\tUsed\tHard\n  --------\t---\t---");
            quota_rows(quota, "  ", page);
        }
    }
    let ranges = call.kind("limitranges")?;
    let ranges = call.list(&ranges, &found.name, "", "")?;
    page.line(0, "");
    if ranges.is_empty() {
        page.line(0, "No LimitRange resource.");
    } else {
        page.line(0, "Resource Limits\n Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio\n ----\t--------\t---\t---\t---------------\t-------------\t-----------------------");
        ranges.iter().for_each(|range| limit_rows(range, " ", page));
    }
    Ok(())
}

fn quota_rows(quota: &Value, indent: &str, page: &mut Page) {
    for (name, hard) in json::entries(quota, "status.hard") {
        let used = json::at(quota, "status.used").get(name).map(json::plain).unwrap_or_default();
        page.line(0, format!("{indent}{name}\t{used}\t{}", json::plain(hard)));
    }
}

fn limit_rows(range: &Value, indent: &str, page: &mut Page) {
    for limit in json::list(range, "spec.limits") {
        let mut names: Vec<&String> = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"]
            .iter()
            .flat_map(|field| json::entries(limit, field))
            .map(|(name, _)| name)
            .collect();
        names.sort();
        names.dedup();
        for name in names {
            let cell = |field: &str| json::at(limit, field).get(name).map_or("-".to_string(), json::plain);
            page.line(
                0,
                format!(
                    "{indent}{}\t{name}\t{}\t{}\t{}\t{}\t{}",
                    json::text(limit, "type"),
                    cell("min"),
                    cell("max"),
                    cell("defaultRequest"),
                    cell("default"),
                    cell("maxLimitRequestRatio")
                ),
            );
        }
    }
}

pub(super) fn quota(found: &Found, page: &mut Page) {
    page.entry("Name", &found.name);
    page.entry("Namespace", &found.namespace);
    let scopes: Vec<String> = json::list(&found.object, "spec.scopes").iter().map(json::plain).collect();
    if !scopes.is_empty() {
        page.entry("Scopes", scopes.join(", "));
    }
    page.line(0, "Resource\tUsed\tHard\n--------\t----\t----");
    quota_rows(&found.object, "", page);
}

pub(super) fn limits(found: &Found, page: &mut Page) {
    page.entry("Name", &found.name);
    page.entry("Namespace", &found.namespace);
    page.line(0, "Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio\n----\t--------\t---\t---\t---------------\t-------------\t-----------------------");
    limit_rows(&found.object, "", page);
}

pub(super) fn budget(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    page.entry("Name", &found.name);
    page.entry("Namespace", &found.namespace);
    for (title, field) in [("Min available", "spec.minAvailable"), ("Max unavailable", "spec.maxUnavailable")] {
        let value = json::at(object, field);
        if !value.is_null() {
            page.entry(title, json::plain(value));
        }
    }
    let labels = selector(json::at(object, "spec.selector"));
    page.entry("Selector", if labels.is_empty() { "<unset>" } else { &labels });
    page.line(0, "Status:");
    for (title, field) in [
        ("Allowed disruptions", "disruptionsAllowed"),
        ("Current", "currentHealthy"),
        ("Desired", "desiredHealthy"),
        ("Total", "expectedPods"),
    ] {
        page.line(2, format!("{title}:\t{}", json::int(object, &format!("status.{field}")).unwrap_or(0)));
    }
    events(call, found, page)
}

pub(super) fn priority(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    page.entry("Name", &found.name);
    page.entry("Value", json::int(object, "value").unwrap_or(0).to_string());
    page.entry("PreemptionPolicy", json::text(object, "preemptionPolicy"));
    page.entry("GlobalDefault", json::flag(object, "globalDefault").to_string());
    page.entry("Description", json::text(object, "description"));
    page.entry("Annotations", {
        let all: Vec<String> = json::entries(object, "metadata.annotations")
            .map(|(key, value)| format!("{key}={}", json::plain(value)))
            .collect();
        if all.is_empty() { "<none>".to_string() } else { all.join(",") }
    });
    events(call, found, page)
}

pub(super) fn network_policy(found: &Found, page: &mut Page) {
    let object = &found.object;
    page.entry("Name", &found.name);
    page.entry("Namespace", &found.namespace);
    page.entry("Created on", crate::go::dated_time(json::text(object, "metadata.creationTimestamp")));
    page.labels("Labels", json::at(object, "metadata.labels"), "");
    page.annotations("Annotations", json::at(object, "metadata.annotations"), "");
    page.line(0, "Spec:");
    let labels = selector(json::at(object, "spec.podSelector"));
    let shown = if labels.is_empty() {
        "<none> (Allowing the specific traffic to all pods in this namespace)".to_string()
    } else {
        labels
    };
    page.line(0, format!("  PodSelector:     {shown}"));
    let types: Vec<String> = json::list(object, "spec.policyTypes").iter().map(json::plain).collect();
    for (direction, field, peers, word) in
        [("Ingress", "spec.ingress", "from", "ingress"), ("Egress", "spec.egress", "to", "egress")]
    {
        if !types.iter().any(|known| known == direction) {
            page.line(1, format!("Not affecting {word} traffic"));
            continue;
        }
        page.line(1, format!("Allowing {word} traffic:"));
        rules(json::list(object, field), peers, word, page);
    }
    page.line(1, format!("Policy Types: {}", types.join(", ")));
}

fn rules(rules: &[Value], peers: &str, word: &str, page: &mut Page) {
    if rules.is_empty() {
        page.line(2, format!("<none> (Selected pods are isolated for {word} connectivity)"));
        return;
    }
    let title = if peers == "from" { "From" } else { "To" };
    for (at, rule) in rules.iter().enumerate() {
        let ports = json::list(rule, "ports");
        if ports.is_empty() {
            page.line(2, "To Port: <any> (traffic allowed to all ports)");
        }
        for port in ports {
            let protocol = json::text(port, "protocol");
            let number = json::plain(json::at(port, "port"));
            page.line(
                2,
                format!("To Port: {}/{}", or_none(&number), if protocol.is_empty() { "TCP" } else { protocol }),
            );
        }
        let all = json::list(rule, peers);
        if all.is_empty() {
            let side = if peers == "from" { "source" } else { "destination" };
            page.line(2, format!("{title}: <any> (traffic not restricted by {side})"));
        }
        for peer in all {
            page.line(2, format!("{title}:"));
            if let Some(block) = peer.get("ipBlock") {
                page.line(3, "IPBlock:");
                page.line(4, format!("CIDR: {}", json::text(block, "cidr")));
                let except: Vec<String> = json::list(block, "except").iter().map(json::plain).collect();
                page.line(4, format!("Except: {}", except.join(", ")));
                continue;
            }
            for (name, field) in [("NamespaceSelector", "namespaceSelector"), ("PodSelector", "podSelector")] {
                if let Some(value) = peer.get(field) {
                    page.line(3, format!("{name}: {}", or_none(&selector(value))));
                }
            }
        }
        if at + 1 < rules.len() {
            page.line(2, "----------");
        }
    }
}
