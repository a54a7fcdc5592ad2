//! Sessions with databases and brokers: what is typed, and what comes back.
//!
//! `stores/KIND.session` is a script. `start TAG WORD...` starts a server on what the last one left, `reset` takes an empty
//! one, `client stays|anew` says whether a program keeps its connection, `env NAME=VALUE`, `file PATH` (to a line with a dot) and `disk corrupt|full|sound` say what it finds. `$ COMMAND`
//! runs a client, with `<<` and lines to a dot as its input; `http METHOD PATH` and `typed LINE...` (parted by bars) are what comes over its port; `? USER PASSWORD DATABASE OPERATION` is what a program's
//! operation gets, `-` standing for nothing. Lines that begin with a bar are the answer; `UPDATE_EXPECT=1` writes it anew.

// Tests read files.
#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use apps::stores::{ConsoleCall, DataStore, StoreAnswer, StoreAsk, StoreKind, StoreServer, StoreStart};
use cluster::{HttpAsk, Stamp};

const START: i64 = 1_794_700_800;

struct Play {
    kind: &'static StoreKind,
    store: Box<dyn DataStore>,
    server: StoreServer,
    now: i64,
    /// Since when the program of `?` runs.
    since: Option<Stamp>,
}

/// A server before anything is said about it.
fn server() -> StoreServer {
    StoreServer { host: "localhost".into(), ..StoreServer::default() }
}

impl Play {
    fn new(name: &str) -> Self {
        let kind = apps::stores::kind(name);
        assert_eq!(kind.name, name, "the kind exists");
        Self { kind, store: (kind.fresh)(), server: server(), now: START, since: None }
    }

    fn run(&mut self, line: &str, more: &str) -> String {
        self.now += 1;
        let now = Stamp::from_secs(self.now);
        let words = split(line);
        match words[0].as_str() {
            "reset" => {
                self.store = (self.kind.fresh)();
                self.server = server();
                String::new()
            }
            "env" => {
                let (name, value) = words[1].split_once('=').expect("NAME=VALUE");
                self.server.env.insert(name.into(), value.into());
                String::new()
            }
            "file" => {
                self.server.files.insert(words[1].clone(), more.into());
                String::new()
            }
            "disk" => {
                self.server.corrupt_share = if words[1] == "corrupt" { 1.0 } else { 0.0 };
                self.server.is_disk_full = words[1] == "full";
                String::new()
            }
            "client" => {
                self.since = (words[1] == "stays").then_some(now);
                String::new()
            }
            "wait" => {
                self.now += words[1].parse::<i64>().expect("seconds");
                lines(&self.store.tick(Stamp::from_secs(self.now)))
            }
            "start" => {
                self.server.now = now;
                self.server.logs_at = self.server.now;
                self.server.version = words[1].clone();
                self.server.args = words[2..].to_vec();
                match self.store.start(&self.server) {
                    StoreStart::Listens(said) => lines(&said),
                    StoreStart::Ends(code, said) => format!("{}[ends with {code}]\n", lines(&said)),
                }
            }
            "$" => {
                let call =
                    ConsoleCall { now, words: words[1..].to_vec(), input: more.into(), ..ConsoleCall::default() };
                let end = self.store.console(&call);
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let exit = if end.code == 0 { String::new() } else { format!("[exit {}]\n", end.code) };
                format!("{}{}{exit}", text(&end.stdout), text(&end.stderr))
            }
            "?" => {
                let given = |at: usize| words.get(at).filter(|word| *word != "-").cloned().unwrap_or_default();
                let ask = StoreAsk {
                    now,
                    user: given(1),
                    password: given(2),
                    database: given(3),
                    operation: words[4..].join(" "),
                    rate: 1.0,
                    client: "shop/client".into(),
                    address: "10.244.1.7".into(),
                    since: self.since,
                    ..StoreAsk::default()
                };
                match self.store.serve(&ask) {
                    StoreAnswer::Done { .. } => "done\n".into(),
                    StoreAnswer::Refused(why) => format!("refused: {why}\n"),
                    StoreAnswer::Hangs => "hangs\n".into(),
                }
            }
            "http" => {
                let ask = HttpAsk { method: words[1].clone(), path: words[2].clone(), ..HttpAsk::default() };
                let answer = self.store.asked(&ask, now).expect("it speaks HTTP");
                format!("{} {}\n", answer.status, String::from_utf8_lossy(&answer.body))
            }
            "typed" => {
                let text = line.trim_start_matches("typed ").replace(" | ", "\r\n");
                self.store.typed(&text, now).expect("it speaks text").replace('\r', "")
            }
            other => panic!("not understood: {other}"),
        }
    }
}

