//! Programs over files: ls, cat, cp, mv, rm, mkdir, find, df, du, stat and the like.

use super::{ContainerTool, ContainerToolCall, Since};
use crate::exec::ContainerHost;
use crate::exec::files::FileEntry;
use crate::exec::files::is_match;

pub(super) const TOOLS: &[(&str, Since, ContainerTool)] = &[
    ("cat", Since::Small, cat),
    ("chmod", Since::Small, chmod),
    ("chown", Since::Small, |_, _| 0),
    ("cp", Since::Small, copy),
    ("dd", Since::Small, dd),
    ("df", Since::Small, df),
    ("du", Since::Small, du),
    ("find", Since::Small, find),
    ("ls", Since::Small, ls),
    ("mkdir", Since::Small, mkdir),
    ("mv", Since::Small, copy),
    ("readlink", Since::Small, |machine, call| {
        let path = machine.absolute(call.plain(&[]).first().map_or("", |path| path));
        call.line(&path);
        0
    }),
    ("rm", Since::Small, remove),
    ("rmdir", Since::Small, remove),
    ("sha256sum", Since::Small, checksum),
    ("stat", Since::Small, stat),
    ("tee", Since::Small, tee),
    ("touch", Since::Small, touch),
];

fn cat(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let paths = call.plain(&[]);
    if paths.is_empty() {
        let input = call.input.to_vec();
        call.output.stdout.extend(input);
        return 0;
    }
    let mut status = 0;
    for path in paths {
        match path.as_str() {
            "-" => call.output.stdout.extend_from_slice(call.input),
            path => match machine.files.read(&machine.absolute(path)) {
                Ok(bytes) => call.output.stdout.extend(bytes),
                Err(why) => status = call.fail(&format!("{path}: {}", why.text())),
            },
        }
    }
    status
}

fn ls(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let mut paths = call.plain(&[]);
    if paths.is_empty() {
        paths.push(".".into());
    }
    let (long, all, one) = (call.has('l'), call.has('a') || call.has('A'), call.has('1') || !machine.has_terminal);
    let (human, several) = (call.has('h'), paths.len() > 1);
    let mut status = 0;
    for shown in &paths {
        let path = machine.absolute(shown);
        if !machine.files.exists(&path) {
            call.fail(&format!("cannot access '{shown}': No such file or directory"));
            status = 2;
            continue;
        }
        let entries: Vec<(String, Option<FileEntry>)> = match machine.files.is_folder(&path) && !call.has('d') {
            true => machine
                .files
                .list(&path)
                .into_iter()
                .map(|(name, entry)| (name.to_string(), Some(entry.clone())))
                .collect(),
            false => vec![(shown.clone(), machine.files.entry(&path).cloned())],
        };
        let entries: Vec<_> = entries.into_iter().filter(|(name, _)| all || !name.starts_with('.')).collect();
        if several && machine.files.is_folder(&path) {
            call.line(&format!("{shown}:"));
        }
        if long {
            call.line(&format!("total {}", entries.len() * 4));
            let date = machine.cluster.now;
            for (name, entry) in &entries {
                call.line(&long_line(name, entry.as_ref(), date, human));
            }
        } else if one {
            entries.iter().for_each(|(name, _)| call.line(name));
        } else if !entries.is_empty() {
            let names: Vec<_> = entries.iter().map(|(name, _)| &**name).collect();
            call.line(&names.join("  "));
        }
    }
    status
}

fn long_line(name: &str, entry: Option<&FileEntry>, now: crate::Stamp, human: bool) -> String {
    let (_, month, day, hour, minute, _) = now.civil();
    let month =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][(month - 1) as usize % 12];
    let (mode, links, size) = match entry {
        Some(FileEntry::File(bytes, mode)) => (format!("-{}", letters(*mode)), 1, bytes.len()),
        Some(FileEntry::Link(_)) => ("lrwxrwxrwx".into(), 1, 0),
        _ => ("drwxr-xr-x".into(), 2, 4096),
    };
    let size = if human { readable(size as u64) } else { size.to_string() };
    let target = match entry {
        Some(FileEntry::Link(target)) => format!(" -> {target}"),
        _ => String::new(),
    };
    format!("{mode} {links} root root {size:>8} {month} {day:2} {hour:02}:{minute:02} {name}{target}")
}

fn letters(mode: u32) -> String {
    (0..9).map(|at| if mode >> (8 - at) & 1 == 1 { char::from(b"rwx"[at % 3]) } else { '-' }).collect()
}

/// `1.5K`, `23M`.
pub(super) fn readable(bytes: u64) -> String {
    let (mut size, mut unit) = (bytes as f64, 0);
    while size >= 1024.0 && unit < 4 {
        size /= 1024.0;
        unit += 1;
    }
    let letter = ["", "K", "M", "G", "T"][unit];
    if unit == 0 || size >= 10.0 { format!("{}{letter}", size.ceil()) } else { format!("{:.1}{letter}", size) }
}

