//! Commands of a host: services, clocks, kernel messages, connection tracking.

use shell::{Host, Output};

use super::files::{KUBELET_CONFIG, wanted_free};
use super::{NodeHost, files, hardware};

type NodeTool = fn(&mut NodeHost<'_>, &[&str]) -> Output;

const TOOLS: &[(&str, NodeTool)] = &[
    ("badblocks", hardware::check_disk),
    ("chcpu", hardware::chcpu),
    ("chronyc", chronyc),
    ("conntrack", conntrack),
    ("date", date),
    ("df", df),
    ("dmesg", dmesg),
    ("e2fsck", hardware::check_disk),
    ("ethtool", hardware::ethtool),
    ("free", free),
    ("fsck.ext4", hardware::check_disk),
    ("hostname", |host, _| printed(format!("{}\n", host.node))),
    ("id", |_, _| printed("uid=0(root) gid=0(root) groups=0(root)\n")),
    ("ip", hardware::ip),
    ("journalctl", journalctl),
    ("ntpdate", |host, _| synchronise(host, "adjust time server 10.0.0.123 offset +0.000012 sec\n")),
    ("nvme", hardware::nvme),
    ("ps", ps),
    ("sysctl", sysctl),
    ("systemctl", systemctl),
    ("timedatectl", timedatectl),
    ("uname", |host, words| {
        let all = words.contains(&"-a");
        printed(if all {
            format!("Linux {} 6.1.0 #1 SMP PREEMPT_DYNAMIC Debian x86_64 GNU/Linux\n", host.node)
        } else {
            "Linux\n".into()
        })
    }),
    ("whoami", |_, _| printed("root\n")),
];

/// Services that keep the clock right.
const TIMEKEEPERS: [&str; 5] = ["chrony", "chronyd", "systemd-timesyncd", "ntp", "ntpd"];

pub(super) fn has(name: &str) -> bool {
    TOOLS.iter().any(|(own, _)| *own == name)
}

pub(super) fn run(host: &mut NodeHost<'_>, name: &str, words: &[String]) -> Option<Output> {
    let (_, tool) = TOOLS.iter().find(|(own, _)| *own == name)?;
    let words: Vec<&str> = words.iter().map(|word| &**word).collect();
    Some(tool(host, &words))
}

fn printed(text: impl Into<String>) -> Output {
    Output { stdout: text.into(), ..Output::default() }
}

impl NodeHost<'_> {
    /// Connections that the kernel tracks.
    pub(super) fn tracked(&self) -> u64 {
        let kernel = self.ground.kernel(self.node);
        (self.ground.tracked(self.node) + 40 * self.processes.len() as u64).min(kernel.conntrack_max)
    }
}

fn systemctl(host: &mut NodeHost<'_>, words: &[&str]) -> Output {
    let plain: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let (Some(verb), units) = (plain.first().copied(), plain.get(1..).unwrap_or_default()) else {
        return printed("");
    };
    let mut all = Output::default();
    for unit in units.iter().map(|unit| unit.trim_end_matches(".service")) {
        let one = match unit {
            "kubelet" => kubelet(host, verb),
            unit if TIMEKEEPERS.contains(&unit) => timekeeper(host, verb, unit),
            "node-local-dns" => resolver(host, verb),
            "containerd" | "ssh" | "sshd" => standing(unit, verb),
            unit => Output::failed(5, format!("Failed to {verb} {unit}.service: Unit {unit}.service not found.\n")),
        };
        all.stdout.push_str(&one.stdout);
        all.stderr.push_str(&one.stderr);
        all.code = one.code;
    }
    all
}

fn kubelet(host: &mut NodeHost<'_>, verb: &str) -> Output {
    let runs = host.cluster.runs_kubelet(host.node);
    match verb {
        "start" | "restart" => {
            let config = files::read(host, KUBELET_CONFIG).unwrap_or_default();
            host.ground.kernels.entry(host.node.into()).or_default().wanted_free = wanted_free(&config);
            host.cluster.set_kubelet(host.node, true);
            printed("")
        }
        "stop" | "kill" => {
            host.cluster.set_kubelet(host.node, false);
            printed("")
        }
        _ => unit_state("kubelet", "kubelet: The Kubernetes Node Agent", runs, verb),
    }
}

fn timekeeper(host: &mut NodeHost<'_>, verb: &str, unit: &str) -> Output {
    let is_right = host.ground.kernel(host.node).clock_offset == 0.0;
    match verb {
        "start" | "restart" => synchronise(host, ""),
        _ => unit_state(unit, "Network Time Service", is_right, verb),
    }
}

