//! Commands of the server.

use cluster::Stamp;

use super::{RedisEntry, RedisStore, RedisValue, size};

/// What a command answers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RedisReply {
    Status(String),
    Text(String),
    Number(i64),
    Nothing,
    List(Vec<RedisReply>),
    Error(String),
}

/// A client's connection.
pub(super) struct Link {
    pub(super) is_known: bool,
    pub(super) now: Stamp,
}

fn ok() -> RedisReply {
    RedisReply::Status("OK".into())
}

fn text(text: impl Into<String>) -> RedisReply {
    RedisReply::Text(text.into())
}

fn wrong_kind() -> RedisReply {
    RedisReply::Error("WRONGTYPE Operation against a key holding the wrong kind of value".into())
}

impl RedisStore {
    /// Runs one command of a connection.
    pub(super) fn run(&mut self, link: &mut Link, words: &[String]) -> RedisReply {
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let parts: Vec<&str> = words.iter().map(|word| &**word).collect();
        let name = lower.first().map_or("", |name| name);
        if let ("auth", [_, rest @ ..]) = (name, parts.as_slice()) {
            return match self.check_password(rest.last().copied().unwrap_or_default(), false) {
                Ok(()) => {
                    link.is_known = true;
                    ok()
                }
                Err(why) => RedisReply::Error(why),
            };
        }
        if !link.is_known && !matches!(name, "quit" | "hello" | "reset") {
            return RedisReply::Error("NOAUTH Authentication required.".into());
        }
        self.expire(link.now);
        let second = lower.get(1).map_or("", |word| word);
        match (name, second, parts.as_slice()) {
            ("ping", _, [_]) => RedisReply::Status("PONG".into()),
            ("ping" | "echo", _, [_, word]) => text(*word),
            ("config", "get", [_, _, patterns @ ..]) => self.settings_like(patterns),
            ("config", "set", [_, _, pairs @ ..]) => self.set(pairs, link.now),
            ("config", "resetstat", _) => ok(),
            ("config", "rewrite", _) => RedisReply::Error("ERR The server is running without a config file".into()),
            ("info", section, _) => text(self.info(section, link.now)),
            ("dbsize", _, _) => RedisReply::Number(self.keys.len() as i64 + self.program_keys as i64),
            ("flushall" | "flushdb", _, _) => {
                self.keys.clear();
                (self.program_keys, self.program_bytes) = (0.0, 0.0);
                ok()
            }
            ("memory", "usage", [_, _, key, ..]) => match self.keys.get(*key) {
                Some(entry) => RedisReply::Number((key.len() + size(&entry.value) + 56) as i64),
                None => RedisReply::Nothing,
            },
            ("memory", "doctor", _) => text("Hi Sam, I can't find any memory issue in your instance."),
            ("client", "list", _) => text(self.clients_listed(link.now)),
            ("client", "id", _) => RedisReply::Number(self.clients.len() as i64 + 3),
            ("client", "getname", _) => RedisReply::Nothing,
            ("client", _, _) => ok(),
            ("keys", _, [_, pattern]) => RedisReply::List(self.keys_like(pattern)),
            ("scan", _, _) => RedisReply::List(vec![text("0"), RedisReply::List(self.keys_like("*"))]),
            ("save" | "bgsave" | "select" | "quit", _, _) => ok(),
            ("shutdown", _, _) => RedisReply::Nothing,
            ("role", _, _) => {
                RedisReply::List(vec![text("master"), RedisReply::Number(0), RedisReply::List(Vec::new())])
            }
            ("slowlog", "len", _) => RedisReply::Number(0),
            ("slowlog", "reset", _) | ("monitor", _, _) => ok(),
            ("slowlog" | "latency", "get" | "latest" | "history", _) => RedisReply::List(Vec::new()),
            ("latency", "doctor", _) => text(
                "Dave, no latency spike was observed during the lifetime of this instance, not in the slightest bit.",
            ),
            ("latency", "reset", _) | ("lastsave", _, _) => RedisReply::Number(if name == "lastsave" { self.saved.secs() } else { 0 }),
            ("cluster", _, _) => RedisReply::Error("ERR This instance has cluster support disabled".into()),
            ("debug", _, _) => RedisReply::Error(
                "ERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\", you can run it from a \
                 local connection, otherwise you need to set this option in the configuration file, and then restart the \
                 server."
                    .into(),
            ),
            ("time", _, _) => {
                RedisReply::List([link.now.secs(), link.now.0.rem_euclid(1_000_000)].map(|part| text(part.to_string())).to_vec())
            }
            ("randomkey", _, _) => self.keys_like("*").into_iter().next().unwrap_or(RedisReply::Nothing),
            ("object", "encoding", [_, _, key]) => match self.keys.get(*key).map(|entry| &entry.value) {
                Some(RedisValue::Text(value)) if value.parse::<i64>().is_ok() => text("int"),
                Some(RedisValue::Text(_)) => text("embstr"),
                Some(_) => text("listpack"),
                None => RedisReply::Nothing,
            },
            ("acl", "whoami", _) => text("default"),
            ("acl", "list", _) => RedisReply::List(vec![text(match self.password().is_empty() {
                true => "user default on nopass sanitize-payload ~* &* +@all",
                false => "user default on sanitize-payload #**** ~* &* +@all",
            })]),
            _ => self.data(name, &parts, link.now),
        }
    }

