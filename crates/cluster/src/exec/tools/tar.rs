//! `tar`, as `kubectl cp` uses it: archives on input and output.

use super::{ContainerTool, ContainerToolCall, Since};
use crate::exec::ContainerHost;

pub(super) const TOOLS: &[(&str, Since, ContainerTool)] = &[("tar", Since::Small, tar)];

const BLOCK: usize = 512;

fn tar(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let options = call.words.first().cloned().unwrap_or_default();
    let is = |letter: char| options.trim_start_matches('-').contains(letter) && !options.starts_with("--");
    let folder = call.value("-C", "--directory").unwrap_or_else(|| ".".into());
    let mut plain = call.plain(&["-C"]);
    if !options.starts_with('-') && !plain.is_empty() {
        plain.remove(0);
    }
    let archive = if is('f') && plain.first().is_some_and(|word| word == "-") { Some(plain.remove(0)) } else { None };
    let archive = archive.or_else(|| (is('f') && !plain.is_empty()).then(|| plain.remove(0)));
    let is_stream = archive.as_ref().is_none_or(|name| name == "-");
    let base = machine.absolute(&folder);
    match () {
        () if is('c') => {
            let bytes = match packed(machine, call, &base, &plain) {
                Ok(bytes) => bytes,
                Err(code) => return code,
            };
            match archive.filter(|_| !is_stream) {
                None => call.output.stdout.extend(bytes),
                Some(name) => {
                    if let Err(why) = machine.files.write(&machine.absolute(&name), &bytes) {
                        return call.fail(&format!("{name}: Cannot open: {}", why.text()));
                    }
                }
            }
            0
        }
        () if is('x') || is('t') => {
            let bytes = match archive.filter(|_| !is_stream) {
                None => call.input.to_vec(),
                Some(name) => match machine.files.read(&machine.absolute(&name)) {
                    Ok(bytes) => bytes,
                    Err(why) => return call.fail(&format!("{name}: Cannot open: {}", why.text())),
                },
            };
            unpack(machine, call, &base, &bytes, is('t'))
        }
        () => {
            call.fail("You must specify one of the '-Acdtrux' options");
            2
        }
    }
}

fn packed(
    machine: &ContainerHost<'_>,
    call: &mut ContainerToolCall<'_>,
    base: &str,
    names: &[String],
) -> Result<Vec<u8>, i32> {
    let mut out = Vec::new();
    for name in names {
        let path = if name.starts_with('/') {
            crate::exec::files::normal(name)
        } else {
            crate::exec::files::normal(&format!("{base}/{name}"))
        };
        if !machine.files.exists(&path) {
            call.fail(&format!("{name}: Cannot stat: No such file or directory"));
            call.fail("Exiting with failure status due to previous errors");
            return Err(2);
        }
        if name.starts_with('/') {
            call.fail("Removing leading `/' from member names");
        }
        let shown = name.trim_start_matches('/').trim_end_matches('/');
        let below = format!("{}/", path.trim_end_matches('/'));
        for own in machine.files.paths().filter(|own| **own == *path || own.starts_with(&below)) {
            let member = format!("{shown}{}", &own[path.len().min(own.len())..]);
            let is_folder = machine.files.is_folder(own);
            let bytes = if is_folder { Vec::new() } else { machine.files.read(own).unwrap_or_default() };
            let member = if is_folder { format!("{member}/") } else { member };
            out.extend(header(&member, bytes.len(), is_folder, machine.cluster.now().secs()));
            out.extend(&bytes);
            out.resize(out.len().div_ceil(BLOCK) * BLOCK, 0);
        }
    }
    out.resize(out.len() + 2 * BLOCK, 0);
    Ok(out)
}

fn header(name: &str, size: usize, is_folder: bool, time: i64) -> Vec<u8> {
    let mut block = vec![0u8; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
    // A longer name is split at a slash.
    let (prefix, name) = match name.len() > 100 {
        true => name[..name.len().min(150)]
            .rsplit_once('/')
            .map_or(("", name), |(prefix, _)| (prefix, &name[prefix.len() + 1..])),
        false => ("", name),
    };
    put(0, &name.as_bytes()[..name.len().min(100)]);
    put(100, if is_folder { b"0000755\0" } else { b"0000644\0" });
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{size:011o}\0").as_bytes());
    put(136, format!("{time:011o}\0").as_bytes());
    put(148, b"        ");
    put(156, if is_folder { b"5" } else { b"0" });
    put(257, b"ustar\x0000");
    put(345, &prefix.as_bytes()[..prefix.len().min(155)]);
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

fn unpack(
    machine: &mut ContainerHost<'_>,
    call: &mut ContainerToolCall<'_>,
    base: &str,
    bytes: &[u8],
    lists: bool,
) -> i32 {
    let mut at = 0;
    let mut long_name: Option<String> = None;
    while let Some(block) = bytes.get(at..at + BLOCK).filter(|block| block[0] != 0) {
        at += BLOCK;
        let text = |from: usize, to: usize| {
            let field = &block[from..to];
            String::from_utf8_lossy(&field[..field.iter().position(|byte| *byte == 0).unwrap_or(field.len())])
                .into_owned()
        };
        let Ok(size) = usize::from_str_radix(text(124, 136).trim(), 8) else {
            return call.fail("This does not look like a tar archive");
        };
        let Some(content) = at.checked_add(size).and_then(|end| bytes.get(at..end)) else {
            return call.fail("Unexpected EOF in archive");
        };
        at += size.div_ceil(BLOCK) * BLOCK;
        match block[156] {
            b'L' => {
                long_name = Some(String::from_utf8_lossy(content).trim_end_matches('\0').to_string());
                continue;
            }
            b'x' | b'g' => {
                long_name = pax_path(content).or(long_name);
                continue;
            }
            _ => {}
        }
        let prefix = if &block[257..262] == b"ustar" { text(345, 500) } else { String::new() };
        let name = long_name.take().unwrap_or_else(|| match prefix.is_empty() {
            true => text(0, 100),
            false => format!("{prefix}/{}", text(0, 100)),
        });
        if lists {
            call.line(&name);
            continue;
        }
        let path = crate::exec::files::normal(&format!("{base}/{name}"));
        let made = match block[156] {
            b'5' => machine.files.make_folder(&path),
            _ => machine.files.write(&path, content),
        };
        if let Err(why) = made {
            call.fail(&format!("{name}: Cannot open: {}", why.text()));
            call.fail("Exiting with failure status due to previous errors");
            return 2;
        }
    }
    0
}

/// `27 path=some/long/name` in the records of an extended header.
fn pax_path(content: &[u8]) -> Option<String> {
    String::from_utf8_lossy(content)
        .lines()
        .find_map(|line| line.split_once(" path=").map(|(_, path)| path.to_string()))
}
