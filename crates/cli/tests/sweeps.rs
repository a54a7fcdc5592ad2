//! Sweeps against the rehearsal provider: nothing lost, nothing scored that the model did not do.

mod bench;
#[allow(dead_code, reason = "it needs a folder only")]
mod session;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use bench::{FakeProvider, SWEEP, attempts, files, flags, json, lines, program, said, succeed};
use harness::ProviderFault;
use session::Folder;

/// Time enough for an answer, and for the failures not to take all day.
const HASTE: &[&str] = &["--timeout-seconds", "5", "--jobs", "48"];
const FEW: &[&str] = &["--suite", "easy"];

#[test]
fn faults_are_told_apart_and_change_no_score() {
    let folder = Folder::new("faults");
    let bad = FakeProvider::start(folder.path(), &["--faults", "storm", "--seed", "11", "--retry-after", "0"]);
    let (faulty, clean) = (folder.path().join("faulty"), folder.path().join("clean"));
    succeed(bad.run(&faulty, &flags(&[SWEEP, HASTE, &["--keep-going"]])));
    // What the server did to every try, in order, for each question; and what we made of it.
    let mut done: BTreeMap<String, Vec<ProviderFault>> = BTreeMap::new();
    for line in bad.lines() {
        done.entry(line.body).or_default().extend(line.fault);
    }
    let (faulty_lines, mut found) = (lines(&faulty), BTreeMap::<String, Vec<ProviderFault>>::new());
    for key in faulty_lines.keys() {
        for attempt in attempts(&faulty, key) {
            found.entry(attempt.ask).or_default().push(attempt.fault);
        }
    }
    done.retain(|_, faults| !faults.is_empty());
    let differ = |ask: &&String| found.get(*ask) != done.get(*ask);
    let wrong: Vec<_> =
        found.keys().chain(done.keys()).filter(differ).map(|ask| (found.get(ask), done.get(ask))).collect();
    assert!(wrong.is_empty(), "what was found, and what the server did: {:?}", &wrong[..wrong.len().min(5)]);
    let kinds: std::collections::BTreeSet<ProviderFault> = done.into_values().flatten().collect();
    assert!(kinds.len() >= 7, "the schedule is too kind: {kinds:?}");
    drop(bad);

    let kind = Folder::new("faults-clean");
    let good = FakeProvider::start(kind.path(), &[]);
    succeed(good.run(&clean, &flags(&[SWEEP, HASTE])));
    let clean_lines = lines(&clean);
    assert_eq!(faulty_lines.len(), 160);
    assert!(faulty_lines.keys().eq(clean_lines.keys()));
    let (complete, missing): (Vec<_>, Vec<_>) = faulty_lines.values().partition(|line| line.score.counts());
    for line in &complete {
        assert_eq!(line.score, clean_lines[&line.key].score, "{}", line.key);
        assert_eq!(line.digest, clean_lines[&line.key].digest, "{}", line.key);
    }
    // Those that ended on the provider are counted apart, with both denominators.
    let summary = json(&faulty.join("summary.json"));
    let sum = |name: &str| {
        summary["agents"].as_array().expect("agents").iter().map(|a| a[name].as_u64().expect(name)).sum::<u64>()
    };
    assert_eq!(
        (sum("episodes"), sum("provider_failures"), sum("attempted")),
        (complete.len() as u64, missing.len() as u64, 160)
    );
    assert!(!missing.is_empty() && complete.len() > 80, "{} are complete", complete.len());
}

