//! Recorded answers of a real Prometheus.

use serde_json::Value as Json;

use crate::openmetrics::load_openmetrics;
use crate::prometheus::Prometheus;

use super::Verdicts;
use super::recorded::{Recorded, body_of, difference, read, same_points};

/// Asks all recorded questions of a server that holds the data.
pub fn run_promql_recorded(data: &str, recorded: &str) -> Result<Verdicts, String> {
    let mut server = Prometheus { evaluation_interval: 30_000, ..Prometheus::default() };
    load_openmetrics(&mut server.store, data)?;
    let mut verdicts = Verdicts::default();
    for line in read(recorded)? {
        let outcome = check(&server, &line);
        verdicts.note(outcome.map_err(|why| {
            let query = line.params.iter().find(|(n, _)| n == "query").map_or("", |(_, v)| v);
            format!("{} {} {query}\n    {why}", line.id, line.request.path)
        }));
    }
    Ok(verdicts)
}

fn check(server: &Prometheus, line: &Recorded) -> Result<(), String> {
    let response = server.answer(&line.request);
    let got = body_of(&response);
    // Where both versions were recorded and differ, the newer one counts.
    let (status, mut wanted) = match &line.line["v3"] {
        Json::Null => (line.status, line.body.clone()),
        newer => (newer["status"].as_u64().unwrap_or(0) as u16, newer["body"].clone()),
    };
    if let Json::Object(annotations) = &line.line["v3_annotations"] {
        for (key, texts) in annotations {
            wanted[key] = texts.clone();
        }
    }
    if response.status != status {
        return Err(format!("status {status}, got {}: {}", response.status, difference(&wanted, &got)));
    }
    if same(&wanted, &got, is_ordered(line)) { Ok(()) } else { Err(difference(&wanted, &got)) }
}

/// Whether the outermost call of an instant query says in which order results stand.
fn is_ordered(line: &Recorded) -> bool {
    let query = line.params.iter().find(|(n, _)| n == "query").map_or("", |(_, v)| v);
    let ordered = ["sort(", "sort_desc(", "topk(", "bottomk("].iter().any(|call| query.starts_with(call));
    line.request.path.ends_with("/query") && ordered
}

fn same(wanted: &Json, got: &Json, ordered: bool) -> bool {
    if let (Some(wanted), Some(got)) = (wanted["error"].as_str(), got["error"].as_str()) {
        return same_error(wanted, got);
    }
    for key in ["warnings", "infos", "status"] {
        if wanted[key] != got[key] {
            return false;
        }
    }
    let (wanted, got) = (&wanted["data"], &got["data"]);
    match (wanted["result"].as_array(), got["result"].as_array()) {
        (Some(a), Some(b)) if a.iter().all(Json::is_object) => {
            wanted["resultType"] == got["resultType"] && a.len() == b.len() && same_series(a, b, ordered)
        }
        (Some(_), Some(_)) => same_points(&wanted["result"], &got["result"]),
        _ => wanted == got,
    }
}

fn same_series(wanted: &[Json], got: &[Json], ordered: bool) -> bool {
    let alike = |a: &Json, b: &Json| {
        a["metric"] == b["metric"] && same_points(&a["value"], &b["value"]) && same_points(&a["values"], &b["values"])
    };
    if ordered {
        return wanted.iter().zip(got).all(|(a, b)| alike(a, b));
    }
    wanted.iter().all(|a| got.iter().any(|b| alike(a, b)))
}

/// Which two series are named as duplicates depends on the order in which they are stored.
fn same_error(wanted: &str, got: &str) -> bool {
    let parts = |text: &str| {
        let head = text.split_once(": [").map(|(head, _)| head.to_owned());
        let tail = text.rsplit_once("];").map(|(_, tail)| tail.to_owned());
        (head, tail)
    };
    if wanted.starts_with("found duplicate series") { parts(wanted) == parts(got) } else { wanted == got }
}
