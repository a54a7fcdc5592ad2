//! Sorts the blocks of a file into the module they belong to, and says which of them do not belong anywhere.

use std::collections::BTreeMap;

use super::load::{TOOL_VERSION, meets};
use super::{
    Lifecycle, Module, ModuleCall, OutputBlock, Placed, Problems, ProviderBlock, Repeat, ResourceBlock, VariableBlock,
};
use crate::datum::Constraint;
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;
use crate::syntax::{Body, ConfigBlock, Expr, ExprKind, Reference};

/// One file being sorted.
pub(super) struct Declaring<'a> {
    pub(super) file: &'a str,
    pub(super) module: &'a mut Module,
    pub(super) problems: &'a mut Problems,
}

impl Declaring<'_> {
    pub(super) fn body(&mut self, body: Body) {
        for setting in &body.settings {
            let detail = format!("An argument named {:?} is not expected here.", setting.name);
            self.wrong("Unsupported argument", detail, setting.line);
        }
        for block in body.blocks {
            self.block(block);
        }
    }

    fn wrong(&mut self, summary: &str, detail: impl Into<String>, line: u32) {
        self.problems.validate.push(Diagnostic::new(summary, detail).in_file(self.file).at(line));
    }

    fn place(&self, line: u32) -> Placed<()> {
        Placed { item: (), file: self.file.to_owned(), line }
    }

    fn block(&mut self, block: ConfigBlock) {
        let labels = match block.kind.as_str() {
            "resource" | "data" => 2,
            "variable" | "output" | "module" | "provider" | "check" => 1,
            "terraform" | "locals" | "moved" | "import" | "removed" => 0,
            other => {
                return self.wrong(
                    "Unsupported block type",
                    format!("Blocks of type {other:?} are not expected here."),
                    block.line,
                );
            }
        };
        if block.labels.len() != labels {
            let summary =
                if block.labels.len() < labels { "Missing name for block" } else { "Extraneous label for block" };
            return self.wrong(summary, format!("All {} blocks must have {labels} labels.", block.kind), block.line);
        }
        if let Some(bad) = block.labels.iter().find(|l| !is_name(l)) {
            return self.wrong(
                "Invalid name",
                format!("{bad:?} is no valid name: letters, digits, underscores and dashes, no digit first."),
                block.line,
            );
        }
        match block.kind.as_str() {
            "resource" | "data" => self.resource(block),
            "variable" => self.variable(block),
            "output" => self.output(block),
            "module" => self.call(block),
            "provider" => self.provider(block),
            "terraform" => self.settings(&block),
            "locals" => self.locals(block),
            _ => {}
        }
    }

    fn duplicate(&mut self, what: &str, name: &str, line: u32) {
        let detail = format!("A {what} named {name:?} was already declared. Names must be unique per module.");
        self.wrong(&format!("Duplicate {what} declaration"), detail, line);
    }

    fn resource(&mut self, mut block: ConfigBlock) {
        let is_data = block.kind == "data";
        let (kind, name) = (block.labels[0].clone(), block.labels[1].clone());
        let key = if is_data { format!("data.{kind}.{name}") } else { format!("{kind}.{name}") };
        if self.module.resources.contains_key(&key) {
            return self.duplicate("resource", &key, block.line);
        }
        let repeat = self.repeat(&mut block.body, block.line);
        let depends_on = self.depends_on(&mut block.body);
        let provider = take(&mut block.body, "provider").and_then(|e| e.references().into_iter().next());
        let lifecycle = self.lifecycle(&mut block.body);
        block.body.blocks.retain(|b| !matches!(b.kind.as_str(), "provisioner" | "connection" | "timeouts"));
        let provider = provider.and_then(|r| r.path.into_iter().next());
        let place = self.place(block.line);
        self.module.resources.insert(
            key,
            ResourceBlock { is_data, kind, name, body: block.body, repeat, depends_on, provider, lifecycle, place },
        );
    }

    fn repeat(&mut self, body: &mut Body, line: u32) -> Repeat {
        match (take(body, "count"), take(body, "for_each")) {
            (Some(_), Some(_)) => {
                self.wrong("Invalid combination of \"count\" and \"for_each\"", "They are mutually exclusive.", line);
                Repeat::Once
            }
            (Some(count), None) => Repeat::Count(count),
            (None, Some(each)) => Repeat::Each(each),
            (None, None) => Repeat::Once,
        }
    }

    fn depends_on(&mut self, body: &mut Body) -> Vec<Reference> {
        let Some(expr) = take(body, "depends_on") else { return Vec::new() };
        let ExprKind::List(items) = &expr.kind else {
            self.wrong("Invalid depends_on", "A list of references is needed.", expr.line);
            return Vec::new();
        };
        let mut made = Vec::new();
        for item in items {
            // Written in quotes, as before version 0.12, it is still read as a reference.
            let quoted = item.as_text().and_then(|t| crate::syntax::parse_expression(t).ok());
            let found = quoted.as_ref().unwrap_or(item).references();
            if found.is_empty() {
                self.wrong("Invalid expression", "A single static variable reference is required.", item.line);
            }
            made.extend(found);
        }
        made
    }

    fn lifecycle(&mut self, body: &mut Body) -> Lifecycle {
        let mut made = Lifecycle::default();
        let blocks = std::mem::take(&mut body.blocks);
        let (own, rest) = blocks.into_iter().partition(|b: &ConfigBlock| b.kind == "lifecycle");
        body.blocks = rest;
        for block in own {
            for setting in block.body.settings {
                match setting.name.as_str() {
                    "create_before_destroy" => made.create_before_destroy = self.flag(&setting.value),
                    "prevent_destroy" => made.prevent_destroy = self.flag(&setting.value),
                    "ignore_changes" => match &setting.value.kind {
                        ExprKind::Name(name) if name == "all" => made.ignore_all = true,
                        ExprKind::List(items) => made.ignore.extend(items.iter().filter_map(first_name)),
                        _ => self.wrong(
                            "Invalid expression",
                            "ignore_changes takes a list of attributes or all.",
                            setting.line,
                        ),
                    },
                    "replace_triggered_by" => made.triggers = setting.value.references(),
                    other => self.wrong(
                        "Unsupported argument",
                        format!("An argument named {other:?} is not expected here."),
                        setting.line,
                    ),
                }
            }
            for inner in block.body.blocks {
                let condition = inner.body.setting("condition").cloned();
                match (inner.kind.as_str(), condition) {
                    ("precondition" | "postcondition", Some(test)) => {
                        made.conditions.push((test, inner.body.setting("error_message").cloned()));
                    }
                    (kind, _) => self.wrong(
                        "Unsupported block type",
                        format!("Blocks of type {kind:?} are not expected here."),
                        inner.line,
                    ),
                }
            }
        }
        made
    }

    fn flag(&mut self, expr: &Expr) -> bool {
        let value = match &expr.kind {
            ExprKind::Literal(value) => value.as_bool(),
            _ => None,
        };
        if value.is_none() {
            self.wrong("Unsuitable value type", "A plain true or false is needed here.", expr.line);
        }
        value.unwrap_or(false)
    }

    fn variable(&mut self, block: ConfigBlock) {
        let name = block.labels[0].clone();
        if self.module.variables.contains_key(&name) {
            return self.duplicate("variable", &name, block.line);
        }
        if matches!(
            name.as_str(),
            "source" | "version" | "providers" | "count" | "for_each" | "lifecycle" | "depends_on" | "locals"
        ) {
            return self.wrong("Invalid variable name", format!("The variable name {name:?} is reserved."), block.line);
        }
        let place = self.place(block.line);
        let mut made =
            VariableBlock { takes: Constraint::Any, default: None, nullable: true, validations: Vec::new(), place };
        for setting in block.body.settings {
            match setting.name.as_str() {
                "type" => match Constraint::read(&setting.value) {
                    Ok(takes) => made.takes = takes,
                    Err(error) => self.problems.validate.push(error.in_file(self.file)),
                },
                "default" => made.default = Some(setting.value),
                "nullable" => made.nullable = self.flag(&setting.value),
                "description" | "sensitive" | "ephemeral" => {}
                other => self.wrong(
                    "Unsupported argument",
                    format!("An argument named {other:?} is not expected here."),
                    setting.line,
                ),
            }
        }
        for inner in block.body.blocks {
            match (inner.kind.as_str(), inner.body.setting("condition")) {
                ("validation", Some(test)) => {
                    made.validations.push((test.clone(), inner.body.setting("error_message").cloned()))
                }
                ("validation", None) => {
                    self.wrong("Missing required argument", "The argument \"condition\" is required.", inner.line)
                }
                (other, _) => self.wrong(
                    "Unsupported block type",
                    format!("Blocks of type {other:?} are not expected here."),
                    inner.line,
                ),
            }
        }
        self.module.variables.insert(name, made);
    }

    fn output(&mut self, mut block: ConfigBlock) {
        let name = block.labels[0].clone();
        if self.module.outputs.contains_key(&name) {
            return self.duplicate("output", &name, block.line);
        }
        let depends_on = self.depends_on(&mut block.body);
        for setting in &block.body.settings {
            if !matches!(setting.name.as_str(), "value" | "description" | "sensitive" | "ephemeral") {
                self.wrong(
                    "Unsupported argument",
                    format!("An argument named {:?} is not expected here.", setting.name),
                    setting.line,
                );
            }
        }
        let Some(value) = take(&mut block.body, "value") else {
            return self.wrong(
                "Missing required argument",
                "The argument \"value\" is required, but no definition was found.",
                block.line,
            );
        };
        let place = self.place(block.line);
        self.module.outputs.insert(name, OutputBlock { value, depends_on, place });
    }

    fn call(&mut self, mut block: ConfigBlock) {
        let name = block.labels[0].clone();
        if self.module.calls.contains_key(&name) {
            return self.duplicate("module call", &name, block.line);
        }
        let repeat = self.repeat(&mut block.body, block.line);
        let depends_on = self.depends_on(&mut block.body);
        take(&mut block.body, "providers");
        let inputs: BTreeMap<String, Expr> = block.body.settings.into_iter().map(|s| (s.name, s.value)).collect();
        let place = self.place(block.line);
        self.module.calls.insert(name, ModuleCall { module: None, inputs, repeat, depends_on, place });
    }

    fn provider(&mut self, mut block: ConfigBlock) {
        let name = block.labels[0].clone();
        let alias = take(&mut block.body, "alias").and_then(|e| e.as_text().map(str::to_owned));
        if self.module.providers.iter().any(|p| p.item.name == name && p.item.alias == alias) {
            return self.duplicate("provider configuration", &name, block.line);
        }
        let item = ProviderBlock { name, alias, body: block.body };
        self.module.providers.push(Placed { item, file: self.file.to_owned(), line: block.line });
    }

    fn settings(&mut self, block: &ConfigBlock) {
        for setting in &block.body.settings {
            match (setting.name.as_str(), setting.value.as_text()) {
                ("required_version", Some(wanted)) if !meets(wanted, TOOL_VERSION) => {
                    let detail = format!(
                        "This configuration does not support Terraform version {TOOL_VERSION}: it wants {wanted}."
                    );
                    self.problems.init.push(
                        Diagnostic::new("Unsupported Terraform Core version", detail)
                            .in_file(self.file)
                            .at(setting.line),
                    );
                }
                ("required_version", Some(_)) | ("experiments", _) => {}
                (other, _) => self.wrong(
                    "Unsupported argument",
                    format!("An argument named {other:?} is not expected here."),
                    setting.line,
                ),
            }
        }
        for inner in &block.body.blocks {
            match inner.kind.as_str() {
                "required_providers" => self.required(&inner.body),
                "backend" if inner.labels.first().is_some_and(|l| l == "local") => {}
                "backend" | "cloud" => {
                    let detail = "Remote state cannot be reached here; leave the backend out.";
                    self.problems.init.push(
                        Diagnostic::new("Backend initialization failed", detail).in_file(self.file).at(inner.line),
                    );
                }
                "provider_meta" => {}
                other => self.wrong(
                    "Unsupported block type",
                    format!("Blocks of type {other:?} are not expected here."),
                    inner.line,
                ),
            }
        }
    }

    fn required(&mut self, body: &Body) {
        for setting in &body.settings {
            let (mut source, mut version) = (None, None);
            match &setting.value.kind {
                ExprKind::Literal(Datum::Text(text)) => version = Some(text.clone()),
                ExprKind::Object(items) => {
                    for (key, value) in items {
                        match (key.as_text(), value.as_text()) {
                            (Some("source"), Some(text)) => source = Some(text.to_owned()),
                            (Some("version"), Some(text)) => version = Some(text.to_owned()),
                            (Some("configuration_aliases"), _) => {}
                            _ => self.wrong(
                                "Invalid required_providers object",
                                "source and version are expected.",
                                setting.line,
                            ),
                        }
                    }
                }
                _ => self.wrong(
                    "Invalid required_providers object",
                    "An object with source and version is expected.",
                    setting.line,
                ),
            }
            self.module.required.push((setting.name.clone(), source, version));
        }
    }

    fn locals(&mut self, block: ConfigBlock) {
        for setting in block.body.settings {
            if self.module.locals.contains_key(&setting.name) {
                self.duplicate("local value", &setting.name, setting.line);
                continue;
            }
            let placed = Placed { item: setting.value, file: self.file.to_owned(), line: setting.line };
            self.module.locals.insert(setting.name, placed);
        }
    }
}

fn take(body: &mut Body, name: &str) -> Option<Expr> {
    let at = body.settings.iter().position(|s| s.name == name)?;
    Some(body.settings.remove(at).value)
}

fn first_name(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.clone()),
        ExprKind::Literal(Datum::Text(text)) => Some(text.split(['.', '[']).next().unwrap_or_default().to_owned()),
        _ => expr.references().into_iter().next().map(|r| r.root),
    }
}

fn is_name(text: &str) -> bool {
    let first = text.chars().next();
    first.is_some_and(|c| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}