fn mkdir(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let parents = call.has('p');
    for shown in call.plain(&["-m"]) {
        let path = machine.absolute(&shown);
        if machine.files.exists(&path) {
            if !parents {
                return call.fail(&format!("can't create directory '{shown}': File exists"));
            }
            continue;
        }
        let mut whole = String::new();
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        for (at, part) in parts.iter().enumerate() {
            whole = format!("{whole}/{part}");
            if machine.files.exists(&whole) {
                continue;
            }
            if !parents && at + 1 < parts.len() {
                return call.fail(&format!("can't create directory '{shown}': No such file or directory"));
            }
            if let Err(why) = machine.files.make_folder(&whole) {
                return call.fail(&format!("can't create directory '{shown}': {}", why.text()));
            }
        }
    }
    0
}

fn touch(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    for shown in call.plain(&[]) {
        if let Err(why) = machine.files.append(&machine.absolute(&shown), b"") {
            return call.fail(&format!("{shown}: {}", why.text()));
        }
    }
    0
}

fn remove(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let (force, deep) = (call.has('f'), call.has('r') || call.has('R') || call.name == "rmdir");
    let mut status = 0;
    for shown in call.plain(&[]) {
        let path = machine.absolute(&shown);
        if !machine.files.exists(&path) {
            if !force {
                status = call.fail(&format!("can't remove '{shown}': No such file or directory"));
            }
        } else if machine.files.is_folder(&path) && !deep {
            status = call.fail(&format!("'{shown}' is a directory"));
        } else if call.name == "rmdir" && !machine.files.list(&path).is_empty() {
            status = call.fail(&format!("'{shown}': Directory not empty"));
        } else if let Err(why) = machine.files.remove(&path) {
            status = call.fail(&format!("can't remove '{shown}': {}", why.text()));
        }
    }
    status
}

/// `cp` and `mv`: into a folder under the same name, or to a new name.
fn copy(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let mut paths = call.plain(&[]);
    let Some(target) = paths.pop().filter(|_| !paths.is_empty()) else { return call.fail("missing file operand") };
    let target = machine.absolute(&target);
    for shown in paths {
        let from = machine.absolute(&shown);
        if !machine.files.exists(&from) {
            return call.fail(&format!("can't stat '{shown}': No such file or directory"));
        }
        let name = from.rsplit('/').next().unwrap_or_default();
        let to = if machine.files.is_folder(&target) {
            format!("{}/{name}", target.trim_end_matches('/'))
        } else {
            target.clone()
        };
        let below = format!("{from}/");
        let all: Vec<String> =
            machine.files.paths().filter(|path| **path == *from || path.starts_with(&below)).map(Into::into).collect();
        if all.len() > 1 && call.name == "cp" && !call.has('r') && !call.has('R') && !call.has('a') {
            return call.fail(&format!("omitting directory '{shown}'"));
        }
        for path in all {
            let new = format!("{to}{}", &path[from.len()..]);
            let made = match machine.files.read(&path) {
                Ok(bytes) => machine.files.write(&new, &bytes),
                Err(_) => machine.files.make_folder(&new),
            };
            if let Err(why) = made {
                return call.fail(&format!("can't create '{new}': {}", why.text()));
            }
        }
        if call.name == "mv"
            && let Err(why) = machine.files.remove(&from)
        {
            return call.fail(&format!("can't remove '{shown}': {}", why.text()));
        }
    }
    0
}

fn chmod(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let words = call.plain(&[]);
    let Some((mode, paths)) = words.split_first() else { return call.fail("missing operand") };
    let number = u32::from_str_radix(mode, 8).unwrap_or(if mode.contains('x') { 0o755 } else { 0o644 });
    for shown in paths {
        let path = machine.absolute(shown);
        if !machine.files.exists(&path) {
            return call.fail(&format!("{shown}: No such file or directory"));
        }
        machine.files.set_mode(&path, number & 0o777);
    }
    0
}

fn tee(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let input = call.input.to_vec();
    for shown in call.plain(&[]) {
        let path = machine.absolute(&shown);
        let made = if call.has('a') { machine.files.append(&path, &input) } else { machine.files.write(&path, &input) };
        if let Err(why) = made {
            call.fail(&format!("{shown}: {}", why.text()));
        }
    }
    call.output.stdout.extend(input);
    0
}

