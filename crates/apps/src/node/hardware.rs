//! Failing parts of a node: how they show, and the commands that take them out of use or reset them.
//!
//! A part that fails altogether hangs and can be reset; one that fails here and there has a bad place that can be taken out.

use shell::Output;

use super::NodeHost;
use crate::ground::{LinkState, NEXT_RACK};

/// A disk on which at least this share fails has a controller that hangs; less, and it has bad sectors.
const HANGS: f64 = 1.0;
/// The gateways of a node: that of its own rack, and that of the next.
const GATEWAYS: [(&str, &str); 2] = [("10.0.0.1", "eth0"), ("10.0.1.1", "eth1")];

/// What hardware errors have left among the kernel's messages.
pub(super) fn messages(host: &NodeHost<'_>) -> Vec<String> {
    let kernel = host.ground.kernel(host.node);
    let disk = host.ground.disks.get(host.node).copied().unwrap_or_default();
    let mut lines = Vec::new();
    let mut note = |is: bool, line: String| {
        if is {
            lines.push(line);
        }
    };
    let io = |way: &str| {
        format!("blk_update_request: I/O error, dev nvme0n1, sector 48721264 op {way} phys_seg 4 prio class 2")
    };
    note(disk.read_errors > 0.0, io("0x0:(READ) flags 0x80700"));
    note(disk.write_errors > 0.0, io("0x1:(WRITE) flags 0x8800"));
    let hangs = disk.read_errors.max(disk.write_errors) >= HANGS;
    note(hangs, "nvme nvme0: controller is down; CSTS=0x3, PCI_STATUS=0x10".into());
    let sectors = disk.read_errors > 0.0 && !hangs;
    note(sectors, "nvme0n1: critical medium error, dev nvme0n1, sector 48721264".into());
    note(
        disk.corrupt > 0.0,
        "EXT4-fs error (device nvme0n1p1): ext4_lookup: inode #131: comm mongod: iget: checksum invalid".into(),
    );
    note(
        kernel.memory_fails > 0.0,
        format!(
            "EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (block memory{})",
            bad_block(host.node)
        ),
    );
    note(
        kernel.segfaults > 0.0,
        format!("mce: [Hardware Error]: CPU {}: Machine Check: 0 Bank 1: TLB parity error", bad_processor(host.node)),
    );
    note(interface(host).is_some_and(|link| link.is_cut), "ixgbe 0000:5e:00.0 eth0: NIC Link is Down".into());
    note(interface(host).is_some_and(|link| link.loss > 0.0), "eth0: hw csum failure".into());
    lines
}

/// The block of memory that fails, if memory does.
fn bad_block(node: &str) -> u32 {
    32 + node.bytes().map(u32::from).sum::<u32>() % 64
}

/// The processor that fails, if one does.
fn bad_processor(node: &str) -> u32 {
    1 + node.bytes().map(u32::from).sum::<u32>() % 3
}

/// What is wrong with the node's own interface.
fn interface<'h>(host: &'h NodeHost<'_>) -> Option<&'h LinkState> {
    host.ground.links.iter().find(|link| is_own(link, host.node))
}

fn is_own(link: &LinkState, node: &str) -> bool {
    link.to == "*" && link.from.strip_prefix("node/") == Some(node)
}

/// A file of the hardware, if it is one.
pub(super) fn read(host: &NodeHost<'_>, path: &str) -> Option<String> {
    let kernel = host.ground.kernel(host.node);
    let rest = path.strip_prefix("/sys/devices/system/")?;
    if let Some(block) = rest.strip_prefix("memory/memory").and_then(|rest| rest.strip_suffix("/state")) {
        block.parse::<u32>().ok().filter(|number| *number < 128)?;
        return Some(if kernel.files.contains_key(path) { "offline\n" } else { "online\n" }.into());
    }
    let number = rest.strip_prefix("cpu/cpu")?.strip_suffix("/online")?;
    number.parse::<u32>().ok().filter(|number| (1..4).contains(number))?;
    Some(if kernel.files.contains_key(path) { "0\n" } else { "1\n" }.into())
}

