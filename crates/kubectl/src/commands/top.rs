//! `kubectl top`.

use cluster::Quantity;
use serde_json::Value;

use super::Outcome;
use crate::client::with_query;
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;
use crate::tabs::Tabs;

pub(super) const FLAGS: &str = "A|all-namespaces containers field-selector= no-headers l|selector= show-capacity show-swap sort-by= sum \
    use-protocol-buffers";

fn amount(value: &Value, path: &str) -> Quantity {
    Quantity::parse(json::text(value, path)).unwrap_or(Quantity::ZERO)
}

fn cpu(milli: i64) -> String {
    format!("{milli}m")
}

fn memory(bytes: i64) -> String {
    format!("{}Mi", bytes / (1 << 20))
}

fn check(call: &mut Kubectl<'_, '_>) -> Outcome {
    if !matches!(call.flags.text("sort-by"), "" | "cpu" | "memory") {
        return Err(Failure::new("--sort-by accepts only cpu or memory"));
    }
    let discovery = call.discovery()?;
    match discovery.versions.iter().any(|version| version.starts_with("metrics.k8s.io/")) {
        true => Ok(()),
        false => Err(Failure::new("Metrics API not available")),
    }
}

pub(super) fn nodes(call: &mut Kubectl<'_, '_>) -> Outcome {
    check(call)?;
    let words = call.flags.words.clone();
    let base = "/apis/metrics.k8s.io/v1beta1/nodes";
    let metrics: Vec<Value> = match words.first() {
        Some(name) => vec![call.get(&format!("{base}/{}", crate::client::encoded(name)))?],
        None => {
            let path = with_query(base, &[("labelSelector", call.flags.text("selector"))]);
            json::list(&call.get(&path)?, "items").to_vec()
        }
    };
    if metrics.is_empty() {
        return Err(Failure::new("metrics not available yet"));
    }
    let kind = call.kind("nodes")?;
    let selector = call.flags.text("selector").to_string();
    let all = call.list(&kind, "", &selector, "")?;
    let mut rows: Vec<(String, i64, i64)> = metrics
        .iter()
        .map(|node| {
            (
                json::text(node, "metadata.name").into(),
                up(amount(node, "usage.cpu")),
                amount(node, "usage.memory").whole(),
            )
        })
        .collect();
    sort(call, &mut rows);
    let mut text = String::new();
    if !call.flags.has("no-headers") {
        text.push_str("NAME\tCPU(cores)\tCPU(%)\tMEMORY(bytes)\tMEMORY(%)\t\n");
    }
    let field = if call.flags.has("show-capacity") { "status.capacity" } else { "status.allocatable" };
    for (name, milli, bytes) in rows {
        let node = all.iter().find(|node| json::text(node, "metadata.name") == name).cloned().unwrap_or_default();
        let percent = |used: i64, of: i64| if of > 0 { format!("{}%", used * 100 / of) } else { "<unknown>".into() };
        let (cores, room) =
            (amount(&node, &format!("{field}.cpu")).milli(), amount(&node, &format!("{field}.memory")).whole());
        text.push_str(&format!(
            "{name}\t{}\t{}\t{}\t{}\t\n",
            cpu(milli),
            percent(milli, cores),
            memory(bytes),
            percent(bytes, room)
        ));
    }
    call.out.push_str(&Tabs::table().align(&text));
    Ok(())
}

/// Thousandths of a core, rounded up.
fn up(quantity: Quantity) -> i64 {
    quantity.milli()
}

fn sort(call: &Kubectl<'_, '_>, rows: &mut [(String, i64, i64)]) {
    match call.flags.text("sort-by") {
        "cpu" => rows.sort_by_key(|row| std::cmp::Reverse(row.1)),
        "memory" => rows.sort_by_key(|row| std::cmp::Reverse(row.2)),
        _ => rows.sort_by(|a, b| a.0.cmp(&b.0)),
    }
}

