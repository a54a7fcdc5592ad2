//! A stage for the tests of exports: a few episodes, and a shelf in memory.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex};

use harness::{Episode, EpisodeOptions, ToolDoc, ToolSet};
use harness::{ModelCard, ModelTurn, Noise, ProviderFault, Record, Scenario, Usage, tasks};
use record::{Check, EndReason, Event, Header, RECORD_VERSION, Seal, Step, TaskCard, ToolCard};
use serde_json::Value;
use zip::ZipArchive;

use super::{ExportEpisode, Format, Shelf, Sink, Spool, find};

/// Files by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Exports these episodes.
pub fn export(format: &dyn Format, entries: &[ExportEpisode]) -> Files {
    let mut shelf = Memory::default();
    let mut export = format.start().expect("the format is built");
    for entry in entries {
        export.add(entry, &mut shelf).expect("memory can be written");
    }
    export.finish(&mut shelf).expect("memory can be written");
    Arc::into_inner(shelf.files).expect("all files are closed").into_inner().expect("no thread panicked")
}

/// The format of that name.
pub fn format(name: &str) -> &'static dyn Format {
    find(name).expect("there is such a format")
}

/// JSON.
pub fn parse(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("it is JSON")
}

/// The one file of an export of one episode.
pub fn only(name: &str, entry: ExportEpisode) -> Vec<u8> {
    let files = export(format(name), &[entry]);
    assert_eq!(files.len(), 1, "{:?}", files.keys());
    files.into_values().next().unwrap_or_default()
}

/// The members of a zip file.
pub fn unzip(bytes: &[u8]) -> BTreeMap<String, Value> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).expect("it is a zip file");
    let mut members = BTreeMap::new();
    for at in 0..zip.len() {
        let mut member = zip.by_index(at).expect("a member");
        let (name, mut text) = (member.name().expect("a name").into_owned(), String::new());
        member.read_to_string(&mut text).expect("text");
        members.insert(name, parse(text.as_bytes()));
    }
    members
}

/// An episode of a task that ships, played by its own solution.
pub fn solved(at: usize) -> ExportEpisode {
    let task = tasks::embedded()[at].task().expect("the task is valid");
    let scenario = Arc::new(Scenario::prepare(&task, 0, Noise(0)).expect("the task has an incident"));
    let options = EpisodeOptions { agent: "scripted".into(), suite: "all".into(), ..EpisodeOptions::default() };
    let mut episode = Episode::start(&scenario, options);
    for call in scenario.solution() {
        episode.step(&call);
    }
    entry(episode.finish())
}

/// A short episode by hand: a look with a thought, a fumble, and a resolution.
pub fn modelled(agent: &str, task: &str, seed: u64) -> ExportEpisode {
    let steps = [look(), fumble(), resolve()];
    record(header(agent, task, seed), &steps, EndReason::Resolved, None)
}

/// An episode whose provider failed after the first step.
pub fn broken_off(agent: &str, task: &str, seed: u64) -> ExportEpisode {
    record(header(agent, task, seed), &[look()], EndReason::ProviderFailed, Some(ProviderFault::RateLimit))
}

fn entry(record: Record) -> ExportEpisode {
    let digest = record.digest();
    ExportEpisode::of(record, digest).expect("the record is whole")
}

fn record(header: Header, steps: &[Step], reason: EndReason, cause: Option<ProviderFault>) -> ExportEpisode {
    let brief = "INC-1: you have been paged.\n\nServices: web, cache.\nFind the cause.".to_string();
    let mut events = vec![Event::Started(Box::new(header)), Event::Paged { time: 43_200_000, brief }];
    events.extend(steps.iter().map(|step| Event::Stepped(Box::new(step.clone()))));
    events.push(Event::Ended { time: 43_290_000, reason, cause, fault: None });
    let checks = vec![Check { name: "defect".into(), ok: true, found: "gone".into() }];
    let seal = Seal { mitigated: true, checks, paged: 43_200_000, fault: "the cache died".into(), ..Seal::default() };
    events.push(Event::Sealed(Box::new(seal)));
    entry(Record { events })
}