#[test]
fn a_recording_replays_offline_to_the_byte() {
    let folder = Folder::new("replay");
    let (first, again) = (folder.path().join("first"), folder.path().join("again"));
    let provider = FakeProvider::start(folder.path(), &["--faults", "heavy", "--retry-after", "0"]);
    succeed(provider.run(&first, &flags(&[SWEEP, HASTE, FEW])));
    let nowhere = provider.url.clone();
    drop(provider);
    let replay = |out: &Path, from: &Path| {
        let mut command = program();
        command.env("SRE_ZERO_REHEARSAL_URL", &nowhere).arg("run").args(SWEEP).args(FEW).arg("--out").arg(out);
        command.arg("--replay").arg(from);
        command
    };
    succeed(replay(&again, &first));
    for file in ["summary.json", "episodes.jsonl"] {
        let read = |out: &Path| fs::read_to_string(out.join(file)).expect("the run wrote it");
        assert_eq!(read(&first), read(&again), "{file} differs");
    }
    // One exchange less is a clear error, for that episode only.
    let exchanges = files(&first.join("exchanges")).into_iter().next().expect("there are exchanges");
    let text = fs::read_to_string(&exchanges).expect("it is text");
    let cut: String = text.lines().take(text.lines().count() - 1).map(|line| format!("{line}\n")).collect();
    fs::write(&exchanges, cut).expect("it can be written");
    let output = replay(&folder.path().join("third"), &first).output().expect("the program starts");
    let told = said(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("has no answer for call") && told.contains("run without --replay"), "{told}");
    assert_eq!(told.matches("failed: ").count(), 1, "{told}");
}

#[test]
fn a_pause_leaves_a_partial_result_and_the_same_command_goes_on() {
    let folder = Folder::new("pause");
    let provider = FakeProvider::start(folder.path(), &["--latency-ms", "2"]);
    let whole = folder.path().join("whole");
    succeed(provider.run(&whole, &flags(&[SWEEP, FEW])));
    let pause = folder.path().join("pause");
    let pause_flag = ["--pause-file", pause.to_str().expect("the folder's name is text"), "--jobs", "4"];
    let with_file = |out: &Path| provider.run(out, &flags(&[SWEEP, FEW, &pause_flag]));
    // By a file that appears in the middle, by one that is there from the start, and by Ctrl-C.
    for (name, code) in [("file", 3), ("start", 3), ("interrupt", 130)] {
        let out = folder.path().join(name);
        if name == "start" {
            fs::write(&pause, "").expect("it can be written");
        }
        let before = provider.lines().len();
        let mut child = with_file(&out).stderr(std::process::Stdio::piped()).spawn().expect("the program starts");
        while name != "start" && provider.lines().len() < before + 25 {
            assert!(matches!(child.try_wait(), Ok(None)), "it was through before it was stopped");
        }
        match name {
            "file" => fs::write(&pause, "").expect("it can be written"),
            "interrupt" => {
                let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
                assert!(sent.expect("there is a kill").success());
            }
            _ => {}
        }
        let output = child.wait_with_output().expect("it was started");
        assert_eq!(output.status.code(), Some(code), "{name}: {}", said(&output));
        assert!(
            said(&output).contains("continue with:\n  sre-zero run --agents react,tools") || name == "interrupt",
            "{}",
            said(&output)
        );
        let partial = json(&out.join("partial.json"));
        let count = |field: &str| partial[field].as_u64().unwrap_or_else(|| panic!("no {field}"));
        assert_eq!(count("finished") + count("open"), lines(&whole).len() as u64, "{name}");
        assert!(count("open") > 0 && !out.join("summary.json").exists(), "{name}");
        let _ = fs::remove_file(&pause);
        succeed(with_file(&out));
        let read = |out: &Path| fs::read_to_string(out.join("summary.json")).expect("the run wrote it");
        assert_eq!(read(&out), read(&whole), "{name}");
        assert!(!out.join("partial.json").exists());
    }
}