    /// Commands on keys.
    fn data(&mut self, name: &str, parts: &[&str], now: Stamp) -> RedisReply {
        let is_write = matches!(name, "set" | "setex" | "hset" | "lpush" | "rpush" | "incr" | "append");
        if is_write && self.is_full() && !self.evicts() {
            return RedisReply::Error("OOM command not allowed when used memory > 'maxmemory'.".into());
        }
        match (name, parts) {
            ("get", [_, key]) => match self.keys.get(*key).map(|entry| &entry.value) {
                Some(RedisValue::Text(value)) => text(&**value),
                Some(_) => wrong_kind(),
                None => RedisReply::Nothing,
            },
            ("set", [_, key, value, options @ ..]) => {
                let seconds = match options {
                    ["EX" | "ex", seconds] => seconds.parse::<i64>().ok(),
                    _ => None,
                };
                let expires = seconds.map(|seconds| now.after_secs(seconds));
                self.keys.insert((*key).into(), RedisEntry { value: RedisValue::Text((*value).into()), expires });
                ok()
            }
            ("del" | "unlink", [_, keys @ ..]) if !keys.is_empty() => {
                RedisReply::Number(keys.iter().filter(|key| self.keys.remove(**key).is_some()).count() as i64)
            }
            ("exists", [_, keys @ ..]) if !keys.is_empty() => {
                RedisReply::Number(keys.iter().filter(|key| self.keys.contains_key(**key)).count() as i64)
            }
            ("type", [_, key]) => RedisReply::Status(
                match self.keys.get(*key).map(|entry| &entry.value) {
                    Some(RedisValue::Text(_)) => "string",
                    Some(RedisValue::Hash(_)) => "hash",
                    Some(RedisValue::List(_)) => "list",
                    None => "none",
                }
                .into(),
            ),
            ("strlen", [_, key]) => match self.keys.get(*key).map(|entry| &entry.value) {
                Some(RedisValue::Text(value)) => RedisReply::Number(value.len() as i64),
                Some(_) => wrong_kind(),
                None => RedisReply::Number(0),
            },
            ("ttl", [_, key]) => RedisReply::Number(match self.keys.get(*key).map(|entry| entry.expires) {
                Some(Some(expires)) => expires.secs() - now.secs(),
                Some(None) => -1,
                None => -2,
            }),
            ("expire", [_, key, seconds]) => {
                let until = seconds.parse::<i64>().ok().map(|seconds| now.after_secs(seconds));
                let entry = self.keys.get_mut(*key).map(|entry| entry.expires = until);
                RedisReply::Number(i64::from(entry.is_some()))
            }
            ("mget", [_, keys @ ..]) if !keys.is_empty() => {
                let one = |key: &&str| match self.keys.get(*key).map(|entry| &entry.value) {
                    Some(RedisValue::Text(value)) => text(&**value),
                    _ => RedisReply::Nothing,
                };
                RedisReply::List(keys.iter().map(one).collect())
            }
            ("incr", [_, key]) => self.increase(key),
            ("hset", [_, key, pairs @ ..]) if !pairs.is_empty() && pairs.len().is_multiple_of(2) => {
                self.hash_set(key, pairs)
            }
            ("hget", [_, key, field]) => match self.hash(key) {
                Ok(fields) => fields.and_then(|fields| fields.get(*field)).map_or(RedisReply::Nothing, |v| text(&**v)),
                Err(error) => error,
            },
            ("hgetall", [_, key]) => match self.hash(key) {
                Ok(fields) => {
                    let pairs = fields.into_iter().flatten();
                    RedisReply::List(pairs.flat_map(|(name, value)| [text(&**name), text(&**value)]).collect())
                }
                Err(error) => error,
            },
            ("hlen", [_, key]) => match self.hash(key) {
                Ok(fields) => RedisReply::Number(fields.map_or(0, |fields| fields.len() as i64)),
                Err(error) => error,
            },
            ("lpush" | "rpush", [_, key, values @ ..]) if !values.is_empty() => self.push(key, values, name == "lpush"),
            ("lrange", [_, key, _, _]) => match self.keys.get(*key).map(|entry| &entry.value) {
                Some(RedisValue::List(items)) => RedisReply::List(items.iter().map(|item| text(&**item)).collect()),
                Some(_) => wrong_kind(),
                None => RedisReply::List(Vec::new()),
            },
            (known, _) if KNOWN.contains(&known) => {
                RedisReply::Error(format!("ERR wrong number of arguments for '{known}' command"))
            }
            _ => {
                let args: String = parts.iter().skip(1).map(|arg| format!("'{arg}' ")).collect();
                let name = parts.first().copied().unwrap_or_default();
                RedisReply::Error(format!("ERR unknown command '{name}', with args beginning with: {args}"))
            }
        }
    }

