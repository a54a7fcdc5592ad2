//! `kubectl explain`.

use serde_json::Value;

use super::Outcome;
use crate::failure::Failure;
use crate::go::quote;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let words = call.flags.words.clone();
    let [word] = &words[..] else {
        return Err(Failure::new(match words.is_empty() {
            true => {
                "You must specify the type of resource to explain. Use \"kubectl api-resources\" for a complete list of supported resources.\n"
            }
            false => "We accept only this format: explain RESOURCE\n",
        }));
    };
    // A group may stand in the name: the longest beginning that is a resource is the resource.
    let parts: Vec<&str> = word.split('.').collect();
    let discovery = call.discovery()?;
    let mut chosen = None;
    for length in (1..=parts.len()).rev() {
        if let Some(kind) = discovery
            .find(&parts[..length].join("."))
            .filter(|kind| length == 1 || kind.group == parts[1..length].join("."))
        {
            chosen = Some((kind, parts[length..].to_vec()));
            break;
        }
    }
    let (kind, fields) = match chosen {
        Some(chosen) => chosen,
        None => {
            let kind = call.kind(parts[0]).map_err(|failure| Failure::Verbatim(failure.message(), 1))?;
            (kind, parts[1..].to_vec())
        }
    };
    let path = match kind.group.is_empty() {
        true => format!("/openapi/v3/api/{}", kind.version),
        false => format!("/openapi/v3/apis/{}/{}", kind.group, kind.version),
    };
    let document = call.get(&path)?;
    let schemas = json::at(&document, "components").get("schemas").cloned().unwrap_or_default();
    let is_kind = |schema: &Value| {
        json::list(schema, "x-kubernetes-group-version-kind").iter().any(|one| {
            json::text(one, "kind") == kind.kind
                && json::text(one, "group") == kind.group
                && json::text(one, "version") == kind.version
        })
    };
    let custom =
        format!("{}.{}.{}", kind.group.split('.').rev().collect::<Vec<_>>().join("."), kind.version, kind.kind);
    let found = schemas.as_object().into_iter().flatten().find(|(name, schema)| is_kind(schema) || **name == custom);
    let Some((_, root)) = found else {
        return Err(Failure::new(format!(
            "couldn't find resource for {}",
            quote(&format!("{}, Kind={}", kind.api_version(), kind.kind))
        )));
    };
    if !kind.group.is_empty() {
        call.say(format!("GROUP:      {}", kind.group));
    }
    call.say(format!("KIND:       {}\nVERSION:    {}\n", kind.kind, kind.version));
    let book = Book { schemas: &schemas };
    let mut schema = root.clone();
    let mut last: Option<(String, Value)> = None;
    for name in &fields {
        let inner = book.resolved(&schema);
        let inner = book.element(&inner);
        let Some(property) = json::at(&inner, "properties").get(name) else {
            return Err(Failure::new(format!("field {} does not exist", quote(name))));
        };
        last = Some(((*name).to_string(), property.clone()));
        schema = property.clone();
    }
    let text = book.page(&schema, last.as_ref(), call.flags.has("recursive"));
    call.out.push_str(&text);
    Ok(())
}

struct Book<'a> {
    schemas: &'a Value,
}

impl Book<'_> {
    /// What a reference leads to.
    fn resolved(&self, schema: &Value) -> Value {
        let reference = json::text(schema, "$ref");
        let reference = if reference.is_empty() {
            json::list(schema, "allOf").first().map_or("", |one| json::text(one, "$ref"))
        } else {
            reference
        };
        match reference.rsplit('/').next().filter(|name| !name.is_empty()) {
            Some(name) => self.schemas.get(name).cloned().unwrap_or_default(),
            None => schema.clone(),
        }
    }

    /// What a list or a map holds.
    fn element(&self, schema: &Value) -> Value {
        match json::text(schema, "type") {
            "array" => self.element(&self.resolved(json::at(schema, "items"))),
            "object" if json::at(schema, "additionalProperties").is_object() => {
                self.element(&self.resolved(json::at(schema, "additionalProperties")))
            }
            _ => schema.clone(),
        }
    }

    fn type_of(&self, schema: &Value) -> String {
        let reference = json::text(schema, "$ref");
        let reference = if reference.is_empty() {
            json::list(schema, "allOf").first().map_or("", |one| json::text(one, "$ref"))
        } else {
            reference
        };
        if !reference.is_empty() {
            return reference.rsplit('.').next().unwrap_or_default().into();
        }
        match json::text(schema, "type") {
            "array" => format!("[]{}", self.type_of(json::at(schema, "items"))),
            "object" => match json::at(schema, "additionalProperties") {
                inner @ Value::Object(_) => format!("map[string]{}", self.type_of(inner)),
                _ => "Object".into(),
            },
            "" if json::text(schema, "format") == "int-or-string" => "IntOrString".into(),
            "" if schema.get("oneOf").is_some() => "Quantity".into(),
            "" => "Object".into(),
            other => other.into(),
        }
    }

    fn page(&self, schema: &Value, field: Option<&(String, Value)>, recursive: bool) -> String {
        let mut out = String::new();
        let inner = self.resolved(schema);
        let whole = self.element(&inner);
        if let Some((name, property)) = field {
            out.push_str(&format!("FIELD: {name} <{}>\n\n\n", self.type_of(property)));
        }
        out.push_str("DESCRIPTION:\n");
        let mut told = Vec::new();
        for text in
            [field.map_or("", |(_, property)| json::text(property, "description")), json::text(&whole, "description")]
        {
            if !text.is_empty() && !told.contains(&text) {
                told.push(text);
            }
        }
        if told.is_empty() {
            told.push("<empty>");
        }
        told.iter().for_each(|text| out.push_str(&wrapped(text, 4)));
        out.push_str("    \n");
        let properties = json::at(&whole, "properties");
        if properties.as_object().is_some_and(|map| !map.is_empty()) {
            out.push_str("FIELDS:\n");
            self.fields(&whole, recursive, 0, &mut out);
            out.push('\n');
        }
        out
    }

    fn fields(&self, schema: &Value, recursive: bool, depth: usize, out: &mut String) {
        let required: Vec<&str> = json::list(schema, "required").iter().filter_map(Value::as_str).collect();
        let indent = "  ".repeat(depth + 1);
        for (name, property) in json::entries(schema, "properties") {
            let must = if required.contains(&name.as_str()) { " -required-" } else { "" };
            out.push_str(&format!("{indent}{name}\t<{}>{must}\n", self.type_of(property)));
            if recursive {
                if depth < 12 && out.len() < 1 << 20 {
                    let inner = self.element(&self.resolved(property));
                    self.fields(&inner, true, depth + 1, out);
                }
                continue;
            }
            let own = json::text(property, "description");
            let told = if own.is_empty() { "<no description>" } else { own };
            out.push_str(&wrapped(told, 4));
            out.push('\n');
        }
    }
}

/// Lines of at most 80 columns.
fn wrapped(text: &str, indent: usize) -> String {
    let gap = " ".repeat(indent);
    let mut out = String::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && indent + line.len() + 1 + word.len() > 80 {
                out.push_str(&format!("{gap}{line}\n"));
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        out.push_str(&format!("{gap}{line}\n"));
    }
    out
}
