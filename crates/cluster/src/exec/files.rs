//! The files of a container: its image's, those that its volumes bring, and what was written since it started.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::proc;
use crate::program::{ContainerRun, Programs};
use crate::store::Stored;
use crate::{Cluster, base64, json};

/// What was written in one place, by path; nothing where a file was removed.
pub type WrittenFiles = BTreeMap<String, Option<FileEntry>>;

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileEntry {
    /// A folder.
    Folder,
    /// A file with its bytes and its mode.
    File(Arc<[u8]>, u32),
    /// A link to another path.
    Link(String),
}

/// Why a file cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileTrouble {
    Missing,
    Folder,
    ReadOnly,
    Full,
}

impl FileTrouble {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Missing => "No such file or directory",
            Self::Folder => "Is a directory",
            Self::ReadOnly => "Read-only file system",
            Self::Full => "No space left on device",
        }
    }
}

/// A mounted volume.
#[derive(Clone, Debug)]
pub(crate) struct Mounted {
    pub(crate) path: String,
    /// Where what is written there is kept.
    place: String,
    pub(crate) read_only: bool,
    /// `overlay`, `tmpfs`, `/dev/sda1`.
    pub(crate) device: &'static str,
    most: usize,
}

/// All files that a command sees.
#[derive(Clone, Debug)]
pub(crate) struct ContainerFiles {
    tree: BTreeMap<String, FileEntry>,
    pub(crate) mounts: Vec<Mounted>,
    changed: BTreeSet<String>,
}

/// What may be written in one place.
const ROOM: usize = 64 << 20;
/// And where a volume says that it may hold more.
const MOST_ROOM: usize = 256 << 20;

impl ContainerFiles {
    pub(crate) fn of(cluster: &Cluster, programs: &mut dyn Programs, run: &ContainerRun, pod: &Stored) -> Self {
        let own = format!("{}/{}/{}", run.pod_uid, run.name, run.attempt);
        let root = Mounted { path: "/".into(), place: own.clone(), read_only: false, device: "overlay", most: ROOM };
        let memory = Mounted {
            path: "/dev/shm".into(),
            place: format!("{own}/shm"),
            read_only: false,
            device: "shm",
            most: ROOM,
        };
        let mut files = Self { tree: BTreeMap::new(), mounts: vec![root, memory], changed: BTreeSet::new() };
        for (path, text) in proc::image_files(cluster, run, pod) {
            files.put(&path, text.as_bytes(), 0o644);
        }
        for folder in [
            "/bin", "/dev/shm", "/home", "/mnt", "/opt", "/root", "/sbin", "/srv", "/tmp", "/usr/bin", "/var/log",
            "/var/tmp",
        ] {
            files.add_folder(folder);
        }
        for (path, bytes) in programs.files(run) {
            files.put(&path, &bytes, 0o644);
        }
        let containers = ["spec.containers", "spec.initContainers", "spec.ephemeralContainers"];
        let container =
            containers.iter().flat_map(|path| json::list(pod, path)).find(|c| json::text(c, "name") == run.name);
        if let Some(container) = container {
            if json::flag(container, "securityContext.readOnlyRootFilesystem") {
                files.mounts[0].read_only = true;
            }
            for mount in json::list(container, "volumeMounts") {
                files.mount(cluster, run, pod, mount);
            }
        }
        files.add_written(cluster);
        files
    }

    /// What commands have written since.
    fn add_written(&mut self, cluster: &Cluster) {
        for mount in &self.mounts {
            let Some(written) = cluster.written_files.get(&mount.place) else { continue };
            for (path, entry) in written {
                let path = normal(&format!("{}/{path}", mount.path));
                match entry {
                    Some(entry) => drop(self.tree.insert(path, entry.clone())),
                    None => drop(self.tree.remove(&path)),
                }
            }
        }
    }

