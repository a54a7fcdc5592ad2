//! The life of programs: they come up, ask for what they need, listen, run out of memory, end.

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::{Cluster, ContainerExit, Quantity, Stamp, json};

use super::{Fleet, StoreCell, task};
use crate::ground::DiskState;
use crate::instance::{Instance, InstanceKey, Phase};
use crate::plan::{ask_of, default_port};
use crate::reach::{host_and_port, ways};
use crate::scatter::{mix, stir};
use crate::spec::{NeedSpec, ProgramKind, WireProtocol};
use crate::stores::{self, StoreAnswer, StoreServer, StoreStart};
use crate::words::{Callee, LogLevel, Trouble, moved};
use crate::{catalogue, settings};

impl Fleet {
    /// Forgets programs whose containers are gone, and lets those that come up go on.
    pub(super) fn follow_lives(&mut self, cluster: &mut Cluster, now: Stamp, has_news: bool) {
        if has_news {
            self.forget_gone(cluster);
        }
        let waiting: Vec<InstanceKey> = self
            .instances
            .iter()
            .filter(|(_, instance)| match instance.phase {
                Phase::Launching { .. } | Phase::Needing { .. } => true,
                Phase::Serving { .. } => instance.ends.is_some_and(|(at, _)| at <= now),
                Phase::Over => false,
            })
            .map(|(key, _)| key.clone())
            .collect();
        for key in waiting {
            let Some(instance) = self.instances.get(&key).cloned() else { continue };
            match instance.phase {
                Phase::Launching { until } if until <= now => self.come_up(cluster, &key, now),
                Phase::Needing { .. } if task::awaited(&instance.run).is_some() => self.await_port(cluster, &key, now),
                Phase::Needing { need, since } => self.ask_for(cluster, &key, need, since, now),
                Phase::Serving { .. } => self.end(cluster, &key, instance.ends.map_or(0, |(_, code)| code)),
                _ => {}
            }
        }
    }

    fn forget_gone(&mut self, cluster: &Cluster) {
        let is_there = |instance: &Instance| {
            cluster
                .object("pods", &instance.run.namespace, &instance.run.pod)
                .is_some_and(|pod| json::text(pod, "metadata.uid") == instance.run.pod_uid)
        };
        if self.instances.values().all(|instance| is_there(instance)) {
            return;
        }
        let gone = self.instances.values().filter(|instance| !is_there(instance));
        let gone: Vec<String> = gone.map(|instance| instance.run.pod_ip.clone()).collect();
        gone.iter().for_each(|address| self.hang_up(address));
        let instances = Arc::make_mut(&mut self.instances);
        instances.retain(|_, instance| is_there(instance));
        let used: Vec<Arc<str>> = instances.values().filter_map(|instance| instance.store.clone()).collect();
        // What lives in a container goes with it; what lives in a volume stays.
        Arc::make_mut(&mut self.stores).retain(|place, _| place.starts_with("claim/") || used.contains(place));
        self.is_stale = true;
    }

    /// The process is up: it reads its settings and files.
    fn come_up(&mut self, cluster: &mut Cluster, key: &InstanceKey, now: Stamp) {
        let Some(instance) = self.instances.get(key).cloned() else { return };
        let files = self.files_of(cluster, &instance);
        let settings = settings::read(&instance.program, &instance.run, &files);
        let own = self.instance_mut(key);
        own.cpu_limit = cpu_limit(cluster, &instance);
        own.say_all(now, &instance.program.says_at_start, settings.as_ref().ok());
        let settings = match settings {
            Ok(settings) => settings,
            Err(words) => {
                own.say(now, LogLevel::Fatal, &words);
                return self.end(cluster, key, 1);
            }
        };
        own.settings = Arc::new(settings);
        for effect in instance.program.effects.iter().filter(|effect| effect.flag.is_none()) {
            let own = self.instance_mut(key);
            let is_on =
                |setting: &String| setting.split_once('=').is_some_and(|(name, wanted)| own.setting(name) == wanted);
            let is_version = effect.version.as_ref().is_none_or(|version| *version == own.version);
            if let Some(code) = effect.exit.filter(|_| is_version && effect.setting.as_ref().is_none_or(is_on)) {
                own.say(now, LogLevel::Fatal, &effect.message);
                return self.end(cluster, key, code);
            }
        }
        if instance.program.kind == ProgramKind::Generic && self.do_task(cluster, key, now) {
            return;
        }
        let own = self.instance_mut(key);
        own.ports = ports_of(own);
        own.phase = Phase::Needing { need: 0, since: now };
        self.ask_for(cluster, key, 0, now, now);
    }

