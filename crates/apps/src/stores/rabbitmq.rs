//! RabbitMQ: queues, their messages and consumers, users.

use std::collections::BTreeMap;

use cluster::{ExecEnd, Stamp};

use super::console::digest_of;
use super::{ConsoleCall, DataStore, StoreAnswer, StoreAsk, StoreKind, StoreServer, StoreStart};

/// The kind.
pub const KIND: StoreKind = StoreKind {
    name: "rabbitmq",
    clients: &["rabbitmqctl", "rabbitmq-diagnostics"],
    fresh: || Box::new(RabbitStore::default()),
};

/// A node.
#[derive(Clone, Debug, Default)]
struct RabbitStore {
    users: BTreeMap<String, (String, String)>,
    queues: BTreeMap<String, RabbitQueue>,
    started: Stamp,
}

#[derive(Clone, Debug, Default)]
struct RabbitQueue {
    messages: f64,
    /// Its consumers, and when each was last heard.
    consumers: BTreeMap<String, Stamp>,
}

impl DataStore for RabbitStore {
    fn copy(&self) -> Box<dyn DataStore> {
        Box::new(self.clone())
    }

    fn digest(&self) -> u64 {
        digest_of(self)
    }

    fn start(&mut self, server: &StoreServer) -> StoreStart {
        let env = |name: &str, other: &str| server.env.get(name).cloned().unwrap_or_else(|| other.into());
        let (user, password) = (env("RABBITMQ_DEFAULT_USER", "guest"), env("RABBITMQ_DEFAULT_PASS", "guest"));
        self.users.entry(user).or_insert((password, "administrator".into()));
        self.started = server.now;
        let time = server.logs_at.rfc3339_micro().replace('T', " ").trim_end_matches('Z').to_string() + "+00:00";
        let say = |text: &str| format!("{time} [info] <0.9.0> {text}");
        StoreStart::Listens(vec![
            say("Starting RabbitMQ 3.13.7 on Erlang 26.2.5"),
            say("started TCP listener on [::]:5672"),
            say("Server startup complete; 4 plugins started."),
        ])
    }

    fn serve(&mut self, ask: &StoreAsk) -> StoreAnswer {
        let user = if ask.user.is_empty() { "guest" } else { &ask.user };
        let password = if ask.user.is_empty() { "guest" } else { &ask.password };
        if self.users.get(user).is_none_or(|(own, _)| own != password) {
            return StoreAnswer::Refused(
                "ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN. For details see the broker \
                 logfile."
                    .into(),
            );
        }
        let mut words = ask.operation.split_whitespace();
        let (verb, name) = (words.next().unwrap_or("publish"), words.next().unwrap_or("email"));
        let queue = self.queues.entry(name.into()).or_default();
        match verb {
            "publish" => queue.messages += ask.rate,
            _ => {
                queue.consumers.insert(ask.client.clone(), ask.now);
                queue.messages = (queue.messages - ask.rate.max(1.0)).max(0.0);
            }
        }
        StoreAnswer::Done { cpu_ms: 0.1, wait_ms: 0.5, hits: 1.0 }
    }

