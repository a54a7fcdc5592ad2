//! The calls of the provider protocol, answered from a simulated cloud.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use terraform::cloud::{Caller, Cloud, ProviderSettings};
use terraform::datum::Datum;
use terraform::engine::{Attributes, differences, propose};
use terraform::schema::{ResourceType, Schema};
use terraform::{datasource, functions};

use crate::describe::{self, body_type};
use crate::msgpack;
use crate::protobuf::{MessageWriter, field};

/// One provider over a cloud that several may share.
pub struct SimulatedProvider {
    name: &'static str,
    cloud: Arc<Mutex<Cloud>>,
    settings: Mutex<ProviderSettings>,
}

/// An answer, or why there is none.
type Answer = Result<Vec<u8>, String>;

impl SimulatedProvider {
    /// A provider of that name; nothing if there are no tables for it.
    pub fn new(name: &str, cloud: Arc<Mutex<Cloud>>) -> Option<SimulatedProvider> {
        let (name, _) = Schema::get().providers.get_key_value(name)?;
        Some(SimulatedProvider { name, cloud, settings: Mutex::default() })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Answers one call; nothing if there is no such call.
    pub fn answer(&self, call: &str, request: &[u8]) -> Option<Vec<u8>> {
        let kind = std::str::from_utf8(field(request, 1)).unwrap_or_default();
        Some(match call {
            "GetProviderSchema" => describe::provider(self.name),
            "ValidateProviderConfig" | "ValidateResourceConfig" | "ValidateDataResourceConfig" | "StopProvider" => {
                Vec::new()
            }
            "ConfigureProvider" => diagnosed(self.configure(request), 1),
            "UpgradeResourceState" => diagnosed(self.upgrade(kind, request), 2),
            "ReadResource" => diagnosed(self.read(kind, request), 2),
            "PlanResourceChange" => diagnosed(self.plan(kind, request), 4),
            "ApplyResourceChange" => diagnosed(self.apply(kind, request), 3),
            "ReadDataSource" => diagnosed(self.read_data(kind, request), 2),
            _ => return None,
        })
    }

    fn cloud(&self) -> MutexGuard<'_, Cloud> {
        self.cloud.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settings(&self) -> ProviderSettings {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn configure(&self, request: &[u8]) -> Answer {
        let body = &Schema::get().providers[self.name];
        let config = decode(field(request, 2), &body_type(body))?;
        let text = |name: &str| config.get(name).as_text().map(str::to_owned);
        let tags = config.get("default_tags").as_items().and_then(|blocks| blocks.first());
        let tags = tags.and_then(|block| block.get("tags").as_map()).cloned().unwrap_or_default();
        let labels = config.get("default_labels").as_map().cloned().unwrap_or_default();
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner) = ProviderSettings {
            region: text("region"),
            project: text("project"),
            zone: text("zone"),
            default_tags: tags.into_iter().chain(labels).collect(),
        };
        Ok(Vec::new())
    }

    /// The tool keeps its state as JSON; what it wants back is the same as a value.
    fn upgrade(&self, kind: &str, request: &[u8]) -> Answer {
        let kind = resource(kind)?;
        let text = std::str::from_utf8(field(field(request, 3), 1)).map_err(|e| e.to_string())?;
        let takes = body_type(&kind.body);
        let value = takes.convert(functions::json(text)?)?;
        Ok(MessageWriter::new().bytes(1, dynamic(&value, &takes)).done())
    }

    fn read(&self, kind: &str, request: &[u8]) -> Answer {
        let kind = resource(kind)?;
        let takes = body_type(&kind.body);
        let state = decode(field(request, 2), &takes)?;
        let id = state.get("id").as_text().unwrap_or_default();
        let now = self.cloud().get(&kind.name, id).map_or(Datum::Null, |object| Datum::Map(object.attrs.clone()));
        Ok(MessageWriter::new().bytes(1, dynamic(&now, &takes)).done())
    }

    fn plan(&self, kind: &str, request: &[u8]) -> Answer {
        let kind = resource(kind)?;
        let takes = body_type(&kind.body);
        let (prior, config) = (decode(field(request, 2), &takes)?, decode(field(request, 4), &takes)?);
        let Datum::Map(config) = config else {
            // It is to be removed.
            return Ok(MessageWriter::new().bytes(1, dynamic(&Datum::Null, &takes)).done());
        };
        let config = self.tagged(kind, config);
        let prior = prior.as_map();
        let mut after = propose(&kind.body, &config, prior);
        let changes = prior.map(|prior| differences(&kind.body, prior, &after)).unwrap_or_default();
        let replaced: Vec<String> =
            changes.iter().filter(|change| change.force_new).map(|change| top(&change.path).to_owned()).collect();
        if let (true, Some(prior)) = (changes.is_empty(), prior) {
            after.clone_from(prior);
        }
        let paths = replaced.into_iter().map(|name| {
            let step = MessageWriter::new().bytes(1, name).done();
            MessageWriter::new().bytes(1, step).done()
        });
        let planned = MessageWriter::new().bytes(1, dynamic(&Datum::Map(after), &takes)).all(2, paths);
        Ok(planned.number(5, 1).done())
    }

    fn apply(&self, kind: &str, request: &[u8]) -> Answer {
        let kind = resource(kind)?;
        let takes = body_type(&kind.body);
        let (prior, config) = (decode(field(request, 2), &takes)?, decode(field(request, 4), &takes)?);
        let id = prior.get("id").as_text().unwrap_or_default();
        let settings = self.settings();
        // The tool itself waits for what a resource names.
        let caller = Caller { address: &kind.name, settings: &settings, node: 0, waits_for: &|_| true };
        let made = match (config, prior.as_map()) {
            (Datum::Map(config), None) => {
                let attrs = propose(&kind.body, &self.tagged(kind, config), None);
                Datum::Map(self.cloud().create(kind, attrs, &caller)?)
            }
            (Datum::Map(config), Some(prior)) => {
                let attrs = propose(&kind.body, &self.tagged(kind, config), Some(prior));
                Datum::Map(self.cloud().update(kind, id, attrs, &caller)?)
            }
            _ => {
                self.cloud().delete(&kind.name, id)?;
                Datum::Null
            }
        };
        Ok(MessageWriter::new().bytes(1, dynamic(&made, &takes)).number(4, 1).done())
    }

    fn read_data(&self, kind: &str, request: &[u8]) -> Answer {
        let kind = Schema::get().data.get(kind).ok_or_else(|| format!("there is no data source {kind}"))?;
        let takes = body_type(&kind.body);
        let config = decode(field(request, 2), &takes)?;
        let config = config.as_map().cloned().unwrap_or_default();
        let found = datasource::read(kind, &config, &self.settings(), &self.cloud(), false);
        let found = found.map_err(|problem| problem.to_string())?;
        Ok(MessageWriter::new().bytes(1, dynamic(&Datum::Map(found), &takes)).done())
    }

    /// The configuration with the provider's default tags in `tags_all`.
    fn tagged(&self, kind: &ResourceType, mut config: Attributes) -> Attributes {
        if kind.taggable && config.get("tags_all").is_none_or(Datum::is_null) {
            let all = match config.get("tags") {
                Some(unknown @ Datum::Unknown(_)) => unknown.clone(),
                tags => {
                    let own = tags.and_then(Datum::as_map).cloned().unwrap_or_default();
                    Datum::Map(self.settings().default_tags.into_iter().chain(own).collect())
                }
            };
            config.insert("tags_all".to_owned(), all);
        }
        config
    }
}

fn resource(kind: &str) -> Result<&'static ResourceType, String> {
    Schema::get().resources.get(kind).ok_or_else(|| format!("there is no resource type {kind}"))
}

/// The attribute at the top of a path.
fn top(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

fn decode(message: &[u8], takes: &terraform::datum::Constraint) -> Result<Datum, String> {
    msgpack::read(field(message, 1), takes).ok_or_else(|| "a value cannot be read".to_owned())
}

fn dynamic(value: &Datum, takes: &terraform::datum::Constraint) -> Vec<u8> {
    MessageWriter::new().bytes(1, msgpack::write(value, takes)).done()
}

/// An answer; an error becomes a diagnostic in the field that the message has for it.
fn diagnosed(answer: Answer, number: u32) -> Vec<u8> {
    answer.unwrap_or_else(|why| {
        let (summary, detail) = why.split_once('\n').unwrap_or((&why, ""));
        let diagnostic = MessageWriter::new().number(1, 1).bytes(2, summary).bytes(3, detail).done();
        MessageWriter::new().bytes(number, diagnostic).done()
    })
}
