//! A served cluster for tests: in this process, on a port that is free.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use cluster::{Cluster, ClusterOptions, PlainPrograms};
use kubeapi::{ApiListener, ClusterHost, ServedClock};

/// A server that runs until it is dropped.
pub struct Served {
    /// Where files of this test go.
    pub folder: PathBuf,
    /// Its kubeconfig.
    pub kubeconfig: PathBuf,
    _runtime: tokio::runtime::Runtime,
}

/// The administrator's token.
pub const TOKEN: &str = "a-token-for-tests";

impl Served {
    /// Serves a cluster that begins now.
    pub fn start(name: &str, options: ClusterOptions, programs: PlainPrograms) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let cluster = Cluster::new(&ClusterOptions { start: ServedClock::wall(), ..options });
        let listener = runtime.block_on(ApiListener::bind(0)).expect("a free port");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        let kubeconfig = folder.join("kubeconfig");
        std::fs::write(&kubeconfig, listener.kubeconfig(TOKEN).expect("a kubeconfig")).expect("a file");
        let host = ClusterHost::new(cluster, Box::new(programs), ServedClock::new(1.0), TOKEN.into());
        runtime.spawn(listener.serve(Arc::new(host), std::future::pending()));
        Self { folder, kubeconfig, _runtime: runtime }
    }
}

/// Whether a program is on the path; says what is skipped if it is not.
pub fn has(program: &str, argument: &str, skipped: &str) -> bool {
    match Command::new(program).arg(argument).output() {
        Ok(done) => {
            println!("{program}: {}", String::from_utf8_lossy(&done.stdout).lines().next().unwrap_or_default());
            true
        }
        Err(_) => {
            println!("no {program} on the path: {skipped} is skipped");
            false
        }
    }
}