/// The cache through which the pods of a node look names up.
fn resolver(host: &mut NodeHost<'_>, verb: &str) -> Output {
    match verb {
        "start" | "restart" => {
            host.cluster.set_resolver(host.node, true);
            printed("")
        }
        "stop" | "kill" => {
            host.cluster.set_resolver(host.node, false);
            printed("")
        }
        _ => unit_state("node-local-dns", "DNS cache of the node", host.cluster.has_resolver(host.node), verb),
    }
}

fn standing(unit: &str, verb: &str) -> Output {
    match verb {
        "status" | "is-active" | "is-enabled" => unit_state(unit, unit, true, verb),
        _ => printed(""),
    }
}

fn unit_state(unit: &str, about: &str, runs: bool, verb: &str) -> Output {
    match verb {
        "is-active" if runs => printed("active\n"),
        "is-active" => Output { stdout: "inactive\n".into(), code: 3, ..Output::default() },
        "is-enabled" => printed("enabled\n"),
        "status" => {
            let (mark, state) = if runs { ("●", "active (running)") } else { ("○", "inactive (dead)") };
            let stdout = format!(
                "{mark} {unit}.service - {about}\n     Loaded: loaded (/lib/systemd/system/{unit}.service; enabled; \
                 preset: enabled)\n     Active: {state}\n"
            );
            Output { stdout, code: if runs { 0 } else { 3 }, ..Output::default() }
        }
        _ => printed(""),
    }
}

/// The clock is set to what the time servers say.
fn synchronise(host: &mut NodeHost<'_>, says: &str) -> Output {
    host.ground.kernels.entry(host.node.into()).or_default().clock_offset = 0.0;
    printed(says)
}

fn chronyc(host: &mut NodeHost<'_>, words: &[&str]) -> Output {
    let ahead = host.ground.kernel(host.node).clock_offset;
    match words.iter().find(|word| !word.starts_with('-')) {
        Some(&"makestep" | &"burst") => synchronise(host, "200 OK\n"),
        Some(&"sources") => printed(
            "MS Name/IP address         Stratum Poll Reach LastRx Last sample\n^* 10.0.0.123                    2   6   377    21    +12us[  +15us] +/-  812us\n",
        ),
        _ => printed(format!(
            "Reference ID    : 0A00007B (10.0.0.123)\nStratum         : 3\nSystem time     : {:.9} seconds {} of NTP time\nLeap status     : {}\n",
            ahead.abs(),
            if ahead >= 0.0 { "fast" } else { "slow" },
            if ahead == 0.0 { "Normal" } else { "Not synchronised" },
        )),
    }
}

fn timedatectl(host: &mut NodeHost<'_>, words: &[&str]) -> Output {
    match words {
        ["set-ntp", "true" | "1" | "yes"] => synchronise(host, ""),
        ["set-ntp", ..] => printed(""),
        _ => {
            let is_right = host.ground.kernel(host.node).clock_offset == 0.0;
            let (synced, service) = if is_right { ("yes", "active") } else { ("no", "inactive") };
            let time = host.clock().rfc3339().replace('T', " ").replace('Z', " UTC");
            printed(format!(
                "           Universal time: {time}\n                Time zone: Etc/UTC (UTC, +0000)\nSystem clock synchronized: \
                 {synced}\n              NTP service: {service}\n"
            ))
        }
    }
}

fn date(host: &mut NodeHost<'_>, words: &[&str]) -> Output {
    let time = host.clock().rfc3339();
    let format = words.iter().find_map(|word| word.strip_prefix('+')).unwrap_or("%Y-%m-%d %H:%M:%S UTC");
    let part = |from: usize, to: usize| time.get(from..to).unwrap_or_default();
    let parts = [
        ("%Y", part(0, 4)),
        ("%m", part(5, 7)),
        ("%d", part(8, 10)),
        ("%H", part(11, 13)),
        ("%M", part(14, 16)),
        ("%S", part(17, 19)),
    ];
    let seconds = host.clock().secs().to_string();
    let text = format.replace("%F", "%Y-%m-%d").replace("%T", "%H:%M:%S").replace("%s", &seconds);
    printed(parts.iter().fold(text, |text, (mark, value)| text.replace(mark, value)) + "\n")
}

