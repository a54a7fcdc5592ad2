//! Log templates, compiled once per blueprint: lines are rendered by the million.

use std::fmt::Write;
use std::sync::Arc;

use super::{Blueprint, ServiceInfo};
use crate::config::Value;
use crate::rng::{Draw, Stream};

/// The draw for the instance of a line that does not name it: far from those of its fields.
const UNNAMED: u64 = 1 << 32;

/// A template of a service, ready to be filled in.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    parts: Vec<Part>,
    /// About how long a line is.
    length: usize,
}

#[derive(Clone, Debug)]
enum Part {
    Text(&'static str),
    Id,
    User,
    Ip,
    Instance(Arc<str>),
    Host(Arc<str>),
    Range(u64, u64),
    Choice(Vec<&'static str>),
    Key(usize),
}

impl Line {
    /// Reads a template; what is wrong with one is a bug of its kind.
    pub fn compile(pattern: &'static str, service: &ServiceInfo, plan: &Blueprint) -> Line {
        let mut parts = Vec::new();
        let mut rest = pattern;
        while let Some((before, behind)) = rest.split_once('{') {
            let (name, after) = behind.split_once('}').expect("templates close their braces");
            parts.push(Part::Text(before));
            parts.push(field(name, service, plan));
            rest = after;
        }
        parts.push(Part::Text(rest));
        Line { parts, length: pattern.len() + 24 }
    }

    /// The draw that says which instance writes a line: that of the first field which names it, or one of its own.
    pub fn instance_slot(&self) -> u64 {
        let fields = self.parts.iter().filter(|p| !matches!(p, Part::Text(_)));
        let named = fields.enumerate().find(|(_, p)| matches!(p, Part::Instance(_)));
        named.map_or(UNNAMED, |(at, _)| at as u64 + 1)
    }

    /// A line; `value` gives the value of a key, `instance` is the number of the instance that writes it.
    pub fn render<'v>(&self, draws: Stream, value: impl Fn(usize) -> &'v Value, instance: u32) -> String {
        let mut out = String::with_capacity(self.length);
        let mut slot = 0;
        for part in &self.parts {
            if let Part::Text(text) = part {
                out.push_str(text);
                continue;
            }
            slot += 1;
            fill(part, draws.at(slot), &value, instance, &mut out);
        }
        out
    }
}

fn field(name: &'static str, service: &ServiceInfo, plan: &Blueprint) -> Part {
    match name {
        "id" => Part::Id,
        "user" => Part::User,
        "ip" => Part::Ip,
        "instance" => Part::Instance(format!("{}-", service.name).into()),
        _ if name.starts_with("dep:") => {
            let mut known = service.depends_on.iter().map(|&d| &plan.services[d]);
            Part::Host(known.find(|d| d.kind.name() == &name[4..]).map_or("upstream".into(), |d| d.host.clone()))
        }
        _ if name.contains("..") => {
            let (low, high) = name.split_once("..").expect("a range");
            let number = |t: &str| t.parse::<u64>().expect("templates have whole numbers in ranges");
            Part::Range(number(low), number(high))
        }
        _ if name.contains('|') => Part::Choice(name.split('|').collect()),
        _ => {
            let key = service.kind.keys().iter().position(|k| k.name == name);
            Part::Key(key.unwrap_or_else(|| panic!("template field {{{name}}} is no key of {}", service.kind.name())))
        }
    }
}

fn fill<'v>(part: &Part, draw: Draw, value: &impl Fn(usize) -> &'v Value, instance: u32, out: &mut String) {
    match part {
        Part::Text(text) => out.push_str(text),
        Part::Id => push_hex(out, draw.bits() as u32),
        Part::User => push_whole(out, 10_000 + draw.below(80_000)),
        Part::Ip => {
            let bytes = [20 + draw.below(8), draw.below(256), 1 + draw.below(254)];
            out.push_str("10");
            for byte in bytes {
                out.push('.');
                push_whole(out, byte);
            }
        }
        Part::Instance(name) => {
            out.push_str(name);
            push_whole(out, u64::from(instance));
        }
        Part::Host(host) => out.push_str(host),
        Part::Range(low, high) => push_whole(out, low + draw.below(high - low + 1)),
        Part::Choice(all) => out.push_str(all[draw.below(all.len() as u64) as usize]),
        Part::Key(key) => write!(out, "{}", value(*key)).expect("a string takes everything"),
    }
}

// The formatting machinery would cost more than all the rest of a line.
fn push_whole(out: &mut String, n: u64) {
    if n >= 10 {
        push_whole(out, n / 10);
    }
    out.push((b'0' + (n % 10) as u8) as char);
}

fn push_hex(out: &mut String, n: u32) {
    for at in (0..8).rev() {
        out.push(b"0123456789abcdef"[(n >> (4 * at) & 15) as usize] as char);
    }
}
