//! Who may do what.

use std::collections::BTreeSet;

use super::MongoStore;

/// A user: how it proves that, and its roles with their databases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MongoUser {
    pub(super) password: String,
    pub(super) roles: BTreeSet<(String, String)>,
}

/// A user that has logged in: database and name.
pub(super) type Principal = (String, String);

/// What commands need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Nothing: `ping`, `hello`.
    Free,
    Read,
    Write,
    /// Statistics, validation, indexes of a database.
    Administer,
    /// Users of a database.
    Users,
    ListDatabases,
    /// Looking at the server.
    Monitor,
    /// Changing the server.
    Manage,
}

impl MongoStore {
    /// Whom a client's credentials make it; nothing for one that gave none.
    pub(super) fn log_in(&self, database: &str, user: &str, password: &str) -> Result<Option<Principal>, String> {
        if user.is_empty() {
            return Ok(None);
        }
        let own = |database: &str| {
            let key = (database.to_string(), user.to_string());
            self.users.get(&key).map(|found| (key, found))
        };
        match own(database).or_else(|| own("admin")) {
            Some((key, found)) if found.password == password => Ok(Some(key)),
            Some(_) => Err("AuthenticationFailed: SCRAM authentication failed, storedKey mismatch".into()),
            None => Err(format!("UserNotFound: Could not find user \"{user}\" for db \"{database}\"")),
        }
    }

    /// Whether a client may do something with a database.
    pub(super) fn may(&self, user: Option<&Principal>, action: Action, database: &str) -> bool {
        if !self.server.has_access_control || action == Action::Free {
            return true;
        }
        let roles = user.and_then(|user| self.users.get(user)).map(|user| &user.roles);
        roles.is_some_and(|roles| roles.iter().any(|(role, of)| grants(role, of, action, database)))
    }
}

fn grants(role: &str, of: &str, action: Action, database: &str) -> bool {
    use Action::{Administer, ListDatabases, Manage, Monitor, Read, Users, Write};
    let anywhere = of == "admin";
    let here = of == database;
    match role {
        "root" | "__system" => anywhere,
        "read" => here && action == Read,
        "readWrite" => here && matches!(action, Read | Write),
        "dbAdmin" => here && matches!(action, Administer | Read),
        "userAdmin" => here && action == Users,
        "dbOwner" => here && matches!(action, Read | Write | Administer | Users),
        "readAnyDatabase" => anywhere && matches!(action, Read | ListDatabases),
        "readWriteAnyDatabase" => anywhere && matches!(action, Read | Write | ListDatabases),
        "dbAdminAnyDatabase" => anywhere && matches!(action, Administer | ListDatabases),
        "userAdminAnyDatabase" => anywhere && matches!(action, Users | ListDatabases),
        "clusterMonitor" => anywhere && matches!(action, Monitor | ListDatabases),
        "hostManager" => anywhere && action == Manage,
        "clusterAdmin" | "clusterManager" => anywhere && matches!(action, Monitor | Manage | ListDatabases),
        _ => false,
    }
}

/// The roles that exist without being made.
pub(super) const BUILT_IN: &[&str] = &[
    "read",
    "readWrite",
    "dbAdmin",
    "userAdmin",
    "dbOwner",
    "readAnyDatabase",
    "readWriteAnyDatabase",
    "dbAdminAnyDatabase",
    "userAdminAnyDatabase",
    "clusterMonitor",
    "hostManager",
    "clusterManager",
    "clusterAdmin",
    "backup",
    "restore",
    "root",
    "__system",
];

/// How the server words that a role is missing.
pub(super) fn not_authorized(database: &str, verb: &str, collection: &str) -> String {
    format!("not authorized on {database} to execute command {{ {verb}: \"{collection}\", $db: \"{database}\" }}")
}