/// Takes a part out of use or back into it; nothing if the file is none of the hardware.
pub(super) fn write(host: &mut NodeHost<'_>, path: &str, text: &str) -> Option<Result<(), String>> {
    if !path.starts_with("/sys/") {
        return None;
    }
    if read(host, path).is_none() {
        return Some(Err("Permission denied".into()));
    }
    let out = match text.trim() {
        "offline" | "0" => true,
        "online" | "online_movable" | "1" => false,
        _ => return Some(Err("Invalid argument".into())),
    };
    let (block, processor) = (bad_block(host.node), bad_processor(host.node));
    let kernel = host.ground.kernels.entry(host.node.into()).or_default();
    if out {
        kernel.files.insert(path.into(), text.into());
        if path.ends_with(&format!("/memory{block}/state")) {
            kernel.memory_fails = 0.0;
        }
        if path.ends_with(&format!("/cpu{processor}/online")) {
            kernel.segfaults = 0.0;
        }
    } else {
        kernel.files.remove(path);
    }
    Some(Ok(()))
}

fn printed(text: impl Into<String>) -> Output {
    Output { stdout: text.into(), ..Output::default() }
}

/// `chcpu -d 3`: takes a processor out of use.
pub(super) fn chcpu(host: &mut NodeHost<'_>, words: &[&str]) -> Output {
    let (Some(option), Some(number)) = (words.first(), words.get(1)) else { return printed("") };
    let path = format!("/sys/devices/system/cpu/cpu{number}/online");
    let state = if matches!(*option, "-d" | "--disable") { "0" } else { "1" };
    match write(host, &path, state) {
        Some(Ok(())) if state == "0" => printed(format!("CPU {number} disabled\n")),
        Some(Ok(())) => printed(format!("CPU {number} enabled\n")),
        _ => Output::failed(1, format!("chcpu: CPU {number} does not exist\n")),
    }
}

/// `nvme reset /dev/nvme0`: a controller that hangs answers again. `nvme smart-log` says how it is.
pub(super) fn nvme(host: &mut NodeHost<'_>, words: &[&str]) -> Output {
    let Some(device) = words.get(1).filter(|device| device.starts_with("/dev/nvme0")) else {
        return Output::failed(1, "nvme: No such file or directory\n");
    };
    let disk = host.ground.disks.get(host.node).copied().unwrap_or_default();
    match words.first() {
        Some(&"reset") => {
            if let Some(disk) = host.ground.disks.get_mut(host.node) {
                disk.read_errors = if disk.read_errors >= HANGS { 0.0 } else { disk.read_errors };
                disk.write_errors = if disk.write_errors >= HANGS { 0.0 } else { disk.write_errors };
            }
            printed("")
        }
        Some(&"smart-log") => {
            let errors = if disk.read_errors.max(disk.write_errors) > 0.0 { 48_213 } else { 0 };
            printed(format!(
                "Smart Log for NVME device:{} namespace-id:ffffffff\ncritical_warning\t: {}\nmedia_errors\t: {errors}\n\
                 num_err_log_entries\t: {errors}\n",
                device.trim_start_matches("/dev/"),
                if errors > 0 { "0x4" } else { "0" },
            ))
        }
        _ => Output::failed(1, "nvme: use reset or smart-log\n"),
    }
}

/// `e2fsck -fccy /dev/nvme0n1p1`, `badblocks -n`: bad sectors are found and not used any more.
pub(super) fn check_disk(host: &mut NodeHost<'_>, words: &[&str]) -> Output {
    let Some(device) = words.iter().find(|word| word.starts_with("/dev/nvme0n1")) else {
        return Output::failed(8, "No such device or address while trying to open it\n");
    };
    let looks = words.iter().any(|word| word.starts_with('-') && word.contains(['c', 'n', 'w']));
    let disk = host.ground.disks.get(host.node).copied().unwrap_or_default();
    let hangs = disk.read_errors.max(disk.write_errors) >= HANGS;
    if hangs {
        return Output::failed(8, format!("{device}: Input/output error while reading the superblock\n"));
    }
    let bad = disk.read_errors > 0.0 || disk.write_errors > 0.0;
    if !looks || !bad {
        return printed(format!("{device}: clean\n"));
    }
    if let Some(disk) = host.ground.disks.get_mut(host.node) {
        (disk.read_errors, disk.write_errors) = (0.0, 0.0);
    }
    printed(format!("{device}: Updating bad block inode.\n{device}: ***** FILE SYSTEM WAS MODIFIED *****\n"))
}