    fn console(&mut self, call: &ConsoleCall) -> ExecEnd {
        let words: Vec<&str> =
            call.words[1..].iter().map(|word| &**word).filter(|word| !word.starts_with('-')).collect();
        let text = match words.as_slice() {
            ["status"] => format!(
                "Status of node rabbit@rabbitmq ...\nRuntime\n\nOS PID: 1\nUptime (seconds): {}\nRabbitMQ version: \
                 3.13.7\n\nAlarms\n\n(none)\n\nTotals\n\nQueue count: {}\n",
                call.now.secs() - self.started.secs(),
                self.queues.len()
            ),
            ["ping"] => {
                "Will ping rabbit@rabbitmq. This only checks if the OS process is running\nPing succeeded\n".into()
            }
            ["list_queues", columns @ ..] => self.queues_table(columns),
            ["check_running" | "check_local_alarms" | "check_alarms" | "check_port_connectivity"] => {
                "Checking if RabbitMQ is running on node rabbit@rabbitmq ...\nRabbitMQ on node rabbit@rabbitmq is fully booted and \
                 running\n"
                    .into()
            }
            ["node_health_check"] => "Timeout: 70 seconds ...\nHealth check passed\n".into(),
            ["list_vhosts", ..] => "Listing vhosts ...\nname\n/\n".into(),
            ["cluster_status"] => "Cluster status of node rabbit@rabbitmq ...\nBasics\n\nCluster name: rabbit@rabbitmq\n\nDisk Nodes\n\n\
                 rabbit@rabbitmq\n\nRunning Nodes\n\nrabbit@rabbitmq\n\nVersions\n\nrabbit@rabbitmq: RabbitMQ 3.13.7 on Erlang \
                 26.2.5\n\nAlarms\n\n(none)\n\nNetwork Partitions\n\n(none)\n"
                .into(),
            ["list_exchanges", ..] => {
                let kinds = [("", "direct"), ("amq.direct", "direct"), ("amq.fanout", "fanout"), ("amq.headers", "headers"),
                    ("amq.match", "headers"), ("amq.rabbitmq.trace", "topic"), ("amq.topic", "topic")];
                let rows: String = kinds.iter().map(|(name, kind)| format!("{name}\t{kind}\n")).collect();
                format!("Listing exchanges for vhost / ...\nname\ttype\n{rows}")
            }
            ["list_bindings", ..] => {
                let rows: String = self.queues.keys().map(|name| format!("\texchange\t{name}\tqueue\t{name}\t[]\n")).collect();
                format!("Listing bindings for vhost /...\nsource_name\tsource_kind\tdestination_name\tdestination_kind\trouting_key\targuments\n{rows}")
            }
            ["list_permissions", ..] => {
                let rows: String = self.users.keys().map(|name| format!("{name}\t.*\t.*\t.*\n")).collect();
                format!("Listing permissions for vhost \"/\" ...\nuser\tconfigure\twrite\tread\n{rows}")
            }
            ["list_connections" | "list_channels", ..] => {
                let clients = self.queues.values().flat_map(|queue| queue.consumers.keys());
                let mut clients: Vec<&String> = clients.collect();
                clients.sort();
                clients.dedup();
                let rows: String = clients.iter().map(|client| format!("guest\t{client}\trunning\n")).collect();
                format!("Listing {} ...\nuser\tpeer_host\tstate\n{rows}", words[0].trim_start_matches("list_"))
            }
            ["list_users"] => {
                let rows: String = self.users.iter().map(|(name, (_, tag))| format!("{name}\t[{tag}]\n")).collect();
                format!("Listing users ...\nuser\ttags\n{rows}")
            }
            ["list_consumers"] => {
                let rows = self.queues.iter().flat_map(|(queue, found)| {
                    found.consumers.keys().map(move |client| format!("{queue}\t<{client}>\tamq.ctag\ttrue\t250\n"))
                });
                let rows: String = rows.collect();
                format!(
                    "Listing consumers in vhost / ...\nqueue_name\tchannel_pid\tconsumer_tag\tack_required\tprefetch_count\n{rows}"
                )
            }
            ["purge_queue", name] => match self.queues.get_mut(*name) {
                Some(queue) => {
                    let count = std::mem::take(&mut queue.messages) as i64;
                    format!("Purging queue '{name}' in vhost '/' ...\nPurged {count} messages\n")
                }
                None => return ConsoleCall::fails(65, format!("Error:\nQueue '{name}' not found\n")),
            },
            ["delete_queue", name] => match self.queues.remove(*name) {
                Some(queue) => format!(
                    "Deleting queue '{name}' on vhost '/' ...\nQueue was successfully deleted with {} messages\n",
                    queue.messages as i64
                ),
                None => return ConsoleCall::fails(65, format!("Error:\nQueue '{name}' not found\n")),
            },
            ["change_password", name, password] => match self.users.get_mut(*name) {
                Some(user) => {
                    user.0 = (*password).into();
                    format!("Changing password for user \"{name}\" ...\n")
                }
                None => return ConsoleCall::fails(67, format!("Error:\nUser \"{name}\" does not exist\n")),
            },
            ["add_user", name, password] => {
                self.users.insert((*name).into(), ((*password).into(), String::new()));
                format!(
                    "Adding user \"{name}\" ...\nDone. Don't forget to grant the user permissions to some virtual hosts! See 'rabbitmqctl help set_permissions' to learn more.\n"
                )
            }
            ["delete_user", name] => match self.users.remove(*name) {
                Some(_) => format!("Deleting user \"{name}\" ...\n"),
                None => return ConsoleCall::fails(67, format!("Error:\nUser \"{name}\" does not exist\n")),
            },
            other => {
                let name = other.first().copied().unwrap_or("help");
                let why = format!("\nCommand '{name}' not found. \n\nFor usage, see 'rabbitmqctl help'\n");
                return ConsoleCall::fails(64, why);
            }
        };
        ConsoleCall::prints(text)
    }

    fn tick(&mut self, now: Stamp) -> Vec<String> {
        for queue in self.queues.values_mut() {
            queue.consumers.retain(|_, heard| now.secs() - heard.secs() < 60);
        }
        Vec::new()
    }

    fn memory(&self) -> i64 {
        (self.queues.values().map(|queue| queue.messages).sum::<f64>() * 2048.0) as i64
    }
}

impl RabbitStore {
    fn queues_table(&self, columns: &[&str]) -> String {
        let columns = if columns.is_empty() { &["name", "messages"][..] } else { columns };
        let cell = |name: &str, queue: &RabbitQueue, column: &str| match column {
            "name" => name.to_string(),
            "consumers" => queue.consumers.len().to_string(),
            "messages" | "messages_ready" => (queue.messages as i64).to_string(),
            _ => "0".into(),
        };
        let row = |(name, queue): (&String, &RabbitQueue)| {
            let cells: Vec<String> = columns.iter().map(|column| cell(name, queue, column)).collect();
            format!("{}\n", cells.join("\t"))
        };
        let rows: String = self.queues.iter().map(row).collect();
        format!("Timeout: 60.0 seconds ...\nListing queues for vhost / ...\n{}\n{rows}", columns.join("\t"))
    }
}
