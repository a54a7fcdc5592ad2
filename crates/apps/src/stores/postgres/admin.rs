//! Roles, grants, schemas and tables: statements that change what there is.

use super::{PgDatabase, PgRole, PgStore, PgTable};
use crate::stores::sql::{SqlParser, SqlToken};

type Done = Result<String, String>;

impl PgStore {
    /// `CREATE`, `ALTER`, `DROP`; nothing if it is not understood.
    pub(super) fn define(&mut self, words: &[SqlToken], user: &str, database: &str) -> Option<Done> {
        let mut parser = SqlParser::new(words);
        let verb = parser.name()?;
        parser.took_all(&["or", "replace"]);
        parser.took("unique");
        let what = parser.name()?;
        if parser.took_all(&["if", "not", "exists"]) || parser.took_all(&["if", "exists"]) {
            // Asked for in this way, what is already so is no error; the statements here are forgiving anyway.
        }
        let is_super = self.roles.get(user).is_some_and(|role| role.is_superuser);
        match (&*verb, &*what) {
            ("create" | "alter", "user" | "role") => {
                let name = parser.name()?;
                Some(self.role(&verb, &what, &name, &mut parser, is_super, user))
            }
            ("drop", "user" | "role") => {
                let name = parser.name()?;
                Some(match self.roles.remove(&name) {
                    Some(_) => Ok("DROP ROLE".into()),
                    None => Err(format!("role \"{name}\" does not exist")),
                })
            }
            ("create", "database") => {
                let name = parser.name()?;
                let owner = if parser.took("owner") { parser.name()? } else { user.to_string() };
                if self.databases.contains_key(&name) {
                    return Some(Err(format!("database \"{name}\" already exists")));
                }
                let schemas = ["public".to_string()].into();
                self.databases.insert(name, PgDatabase { owner, schemas, ..PgDatabase::default() });
                Some(Ok("CREATE DATABASE".into()))
            }
            ("drop", "database") => {
                let name = parser.name()?;
                Some(match self.databases.remove(&name) {
                    Some(_) => Ok("DROP DATABASE".into()),
                    None => Err(format!("database \"{name}\" does not exist")),
                })
            }
            ("create", "schema") => {
                let name = parser.name()?;
                self.databases.get_mut(database)?.schemas.insert(name);
                Some(Ok("CREATE SCHEMA".into()))
            }
            ("create", "table") => Some(self.create_table(&mut parser, user, database)),
            ("drop", "table") => {
                let (schema, table) = parser.path()?;
                let name = (schema.unwrap_or_else(|| "public".into()), table.clone());
                Some(match self.databases.get_mut(database)?.tables.remove(&name) {
                    Some(_) => Ok("DROP TABLE".into()),
                    None => Err(format!("table \"{table}\" does not exist")),
                })
            }
            ("create", "index") => Some(Ok("CREATE INDEX".into())),
            ("create", "extension") => Some(Ok("CREATE EXTENSION".into())),
            ("alter", "table") => Some(Ok("ALTER TABLE".into())),
            ("alter", "system") => {
                if !is_super {
                    return Some(Err("permission denied to set parameter".into()));
                }
                if parser.took("reset") {
                    if let Some(name) = parser.name() {
                        self.altered.remove(&name);
                    }
                    return Some(Ok("ALTER SYSTEM".into()));
                }
                parser.took("set");
                let name = parser.name()?;
                if !parser.took_sign("=") {
                    parser.took("to");
                }
                let value = match parser.next()? {
                    SqlToken::Text(text) | SqlToken::Number(text) | SqlToken::Word(text, _) => text.clone(),
                    SqlToken::Sign(_) => return None,
                };
                if !self.settings.contains_key(&name) {
                    return Some(Err(format!("unrecognized configuration parameter \"{name}\"")));
                }
                // Some settings are read at the start alone.
                if !matches!(&*name, "max_connections" | "shared_buffers" | "superuser_reserved_connections") {
                    self.settings.insert(name.clone(), value.clone());
                }
                self.altered.insert(name, value);
                Some(Ok("ALTER SYSTEM".into()))
            }
            _ => None,
        }
    }

    fn role(
        &mut self,
        verb: &str,
        what: &str,
        name: &str,
        parser: &mut SqlParser<'_>,
        is_super: bool,
        user: &str,
    ) -> Done {
        let exists = self.roles.contains_key(name);
        match (verb, exists) {
            ("create", true) => return Err(format!("role \"{name}\" already exists")),
            ("alter", false) => return Err(format!("role \"{name}\" does not exist")),
            _ => {}
        }
        if !is_super && !self.roles.get(user).is_some_and(|role| role.makes_roles) && user != name {
            return Err(match verb {
                "create" => "permission denied to create role".into(),
                _ => "permission denied to alter role".into(),
            });
        }
        let fresh = PgRole { may_log_in: what == "user", connection_limit: -1, ..PgRole::default() };
        let role = self.roles.entry(name.into()).or_insert(fresh);
        while let Some(token) = parser.next() {
            let SqlToken::Word(word, _) = token else { continue };
            match &*word.to_lowercase() {
                "password" => match parser.next() {
                    Some(SqlToken::Text(password)) => role.password = password.clone(),
                    _ => role.password.clear(),
                },
                "superuser" => role.is_superuser = true,
                "nosuperuser" => role.is_superuser = false,
                "login" => role.may_log_in = true,
                "nologin" => role.may_log_in = false,
                "createdb" => role.makes_databases = true,
                "nocreatedb" => role.makes_databases = false,
                "createrole" => role.makes_roles = true,
                "nocreaterole" => role.makes_roles = false,
                "limit" => {
                    let is_negative = parser.took_sign("-");
                    if let Some(SqlToken::Number(number)) = parser.next() {
                        let number: i64 = number.parse().unwrap_or(0);
                        role.connection_limit = if is_negative { -number } else { number };
                    }
                }
                _ => {}
            }
        }
        Ok(if verb == "create" { "CREATE ROLE".into() } else { "ALTER ROLE".into() })
    }