    fn expire(&mut self, now: Stamp) {
        self.keys.retain(|_, entry| entry.expires.is_none_or(|expires| expires > now));
    }

    fn hash(&self, key: &str) -> Result<Option<&std::collections::BTreeMap<String, String>>, RedisReply> {
        match self.keys.get(key).map(|entry| &entry.value) {
            Some(RedisValue::Hash(fields)) => Ok(Some(fields)),
            Some(_) => Err(wrong_kind()),
            None => Ok(None),
        }
    }

    fn hash_set(&mut self, key: &str, pairs: &[&str]) -> RedisReply {
        let fresh = || RedisEntry { value: RedisValue::Hash(Default::default()), expires: None };
        let entry = self.keys.entry(key.into()).or_insert_with(fresh);
        let RedisValue::Hash(fields) = &mut entry.value else { return wrong_kind() };
        let new = pairs.chunks(2).filter(|pair| fields.insert(pair[0].into(), pair[1].into()).is_none());
        RedisReply::Number(new.count() as i64)
    }

    fn push(&mut self, key: &str, values: &[&str], at_front: bool) -> RedisReply {
        let fresh = || RedisEntry { value: RedisValue::List(Vec::new()), expires: None };
        let entry = self.keys.entry(key.into()).or_insert_with(fresh);
        let RedisValue::List(items) = &mut entry.value else { return wrong_kind() };
        for value in values {
            items.insert(if at_front { 0 } else { items.len() }, (*value).into());
        }
        RedisReply::Number(items.len() as i64)
    }

    fn increase(&mut self, key: &str) -> RedisReply {
        let fresh = || RedisEntry { value: RedisValue::Text("0".into()), expires: None };
        let entry = self.keys.entry(key.into()).or_insert_with(fresh);
        let RedisValue::Text(value) = &mut entry.value else { return wrong_kind() };
        match value.parse::<i64>() {
            Ok(number) => {
                *value = (number + 1).to_string();
                RedisReply::Number(number + 1)
            }
            Err(_) => RedisReply::Error("ERR value is not an integer or out of range".into()),
        }
    }

    fn keys_like(&self, pattern: &str) -> Vec<RedisReply> {
        let programs = (0..(self.program_keys as usize).min(100)).map(|number| format!("session:{number:06}"));
        let own = self.keys.keys().cloned().chain(programs);
        own.filter(|key| is_like(pattern, key)).map(text).collect()
    }

    fn settings_like(&self, patterns: &[&str]) -> RedisReply {
        let wanted = |name: &str| patterns.iter().any(|pattern| is_like(&pattern.to_lowercase(), name));
        let found = self.settings.iter().filter(|(name, _)| wanted(name));
        let shown = |name: &str, value: &str| match name {
            "maxmemory" => super::bytes(value).unwrap_or(0.0).to_string(),
            _ => value.to_string(),
        };
        RedisReply::List(found.flat_map(|(name, value)| [text(&**name), text(shown(name, value))]).collect())
    }

    fn set(&mut self, pairs: &[&str], now: Stamp) -> RedisReply {
        if pairs.is_empty() || !pairs.len().is_multiple_of(2) {
            return RedisReply::Error("ERR wrong number of arguments for 'config|set' command".into());
        }
        for pair in pairs.chunks(2) {
            let name = pair[0].to_lowercase();
            if !self.settings.contains_key(&name) {
                return RedisReply::Error(format!(
                    "ERR Unknown option or number of arguments for CONFIG SET - '{}'",
                    pair[0]
                ));
            }
            let is_number = super::bytes(pair[1]).is_some();
            if name == "maxmemory" && !is_number {
                return RedisReply::Error(format!(
                    "ERR CONFIG SET failed (possibly related to argument '{name}') - argument must be a memory value"
                ));
            }
            if name == "requirepass" {
                self.password_since = now;
            }
            self.settings.insert(name, pair[1].into());
        }
        ok()
    }

