//! What programs print of requests: one line stands for many.

use std::borrow::Cow;

use cluster::Stamp;

use super::Fleet;
use crate::instance::{Instance, InstanceKey};
use crate::physics::{EdgeFlow, OperationFlow};
use crate::plan::Station;
use crate::scatter::{mix, stir};
use crate::spec::{ContainerProgram, WireProtocol};
use crate::words::{LogLevel, failed_status, method_and_path, phrase};

/// Seconds between two lines of a busy program.
const EVERY: i64 = 10;

/// A request of which a program tells: how it went and in which words.
struct ToldRequest {
    key: InstanceKey,
    station: usize,
    line: String,
}

impl Fleet {
    /// Programs that talk about their work do so once in a while.
    pub(super) fn tell_work(&mut self, now: Stamp) {
        let mut told = Vec::new();
        let programs = self.plan.programs(&self.instances);
        for ((number, station), own) in self.plan.stations.iter().enumerate().zip(programs) {
            if is_silent(&own.program) {
                continue;
            }
            let seed = stir(&own.run.pod_uid);
            // Once in every ten seconds, now earlier and now later.
            let turn = mix(seed ^ now.secs().div_euclid(EVERY) as u64) % EVERY as u64;
            if now.secs().rem_euclid(EVERY) as u64 != turn {
                continue;
            }
            let draw = mix(seed ^ now.secs() as u64);
            let line = self.drawn(station, own, draw);
            told.extend(line.map(|line| ToldRequest { key: station.key.clone(), station: number, line }));
        }
        for ToldRequest { key, station, line } in told {
            let line = line.replace("{count}", &format!("{:.0}", self.served_by(station)));
            let line = self.with_client(station, line);
            self.instance_mut(&key).say(now, LogLevel::Info, &line);
        }
    }

    /// What a program says of one of its requests, if there was one and it speaks of such.
    fn drawn(&self, station: &Station, own: &Instance, draw: u64) -> Option<String> {
        let flow = |at: &usize| &self.flow.operations[*at];
        let of = |at: &usize| self.broker_questions(*at).map_or(flow(at).rate, |edge| edge.rate * (1.0 - edge.hits));
        let rate: f64 = station.operations.iter().map(of).sum();
        if share(draw) > rate * EVERY as f64 {
            return None;
        }
        // One of the operations, as often as it is asked for.
        let mut left = share(mix(draw ^ 1)) * rate;
        let mut own_operations = station.operations.iter();
        let at = own_operations.find(|at| {
            left -= of(at);
            left <= 0.0
        })?;
        let (name, flow) = (&*self.plan.operations[*at].name, flow(at));
        let has_failed = share(mix(draw ^ 2)) < flow.fails;
        let spec = own.program.operations.iter().find(|spec| spec.name == name);
        let lines = match spec.map(|spec| &spec.says).filter(|says| !says.is_empty()) {
            Some(_) if has_failed => return None,
            Some(says) => says,
            None => &own.program.says_of_requests,
        };
        let lines: Vec<&String> = lines.iter().filter(|line| !has_failed || line.contains("{status}")).collect();
        let line = lines.get((draw % lines.len().max(1) as u64) as usize)?;
        let status =
            if has_failed { failed_status(own.program.language, flow.reason, flow.why.as_deref()) } else { 200 };
        let name = with_ids(&own.program, name, draw);
        let line = with_request(&filled(line, mix(draw)), &name, flow, status, draw);
        Some(self.with_upstream(*at, line.replace("{pod_ip}", &own.run.pod_ip)))
    }

    /// A line with what an operation passes its requests on to, where it names that.
    fn with_upstream(&self, operation: usize, line: String) -> String {
        if !line.contains("{peer}") {
            return line;
        }
        let edge = self.plan.operations[operation].steps.iter().flatten().next().map(|at| &self.plan.edges[*at]);
        let Some(edge) = edge else { return line.replace("{peer}", "-").replace("{upstream}", "-") };
        let end = edge.ways.iter().find_map(|way| way.end.as_ref().ok());
        let key = end.map(|end| &self.plan.stations[self.plan.operations[*end].station].key);
        let server = key.and_then(|key| self.instances.get(key));
        let port = server.and_then(|own| own.ports.first()).map_or(edge.port, |(port, _)| *port);
        let peer = server.map_or("-".into(), |own| format!("{}:{port}", own.run.pod_ip));
        let mut names = edge.host.split('.');
        let (service, namespace) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
        line.replace("{peer}", &peer)
            .replace("{service}", service)
            .replace("{upstream}", &format!("{namespace}-{service}-{}", edge.port))
    }

