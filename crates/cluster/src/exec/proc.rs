//! What the kernel and the runtime put into every container: `/proc`, `/etc/hosts`, `/etc/resolv.conf`, cgroups.

use crate::program::ContainerRun;
use crate::store::Stored;
use crate::{Cluster, json};

/// The cores and the memory of the node, in kibibytes.
pub(super) fn machine(cluster: &Cluster, run: &ContainerRun) -> (i64, i64) {
    let node = cluster.store.get("nodes", "", &run.node);
    let amount = |name: &str| {
        let text = node.map(|node| json::text(node, &format!("status.capacity.{name}")).to_string());
        text.and_then(|text| crate::quantity::Quantity::parse(&text))
    };
    (amount("cpu").map_or(8, |q| q.whole()), amount("memory").map_or(16 << 30, |q| q.whole()) / 1024)
}

/// The command line of the main process.
pub(super) fn command_line(run: &ContainerRun) -> Vec<String> {
    let words: Vec<String> = run.command.iter().chain(&run.args).cloned().collect();
    if !words.is_empty() {
        return words;
    }
    let name = run.image.rsplit('/').next().unwrap_or_default();
    let name = name.split([':', '@']).next().unwrap_or_default();
    vec![format!("/usr/local/bin/{name}")]
}

/// `nameserver`, `search` and `options`, as the kubelet writes them for the pod's policy.
pub(super) fn resolv_conf(cluster: &Cluster, run: &ContainerRun, pod: &Stored) -> String {
    let list = |path: &str| -> Vec<String> {
        json::list(pod, path).iter().filter_map(|item| item.as_str().map(Into::into)).collect()
    };
    let dns = cluster.store.get("services", "kube-system", "kube-dns");
    let address = dns.map_or("10.96.0.10", |dns| json::text(dns, "spec.clusterIP")).to_string();
    let (mut servers, mut search, mut options) = (Vec::new(), Vec::new(), Vec::new());
    match json::text(pod, "spec.dnsPolicy") {
        "None" => {}
        "Default" => servers.push("10.0.0.2".to_string()),
        "ClusterFirst" if json::flag(pod, "spec.hostNetwork") => servers.push("10.0.0.2".to_string()),
        _ => {
            servers.push(address);
            search.extend([
                format!("{}.svc.cluster.local", run.namespace),
                "svc.cluster.local".into(),
                "cluster.local".into(),
            ]);
            options.push("ndots:5".to_string());
        }
    }
    servers.extend(list("spec.dnsConfig.nameservers"));
    search.extend(list("spec.dnsConfig.searches"));
    for option in json::list(pod, "spec.dnsConfig.options") {
        let (name, value) = (json::text(option, "name"), json::text(option, "value"));
        options.retain(|own| own.split(':').next() != Some(name));
        options.push(if value.is_empty() { name.into() } else { format!("{name}:{value}") });
    }
    let mut text = String::new();
    if !search.is_empty() {
        text.push_str(&format!("search {}\n", search.join(" ")));
    }
    servers.iter().for_each(|server| text.push_str(&format!("nameserver {server}\n")));
    if !options.is_empty() {
        text.push_str(&format!("options {}\n", options.join(" ")));
    }
    text
}

/// The files of every container, by path.
pub(super) fn image_files(cluster: &Cluster, run: &ContainerRun, pod: &Stored) -> Vec<(String, String)> {
    let (cores, memory) = machine(cluster, run);
    let words = command_line(run);
    let hostname = Some(json::text(pod, "spec.hostname")).filter(|name| !name.is_empty()).unwrap_or(&run.pod);
    let is_small = run.image.contains("alpine") || run.image.contains("busybox");
    let release = match is_small {
        true => "NAME=\"Alpine Linux\"\nID=alpine\nVERSION_ID=3.20.3\nPRETTY_NAME=\"Alpine Linux v3.20\"\n",
        false => {
            "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\nID=debian\n"
        }
    };
    let mut hosts = String::from(
        "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n",
    );
    hosts.push_str(&format!("{}\t{hostname}\n", run.pod_ip));
    for alias in json::list(pod, "spec.hostAliases") {
        let names: Vec<_> = json::list(alias, "hostnames").iter().filter_map(|name| name.as_str()).collect();
        hosts.push_str(&format!("{}\t{}\n", json::text(alias, "ip"), names.join("\t")));
    }
    let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                  Max cpu time              unlimited            unlimited            seconds   \n\
                  Max processes             unlimited            unlimited            processes \n\
                  Max open files            1048576              1048576              files     \n";
    let environ: Vec<String> = run.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let uptime = cluster.now.secs().rem_euclid(10_000_000);
    let memory_max = run.memory_limit.map_or("max".into(), |limit| limit.to_string());
    let cpuinfo: String = (0..cores).map(|n| format!("processor\t: {n}\nmodel name\t: virtual cpu\n\n")).collect();
    let all = [
        ("/etc/hostname", format!("{hostname}\n")),
        ("/etc/hosts", hosts),
        ("/etc/resolv.conf", resolv_conf(cluster, run, pod)),
        ("/etc/os-release", release.into()),
        (
            "/etc/passwd",
            "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n".into(),
        ),
        ("/etc/group", "root:x:0:\nnogroup:x:65534:\n".into()),
        ("/etc/nsswitch.conf", "hosts: files dns\n".into()),
        ("/proc/1/cmdline", format!("{}\0", words.join("\0"))),
        ("/proc/1/environ", format!("{}\0", environ.join("\0"))),
        ("/proc/1/limits", limits.into()),
        (
            "/proc/1/status",
            format!("Name:\t{}\nState:\tS (sleeping)\nPid:\t1\nPPid:\t0\nThreads:\t8\n", short(&words[0])),
        ),
        ("/proc/cpuinfo", cpuinfo),
        ("/proc/loadavg", "0.08 0.10 0.09 1/212 7\n".into()),
        (
            "/proc/meminfo",
            format!(
                "MemTotal:       {memory:>8} kB\nMemFree:        {:>8} kB\nMemAvailable:   {:>8} kB\n",
                memory / 2,
                memory * 3 / 4
            ),
        ),
        ("/proc/uptime", format!("{uptime}.00 {}.00\n", uptime * cores)),
        ("/proc/version", "Linux version 6.1.0 (debian-kernel@lists.debian.org) #1 SMP PREEMPT_DYNAMIC\n".into()),
        ("/proc/sys/net/core/somaxconn", "4096\n".into()),
        ("/proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n".into()),
        ("/proc/sys/fs/file-max", "9223372036854775807\n".into()),
        ("/sys/fs/cgroup/memory.max", format!("{memory_max}\n")),
        ("/sys/fs/cgroup/cpu.max", "max 100000\n".into()),
        ("/dev/termination-log", String::new()),
    ];
    all.into_iter().map(|(path, text)| (path.to_string(), text)).collect()
}

pub(super) fn short(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}
