//! `kubectl cp`: tar archives through exec, as the real one does it.

use super::Outcome;
use super::exec::{bytes_in_container, default_container, pod_of};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;

/// `ns/pod:path`, `pod:path` or a file of the operator.
enum Place {
    Pod { namespace: Option<String>, pod: String, path: String },
    File(String),
}

fn place(text: &str) -> Place {
    let Some((pod, path)) = text.split_once(':') else { return Place::File(text.into()) };
    let (namespace, pod) = match pod.split_once('/') {
        Some((namespace, pod)) => (Some(namespace.to_string()), pod),
        None => (None, pod),
    };
    Place::Pod { namespace, pod: pod.into(), path: path.into() }
}

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let words = call.flags.words.clone();
    let [from, to] = &words[..] else {
        return Err(Failure::new("source and destination are required"));
    };
    match (place(from), place(to)) {
        (Place::File(file), Place::Pod { namespace, pod, path }) => to_pod(call, &file, namespace, &pod, &path),
        (Place::Pod { namespace, pod, path }, Place::File(file)) => from_pod(call, namespace, &pod, &path, &file),
        (Place::Pod { .. }, Place::Pod { .. }) => {
            Err(Failure::new("one of src or dest must be a local file specification"))
        }
        _ => Err(Failure::new("one of src or dest must be a remote file specification")),
    }
}

fn container(
    call: &mut Kubectl<'_, '_>,
    namespace: Option<String>,
    pod: &str,
) -> Result<(String, String, String), Failure> {
    if let Some(namespace) = namespace {
        call.flags.set("namespace", &namespace);
    }
    let found = pod_of(call, pod)?;
    let container = match call.flags.value("container").filter(|name| !name.is_empty()) {
        Some(name) => name.to_string(),
        None => default_container(call, &found),
    };
    Ok((json::text(&found, "metadata.namespace").into(), json::text(&found, "metadata.name").into(), container))
}

fn to_pod(call: &mut Kubectl<'_, '_>, file: &str, namespace: Option<String>, pod: &str, path: &str) -> Outcome {
    let text = call.desk.memory.files.get(crate::desk::plain(file)).cloned();
    let text = text.ok_or_else(|| Failure::new(format!("{file} doesn't exist in local filesystem")))?;
    let (namespace, pod, container) = container(call, namespace, pod)?;
    let is_folder = path.ends_with('/') || {
        let test = ["test".to_string(), "-d".into(), path.into()];
        bytes_in_container(call, &namespace, &pod, &container, &test, b"").is_ok_and(|(_, _, code)| code == 0)
    };
    let base = file.rsplit('/').next().unwrap_or_default();
    let full = if is_folder { format!("{}/{base}", path.trim_end_matches('/')) } else { path.to_string() };
    let (folder, name) = full.rsplit_once('/').map_or((".", &*full), |(folder, name)| (folder, name));
    let folder = if folder.is_empty() { "/" } else { folder };
    let mut command: Vec<String> = ["tar", "-xmf", "-"].map(Into::into).to_vec();
    if folder != "." {
        command.extend(["-C".to_string(), folder.into()]);
    }
    let archive = archive(name, text.as_bytes());
    let (_, stderr, code) = bytes_in_container(call, &namespace, &pod, &container, &command, &archive)?;
    call.err.push_str(&String::from_utf8_lossy(&stderr));
    if code == 0 { Ok(()) } else { Err(Failure::Verbatim(format!("command terminated with exit code {code}"), code)) }
}

fn from_pod(call: &mut Kubectl<'_, '_>, namespace: Option<String>, pod: &str, path: &str, file: &str) -> Outcome {
    let (namespace, pod, container) = container(call, namespace, pod)?;
    let command: Vec<String> = ["tar", "cf", "-", path].map(Into::into).to_vec();
    let (stdout, stderr, code) = bytes_in_container(call, &namespace, &pod, &container, &command, b"")?;
    call.err.push_str(&String::from_utf8_lossy(&stderr));
    if path.starts_with('/') && stderr.is_empty() {
        call.warn("tar: Removing leading `/' from member names");
    }
    if code != 0 {
        return Err(Failure::Verbatim(format!("command terminated with exit code {code}"), code));
    }
    let members = members(&stdout);
    let is_single = members.len() == 1;
    let root = path.trim_start_matches('/').trim_end_matches('/').to_string();
    for (name, bytes) in members {
        let inside = name.strip_prefix(&root).unwrap_or(&name).trim_start_matches('/');
        let target = match (is_single, inside) {
            (true, _) if !file.ends_with('/') && file != "." => file.to_string(),
            (_, "") => format!("{}/{}", file.trim_end_matches('/'), root.rsplit('/').next().unwrap_or_default()),
            (_, inside) => format!("{}/{inside}", file.trim_end_matches('/')),
        };
        use shell::Host;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let target = target.strip_prefix("./").unwrap_or(&target).to_string();
        call.desk.write_file(&target, &text, false).map_err(Failure::new)?;
    }
    Ok(())
}

/// One file as a tar archive.
fn archive(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut header = vec![0u8; 512];
    let mut put = |at: usize, text: &[u8]| header[at..at + text.len()].copy_from_slice(text);
    put(0, &name.as_bytes()[..name.len().min(99)]);
    put(100, b"0000644\0");
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{:011o}\0", bytes.len()).as_bytes());
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut out = header;
    out.extend_from_slice(bytes);
    out.resize(out.len().next_multiple_of(512) + 1024, 0);
    out
}

/// The files of a tar archive.
fn members(archive: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(header) = archive.get(at..at + 512).filter(|header| header[0] != 0) {
        let text =
            |range: std::ops::Range<usize>| String::from_utf8_lossy(&header[range]).trim_end_matches('\0').to_string();
        let size = usize::from_str_radix(text(124..136).trim(), 8).unwrap_or(0);
        let Some(bytes) = archive.get(at + 512..(at + 512).saturating_add(size)) else { break };
        if matches!(header[156], 0 | b'0') {
            all.push((text(0..100), bytes.to_vec()));
        }
        at += 512 + size.next_multiple_of(512);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_is_read_back() {
        assert_eq!(members(&archive("a.txt", b"hello\n")), [("a.txt".to_string(), b"hello\n".to_vec())]);
        assert!(members(b"nonsense").is_empty());
    }
}
