//! What changes of nodes, disks, links, load and registries do to a site.

use cluster::json;

use crate::change::{SiteChange, SiteChangeError};
use crate::ground::{DiskState, LinkState, LoadLevel, NodeKernel};
use crate::node::{KUBELET_CONFIG, kubelet_config};
use crate::site::Site;

impl Site {
    /// Does to nodes, disks, links, load and registries what a change says.
    pub fn change(&mut self, change: &SiteChange) -> Result<(), SiteChangeError> {
        match change {
            SiteChange::Kubelet { node, running } => {
                for node in self.nodes(node)? {
                    self.cluster.set_kubelet(&node, *running);
                }
            }
            SiteChange::Disk { node, volume, corrupt, read_errors, write_errors, fill } => {
                let place = node.clone().or_else(|| volume.clone());
                let place = place.ok_or(SiteChangeError::Incomplete("a disk is that of a node or of a volume"))?;
                let state = DiskState {
                    corrupt: *corrupt,
                    read_errors: *read_errors,
                    write_errors: *write_errors,
                    fill: *fill,
                };
                self.fleet.change_ground(|ground| {
                    ground.disks.insert(place, state);
                });
            }
            SiteChange::Kernel {
                node,
                conntrack_max,
                conntrack_held,
                port_range,
                clock_offset,
                file_limit,
                resolver,
            } => {
                for node in self.nodes(node)? {
                    if let Some(works) = resolver {
                        self.cluster.set_resolver(&node, *works);
                    }
                    self.fleet.change_ground(|ground| {
                        let kernel = ground.kernels.entry(node).or_default();
                        kernel.conntrack_max = conntrack_max.unwrap_or(kernel.conntrack_max);
                        kernel.conntrack_held = conntrack_held.unwrap_or(kernel.conntrack_held);
                        kernel.ports = port_range.unwrap_or(kernel.ports);
                        kernel.clock_offset = clock_offset.unwrap_or(kernel.clock_offset);
                        kernel.file_limit = file_limit.unwrap_or(kernel.file_limit);
                    });
                }
            }
            SiteChange::Link { from, to, delay_ms, jitter_ms, loss, partition } => {
                let link = LinkState {
                    from: from.clone(),
                    to: to.clone(),
                    delay_ms: *delay_ms,
                    jitter_ms: *jitter_ms,
                    loss: *loss,
                    is_cut: *partition,
                };
                let is_whole = *delay_ms == 0.0 && *jitter_ms == 0.0 && *loss == 0.0 && !partition;
                self.fleet.change_ground(|ground| {
                    ground.links.retain(|own| own.from != link.from || own.to != link.to);
                    if !is_whole {
                        ground.links.push(link);
                    }
                });
            }
            SiteChange::Memory { node, fail, segfault } => {
                self.change_kernels(node, |kernel| (kernel.memory_fails, kernel.segfaults) = (*fail, *segfault))?;
            }
            SiteChange::Eviction { node, nodefs_available } => {
                self.change_kernels(node, |kernel| {
                    kernel.wanted_free = *nodefs_available;
                    kernel.files.insert(KUBELET_CONFIG.into(), kubelet_config(*nodefs_available));
                })?;
            }
            SiteChange::CpuStress { node, cores } => {
                self.change_kernels(node, |kernel| kernel.stress = *cores)?;
            }
            SiteChange::Load { application, factor, rate, held_connections } => {
                if self.fleet.catalogue().application(application).is_none() {
                    return Err(SiteChangeError::NoSuchApplication(application.clone()));
                }
                let level = LoadLevel { factor: *factor, rate: *rate, held_connections: *held_connections };
                self.fleet.change_ground(|ground| {
                    ground.loads.insert(application.clone(), level);
                });
            }
            SiteChange::Registry { image, state } => {
                let (name, tag) = crate::catalogue::split_image(image);
                let key = if image.ends_with(&format!(":{tag}")) { format!("{name}:{tag}") } else { name };
                self.fleet.change_ground(|ground| drop(ground.registry.insert(key, state.clone())));
            }
        }
        Ok(())
    }

    fn change_kernels(&mut self, node: &str, change: impl Fn(&mut NodeKernel)) -> Result<(), SiteChangeError> {
        for node in self.nodes(node)? {
            self.fleet.change_ground(|ground| change(ground.kernels.entry(node).or_default()));
        }
        Ok(())
    }

    fn nodes(&self, wanted: &str) -> Result<Vec<String>, SiteChangeError> {
        let names = self.cluster.objects("nodes", None).map(|node| json::text(node, "metadata.name").to_string());
        let found: Vec<String> = names.filter(|name| wanted == "*" || name == wanted).collect();
        if found.is_empty() { Err(SiteChangeError::NoSuchNode(wanted.into())) } else { Ok(found) }
    }
}
