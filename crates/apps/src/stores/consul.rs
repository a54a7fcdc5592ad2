//! Consul and Nacos: which services have registered, and keys with values.

use std::collections::BTreeMap;

use cluster::{ExecEnd, HttpAnswer, HttpAsk, Stamp};
use serde_json::{Value, json};

use super::console::digest_of;
use super::{ConsoleCall, DataStore, StoreAnswer, StoreAsk, StoreKind, StoreServer, StoreStart, in_json, in_text};

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

    fn asked(&mut self, ask: &HttpAsk, _now: Stamp) -> Option<HttpAnswer> {
        match self.name {
            "nacos" => self.of_nacos(ask),
            _ => Some(self.of_consul(ask)),
        }
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
            ["operator", "raft", "list-peers"] => {
                "Node    ID                                    Address         State   Voter  RaftProtocol  Commit Index  Trails Leader By\n\
                 consul  5f2e8c1d-9c0b-4a67-8f43-2b1f7d6a9e10  127.0.0.1:8300  leader  true   3             118           -\n"
                    .into()
            }
            ["intention", "list"] => "There are no intentions.\n".into(),
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
    /// The HTTP API of Consul.
    fn of_consul(&mut self, ask: &HttpAsk) -> HttpAnswer {
        let path = ask.path.split('?').next().unwrap_or_default();
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let all = |own: &Self, name: &str| -> Vec<Value> {
            let pods = own.services.get(name).into_iter().flatten();
            pods.map(|(pod, address)| {
                json!({"Node": "consul", "ServiceID": pod, "ServiceName": name,
                "ServiceAddress": address})
            })
            .collect()
        };
        match (&*ask.method, parts.as_slice()) {
            ("GET", ["v1", "status", "leader"]) => in_json(200, &json!("127.0.0.1:8300")),
            ("GET", ["v1", "status", "peers"]) => in_json(200, &json!(["127.0.0.1:8300"])),
            ("GET", ["v1", "agent", "members"]) => {
                in_json(200, &json!([{"Name": "consul", "Addr": "127.0.0.1", "Port": 8301, "Status": 1}]))
            }
            ("GET", ["v1", "catalog", "services"]) => {
                let names = self.services.keys().map(|name| (name.clone(), json!([])));
                in_json(
                    200,
                    &names.chain([("consul".to_string(), json!([]))]).collect::<serde_json::Map<_, _>>().into(),
                )
            }
            ("GET", ["v1", "catalog", "nodes"]) => in_json(200, &json!([{"Node": "consul", "Address": "127.0.0.1"}])),
            ("GET", ["v1", "catalog", "service", name]) => in_json(200, &all(self, name).into()),
            ("GET", ["v1", "health", "service", name]) => {
                let rows = all(self, name).into_iter();
                let rows: Vec<Value> = rows
                    .map(|service| {
                        json!({"Node": {"Node": "consul"}, "Service": {
                    "ID": service["ServiceID"], "Service": name, "Address": service["ServiceAddress"]},
                    "Checks": [{"CheckID": "serfHealth", "Status": "passing"}]})
                    })
                    .collect();
                in_json(200, &rows.into())
            }
            ("GET", ["v1", "kv", key @ ..]) => match self.keys.get(&key.join("/")) {
                Some(value) => {
                    in_json(200, &json!([{"Key": key.join("/"), "Value": cluster::base64(value.as_bytes())}]))
                }
                None => in_text(404, ""),
            },
            ("PUT", ["v1", "kv", key @ ..]) => {
                self.keys.insert(key.join("/"), String::from_utf8_lossy(&ask.body).into_owned());
                in_json(200, &json!(true))
            }
            _ => in_text(404, "Invalid URL path: not a recognized HTTP API endpoint\n"),
        }
    }

    /// The HTTP API of Nacos.
    fn of_nacos(&self, ask: &HttpAsk) -> Option<HttpAnswer> {
        let (path, query) = ask.path.split_once('?').unwrap_or((&ask.path, ""));
        let given = |name: &str| query.split('&').filter_map(|pair| pair.split_once('=')).find(|(own, _)| *own == name);
        Some(match path.strip_prefix("/nacos")? {
            "/v1/console/health/readiness" | "/v1/console/health/liveness" => in_text(200, "OK"),
            "/v1/ns/service/list" => {
                let names: Vec<&String> = self.services.keys().collect();
                in_json(200, &json!({"count": names.len(), "doms": names}))
            }
            "/v1/ns/instance/list" => {
                let name = given("serviceName").map_or("", |(_, name)| name);
                let pods = self.services.get(name).into_iter().flatten();
                let hosts: Vec<Value> = pods
                    .map(|(_, address)| {
                        json!({"ip": address, "healthy": true, "enabled": true,
                    "serviceName": format!("DEFAULT_GROUP@@{name}")})
                    })
                    .collect();
                in_json(200, &json!({"name": format!("DEFAULT_GROUP@@{name}"), "hosts": hosts}))
            }
            "/v1/ns/operator/metrics" => in_json(200, &json!({"status": "UP", "serviceCount": self.services.len()})),
            "/v1/cs/configs" => in_text(404, "config data not exist"),
            _ => return None,
        })
    }

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
