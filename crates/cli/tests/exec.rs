//! Agents that are programs: whatever one does ends its own episode with the right word, and nothing else.

#![cfg(target_os = "linux")]

mod bench;
#[allow(dead_code, reason = "it needs a folder only")]
mod session;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use bench::{has_bubblewrap, json, lines, program, said, succeed};
use harness::sweep::record_path;
use harness::{Episode, EpisodeOptions, Noise, Record, Scenario, action_text, tasks};
use serde_json::{Value, json};
use session::Folder;

/// A task in which a few looks are possible.
const TASK: &str = "cache_crash";
/// The same calls by whichever way; the last one ends the episode.
const CALLS: &[(&str, &str)] = &[
    ("inspect_logs", r#"{"service":"cache"}"#),
    ("restart_service", r#"{"service":"cache"}"#),
    ("escalate", r#"{"reason":"the cache is back, and it is open why it fell over"}"#),
];

/// Programs without manners: flag, command, the word for how it ends, steps that count.
const UNRULY: &[(&str, &str, &str, u32)] = &[
    ("--exec", "sleep SLEEP", "timed_out", 0),
    ("--exec", "read -r brief; echo 'inspect_logs(cache)'; sleep SLEEP", "timed_out", 1),
    // Blank lines gain no time.
    ("--exec", "while echo; do sleep 0.1; done", "timed_out", 0),
    ("--exec", "cat /dev/zero", "flooded", 0),
    ("--exec", "yes '' ", "flooded", 0),
    ("--exec", "yes complaint >&2", "flooded", 0),
    ("--exec", "yes rubbish", "invalid_action", 8),
    ("--exec", "head -c 30000 /dev/urandom | tr -d '\\n'; echo; exit 0", "invalid_action", 1),
    ("--exec", "true", "gave_up", 0),
    ("--exec", "exec >&-; sleep SLEEP", "gave_up", 0),
    ("--exec", "exec <&-; echo 'inspect_logs(cache)'; echo '{\"give_up\": true}'; sleep SLEEP", "gave_up", 1),
    ("--exec", "exit 3", "crashed", 0),
    ("--exec", "kill -SEGV $$", "crashed", 0),
    ("--exec", "echo 'inspect_logs(cache)'; exit 127", "crashed", 1),
    // What it wrote before it left counts, and children that hold its pipes do not keep it there.
    ("--exec", "sleep SLEEP & echo 'inspect_logs(cache)'", "gave_up", 1),
    ("--exec", "for i in 1 2 3; do sh -c 'sleep SLEEP & sleep SLEEP' & done; wait", "timed_out", 0),
    // Those that leave the group are found; those that leave no sign either, when the run is over.
    ("--exec", "(setsid sleep SLEEP &); (cd / && setsid sleep SLEEP &); echo 'inspect_logs(cache)'", "gave_up", 1),
    ("--exec", "cd /; (env -i setsid sleep SLEEP &); sleep SLEEP", "timed_out", 0),
    ("--exec-mcp", "sleep SLEEP", "timed_out", 0),
    ("--exec-mcp", "true", "gave_up", 0),
    ("--exec-mcp", "kill -KILL $$", "crashed", 0),
    ("--exec-mcp", "yes", "flooded", 0),
];

#[test]
fn whatever_a_program_does_ends_its_own_episode_only() {
    let folder = Folder::new("exec-unruly");
    let out = folder.path().join("out");
    let sleep = asleep(1);
    let mut command = run(&folder, &out);
    command.args(["--agents", "runbook", "--exec", &format!("steady={}", steady(folder.path()))]);
    for (at, (flag, cmd, ..)) in UNRULY.iter().enumerate() {
        command.args([flag, &format!("unruly-{at}={}", cmd.replace("SLEEP", &sleep))[..]]);
    }
    command.args(["--exec-timeout-seconds", "3", "--exec-max-output", "200000", "--jobs", "4"]);
    succeed(command);
    let lines = lines(&out);
    assert_eq!(lines.len(), UNRULY.len() + 2);
    for (at, (flag, cmd, word, steps)) in UNRULY.iter().enumerate() {
        let score = &lines[&format!("unruly-{at}/{TASK}/0")].score;
        assert_eq!((&*score.ending.word, score.steps), (*word, *steps), "{flag} {cmd}");
        assert!(score.counts(), "{flag} {cmd}: it is the agent's own doing");
        replays(&record_path(&out, &format!("unruly-{at}/{TASK}/0")));
    }
    assert_eq!(lines[&format!("runbook/{TASK}/0")].score.ending.word, "resolved");
    assert_eq!(lines[&format!("steady/{TASK}/0")].digest, played("steady").digest());
    assert_no_trace(&folder, &sleep);
}

#[test]
fn the_same_calls_give_the_same_record_by_every_way() {
    let folder = Folder::new("exec-same");
    let out = folder.path().join("out");
    let calls: Vec<Value> = CALLS.iter().map(|(tool, arguments)| call(tool, arguments)).collect();
    folder_file(&folder, "calls.json", &json!(calls).to_string());
    folder_file(&folder, "over_mcp.py", OVER_MCP);
    folder_file(&folder, "over_http.py", OVER_HTTP);
    let mut command = run(&folder, &out);
    command.args(["--exec", &format!("lines={}", steady(folder.path()))]);
    let python = has_python();
    for name in ["mcp", "http"].iter().filter(|_| python) {
        command.args(["--exec-mcp", &format!("{name}=python3 over_{name}.py calls.json")]);
    }
    command.current_dir(folder.path());
    succeed(command);
    let lines = lines(&out);
    assert_eq!(lines.len(), if python { 3 } else { 1 });
    for line in lines.values() {
        assert_eq!(line.digest, played(&line.score.agent).digest(), "{}", line.key);
    }
    assert_no_trace(&folder, &asleep(2));
}

#[test]
fn the_examples_play() {
    let folder = Folder::new("exec-examples");
    let out = folder.path().join("out");
    let mut command = run(&folder, &out);
    command.args(["--agents", "exec:sh examples/agents/first_look.sh", "--repeats", "2"]);
    let mut agents = 1;
    if has_python() {
        command.args(["--exec", "responder=python3 examples/agents/first_responder.py"]);
        command.args(["--exec-mcp", "mcp=python3 examples/agents/over_mcp.py"]);
        agents += 2;
    }
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    succeed(command);
    let lines = lines(&out);
    assert_eq!(lines.len(), 2 * agents);
    for line in lines.values() {
        let score = &line.score;
        assert_eq!((&*score.ending.word, score.invalid_actions), ("escalated", 0), "{}", line.key);
        assert!(score.steps > 2, "{}", line.key);
    }
}

#[test]
fn a_saved_policy_plays_as_it_was_trained() {
    if !has_python() {
        return;
    }
    let folder = Folder::new("exec-policy");
    let play = |out: &str| {
        let out = folder.path().join(out);
        let mut command = run(&folder, &out);
        command
            .args(["--exec", "trained=python3 examples/training/saved_policy.py play examples/training/policy.json"]);
        command.args(["--agents", "random", "--repeats", "20"]);
        command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
        succeed(command);
        lines(&out)
    };
    let lines = play("out");
    let resolved =
        |agent: &str| lines.values().filter(|line| &*line.score.agent == agent && line.score.success).count();
    assert!(lines.values().filter(|line| &*line.score.agent == "trained").all(|line| line.score.invalid_actions == 0));
    assert!(resolved("trained") > resolved("random"), "{} against {}", resolved("trained"), resolved("random"));
    let digests = |lines: &std::collections::BTreeMap<String, harness::sweep::EpisodeLine>| -> Vec<String> {
        lines.values().map(|line| line.digest.clone()).collect()
    };
    assert_eq!(digests(&play("again")), digests(&lines));
}

#[test]
fn a_program_sees_its_own_folder_and_what_it_was_given() {
    let folder = Folder::new("exec-room");
    let out = folder.path().join("out");
    let look =
        "env >&2; echo \"files: $(ls -A | wc -l)\" >&2; echo \"at home: $(test \"$PWD\" = \"$HOME\" && echo yes)\" >&2";
    let mut command = run(&folder, &out);
    command.env("OPENAI_API_KEY", "sk-not-for-you").env("GIVEN", "a present");
    command.args(["--exec", &format!("look={look}"), "--exec-mcp", &format!("far={look}"), "--exec-env", "GIVEN"]);
    succeed(command);
    let log = fs::read_to_string(out.join("run.log")).expect("programs are logged");
    let heard = |who: &str| -> Vec<String> {
        let mark = format!(" {who}/INC-");
        let said = log.lines().filter_map(|line| line.split_once(&mark)?.1.split_once(": "));
        said.map(|(_, text)| text.to_string()).collect()
    };
    let names = |who: &str| -> Vec<String> {
        let mut names: Vec<String> =
            heard(who).iter().filter_map(|line| line.split_once('=')).map(|(name, _)| name.to_string()).collect();
        // A shell adds a few of its own.
        names.retain(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(&name.as_str()));
        names.sort();
        names
    };
    let usual = ["GIVEN", "HOME", "LANG", "PATH", "SRE_ZERO_EPISODE", "SRE_ZERO_PROTOCOL", "TMPDIR"];
    assert_eq!(names("look"), usual);
    let own = ["BRIEF", "BRIEF_JSON", "HTTP_URL", "MCP_CONFIG", "MCP_URL", "SESSION", "TOKEN"];
    let mut far: Vec<String> = usual.iter().map(|name| name.to_string()).collect();
    far.extend(own.map(|name| format!("SRE_ZERO_{name}")));
    far.sort();
    assert_eq!(names("far"), far);
    assert!(!log.contains("sk-not-for-you") && log.contains("GIVEN=a present"), "{log}");
    assert!(heard("look").contains(&"files: 0".to_string()), "{log}");
    assert!(heard("far").contains(&"files: 3".to_string()), "{log}");
    assert!(heard("look").contains(&"at home: yes".to_string()), "{log}");
    // Nor does it learn where the run is kept.
    let place = out.to_str().expect("it is text");
    assert!(heard("look").iter().chain(&heard("far")).all(|line| !line.contains(place)), "{log}");
    assert_no_trace(&folder, &asleep(3));
}

#[test]
fn a_sandbox_hides_files_and_processes() {
    if !has_bubblewrap() {
        return;
    }
    let folder = Folder::new("exec-sandbox");
    let (out, sleep) = (folder.path().join("out"), asleep(5));
    let mut command = run(&folder, &out);
    let look = format!(
        "test -d {} || echo 'no run' >&2; touch /usr/mine 2>/dev/null || echo 'no writing' >&2; \
         echo \"processes: $(ls /proc | grep -c '^[0-9]')\" >&2; touch here && echo 'a room' >&2",
        out.display()
    );
    // What leaves the group and bears no sign ends with its sandbox.
    let stray = format!("cd /; (env -i setsid sleep {sleep} &); sleep {sleep}");
    command.args(["--exec", &format!("look={look}"), "--exec", &format!("stray={stray}"), "--exec"]);
    command.args([&format!("steady={}", steady(folder.path())), "--exec-sandbox", "--exec-timeout-seconds", "3"]);
    succeed(command);
    let log = fs::read_to_string(out.join("run.log")).expect("programs are logged");
    for expect in ["no run", "no writing", "a room"] {
        assert!(log.contains(&format!(": {expect}")), "{expect}: {log}");
    }
    let count = log.split("processes: ").nth(1).and_then(|rest| rest.lines().next()?.parse::<u32>().ok());
    assert!(count.is_some_and(|count| count < 10), "{log}");
    let lines = lines(&out);
    assert_eq!(lines[&format!("stray/{TASK}/0")].score.ending.word, "timed_out");
    // A file that the command names is shown, so the agent plays as it does outside.
    assert_eq!(lines[&format!("steady/{TASK}/0")].digest, played("steady").digest());
    assert_no_trace(&folder, &sleep);
}

#[test]
fn an_interrupted_run_leaves_no_program_behind() {
    let folder = Folder::new("exec-interrupted");
    let out = folder.path().join("out");
    let sleep = asleep(4);
    let mut command = run(&folder, &out);
    let unruly = format!("sleeper=echo 'inspect_logs(cache)'; sleep {sleep} & sleep {sleep}");
    command.args(["--exec", &unruly, "--exec-mcp", &format!("far=sleep {sleep}"), "--jobs", "2"]);
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the program starts");
    while processes(&sleep).len() < 3 {
        assert!(matches!(child.try_wait(), Ok(None)), "it was through before it was stopped");
        std::thread::yield_now();
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("there is a kill").success());
    let output = child.wait_with_output().expect("it was started");
    assert_eq!(output.status.code(), Some(130), "{}", said(&output));
    assert_eq!(json(&out.join("partial.json"))["open"], 2);
    assert_no_trace(&folder, &sleep);
}

#[test]
fn mistakes_are_the_users_and_are_told() {
    let folder = Folder::new("exec-mistakes");
    let check = |flags: &[&str], code: i32, expect: &str| {
        let out = folder.path().join("out");
        let output = run(&folder, &out).args(["--fresh"]).args(flags).output().expect("the program starts");
        let told = said(&output);
        assert_eq!(output.status.code(), Some(code), "{flags:?}: {told}");
        assert!(told.contains(expect), "{flags:?}: {told}");
    };
    check(&["--exec", "nobody"], 2, "it takes a name and a command: NAME=COMMAND");
    check(&["--exec", "../x=true"], 2, "a name has up to 64 letters");
    check(&["--exec", "random=true"], 2, "`random` is the name of a built-in agent");
    check(&["--exec", "a=true", "--exec-mcp", "a=true"], 2, "two agents are called `a`");
    check(&["--agents", "exec:head -n 1,2"], 2, "a command with a comma in it is written --exec NAME=CMD");
    check(&["--agents", "exec:"], 2, "write `exec:COMMAND`");
    check(&["--exec", "a=true", "--exec-env", "NOT_SET_HERE"], 2, "--exec-env NOT_SET_HERE: it is not set");
    // No episode of the agent's: it never was there.
    check(&["--exec", "a=no-such-program"], 1, "cannot run `no-such-program` (exit 127");
    check(&["--exec-mcp", "a=no-such-program"], 1, "see it again: sre-zero run --tasks cache_crash --exec-mcp 'a=no");
}

/// The program, about to play the task once, with its temporary files in the folder.
fn run(folder: &Folder, out: &Path) -> Command {
    let temporary = folder.path().join("tmp");
    fs::create_dir_all(&temporary).expect("it can be made");
    let mut command = program();
    command.env("TMPDIR", temporary).args(["run", "--tasks", TASK, "--episodes", "1", "--out"]).arg(out);
    command
}

/// A well-behaved agent for a shell: one call after the other, each after the answer to the last.
fn steady(folder: &Path) -> String {
    let acts: Vec<String> = CALLS
        .iter()
        .map(|(tool, arguments)| format!("read -r seen; cat <<'END'\n{}\nEND\n", call(tool, arguments)))
        .collect();
    let path = folder.join("steady.sh");
    fs::write(&path, acts.concat() + "read -r seen; exit 0\n").expect("it can be written");
    format!("sh {}", path.display())
}

fn call(tool: &str, arguments: &str) -> Value {
    json!({ "tool": tool, "arguments": serde_json::from_str::<Value>(arguments).expect("it is JSON") })
}

/// The same calls without any program.
fn played(agent: &str) -> Record {
    let task = tasks::find(tasks::embedded(), TASK).expect("it is one of the forty");
    let scenario = Arc::new(Scenario::prepare(&task, 0, Noise(0)).expect("it can be played"));
    let options = EpisodeOptions { agent: agent.to_string(), suite: "selection".to_string(), ..Default::default() };
    let mut episode = Episode::start(&scenario, options);
    for (tool, arguments) in CALLS {
        let arguments: Value = serde_json::from_str(arguments).expect("it is JSON");
        episode.step(&action_text(tool, arguments.as_object().expect("it is an object")));
    }
    assert!(episode.is_over());
    episode.finish()
}

fn replays(record: &Path) {
    let output = program().arg("replay").arg(record).output().expect("the program starts");
    assert!(output.status.success(), "{}: {}", record.display(), said(&output));
}

/// A number of seconds by which the processes of one test are known.
fn asleep(test: u32) -> String {
    (1_000_000 + 10 * std::process::id() + test).to_string()
}

/// Neither a process nor a folder is left.
fn assert_no_trace(folder: &Folder, sleep: &str) {
    assert_eq!(processes(sleep), Vec::<PathBuf>::new());
    let left: Vec<_> = fs::read_dir(folder.path().join("tmp")).expect("it was made").collect();
    assert!(left.is_empty(), "{left:?}");
}

/// The processes that sleep for so long.
fn processes(sleep: &str) -> Vec<PathBuf> {
    let all = fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let words = |path: &PathBuf| fs::read(path.join("cmdline")).unwrap_or_default();
    all.filter(|path| words(path) == format!("sleep\0{sleep}\0").into_bytes()).collect()
}

fn folder_file(folder: &Folder, name: &str, text: &str) {
    fs::write(folder.path().join(name), text).expect("it can be written");
}

fn has_python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        println!("there is no python3 here: the programs in Python were left out");
    }
    found
}

const OVER_MCP: &str = r#"
import json, os, sys, urllib.request
def rpc(id, method, params):
    body = json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode()
    headers = {"Content-Type": "application/json", "MCP-Protocol-Version": "2025-06-18"}
    with urllib.request.urlopen(urllib.request.Request(os.environ["SRE_ZERO_MCP_URL"], body, headers)) as reply:
        return json.load(reply)["result"]
config = json.load(open(os.environ["SRE_ZERO_MCP_CONFIG"]))
assert config["mcpServers"]["incident"]["url"] == os.environ["SRE_ZERO_MCP_URL"]
hello = rpc(1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
assert hello["instructions"] == open(os.environ["SRE_ZERO_BRIEF"]).read()
for at, call in enumerate(json.load(open(sys.argv[1]))):
    rpc(at + 2, "tools/call", {"name": call["tool"], "arguments": call["arguments"]})
"#;

/// Besides, it tries every door but its own.
const OVER_HTTP: &str = r#"
import json, os, sys, urllib.error, urllib.request
base, session, token = (os.environ["SRE_ZERO_" + name] for name in ("HTTP_URL", "SESSION", "TOKEN"))
def ask(path, body=None, token=token):
    headers = {"Authorization": "Bearer " + token, "X-Session-ID": session}
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(base + path, data, headers)) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as problem:
        return problem.code, json.load(problem)
def refused(status, *args, **kwargs):
    found, body = ask(*args, **kwargs)
    assert found in status, (found, body)
refused([401], "/episode/state", token="x" * 32)
refused([400, 503], "/episode/reset", {"seed": 1})
refused([422], "/reset", {"seed": 1})
refused([404], "/episode/step", {"session_id": "0" * 32, "action": "inspect_logs(cache)"})
assert ask("/tasks")[1]["tasks"] == [], ask("/tasks")
assert ask("/episode/state")[0] == 200
for call in json.load(open(sys.argv[1])):
    action = json.dumps({"action": call["tool"], **call["arguments"]}, separators=(",", ":"), sort_keys=True)
    status, body = ask("/episode/step", {"session_id": session, "action": action})
    assert status == 200, body
"#;
