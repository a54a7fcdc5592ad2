//! What programs print of requests that went well: one line stands for many.

use cluster::Stamp;

use super::Fleet;
use crate::instance::InstanceKey;
use crate::words::LogLevel;

/// Seconds between two lines of a busy program.
const EVERY: i64 = 10;

impl Fleet {
    /// Programs that talk about their work do so once in a while.
    pub(super) fn tell_work(&mut self, now: Stamp) {
        let mut told: Vec<(InstanceKey, u64)> = Vec::new();
        for station in &self.plan.stations {
            let Some(own) = self.instances.get(&station.key).filter(|own| !own.program.says_of_requests.is_empty())
            else {
                continue;
            };
            let seed = stir(&own.run.pod_uid);
            if (now.secs() + (seed % 97) as i64) % EVERY != 0 {
                continue;
            }
            let flows = station.operations.iter().map(|at| &self.flow.operations[*at]);
            let rate: f64 = flows.map(|flow| flow.rate * (1.0 - flow.fails)).sum();
            let draw = mix(seed ^ now.secs() as u64);
            if (draw >> 11) as f64 / (1u64 << 53) as f64 <= rate * EVERY as f64 {
                told.push((station.key.clone(), draw));
            }
        }
        for (key, draw) in told {
            let own = self.instance_mut(&key);
            let lines = &own.program.says_of_requests;
            let line = filled(&lines[(draw % lines.len() as u64) as usize], mix(draw));
            own.say(now, LogLevel::Info, &line);
        }
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

fn stir(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let value = (value ^ value >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    value ^ value >> 32
}
