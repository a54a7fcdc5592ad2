//! Who is connected, what they hold, and who waits for whom.

use cluster::Stamp;

use super::PgStore;
use super::boot::said;

/// A session of a person or a job that holds something while it runs.
#[derive(Clone, Debug, Default)]
pub(super) struct PgSession {
    pub(super) user: String,
    pub(super) database: String,
    /// Empty for the server's own machine.
    pub(super) address: String,
    pub(super) query: String,
    pub(super) began: Stamp,
    /// When it ends by itself.
    pub(super) until: Stamp,
    /// Tables and lock modes.
    pub(super) locks: Vec<((String, String), String)>,
    /// Whether it sleeps in a query rather than between two.
    pub(super) is_sleeping: bool,
}

/// A schema and a table.
pub(super) type TableName = (String, String);

impl PgStore {
    /// Checks who connects.
    pub(super) fn log_in(&mut self, user: &str, password: &str, database: &str, now: Stamp) -> Result<(), String> {
        let limit: usize = self.setting("max_connections").parse().unwrap_or(100);
        let connected = self.connections(now);
        let is_superuser = self.roles.get(user).is_some_and(|role| role.is_superuser);
        if connected >= limit {
            return Err("sorry, too many clients already".into());
        }
        if connected + 3 >= limit && !is_superuser {
            let why = "remaining connection slots are reserved for roles with the SUPERUSER attribute";
            return Err(why.into());
        }
        match self.roles.get(user) {
            Some(role) if role.password == password && !password.is_empty() => {
                if !role.may_log_in {
                    return Err(format!("role \"{user}\" is not permitted to log in"));
                }
                if role.connection_limit == 0 {
                    return Err(format!("too many connections for role \"{user}\""));
                }
            }
            _ => {
                let why = format!("password authentication failed for user \"{user}\"");
                self.pending.push(said(now, "FATAL", &why));
                let detail = "Connection matched file \"/var/lib/postgresql/data/pg_hba.conf\" line 128: \"host all all all \
                              scram-sha-256\"";
                self.pending.push(said(now, "DETAIL", detail));
                self.pending.truncate(20);
                return Err(why);
            }
        }
        match self.databases.contains_key(database) {
            true => Ok(()),
            false => Err(format!("database \"{database}\" does not exist")),
        }
    }

    /// How many connections there are.
    fn connections(&self, now: Stamp) -> usize {
        let programs = self.programs.values().filter(|link| now.secs() - link.heard.secs() < 60).count();
        // A program keeps a small pool.
        self.sessions.len() + programs * 4
    }

    /// The table that a name means: with its schema, or in the search path.
    pub(super) fn table_name(&self, database: &str, name: &str) -> Result<TableName, String> {
        let tables = self.databases.get(database).map(|database| &database.tables);
        let found = tables.and_then(|tables| {
            let wanted = match name.split_once('.') {
                Some((schema, table)) => (schema.to_string(), table.to_string()),
                None => ("public".to_string(), name.to_string()),
            };
            let exact = tables.contains_key(&wanted).then_some(wanted);
            // Programs are configured with a search path of their own.
            exact.or_else(|| tables.keys().find(|(_, table)| !name.contains('.') && table == name).cloned())
        });
        found.ok_or_else(|| format!("relation \"{name}\" does not exist"))
    }

    /// Whether a role may do something with a table.
    pub(super) fn check_right(&self, user: &str, database: &str, name: &TableName, verb: &str) -> Result<(), String> {
        let table = self.databases.get(database).and_then(|database| database.tables.get(name));
        let is_free = self.roles.get(user).is_some_and(|role| role.is_superuser)
            || table.is_some_and(|table| {
                table.owner == user
                    || [user, "public"].iter().any(|role| table.grants.contains(&(role.to_string(), verb.to_string())))
            });
        if is_free { Ok(()) } else { Err(format!("permission denied for table {}", name.1)) }
    }

    /// Whether a table's lock is in the way of a statement.
    pub(super) fn is_locked(&self, name: &TableName, verb: &str, pid: u32, now: Stamp) -> bool {
        self.holder(name, verb, pid, now).is_some()
    }

    pub(super) fn holder(&self, name: &TableName, verb: &str, pid: u32, now: Stamp) -> Option<(u32, Stamp)> {
        let is_in_the_way = |mode: &str| match mode {
            "AccessExclusiveLock" => true,
            "ExclusiveLock" | "ShareLock" | "ShareRowExclusiveLock" => verb != "SELECT",
            _ => false,
        };
        let held = self.sessions.iter().filter(|(own, session)| **own != pid && session.until > now);
        let mut held =
            held.filter(|(_, session)| session.locks.iter().any(|(of, mode)| of == name && is_in_the_way(mode)));
        held.next().map(|(pid, session)| (*pid, session.until))
    }

    /// Ends a session; whether there was one.
    pub(super) fn terminate(&mut self, pid: u32, now: Stamp) -> bool {
        let ended = self.sessions.remove(&pid).is_some();
        let before = self.programs.len();
        self.programs.retain(|_, link| link.pid != pid);
        let is_program = self.programs.len() < before;
        if ended || is_program {
            self.pending.push(said(now, "FATAL", "terminating connection due to administrator command"));
        }
        ended || is_program
    }
}
