//! The job files for many machines do what docs/many-machines.md says: every shard is played by the command of the file, one of them
//! after it was stopped, and merging them gives the bytes of one machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_sre-zero");
const SHARDS: usize = 3;
const SWEEP: &str = "agents = [\"runbook\", \"random\"]\nsuites = [\"easy\"]\nepisodes = 2\n";

fn example(name: &str) -> String {
    format!("{}/../../examples/clusters/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A folder with a sweep file, the program under its own name, and the result of one machine.
struct Desk(PathBuf);

impl Desk {
    fn new(name: &str) -> Desk {
        let desk = Desk(std::env::temp_dir().join(format!("sre-zero-machines-{name}-{}", std::process::id())));
        let _ = fs::remove_dir_all(&desk.0);
        fs::create_dir_all(desk.0.join("bin")).expect("there is room");
        fs::write(desk.0.join("sweep.toml"), SWEEP).expect("there is room");
        std::os::unix::fs::symlink(PROGRAM, desk.0.join("bin/sre-zero")).expect("there is room");
        desk.sre_zero(&["sweep", "sweep.toml", "--out", "alone"]);
        desk
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let path = format!("{}:{}", self.0.join("bin").display(), std::env::var("PATH").unwrap_or_default());
        command.current_dir(&self.0).env("PATH", path);
        command
    }

    fn sre_zero(&self, args: &[&str]) {
        run(self.command(PROGRAM).args(args));
    }

    /// Puts the shards together and compares them with what one machine wrote.
    fn check(&self) {
        let shards: Vec<String> = fs::read_dir(self.0.join("results"))
            .expect("it was written")
            .map(|shard| shard.expect("it can be listed").path().display().to_string())
            .collect();
        assert_eq!(shards.len(), SHARDS, "{shards:?}");
        let args: Vec<&str> =
            ["merge"].into_iter().chain(shards.iter().map(String::as_str)).chain(["--out", "whole"]).collect();
        self.sre_zero(&args);
        for file in ["summary.json", "episodes.jsonl"] {
            let read = |folder: &str| fs::read_to_string(self.0.join(folder).join(file)).expect("it was written");
            assert_eq!(read("whole"), read("alone"), "{file}");
        }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn run(command: &mut Command) {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Plays the beginning of a shard only, as a machine that dies would.
fn begin(desk: &Desk, shard: &str, out: &Path) {
    let args = ["sweep", "sweep.toml", "--policy", "adaptive", "--shard", shard, "--out"];
    desk.sre_zero(&[&args[..], &[&out.display().to_string()]].concat());
    let lines = out.join("episodes.jsonl");
    let text = fs::read_to_string(&lines).expect("it was written");
    let kept: Vec<&str> = text.lines().take(3).collect();
    // Cut off in the middle of a line, and no summary.
    fs::write(&lines, format!("{}\n{}", kept.join("\n"), &text.lines().nth(3).expect("a fourth")[..40]))
        .expect("there is room");
    fs::remove_file(out.join("summary.json")).expect("it was written");
}

#[test]
fn an_array_of_slurm_gives_what_one_machine_gives() {
    let desk = Desk::new("slurm");
    begin(&desk, "2/3", &desk.0.join("results/shard-2"));
    for task in 1..=SHARDS {
        let mut job = desk.command("bash");
        job.args([&example("slurm.sh"), "sweep.toml", "results"])
            .env("SLURM_ARRAY_TASK_COUNT", SHARDS.to_string())
            .env("SLURM_ARRAY_TASK_MIN", "1")
            .env("SLURM_ARRAY_TASK_ID", task.to_string());
        run(&mut job);
    }
    desk.check();
}

#[test]
fn an_indexed_job_gives_what_one_machine_gives() {
    let desk = Desk::new("job");
    let file = fs::read_to_string(example("kubernetes-job.yaml")).expect("the example");
    let value = |name: &str| {
        let found = file.lines().find_map(|line| line.trim().strip_prefix(name)).expect("the field");
        found.trim_start_matches(':').trim().to_string()
    };
    let completions = value("completions");
    assert_eq!((value("completionMode").as_str(), value("parallelism")), ("Indexed", completions.clone()));
    let args = file.split_once("args:").expect("the arguments").1.split_once("resources:").expect("what follows").0;
    let args: Vec<&str> = args.lines().filter_map(|line| line.trim().strip_prefix("- ")).collect();
    let of_all = format!("/{completions}");
    assert!(
        args.iter().any(|arg| arg.starts_with("--shard=") && arg.ends_with(&of_all)),
        "{args:?}: a shard for every index"
    );
    for index in 0..SHARDS {
        // The volumes are folders here, and there are fewer indexes.
        let own = |arg: &&str| {
            let arg =
                arg.replace("$(JOB_COMPLETION_INDEX)", &index.to_string()).replace(&of_all, &format!("/{SHARDS}"));
            arg.replace("/sweep/sweep.toml", "sweep.toml").replace("/runs/", "results/")
        };
        run(desk.command(PROGRAM).args(args.iter().map(own)));
    }
    desk.check();
}