    /// The requests that a station has taken so far; for one that asks a broker, the records that it got.
    fn served_by(&self, station: usize) -> f64 {
        let operations = self.plan.stations[station].operations.iter();
        operations
            .map(|at| self.broker_questions(*at).map_or(self.flow.operations[*at].requests, |edge| edge.missed))
            .sum()
    }

    /// What became of an operation's questions to a broker, if it begins with such.
    fn broker_questions(&self, operation: usize) -> Option<&EdgeFlow> {
        let first = *self.plan.operations[operation].steps.first()?.first()?;
        let edge = &self.plan.edges[first];
        (edge.wire == WireProtocol::Kafka && edge.call.operation.starts_with("consume"))
            .then(|| &self.flow.edges[first])
    }

    /// A line with the address of one who calls the station, where it names a client.
    pub(super) fn with_client(&self, station: usize, line: String) -> String {
        if !line.contains("{client}") {
            return line;
        }
        let is_here = |end: &Result<usize, _>| matches!(end, Ok(operation) if self.plan.operations[*operation].station == station);
        let caller = self.plan.edges.iter().find(|edge| edge.ways.iter().any(|way| is_here(&way.end)));
        let caller = caller.and_then(|edge| self.instances.get(&self.plan.stations[edge.caller].key));
        line.replace("{client}", caller.map_or("127.0.0.1", |caller| &caller.run.pod_ip))
    }
}

fn is_silent(program: &ContainerProgram) -> bool {
    program.says_of_requests.is_empty() && program.operations.iter().all(|own| own.says.is_empty())
}

/// A name of an operation with one of the ids that its program knows.
pub(super) fn with_ids<'a>(program: &ContainerProgram, name: &'a str, draw: u64) -> Cow<'a, str> {
    match program.ids.get((mix(draw ^ 5) % program.ids.len().max(1) as u64) as usize) {
        Some(id) if name.contains("{id}") => name.replace("{id}", id).into(),
        _ => name.into(),
    }
}

/// A line with what is to be said of one request.
fn with_request(line: &str, operation: &str, flow: &OperationFlow, status: u16, draw: u64) -> String {
    if !line.contains('{') {
        return line.into();
    }
    let (method, path) = method_and_path(operation);
    let path = filled(path, mix(draw ^ 3));
    let bytes = match status {
        200 => 180 + mix(stir(&path)) % 3000 + draw % 16,
        502 | 504 => 157 + u64::from(status & 4) * 2,
        _ => 118,
    };
    // Half of the requests are faster than the median, and a few much slower.
    let seconds = flow.latency.p50 * (0.7 + 0.6 * share(mix(draw ^ 4)));
    line.replace("{request}", format!("{method} {path}").trim_start())
        .replace("{method}", method)
        .replace("{path}", &path)
        .replace("{status}", &status.to_string())
        .replace("{phrase}", phrase(status))
        .replace("{bytes}", &bytes.to_string())
        .replace("{ms0}", &format!("{:.0}", (seconds * 1000.0).max(1.0)))
        .replace("{ms}", &format!("{:.2}", seconds * 1000.0))
        .replace("{s}", &format!("{seconds:.3}"))
}

/// A number from 0 to 1.
fn share(draw: u64) -> f64 {
    (draw >> 11) as f64 / (1u64 << 53) as f64
}

/// A line with an id and a number of its own.
pub(super) fn filled(line: &str, draw: u64) -> String {
    if !line.contains('{') {
        return line.into();
    }
    let (high, low) = (draw, mix(draw));
    let id = format!(
        "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 52,
        low & 0xffff_ffff_ffff
    );
    line.replace("{id}", &id)
        .replace("{number}", &(1 + draw % 99).to_string())
        .replace("{port}", &(32_768 + low % 28_000).to_string())
        .replace("{port2}", &(32_768 + high % 28_000).to_string())
        .replace("{hex}", &format!("{:032x}", u128::from(high) << 64 | u128::from(low)))
}
