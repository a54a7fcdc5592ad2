//! Commands of the server, with the rights that they need.

use std::collections::BTreeSet;

use super::access::{Action, BUILT_IN, MongoUser, Principal, not_authorized};
use super::data::{Collection, change, passes};
use super::{MongoStore, print};
use crate::stores::console::uuid;
use crate::stores::script::{JsValue, ScriptError};

pub(super) type Reply = Result<JsValue, ScriptError>;

/// A refusal of the server.
pub(super) fn refusal(message: impl Into<String>) -> ScriptError {
    ScriptError::new("MongoServerError", message)
}

fn ok() -> JsValue {
    JsValue::object([("ok", JsValue::Number(1.0))])
}

/// What each command needs.
fn needs(name: &str) -> Action {
    match name {
        "ping" | "hello" | "isMaster" | "ismaster" | "buildInfo" | "connectionStatus" | "whatsmyuri" => Action::Free,
        "find" | "count" | "aggregate" | "distinct" | "listCollections" | "listIndexes" | "dbStats" | "collStats" => {
            Action::Read
        }
        "insert" | "update" | "delete" | "drop" | "create" | "createIndexes" => Action::Write,
        "validate" | "dropDatabase" => Action::Administer,
        "createUser"
        | "dropUser"
        | "updateUser"
        | "grantRolesToUser"
        | "revokeRolesFromUser"
        | "usersInfo"
        | "dropAllUsersFromDatabase" => Action::Users,
        "listDatabases" => Action::ListDatabases,
        "serverStatus" | "currentOp" | "getParameter" | "getLog" | "hostInfo" | "getCmdLineOpts" | "top" => {
            Action::Monitor
        }
        _ => Action::Manage,
    }
}

impl MongoStore {
    /// Whether a command may run; the words of the refusal otherwise.
    pub(super) fn allow(
        &self,
        user: Option<&Principal>,
        database: &str,
        name: &str,
        collection: &str,
    ) -> Result<(), ScriptError> {
        // The first user may be made from the machine itself.
        if self.users.is_empty() && name == "createUser" || self.may(user, needs(name), database) {
            return Ok(());
        }
        Err(refusal(match user {
            None => format!("command {name} requires authentication"),
            Some(_) => not_authorized(database, name, collection),
        }))
    }

    /// Runs a command document: its first field is its name.
    pub(super) fn command(&mut self, user: Option<&Principal>, database: &str, body: &JsValue) -> Reply {
        let JsValue::Object(fields) = body else { return Err(refusal("no such command: ''")) };
        let Some((name, target)) = fields.first() else { return Err(refusal("no such command: ''")) };
        let target = target.as_text().unwrap_or("1").to_string();
        self.allow(user, database, name, &target)?;
        let roles = || body.field("roles").cloned().unwrap_or(JsValue::List(Vec::new()));
        match &**name {
            "ping" => Ok(ok()),
            "hello" | "isMaster" | "ismaster" => Ok(JsValue::object([
                ("ismaster", JsValue::Bool(true)),
                ("maxBsonObjectSize", JsValue::Number(16_777_216.0)),
                ("ok", JsValue::Number(1.0)),
            ])),
            "buildInfo" => {
                Ok(JsValue::object([("version", JsValue::text(&*self.server.version)), ("ok", JsValue::Number(1.0))]))
            }
            "connectionStatus" => Ok(self.connection(user)),
            "createUser" => {
                let password = body.text_field("pwd").unwrap_or_default().to_string();
                self.create_user(database, &target, password, &roles())
            }
            "dropUser" => match self.users.remove(&(database.into(), target.clone())) {
                Some(_) => Ok(ok()),
                None => Err(refusal(format!("User '{target}@{database}' not found"))),
            },
            "updateUser" => self.update_user(database, &target, body),
            "grantRolesToUser" => self.change_roles(database, &target, &roles(), true),
            "revokeRolesFromUser" => self.change_roles(database, &target, &roles(), false),
            "usersInfo" => Ok(self.users_info(database, &target)),
            "listDatabases" => Ok(self.list_databases()),
            "serverStatus" => Ok(self.status()),
            "currentOp" => Ok(self.current_operations()),
            "killOp" => {
                let number = body.field("op").and_then(JsValue::as_number).unwrap_or(0.0) as u64;
                self.operations.remove(&number);
                Ok(JsValue::object([("info", JsValue::text("attempting to kill op")), ("ok", JsValue::Number(1.0))]))
            }
            "fsync" => {
                self.is_locked = body.field("lock").is_some_and(JsValue::is_true);
                Ok(ok())
            }
            "fsyncUnlock" => {
                self.is_locked = false;
                Ok(ok())
            }
            "getParameter" => Ok(self.parameters()),
            "setFeatureCompatibilityVersion" => {
                self.release = Some(target);
                Ok(ok())
            }
            "validate" => Ok(self.validate(database, &target)),
            "dbStats" => Ok(self.statistics(database)),
            "dropDatabase" => {
                self.databases.remove(database);
                Ok(JsValue::object([("dropped", JsValue::text(database)), ("ok", JsValue::Number(1.0))]))
            }
            other => Err(refusal(format!("no such command: '{other}'"))),
        }
    }

