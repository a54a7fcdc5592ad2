//! `mysql` and `mysqladmin`.

use cluster::ExecEnd;

use super::MysqlStore;
use super::statement::{MysqlResult, MysqlSession};
use crate::stores::ConsoleCall;
use crate::stores::console::Options;
use crate::stores::sql::{SqlValue, split};

const WITH_VALUE: &[&str] =
    &["-u", "--user", "-h", "--host", "-P", "--port", "-e", "--execute", "-D", "--database", "--password"];

/// Runs a client.
pub(super) fn console(store: &mut MysqlStore, call: &ConsoleCall) -> ExecEnd {
    let name = call.words.first().map_or("", |name| name.rsplit('/').next().unwrap_or(name));
    // A password follows `-p` without a space.
    let attached =
        call.words[1..].iter().find_map(|word| word.strip_prefix("-p")).filter(|word| !word.starts_with('='));
    let words: Vec<String> = call.words[1..].iter().filter(|word| !word.starts_with("-p")).cloned().collect();
    let options = Options::read(&words, WITH_VALUE);
    let variable = call.env.get("MYSQL_PWD").cloned().unwrap_or_default();
    let password = attached.or_else(|| options.get(&["--password"])).unwrap_or(&variable).to_string();
    let user = options.get(&["-u", "--user"]).unwrap_or("root").to_string();
    let database = options.get(&["-D", "--database"]).or_else(|| options.rest.first().map(|word| &**word));
    let database = if name == "mysql" { database.unwrap_or_default().to_string() } else { String::new() };
    let address = call.address.clone().unwrap_or_default();
    let warning = match attached.is_some() || options.has(&["--password"]) {
        true => format!("{name}: [Warning] Using a password on the command line interface can be insecure.\n"),
        false => String::new(),
    };
    if let Err(why) = store.log_in(&user, &password, &database, &address) {
        let code = if why.starts_with("Unknown") { "1049 (42000)" } else { "1045 (28000)" };
        let why = if name == "mysql" {
            format!("ERROR {code}: {why}\n")
        } else {
            format!("mysqladmin: connect to server at 'localhost' failed\nerror: '{why}'\n")
        };
        return ConsoleCall::fails(1, warning + &why);
    }
    if name == "mysqladmin" {
        return admin(store, &options, warning);
    }
    let mut session = MysqlSession { user, database, now: call.now };
    let script = options.get(&["-e", "--execute"]).unwrap_or(&call.input).to_string();
    let (mut out, mut complaints, mut code) = (String::new(), warning, 0);
    let is_bare = options.has(&["-N", "--skip-column-names"]);
    for statement in split(&script) {
        let is_long = statement.ends_with("\\G");
        match session.run(store, statement.trim_end_matches("\\G")) {
            Ok(MysqlResult::Rows(names, rows)) if is_long => out.push_str(&long(&names, &rows)),
            Ok(MysqlResult::Rows(names, rows)) if call.terminal => out.push_str(&boxed(&names, &rows)),
            Ok(MysqlResult::Rows(names, rows)) => {
                if !is_bare && !rows.is_empty() {
                    out.push_str(&format!("{}\n", names.join("\t")));
                }
                let shown = |value: &SqlValue| if *value == SqlValue::Null { "NULL".into() } else { value.shown() };
                for row in &rows {
                    out.push_str(&format!("{}\n", row.iter().map(shown).collect::<Vec<_>>().join("\t")));
                }
            }
            Ok(MysqlResult::Done) => {}
            Err(why) => {
                complaints.push_str(&format!("ERROR {}\n", why.replacen(": ", " at line 1: ", 1)));
                code = 1;
                break;
            }
        }
    }
    ExecEnd { stdout: out.into_bytes(), stderr: complaints.into_bytes(), code, ..ExecEnd::default() }
}

fn admin(store: &MysqlStore, options: &Options, warning: String) -> ExecEnd {
    let text = match options.rest.first().map(|word| &**word) {
        Some("ping") => "mysqld is alive\n".to_string(),
        Some("status") => {
            format!("Uptime: 3600  Threads: {}  Questions: 41234  Slow queries: 0\n", store.clients.len() + 1)
        }
        Some("version") => format!("mysqladmin  Ver 8.42 Distrib {}, for Linux on x86_64\n", store.version),
        other => {
            let why = format!("{warning}mysqladmin: Unknown command: '{}'\n", other.unwrap_or_default());
            return ConsoleCall::fails(1, why);
        }
    };
    ExecEnd { stdout: text.into_bytes(), stderr: warning.into_bytes(), ..ExecEnd::default() }
}

fn boxed(names: &[String], rows: &[Vec<SqlValue>]) -> String {
    let width = |at: usize| rows.iter().map(|row| row[at].shown().len()).max().unwrap_or(0).max(names[at].len());
    let widths: Vec<usize> = (0..names.len()).map(width).collect();
    let rule = format!("+{}\n", widths.iter().map(|width| format!("{}+", "-".repeat(width + 2))).collect::<String>());
    let line = |cells: Vec<String>| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| format!(" {cell:<width$} |"));
        format!("|{}\n", cells.collect::<String>())
    };
    let body: String = rows.iter().map(|row| line(row.iter().map(SqlValue::shown).collect())).collect();
    format!("{rule}{}{rule}{body}{rule}", line(names.to_vec()))
}

fn long(names: &[String], rows: &[Vec<SqlValue>]) -> String {
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let mut out = String::new();
    for (number, row) in rows.iter().enumerate() {
        out.push_str(&format!("{0} {1}. row {0}\n", "*".repeat(27), number + 1));
        for (name, value) in names.iter().zip(row) {
            out.push_str(&format!("{name:>width$}: {}\n", value.shown()));
        }
    }
    out
}
