//! `sre-zero rehearse` for tests: started on a free port, ended with the test.
//!
//! ```ignore
//! let provider = FakeProvider::start("storm", &["--faults", "storm", "--seed", "7"]);
//! // ... point a client at provider.url("/v1") ...
//! let lines = provider.lines();   // what the server did, to compare with what the client says
//! ```

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use agents::fake_provider::RequestEntry;

/// A server that is running.
pub struct FakeProvider {
    child: Child,
    out: BufReader<ChildStdout>,
    address: SocketAddr,
    log: PathBuf,
}

impl FakeProvider {
    /// Starts it with these arguments beside port and log; `name` keeps tests apart.
    pub fn start(name: &str, args: &[&str]) -> FakeProvider {
        let log = std::env::temp_dir().join(format!("sre-zero-rehearse-{name}-{}.jsonl", std::process::id()));
        let mut command = Command::new(env!("CARGO_BIN_EXE_sre-zero"));
        command.args(["rehearse", "--port", "0", "--log"]).arg(&log).args(args);
        let mut child = command
            .env_remove("SRE_ZERO_REHEARSAL_KEY")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut ready = String::new();
        out.read_line(&mut ready).expect("it says something");
        let address = ready.trim().strip_prefix("rehearsing on http://").and_then(|address| address.parse().ok());
        let address = address.unwrap_or_else(|| panic!("`{ready}` is no ready line"));
        FakeProvider { child, out, address, log }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address with a path behind it.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What it did so far.
    pub fn lines(&self) -> Vec<RequestEntry> {
        let text = fs::read_to_string(&self.log).expect("it keeps a log");
        RequestEntry::read_all(&text).unwrap_or_else(|problem| panic!("{}: {problem}", self.log.display()))
    }

    /// Ends it as Ctrl-C does. Gives its exit code and what it says of its work.
    pub fn interrupt(mut self) -> (Option<i32>, String) {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(sent.expect("there is a `kill`").success());
        let mut told = String::new();
        self.out.read_to_string(&mut told).expect("it says something");
        (self.child.wait().expect("it was started").code(), told)
    }
}

impl Drop for FakeProvider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_file(&self.log);
    }
}
