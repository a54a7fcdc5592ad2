//! `kubectl get`.

use cluster::api::{ApiBody, ApiRequest, HttpMethod};
use serde_json::Value;

use super::Outcome;
use crate::client::{TABLE, unlisted, with_query};
use crate::failure::Failure;
use crate::go::quote;
use crate::json;
use crate::kubectl::Kubectl;
use crate::print::{self, JsonPath, Table, TablePrinter};
use crate::tabs::Tabs;
use crate::targets::Target;

pub(super) const FLAGS: &str = "o|output= template= allow-missing-template-keys show-managed-fields A|all-namespaces chunk-size=i \
    f|filename= k|kustomize= R|recursive field-selector= l|selector= ignore-not-found L|label-columns= no-headers \
    output-watch-events raw= server-print show-kind show-labels sort-by= subresource= w|watch watch-only";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    if let Some(path) = call.flags.value("raw").map(str::to_string) {
        return raw(call, &path);
    }
    let words = call.flags.words.clone();
    let mut targets = call.file_targets()?;
    if !targets.is_empty() && !words.is_empty() {
        return Err(Failure::new(
            "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
        ));
    }
    if targets.is_empty() {
        targets = call.targets(&words)?;
    }
    if targets.is_empty() {
        return Err(Failure::Verbatim(
            "You must specify the type of resource to get. Use \"kubectl api-resources\" for a complete list of supported resources.\n\nerror: Required resource not specified.\nUse \"kubectl explain <resource>\" for a detailed description of that resource (e.g. kubectl explain pods).\nSee 'kubectl get -h' for help and examples".into(),
            1,
        ));
    }
    let form = call.flags.text("output").to_string();
    let is_table = form.is_empty() || form == "wide";
    if !is_table {
        check_form(&form)?;
    }
    if call.flags.has("watch") || call.flags.has("watch-only") {
        return watch(call, &targets, &form);
    }
    if is_table { tables(call, &targets) } else { objects(call, &targets, &form) }
}

fn check_form(form: &str) -> Outcome {
    let name = form.split('=').next().unwrap_or_default();
    let known = [
        "yaml",
        "json",
        "name",
        "jsonpath",
        "jsonpath-as-json",
        "jsonpath-file",
        "custom-columns",
        "custom-columns-file",
        "go-template",
        "go-template-file",
        "template",
        "templatefile",
    ];
    if known.contains(&name) { Ok(()) } else { Err(print::unknown_form(form)) }
}

/// Prints what a path of the API answers.
fn raw(call: &mut Kubectl<'_, '_>, path: &str) -> Outcome {
    if !call.flags.words.is_empty() {
        return Err(Failure::new("arguments may not be passed when --raw is specified"));
    }
    if !path.starts_with('/') {
        return Err(Failure::new(format!("invalid argument: --raw must be a path, got {}", quote(path))));
    }
    let body = call.open(ApiRequest::new(HttpMethod::Get, path))?;
    match body {
        ApiBody::Bytes(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            call.out.push_str(&text);
            // The real server ends JSON on one line with a line break.
            if text.starts_with('{') && !text.contains('\n') {
                call.out.push('\n');
            }
            Ok(())
        }
        ApiBody::Watch(mut handle) => {
            let end = call.patience();
            loop {
                let told = call.desk.cluster.poll_watch(&mut handle);
                call.out.push_str(&String::from_utf8_lossy(&told));
                if handle.is_done() {
                    return Ok(());
                }
                if !call.step(end) {
                    return Err(call.stopped());
                }
            }
        }
        ApiBody::Log(mut handle) => {
            let told = call.desk.cluster.poll_log(call.desk.programs, &mut handle);
            call.out.push_str(&String::from_utf8_lossy(&told));
            Ok(())
        }
        ApiBody::Stream(_) => Err(Failure::new("a stream cannot be shown")),
    }
}

/// Whether names are printed with their kinds.
fn shows_kind(call: &Kubectl<'_, '_>, targets: &[Target]) -> bool {
    let first = call.flags.words.first().map_or("", |word| word);
    let named = first.contains('/');
    let several = targets.iter().any(|target| target.kind != targets[0].kind);
    call.flags.has("show-kind")
        || (several && (named || first.contains(',')))
        || (!named && targets.len() > 1 && several)
}