    fn create_table(&mut self, parser: &mut SqlParser<'_>, user: &str, database: &str) -> Done {
        let wrong = || "syntax error at end of input".to_string();
        let (schema, table) = parser.path().ok_or_else(wrong)?;
        let name = (schema.unwrap_or_else(|| "public".into()), table.clone());
        let known = self.databases.get_mut(database).ok_or_else(wrong)?;
        if !known.schemas.contains(&name.0) {
            return Err(format!("schema \"{}\" does not exist", name.0));
        }
        if known.tables.contains_key(&name) {
            return Err(format!("relation \"{table}\" already exists"));
        }
        let mut columns = Vec::new();
        let mut depth = 0;
        let mut is_start = false;
        while let Some(token) = parser.next() {
            match token {
                SqlToken::Sign("(") => {
                    depth += 1;
                    is_start = depth == 1;
                }
                SqlToken::Sign(")") => depth -= 1,
                SqlToken::Sign(",") => is_start = depth == 1,
                SqlToken::Word(word, _) if is_start => {
                    is_start = false;
                    let is_rule = ["primary", "foreign", "unique", "constraint", "check"];
                    if !is_rule.contains(&&*word.to_lowercase()) {
                        let kind = parser.name().unwrap_or_default();
                        columns.push((word.clone(), kind));
                    }
                }
                SqlToken::Word(..) if depth == 1 && (token.is("not") || token.is("primary")) => {
                    if let Some((_, kind)) = columns.last_mut().filter(|(_, kind)| !kind.ends_with(" not null")) {
                        kind.push_str(" not null");
                    }
                }
                _ => {}
            }
        }
        known.tables.insert(name, PgTable { owner: user.into(), columns, ..PgTable::default() });
        Ok("CREATE TABLE".into())
    }

    /// `GRANT` and `REVOKE`; nothing if it is not understood.
    pub(super) fn grant(&mut self, words: &[SqlToken], database: &str) -> Option<Done> {
        let mut parser = SqlParser::new(words);
        let gives = parser.took("grant");
        if !gives && !parser.took("revoke") {
            return None;
        }
        let mut rights = Vec::new();
        loop {
            let right = parser.name()?.to_uppercase();
            parser.took("privileges");
            rights.push(right);
            if !parser.took_sign(",") {
                break;
            }
        }
        if !parser.took("on") {
            // Membership in a role.
            return Some(Ok(if gives { "GRANT ROLE".into() } else { "REVOKE ROLE".into() }));
        }
        let all_in = parser.took_all(&["all", "tables", "in", "schema"]);
        let is_other = ["schema", "database", "sequence"].iter().any(|kind| parser.took(kind));
        parser.took("table");
        let mut names = Vec::new();
        loop {
            names.push(parser.path()?);
            if !parser.took_sign(",") {
                break;
            }
        }
        if !parser.took("to") {
            parser.took("from");
        }
        let role = parser.name()?;
        if role != "public" && !self.roles.contains_key(&role) {
            return Some(Err(format!("role \"{role}\" does not exist")));
        }
        if rights.iter().any(|right| right == "ALL") {
            rights = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE"].map(String::from).to_vec();
        }
        let done = Ok(if gives { "GRANT".to_string() } else { "REVOKE".to_string() });
        if is_other {
            return Some(done);
        }
        for (schema, name) in names {
            if !all_in && let Err(why) = self.table_name(database, &joined(schema.as_deref(), &name)) {
                return Some(Err(why));
            }
            let tables = &mut self.databases.get_mut(database)?.tables;
            let is_meant = |key: &(String, String)| match all_in {
                true => key.0 == name,
                false => key.1 == name && schema.as_ref().is_none_or(|schema| *schema == key.0),
            };
            for (_, table) in tables.iter_mut().filter(|(key, _)| is_meant(key)) {
                for right in &rights {
                    let grant = (role.clone(), right.clone());
                    match gives {
                        true => table.grants.insert(grant),
                        false => table.grants.remove(&grant),
                    };
                }
            }
        }
        Some(done)
    }
}

/// `schema.name`, or the name alone.
pub(super) fn joined(schema: Option<&str>, name: &str) -> String {
    schema.map_or_else(|| name.to_string(), |schema| format!("{schema}.{name}"))
}
