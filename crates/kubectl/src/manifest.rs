//! Manifests: files, standard input, lists.

use serde_json::Value;

use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;

/// An object of a manifest and the file that it stands in.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) source: String,
    pub(crate) object: Value,
}

impl Kubectl<'_, '_> {
    /// All objects of the files that `-f` names.
    pub(crate) fn manifests(&mut self) -> Result<Vec<Written>, Failure> {
        let mut all = Vec::new();
        if self.flags.value("kustomize").is_some() {
            return Err(Failure::new("kustomize is not supported here"));
        }
        let paths: Vec<String> = self.flags.split("filename").into_iter().map(Into::into).collect();
        for path in paths {
            let texts = self.sources(&path)?;
            for (source, text) in texts {
                for object in documents(&source, &text)? {
                    flatten(&source, object, &mut all)?;
                }
            }
        }
        Ok(all)
    }

    /// The texts that a path means: one file, all files of a folder, or standard input.
    fn sources(&mut self, path: &str) -> Result<Vec<(String, String)>, Failure> {
        if path == "-" {
            return Ok(vec![("STDIN".into(), self.input.into())]);
        }
        if path.starts_with("http://") || path.starts_with("https://") {
            return Err(Failure::new(format!("unable to read URL {}: no network here", crate::go::quote(path))));
        }
        let plain = crate::desk::plain(path).trim_end_matches('/');
        if let Some(text) = self.desk.memory.files.get(plain) {
            return Ok(vec![(path.into(), text.clone())]);
        }
        let folder = format!("{plain}/");
        let is_manifest = |name: &str| [".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end));
        let inside = self.desk.memory.files.iter().filter(|(name, _)| {
            (plain == "." && !name.contains('/') || name.starts_with(&folder)) && is_manifest(name)
        });
        let found: Vec<_> = inside.map(|(name, text)| (name.clone(), text.clone())).collect();
        if found.is_empty() {
            return Err(Failure::new(format!("the path {} does not exist", crate::go::quote(path))));
        }
        Ok(found)
    }
}

fn documents(source: &str, text: &str) -> Result<Vec<Value>, Failure> {
    let trimmed = text.trim_start();
    if trimmed.starts_with('{') || trimmed.starts_with('[') {
        let values: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(trimmed).into_iter().collect();
        if let Ok(values) = values {
            return Ok(values);
        }
    }
    let failed = |error: cluster::yaml::YamlError| {
        Failure::new(format!("error parsing {source}: error converting YAML to JSON: {error}"))
    };
    cluster::yaml::documents(text).map_err(failed)
}

/// Adds an object, or the items of a list.
fn flatten(source: &str, object: Value, all: &mut Vec<Written>) -> Result<(), Failure> {
    let kind = json::text(&object, "kind");
    if kind.ends_with("List") && object.get("items").is_some_and(Value::is_array) {
        for item in json::list(&object, "items") {
            flatten(source, item.clone(), all)?;
        }
        return Ok(());
    }
    let unable = |why: String| {
        let shown = if source == "STDIN" { "STDIN".into() } else { crate::go::quote(source) };
        Failure::new(format!("unable to decode {shown}: {why}"))
    };
    if !object.is_object() {
        let shown = object.to_string();
        return Err(unable(format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
            if shown.starts_with('"') { "string" } else { "number" }
        )));
    }
    if kind.is_empty() {
        return Err(unable(format!("Object 'Kind' is missing in {}", crate::go::quote(&object.to_string()))));
    }
    if json::text(&object, "apiVersion").is_empty() {
        return Err(unable(format!("Object 'apiVersion' is missing in {}", crate::go::quote(&object.to_string()))));
    }
    all.push(Written { source: source.into(), object });
    Ok(())
}