fn lines(said: &[String]) -> String {
    said.iter().map(|line| format!("{line}\n")).collect()
}

/// Words with quotes, as a shell reads them.
fn split(line: &str) -> Vec<String> {
    let mut words: Vec<Option<String>> = vec![None];
    let mut quote = None;
    for c in line.chars() {
        let word = words.last_mut().expect("there is a word");
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => words.push(None),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.into_iter().flatten().collect()
}

fn is_step(line: &str) -> bool {
    ["start ", "reset", "env ", "file ", "disk ", "wait ", "client ", "http ", "typed ", "$ ", "? ", "# "]
        .iter()
        .any(|start| line.starts_with(start))
}

/// Plays a session; the text with the answers that came.
fn play(name: &str, text: &str) -> String {
    let mut play = Play::new(name);
    let mut out = String::new();
    let mut rest = text.lines().peekable();
    while let Some(line) = rest.next() {
        out.push_str(line);
        out.push('\n');
        if line.starts_with("# ") || line.is_empty() {
            continue;
        }
        assert!(is_step(line), "{name}: not a step: {line}");
        let mut more = String::new();
        let step = line.strip_suffix(" <<").unwrap_or(line);
        if step != line || line.starts_with("file ") {
            for line in rest.by_ref() {
                out.push_str(line);
                out.push('\n');
                if line == "." {
                    break;
                }
                more.push_str(line);
                more.push('\n');
            }
        }
        for line in play.run(step, &more).lines() {
            out.push_str(format!("| {line}").trim_end());
            out.push('\n');
        }
        while rest.next_if(|line| line.starts_with('|')).is_some() {}
    }
    out
}

fn check(name: &str) {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/stores/{name}.session"));
    let text = std::fs::read_to_string(&path).expect("a session");
    let played = play(name, &text);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &played).expect("written");
        return;
    }
    for (number, (wanted, found)) in text.lines().zip(played.lines()).enumerate() {
        assert_eq!(found, wanted, "{name}.session, line {}", number + 1);
    }
    assert_eq!(played.lines().count(), text.lines().count(), "{name}.session has as many lines");
}

macro_rules! sessions {
    ($($name:ident,)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name));
        })*

        #[test]
        fn every_kind_has_a_session() {
            let named = [$(stringify!($name)),*];
            for kind in apps::stores::KINDS {
                assert!(kind.name == "plain" || named.contains(&kind.name), "{} has no session", kind.name);
            }
        }
    };
}

sessions! {
    consul,
    kafka,
    memcached,
    mongodb,
    mysql,
    nacos,
    opensearch,
    postgres,
    rabbitmq,
    redis,
    tidb,
}

#[test]
fn a_copy_goes_its_own_way() {
    let mut play = Play::new("mongodb");
    play.run("start 4.4.6", "");
    let copy = play.store.copy();
    assert_eq!(copy.digest(), play.store.digest());
    play.run("$ mongo --quiet --eval \"db.createUser({user: 'a', pwd: 'b', roles: []})\"", "");
    assert_ne!(copy.digest(), play.store.digest());
    let _: BTreeMap<String, String> = play.server.env;
}