/// `ethtool -S eth0`, and `-K eth0 rx off`: the interface no longer checks packets by itself.
pub(super) fn ethtool(host: &mut NodeHost<'_>, words: &[&str]) -> Output {
    let link = interface(host).cloned();
    let (is_cut, loss) = link.map_or((false, 0.0), |link| (link.is_cut, link.loss));
    match words {
        ["-S" | "--statistics", "eth0"] => printed(format!(
            "NIC statistics:\n     rx_packets: 88412093\n     tx_packets: 79120453\n     rx_csum_offload_errors: {}\n",
            if loss > 0.0 { 5_120_318 } else { 0 }
        )),
        ["-K" | "--offload" | "--features", "eth0", features @ ..] => {
            if features.chunks(2).any(|pair| matches!(pair, ["rx" | "rx-checksumming", "off"])) {
                let node = host.node;
                host.ground.links.retain(|link| !is_own(link, node) || link.is_cut || link.loss == 0.0);
            }
            printed("")
        }
        ["eth0"] => printed(format!(
            "Settings for eth0:\n\tSpeed: {}\n\tLink detected: {}\n",
            if is_cut { "Unknown!" } else { "10000Mb/s" },
            if is_cut { "no" } else { "yes" }
        )),
        _ => Output::failed(1, "ethtool: bad command line argument(s)\n"),
    }
}

/// `ip link`, `ip route`: the interface goes up, or traffic goes by another gateway.
pub(super) fn ip(host: &mut NodeHost<'_>, words: &[&str]) -> Output {
    let node = host.node;
    match words {
        ["link", "set", "eth0", "up"] | ["link", "set", "dev", "eth0", "up"] => {
            host.ground.links.retain(|link| !is_own(link, node) || !link.is_cut);
            printed("")
        }
        ["route" | "r", "replace" | "change", "default", "via", gateway, ..] => {
            let files = &mut host.ground.kernels.entry(node.into()).or_default().files;
            match GATEWAYS.iter().position(|(address, _)| address == gateway) {
                Some(0) => drop(files.remove(NEXT_RACK)),
                Some(_) => drop(files.insert(NEXT_RACK.into(), String::new())),
                None => return Output::failed(2, "RTNETLINK answers: Network is unreachable\n"),
            }
            printed("")
        }
        ["route" | "r", ..] => {
            let own = usize::from(host.ground.routes_by_next_rack(node));
            let text = [own, 1 - own].into_iter().enumerate().map(|(metric, which)| {
                let (address, device) = GATEWAYS[which];
                format!("default via {address} dev {device} metric {}\n", 100 * (metric + 1))
            });
            printed(text.collect::<String>())
        }
        ["link" | "l" | "addr" | "a" | "address", ..] => {
            let down = interface(host).is_some_and(|link| link.is_cut);
            let (flags, state) = if down { ("NO-CARRIER", "DOWN") } else { ("LOWER_UP", "UP") };
            printed(format!(
                "2: eth0: <BROADCAST,MULTICAST,UP,{flags}> mtu 1500 qdisc mq state {state} mode DEFAULT group default qlen 1000\n\
                 3: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000\n"
            ))
        }
        ["neigh" | "n", ..] => {
            let stuck = host.ground.links.iter().any(|link| link.is_cut && link.is_between_nodes());
            printed(format!(
                "10.0.0.1 dev eth0 {}\n10.0.1.1 dev eth1 REACHABLE\n",
                if stuck { "FAILED" } else { "REACHABLE" }
            ))
        }
        _ => Output::failed(255, "Object is unknown, try \"ip help\".\n"),
    }
}
