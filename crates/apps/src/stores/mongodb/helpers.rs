//! `db`, collections, cursors and the functions that the shell has.

use super::MongoStore;
use super::access::Principal;
use super::command::{Reply, added_user, refusal};
use super::print;
use crate::stores::console::uuid;
use crate::stores::script::{JsValue, ScriptError, ScriptHost};

/// A script's view of the server.
pub(super) struct ShellHost<'a> {
    pub(super) store: &'a mut MongoStore,
    pub(super) database: &'a mut String,
    pub(super) user: &'a mut Option<Principal>,
    pub(super) is_old: bool,
    pub(super) printed: &'a mut String,
}

const CURSOR: &str = "DBQuery";

impl ScriptHost for ShellHost<'_> {
    fn global(&mut self, name: &str) -> Option<JsValue> {
        match name {
            "db" => Some(JsValue::Host("db", vec![self.database.clone()], Vec::new())),
            "JSON" | "rs" | "sh" | "Object" => Some(JsValue::Host("global", vec![name.into()], Vec::new())),
            _ => None,
        }
    }

    fn assign(&mut self, name: &str, value: &JsValue) -> bool {
        if let ("db", JsValue::Host("db", names, _)) = (name, value) {
            *self.database = names.concat();
            return true;
        }
        false
    }

    fn member(&mut self, target: &JsValue, name: &str) -> Result<JsValue, ScriptError> {
        Ok(match target {
            JsValue::Host("db", names, _) => {
                JsValue::Host("DBCollection", vec![names.concat(), name.into()], Vec::new())
            }
            JsValue::Host("DBCollection", names, _) => {
                JsValue::Host("DBCollection", vec![names[0].clone(), format!("{}.{name}", names[1])], Vec::new())
            }
            _ => JsValue::Undefined,
        })
    }

    fn call(&mut self, name: &str, args: &[JsValue]) -> Result<JsValue, ScriptError> {
        let first = args.first().cloned().unwrap_or(JsValue::Undefined);
        match name {
            "print" | "printjson" => {
                let shown = args.iter().map(|arg| match name {
                    "print" => self.shown(arg),
                    _ => self.laid_out(arg),
                });
                let line = shown.collect::<Vec<_>>().join(" ");
                self.printed.push_str(&line);
                self.printed.push('\n');
                Ok(JsValue::Undefined)
            }
            "tojson" | "EJSON" => Ok(JsValue::text(self.laid_out(&first))),
            "tojsononeline" => Ok(JsValue::text(print::old_style(&first, 0, true))),
            "ObjectId" | "UUID" | "ISODate" | "NumberLong" | "NumberInt" => {
                let kind = match name {
                    "ObjectId" => "ObjectId",
                    "UUID" => "UUID",
                    "ISODate" => "ISODate",
                    _ => return Ok(first),
                };
                Ok(JsValue::Made(kind, first.as_text().unwrap_or_default().into()))
            }
            "quit" | "exit" | "sleep" | "load" => Ok(JsValue::Undefined),
            _ => Err(ScriptError::new("ReferenceError", format!("{name} is not defined"))),
        }
    }

    fn method(&mut self, target: &JsValue, name: &str, args: &[JsValue]) -> Result<JsValue, ScriptError> {
        match target {
            JsValue::Host("db", names, _) => self.db(&names.concat(), name, args),
            JsValue::Host("DBCollection", names, _) => self.collection(&names[0], &names[1], name, args),
            JsValue::Host(CURSOR, names, items) => cursor(names, items, name, args),
            JsValue::Host("global", names, _) => match (&*names[0], name) {
                ("JSON", "stringify") => Ok(JsValue::text(args.first().map(print::json).unwrap_or_default())),
                ("rs", "status") => Err(refusal("not running with --replSet")),
                (_, _) => Err(ScriptError::new("TypeError", format!("{}.{name} is not a function", names[0]))),
            },
            _ => Err(ScriptError::new("TypeError", format!("{name} is not a function"))),
        }
    }
}