    /// Asks for what a program needs; listens when it has all.
    fn ask_for(&mut self, cluster: &mut Cluster, key: &InstanceKey, first: usize, since: Stamp, now: Stamp) {
        let Some(instance) = self.instances.get(key).cloned() else { return };
        let mut since = since;
        for (number, need) in instance.program.needs.iter().enumerate().skip(first) {
            let own = self.instance_mut(key);
            if number > first || since == now {
                own.say_all(now, &need.says, Some(&instance.settings));
            }
            let Err((trouble, told)) = self.has(cluster, &instance, need, now) else {
                since = now;
                continue;
            };
            let waited = now.since(since).as_secs_f64();
            let is_at_once = matches!(trouble, Trouble::Denied(_) | Trouble::NoAddress | Trouble::BadAddress);
            if waited < need.patience && !(is_at_once && need.exit.is_some()) {
                self.instance_mut(key).phase = Phase::Needing { need: number, since };
                return;
            }
            let own = self.instance_mut(key);
            for line in &need.says_without {
                own.say(now, LogLevel::Fatal, &line.replace("{why}", &told));
            }
            match need.exit {
                _ if need.optional => since = now,
                Some(code) => return self.end(cluster, key, code),
                None => {
                    own.phase = Phase::Needing { need: number, since: now };
                    return;
                }
            }
        }
        self.listen(cluster, key, now);
    }

    /// Whether a need is there; else why not, and in the program's words.
    fn has(
        &mut self,
        cluster: &Cluster,
        instance: &Instance,
        need: &NeedSpec,
        now: Stamp,
    ) -> Result<(), (Trouble, String)> {
        let Some(target) = instance.program.targets.get(&need.target) else { return Ok(()) };
        let address = target.address.fill(&instance.settings);
        let found = host_and_port(&address, default_port(target.wire));
        let (host, port) = found.clone().unwrap_or((address.clone(), 0));
        let tell = |trouble: Trouble| {
            let callee = Callee { host: &host, port, wire: target.wire, operation: &need.operation };
            let told = trouble.told(instance.program.language, &callee);
            (trouble, told)
        };
        if found.is_none() {
            return Err(tell(if address.is_empty() { Trouble::NoAddress } else { Trouble::BadAddress }));
        }
        let ways = ways(cluster, &self.instances, &self.ground, &instance.run, &host, port);
        let Some(way) = ways.into_iter().next() else { return Ok(()) };
        let server = way.end.map_err(tell)?;
        let place = self.instances.get(&server).and_then(|server| server.store.clone());
        let Some(place) = place else { return Ok(()) };
        let ask = ask_of(instance, target, &need.operation, now);
        let stores = Arc::make_mut(&mut self.stores);
        match stores.get_mut(&place).map(|store| store.0.serve(&ask)) {
            Some(StoreAnswer::Refused(words)) => Err(tell(Trouble::Denied(words))),
            Some(StoreAnswer::Hangs) => Err(tell(Trouble::Late)),
            _ => Ok(()),
        }
    }

    /// It has all that it needs: its store reads its state, and it listens, if its ports are free.
    fn listen(&mut self, cluster: &mut Cluster, key: &InstanceKey, now: Stamp) {
        let Some(instance) = self.instances.get(key).cloned() else { return };
        if let Some(port) = self.taken_port(key, &instance) {
            let own = self.instance_mut(key);
            own.say(now, LogLevel::Fatal, &format!("listen tcp :{port}: bind: address already in use"));
            return self.end(cluster, key, 1);
        }
        if instance.program.kind == ProgramKind::Store
            && let Err(code) = self.open_store(cluster, key, &instance, now)
        {
            return self.end(cluster, key, code);
        }
        let clock = self.ground.clock(&instance.run.node, now);
        let own = self.instance_mut(key);
        let days = own.program.certificate_days;
        own.certificate = (days > 0.0).then(|| (clock, clock.after_secs((days * 86_400.0) as i64)));
        own.phase = Phase::Serving { since: now };
        own.memory = own.program.memory_mb * f64::from(1 << 20);
        // A broker knows at once what it has; caches warm up.
        own.warmth = if own.program.store.as_deref() == Some("kafka") { 1.0 } else { own.warmth };
        let settings = own.settings.clone();
        own.say_all(now, &instance.program.says_when_ready, Some(&settings));
        self.is_stale = true;
    }

