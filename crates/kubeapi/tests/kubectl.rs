//! The real kubectl against a served cluster: recorded cases, compared with what a real cluster answered.

mod common;

use std::process::Command;

use cluster::{ClusterOptions, PlainPrograms};
use common::{Served, has};

/// All recorded cases pass. The runner is a script because the cases are lines of a shell.
#[test]
fn recorded_cases_pass_with_the_kubectl_on_the_path() {
    let skipped = "the comparison with recorded cases";
    if !has("kubectl", "version", skipped) || !has("python3", "--version", skipped) {
        return;
    }
    let served = Served::start("cases", ClusterOptions::conformance(), PlainPrograms::conformance());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kubectl/run_cases.py");
    let done = Command::new("python3")
        .arg(script)
        .arg("--kubeconfig")
        .arg(&served.kubeconfig)
        .arg("--out")
        .arg(&served.folder)
        .output()
        .expect("python3 runs");
    let told = String::from_utf8_lossy(&done.stdout);
    println!("{told}{}", String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{}", told.lines().last().unwrap_or("the runner said nothing"));
}