    fn mount(&mut self, cluster: &Cluster, run: &ContainerRun, pod: &Value, mount: &Value) {
        let path = normal(json::text(mount, "mountPath"));
        let name = json::text(mount, "name");
        let Some(volume) = json::list(pod, "spec.volumes").iter().find(|v| json::text(v, "name") == name) else {
            return;
        };
        let sub = json::text(mount, "subPath");
        let shown = shown_files(cluster, run, pod, volume);
        let kept = match volume {
            volume if volume.get("persistentVolumeClaim").is_some() => {
                let claim = json::text(volume, "persistentVolumeClaim.claimName");
                Some(format!("claim/{}/{claim}", run.namespace))
            }
            volume if volume.get("hostPath").is_some() => {
                Some(format!("node/{}{}", run.node, json::text(volume, "hostPath.path")))
            }
            volume if volume.get("emptyDir").is_some() => Some(format!("{}/volume/{name}", run.pod_uid)),
            _ => None,
        };
        let is_memory = json::text(volume, "emptyDir.medium") == "Memory" || kept.is_none();
        let limit = crate::quantity::Quantity::parse(json::text(volume, "emptyDir.sizeLimit"));
        let most = limit.map_or(ROOM, |limit| usize::try_from(limit.whole()).unwrap_or(ROOM)).min(MOST_ROOM);
        if sub.is_empty() || kept.is_some() {
            self.add_folder(&path);
            for (file, bytes) in &shown {
                self.put(&format!("{path}/{file}"), bytes, 0o644);
            }
        } else if let Some((_, bytes)) = shown.iter().find(|(file, _)| file == sub) {
            self.put(&path, bytes, 0o644);
        }
        let read_only = json::flag(mount, "readOnly") || kept.is_none();
        let place = match (kept, sub) {
            (Some(place), "") => place,
            (Some(place), sub) => format!("{place}/{sub}"),
            (None, _) => format!("{}/shown/{name}", run.pod_uid),
        };
        let device = if is_memory { "tmpfs" } else { "/dev/sda1" };
        // What is mounted over another hides it.
        self.mounts.retain(|earlier| earlier.path != path);
        self.mounts.push(Mounted { path, place, read_only, device, most });
    }

    fn put(&mut self, path: &str, bytes: &[u8], mode: u32) {
        let path = normal(path);
        if let Some((folder, _)) = path.rsplit_once('/') {
            self.add_folder(folder);
        }
        self.tree.insert(path, FileEntry::File(bytes.into(), mode));
    }

    fn add_folder(&mut self, path: &str) {
        let mut whole = String::new();
        for part in path.split('/').filter(|part| !part.is_empty()) {
            whole.push('/');
            whole.push_str(part);
            self.tree.entry(whole.clone()).or_insert(FileEntry::Folder);
        }
    }

