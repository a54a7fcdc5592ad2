//! Which objects a command is about: types, names, selectors, files.

use std::sync::Arc;

use serde_json::Value;

use crate::discovery::Kind;
use crate::failure::Failure;
use crate::go::quote;
use crate::json;
use crate::kubectl::Kubectl;

/// What is said where no object is named.
pub(crate) const NOTHING_NAMED: &str = "You must provide one or more resources by argument or filename.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'";

/// Objects of one type: one by its name, or all that selectors leave.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) kind: Arc<Kind>,
    /// Empty for all namespaces and for what is in none.
    pub(crate) namespace: String,
    pub(crate) name: Option<String>,
}

/// One object that a command is about.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) kind: Arc<Kind>,
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// As the server has it.
    pub(crate) object: Value,
}

impl Found {
    /// `deployment.apps/web`.
    pub(crate) fn shown(&self) -> String {
        format!("{}/{}", self.kind.shown(), self.name)
    }

    pub(crate) fn path(&self) -> String {
        self.kind.object_path(&self.namespace, &self.name)
    }
}

impl Kubectl<'_, '_> {
    /// The namespace of a command.
    pub(crate) fn namespace(&self) -> String {
        match self.flags.value("namespace").filter(|name| !name.is_empty()) {
            Some(name) => name.into(),
            None => self.desk.memory.namespace.clone(),
        }
    }

    fn place(&self, kind: &Kind) -> String {
        match kind.is_namespaced && !self.flags.has("all-namespaces") {
            true => self.namespace(),
            false => String::new(),
        }
    }

    /// Whether the command selects rather than names.
    pub(crate) fn selects(&self) -> bool {
        !self.flags.text("selector").is_empty()
            || !self.flags.text("field-selector").is_empty()
            || self.flags.has("all")
    }

    /// What words name: `pods`, `pod a b`, `pod/a svc/b`, `deploy,svc`, `all`.
    pub(crate) fn targets(&mut self, words: &[String]) -> Result<Vec<Target>, Failure> {
        let words: Vec<&str> = words.iter().map(|word| word.trim()).filter(|word| !word.is_empty()).collect();
        let with_slash = words.iter().filter(|word| word.contains('/')).count();
        if with_slash > 0 {
            if with_slash < words.len() {
                return Err(Failure::new(
                    "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'",
                ));
            }
            return self.slashed(&words);
        }
        let Some((types, names)) = words.split_first() else { return Ok(Vec::new()) };
        let mut targets = Vec::new();
        let types: Vec<&str> = types.split(',').filter(|word| !word.is_empty()).collect();
        if names.iter().any(|name| name.contains(',')) && names.len() == 1 {
            return Err(Failure::new("arguments in resource/name form must have a single resource and name"));
        }
        if !names.is_empty() {
            if self.selects() && !self.flags.has("all") {
                return Err(Failure::new("name cannot be provided when a selector is specified"));
            }
            if self.flags.has("all") {
                return Err(Failure::new("name cannot be provided when a selector is specified"));
            }
            if self.flags.has("all-namespaces") {
                return Err(Failure::new("a resource cannot be retrieved by name across all namespaces"));
            }
            if types.len() > 1 {
                return Err(Failure::new("you may only specify a single resource type"));
            }
        }
        for word in &types {
            for kind in self.kinds(word)? {
                let namespace = self.place(&kind);
                match names.is_empty() {
                    true => targets.push(Target { kind, namespace, name: None }),
                    false => targets.extend(names.iter().map(|name| Target {
                        kind: kind.clone(),
                        namespace: namespace.clone(),
                        name: Some((*name).into()),
                    })),
                }
            }
        }
        Ok(targets)
    }

    fn slashed(&mut self, words: &[&str]) -> Result<Vec<Target>, Failure> {
        let mut targets = Vec::new();
        if self.selects() && !self.flags.has("all") {
            return Err(Failure::new("name cannot be provided when a selector is specified"));
        }
        if self.flags.has("all-namespaces") {
            return Err(Failure::new("a resource cannot be retrieved by name across all namespaces"));
        }
        for word in words {
            let parts: Vec<&str> = word.split('/').collect();
            let [kind, name] = *parts else {
                return Err(Failure::new("arguments in resource/name form may not have more than one slash"));
            };
            if kind.is_empty() || name.is_empty() {
                let shown = "arguments in resource/name form must have a single resource and name";
                return Err(Failure::new(shown));
            }
            if kind.contains(',') {
                return Err(Failure::new("arguments in resource/name form must have a single resource and name"));
            }
            let kind = self.kind(kind)?;
            let namespace = self.place(&kind);
            targets.push(Target { kind, namespace, name: Some(name.into()) });
        }
        Ok(targets)
    }