fn dd(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let get =
        |name: &str| call.words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('=')).map(str::to_string);
    let size = |text: String| {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match &text[digits.len()..] {
            "k" | "K" => 1 << 10,
            "M" | "MB" => 1 << 20,
            "G" | "GB" => 1 << 30,
            _ => 1usize,
        };
        digits.parse::<usize>().unwrap_or(1).saturating_mul(unit)
    };
    let (block, count) = (get("bs").map_or(512, size), get("count").map_or(1, size));
    let total = block.saturating_mul(count);
    let target = get("of").unwrap_or_else(|| "/dev/stdout".into());
    let bytes = match get("if") {
        Some(from) if from.starts_with("/dev/") => vec![0; total.min(65 << 20)],
        Some(from) => match machine.files.read(&machine.absolute(&from)) {
            Ok(bytes) => bytes,
            Err(why) => return call.fail(&format!("can't open '{from}': {}", why.text())),
        },
        None => call.input.to_vec(),
    };
    match machine.files.write(&machine.absolute(&target), &bytes) {
        Ok(()) => {
            let blocks = bytes.len().div_ceil(block.max(1));
            call.complain(&format!("{blocks}+0 records in\n{blocks}+0 records out\n{} bytes copied", bytes.len()));
            0
        }
        Err(why) => call.fail(&format!("error writing '{target}': {}", why.text())),
    }
}

fn df(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let human = call.has('h');
    call.line(if human {
        "Filesystem      Size  Used Avail Use% Mounted on"
    } else {
        "Filesystem     1K-blocks     Used Available Use% Mounted on"
    });
    for mount in machine.files.mounts.clone() {
        let (total, used): (u64, u64) = match mount.device {
            "overlay" | "/dev/sda1" => (100 << 30, 23 << 30),
            _ => (64 << 20, 0),
        };
        let percent = used * 100 / total;
        let row = match human {
            true => format!(
                "{:<15} {:>4}  {:>4}  {:>4} {percent:>3}% {}",
                mount.device,
                readable(total),
                readable(used),
                readable(total - used),
                mount.path
            ),
            false => format!(
                "{:<14} {:>9} {:>8} {:>9} {percent:>3}% {}",
                mount.device,
                total >> 10,
                used >> 10,
                (total - used) >> 10,
                mount.path
            ),
        };
        call.line(&row);
    }
    0
}

fn du(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let mut paths = call.plain(&["-d"]);
    if paths.is_empty() {
        paths.push(".".into());
    }
    for shown in paths {
        let path = machine.absolute(&shown);
        if !machine.files.exists(&path) {
            return call.fail(&format!("cannot access '{shown}': No such file or directory"));
        }
        let below = format!("{}/", path.trim_end_matches('/'));
        let inside = machine.files.paths().filter(|own| **own == *path || own.starts_with(&below));
        let kilobytes: usize = inside.map(|own| machine.files.size(own).div_ceil(4096).max(1) * 4).sum();
        let size = if call.has('h') { readable(kilobytes as u64 * 1024) } else { kilobytes.to_string() };
        call.line(&format!("{size}\t{shown}"));
    }
    0
}

fn find(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let start = call.words.first().filter(|word| !word.starts_with('-')).map_or(".", |word| word).to_string();
    let path = machine.absolute(&start);
    if !machine.files.exists(&path) {
        return call.fail(&format!("'{start}': No such file or directory"));
    }
    let name = call.value("-name", "");
    let kind = call.value("-type", "");
    let deepest = call.value("-maxdepth", "").and_then(|depth| depth.parse::<usize>().ok()).unwrap_or(usize::MAX);
    let below = format!("{}/", path.trim_end_matches('/'));
    let mut found = Vec::new();
    for own in machine.files.paths().filter(|own| **own == *path || own.starts_with(&below)) {
        let rest = own[path.len().min(own.len())..].trim_start_matches('/');
        let depth = if rest.is_empty() { 0 } else { rest.split('/').count() };
        let last = own.rsplit('/').next().unwrap_or_default();
        let fits = name.as_ref().is_none_or(|pattern| is_match(pattern, last));
        let is_kind = match kind.as_deref() {
            Some("f") => !machine.files.is_folder(own),
            Some("d") => machine.files.is_folder(own),
            _ => true,
        };
        if fits && is_kind && depth <= deepest {
            found.push(if rest.is_empty() { start.clone() } else { format!("{}/{rest}", start.trim_end_matches('/')) });
        }
    }
    found.iter().for_each(|path| call.line(path));
    0
}

fn stat(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    for shown in call.plain(&["-c"]) {
        let path = machine.absolute(&shown);
        if !machine.files.exists(&path) {
            return call.fail(&format!("cannot statx '{shown}': No such file or directory"));
        }
        let kind = if machine.files.is_folder(&path) { "directory" } else { "regular file" };
        let size = machine.files.size(&path);
        call.line(&format!(
            "  File: {shown}\n  Size: {size}\t\tBlocks: {}\tIO Block: 4096   {kind}",
            size.div_ceil(512)
        ));
    }
    0
}

fn checksum(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    use sha2::{Digest, Sha256};
    let sum = |bytes: &[u8]| -> String { Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect() };
    let paths = call.plain(&[]);
    if paths.is_empty() {
        let text = format!("{}  -", sum(call.input));
        call.line(&text);
    }
    for shown in paths {
        match machine.files.read(&machine.absolute(&shown)) {
            Ok(bytes) => call.line(&format!("{}  {shown}", sum(&bytes))),
            Err(why) => return call.fail(&format!("{shown}: {}", why.text())),
        }
    }
    0
}
