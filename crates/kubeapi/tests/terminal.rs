//! The real kubectl at a terminal of its own: what is typed is echoed, edited and answered.

mod common;

use std::process::Command;

use cluster::{ClusterOptions, PlainPrograms};
use common::{Served, has};

/// The typist is a script because a terminal cannot be made without unsafe code.
#[test]
fn a_shell_in_a_container_is_used_as_at_any_terminal() {
    let skipped = "typing at a terminal";
    if !has("kubectl", "version", skipped) || !has("python3", "--version", skipped) {
        return;
    }
    let served = Served::start("terminal", ClusterOptions::default(), PlainPrograms::default());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/terminal/type.py");
    let done = Command::new("python3")
        .arg(script)
        .arg(&served.kubeconfig)
        .env("HOME", &served.folder)
        .output()
        .expect("python3 runs");
    let told = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{told}");
}
