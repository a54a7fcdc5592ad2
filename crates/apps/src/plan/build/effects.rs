//! What flags, settings and versions switch on in programs.

use std::sync::Arc;

use cluster::json;

use super::{Builder, Flags};
use crate::instance::{Instance, InstanceKey};
use crate::reach::host_and_port;
use crate::spec::EffectSpec;

impl Builder<'_> {
    /// The effects of a program that are on, for one of its operations or for all, with the value that switched them on.
    pub(super) fn effects_of<'i>(
        &mut self,
        station: usize,
        instance: &'i Instance,
        within: Option<&str>,
    ) -> Vec<(&'i EffectSpec, f64)> {
        let mut on = Vec::new();
        for effect in &instance.program.effects {
            let is_meant = match (&effect.operation, within) {
                (Some(own), Some(name)) => own == name,
                (None, None) => true,
                (None, Some(_)) => {
                    effect.address.is_some()
                        || effect.load_factor > 0.0
                        || effect.fails > 0.0
                        || effect.cpu_factor != 1.0
                        || effect.wait_ms > 0.0
                        || effect.calls_factor != 1.0
                }
                (Some(_), None) => false,
            };
            if !is_meant {
                continue;
            }
            if let Some(value) = self.is_on(station, instance, effect) {
                on.push((effect, value));
            }
        }
        on
    }

    fn is_on(&mut self, station: usize, instance: &Instance, effect: &EffectSpec) -> Option<f64> {
        if effect.version.as_ref().is_some_and(|version| *version != instance.version) {
            return None;
        }
        if let Some((name, wanted)) = effect.setting.as_ref().and_then(|setting| setting.split_once('=')) {
            (instance.setting(name) == wanted).then_some(())?;
        }
        if effect.backtracks.as_ref().is_some_and(|name| !backtracks(instance.setting(name))) {
            return None;
        }
        let Some(flag) = &effect.flag else { return Some(1.0) };
        let flags = self.flags_for(station, instance);
        match flags.get(flag).map(|value| &**value) {
            None | Some("false" | "0" | "off" | "") => None,
            Some(value) => Some(value.parse().unwrap_or(1.0)),
        }
    }

    /// The flags that a program gets from its flagd, if that is reached.
    fn flags_for(&mut self, station: usize, instance: &Instance) -> Arc<Flags> {
        if let Some(flags) = self.flags.get(&station) {
            return flags.clone();
        }
        let target = instance.program.targets.get("flagd").map(|target| target.address.fill(&instance.settings));
        let found = target.and_then(|address| host_and_port(&address, None));
        let flags = found.map(|(host, port)| self.ways(station, instance, &host, port).0);
        let flags = flags.and_then(|ways| self.flags_from(ways.first()?.end.as_ref().ok()?)).unwrap_or_default();
        self.flags.insert(station, flags.clone());
        flags
    }

    fn flags_from(&mut self, server: &InstanceKey) -> Option<Arc<Flags>> {
        if let Some(flags) = self.served_flags.get(server) {
            return Some(flags.clone());
        }
        let flags = Arc::new(read_flags(self.instances.get(server)?.setting("flags")));
        self.served_flags.insert(server.clone(), flags.clone());
        Some(flags)
    }
}

/// Whether a pattern repeats a group that itself repeats something: then a word that does not match is tried in
/// exponentially many ways.
fn backtracks(pattern: &str) -> bool {
    let is_repeat = |c: char| matches!(c, '*' | '+' | '{');
    let mut groups = vec![false];
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => drop(rest.next()),
            '(' => groups.push(false),
            ')' => {
                let repeats = groups.pop().unwrap_or(false);
                if repeats && rest.peek().copied().is_some_and(is_repeat) {
                    return true;
                }
            }
            c if is_repeat(c) => *groups.last_mut().unwrap_or(&mut false) = true,
            _ => {}
        }
    }
    false
}

/// Flags in the format of flagd: the value of the default variant of each.
fn read_flags(text: &str) -> Flags {
    let read = serde_json::from_str::<serde_json::Value>(text).ok();
    let Some(value) = read.or_else(|| cluster::yaml::documents(text).ok()?.into_iter().next()) else {
        return Flags::new();
    };
    let mut flags = Flags::new();
    for (name, flag) in json::entries(&value, "flags") {
        if json::text(flag, "state") == "DISABLED" {
            continue;
        }
        let chosen = json::at(flag, "variants").get(json::text(flag, "defaultVariant"));
        let text = chosen.map(|value| value.as_str().map_or_else(|| value.to_string(), Into::into));
        flags.insert(name.clone(), text.unwrap_or_default());
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_backtrack_are_told_from_others() {
        let check = |pattern: &str, expect: bool| assert_eq!(backtracks(pattern), expect, "{pattern}");
        check("^([a-zA-Z]+)*$", true);
        check("^([a-zA-Z]*)*$", true);
        check("(a|b*)+c", true);
        check("^[a-zA-Z]*$", false);
        check("^([a-z])+$", false);
        check(r"(\(a+\)x)", false);
        check("", false);
    }
}
