//! `inspect_config`: what a service is set to.

use std::fmt::Write;

use world::telemetry::health::ConfigView;
use world::{Value, View};

use crate::args::ToolArgs;
use crate::learn::{ReplyNotes, ReplyReader, ShownReply, columns};
use crate::param::Param;
use crate::params::{KEY, SERVICE};
use crate::reply::{Fact, FactKind, Reply};
use crate::sheet::Sheet;
use crate::tool::{Run, Tool};

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
        const { &[SERVICE, Param::optional("key", KEY)] }
    }

    fn run(&self) -> Run {
        Run::Look(look)
    }

    fn reader(&self) -> Option<&'static ReplyReader> {
        Some(&READER)
    }
}

fn look(view: View<'_>, args: &ToolArgs) -> Reply {
    let (service, key) = (args.service(), args.get("key"));
    let (name, keys) = (view.name(service), view.keys(service));
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

/// How far each setting is from its default, and which can be changed.
static READER: ReplyReader = ReplyReader { service: &["seen:config", "config:rolling_out"], incident: &[], read };

fn read(shown: &ShownReply<'_>, notes: &mut dyn ReplyNotes) {
    let Some(service) = shown.service else { return };
    notes.put(service, "seen:config", shown.when);
    for line in shown.text.lines().skip(1) {
        let mut cells = columns(line);
        if let (Some(key), Some(value)) = (cells.next(), cells.next()) {
            notes.setting(service, key, value);
        }
    }
    let rolling_out = shown.text.contains("; rollout in progress");
    notes.put(service, "config:rolling_out", f64::from(u8::from(rolling_out)));
}