#[test]
fn shards_make_the_run_that_one_machine_would_have_made() {
    let folder = Folder::new("shards");
    let provider = FakeProvider::start(folder.path(), &[]);
    let whole = folder.path().join("whole");
    succeed(provider.run(&whole, &flags(&[SWEEP, FEW])));
    let shard = |i: u32| folder.path().join(format!("shard-{i}"));
    for i in 1..=3 {
        succeed(provider.run(&shard(i), &flags(&[SWEEP, FEW, &["--shard", &format!("{i}/3")]])));
    }
    let merged = folder.path().join("merged");
    let merge = |shards: &[u32]| {
        let mut command = program();
        command.arg("merge").args(shards.iter().map(|i| shard(*i))).arg("--out").arg(&merged);
        command
    };
    let output = merge(&[1, 3]).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("are missing") && !merged.join("summary.json").exists(), "{}", said(&output));
    succeed(merge(&[1, 2, 3]));
    for file in ["summary.json", "episodes.jsonl", "run.json"] {
        let read = |out: &Path| fs::read_to_string(out.join(file)).expect("it was written");
        assert_eq!(read(&merged), read(&whole), "{file} differs");
    }
    // What is to be read is never written over, nor removed before.
    let refused = |command: &mut Command, why: &str| {
        let before = files(&merged);
        let output = command.output().expect("the program starts");
        assert!(output.status.code() == Some(2) && said(&output).contains(why), "{}", said(&output));
        assert_eq!(files(&merged), before);
    };
    refused(program().arg("merge").args([&shard(1), &merged]).arg("--out").arg(&merged), "choose another --out");
    let replay = ["--fresh", "--replay", merged.to_str().expect("a plain path")];
    refused(&mut provider.run(&merged, &flags(&[SWEEP, FEW, &replay])), "would remove the recording");
    refused(&mut provider.run(&merged, &flags(&[SWEEP, FEW, &["--replay", "nowhere"]])), "there is no such folder");
    // A merged run is an ordinary one: its recording replays, and nothing is left to play.
    let told = said(&succeed(provider.run(&merged, &flags(&[SWEEP, FEW]))));
    assert!(told.contains("0 episodes played"), "{told}");
    // It can be made larger; stopped on the way, it has no summary any more.
    let larger = ["--repeats", "2", "--max-calls", "1"];
    let output = provider.run(&merged, &flags(&[SWEEP, FEW, &larger])).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(merged.join("partial.json").exists() && !merged.join("summary.json").exists());
}

