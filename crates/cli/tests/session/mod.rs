//! Literate sessions: Markdown with commands and what they print. They are documentation that is run.
//!
//! A fence `console` holds commands after `$ ` and their output, standard error included; a failing
//! command ends in `[exit N]`. A fence with a file name behind its language (`toml broken.toml`) is a
//! file that is there from then on. A command with ` &` behind it runs until the session ends; what it prints is its first
//! line, and the address in it is handed to later commands, as `$ADDRESS` and as the rehearsal provider's. In expected output `...` stands for any text in a line, and alone
//! on a line for any lines. With `UPDATE_SESSIONS=1` output that does not match is written anew; dots
//! within lines stay where they fit.

mod expect;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Runs a session in an empty folder of its own; panics with the first output that differs.
pub fn run(name: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions").join(format!("{name}.md"));
    let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let update = std::env::var_os("UPDATE_SESSIONS").is_some();
    let folder = Folder::new(name);
    let mut servers = Servers::default();
    let mut out = String::new();
    for part in parts(&text) {
        match part {
            Part::Prose(line) => out.push_str(&format!("{line}\n")),
            Part::File { path, text } => folder.write(&path, &text),
            Part::Command { command, expected } => {
                let actual = match command.strip_suffix(" &") {
                    Some(server) => servers.start(&folder, server),
                    None => folder.sh(&command, &servers.address),
                };
                let same = expect::matches(&expected, &actual);
                assert!(same || update, "{}", complaint(&file, &command, &expected, &actual));
                let kept = if same { expected } else { expect::merged(&expected, &actual) };
                out.extend(kept.iter().map(|line| format!("{line}\n")));
            }
        }
    }
    if update && out != text {
        fs::write(&file, out).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    }
}

enum Part {
    /// A line that is only for readers: prose, fences, commands.
    Prose(String),
    /// A file that is there from now on.
    File { path: String, text: String },
    /// A command and what it prints.
    Command { command: String, expected: Vec<String> },
}

fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        parts.push(Part::Prose(line.to_string()));
        let Some(fence) = line.strip_prefix("```") else { continue };
        let body: Vec<&str> = std::iter::from_fn(|| lines.next_if(|line| *line != "```")).collect();
        match fence.split_once(' ') {
            _ if fence == "console" => session(&body, &mut parts),
            Some((_, path)) => {
                parts.extend(body.iter().map(|line| Part::Prose(line.to_string())));
                parts.push(Part::File { path: path.to_string(), text: body.join("\n") + "\n" });
            }
            None => parts.extend(body.iter().map(|line| Part::Prose(line.to_string()))),
        }
        parts.extend(lines.next().map(|line| Part::Prose(line.to_string())));
    }
    parts
}

fn session(body: &[&str], parts: &mut Vec<Part>) {
    let mut lines = body.iter().peekable();
    while let Some(line) = lines.next() {
        parts.push(Part::Prose(line.to_string()));
        let Some(command) = line.strip_prefix("$ ") else { panic!("`{line}` stands before any command") };
        let expected = std::iter::from_fn(|| lines.next_if(|line| !line.starts_with("$ "))).map(ToString::to_string);
        parts.push(Part::Command { command: command.to_string(), expected: expected.collect() });
    }
}

fn complaint(file: &Path, command: &str, expected: &[String], actual: &[String]) -> String {
    format!(
        "{}:\n$ {command}\n--- expected\n{}\n--- printed\n{}\n--- UPDATE_SESSIONS=1 writes what is printed",
        file.display(),
        expected.join("\n"),
        actual.join("\n")
    )
}

/// A folder that is empty at first and gone at the end.
pub struct Folder(PathBuf);

impl Folder {
    /// Makes it; `name` keeps sessions apart.
    pub fn new(name: &str) -> Folder {
        // In memory where that is to be had: every exchange is forced to the disk, and disks are slow.
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
        let path = base.join(format!("sre-zero-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for temporary files can be made");
        Folder(path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }

    /// A shell in the folder, with the program in its path.
    fn shell(&self, command: &str, address: &str) -> Command {
        let program = Path::new(env!("CARGO_BIN_EXE_sre-zero"));
        let mut path = program.parent().expect("a program is in a folder").as_os_str().to_owned();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut shell = Command::new("sh");
        shell.current_dir(&self.0).env("PATH", path).env("NO_COLOR", "1").env("LC_ALL", "C");
        if !address.is_empty() {
            shell.env("ADDRESS", address).env("SRE_ZERO_REHEARSAL_URL", format!("{address}/v1"));
        }
        shell.args(["-c", command]);
        shell
    }

    /// What a shell prints for a command, line by line.
    fn sh(&self, command: &str, address: &str) -> Vec<String> {
        let output = self.shell(&format!("exec 2>&1\n{command}"), address).output().expect("there is a shell");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let told = text.lines().map(str::trim_end).filter(|line| !expect::is_progress(line));
        let mut lines: Vec<String> = told.map(ToString::to_string).collect();
        if !output.status.success() {
            lines.push(output.status.code().map_or("[killed]".to_string(), |code| format!("[exit {code}]")));
        }
        lines
    }
}

/// Programs that a session left running.
#[derive(Default)]
struct Servers {
    running: Vec<Child>,
    /// Where the last one listens.
    address: String,
}

impl Servers {
    /// Starts a program and gives its first line.
    fn start(&mut self, folder: &Folder, command: &str) -> Vec<String> {
        let mut shell = folder.shell(&format!("exec {command}"), &self.address);
        let mut child = shell.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("there is a shell");
        let mut ready = String::new();
        let out = child.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut ready).expect("it says that it is ready");
        let address = ready.split_whitespace().find(|word| word.starts_with("http://"));
        self.address = address.unwrap_or_else(|| panic!("`{command}` is not ready: {ready}")).to_string();
        self.running.push(child);
        vec![ready.trim_end().to_string()]
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for child in &mut self.running {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
