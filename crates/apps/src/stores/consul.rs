//! Consul and Nacos: which services have registered, and keys with values.

use std::collections::BTreeMap;

use cluster::{ExecEnd, Stamp};

use super::console::digest_of;
use super::{ConsoleCall, DataStore, StoreAnswer, StoreAsk, StoreKind, StoreServer, StoreStart};

/// The kind.
pub const KIND: StoreKind =
    StoreKind { name: "consul", clients: &["consul"], fresh: || Box::new(RegistryStore::of("consul")) };

/// Nacos does the same for its clients, and has no client of its own in the image.
pub const NACOS: StoreKind = StoreKind { name: "nacos", clients: &[], fresh: || Box::new(RegistryStore::of("nacos")) };

/// A registry of services.
#[derive(Clone, Debug, Default)]
struct RegistryStore {
    name: &'static str,
    version: String,
    /// Services and the pods that registered for them.
    services: BTreeMap<String, BTreeMap<String, String>>,
    keys: BTreeMap<String, String>,
    started: Stamp,
}

impl RegistryStore {
    fn of(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }
}

impl DataStore for RegistryStore {
    fn copy(&self) -> Box<dyn DataStore> {
        Box::new(self.clone())
    }

    fn digest(&self) -> u64 {
        digest_of(self)
    }

    fn start(&mut self, server: &StoreServer) -> StoreStart {
        self.started = server.now;
        self.version = if server.version == "latest" { "1.22.0".into() } else { server.version.clone() };
        // An agent in development mode keeps all in memory.
        self.services.clear();
        self.keys.clear();
        if self.name == "nacos" {
            let time = server.logs_at.rfc3339_micro().replace('T', " ");
            let time = time.get(..23).unwrap_or(&time).replace('.', ",");
            return StoreStart::Listens(vec![
                format!("Nacos {}", self.version),
                format!("{time} INFO Tomcat initialized with port(s): 8848 (http)"),
                format!("{time} INFO Tomcat started on port(s): 8848 (http) with context path '/nacos'"),
                format!("{time} INFO Nacos started successfully in cluster mode. use external storage"),
            ]);
        }
        let time = server.logs_at.rfc3339_micro();
        let say = |text: &str| format!("{}Z [INFO]  {text}", time.get(..23).unwrap_or(&time));
        StoreStart::Listens(vec![
            "==> Starting Consul agent...".into(),
            format!("              Version: '{}'", self.version),
            "           Datacenter: 'dc1' (Segment: '<all>')".into(),
            "==> Log data will now stream in as it occurs:".into(),
            say("agent.server: cluster leadership acquired"),
            say("agent: Synced node info"),
            say("agent: Consul agent running!"),
        ])
    }

    fn serve(&mut self, ask: &StoreAsk) -> StoreAnswer {
        let mut words = ask.operation.split_whitespace();
        if words.next() == Some("register") {
            let pod = ask.client.rsplit('/').next().unwrap_or_default();
            // The service is the workload: the pod's name without what its controllers added.
            let workload = pod.rsplitn(3, '-').last().unwrap_or(pod);
            let service = words.next().unwrap_or(workload);
            let pods = self.services.entry(service.into()).or_default();
            pods.insert(pod.into(), ask.address.clone());
        }
        StoreAnswer::Done { cpu_ms: 0.1, wait_ms: 0.3, hits: 1.0 }
    }

    fn console(&mut self, call: &ConsoleCall) -> ExecEnd {
        let words: Vec<&str> =
            call.words[1..].iter().map(|word| &**word).filter(|word| !word.starts_with('-')).collect();
        let text = match words.as_slice() {
            ["members"] => format!(
                "Node    Address         Status  Type    Build   Protocol  DC   Partition  Segment\nconsul  127.0.0.1:8301  \
                 alive   server  {:<7} 2         dc1  default    <all>\n",
                self.version
            ),
            ["catalog", "services"] => {
                let names = self.services.keys().cloned().chain(["consul".to_string()]);
                let mut names: Vec<String> = names.collect();
                names.sort();
                names.iter().map(|name| format!("{name}\n")).collect()
            }
            ["catalog", "nodes"] => "Node    ID        Address    DC\nconsul  5f2e8c1d  127.0.0.1  dc1\n".into(),
            ["catalog", "datacenters"] => "dc1\n".into(),
            ["kv", "get", key] => match self.keys.get(*key) {
                Some(value) => format!("{value}\n"),
                None => return ConsoleCall::fails(1, format!("Error! No key exists at: {key}\n")),
            },
            ["kv", "put", key, value] => {
                self.keys.insert((*key).into(), (*value).into());
                format!("Success! Data written to: {key}\n")
            }
            ["kv", "delete", key] => {
                self.keys.remove(*key);
                format!("Success! Deleted key: {key}\n")
            }
            ["services", "deregister", ..] => return self.deregister(&call.words),
            ["version"] => format!("Consul v{}\n", self.version),
            ["info"] => {
                "agent:\n\tcheck_monitors = 0\n\tservices = 0\nconsul:\n\tleader = true\n\tserver = true\n".into()
            }
            other => {
                let name = other.first().copied().unwrap_or_default();
                return ConsoleCall::fails(
                    127,
                    format!("Usage: consul [--version] [--help] <command> [<args>]\n\nunknown command {name:?}\n"),
                );
            }
        };
        ConsoleCall::prints(text)
    }
}

impl RegistryStore {
    fn deregister(&mut self, words: &[String]) -> ExecEnd {
        let id = words.iter().find_map(|word| word.strip_prefix("-id=")).unwrap_or_default();
        match self.services.remove(id) {
            Some(_) => ConsoleCall::prints(format!("Deregistered service: {id}\n")),
            None => ConsoleCall::fails(
                1,
                format!(
                    "Error deregistering service {id:?}: Unexpected response code: 404 (Unknown service ID {id:?}.)\n"
                ),
            ),
        }
    }
}