#[test]
fn a_key_is_in_no_file_and_in_no_message() {
    const CANARY: &str = "sk-canary-7f3d9a51e0";
    let folder = Folder::new("canary");
    let server = Folder::new("canary-server");
    let provider = FakeProvider::start(server.path(), &["--faults", "storm", "--key", CANARY, "--retry-after", "0"]);
    let tell = |mut command: Command| {
        said(&command.env("SRE_ZERO_REHEARSAL_KEY", CANARY).current_dir(folder.path()).output().expect("it starts"))
    };
    let mut told = tell(provider.run(Path::new("good"), &flags(&[SWEEP, FEW, HASTE, &["--keep-going"]])));
    // The same key from a file, towards a server that wants another one and repeats what it got.
    let other = FakeProvider::start(Folder::new("canary-other").path(), &["--key", "another-key-entirely"]);
    told += &tell(other.run(Path::new("wrong"), &flags(&[SWEEP, FEW])));
    fs::write(folder.path().join(".env"), format!("SRE_ZERO_REHEARSAL_KEY={CANARY}\n")).expect("it can be written");
    told += &said(
        &other.run(Path::new("file"), &flags(&[SWEEP, FEW])).current_dir(folder.path()).output().expect("it starts"),
    );
    assert!(told.contains("authentication"), "{told}");
    assert!(!told.contains(CANARY), "{told}");
    fs::remove_file(folder.path().join(".env")).expect("it was there");
    let all = files(folder.path());
    assert!(all.len() > 40, "only {} files", all.len());
    for path in all {
        let bytes = fs::read(&path).expect("it can be read");
        let found = bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
        assert!(!found, "the key is in {}", path.display());
    }
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_lost() {
    let folder = Folder::new("wrong");
    let provider = FakeProvider::start(folder.path(), &["--key", "right-key", "--models", "runbook"]);
    let one = &[
        "--agents",
        "react",
        "--tasks",
        "cache_crash",
        "--episodes",
        "2",
        "--policy",
        "none",
        "--llm-backoff-seconds",
        "0",
    ];
    let run = |name: &str, key: &str, more: &[&str]| {
        let mut command = provider.run(&folder.path().join(name), &flags(&[one, more]));
        let output = command.env("SRE_ZERO_REHEARSAL_KEY", key).output().expect("the program starts");
        (output.status.code(), said(&output))
    };
    let check = |(code, told): (Option<i32>, String), expect: i32, words: &[&str]| {
        assert_eq!(code, Some(expect), "{told}");
        for word in words {
            assert!(told.contains(word), "no `{word}` in {told}");
        }
    };
    let right = &["--models", "rehearsal/runbook"];
    check(
        run("key", "wrong-key", right),
        3,
        &["has answered no call yet: authentication: 401", "2 episodes left", "continue with"],
    );
    check(run("key", "right-key", right), 0, &["2 episodes played"]);
    check(run("model", "right-key", &["--models", "rehearsal/nope"]), 3, &["refused: 404", "`nope` does not exist"]);
    check(
        run("name", "right-key", &["--models", "rehearsl/x"]),
        2,
        &["unknown provider `rehearsl`: did you mean `rehearsal`?"],
    );
    check(run("none", "right-key", &[]), 2, &["the agent `react` needs a model"]);
    check(run("key/run.json/below", "right-key", right), 2, &["cannot make the folder"]);
    let mut gone = provider.run(&folder.path().join("host"), &flags(&[one, right]));
    let output = gone.env("SRE_ZERO_REHEARSAL_URL", "http://127.0.0.1:9/v1").output().expect("the program starts");
    check((output.status.code(), said(&output)), 3, &["has answered no call yet: network", "2 episodes left"]);
    // A disk that is full: files may not grow. What could not be written is not acted upon, and the
    // same command goes on once there is room.
    let full = folder.path().join("full");
    let mut limited = Command::new("sh");
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    let sweep = provider.run(&full, &flags(&[one, right]));
    limited.args(["-c", script]).arg(sweep.get_program()).args(sweep.get_args());
    limited.env("SRE_ZERO_REHEARSAL_URL", &provider.url).env("SRE_ZERO_REHEARSAL_KEY", "right-key");
    let output = limited.output().expect("there is a shell");
    assert!(said(&output).contains("cannot write") && !output.status.success(), "{}", said(&output));
    check(run("full", "right-key", right), 0, &["react@rehearsal/runbook"]);
    let read = |out: &str| fs::read_to_string(folder.path().join(out).join("summary.json")).expect("the run wrote it");
    assert_eq!(read("full"), read("key"));
    // A damaged checkpoint and a damaged index: told, and played again; what was paid is not paid again.
    let before = provider.lines().len();
    let out = folder.path().join("key");
    fs::remove_file(out.join("episodes.jsonl")).expect("it was there");
    let exchanges = files(&out.join("exchanges")).remove(0);
    let text = fs::read_to_string(&exchanges).expect("it is text").replacen(
        "\"line\":\"exchange\"",
        "\"line\":\"exchagne\"",
        2,
    );
    let last = text.rfind("exchagne").expect("there are two");
    let text = text[..last].replace("exchagne", "exchange") + &text[last..];
    fs::write(&exchanges, text).expect("it can be written");
    check(
        run("key", "right-key", right),
        0,
        &["played again: react@rehearsal/runbook/cache_crash/", ": no exchange: ", "2 episodes played"],
    );
    assert_eq!(read("full"), read("key"));
    assert!(provider.lines().len() - before < 8, "more was asked again than was damaged");
}

#[test]
fn going_on_from_a_step_pays_for_the_rest_only() {
    let folder = Folder::new("from-step");
    let provider = FakeProvider::start(folder.path(), &[]);
    let out = folder.path().join("out");
    let one = &[
        "--agents",
        "react",
        "--models",
        "rehearsal/runbook",
        "--tasks",
        "cache_crash",
        "--episodes",
        "1",
        "--policy",
        "none",
    ];
    succeed(provider.run(&out, one));
    let (first, paid) = (fs::read_to_string(out.join("summary.json")).expect("it was written"), provider.lines().len());
    succeed(provider.run(&out, &flags(&[one, &["--from-step", "3"]])));
    assert_eq!(provider.lines().len() - paid, paid - 2, "steps 1 and 2 are replayed");
    assert_eq!(fs::read_to_string(out.join("summary.json")).expect("it was written"), first);
}
