//! `inspect_config`: what a service is set to.

use std::fmt::Write;

use world::telemetry::health::ConfigView;
use world::{Value, View};

use crate::args::Args;
use crate::reply::{Fact, FactKind, Reply};
use crate::sheet::Sheet;
use crate::tool::{Param, Run, SERVICE, Takes, Tool};

/// The tool.
pub struct InspectConfig;

impl Tool for InspectConfig {
    fn name(&self) -> &'static str {
        "inspect_config"
    }

    fn signature(&self) -> &'static str {
        "inspect_config(service[, key])"
    }

    fn about(&self) -> &'static str {
        "the configuration of a service, or one key of it with what it takes"
    }

    fn params(&self) -> &'static [Param] {
        const { &[SERVICE, Param::optional("key", Takes::Key)] }
    }

    fn run(&self) -> Run {
        Run::Look(look)
    }
}

fn look(view: View<'_>, args: &Args) -> Reply {
    let (service, key) = (args.service(), args.get("key"));
    let (name, keys) = (view.name(service), view.plan().services[service].kind.keys());
    let mut sheet = Sheet::new(1024);
    sheet.put(name).put(" configuration at ").time(view.now()).line();
    let second = keys.iter().map(|k| k.name.len()).max().unwrap_or(0) + 2;
    let mut facts = Vec::with_capacity(keys.len());
    for setting in view.config(service).filter(|s| key.is_none_or(|k| k == s.key.name)) {
        write_setting(&mut sheet, &setting, second);
        if key.is_some() {
            sheet.put("takes ");
            let _ = write!(sheet, "{}", setting.key.takes);
            sheet.put(if setting.key.restarts { "; a change restarts the instances" } else { "" }).line();
        }
        facts.push(Fact::new(FactKind::Config, name, setting.key.name, true));
    }
    Reply::show(sheet.done(), facts)
}

fn write_setting(sheet: &mut Sheet, setting: &ConfigView<'_>, second: usize) {
    sheet.put(setting.key.name).column(second);
    match setting.value {
        Value::Int(n) if *n >= 0 => sheet.whole(n.unsigned_abs()),
        Value::Int(n) => sheet.put("-").whole(n.unsigned_abs()),
        Value::Bool(b) => sheet.put(if *b { "true" } else { "false" }),
        Value::Text(text) => sheet.put(text),
    };
    sheet.column(second + 12).put(setting.key.about);
    sheet.put(if setting.rolling_out { "; rollout in progress" } else { "" }).line();
}
