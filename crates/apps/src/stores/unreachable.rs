//! What clients say when no server answers.

use cluster::ExecEnd;

use super::ConsoleCall;

/// What a client leaves that could not connect; the reason is that of the hop: `refused`, `name`, or anything else.
pub fn unreachable(client: &str, host: &str, port: u16, why: &str) -> ExecEnd {
    let is_name = why.contains("name") || why.contains("dns") || why.contains("nxdomain");
    let what = match why {
        _ if is_name => "Name or service not known",
        why if why.contains("refused") => "Connection refused",
        _ => "Connection timed out",
    };
    let place = format!("{host}:{port}");
    let (code, text) = match client {
        "psql" if is_name => (2, format!("psql: error: could not translate host name \"{host}\" to address: {what}")),
        "psql" if host == "127.0.0.1" => (
            2,
            format!(
                "psql: error: connection to server on socket \"/var/run/postgresql/.s.PGSQL.{port}\" failed: No such file or \
                 directory\n\tIs the server running locally and accepting connections on that socket?"
            ),
        ),
        "psql" => (
            2,
            format!(
                "psql: error: connection to server at \"{host}\", port {port} failed: {what}\n\tIs the server running on that \
                 host and accepting TCP/IP connections?"
            ),
        ),
        "pg_isready" => (2, format!("{place} - no response")),
        "mongo" => (
            1,
            format!(
                "Error: couldn't connect to server {place}, connection attempt failed: SocketException: Error connecting to \
                 {place} :: caused by :: {what} :\nconnect@src/mongo/shell/mongo.js:374:17\n@(connect):2:6\nexception: \
                 connect failed\nexiting with code 1"
            ),
        ),
        "mongosh" if is_name => (1, format!("MongoNetworkError: getaddrinfo ENOTFOUND {host}")),
        "mongosh" => (1, format!("MongoNetworkError: connect ECONNREFUSED {place}")),
        "redis-cli" => (1, format!("Could not connect to Redis at {place}: {what}")),
        "valkey-cli" => (1, format!("Could not connect to Valkey at {place}: {what}")),
        "mysql" => (1, format!("ERROR 2003 (HY000): Can't connect to MySQL server on '{place}' (111)")),
        "consul" => (1, format!("Error: Get \"http://{place}\": dial tcp {place}: connect: connection refused")),
        "rabbitmqctl" => (69, "Error: unable to perform an operation on node 'rabbit@rabbitmq'.".to_string()),
        tool => {
            (1, format!("{tool}: Connection to node -1 ({place}) could not be established. Node may not be available."))
        }
    };
    ConsoleCall::fails(code, format!("{text}\n"))
}
