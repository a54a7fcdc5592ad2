//! A server that is killed under load: every episode whose end it acknowledged is on disk, and the next server goes on.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use harness::sweep::{read_lines, record_path};
use serde_json::json;

use crate::json as parsed;
use crate::wire::{Server, Wire};

/// So often it is killed.
const KILLS: usize = 20;
/// So many clients play at a time.
const CLIENTS: usize = 4;

#[test]
fn what_a_killed_server_acknowledged_is_kept() {
    let out = std::env::temp_dir().join(format!("sre-zero-serve-killed-{}", std::process::id()));
    let _ = fs::remove_dir_all(&out);
    let mut acknowledged = 0;
    for round in 0..KILLS {
        let mut server = Server::on(&out, &["--tasks", "cache_crash,web_worker_crash"]);
        let (over, enough) = (AtomicUsize::new(0), 1 + round * 3);
        std::thread::scope(|scope| {
            for client in 0..CLIENTS {
                let (address, over) = (server.address.clone(), &over);
                // An error means that the server is gone: what was not acknowledged may be lost.
                scope.spawn(move || {
                    while play(&address, client).is_ok() {
                        over.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            while over.load(Ordering::Relaxed) < enough {
                std::thread::yield_now();
            }
            server.kill();
        });
        acknowledged += over.load(Ordering::Relaxed);
        let found = kept(&out);
        assert!(found >= acknowledged, "after {} kills: {acknowledged} acknowledged, {found} kept", round + 1);
    }
    let mut last = Server::on(&out, &["--tasks", "cache_crash,web_worker_crash"]);
    assert_eq!(last.stop(), Some(0));
    println!("{KILLS} kills, {acknowledged} episodes acknowledged, {} kept", kept(&out));
    fs::remove_dir_all(&out).expect("it was there");
}

/// Plays one episode to its end.
fn play(address: &str, client: usize) -> io::Result<()> {
    let begun = Wire::try_post(address, "/episode/reset", &format!(r#"{{"agent": "client-{client}"}}"#))?;
    let session = parsed(&begun.body)["session_id"].clone();
    let step = json!({"session_id": session, "action": "escalate(\"enough\")"}).to_string();
    let ended = Wire::try_post(address, "/episode/step", &step)?;
    assert_eq!((begun.status, ended.status, &parsed(&ended.body)["done"]), (200, 200, &true.into()), "{ended:?}");
    Ok(())
}

/// How many whole episodes the folder holds; every line has its record.
fn kept(out: &Path) -> usize {
    let found = read_lines(out).expect("the server wrote it");
    let keys: BTreeSet<&String> = found.lines.iter().map(|line| &line.key).collect();
    assert_eq!(keys.len(), found.lines.len(), "an episode is there twice");
    assert!(found.lines.iter().all(|line| record_path(out, &line.key).exists()), "a line has no record");
    found.lines.len()
}
