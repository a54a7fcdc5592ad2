//! What programs print of requests that went well: one line stands for many.

use cluster::Stamp;

use super::Fleet;
use crate::instance::InstanceKey;
use crate::scatter::{mix, stir};
use crate::words::LogLevel;

/// Seconds between two lines of a busy program.
const EVERY: i64 = 10;

impl Fleet {
    /// Programs that talk about their work do so once in a while.
    pub(super) fn tell_work(&mut self, now: Stamp) {
        let mut told: Vec<(InstanceKey, usize, u64)> = Vec::new();
        let programs = self.plan.programs(&self.instances);
        for ((number, station), own) in self.plan.stations.iter().enumerate().zip(programs) {
            if own.program.says_of_requests.is_empty() {
                continue;
            }
            let seed = stir(&own.run.pod_uid);
            // Once in every ten seconds, now earlier and now later.
            let turn = mix(seed ^ now.secs().div_euclid(EVERY) as u64) % EVERY as u64;
            if now.secs().rem_euclid(EVERY) as u64 != turn {
                continue;
            }
            let flows = station.operations.iter().map(|at| &self.flow.operations[*at]);
            let rate: f64 = flows.map(|flow| flow.rate * (1.0 - flow.fails)).sum();
            let draw = mix(seed ^ now.secs() as u64);
            if (draw >> 11) as f64 / (1u64 << 53) as f64 <= rate * EVERY as f64 {
                told.push((station.key.clone(), number, draw));
            }
        }
        for (key, station, draw) in told {
            let lines = &self.instances[&key].program.says_of_requests;
            let line = filled(&lines[(draw % lines.len() as u64) as usize], mix(draw));
            let line = line.replace("{count}", &format!("{:.0}", self.served_by(station)));
            let line = self.with_client(station, line);
            self.instance_mut(&key).say(now, LogLevel::Info, &line);
        }
    }

    /// The requests that a station has taken so far.
    fn served_by(&self, station: usize) -> f64 {
        let operations = self.plan.stations[station].operations.iter();
        operations.map(|at| self.flow.operations[*at].requests).sum()
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

/// A line with an id and a number of its own.
fn filled(line: &str, draw: u64) -> String {
    let (high, low) = (draw, mix(draw));
    let id = format!(
        "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 52,
        low & 0xffff_ffff_ffff
    );
    line.replace("{id}", &id).replace("{number}", &(1 + draw % 99).to_string())
}
