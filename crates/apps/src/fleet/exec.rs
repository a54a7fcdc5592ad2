//! Stores' own clients in containers: `mongosh`, `psql`, `redis-cli`.

use std::sync::Arc;

use cluster::{Cluster, ContainerRun, ExecCall, ExecEnd};

use super::Fleet;
use crate::instance::Instance;
use crate::reach::{host_and_port, ways};
use crate::stores::{self, ConsoleCall, StoreKind};

impl Fleet {
    /// Whether a container has a client of this name: in the image of its store, or as a program lists it.
    pub(super) fn has_client(&self, container: &ContainerRun, name: &str) -> bool {
        let name = name.rsplit('/').next().unwrap_or(name);
        self.instance(container).is_some_and(|instance| {
            let own = instance.program.store.as_deref().map(stores::kind);
            let is_there = own.is_some_and(|kind| kind.clients.contains(&name))
                || instance.program.clients.iter().any(|own| own == name);
            is_there && ships(&container.image, &instance.version, name)
        })
    }

    /// Runs a client against the store that it connects to: another one if it names a host, else the container's own.
    pub(super) fn run_client(
        &mut self,
        cluster: &Cluster,
        container: &ContainerRun,
        call: &ExecCall,
    ) -> Option<ExecEnd> {
        let name = call.command.first()?.rsplit('/').next()?.to_string();
        if !self.has_client(container, &name) {
            return None;
        }
        let kind = stores::KINDS.iter().find(|kind| kind.clients.contains(&&*name))?;
        let console = ConsoleCall {
            now: cluster.now(),
            words: call.command.clone(),
            input: String::from_utf8_lossy(&call.input).into_owned(),
            env: container.env.iter().cloned().collect(),
            terminal: call.terminal,
            address: named_host(&call.command).filter(|host| !is_here(host)).map(|_| container.pod_ip.clone()),
        };
        let refused = |host: &str, port: u16, why: &str| Some(stores::unreachable(&name, host, port, why));
        let place = match named_host(&call.command) {
            Some(address) if !is_here(&address) => match self.place_at(cluster, container, kind, &address) {
                Ok(place) => Some(place),
                Err((host, port, why)) => return refused(&host, port, why),
            },
            _ => {
                let port = named_port(kind, &call.command).unwrap_or(usual_port(kind));
                let own = self.instance(container).filter(|own| own.is_serving());
                let is_it = |own: &&Instance| own.ports.is_empty() || own.listens_on(port).is_some();
                match own.filter(|own| named_port(kind, &call.command).is_none() || is_it(own)) {
                    Some(own) => own.store.clone(),
                    None => return refused("127.0.0.1", port, "refused"),
                }
            }
        };
        let Some(place) = place else { return refused("127.0.0.1", usual_port(kind), "refused") };
        self.is_stale = true;
        let store = Arc::make_mut(&mut self.stores).get_mut(&place)?;
        Some(store.0.console(&console))
    }

    fn place_at(
        &self,
        cluster: &Cluster,
        container: &ContainerRun,
        kind: &StoreKind,
        address: &str,
    ) -> Result<Arc<str>, (String, u16, &'static str)> {
        let port = usual_port(kind);
        let (host, port) = host_and_port(address, Some(port)).ok_or((address.to_string(), port, "name"))?;
        let ways = ways(cluster, &self.instances, self.ground(), container, &host, port);
        let end = ways.into_iter().next().map(|way| way.end);
        let place = match end {
            Some(Ok(key)) => self.instances.get(&key).and_then(|own| own.store.clone()).ok_or("refused"),
            Some(Err(trouble)) => Err(trouble.reason()),
            None => Err("name"),
        };
        place.map_err(|why| (host, port, why))
    }
}

/// Whether a release of an image brings a client: the shell of MongoDB was replaced, and Redis knows no Valkey.
fn ships(image: &str, version: &str, client: &str) -> bool {
    let major: Option<u32> = version.split('.').next().and_then(|major| major.parse().ok());
    match client {
        "mongo" => major.is_some_and(|major| major < 6),
        "mongosh" => major.is_none_or(|major| major >= 5),
        "valkey-cli" => image.contains("valkey"),
        _ => true,
    }
}

fn usual_port(kind: &StoreKind) -> u16 {
    match kind.name {
        "mongodb" => 27017,
        "postgres" => 5432,
        "mysql" | "tidb" => 3306,
        "kafka" => 9092,
        "rabbitmq" => 5672,
        "consul" => 8500,
        _ => 6379,
    }
}

/// The port that a client's arguments name.
fn named_port(kind: &StoreKind, words: &[String]) -> Option<u16> {
    // For the client of MySQL the small letter is a password.
    let flags: &[&str] = if kind.name == "mysql" { &["-P", "--port"] } else { &["-p", "--port"] };
    let after = |flags: &[&str]| {
        let at = words.iter().position(|word| flags.contains(&&**word))?;
        words.get(at + 1).cloned()
    };
    let joined = words.iter().find_map(|word| word.strip_prefix("--port=").map(ToString::to_string));
    let of_host = || named_host(words)?.rsplit_once(':').map(|(_, port)| port.to_string());
    after(flags).or(joined).or_else(of_host)?.parse().ok()
}

/// The host that a client's arguments name.
fn named_host(words: &[String]) -> Option<String> {
    let after = |flags: &[&str]| {
        let at = words.iter().position(|word| flags.contains(&&**word))?;
        words.get(at + 1).cloned()
    };
    let joined = words.iter().find_map(|word| word.strip_prefix("--host=").map(ToString::to_string));
    let url = words.iter().skip(1).find_map(|word| word.split_once("://")).map(|(_, rest)| {
        let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
        rest.split(['/', '?']).next().unwrap_or(rest).to_string()
    });
    let pairs = words.iter().skip(1).flat_map(|word| word.split_whitespace());
    let paired = pairs.filter_map(|pair| pair.strip_prefix("host=")).map(ToString::to_string).next();
    let port = after(&["-p", "--port", "-P"]).filter(|port| port.parse::<u16>().is_ok());
    let host = after(&["-h", "--host", "--bootstrap-server"]).or(joined).or(url).or(paired)?;
    Some(if let (Some(port), false) = (port, host.contains(':')) { format!("{host}:{port}") } else { host })
}

fn is_here(address: &str) -> bool {
    let host = address.split("://").last().unwrap_or(address);
    let host = host.rsplit('@').next().unwrap_or(host);
    ["localhost", "127.0.0.1", "/"].iter().any(|own| host.starts_with(own))
}