fn printer(call: &Kubectl<'_, '_>, targets: &[Target], target: &Target) -> TablePrinter {
    TablePrinter {
        wide: call.flags.text("output") == "wide",
        no_headers: call.flags.has("no-headers"),
        with_namespace: call.flags.has("all-namespaces") && target.kind.is_namespaced,
        kind: shows_kind(call, targets).then(|| target.kind.shown()),
        label_columns: call.flags.split("label-columns").into_iter().map(Into::into).collect(),
        show_labels: call.flags.has("show-labels"),
        with_events: call.flags.has("output-watch-events"),
        ..TablePrinter::default()
    }
}

/// The path of a target, with what selects.
fn path_of(call: &Kubectl<'_, '_>, target: &Target) -> String {
    let sub = call.flags.text("subresource");
    let mut path = match &target.name {
        Some(name) => target.kind.object_path(&target.namespace, name),
        None => target.kind.path(&target.namespace),
    };
    if !sub.is_empty() {
        path = format!("{path}/{sub}");
    }
    if target.name.is_some() {
        return path;
    }
    with_query(
        &path,
        &[("labelSelector", call.flags.text("selector")), ("fieldSelector", call.flags.text("field-selector"))],
    )
}

fn table(call: &mut Kubectl<'_, '_>, target: &Target) -> Result<Table, Failure> {
    let flags = &call.flags;
    let sorts = !flags.text("sort-by").is_empty();
    // Rows need their metadata for labels and namespaces alone; without it a table is half as long.
    let needs_metadata =
        flags.has("all-namespaces") || flags.has("show-labels") || flags.value("label-columns").is_some();
    let include = if sorts {
        "Object"
    } else if needs_metadata {
        ""
    } else {
        "None"
    };
    let path = with_query(&path_of(call, target), &[("includeObject", include)]);
    let answer = call.send(ApiRequest::new(HttpMethod::Get, &path).header("accept", TABLE));
    let response = answer.map_err(|failure| reworded(call, target, failure))?;
    match serde_json::from_slice::<Table>(response.bytes_of()) {
        Ok(table) => Ok(table),
        Err(_) => Ok(plain_table(&response.value())),
    }
}

/// What the server says of a list that it cannot make.
fn reworded(call: &Kubectl<'_, '_>, target: &Target, failure: Failure) -> Failure {
    match target.name {
        Some(_) => failure,
        None => unlisted(failure, &target.kind, call.flags.text("selector"), call.flags.text("field-selector")),
    }
}

/// What is no table is shown by name and age alone.
fn plain_table(value: &Value) -> Table {
    let items = match value.get("items") {
        Some(Value::Array(items)) => items.clone(),
        _ if value.is_object() => vec![value.clone()],
        _ => Vec::new(),
    };
    let columns = serde_json::json!([{"name": "Name"}, {"name": "Age"}]);
    let rows: Vec<Value> = items
        .iter()
        .map(|item| serde_json::json!({"cells": [json::text(item, "metadata.name"), "<unknown>"], "object": item}))
        .collect();
    serde_json::from_value(serde_json::json!({"columnDefinitions": columns, "rows": rows})).expect("a table of our own")
}

fn tables(call: &mut Kubectl<'_, '_>, targets: &[Target]) -> Outcome {
    let mut failures = Vec::new();
    let mut printed_any = false;
    let mut at = 0;
    while at < targets.len() {
        // Objects of one kind after each other are one table.
        let end = targets[at..]
            .iter()
            .position(|target| target.kind != targets[at].kind)
            .map_or(targets.len(), |end| at + end);
        let mut printer = printer(call, targets, &targets[at]);
        printer.with_events = false;
        let mut lines = String::new();
        for target in &targets[at..end] {
            match table(call, target) {
                Ok(mut table) => {
                    if let Some(path) = call.flags.value("sort-by").filter(|path| !path.is_empty()) {
                        sort(&mut table, path)?;
                    }
                    if table.rows.as_ref().is_some_and(|rows| !rows.is_empty()) {
                        lines.push_str(&printer.lines(&table, ""));
                    }
                }
                Err(failure) if failure.is_not_found() && call.flags.has("ignore-not-found") => {}
                Err(failure) => failures.push(failure),
            }
        }
        if !lines.is_empty() {
            if printed_any {
                call.out.push('\n');
            }
            call.out.push_str(&Tabs::table().align(&lines));
            printed_any = true;
        }
        at = end;
    }
    if !printed_any && failures.is_empty() && !call.flags.has("ignore-not-found") {
        let namespaced = targets.iter().all(|target| target.kind.is_namespaced) && !call.flags.has("all-namespaces");
        match namespaced {
            true => call.warn(format!("No resources found in {} namespace.", call.namespace())),
            false => call.warn("No resources found"),
        }
    }
    Failure::all(failures)
}

