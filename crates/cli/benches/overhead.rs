//! What the harness itself costs per model call: a thousand episodes in flight on one core against an
//! instant provider on this machine. Printed as a row; the time is that of our own process, simulation,
//! records and forced writes included.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// In flight at a time, and played in all.
const EPISODES: &str = "1000";
const TASKS: u64 = 40;
const SEEDS: &str = "25";

fn main() {
    let folder = std::env::temp_dir().join(format!("sre-zero-overhead-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for temporary files can be made");
    let (mut provider, url) = provider();
    for agent in ["react", "tools"] {
        row(&folder.join(agent), agent, &url);
    }
    provider.kill().expect("it was started");
    provider.wait().expect("it was started");
    fs::remove_dir_all(&folder).expect("it was made here");
}

fn provider() -> (Child, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sre-zero"));
    command.args(["rehearse", "--port", "0", "--brain", "runbook"]).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program starts");
    let mut ready = String::new();
    let out = child.stdout.take().expect("it is piped");
    BufReader::new(out).read_line(&mut ready).expect("it says that it is ready");
    (child, format!("{}/v1", ready.trim().trim_start_matches("rehearsing on ")))
}

fn row(out: &Path, agent: &str, url: &str) {
    // One core for us; the shell tells the time that our process used.
    let script = "TIMEFORMAT='%U %S %R'; time taskset -c 0 \"$0\" \"$@\"";
    let mut command = Command::new("bash");
    command.args(["-c", script, env!("CARGO_BIN_EXE_sre-zero"), "run", "--agents", agent, "--policy", "none"]);
    command
        .args(["--models", "rehearsal/runbook", "--episodes", SEEDS, "--jobs", EPISODES, "--json", "--out"])
        .arg(out);
    command.env("SRE_ZERO_REHEARSAL_URL", url);
    let output = command.output().expect("there is a shell");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    let summary: Value = serde_json::from_slice(&output.stdout).expect("the summary is JSON");
    let (calls, episodes) = (&summary["agents"][0]["model_calls"], &summary["agents"][0]["episodes"]);
    assert_eq!(episodes.as_u64(), Some(TASKS * SEEDS.parse::<u64>().expect("a number")), "an episode is missing");
    let times: Vec<f64> =
        told.lines().last().expect("the shell tells the time").split(' ').map(|t| t.parse().expect("a time")).collect();
    let calls = calls.as_f64().expect("a number");
    let (own, wall) = ((times[0] + times[1]) * 1e6 / calls, calls / times[2]);
    println!(
        "{agent}: {EPISODES} episodes in flight on one core, {calls} calls: {wall:.0} calls/s, {own:.0} us of our own time per call"
    );
}