    fn taken_port(&self, key: &InstanceKey, instance: &Instance) -> Option<u16> {
        let first: InstanceKey = (key.0.clone(), key.1.clone(), "".into());
        let neighbours = self.instances.range(first..).take_while(|(own, _)| own.0 == key.0 && own.1 == key.1);
        let others: Vec<&Instance> = neighbours.filter(|(own, _)| *own != key).map(|(_, other)| &**other).collect();
        let taken = |port: u16| others.iter().any(|other| other.listens_on(port).is_some());
        instance.ports.iter().map(|(port, _)| *port).find(|port| taken(*port))
    }

    fn open_store(&mut self, cluster: &Cluster, key: &InstanceKey, instance: &Instance, now: Stamp) -> Result<(), i32> {
        let kind = stores::kind(instance.program.store.as_deref().unwrap_or("plain"));
        let (place, claim) = self.place_of(cluster, instance);
        let disk = claim.as_ref().and_then(|claim| self.ground.disks.get(claim)).copied().unwrap_or_default();
        let node = self.ground.disks.get(&instance.run.node).copied().unwrap_or_default();
        let logs_at = instance.moment(now);
        let server = StoreServer {
            now,
            logs_at,
            version: instance.version.clone(),
            args: instance.run.command.iter().chain(&instance.run.args).cloned().collect(),
            env: instance.run.env.iter().cloned().collect(),
            files: self.files_of(cluster, instance),
            corrupt_share: disk.corrupt.max(node.corrupt).max(disk.read_errors).max(node.read_errors),
            is_disk_full: disk.fill.max(node.fill) >= 1.0,
            has_write_errors: disk.write_errors.max(node.write_errors) > 0.0,
            memory_limit: instance.run.memory_limit,
            host: instance.run.pod.clone(),
        };
        let stores = Arc::make_mut(&mut self.stores);
        let store = stores.entry(place.clone()).or_insert_with(|| StoreCell((kind.fresh)()));
        let (lines, end) = match store.0.start(&server) {
            StoreStart::Listens(lines) => (lines, Ok(())),
            StoreStart::Ends(code, lines) => (lines, Err(code)),
        };
        let own = self.instance_mut(key);
        own.store = Some(place);
        // Coming up takes a moment, and the lines are told on the way.
        let (count, room) = (lines.len() as i64, now.0 - logs_at.0);
        for (number, line) in (0..).zip(lines) {
            let jitter = mix(stir(&own.run.pod_uid) ^ number as u64) as i64 & 0xff;
            let at = Stamp(logs_at.0 + room * (256 * number + jitter) / (256 * count));
            own.print(at, moved(&line, logs_at, at));
        }
        end
    }

    /// Servers whose disks have gone bad or full notice it when they read: they start anew on what is left, or end.
    pub(super) fn read_disks(&mut self, cluster: &mut Cluster, now: Stamp) {
        if self.ground.disks.is_empty() || now.secs() % 10 != 0 {
            return;
        }
        let is_bad = |place: &str| self.ground.disks.get(place).is_some_and(|disk| *disk != DiskState::default());
        let servers: Vec<(InstanceKey, Arc<Instance>)> = self
            .instances
            .iter()
            .filter(|(_, own)| own.is_serving() && own.store.is_some())
            .filter(|(_, own)| {
                let claim = own.store.as_ref().and_then(|place| place.strip_prefix("claim/"));
                claim.is_some_and(is_bad) || is_bad(&own.run.node)
            })
            .map(|(key, own)| (key.clone(), own.clone()))
            .collect();
        for (key, instance) in servers {
            if let Err(code) = self.open_store(cluster, &key, &instance, now) {
                self.end(cluster, &key, code);
            }
        }
    }

    /// Where a store's state lives: in the claim that the container mounts, or in the container; and the claim.
    fn place_of(&self, cluster: &Cluster, instance: &Instance) -> (Arc<str>, Option<String>) {
        let run = &instance.run;
        let pod = cluster.object("pods", &run.namespace, &run.pod);
        let claim = pod.and_then(|pod| {
            let container = json::list(pod, "spec.containers").iter().find(|c| json::text(c, "name") == run.name)?;
            let mounts = json::list(container, "volumeMounts").iter().map(|mount| json::text(mount, "name"));
            let volumes = json::list(pod, "spec.volumes");
            let mut named = mounts.filter_map(|name| volumes.iter().find(|volume| json::text(volume, "name") == name));
            named.find_map(|volume| {
                let claim = json::text(volume, "persistentVolumeClaim.claimName");
                (!claim.is_empty()).then(|| format!("{}/{claim}", run.namespace))
            })
        });
        match claim {
            Some(claim) => (format!("claim/{claim}").into(), Some(claim)),
            None => (format!("run/{}/{}/{}", run.pod_uid, run.name, run.attempt).into(), None),
        }
    }

