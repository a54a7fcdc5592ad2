//! What `describe` prints, a file for each family of kinds.

mod access;
mod autoscaler;
mod batch;
mod config;
mod containers;
mod generic;
mod network;
mod node;
mod pod;
mod policy;
mod storage;
mod volumes;
mod workload;

use cluster::{Stamp, human};
use serde_json::Value;

use crate::failure::Failure;
use crate::go;
use crate::json;
use crate::kubectl::Kubectl;
use crate::tabs::Tabs;
use crate::targets::Found;

pub(crate) use access::rule_rows;

/// A description under way: lines with tabs, aligned at the end.
#[derive(Debug, Default)]
pub(crate) struct Page {
    text: String,
}

impl Page {
    /// A line, two blanks deeper with every level.
    fn line(&mut self, level: usize, text: impl AsRef<str>) {
        (0..level).for_each(|_| self.text.push_str("  "));
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    /// A name with its value.
    fn entry(&mut self, name: &str, value: impl AsRef<str>) {
        self.line(0, format!("{name}:\t{}", value.as_ref()));
    }

    /// Labels, one a line.
    fn labels(&mut self, title: &str, labels: &Value, indent: &str) {
        let all: Vec<_> = labels.as_object().into_iter().flatten().collect();
        if all.is_empty() {
            self.text.push_str(&format!("{indent}{title}:\t<none>\n"));
        }
        for (at, (key, value)) in all.into_iter().enumerate() {
            let head = if at == 0 { format!("{title}:") } else { String::new() };
            self.text.push_str(&format!("{indent}{head}\t{key}={}\n", json::plain(value)));
        }
    }

    /// Annotations, one a line; long ones below their names.
    fn annotations(&mut self, title: &str, annotations: &Value, indent: &str) {
        let hidden = "kubectl.kubernetes.io/last-applied-configuration";
        let all: Vec<_> = annotations.as_object().into_iter().flatten().filter(|(key, _)| *key != hidden).collect();
        if all.is_empty() {
            self.text.push_str(&format!("{indent}{title}:\t<none>\n"));
        }
        for (at, (key, value)) in all.into_iter().enumerate() {
            let head = if at == 0 { format!("{title}:") } else { String::new() };
            let value = json::plain(value);
            let value = value.trim_end_matches('\n');
            if value.len() + key.len() + 2 < 140 && !value.contains('\n') {
                self.text.push_str(&format!("{indent}{head}\t{key}: {value}\n"));
                continue;
            }
            self.text.push_str(&format!("{indent}{head}\t{key}:\n"));
            for line in value.split('\n') {
                let short: String = line.chars().take(138).collect();
                let dots = if short.len() < line.len() { "..." } else { "" };
                self.text.push_str(&format!("{indent}\t  {short}{dots}\n"));
            }
        }
    }

    /// Name, namespace, labels, annotations.
    fn head(&mut self, object: &Value, with_namespace: bool) {
        self.entry("Name", json::text(object, "metadata.name"));
        if with_namespace {
            self.entry("Namespace", json::text(object, "metadata.namespace"));
        }
        self.labels("Labels", json::at(object, "metadata.labels"), "");
        self.annotations("Annotations", json::at(object, "metadata.annotations"), "");
    }
}

/// The description of an object.
pub(crate) fn one(call: &mut Kubectl<'_, '_>, found: &Found) -> Result<String, Failure> {
    let mut page = Page::default();
    let (group, kind) = (found.kind.group.as_str(), found.kind.kind.as_str());
    match (group, kind) {
        ("", "Pod") => pod::pod(call, found, &mut page)?,
        ("", "Node") => node::node(call, found, &mut page)?,
        ("", "Namespace") => policy::namespace(call, found, &mut page)?,
        ("", "Service") => network::service(call, found, &mut page)?,
        ("", "Endpoints") => network::endpoints(call, found, &mut page)?,
        ("discovery.k8s.io", "EndpointSlice") => network::slice(call, found, &mut page)?,
        ("networking.k8s.io", "Ingress") => network::ingress(call, found, &mut page)?,
        ("networking.k8s.io", "NetworkPolicy") => policy::network_policy(found, &mut page),
        ("", "ConfigMap") => config::config_map(call, found, &mut page)?,
        ("", "Secret") => config::secret(found, &mut page),
        ("", "ServiceAccount") => access::account(call, found, &mut page)?,
        ("", "PersistentVolume") => storage::volume(call, found, &mut page)?,
        ("", "PersistentVolumeClaim") => storage::claim(call, found, &mut page)?,
        ("storage.k8s.io", "StorageClass") => storage::class(call, found, &mut page)?,
        ("", "ResourceQuota") => policy::quota(found, &mut page),
        ("", "LimitRange") => policy::limits(found, &mut page),
        ("policy", "PodDisruptionBudget") => policy::budget(call, found, &mut page)?,
        ("scheduling.k8s.io", "PriorityClass") => policy::priority(call, found, &mut page)?,
        ("apps", "Deployment") => workload::deployment(call, found, &mut page)?,
        ("apps", "ReplicaSet") | ("", "ReplicationController") => workload::replica_set(call, found, &mut page)?,
        ("apps", "StatefulSet") => workload::stateful_set(call, found, &mut page)?,
        ("apps", "DaemonSet") => workload::daemon_set(call, found, &mut page)?,
        ("batch", "Job") => batch::job(call, found, &mut page)?,
        ("batch", "CronJob") => batch::cron_job(call, found, &mut page)?,
        ("autoscaling", "HorizontalPodAutoscaler") => autoscaler::autoscaler(call, found, &mut page)?,
        ("rbac.authorization.k8s.io", "Role" | "ClusterRole") => access::role(found, &mut page),
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => access::binding(found, &mut page),
        _ => generic::generic(call, found, &mut page)?,
    }
    Ok(Tabs::description().align(&page.text))
}

/// The events about an object, if they are to be shown.
fn events(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    if !call.flags.unless_false("show-events") {
        return Ok(());
    }
    let uid = json::text(&found.object, "metadata.uid");
    let mut fields = format!(
        "involvedObject.name={},involvedObject.namespace={},involvedObject.uid={uid}",
        found.name, found.namespace
    );
    if found.kind.kind != "Pod" {
        fields.push_str(&format!(",involvedObject.kind={}", found.kind.kind));
    }
    let kind = call.kind("events")?;
    // Events about what is in no namespace are kept in `default`; they are looked for everywhere.
    let mut all = call.list(&kind, &found.namespace, "", &fields)?;
    if found.kind.kind == "Node" {
        let by_name = format!(
            "involvedObject.name={},involvedObject.namespace=,involvedObject.kind=Node,involvedObject.uid={}",
            found.name, found.name
        );
        all.extend(call.list(&kind, "", "", &by_name)?);
    }
    event_lines(call.desk.cluster.now(), &mut all, page);
    Ok(())
}

fn event_lines(now: Stamp, events: &mut [Value], page: &mut Page) {
    if events.is_empty() {
        page.entry("Events", "<none>");
        return;
    }
    events.sort_by_key(|event| Stamp::parse(json::text(event, "lastTimestamp")).map_or(i64::MIN, |stamp| stamp.0));
    page.line(0, "Events:\n  Type\tReason\tAge\tFrom\tMessage\n  ----\t------\t----\t----\t-------");
    for event in events.iter() {
        let from = match json::text(event, "source.component") {
            "" => json::text(event, "reportingComponent"),
            from => from,
        };
        let (kind, reason) = (json::text(event, "type"), json::text(event, "reason"));
        page.line(
            1,
            format!("{kind}\t{reason}\t{}\t{from}\t{}", event_age(now, event), json::text(event, "message").trim()),
        );
    }
}

/// How long ago, and how often over which time.
pub(crate) fn event_age(now: Stamp, event: &Value) -> String {
    let first = match json::text(event, "eventTime") {
        "" => since(now, json::text(event, "firstTimestamp")),
        time => since(now, time),
    };
    let series = json::at(event, "series");
    if series.is_object() {
        let last = since(now, json::text(series, "lastObservedTime"));
        return format!("{last} (x{} over {first})", json::int(series, "count").unwrap_or(0));
    }
    match json::int(event, "count").unwrap_or(0) {
        count if count > 1 => format!("{} (x{count} over {first})", since(now, json::text(event, "lastTimestamp"))),
        _ => first,
    }
}

/// When an event was seen last.
pub(crate) fn event_time(event: &Value) -> i64 {
    let times = [
        json::text(event, "series.lastObservedTime"),
        json::text(event, "lastTimestamp"),
        json::text(event, "eventTime"),
        json::text(event, "metadata.creationTimestamp"),
    ];
    times.iter().find_map(|time| Stamp::parse(time)).map_or(0, |stamp| stamp.0)
}

fn since(now: Stamp, written: &str) -> String {
    match Stamp::parse(written) {
        Some(stamp) => human(now.since(stamp)),
        None => "<unknown>".into(),
    }
}

/// `app=web,tier in (a,b)` of a label selector.
pub(crate) fn selector(selector: &Value) -> String {
    let mut all: Vec<String> =
        json::entries(selector, "matchLabels").map(|(key, value)| format!("{key}={}", json::plain(value))).collect();
    for rule in json::list(selector, "matchExpressions") {
        let key = json::text(rule, "key");
        let values: Vec<String> = json::list(rule, "values").iter().map(json::plain).collect();
        all.push(match json::text(rule, "operator") {
            "In" => format!("{key} in ({})", values.join(",")),
            "NotIn" => format!("{key} notin ({})", values.join(",")),
            "DoesNotExist" => format!("!{key}"),
            _ => key.into(),
        });
    }
    all.join(",")
}

/// `app=web,tier=x` of a map.
pub(crate) fn labels_selector(map: &Value) -> String {
    let all: Vec<String> =
        map.as_object().into_iter().flatten().map(|(key, value)| format!("{key}={}", json::plain(value))).collect();
    all.join(",")
}

/// A pod template with tabs that are not aligned, as `rollout history` prints it.
pub(crate) fn pod_template_text(template: &Value) -> String {
    let mut page = Page::default();
    workload::pod_template(template, &mut page);
    page.text
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "<none>" } else { text }
}

fn truth(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

fn long_time(object: &Value, path: &str) -> String {
    go::long_time(json::text(object, path))
}