/// Orders rows by what a path finds in their objects.
fn sort(table: &mut Table, path: &str) -> Outcome {
    let field = path.trim_matches(['\'', '"']);
    let parsed = JsonPath::relaxed(field).map_err(Failure::new)?;
    let Some(rows) = &mut table.rows else { return Ok(()) };
    let value = |object: &Value| -> Option<Value> {
        parsed
            .values(object)
            .ok()
            .and_then(|values| values.first().map(|value| (*value).clone()))
            .filter(|value| !value.is_null())
    };
    let mut keyed: Vec<(Option<Value>, _)> =
        std::mem::take(rows).into_iter().map(|row| (value(&row.object), row)).collect();
    // A path that no object has leaves nothing to show, as with the real one.
    if keyed.iter().all(|(key, row)| key.is_none() && parsed.values(&row.object).is_ok_and(|found| found.is_empty())) {
        keyed.clear();
    }
    keyed.sort_by(|a, b| compare(&a.0, &b.0));
    *rows = keyed.into_iter().map(|(_, row)| row).collect();
    Ok(())
}

/// The order of values: nothing first, then numbers by size, quantities by amount, texts with their digits by number.
pub(super) fn compare(a: &Option<Value>, b: &Option<Value>) -> std::cmp::Ordering {
    use std::cmp::Ordering;
    match (a, b) {
        (None, None) => Ordering::Equal,
        (None, _) => Ordering::Less,
        (_, None) => Ordering::Greater,
        (Some(Value::Number(a)), Some(Value::Number(b))) => {
            a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(Ordering::Equal)
        }
        (Some(Value::String(a)), Some(Value::String(b))) => {
            match (cluster::Quantity::parse(a), cluster::Quantity::parse(b)) {
                (Some(a), Some(b)) => a.amount().cmp(&b.amount()),
                _ => natural(a, b),
            }
        }
        (Some(a), Some(b)) => a.to_string().cmp(&b.to_string()),
    }
}

/// Runs of digits are compared as numbers.
fn natural(a: &str, b: &str) -> std::cmp::Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        let number = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (digits_a, digits_b) = (number(a), number(b));
        if digits_a > 0 && digits_b > 0 {
            let (left, right) = (a[..digits_a].trim_start_matches('0'), b[..digits_b].trim_start_matches('0'));
            let order = left.len().cmp(&right.len()).then(left.cmp(right)).then(digits_a.cmp(&digits_b));
            if order.is_ne() {
                return order;
            }
            (a, b) = (&a[digits_a..], &b[digits_b..]);
            continue;
        }
        match (a.chars().next(), b.chars().next()) {
            (Some(x), Some(y)) if x == y => (a, b) = (&a[x.len_utf8()..], &b[y.len_utf8()..]),
            (x, y) => return x.cmp(&y),
        }
    }
}

/// The other forms: objects as they are.
fn objects(call: &mut Kubectl<'_, '_>, targets: &[Target], form: &str) -> Outcome {
    let mut items = Vec::new();
    let mut failures = Vec::new();
    for target in targets {
        let path = path_of(call, target);
        match call.get(&path) {
            Ok(mut value) => {
                if target.name.is_some() {
                    items.push(value);
                    continue;
                }
                let Some(Value::Array(list)) = value.get_mut("items").map(Value::take) else { continue };
                for mut item in list {
                    json::set(&mut item, "apiVersion", target.kind.api_version());
                    json::set(&mut item, "kind", target.kind.kind.clone());
                    items.push(item);
                }
            }
            Err(failure) if failure.is_not_found() && call.flags.has("ignore-not-found") => {}
            Err(failure) => failures.push(reworded(call, target, failure)),
        }
    }
    if !call.flags.has("show-managed-fields") {
        for item in &mut items {
            json::remove(item, "metadata.managedFields");
        }
    }
    if let Some(path) = call.flags.value("sort-by").filter(|path| !path.is_empty()) {
        let parsed = JsonPath::relaxed(path).map_err(Failure::new)?;
        let key =
            |item: &Value| parsed.values(item).ok().and_then(|values| values.first().map(|value| (*value).clone()));
        items.sort_by(|a, b| compare(&key(a), &key(b)));
    }
    let is_single = matches!(targets, [Target { name: Some(_), .. }]);
    let shown = match (is_single, items.len()) {
        (true, 0) => None,
        (true, _) => items.into_iter().next(),
        (false, 0) if call.flags.has("ignore-not-found") || !failures.is_empty() => None,
        (false, _) => Some(print::list(items)),
    };
    if let Some(object) = shown {
        let text = print::object(call, form, &object)?;
        call.out.push_str(&text);
    }
    Failure::all(failures)
}