    /// The types that a word means: one, or those of a category.
    fn kinds(&mut self, word: &str) -> Result<Vec<Arc<Kind>>, Failure> {
        let of_category = self.discovery()?.category(&word.to_lowercase());
        if !of_category.is_empty() {
            return Ok(of_category);
        }
        Ok(vec![self.kind(word)?])
    }

    /// The objects of targets, read from the server. Names that are not there are told after the others were read.
    pub(crate) fn found(&mut self, targets: &[Target]) -> (Vec<Found>, Vec<Failure>) {
        let (mut found, mut failures) = (Vec::new(), Vec::new());
        let (labels, fields) = (self.flags.text("selector").to_string(), self.flags.text("field-selector").to_string());
        for target in targets {
            match &target.name {
                Some(name) => match self.object(&target.kind, &target.namespace, name) {
                    Ok(object) => found.push(Found {
                        kind: target.kind.clone(),
                        namespace: target.namespace.clone(),
                        name: name.clone(),
                        object,
                    }),
                    Err(failure) => failures.push(failure),
                },
                None => match self.list(&target.kind, &target.namespace, &labels, &fields) {
                    Ok(items) => found.extend(items.into_iter().map(|object| Found {
                        kind: target.kind.clone(),
                        namespace: json::text(&object, "metadata.namespace").into(),
                        name: json::text(&object, "metadata.name").into(),
                        object,
                    })),
                    Err(failure) => failures.push(failure),
                },
            }
        }
        (found, failures)
    }

    /// The objects that words or files name; fails on the first that is not there.
    pub(crate) fn wanted(&mut self, words: &[String]) -> Result<Vec<Found>, Failure> {
        let mut targets = self.file_targets()?;
        if !words.is_empty() {
            if !targets.is_empty() {
                return Err(Failure::new(
                    "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
                ));
            }
            targets = self.targets(words)?;
        }
        if targets.is_empty() {
            return Err(Failure::new(NOTHING_NAMED));
        }
        let by_name = targets.iter().all(|target| target.name.is_some());
        if !by_name && !self.selects() && !self.flags.has("all-namespaces") && !self.lists_freely {
            return Err(Failure::new("resource(s) were provided, but no name was specified"));
        }
        let (found, failures) = self.found(&targets);
        Failure::all(failures)?;
        Ok(found)
    }

    /// The objects that `-f` names.
    pub(crate) fn file_targets(&mut self) -> Result<Vec<Target>, Failure> {
        if self.flags.value("filename").is_none() {
            return Ok(Vec::new());
        }
        let mut targets = Vec::new();
        for written in self.manifests()? {
            let (kind, namespace) = self.mapping(&written.object, &written.source)?;
            let name = json::text(&written.object, "metadata.name").to_string();
            targets.push(Target { kind, namespace, name: Some(name) });
        }
        Ok(targets)
    }

    /// The type of a manifest and the namespace that it goes to.
    pub(crate) fn mapping(&mut self, object: &Value, source: &str) -> Result<(Arc<Kind>, String), Failure> {
        let (version, name) = (json::text(object, "apiVersion").to_string(), json::text(object, "kind").to_string());
        let mut kind = self.discovery()?.of_kind(&version, &name);
        if kind.is_none() {
            self.desk.memory.discovery = None;
            kind = self.discovery()?.of_kind(&version, &name);
        }
        let Some(kind) = kind else {
            let shown = if source == "STDIN" { "STDIN".into() } else { quote(source) };
            let object_name = json::text(object, "metadata.name");
            let namespace = json::text(object, "metadata.namespace");
            return Err(Failure::new(format!(
                "resource mapping not found for name: {} namespace: {} from {}: no matches for kind {} in version {}\nensure CRDs are installed first",
                quote(object_name),
                quote(namespace),
                if shown == "STDIN" { quote("STDIN") } else { shown },
                quote(&name),
                quote(&version)
            )));
        };
        if !kind.is_namespaced {
            return Ok((kind, String::new()));
        }
        let own = json::text(object, "metadata.namespace");
        let wanted = self.flags.value("namespace").filter(|name| !name.is_empty());
        match (own, wanted) {
            ("", _) => Ok((kind, self.namespace())),
            (own, Some(wanted)) if own != wanted => Err(Failure::new(format!(
                "the namespace from the provided object {} does not match the namespace {}. You must pass '--namespace={own}' to perform this operation.",
                quote(own),
                quote(wanted)
            ))),
            (own, _) => Ok((kind, own.into())),
        }
    }
}