    /// Who is connected: programs, and the one who asks.
    fn clients_listed(&self, now: Stamp) -> String {
        let row = |id: usize, address: &str, since: Stamp, heard: Stamp, command: &str| {
            let (age, idle) = (now.secs() - since.secs(), now.secs() - heard.secs());
            format!(
                "id={id} addr={address} laddr=127.0.0.1:6379 fd={} name= age={age} idle={idle} flags=N db=0 cmd={command} \
                 user=default\n",
                id + 5
            )
        };
        let programs = self.clients.iter().enumerate().map(|(at, (address, (since, heard)))| {
            row(at + 3, &format!("{address}:{}", 32_768 + at * 37), *since, *heard, "get")
        });
        let own = row(self.clients.len() + 3, "127.0.0.1:41234", now, now, "client|list");
        programs.chain([own]).collect()
    }

    fn info(&self, section: &str, now: Stamp) -> String {
        let wants = |name: &str| matches!(section, "" | "all" | "default" | "everything") || section == name;
        let used = self.used();
        let mut out = Vec::new();
        if wants("server") {
            let up = now.secs() - self.started.secs();
            let version = match self.version.starts_with(['8', '9']) {
                // For the sake of old clients a server of Valkey says what it would be.
                true => format!("redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:{}", self.version),
                false => format!("redis_version:{}", self.version),
            };
            out.push(format!(
                "# Server\r\n{version}\r\nredis_mode:standalone\r\nos:Linux 6.1.0 x86_64\r\ntcp_port:6379\r\n\
                 uptime_in_seconds:{up}\r\nuptime_in_days:{}\r\n",
                up / 86_400
            ));
        }
        if wants("clients") {
            let most = self.settings.get("maxclients").map_or("", |most| most);
            let count = self.clients.len() + 1;
            out.push(format!("# Clients\r\nconnected_clients:{count}\r\nmaxclients:{most}\r\nblocked_clients:0\r\n"));
        }
        if wants("memory") {
            out.push(format!(
                "# Memory\r\nused_memory:{}\r\nused_memory_human:{}\r\nused_memory_rss:{}\r\nmaxmemory:{}\r\n\
                 maxmemory_human:{}\r\nmaxmemory_policy:{}\r\nmem_fragmentation_ratio:1.30\r\n",
                used as i64,
                human(used),
                (used * 1.3) as i64,
                self.limit() as i64,
                human(self.limit()),
                self.settings.get("maxmemory-policy").map_or("", |policy| policy),
            ));
        }
        if wants("persistence") {
            let (changes, saved) = (self.changes as i64, self.saved.secs());
            out.push(format!(
                "# Persistence\r\nloading:0\r\nrdb_changes_since_last_save:{changes}\r\nrdb_bgsave_in_progress:0\r\n\
                 rdb_last_save_time:{saved}\r\nrdb_last_bgsave_status:ok\r\naof_enabled:{}\r\n",
                u8::from(self.settings.get("appendonly").is_some_and(|value| value == "yes"))
            ));
        }
        if wants("stats") {
            out.push(format!(
                "# Stats\r\ntotal_commands_processed:{}\r\nrejected_connections:0\r\nexpired_keys:0\r\nevicted_keys:{}\r\n",
                self.commands as i64, self.evicted as i64
            ));
        }
        if wants("replication") {
            out.push("# Replication\r\nrole:master\r\nconnected_slaves:0\r\n".into());
        }
        if wants("keyspace") {
            let keys = self.keys.len() + self.program_keys as usize;
            let line = if keys > 0 { format!("db0:keys={keys},expires=0,avg_ttl=0\r\n") } else { String::new() };
            out.push(format!("# Keyspace\r\n{line}"));
        }
        out.join("\r\n")
    }
}

const KNOWN: &[&str] = &[
    "get", "set", "del", "unlink", "exists", "type", "strlen", "ttl", "expire", "incr", "hset", "hget", "hgetall",
    "hlen", "mget", "lpush", "rpush", "lrange", "keys", "config", "memory", "echo", "auth",
];

fn human(bytes: f64) -> String {
    match bytes {
        b if b >= 1024.0 * 1024.0 * 1024.0 => format!("{:.2}G", b / 1024.0 / 1024.0 / 1024.0),
        b if b >= 1024.0 * 1024.0 => format!("{:.2}M", b / 1024.0 / 1024.0),
        b if b >= 1024.0 => format!("{:.2}K", b / 1024.0),
        b => format!("{b}B"),
    }
}

/// Whether a text is like a pattern with `*` and `?`.
pub(super) fn is_like(pattern: &str, text: &str) -> bool {
    match (pattern.chars().next(), text.chars().next()) {
        (None, None) => true,
        (Some('*'), _) => {
            is_like(&pattern[1..], text)
                || text.chars().next().is_some_and(|first| is_like(pattern, &text[first.len_utf8()..]))
        }
        (Some('?'), Some(first)) => is_like(&pattern[1..], &text[first.len_utf8()..]),
        (Some(a), Some(b)) if a == b => is_like(&pattern[a.len_utf8()..], &text[b.len_utf8()..]),
        _ => false,
    }
}