impl ShellHost<'_> {
    fn shown(&self, value: &JsValue) -> String {
        match value {
            JsValue::Object(_) | JsValue::List(_) if !self.is_old => print::new_style(value, 0),
            other => other.shown(),
        }
    }

    pub(super) fn laid_out(&self, value: &JsValue) -> String {
        if self.is_old { print::old_style(value, 0, false) } else { print::new_style(value, 0) }
    }

    fn run(&mut self, database: &str, body: &JsValue) -> Reply {
        self.store.command(self.user.as_ref(), database, body)
    }

    /// A command as the old shell's helpers run it: what goes wrong is an error of the shell's own, and what goes well
    /// is not worth a word.
    fn quietly(&mut self, database: &str, body: &JsValue, before: &str) -> Reply {
        match self.run(database, body) {
            Ok(reply) => Ok(if self.is_old { JsValue::Undefined } else { reply }),
            Err(error) if self.is_old => Err(ScriptError::new("Error", format!("{before}{}", error.message))),
            Err(error) => Err(error),
        }
    }

    fn db(&mut self, database: &str, name: &str, args: &[JsValue]) -> Reply {
        let first = args.first().cloned().unwrap_or(JsValue::Undefined);
        let text = first.as_text().unwrap_or_default().to_string();
        let named = |command: &str, target: &str| JsValue::object([(command, JsValue::text(target))]);
        let one = |command: &str| JsValue::object([(command, JsValue::Number(1.0))]);
        let with_roles = |command: &str| {
            let roles = args.get(1).cloned().unwrap_or(JsValue::List(Vec::new()));
            JsValue::object([(command, JsValue::text(&*text)), ("roles", roles)])
        };
        match name {
            "getSiblingDB" | "getSisterDB" => Ok(JsValue::Host("db", vec![text], Vec::new())),
            "getName" | "toString" => Ok(JsValue::text(database)),
            "getCollection" => Ok(JsValue::Host("DBCollection", vec![database.into(), text], Vec::new())),
            "getMongo" => Ok(JsValue::Host("db", vec![database.into()], Vec::new())),
            "getCollectionNames" => self.collection_names(database),
            "getUsers" => {
                let reply = self.run(database, &one("usersInfo"))?;
                Ok(if self.is_old { reply.field("users").cloned().unwrap_or(JsValue::Undefined) } else { reply })
            }
            "getUser" => {
                let reply = self.run(database, &named("usersInfo", &text))?;
                match reply.field("users") {
                    Some(JsValue::List(users)) => Ok(users.first().cloned().unwrap_or(JsValue::Null)),
                    _ => Ok(JsValue::Null),
                }
            }
            "createUser" => self.create_user(database, &first),
            "dropUser" => match self.run(database, &named("dropUser", &text)) {
                Ok(reply) => Ok(if self.is_old { JsValue::Bool(true) } else { reply }),
                Err(error) if self.is_old && error.message.ends_with("not found") => Ok(JsValue::Bool(false)),
                Err(error) => Err(error),
            },
            "updateUser" | "changeUserPassword" => {
                let mut body = vec![("updateUser".to_string(), JsValue::text(&*text))];
                match args.get(1) {
                    Some(JsValue::Object(fields)) => body.extend(fields.iter().cloned()),
                    Some(password) => body.push(("pwd".into(), password.clone())),
                    None => {}
                }
                self.quietly(database, &JsValue::Object(body), "Updating user failed: ")
            }
            "grantRolesToUser" => self.quietly(database, &with_roles("grantRolesToUser"), ""),
            "revokeRolesFromUser" => self.quietly(database, &with_roles("revokeRolesFromUser"), ""),
            "auth" => self.auth(database, &first, args.get(1)),
            "logout" => {
                *self.user = None;
                Ok(JsValue::object([("ok", JsValue::Number(1.0))]))
            }
            "runCommand" | "adminCommand" => {
                let on = if name == "adminCommand" { "admin" } else { database };
                let body = if text.is_empty() { first } else { one(&text) };
                match self.run(on, &body) {
                    Err(error) if self.is_old => {
                        Ok(JsValue::object([("ok", JsValue::Number(0.0)), ("errmsg", JsValue::text(error.message))]))
                    }
                    other => other,
                }
            }
            "serverStatus" => self.run("admin", &one("serverStatus")),
            "currentOp" => self.run("admin", &one("currentOp")),
            "killOp" => self.run("admin", &JsValue::object([("killOp", JsValue::Number(1.0)), ("op", first)])),
            "fsyncLock" => {
                let body = JsValue::object([("fsync", JsValue::Number(1.0)), ("lock", JsValue::Bool(true))]);
                self.run("admin", &body)
            }
            "fsyncUnlock" => self.run("admin", &one("fsyncUnlock")),
            "stats" => self.run(database, &one("dbStats")),
            "version" => Ok(JsValue::text(&*self.store.server.version)),
            "hello" | "isMaster" => self.run(database, &one("hello")),
            "dropDatabase" => self.run(database, &one("dropDatabase")),
            "createCollection" => {
                self.store.allow(self.user.as_ref(), database, "create", &text)?;
                self.store.databases.entry(database.into()).or_default().entry(text).or_default();
                Ok(JsValue::object([("ok", JsValue::Number(1.0))]))
            }
            _ => Err(ScriptError::new("TypeError", format!("db.{name} is not a function"))),
        }
    }

    fn create_user(&mut self, database: &str, user: &JsValue) -> Reply {
        let JsValue::Object(fields) = user else {
            return Err(ScriptError::new("Error", "createUser expects an object"));
        };
        let name = user.field("user").cloned().unwrap_or(JsValue::text(""));
        let rest = fields.iter().filter(|(field, _)| field != "user").cloned();
        let body = JsValue::Object([("createUser".to_string(), name)].into_iter().chain(rest).collect());
        let reply = self.quietly(database, &body, "couldn't add user: ")?;
        if self.is_old {
            self.printed.push_str(&added_user(user));
            self.printed.push('\n');
        }
        Ok(reply)
    }

    fn auth(&mut self, database: &str, first: &JsValue, second: Option<&JsValue>) -> Reply {
        let (name, password) = match first {
            JsValue::Object(_) => (first.text_field("user").unwrap_or_default(), first.text_field("pwd")),
            other => (other.as_text().unwrap_or_default(), second.and_then(JsValue::as_text)),
        };
        match self.store.log_in(database, name, password.unwrap_or_default()) {
            Ok(user) => {
                *self.user = user;
                Ok(match self.is_old {
                    true => JsValue::Number(1.0),
                    false => JsValue::object([("ok", JsValue::Number(1.0))]),
                })
            }
            Err(_) if self.is_old => {
                self.printed.push_str("Error: Authentication failed.\n");
                Ok(JsValue::Number(0.0))
            }
            Err(_) => Err(refusal("Authentication failed.")),
        }
    }

    fn collection_names(&mut self, database: &str) -> Reply {
        self.store.allow(self.user.as_ref(), database, "listCollections", "1")?;
        let names = self.store.databases.get(database).into_iter().flatten().map(|(name, _)| JsValue::text(&**name));
        Ok(JsValue::List(names.collect()))
    }

    fn collection(&mut self, database: &str, collection: &str, name: &str, args: &[JsValue]) -> Reply {
        let filter = args.first().cloned().unwrap_or(JsValue::Object(Vec::new()));
        let number = |n: usize| JsValue::Number(n as f64);
        let command = match name {
            "find" | "findOne" => "find",
            "count" | "countDocuments" | "estimatedDocumentCount" => "count",
            "insert" | "insertOne" | "insertMany" => "insert",
            "update" | "updateOne" | "updateMany" | "replaceOne" => "update",
            "remove" | "deleteOne" | "deleteMany" => "delete",
            "drop" => "drop",
            "stats" => "collStats",
            "validate" => "validate",
            "getIndexes" => "listIndexes",
            "getName" | "getFullName" | "toString" => return Ok(JsValue::text(format!("{database}.{collection}"))),
            _ => return Err(ScriptError::new("TypeError", format!("db.{collection}.{name} is not a function"))),
        };
        self.store.allow(self.user.as_ref(), database, command, collection)?;
        match name {
            "find" => {
                let found = self.store.find(database, collection, &filter);
                Ok(JsValue::Host(CURSOR, vec![format!("{database}.{collection}")], found))
            }
            "findOne" => {
                let found = self.store.find(database, collection, &filter).into_iter().next();
                Ok(found.unwrap_or(JsValue::Null))
            }
            "count" | "countDocuments" | "estimatedDocumentCount" => {
                let is_all = matches!(&filter, JsValue::Object(fields) if fields.is_empty());
                let all =
                    || self.store.databases.get(database).and_then(|all| all.get(collection)).map_or(0, |c| c.count());
                Ok(number(if is_all { all() } else { self.store.find(database, collection, &filter).len() }))
            }
            "insert" | "insertOne" | "insertMany" => Ok(self.insert(database, collection, name, &filter)),
            "update" | "updateOne" | "updateMany" | "replaceOne" => {
                let update = args.get(1).cloned().unwrap_or(JsValue::Undefined);
                let done = self.store.write(database, collection, &filter, Some(&update), name != "updateMany");
                Ok(acknowledged([("matchedCount", number(done)), ("modifiedCount", number(done))]))
            }
            "remove" | "deleteOne" | "deleteMany" => {
                let done = self.store.write(database, collection, &filter, None, name == "deleteOne");
                Ok(acknowledged([("deletedCount", number(done))]))
            }
            "drop" => {
                let all = self.store.databases.get_mut(database);
                Ok(JsValue::Bool(all.is_some_and(|all| all.remove(collection).is_some())))
            }
            "validate" => self.run(database, &JsValue::object([("validate", JsValue::text(collection))])),
            "getIndexes" => Ok(JsValue::List(vec![JsValue::object([
                ("v", JsValue::Number(2.0)),
                ("key", JsValue::object([("_id", JsValue::Number(1.0))])),
                ("name", JsValue::text("_id_")),
            ])])),
            _ => self.run(database, &JsValue::object([("dbStats", JsValue::Number(1.0))])),
        }
    }

    fn insert(&mut self, database: &str, collection: &str, name: &str, documents: &JsValue) -> JsValue {
        let documents = match documents {
            JsValue::List(items) => items.clone(),
            one => vec![one.clone()],
        };
        let mut ids = Vec::new();
        for document in documents {
            let JsValue::Object(mut fields) = document else { continue };
            if !fields.iter().any(|(field, _)| field == "_id") {
                self.store.ids += 1;
                let id = uuid(&format!("{database}.{collection}/{}", self.store.ids)).replace('-', "");
                fields.insert(0, ("_id".into(), JsValue::Made("ObjectId", id[..24].into())));
            }
            ids.push(fields[0].1.clone());
            let all = self.store.databases.entry(database.into()).or_default();
            all.entry(collection.into()).or_default().documents.push(JsValue::Object(fields));
        }
        match name {
            "insertOne" => acknowledged([("insertedId", ids.first().cloned().unwrap_or(JsValue::Null))]),
            "insertMany" => acknowledged([("insertedIds", JsValue::List(ids))]),
            _ => acknowledged([("nInserted", JsValue::Number(ids.len() as f64))]),
        }
    }
}