    fn create_user(&mut self, database: &str, name: &str, password: String, roles: &JsValue) -> Reply {
        let roles = self.roles(database, roles)?;
        let key = (database.to_string(), name.to_string());
        if self.users.contains_key(&key) {
            return Err(refusal(format!("User \"{name}@{database}\" already exists")));
        }
        self.users.insert(key, MongoUser { password, roles });
        Ok(ok())
    }

    fn update_user(&mut self, database: &str, name: &str, body: &JsValue) -> Reply {
        let roles = body.field("roles").map(|roles| self.roles(database, roles)).transpose()?;
        let missing = || refusal(format!("Could not find user \"{name}\" for db \"{database}\""));
        let user = self.users.get_mut(&(database.into(), name.into())).ok_or_else(missing)?;
        if let Some(password) = body.text_field("pwd") {
            user.password = password.into();
        }
        if let Some(roles) = roles {
            user.roles = roles;
        }
        Ok(ok())
    }

    fn change_roles(&mut self, database: &str, name: &str, roles: &JsValue, grant: bool) -> Reply {
        let roles = self.roles(database, roles)?;
        let missing = || refusal(format!("Could not find user \"{name}\" for db \"{database}\""));
        let user = self.users.get_mut(&(database.into(), name.into())).ok_or_else(missing)?;
        for role in roles {
            match grant {
                true => user.roles.insert(role),
                false => user.roles.remove(&role),
            };
        }
        Ok(ok())
    }

    fn roles(&self, database: &str, roles: &JsValue) -> Result<BTreeSet<(String, String)>, ScriptError> {
        let JsValue::List(items) = roles else {
            return Err(refusal("\"roles\" had the wrong type. Expected array, found object"));
        };
        let read = |item: &JsValue| {
            let (role, of) = match item {
                JsValue::Text(role) => (role.as_str(), database),
                other => (other.text_field("role").unwrap_or_default(), other.text_field("db").unwrap_or(database)),
            };
            match BUILT_IN.contains(&role) {
                true => Ok((role.to_string(), of.to_string())),
                false => Err(refusal(format!("Could not find role: {role}@{of}"))),
            }
        };
        items.iter().map(read).collect()
    }

    fn users_info(&self, database: &str, target: &str) -> JsValue {
        let users = self.users.iter().filter(|((of, name), _)| of == database && (target == "1" || target == name));
        let shown = users.map(|((of, name), user)| user_document(of, name, user)).collect();
        JsValue::object([("users", JsValue::List(shown)), ("ok", JsValue::Number(1.0))])
    }

