//! The forms of `-o`.

mod columns;
mod jsonpath;
mod pretty;
mod table;
mod template;
mod template_parse;
mod yaml;

use serde_json::{Value, json as tree};

use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;
pub(crate) use columns::CustomColumns;
pub(crate) use jsonpath::JsonPath;
pub(crate) use table::{Table, TablePrinter};
pub(crate) use yaml::write as yaml;

impl Kubectl<'_, '_> {
    /// Tells what was done to an object, in the form that `-o` asks for.
    pub(crate) fn tell(&mut self, shown: &str, object: &Value, operation: &str) -> Result<(), Failure> {
        let dry = self.dry_run()?;
        match self.flags.value("output").filter(|form| !form.is_empty()) {
            None => {
                let suffix = match dry {
                    "client" => " (dry run)",
                    "server" => " (server dry run)",
                    _ => "",
                };
                self.say(format!("{shown} {operation}{suffix}"));
                Ok(())
            }
            Some("name") => {
                self.say(shown);
                Ok(())
            }
            Some(form) => {
                let form = form.to_string();
                let text = self.printed(&form, object)?;
                self.out.push_str(&text);
                Ok(())
            }
        }
    }

    /// An object in a form of `-o`.
    pub(crate) fn printed(&mut self, form: &str, object: &Value) -> Result<String, Failure> {
        let mut object = object.clone();
        if !self.flags.has("show-managed-fields") {
            json::remove(&mut object, "metadata.managedFields");
        }
        self::object(self, form, &object)
    }
}

/// An object, or a list, in a form of `-o`.
pub(crate) fn object(call: &mut Kubectl<'_, '_>, form: &str, object: &Value) -> Result<String, Failure> {
    let (name, rest) = form.split_once('=').map_or((form, None), |(name, rest)| (name, Some(rest)));
    let template = |call: &Kubectl<'_, '_>, rest: Option<&str>| {
        rest.map_or_else(|| call.flags.text("template").to_string(), Into::into)
    };
    match name {
        "yaml" => Ok(yaml(object)),
        "json" => Ok(pretty::write(object)),
        "name" => Ok(names(object)),
        "jsonpath"
        | "jsonpath-as-json"
        | "jsonpath-file"
        | "custom-columns"
        | "custom-columns-file"
        | "go-template"
        | "go-template-file"
        | "template"
        | "templatefile" => {
            let mut text = template(call, rest);
            if name.ends_with("file") {
                let path = crate::desk::plain(&text).to_string();
                let found = call.desk.memory.files.get(&path).cloned();
                let missing = || {
                    Failure::new(format!("error reading --template {text}, open {text}: no such file or directory\n"))
                };
                text = found.ok_or_else(missing)?.trim_end_matches('\n').to_string();
            }
            if text.is_empty() {
                return Err(Failure::new(match name.starts_with("custom-columns") {
                    true => "custom-columns format specified but no custom columns given",
                    false => "template format specified but no template given",
                }));
            }
            match name {
                "jsonpath" | "jsonpath-file" => jsonpath::print(&text, object, false),
                "jsonpath-as-json" => jsonpath::print(&text, object, true),
                "custom-columns" | "custom-columns-file" => {
                    CustomColumns::read(&text)?.print(object, !call.flags.has("no-headers"))
                }
                _ => template::print(&text, object),
            }
        }
        _ => Err(unknown_form(form)),
    }
}

/// What kubectl says of a form that it does not know.
pub(crate) fn unknown_form(form: &str) -> Failure {
    let forms = "custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,name,template,templatefile,wide,yaml";
    Failure::new(format!(
        "unable to match a printer suitable for the output format {}, allowed formats are: {forms}",
        crate::go::quote(form)
    ))
}

/// Several objects as one list.
pub(crate) fn list(items: Vec<Value>) -> Value {
    tree!({"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}})
}

fn names(object: &Value) -> String {
    let items = match json::text(object, "kind") {
        kind if kind.ends_with("List") && object.get("items").is_some() => json::list(object, "items"),
        _ => std::slice::from_ref(object),
    };
    items.iter().map(|item| format!("{}\n", name_of(item))).collect()
}

/// `deployment.apps/web` of an object.
pub(crate) fn name_of(object: &Value) -> String {
    let kind = json::text(object, "kind").to_lowercase();
    let group = json::text(object, "apiVersion").rsplit_once('/').map_or("", |(group, _)| group);
    let name = json::text(object, "metadata.name");
    if group.is_empty() { format!("{kind}/{name}") } else { format!("{kind}.{group}/{name}") }
}
