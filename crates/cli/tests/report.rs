//! The report of a real run: its numbers are those of `episodes.jsonl`, added up by hand.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

const TASKS: &str = "cache_crash,db_pool_exhaustion,web_timeout_misconfig,message_queue_crash";

fn sre_zero(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sre-zero")).args(args).current_dir(folder).output().expect("the program starts")
}

/// A folder of its own for one test.
fn fresh(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let run = sre_zero(&["run", "--tasks", TASKS, "--episodes", "2", "--out", "run"], &folder);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    folder
}

fn report(folder: &Path) -> Output {
    let out = sre_zero(&["report", "run"], folder);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    out
}

fn lines(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("run/episodes.jsonl")).expect("the index");
    text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect()
}

fn rewrite(folder: &Path, lines: &[Value]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(folder.join("run/episodes.jsonl"), text).expect("the index is written");
}

/// Ten numbers, added up from the plain lines and nothing of the program's own.
fn by_hand(lines: &[Value], agent: &str) -> BTreeMap<&'static str, f64> {
    let (mut n, mut success, mut reward, mut evidence, mut steps, mut invalid) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    let (mut impact, mut bounded, mut untouched, mut wrong, mut premature, mut minutes, mut timed) =
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for line in lines.iter().filter(|line| line["agent"] == agent && line["end"] != "provider_failed") {
        let number = |name: &str| line[name].as_f64().unwrap_or(0.0);
        let holds = |name: &str| if line[name] == true { 1.0 } else { 0.0 };
        n += 1.0;
        success += holds("success");
        reward += number("reward");
        evidence += number("evidence_coverage");
        steps += number("steps");
        invalid += number("invalid_actions");
        impact += number("impact");
        // One episode counts for no more than twice the harm that was to come.
        bounded += number("impact").min(2.0 * number("impact_untouched"));
        untouched += number("impact_untouched");
        wrong += if number("wrong_remediations") > 0.0 { 1.0 } else { 0.0 };
        premature += holds("premature_resolution");
        if let Some(time) = line["minutes_to_resolution"].as_f64() {
            minutes += time;
            timed += 1.0;
        }
    }
    let efficiency = success / n * (1.0 - (steps / n - 1.0).max(0.0) / 7.0).max(0.0);
    let marks = 40.0 * success / n
        + 25.0 * reward / n
        + 20.0 * evidence / n
        + 10.0 * efficiency
        + 5.0 * (1.0 - invalid / steps);
    let mut all = BTreeMap::from([
        ("marks", marks),
        ("success_rate", success / n),
        ("mean_reward", reward / n),
        ("evidence_coverage", evidence / n),
        ("mean_steps", steps / n),
        ("invalid_action_rate", invalid / steps),
        ("mean_impact", impact / n),
        ("harm_avoided", 1.0 - bounded / untouched),
        ("wrong_remediation_rate", wrong / n),
        ("premature_resolution_rate", premature / n),
    ]);
    if timed > 0.0 {
        all.insert("mean_minutes_to_resolution", minutes / timed);
    }
    all
}

#[test]
fn ten_numbers_added_up_in_another_way() {
    let folder = fresh("numbers");
    report(&folder);
    let text = fs::read_to_string(folder.join("run/report/report.json")).expect("the numbers");
    let value: Value = serde_json::from_str(&text).expect("they are JSON");
    let page = fs::read_to_string(folder.join("run/report/index.html")).expect("the page");
    let lines = lines(&folder);
    let agents = value["agents"].as_array().expect("agents");
    assert_eq!(agents.len(), 3);
    for agent in agents {
        let name = agent["agent"].as_str().expect("a name");
        let expect = by_hand(&lines, name);
        assert!(expect.len() >= 10);
        for (figure, expect) in expect {
            let found = agent["estimates"][figure]["value"].as_f64().unwrap_or(f64::NAN);
            assert!((found - expect).abs() < 1e-5, "{name}: {figure} is {found}, added up it is {expect}");
            assert!(page.contains(&format!("{expect:.1}")) || figure != "marks", "the page shows the marks of {name}");
        }
    }
}

#[test]
fn plots_come_as_svg_and_png() {
    let folder = fresh("plots");
    report(&folder);
    let plots = folder.join("run/report/plots");
    let names: Vec<PathBuf> = fs::read_dir(&plots).expect("plots").map(|entry| entry.expect("a file").path()).collect();
    let svgs = names.iter().filter(|path| path.extension().is_some_and(|e| e == "svg"));
    assert_eq!(svgs.clone().count(), 11);
    let pngs: Vec<&PathBuf> = names.iter().filter(|path| path.extension().is_some_and(|e| e == "png")).collect();
    // A machine without fonts has no PNG plots, and is told so.
    assert!(pngs.is_empty() || pngs.len() == 11, "{} PNG plots", pngs.len());
    for png in pngs {
        assert!(fs::read(png).expect("a plot").starts_with(b"\x89PNG"), "{}", png.display());
    }
}