    /// The files that a program sees: those of its image, and over them those of its volumes.
    pub(super) fn files_of(&self, cluster: &Cluster, instance: &Instance) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        if let catalogue::ImageMatch::Known(image, _) = self.catalogue.image(&instance.run.image) {
            files.extend(image.files.iter().map(|(path, text)| (path.clone(), text.clone())));
        }
        for (path, bytes) in cluster.mounted_files(&instance.run) {
            files.insert(path, String::from_utf8_lossy(&bytes).into_owned());
        }
        files
    }

    /// Programs that serve flags follow their file.
    pub(super) fn follow_flags(&mut self, cluster: &Cluster, has_news: bool) {
        if !has_news {
            return;
        }
        let servers: Vec<InstanceKey> = self
            .instances
            .iter()
            .filter(|(_, instance)| instance.is_serving() && instance.program.settings.contains_key("flags"))
            .map(|(key, _)| key.clone())
            .collect();
        for key in servers {
            let instance = self.instances[&key].clone();
            let files = self.files_of(cluster, &instance);
            if let Ok(settings) = settings::read(&instance.program, &instance.run, &files)
                && settings != *instance.settings
            {
                self.instance_mut(&key).settings = Arc::new(settings);
                self.is_stale = true;
            }
        }
    }

    /// Memory that is used, and the end of those who use more than they may.
    pub(super) fn count_memory(&mut self, cluster: &mut Cluster, now: Stamp) {
        let mut dead = Vec::new();
        for (key, instance) in self.instances.iter().filter(|(_, instance)| instance.is_serving()) {
            let stored = instance.store.as_ref().and_then(|place| self.stores.get(place)).map_or(0, |s| s.0.memory());
            let all = instance.memory + stored as f64;
            if instance.run.memory_limit.is_some_and(|limit| limit > 0 && all > limit as f64) {
                dead.push(key.clone());
            }
        }
        for key in dead {
            let own = self.instance_mut(&key);
            own.phase = Phase::Over;
            self.is_stale = true;
            let (namespace, pod, container) = key;
            cluster.container_ended(&namespace, &pod, &container, ContainerExit::out_of_memory());
            let _ = now;
        }
    }

    /// Nothing at an address is connected to a store any more.
    pub(super) fn hang_up(&mut self, address: &str) {
        if !address.is_empty() {
            Arc::make_mut(&mut self.stores).values_mut().for_each(|store| store.0.hang_up(address));
        }
    }

    /// A program ends by itself.
    pub(super) fn end(&mut self, cluster: &mut Cluster, key: &InstanceKey, code: i32) {
        self.instance_mut(key).phase = Phase::Over;
        self.is_stale = true;
        cluster.container_ended(&key.0, &key.1, &key.2, ContainerExit::with(code));
    }

    pub(super) fn instance_mut(&mut self, key: &InstanceKey) -> &mut Instance {
        let instances = Arc::make_mut(&mut self.instances);
        Arc::make_mut(instances.get_mut(key).expect("looked up by a key that was just there"))
    }
}

/// The ports that a program listens on: its own, or those that its pod declares.
fn ports_of(instance: &Instance) -> Vec<(u16, WireProtocol)> {
    let own = instance.program.listens.iter();
    let own: Vec<_> = own
        .filter_map(|listen| Some((listen.port.fill(&instance.settings).trim().parse().ok()?, listen.wire)))
        .collect();
    match own.is_empty() {
        true if instance.program.kind == ProgramKind::Generic => {
            // Where a script says on which port it listens, what its pod declares is no more than a note.
            let listened = task::listened(&instance.run);
            let ports = if listened.is_empty() { &instance.run.ports } else { &listened };
            ports.iter().map(|port| (*port, WireProtocol::Http)).collect()
        }
        _ => own,
    }
}

/// The cores that a container may use.
fn cpu_limit(cluster: &Cluster, instance: &Instance) -> Option<f64> {
    let pod = cluster.object("pods", &instance.run.namespace, &instance.run.pod)?;
    let lists = ["spec.containers", "spec.initContainers"];
    let mut all = lists.iter().flat_map(|list| json::list(pod, list));
    let container = all.find(|container| json::text(container, "name") == instance.run.name)?;
    let limit = json::text(container, "resources.limits.cpu");
    Quantity::parse(limit).map(|cpu| cpu.milli() as f64 / 1000.0).filter(|limit| *limit > 0.0)
}