    /// All paths, in order.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.tree.keys().map(|path| &**path)
    }

    pub(crate) fn entry(&self, path: &str) -> Option<&FileEntry> {
        match self.tree.get(path) {
            Some(FileEntry::Link(target)) => self.tree.get(target),
            found => found,
        }
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        path == "/" || is_device(path) || self.entry(path).is_some()
    }

    pub(crate) fn is_folder(&self, path: &str) -> bool {
        path == "/" || matches!(self.entry(path), Some(FileEntry::Folder))
    }

    /// The names in a folder, with what they are.
    pub(crate) fn list<'a>(&'a self, path: &str) -> Vec<(&'a str, &'a FileEntry)> {
        let start = if path == "/" { "/".to_string() } else { format!("{path}/") };
        let below = self.tree.range(start.clone()..).take_while(|(path, _)| path.starts_with(&start));
        below
            .map(|(path, entry)| (&path[start.len()..], entry))
            .filter(|(name, _)| !name.contains('/') && !name.is_empty())
            .collect()
    }

    pub(crate) fn read(&self, path: &str) -> Result<Vec<u8>, FileTrouble> {
        match self.entry(path) {
            _ if matches!(path, "/dev/null" | "/dev/stdin") => Ok(Vec::new()),
            _ if path == "/dev/zero" || path == "/dev/urandom" => Ok(vec![0; 4096]),
            Some(FileEntry::File(bytes, _)) => Ok(bytes.to_vec()),
            Some(_) => Err(FileTrouble::Folder),
            None if path == "/" => Err(FileTrouble::Folder),
            None => Err(FileTrouble::Missing),
        }
    }

    pub(crate) fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), FileTrouble> {
        if is_device(path) {
            return Ok(());
        }
        if self.is_folder(path) {
            return Err(FileTrouble::Folder);
        }
        let folder = path.rsplit_once('/').map_or("/", |(folder, _)| if folder.is_empty() { "/" } else { folder });
        if !self.is_folder(folder) {
            return Err(FileTrouble::Missing);
        }
        let mount = self.mount_of(path);
        if mount.read_only || path.starts_with("/proc/") || path.starts_with("/sys/") {
            return Err(FileTrouble::ReadOnly);
        }
        let (place, most) = (mount.place.clone(), mount.most);
        let others = self.changed.iter().filter(|other| *other != path && self.mount_of(other).place == place);
        let used: usize = others.map(|other| self.size(other)).sum();
        if used + bytes.len() > most {
            return Err(FileTrouble::Full);
        }
        let mode = match self.entry(path) {
            Some(FileEntry::File(_, mode)) => *mode,
            _ => 0o644,
        };
        self.tree.insert(path.into(), FileEntry::File(bytes.into(), mode));
        self.changed.insert(path.into());
        Ok(())
    }

    pub(crate) fn append(&mut self, path: &str, bytes: &[u8]) -> Result<(), FileTrouble> {
        let mut whole = match self.read(path) {
            Ok(whole) => whole,
            Err(FileTrouble::Missing) => Vec::new(),
            Err(why) => return Err(why),
        };
        whole.extend_from_slice(bytes);
        self.write(path, &whole)
    }

    pub(crate) fn make_folder(&mut self, path: &str) -> Result<(), FileTrouble> {
        if self.mount_of(path).read_only {
            return Err(FileTrouble::ReadOnly);
        }
        self.tree.insert(path.into(), FileEntry::Folder);
        self.changed.insert(path.into());
        Ok(())
    }

    pub(crate) fn set_mode(&mut self, path: &str, new: u32) {
        if let Some(FileEntry::File(_, mode)) = self.tree.get_mut(path) {
            *mode = new;
            self.changed.insert(path.into());
        }
    }

    /// Removes a file, or a folder with all in it.
    pub(crate) fn remove(&mut self, path: &str) -> Result<(), FileTrouble> {
        if self.mount_of(path).read_only || path.starts_with("/proc") {
            return Err(FileTrouble::ReadOnly);
        }
        let below = format!("{path}/");
        let gone: Vec<_> = self.tree.keys().filter(|own| *own == path || own.starts_with(&below)).cloned().collect();
        for path in gone {
            self.tree.remove(&path);
            self.changed.insert(path);
        }
        Ok(())
    }

    pub(crate) fn size(&self, path: &str) -> usize {
        match self.entry(path) {
            Some(FileEntry::File(bytes, _)) => bytes.len(),
            _ => 0,
        }
    }

    pub(crate) fn mount_of(&self, path: &str) -> &Mounted {
        let holds =
            |mount: &&Mounted| mount.path == "/" || path == mount.path || path.starts_with(&format!("{}/", mount.path));
        self.mounts.iter().filter(holds).max_by_key(|mount| mount.path.len()).expect("the root holds every path")
    }
}

fn is_device(path: &str) -> bool {
    matches!(
        path,
        "/dev/null" | "/dev/zero" | "/dev/urandom" | "/dev/stdout" | "/dev/stderr" | "/dev/stdin" | "/dev/tty"
    )
}

impl Cluster {
    /// Keeps what a command has written.
    pub(super) fn keep_files(&mut self, run: &ContainerRun, files: ContainerFiles) {
        let is_there = self
            .store
            .get("pods", &run.namespace, &run.pod)
            .is_some_and(|pod| json::text(pod, "metadata.uid") == run.pod_uid);
        if !is_there {
            return;
        }
        for path in &files.changed {
            let mount = files.mount_of(path);
            let inside = path[mount.path.len().min(path.len())..].trim_start_matches('/').to_string();
            let entry = files.tree.get(path).cloned();
            self.written_files.entry(mount.place.clone()).or_default().insert(inside, entry);
        }
    }

    /// The files that volumes bring into a container, by path: of config maps, secrets, claims.
    pub fn mounted_files(&self, run: &ContainerRun) -> Vec<(String, Vec<u8>)> {
        let Some(pod) = self.store.get("pods", &run.namespace, &run.pod) else { return Vec::new() };
        let lists = ["spec.containers", "spec.initContainers", "spec.ephemeralContainers"];
        let own = lists.iter().flat_map(|list| json::list(pod, list)).find(|c| json::text(c, "name") == run.name);
        let mut files = ContainerFiles { tree: BTreeMap::new(), mounts: Vec::new(), changed: BTreeSet::new() };
        for mount in own.map_or(&[][..], |own| json::list(own, "volumeMounts")) {
            files.mount(self, run, pod, mount);
        }
        files.add_written(self);
        let bytes = |(path, entry)| match entry {
            FileEntry::File(bytes, _) => Some((path, bytes.to_vec())),
            _ => None,
        };
        files.tree.into_iter().filter_map(bytes).collect()
    }