/// Prints a table and then its changes, until the time is over.
fn watch(call: &mut Kubectl<'_, '_>, targets: &[Target], form: &str) -> Outcome {
    let [target] = targets else { return Err(Failure::new("you may only specify a single resource type")) };
    let is_table = form.is_empty() || form == "wide";
    let mut tabs = Tabs::table();
    let mut printer = printer(call, targets, target);
    let mut printed = 0;
    let show = |call: &mut Kubectl<'_, '_>,
                tabs: &mut Tabs,
                printer: &mut TablePrinter,
                value: &Value,
                event: &str,
                printed: &mut usize|
     -> Outcome {
        if is_table {
            let table: Table = serde_json::from_value(value.clone()).unwrap_or_else(|_| plain_table(value));
            let lines = tabs.align(&printer.lines(&table, event));
            call.out.push_str(&lines);
            return Ok(());
        }
        let mut object = value.clone();
        if !call.flags.has("show-managed-fields") {
            json::remove(&mut object, "metadata.managedFields");
        }
        if call.flags.has("output-watch-events") && form != "name" {
            object = serde_json::json!({"type": event, "object": object});
        }
        let text = print::object(call, form, &object)?;
        if form == "yaml" && *printed > 0 {
            call.out.push_str("---\n");
        }
        *printed += 1;
        call.out.push_str(&text);
        Ok(())
    };
    let accept = if is_table { TABLE } else { "application/json" };
    let first = call.send(ApiRequest::new(HttpMethod::Get, &path_of(call, target)).header("accept", accept))?.value();
    if !call.flags.has("watch-only") {
        match (is_table, first.get("items")) {
            (false, Some(Value::Array(items))) => {
                for item in items {
                    let mut item = item.clone();
                    json::set(&mut item, "apiVersion", target.kind.api_version());
                    json::set(&mut item, "kind", target.kind.kind.clone());
                    show(call, &mut tabs, &mut printer, &item, "ADDED", &mut printed)?;
                }
            }
            (true, _) if first.get("rows").is_none_or(|rows| rows.as_array().is_none_or(Vec::is_empty)) => {}
            _ => show(call, &mut tabs, &mut printer, &first, "ADDED", &mut printed)?,
        }
    } else if is_table {
        // The header comes with the first change.
        printer.lines(&Table { columns: None, rows: None }, "");
    }
    let revision = json::text(&first, "metadata.resourceVersion").to_string();
    let fields = match &target.name {
        Some(name) => format!("metadata.name={name}"),
        None => call.flags.text("field-selector").to_string(),
    };
    let path = with_query(
        &target.kind.path(&target.namespace),
        &[
            ("labelSelector", call.flags.text("selector")),
            ("fieldSelector", &fields),
            ("watch", "true"),
            ("resourceVersion", &revision),
        ],
    );
    let ApiBody::Watch(mut handle) = call.open(ApiRequest::new(HttpMethod::Get, &path).header("accept", accept))?
    else {
        return Err(Failure::new("the server does not watch this"));
    };
    let end = call.patience();
    loop {
        let told = call.desk.cluster.poll_watch(&mut handle);
        for line in String::from_utf8_lossy(&told).lines() {
            let event: Value = serde_json::from_str(line).unwrap_or(Value::Null);
            let kind = json::text(&event, "type").to_string();
            match kind.as_str() {
                "BOOKMARK" => {}
                "ERROR" => return Err(Failure::Status(Box::new(event["object"].clone()))),
                _ => show(call, &mut tabs, &mut printer, &event["object"], &kind, &mut printed)?,
            }
        }
        if handle.is_done() {
            return Ok(());
        }
        if !call.step(end) {
            return Err(call.stopped());
        }
    }
}