pub(super) fn pods(call: &mut Kubectl<'_, '_>) -> Outcome {
    check(call)?;
    let words = call.flags.words.clone();
    let everywhere = call.flags.has("all-namespaces");
    let namespace = call.namespace();
    let base = match everywhere {
        true => "/apis/metrics.k8s.io/v1beta1/pods".to_string(),
        false => format!("/apis/metrics.k8s.io/v1beta1/namespaces/{}/pods", crate::client::encoded(&namespace)),
    };
    let metrics: Vec<Value> = match words.first() {
        Some(name) => vec![call.get(&format!("{base}/{}", crate::client::encoded(name)))?],
        None => {
            let path = with_query(
                &base,
                &[("labelSelector", call.flags.text("selector")), ("fieldSelector", call.flags.text("field-selector"))],
            );
            json::list(&call.get(&path)?, "items").to_vec()
        }
    };
    if metrics.is_empty() {
        let kind = call.kind("pods")?;
        let place = if everywhere { String::new() } else { namespace.clone() };
        let selector = call.flags.text("selector").to_string();
        let any = !call.list(&kind, &place, &selector, "")?.is_empty();
        if any {
            return Err(Failure::new("metrics not available yet"));
        }
        match everywhere {
            true => call.warn("No resources found"),
            false => call.warn(format!("No resources found in {namespace} namespace.")),
        }
        return Ok(());
    }
    let mut rows: Vec<(Vec<String>, i64, i64)> = Vec::new();
    for pod in &metrics {
        let place: Vec<String> =
            everywhere.then(|| json::text(pod, "metadata.namespace").to_string()).into_iter().collect();
        let name = json::text(pod, "metadata.name").to_string();
        let of =
            |container: &Value| (amount(container, "usage.cpu").milli(), amount(container, "usage.memory").whole());
        let parts: Vec<(String, (i64, i64))> = json::list(pod, "containers")
            .iter()
            .map(|container| (json::text(container, "name").to_string(), of(container)))
            .collect();
        if call.flags.has("containers") {
            for (container, (milli, bytes)) in parts {
                rows.push(([place.clone(), vec![name.clone(), container]].concat(), milli, bytes));
            }
        } else {
            let (milli, bytes) = parts.iter().fold((0, 0), |sum, (_, (milli, bytes))| (sum.0 + milli, sum.1 + bytes));
            rows.push(([place, vec![name]].concat(), milli, bytes));
        }
    }
    match call.flags.text("sort-by") {
        "cpu" => rows.sort_by_key(|row| std::cmp::Reverse(row.1)),
        "memory" => rows.sort_by_key(|row| std::cmp::Reverse(row.2)),
        _ => rows.sort_by(|a, b| a.0.cmp(&b.0)),
    }
    let mut text = String::new();
    if !call.flags.has("no-headers") {
        let mut header: Vec<&str> = Vec::new();
        header.extend(everywhere.then_some("NAMESPACE"));
        header.extend(if call.flags.has("containers") { &["POD", "NAME"][..] } else { &["NAME"][..] });
        header.extend(["CPU(cores)", "MEMORY(bytes)"]);
        text.push_str(&format!("{}\t\n", header.join("\t")));
    }
    for (names, milli, bytes) in &rows {
        text.push_str(&format!("{}\t{}\t{}\t\n", names.join("\t"), cpu(*milli), memory(*bytes)));
    }
    if call.flags.has("sum") {
        let (milli, bytes) = rows.iter().fold((0, 0), |sum, row| (sum.0 + row.1, sum.1 + row.2));
        let gap = "\t".repeat(usize::from(everywhere) + usize::from(call.flags.has("containers")));
        text.push_str(&format!("{gap}\t________\t________\t\n{gap}\t{}\t{}\t\n", cpu(milli), memory(bytes)));
    }
    call.out.push_str(&Tabs::table().align(&text));
    Ok(())
}