fn df(host: &mut NodeHost<'_>, _words: &[&str]) -> Output {
    let free = host.ground.free_share(host.node);
    let size = 98.0;
    printed(format!(
        "Filesystem      Size  Used Avail Use% Mounted on\n/dev/nvme0n1p1   {size:.0}G   {:.0}G   {:.0}G  {:.0}% /\n",
        size * (1.0 - free),
        size * free,
        100.0 * (1.0 - free)
    ))
}

fn free(host: &mut NodeHost<'_>, _words: &[&str]) -> Output {
    let used: i64 = host.processes.iter().map(|(_, memory, _)| memory).sum::<i64>() / 1024 + 900;
    printed(format!(
        "               total        used        free      shared  buff/cache   available\nMem:           15991{used:12}{:12}          12        2048{:12}\nSwap:              0           0           0\n",
        15991 - 2048 - used,
        15991 - used
    ))
}

fn ps(host: &mut NodeHost<'_>, _words: &[&str]) -> Output {
    let mut text = "USER         PID %CPU     RSS COMMAND\nroot           1  0.0   12000 /sbin/init\n".to_string();
    if host.cluster.runs_kubelet(host.node) {
        text.push_str("root         642  1.4   98000 /usr/bin/kubelet --config=/var/lib/kubelet/config.yaml\n");
    }
    for (number, (cpu, memory, command)) in host.processes.iter().enumerate() {
        text.push_str(&format!("root     {:7} {cpu:4.1} {memory:7} {command}\n", 2000 + 17 * number));
    }
    printed(text)
}

fn sysctl(host: &mut NodeHost<'_>, words: &[&str]) -> Output {
    let mut all = Output::default();
    for word in words.iter().filter(|word| !word.starts_with('-')) {
        let (name, value) = word.split_once('=').map_or((*word, None), |(name, value)| (name, Some(value)));
        let path = format!("/proc/sys/{}", name.trim().replace('.', "/"));
        let told = match value {
            Some(value) => host.write_file(&path, value.trim(), false).map(|()| value.trim().to_string()),
            None => host.read_file(&path).map(|text| text.trim().to_string()),
        };
        match told {
            Ok(value) => all.stdout.push_str(&format!("{name} = {value}\n")),
            Err(why) => {
                all.stderr.push_str(&format!("sysctl: cannot stat {path}: {why}\n"));
                all.code = 255;
            }
        }
    }
    all
}

fn conntrack(host: &mut NodeHost<'_>, words: &[&str]) -> Output {
    match words.first() {
        Some(&"-C" | &"--count") => printed(format!("{}\n", host.tracked())),
        Some(&"-F" | &"--flush") => {
            host.ground.kernels.entry(host.node.into()).or_default().conntrack_held = 0;
            Output {
                stderr: "conntrack v1.4.7 (conntrack-tools): connection tracking table has been emptied.\n".into(),
                ..Output::default()
            }
        }
        _ => Output {
            stderr: format!("conntrack v1.4.7 (conntrack-tools): {} flow entries have been shown.\n", host.tracked()),
            ..Output::default()
        },
    }
}

fn dmesg(host: &mut NodeHost<'_>, _words: &[&str]) -> Output {
    let kernel = host.ground.kernel(host.node);
    let mut lines = vec!["Linux version 6.1.0 (Debian 12) #1 SMP PREEMPT_DYNAMIC".to_string()];
    if host.tracked() >= kernel.conntrack_max {
        lines.push("nf_conntrack: nf_conntrack: table full, dropping packet".to_string());
    }
    lines.extend(hardware::messages(host));
    let text =
        lines.iter().enumerate().map(|(number, line)| format!("[{:12.6}] {line}\n", 3.2 + 812.4 * number as f64));
    printed(text.collect::<String>())
}

fn journalctl(host: &mut NodeHost<'_>, words: &[&str]) -> Output {
    let wants = words.iter().any(|word| word.contains("kubelet"));
    if !wants {
        return printed("-- No entries --\n");
    }
    let time = host.clock().rfc3339();
    let node = host.node;
    let pid = 642;
    let line = match (
        host.cluster.runs_kubelet(node),
        host.ground.kernel(node).wanted_free > host.ground.free_share(node),
    ) {
        (false, _) => "systemd[1]: kubelet.service: Deactivated successfully.".to_string(),
        (true, true) => format!(
            "kubelet[{pid}]: I eviction_manager.go:366] \"Eviction manager: must evict pod(s) to reclaim\" resourceName=\"ephemeral-storage\""
        ),
        (true, false) => format!(
            "kubelet[{pid}]: I kubelet_node_status.go:497] \"Fast updating node status as it just became ready\""
        ),
    };
    printed(format!("{time} {node} {line}\n"))
}
