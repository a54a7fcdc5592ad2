//! All programs, images and applications that are known: those of the repository, and a user's own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::spec::{ApplicationSpec, ContainerProgram, ImageSpec, ProgramFile, ProgramKind};

const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/applications.rs"));

/// What there is to run. A plain value; fleets share one.
#[derive(Clone, Debug, Default)]
pub struct AppCatalogue {
    programs: BTreeMap<String, Arc<ContainerProgram>>,
    images: Vec<Arc<ImageSpec>>,
    apps: BTreeMap<String, Application>,
    /// Images that manifests of applications name and no file describes: they exist, and nothing more is known.
    named: BTreeSet<String>,
}

/// An application: its description and its manifests in order.
#[derive(Clone, Debug)]
pub(crate) struct Application {
    pub(crate) spec: Arc<ApplicationSpec>,
    pub(crate) manifests: Vec<(String, Arc<str>)>,
}

/// What is wrong with a file.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{file}: {why}")]
pub struct CatalogueError {
    /// The file.
    pub file: String,
    /// What is wrong with it.
    pub why: String,
}

/// What an image reference leads to.
#[derive(Clone, Debug)]
pub(crate) enum ImageMatch {
    /// A known image and its tag.
    Known(Arc<ImageSpec>, String),
    /// It exists and nothing is known of it.
    Named,
    /// The repository is known and has no such tag.
    NoSuchTag,
    /// No registry has it.
    Nowhere,
}

impl AppCatalogue {
    /// The programs and applications of the repository.
    pub fn shipped() -> Arc<Self> {
        static SHIPPED: OnceLock<Arc<AppCatalogue>> = OnceLock::new();
        SHIPPED
            .get_or_init(|| {
                let mut catalogue = Self::default();
                catalogue.add(FILES.iter().copied()).expect("shipped files are well-formed: a test reads them");
                Arc::new(catalogue)
            })
            .clone()
    }

    /// Reads files of programs (`programs/NAME.toml`) and of applications (`NAME/app.toml`, `NAME/*.yaml`).
    pub fn add<'a>(&mut self, files: impl Iterator<Item = (&'a str, &'a str)>) -> Result<(), CatalogueError> {
        let mut manifests: BTreeMap<&str, Vec<(String, Arc<str>)>> = BTreeMap::new();
        for (name, text) in files {
            let wrong = |why: String| CatalogueError { file: name.into(), why };
            let Some((folder, file)) = name.split_once('/') else { continue };
            match file {
                _ if folder == "programs" || file.starts_with("programs/") => self.add_programs(text).map_err(wrong)?,
                "app.toml" => {
                    let spec: ApplicationSpec = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
                    let app = Application { spec: Arc::new(spec), manifests: Vec::new() };
                    self.apps.insert(folder.into(), app);
                }
                _ if file.ends_with(".yaml") => {
                    self.learn_images(text).map_err(wrong)?;
                    manifests.entry(folder).or_default().push((file.into(), text.into()));
                }
                _ => {}
            }
        }
        for (folder, mut files) in manifests {
            files.sort();
            let plain =
                || ApplicationSpec { name: folder.into(), namespace: folder.into(), ..ApplicationSpec::default() };
            let app = self.apps.entry(folder.into());
            app.or_insert_with(|| Application { spec: Arc::new(plain()), manifests: Vec::new() }).manifests = files;
        }
        Ok(())
    }

    fn add_programs(&mut self, text: &str) -> Result<(), String> {
        let file: ProgramFile = toml::from_str(text).map_err(|error| error.to_string())?;
        self.images.extend(file.image.into_iter().map(Arc::new));
        for (name, program) in file.program {
            if self.programs.insert(name.clone(), Arc::new(program)).is_some() {
                return Err(format!("program {name:?} is described twice"));
            }
        }
        Ok(())
    }

    fn learn_images(&mut self, text: &str) -> Result<(), String> {
        let mut images = BTreeSet::new();
        for document in cluster::yaml::documents(text).map_err(|error| error.to_string())? {
            collect_images(&document, &mut images);
        }
        self.named.extend(images.iter().map(|image| split_image(image).0));
        Ok(())
    }

    /// The names of all applications.
    pub fn applications(&self) -> impl Iterator<Item = &str> {
        self.apps.keys().map(|name| &**name)
    }

    /// What is known of an application beside its manifests.
    pub fn application(&self, name: &str) -> Option<&ApplicationSpec> {
        self.apps.get(name).map(|app| &*app.spec)
    }

    /// The manifests of an application: file names and texts, in order.
    pub fn manifests(&self, name: &str) -> impl Iterator<Item = (&str, &str)> {
        let files = self.apps.get(name).map_or(&[][..], |app| &app.manifests);
        files.iter().map(|(file, text)| (&**file, &**text))
    }

    /// What could be said about an application and is not: images without a program, operations without a name.
    pub fn remarks(&self, name: &str) -> Vec<String> {
        let mut remarks = Vec::new();
        let Some(app) = self.apps.get(name) else { return remarks };
        let mut named = BTreeSet::new();
        for (_, text) in &app.manifests {
            for document in cluster::yaml::documents(text).unwrap_or_default() {
                collect_images(&document, &mut named);
            }
        }
        for image in named {
            if matches!(self.image(&image), ImageMatch::Named | ImageMatch::NoSuchTag) {
                remarks.push(format!("no program describes image {image:?}: it runs as one that only listens"));
            }
        }
        if app.spec.routes.is_empty() {
            remarks.push("app.toml names no route: no user asks for anything".into());
        }
        for (program, spec) in &self.programs {
            let known = |target: &str| spec.targets.contains_key(target);
            for operation in &spec.operations {
                for call in operation.calls.iter().flat_map(|step| step.calls()).filter(|call| !known(&call.target)) {
                    remarks.push(format!(
                        "program {program:?} calls target {:?}, which it does not describe",
                        call.target
                    ));
                }
            }
        }
        remarks
    }

    /// A program by name.
    pub fn program(&self, name: &str) -> Option<&Arc<ContainerProgram>> {
        self.programs.get(name)
    }

    /// All programs by name.
    pub fn programs(&self) -> impl Iterator<Item = (&str, &ContainerProgram)> {
        self.programs.iter().map(|(name, program)| (&**name, &**program))
    }

    #[cfg(test)]
    fn all_images(&self) -> impl Iterator<Item = &ImageSpec> {
        self.images.iter().map(|image| &**image)
    }

    /// The application whose pods are in a namespace.
    pub(crate) fn app_in(&self, namespace: &str) -> Option<&Arc<ApplicationSpec>> {
        self.apps.values().map(|app| &app.spec).find(|spec| spec.namespace == namespace && !spec.routes.is_empty())
    }

    /// What an image reference leads to.
    pub(crate) fn image(&self, reference: &str) -> ImageMatch {
        let (name, tag) = split_image(reference);
        let mut same = self.images.iter().filter(|image| image.names.iter().any(|own| split_image(own).0 == name));
        let has_tag = |image: &Arc<ImageSpec>| match image.tags.is_empty() {
            true => tag == "latest",
            false => image.tags.iter().any(|own| *own == tag || own == "*"),
        };
        let known = same.clone().next().is_some();
        match same.find(|image| has_tag(image)) {
            Some(image) => ImageMatch::Known(image.clone(), tag),
            None if known => ImageMatch::NoSuchTag,
            None if self.named.contains(&name) => ImageMatch::Named,
            None => ImageMatch::Nowhere,
        }
    }
}