    fn connection(&self, user: Option<&Principal>) -> JsValue {
        let of = |(database, name): &Principal| {
            JsValue::object([("user", JsValue::text(&**name)), ("db", JsValue::text(&**database))])
        };
        let roles = user.and_then(|user| self.users.get(user)).map(|user| role_list(&user.roles));
        let info = JsValue::object([
            ("authenticatedUsers", JsValue::List(user.map(of).into_iter().collect())),
            ("authenticatedUserRoles", roles.unwrap_or(JsValue::List(Vec::new()))),
        ]);
        JsValue::object([("authInfo", info), ("ok", JsValue::Number(1.0))])
    }

    /// The databases, with those that every server has.
    pub(super) fn database_names(&self) -> BTreeSet<String> {
        let own =
            self.databases.iter().filter(|(_, collections)| !collections.is_empty()).map(|(name, _)| name.clone());
        own.chain(["admin", "config", "local"].map(String::from)).collect()
    }

    pub(super) fn size_of(&self, database: &str) -> f64 {
        let collections = self.databases.get(database).into_iter().flatten();
        40_960.0 + collections.map(|(_, collection)| 20_480.0 + collection.count() as f64 * 180.0).sum::<f64>()
    }

    fn list_databases(&self) -> JsValue {
        let row = |name: &String| {
            JsValue::object([
                ("name", JsValue::text(&**name)),
                ("sizeOnDisk", JsValue::Number(self.size_of(name))),
                ("empty", JsValue::Bool(false)),
            ])
        };
        let rows = self.database_names().iter().map(row).collect();
        JsValue::object([("databases", JsValue::List(rows)), ("ok", JsValue::Number(1.0))])
    }

    fn status(&self) -> JsValue {
        let number = JsValue::Number;
        let connections = JsValue::object([
            ("current", number(12.0)),
            ("available", number(838_848.0)),
            ("totalCreated", number(412.0)),
        ]);
        JsValue::object([
            ("host", JsValue::text("mongodb")),
            ("version", JsValue::text(&*self.server.version)),
            ("process", JsValue::text("mongod")),
            ("pid", number(1.0)),
            ("connections", connections),
            ("globalLock", JsValue::object([("currentQueue", JsValue::object([("total", number(0.0))]))])),
            ("ok", number(1.0)),
        ])
    }

    fn current_operations(&self) -> JsValue {
        let row = |(number, what): (&u64, &String)| {
            JsValue::object([
                ("type", JsValue::text("op")),
                ("opid", JsValue::Number(*number as f64)),
                ("active", JsValue::Bool(true)),
                ("desc", JsValue::text(&**what)),
            ])
        };
        let mut fields = vec![("inprog".to_string(), JsValue::List(self.operations.iter().map(row).collect()))];
        if self.is_locked {
            fields.push(("fsyncLock".into(), JsValue::Bool(true)));
        }
        fields.push(("ok".into(), JsValue::Number(1.0)));
        JsValue::Object(fields)
    }

    fn parameters(&self) -> JsValue {
        let release = JsValue::text(self.release.as_deref().unwrap_or_default());
        JsValue::object([
            ("featureCompatibilityVersion", JsValue::object([("version", release)])),
            ("tlsMode", JsValue::text(&*self.server.tls)),
            ("ok", JsValue::Number(1.0)),
        ])
    }

    fn validate(&self, database: &str, collection: &str) -> JsValue {
        let count = self.databases.get(database).and_then(|all| all.get(collection)).map_or(0, Collection::count);
        let is_valid = self.server.corrupt_share <= 0.0;
        let errors = match is_valid {
            true => Vec::new(),
            false => vec![JsValue::text("WT_ERROR: non-specific WiredTiger error: read checksum error")],
        };
        JsValue::object([
            ("ns", JsValue::text(format!("{database}.{collection}"))),
            ("nInvalidDocuments", JsValue::Number(0.0)),
            ("nrecords", JsValue::Number(count as f64)),
            ("valid", JsValue::Bool(is_valid)),
            ("errors", JsValue::List(errors)),
            ("ok", JsValue::Number(1.0)),
        ])
    }