    /// Forgets what was written in a pod that is gone; what its claims hold stays.
    pub(crate) fn forget_files(&mut self, uid: &str) {
        if self.written_files.is_empty() {
            return;
        }
        let start = format!("{uid}/");
        self.written_files.retain(|place, _| !place.starts_with(&start));
    }
}

/// The files that a volume shows: of config maps, secrets, the pod itself.
fn shown_files(cluster: &Cluster, run: &ContainerRun, pod: &Value, volume: &Value) -> Vec<(String, Vec<u8>)> {
    let map = |name: &str, items: &Value| match cluster.store.get("configmaps", &run.namespace, name) {
        Some(map) => chosen(texts(json::at(map, "data")), items),
        None => Vec::new(),
    };
    let secret = |name: &str, items: &Value| match cluster.store.get("secrets", &run.namespace, name) {
        Some(secret) => chosen(decoded(json::at(secret, "data")), items),
        None => Vec::new(),
    };
    let fields = |source: &Value| {
        json::list(source, "items")
            .iter()
            .map(|item| {
                let value = crate::kubelet::pod_field(pod, json::text(item, "fieldRef.fieldPath"));
                (json::text(item, "path").to_string(), value.into_bytes())
            })
            .collect::<Vec<_>>()
    };
    if let Some(source) = volume.get("configMap") {
        return map(json::text(source, "name"), json::at(source, "items"));
    }
    if let Some(source) = volume.get("secret") {
        return secret(json::text(source, "secretName"), json::at(source, "items"));
    }
    if let Some(source) = volume.get("downwardAPI") {
        return fields(source);
    }
    let mut all = Vec::new();
    for source in json::list(volume, "projected.sources") {
        if let Some(source) = source.get("configMap") {
            all.extend(map(json::text(source, "name"), json::at(source, "items")));
        } else if let Some(source) = source.get("secret") {
            all.extend(secret(json::text(source, "name"), json::at(source, "items")));
        } else if let Some(source) = source.get("downwardAPI") {
            all.extend(fields(source));
        } else if let Some(source) = source.get("serviceAccountToken") {
            let account = json::text(pod, "spec.serviceAccountName");
            let token = cluster.account_token(&run.namespace, account).unwrap_or_default();
            all.push((json::text(source, "path").into(), token.into_bytes()));
        }
    }
    all
}

fn texts(data: &Value) -> Vec<(String, Vec<u8>)> {
    let pair = |(key, value): (&String, &Value)| (key.clone(), value.as_str().unwrap_or_default().as_bytes().to_vec());
    data.as_object().into_iter().flatten().map(pair).collect()
}

fn decoded(data: &Value) -> Vec<(String, Vec<u8>)> {
    texts(data)
        .into_iter()
        .map(|(key, text)| (key, base64::decode(&String::from_utf8_lossy(&text)).unwrap_or_default()))
        .collect()
}

/// The keys that a volume names, under the paths that it gives; all of them if it names none.
fn chosen(all: Vec<(String, Vec<u8>)>, items: &Value) -> Vec<(String, Vec<u8>)> {
    let Some(items) = items.as_array() else { return all };
    let find = |item: &Value| {
        let (_, bytes) = all.iter().find(|(key, _)| *key == json::text(item, "key"))?;
        Some((json::text(item, "path").to_string(), bytes.clone()))
    };
    items.iter().filter_map(find).collect()
}

/// Whether a name matches a pattern with `*` and `?`.
pub(crate) fn is_match(pattern: &str, text: &str) -> bool {
    fn go(pattern: &[u8], text: &[u8], steps: &mut u32) -> bool {
        *steps += 1;
        match (pattern.first(), text.first()) {
            _ if *steps > 10_000 => false,
            (None, None) => true,
            (Some(b'*'), first) => go(&pattern[1..], text, steps) || first.is_some() && go(pattern, &text[1..], steps),
            (Some(b'?'), Some(_)) => go(&pattern[1..], &text[1..], steps),
            (Some(p), Some(c)) if p == c => go(&pattern[1..], &text[1..], steps),
            _ => false,
        }
    }
    go(pattern.as_bytes(), text.as_bytes(), &mut 0)
}

/// A path without `.`, `..` and double slashes.
pub(crate) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}