#[test]
fn strangers_and_damage_do_no_harm() {
    let folder = fresh("strangers");
    let mut all = lines(&folder);
    for line in &mut all {
        if line["agent"] == "random" {
            line["agent"] = "<title><script>alert(1)<script>\u{202e}".into();
            let (task, seed) = (line["task"].as_str().unwrap_or_default(), &line["seed"]);
            line["key"] = format!("<title><script>alert(1)<script>\u{202e}/{task}/{seed}").into();
        }
        // A key that is not that of its own line is no path.
        if line["agent"] == "runbook" {
            line["key"] = format!("../../{}", line["key"].as_str().unwrap_or_default()).into();
        }
    }
    rewrite(&folder, &all);
    let index = folder.join("run/episodes.jsonl");
    let mut text = fs::read_to_string(&index).expect("the index");
    text.push_str("{\"key\": \"<script>\n");
    fs::write(&index, text).expect("the index is written");
    let out = sre_zero(&["report", "run"], &folder);
    let told = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{told}");
    assert!(told.contains("no line of a run: `../../runbook/"), "{told}");
    assert!(told.contains("8 of 16 lines have no record: they are believed unchecked"), "{told}");
    let page = fs::read_to_string(folder.join("run/report/index.html")).expect("the page");
    assert_eq!(page.matches("<script").count(), 1, "our own");
    // Drawings that can be painted are well-formed.
    assert!(page.contains("&lt;script&gt;alert(1)"));
}

#[test]
fn a_sweep_is_reported_as_its_runs() {
    let folder = fresh("sweep");
    // Some of these tasks need more tools or more noise than is asked for.
    for suite in ["recovery", "observation"] {
        let out = format!("all/{suite}");
        sre_zero(&["run", "--suite", suite, "--agents", "scripted", "--episodes", "1", "--out", &out], &folder);
    }
    let out = sre_zero(&["report", "all", "--no-png"], &folder);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = fs::read_to_string(folder.join("all/report/report.json")).expect("the numbers");
    let value: Value = serde_json::from_str(&text).expect("they are JSON");
    let names = |list: &str, name: &str| {
        let all = value[list].as_array().expect("a list").iter();
        all.map(|one| one[name].as_str().unwrap_or_default().to_string()).collect::<Vec<String>>()
    };
    assert_eq!(names("settings", "suite"), ["observation", "recovery"]);
    assert_eq!(names("agents", "agent"), ["scripted \u{b7} suite observation", "scripted \u{b7} suite recovery"]);
    assert!(value["agents"].as_array().expect("agents").iter().all(|agent| agent["coverage"]["share"] == 1.0));
}

#[test]
fn the_same_run_twice_is_refused() {
    let folder = fresh("twice");
    let out = sre_zero(&["report", "run", "run"], &folder);
    assert_eq!(out.status.code(), Some(2));
    let told = String::from_utf8_lossy(&out.stderr);
    assert!(told.contains("is in run and again in run: give only one of them"), "{told}");
    assert!(!folder.join("run/report").exists(), "nothing is written");
}

#[test]
fn a_run_without_an_index_is_read_from_its_records() {
    let folder = fresh("records");
    fs::remove_file(folder.join("run/episodes.jsonl")).expect("the index is there");
    let out = report(&folder);
    assert!(String::from_utf8_lossy(&out.stderr).contains("24 episodes, 3 agents"));
}

#[test]
fn settings_that_are_a_pipe_are_refused_and_not_waited_for() {
    let folder = fresh("pipe");
    let settings = folder.join("run/run.json");
    fs::remove_file(&settings).expect("it was there");
    assert!(Command::new("mkfifo").arg(&settings).status().expect("there is `mkfifo`").success());
    for command in ["report", "rescore"] {
        let said = sre_zero(&[command, "run"], &folder);
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.contains("cannot read run/run.json: it is not a file"), "{command}: {said}");
    }
}

#[test]
fn an_export_that_does_not_fit_on_the_disk_says_so_in_one_line() {
    let folder = fresh("full");
    // A disk that is full: files may not grow.
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    let mut limited = Command::new("sh");
    limited.args([
        "-c",
        script,
        env!("CARGO_BIN_EXE_sre-zero"),
        "export",
        "--format",
        "inspect",
        "run",
        "--out",
        "log",
    ]);
    let output = limited.current_dir(&folder).output().expect("there is a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("error") || line.contains("Zip")).collect();
    assert!(!output.status.success() && errors.len() == 1, "{said}");
    assert!(errors[0].starts_with("error: cannot write the export"), "{said}");
}