fn header(agent: &str, task: &str, seed: u64) -> Header {
    let card = TaskCard {
        id: task.into(),
        digest: "d1".into(),
        difficulty: "easy".into(),
        split: "train".into(),
        family: format!("kind of {task}"),
        steps: 8,
        component: "cache".into(),
        ..TaskCard::default()
    };
    let model = ModelCard { provider: "p".into(), model: "m".into(), prompt: "react-1".into(), ..ModelCard::default() };
    Header {
        record_version: RECORD_VERSION,
        world_version: 1,
        suite_version: 1,
        suite: "all".into(),
        task: card,
        seed,
        noise: 0,
        tools: "classic".into(),
        agent: agent.into(),
        episode: 0,
        repeat: 0,
        incident: "INC-1".into(),
        model: Some(model),
        services: vec!["web".into(), "cache".into()],
        toolbox: toolbox(),
        ..Header::default()
    }
}

/// The classic tools, as a header keeps them.
fn toolbox() -> Arc<[ToolCard]> {
    let card = |tool: ToolDoc| ToolCard { name: tool.name.into(), about: tool.about.into(), parameters: tool.schema() };
    ToolSet::CLASSIC.docs(&[]).into_iter().map(card).collect()
}

fn look() -> Step {
    let args = BTreeMap::from([("service".to_string(), "cache".to_string())]);
    let call = Some("check_status(cache)".to_string());
    let (text, tool) = ("check_status(cache)".to_string(), "check_status".to_string());
    let model = Some(turn("Is it up?\nAction: check_status(cache)", Some("The page says down.")));
    Step { text, call, tool, args, observation: "cache: down".into(), model, ..step(1) }
}

fn fumble() -> Step {
    let model = Some(turn("Let me think.", None));
    let (text, invalid) = ("Let me think.".to_string(), Some("no action".to_string()));
    Step { text, invalid, observation: "error: no action".into(), model, ..step(2) }
}

fn resolve() -> Step {
    let args = [("root_cause", "the cache crashed"), ("fix", "restarted it")];
    let args = args.map(|(name, text)| (name.to_string(), text.to_string())).into();
    let text = r#"resolve_incident("the cache crashed", "restarted it")"#.to_string();
    let model = Some(turn(&text, None));
    let (call, tool) = (Some(text.clone()), "resolve_incident".to_string());
    Step { text, call, tool, args, observation: "closed".into(), fixed: true, reward: 0.5, model, ..step(3) }
}

fn step(index: u32) -> Step {
    Step { index, time: 43_200_000 + u64::from(index - 1) * 30_000, took: 30_000, ..Step::default() }
}

fn turn(output: &str, reasoning: Option<&str>) -> ModelTurn {
    let usage = Usage { input: 100, output: 10, reasoning: 4, cached: 60 };
    let (output, reasoning) = (output.to_string(), reasoning.map(str::to_string));
    ModelTurn { calls: 1, output, reasoning, usage, cost_usd: Some(0.25), ..ModelTurn::default() }
}

/// A shelf in memory.
#[derive(Default)]
struct Memory {
    files: Arc<Mutex<Files>>,
}

struct Page {
    name: String,
    bytes: Cursor<Vec<u8>>,
    files: Arc<Mutex<Files>>,
}

impl Shelf for Memory {
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Sink>> {
        Ok(Box::new(Page { name: name.to_string(), bytes: Cursor::default(), files: self.files.clone() }))
    }

    fn spool(&mut self) -> io::Result<Box<dyn Spool>> {
        Ok(Box::new(Cursor::new(Vec::new())))
    }
}

impl Sink for Page {
    fn keep(self: Box<Self>) -> io::Result<()> {
        let Page { name, bytes, files } = *self;
        let before = files.lock().expect("no thread panicked").insert(name, bytes.into_inner());
        assert!(before.is_none(), "a file is written once");
        Ok(())
    }
}

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Page {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(to)
    }
}
