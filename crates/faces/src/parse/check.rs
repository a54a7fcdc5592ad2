//! Compares arguments with the world: what is named exists, and values are of their key's type.

use world::services::Level;
use world::{Key, View};

use crate::args::Args;
use crate::tool::{Param, Takes, Tool};

use super::bind::Values;
use super::names::{clip, same, unknown};

/// Arguments as the world spells them.
pub(super) fn check(tool: &'static dyn Tool, values: Values<'_>, view: View<'_>) -> Result<Args, String> {
    let mut found = Found { view, args: Args::default(), key: None };
    found.args.given.reserve(values.len());
    for (param, value) in tool.params().iter().zip(values) {
        match value {
            Some(text) => {
                let value = found.value(param, text.trim())?;
                found.args.given.push((param.name, value));
            }
            None if param.optional => {}
            None => return Err(missing(tool, param, view)),
        }
    }
    Ok(found.args)
}

fn missing(tool: &'static dyn Tool, param: &Param, view: View<'_>) -> String {
    let hint = match param.takes {
        Takes::Service => format!("; the services are {}", services(view).join(", ")),
        Takes::Route => format!("; the routes are {}", routes(view).join(", ")),
        _ => String::new(),
    };
    format!("`{}` is missing; write {}{hint}", param.name, tool.signature())
}

/// What the arguments before this one named.
struct Found<'w> {
    view: View<'w>,
    args: Args,
    key: Option<&'static Key>,
}

impl Found<'_> {
    fn value(&mut self, param: &Param, text: &str) -> Result<String, String> {
        match param.takes {
            Takes::Service => self.service(text),
            Takes::Key => self.key(text),
            Takes::Setting => self.setting(text),
            Takes::Metric => self.metric(text),
            Takes::Route => self.route(text),
            Takes::Alert => self.alert(text),
            Takes::Change => self.change(text),
            Takes::Level => level(param, text),
            Takes::Whole { min, max } => whole(param, text, min, max),
            Takes::Words | Takes::Prose => Ok(text.to_string()),
        }
    }

    fn service(&mut self, text: &str) -> Result<String, String> {
        let all = &self.view.plan().services;
        let at = all.iter().position(|s| same(&s.name, text));
        self.args.service = at;
        let at = at.ok_or_else(|| unknown("there is no service", text, "the services are", &services(self.view)))?;
        Ok(all[at].name.to_string())
    }

    fn key(&mut self, text: &str) -> Result<String, String> {
        let all = &self.view.plan().services;
        let service = &all[self.args.service()];
        let has = |keys: &'static [Key]| keys.iter().find(|k| k.name.eq_ignore_ascii_case(text));
        self.key = has(service.kind.keys());
        self.key.map(|k| k.name.to_string()).ok_or_else(|| {
            let what = format!("{} has no configuration key", service.name);
            match all.iter().find(|other| has(other.kind.keys()).is_some()) {
                Some(other) => {
                    format!("{what} `{}`, but {} has; {} has {}", clip(text), other.name, service.name, keys(service))
                }
                None => unknown(&what, text, "it has", &service.kind.keys().iter().map(|k| k.name).collect::<Vec<_>>()),
            }
        })
    }

    fn setting(&self, text: &str) -> Result<String, String> {
        let key = self.key.expect("a value stands behind its key");
        let wrong = |_| format!("{} takes {}; got `{}`", key.name, key.takes, clip(text));
        key.parse(text).map(|value| value.to_string()).map_err(wrong)
    }

    fn metric(&self, text: &str) -> Result<String, String> {
        let service = &self.view.plan().services[self.args.service()];
        let metrics = service.kind.metrics();
        let found = metrics.iter().find(|m| m.name.eq_ignore_ascii_case(text));
        found.map(|m| m.name.to_string()).ok_or_else(|| {
            let known: Vec<&str> = metrics.iter().map(|m| m.name).collect();
            unknown(&format!("{} has no metric", service.name), text, "it has", &known)
        })
    }

    fn route(&mut self, text: &str) -> Result<String, String> {
        let all = &self.view.plan().routes;
        let at = all.iter().position(|r| same(&r.name, text));
        self.args.route = at;
        let at = at.ok_or_else(|| unknown("there is no route", text, "the routes are", &routes(self.view)))?;
        Ok(all[at].name.to_string())
    }

    fn alert(&self, text: &str) -> Result<String, String> {
        let all = &self.view.plan().alerts;
        let found = all.iter().find(|a| same(&a.name, text));
        found.map(|a| a.name.to_string()).ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|a| &*a.name).collect();
            unknown("there is no alert", text, "the alerts are", &known)
        })
    }

    fn change(&self, text: &str) -> Result<String, String> {
        let id = text.trim_start_matches('#').parse::<u32>().ok();
        let all = self.view.changes();
        let found = all.iter().find(|c| Some(c.id) == id);
        found.map(|c| c.id.to_string()).ok_or_else(|| {
            let known: Vec<String> = all.iter().rev().take(12).map(|c| c.id.to_string()).collect();
            let known =
                if known.is_empty() { "there are none".into() } else { format!("the latest are {}", known.join(", ")) };
            format!("there is no change `{}`; {known}", clip(text))
        })
    }
}

fn level(param: &Param, text: &str) -> Result<String, String> {
    let level =
        read_level(text).ok_or_else(|| format!("{} takes info, warn or error; got `{}`", param.name, clip(text)))?;
    Ok(level.text().to_ascii_lowercase())
}

/// The level of that name, in any case of letters.
pub(crate) fn read_level(text: &str) -> Option<Level> {
    let text = if text.eq_ignore_ascii_case("warning") { "warn" } else { text };
    [Level::Info, Level::Warn, Level::Error].into_iter().find(|l| l.text().eq_ignore_ascii_case(text))
}

fn whole(param: &Param, text: &str, min: u64, max: u64) -> Result<String, String> {
    let number = text.parse::<u64>().ok().filter(|n| (min..=max).contains(n));
    let wrong = || format!("{} takes a whole number from {min} to {max}; got `{}`", param.name, clip(text));
    number.map(|n| n.to_string()).ok_or_else(wrong)
}

fn services(view: View<'_>) -> Vec<&str> {
    view.plan().services.iter().map(|s| &*s.name).collect()
}

fn routes(view: View<'_>) -> Vec<&str> {
    view.plan().routes.iter().map(|r| &*r.name).collect()
}

fn keys(service: &world::blueprint::ServiceInfo) -> String {
    service.kind.keys().iter().map(|k| k.name).collect::<Vec<_>>().join(", ")
}