fn acknowledged<const N: usize>(fields: [(&str, JsValue); N]) -> JsValue {
    let rest = fields.into_iter().map(|(name, value)| (name.to_string(), value));
    JsValue::Object([("acknowledged".to_string(), JsValue::Bool(true))].into_iter().chain(rest).collect())
}

fn cursor(names: &[String], items: &[JsValue], name: &str, args: &[JsValue]) -> Reply {
    let again = |items: Vec<JsValue>| Ok(JsValue::Host(CURSOR, names.to_vec(), items));
    let count = args.first().and_then(JsValue::as_number).unwrap_or(0.0) as usize;
    match name {
        "toArray" => Ok(JsValue::List(items.to_vec())),
        "count" | "itcount" | "size" => Ok(JsValue::Number(items.len() as f64)),
        "limit" => again(items.iter().take(count).cloned().collect()),
        "skip" => again(items.iter().skip(count).cloned().collect()),
        "pretty" | "sort" | "batchSize" | "maxTimeMS" => again(items.to_vec()),
        "next" => Ok(items.first().cloned().unwrap_or(JsValue::Null)),
        "hasNext" => Ok(JsValue::Bool(!items.is_empty())),
        _ => Err(ScriptError::new("TypeError", format!("{name} is not a function"))),
    }
}
