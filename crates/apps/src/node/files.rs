//! The files of a node that an operator reads and edits.

use cluster::json;

use super::{NodeHost, hardware};

/// Where a kubelet reads its settings.
pub(crate) const KUBELET_CONFIG: &str = "/var/lib/kubelet/config.yaml";

/// A kubelet's settings that want this share of the disk to be free.
pub(crate) fn kubelet_config(free: f64) -> String {
    format!(
        "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nauthentication:\n  anonymous:\n    enabled: \
         false\n  webhook:\n    cacheTTL: 0s\n    enabled: true\nauthorization:\n  mode: Webhook\ncgroupDriver: systemd\n\
         clusterDNS:\n- 10.96.0.10\nclusterDomain: cluster.local\nevictionHard:\n  imagefs.available: 15%\n  \
         memory.available: 100Mi\n  nodefs.available: {:.0}%\n  nodefs.inodesFree: 5%\nrotateCertificates: true\n\
         staticPodPath: /etc/kubernetes/manifests\n",
        100.0 * free
    )
}

/// The share of the disk that settings want to be free; the usual one if they do not say.
pub(super) fn wanted_free(config: &str) -> f64 {
    let read = cluster::yaml::documents(config).ok().and_then(|all| all.into_iter().next());
    let hard = read.map(|config| json::at(&config, "evictionHard").clone()).unwrap_or_default();
    let percent = hard.get("nodefs.available").and_then(|value| value.as_str()?.trim().strip_suffix('%')?.parse().ok());
    percent.map_or(0.1, |percent: f64| percent / 100.0)
}

pub(super) fn read(host: &NodeHost<'_>, path: &str) -> Option<String> {
    let kernel = host.ground.kernel(host.node);
    if let Some(text) = hardware::read(host, path).or_else(|| kernel.files.get(path).cloned()) {
        return Some(text);
    }
    Some(match path {
        KUBELET_CONFIG => kubelet_config(kernel.wanted_free),
        "/etc/hostname" => format!("{}\n", host.node),
        "/etc/resolv.conf" => "nameserver 10.0.0.2\nsearch compute.internal\n".into(),
        "/etc/os-release" => {
            "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\nID=debian\n"
                .into()
        }
        "/proc/sys/net/netfilter/nf_conntrack_max" => format!("{}\n", kernel.conntrack_max),
        "/proc/sys/net/netfilter/nf_conntrack_count" => format!("{}\n", host.tracked()),
        "/proc/sys/net/ipv4/ip_local_port_range" => format!("{}\t{}\n", kernel.ports.0, kernel.ports.1),
        "/proc/sys/fs/file-max" => format!("{}\n", kernel.file_limit),
        "/proc/loadavg" => {
            let used: f64 = host.processes.iter().map(|(cpu, ..)| cpu / 100.0).sum::<f64>() + kernel.stress;
            format!("{used:.2} {used:.2} {used:.2} 1/512 4242\n")
        }
        _ => return None,
    })
}

/// Writes a file; what the kernel reads takes effect at once.
pub(super) fn write(host: &mut NodeHost<'_>, path: &str, text: String) -> Result<(), String> {
    if let Some(done) = hardware::write(host, path, &text) {
        return done;
    }
    let kernel = host.ground.kernels.entry(host.node.into()).or_default();
    let number = text.trim().parse::<u64>();
    match (path, number) {
        ("/proc/sys/net/netfilter/nf_conntrack_max", Ok(most)) => kernel.conntrack_max = most,
        ("/proc/sys/fs/file-max", Ok(most)) => kernel.file_limit = most,
        ("/proc/sys/net/ipv4/ip_local_port_range", _) => {
            let mut ends = text.split_whitespace().map(str::parse::<u16>);
            match (ends.next(), ends.next()) {
                (Some(Ok(first)), Some(Ok(last))) if first < last => kernel.ports = (first, last),
                _ => return Err("Invalid argument".into()),
            }
        }
        (path, _) if path.starts_with("/proc") => return Err("Invalid argument".into()),
        _ => drop(kernel.files.insert(path.into(), text)),
    }
    Ok(())
}