/// The images that a document names.
fn collect_images(value: &Value, named: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            named.extend(map.get("image").and_then(Value::as_str).map(ToString::to_string));
            map.values().for_each(|value| collect_images(value, named));
        }
        Value::Array(list) => list.iter().for_each(|value| collect_images(value, named)),
        _ => {}
    }
}

/// What runs in a container of which nothing is known.
pub(crate) fn generic_program() -> Arc<ContainerProgram> {
    let generic = || {
        let program: ContainerProgram = toml::from_str("").expect("everything has a default");
        Arc::new(ContainerProgram { kind: ProgramKind::Generic, answers_any_path: true, ..program })
    };
    static GENERIC: OnceLock<Arc<ContainerProgram>> = OnceLock::new();
    GENERIC.get_or_init(generic).clone()
}

/// Repository and tag, without the names that may be left out.
pub(crate) fn split_image(reference: &str) -> (String, String) {
    let path = reference.split('@').next().unwrap_or_default();
    let (name, tag) = match path.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name, tag),
        _ => (path, "latest"),
    };
    let name = name.strip_prefix("docker.io/").unwrap_or(name);
    (name.strip_prefix("library/").unwrap_or(name).into(), tag.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{dated, is_dated};

    #[test]
    fn the_shipped_files_are_well_formed() {
        let mut catalogue = AppCatalogue::default();
        assert_eq!(catalogue.add(FILES.iter().copied()), Ok(()));
        for image in catalogue.all_images() {
            for program in image.binaries.values().chain([&image.program]) {
                assert!(catalogue.program(program).is_some(), "image {:?} names program {program:?}", image.names);
            }
        }
        let at = cluster::Stamp::from_secs(1_794_700_800);
        for (name, program) in catalogue.programs() {
            for line in program.says_at_start.iter().chain(&program.says_when_ready) {
                assert!(!is_dated(&dated(line, at)), "program {name:?} asks for a time that there is not: {line}");
            }
        }
    }

    #[test]
    fn references_have_short_forms() {
        let check = |text: &str, name: &str, tag: &str| assert_eq!(split_image(text), (name.into(), tag.into()));
        check("docker.io/library/mongo:4.4.6", "mongo", "4.4.6");
        check("mongo", "mongo", "latest");
        check("localhost:5000/a/b", "localhost:5000/a/b", "latest");
        check("a/b@sha256:12", "a/b", "latest");
    }
}