    fn statistics(&self, database: &str) -> JsValue {
        let collections = self.databases.get(database);
        let objects: usize = collections.into_iter().flatten().map(|(_, collection)| collection.count()).sum();
        JsValue::object([
            ("db", JsValue::text(database)),
            ("collections", JsValue::Number(collections.map_or(0, |all| all.len()) as f64)),
            ("objects", JsValue::Number(objects as f64)),
            ("dataSize", JsValue::Number(objects as f64 * 180.0)),
            ("storageSize", JsValue::Number(self.size_of(database))),
            ("ok", JsValue::Number(1.0)),
        ])
    }

    /// The documents that a filter finds, with as many stand-ins as there are documents that programs wrote.
    pub(super) fn find(&self, database: &str, collection: &str, filter: &JsValue) -> Vec<JsValue> {
        let Some(found) = self.databases.get(database).and_then(|all| all.get(collection)) else { return Vec::new() };
        let stand_in = |number: usize| {
            let id = uuid(&format!("{database}.{collection}.{number}")).replace('-', "");
            JsValue::object([
                ("_id", JsValue::Made("ObjectId", id[..24].into())),
                ("hotelId", JsValue::text((number + 1).to_string())),
            ])
        };
        let programs = (0..found.more.min(1000)).map(stand_in);
        found.documents.iter().cloned().chain(programs).filter(|document| passes(document, filter)).collect()
    }

    /// Changes or removes documents; how many were.
    pub(super) fn write(
        &mut self,
        database: &str,
        collection: &str,
        filter: &JsValue,
        update: Option<&JsValue>,
        is_one: bool,
    ) -> usize {
        let Some(found) = self.databases.get_mut(database).and_then(|all| all.get_mut(collection)) else { return 0 };
        let mut done = 0;
        let mut kept = Vec::new();
        for mut document in std::mem::take(&mut found.documents) {
            let is_meant = passes(&document, filter) && !(is_one && done > 0);
            done += usize::from(is_meant);
            match update {
                Some(update) if is_meant => {
                    change(&mut document, update);
                    kept.push(document);
                }
                None if is_meant => {}
                _ => kept.push(document),
            }
        }
        found.documents = kept;
        let is_all = matches!(filter, JsValue::Object(fields) if fields.is_empty());
        if update.is_none() && is_all && !is_one {
            done += std::mem::take(&mut found.more);
        }
        done
    }
}

fn role_list(roles: &BTreeSet<(String, String)>) -> JsValue {
    let row = |(role, of): &(String, String)| {
        JsValue::object([("role", JsValue::text(&**role)), ("db", JsValue::text(&**of))])
    };
    JsValue::List(roles.iter().map(row).collect())
}

fn user_document(database: &str, name: &str, user: &MongoUser) -> JsValue {
    let id = format!("{database}.{name}");
    let mechanisms = ["SCRAM-SHA-1", "SCRAM-SHA-256"].map(JsValue::text).to_vec();
    JsValue::object([
        ("_id", JsValue::text(&*id)),
        ("userId", JsValue::Made("UUID", uuid(&id))),
        ("user", JsValue::text(name)),
        ("db", JsValue::text(database)),
        ("roles", role_list(&user.roles)),
        ("mechanisms", JsValue::List(mechanisms)),
    ])
}

/// What `createUser` of the old shell says.
pub(super) fn added_user(user: &JsValue) -> String {
    let JsValue::Object(fields) = user else { return String::new() };
    let shown = fields.iter().filter(|(name, _)| name != "pwd").cloned().collect();
    format!("Successfully added user: {}", print::old_style(&JsValue::Object(shown), 0, false))
}
