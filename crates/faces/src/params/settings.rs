//! Configuration: keys, and values of keys.

use serde_json::{Value, json};
use world::{Key, View};

use crate::nearest::{clip, unknown};
use crate::param::{Given, Param, ParamKind, Writing, text_schema};

/// The name of a configuration key of the service named before.
pub const KEY: &dyn ParamKind = &KeyName;
/// A value of the key named before.
pub const SETTING: &dyn ParamKind = &KeyValue;

struct KeyName;

impl ParamKind for KeyName {
    fn schema(&self, _: &[String]) -> Value {
        text_schema("a configuration key of the service, as inspect_config shows it")
    }

    fn read(&self, _: &Param, text: &str, given: &mut Given<'_>) -> Result<String, String> {
        let (view, service) = (given.view, given.args.service());
        let has = |keys: &'static [Key]| keys.iter().find(|k| k.name.eq_ignore_ascii_case(text));
        given.key = has(view.keys(service));
        given.key.map(|k| k.name.to_string()).ok_or_else(|| {
            let name = view.name(service);
            let what = format!("{name} has no configuration key");
            let keys: Vec<&str> = keys(view, service).collect();
            match (0..view.services().len()).find(|other| has(view.keys(*other)).is_some()) {
                Some(other) => {
                    format!("{what} `{}`, but {} has; {name} has {}", clip(text), view.name(other), keys.join(", "))
                }
                None => unknown(&what, text, "it has", &keys),
            }
        })
    }

    fn options(&self, view: View<'_>, service: Option<usize>) -> Vec<String> {
        service.map_or(Vec::new(), |service| keys(view, service).map(str::to_string).collect())
    }

    fn is_of_service(&self) -> bool {
        true
    }
}

struct KeyValue;

impl ParamKind for KeyValue {
    /// A model may well write a number or a truth value here, and means the same.
    fn schema(&self, _: &[String]) -> Value {
        json!({ "type": ["string", "number", "boolean"], "description": "the value that the key gets" })
    }

    fn read(&self, _: &Param, text: &str, given: &mut Given<'_>) -> Result<String, String> {
        let key = given.key.expect("a value stands behind its key");
        let wrong = |_| format!("{} takes {}; got `{}`", key.name, key.takes, clip(text));
        key.parse(text).map(|value| value.to_string()).map_err(wrong)
    }

    fn writing(&self) -> Writing {
        Writing::Value
    }
}

fn keys(view: View<'_>, service: usize) -> impl Iterator<Item = &'static str> {
    view.keys(service).iter().map(|k| k.name)
}
