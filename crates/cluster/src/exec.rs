//! Commands in containers, for `exec`: a shell and the usual tools over simulated files, processes and network.
//!
//! A command is a value: it is begun with [`Cluster::begin_command`], handed input with [`Cluster::feed_command`], and
//! says what it printed and how it ended. Nothing here waits: what takes time says how long it takes. The language and
//! the text tools are those of the crate `shell`; what an image does not have, its shell does not have either.

mod attached;
mod files;
mod proc;
mod tools;

use std::collections::BTreeMap;
use std::time::Duration;

use shell::{Host, Output, Shell};

use crate::api::{StreamKind, StreamRequest};
use crate::program::{ContainerRun, ExecCall, ExecEnd, Programs, Toolbox};
use crate::store::Stored;
use crate::time::Stamp;
use crate::{Cluster, json};
pub use attached::open_shell;
use files::ContainerFiles;
pub use files::{FileEntry, WrittenFiles};

/// What a command printed, and whether it has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandOutput {
    /// Its output.
    pub stdout: Vec<u8>,
    /// Its complaints.
    pub stderr: Vec<u8>,
    /// Its exit code, once it has ended.
    pub exit: Option<i32>,
    /// How long it took: `sleep 5`, a connection that times out.
    pub takes: Duration,
}

/// A command in a container, under way.
#[derive(Clone, Debug)]
pub struct ContainerCommand {
    run: ContainerRun,
    pod: Stored,
    words: Vec<String>,
    shell: Shell,
    folder: String,
    input: Vec<u8>,
    mode: CommandMode,
    has_terminal: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommandMode {
    /// It runs as soon as it is fed.
    Ready,
    /// It runs when all of its input is there.
    WantsInput,
    /// A shell that reads lines.
    Interactive,
    /// It is over, with this code.
    Ended(i32),
}

/// A container as a running command sees it.
pub(crate) struct ContainerHost<'a> {
    cluster: &'a mut Cluster,
    programs: &'a mut dyn Programs,
    run: &'a ContainerRun,
    pod: &'a Stored,
    files: ContainerFiles,
    folder: String,
    variables: BTreeMap<String, String>,
    takes: Duration,
    deadline: Option<i64>,
    has_terminal: bool,
}

/// The most that a command keeps of its input.
const MOST_INPUT: usize = 16 << 20;

impl Cluster {
    /// Begins a command that the API has allowed. The error is the runtime's: there is no such program in the image.
    pub fn begin_command(
        &mut self,
        programs: &mut dyn Programs,
        request: &StreamRequest,
    ) -> Result<ContainerCommand, String> {
        let missing = || format!("unable to upgrade connection: container not found ({:?})", request.container);
        let StreamKind::Exec { command, streams } = &request.kind else { return Err(missing()) };
        let pod = self.store.get("pods", &request.namespace, &request.name).cloned().ok_or_else(missing)?;
        let status = crate::api::status_of(&pod, &request.container).filter(|_| request.is_running);
        let attempt = json::int(status.ok_or_else(missing)?, "restartCount").unwrap_or(0) as u32;
        let run = self.container_run(&pod, &request.container, attempt);
        let [has_input, _, _, has_terminal] = *streams;
        let name = command.first().map_or("", |name| &**name);
        let is_known = tools::has(name, programs.toolbox(&run));
        if !is_known && !has_input && !programs.has_command(&run, name) {
            return Err(no_such_program(&run, name));
        }
        let mode = match has_input {
            true if attached::is_bare_shell(command) => CommandMode::Interactive,
            true if !is_known || reads_input(command) => CommandMode::WantsInput,
            _ => CommandMode::Ready,
        };
        let mut shell = Shell::default();
        shell.variables = environment(&run);
        let folder = working_folder(&run, &pod);
        Ok(ContainerCommand { run, pod, words: command.clone(), shell, folder, input: Vec::new(), mode, has_terminal })
    }

    /// Hands input to a command, and says what came of it. `is_all` says that no more input comes.
    pub fn feed_command(
        &mut self,
        programs: &mut dyn Programs,
        command: &mut ContainerCommand,
        input: &[u8],
        is_all: bool,
    ) -> CommandOutput {
        let room = MOST_INPUT.saturating_sub(command.input.len());
        command.input.extend_from_slice(&input[..input.len().min(room)]);
        match command.mode {
            CommandMode::Ended(code) => CommandOutput { exit: Some(code), ..CommandOutput::default() },
            CommandMode::WantsInput if !is_all => CommandOutput::default(),
            CommandMode::Interactive => self.feed_lines(programs, command, is_all),
            CommandMode::Ready | CommandMode::WantsInput => {
                let words = command.words.clone();
                let input = std::mem::take(&mut command.input);
                let (mut output, code) =
                    self.within(programs, command, |host, shell, output| host.call(shell, &words, &input, output));
                command.mode = CommandMode::Ended(code);
                output.exit = Some(code);
                output
            }
        }
    }

    /// Runs a command to its end with all of its input; the error is the kubelet's, in its words.
    pub fn run_command(
        &mut self,
        programs: &mut dyn Programs,
        request: &StreamRequest,
        input: &[u8],
    ) -> Result<CommandOutput, String> {
        let mut command = self.begin_command(programs, request)?;
        let mut output = self.feed_command(programs, &mut command, input, true);
        output.exit.get_or_insert(0);
        Ok(output)
    }

    /// Runs what a container was started with to its end, as far as its shell and tools can; nothing if it names no tool.
    /// Nothing waits: a script that sleeps says so in the time that it takes.
    pub fn run_entrypoint(&mut self, programs: &mut dyn Programs, run: &ContainerRun) -> Option<CommandOutput> {
        let pod = self.store.get("pods", &run.namespace, &run.pod)?.clone();
        let words: Vec<String> = run.command.iter().chain(&run.args).cloned().collect();
        let first = words.first()?;
        if !tools::has(first, programs.toolbox(run)) && !programs.has_command(run, short(first)) {
            return None;
        }
        let mut shell = Shell::default();
        shell.variables = environment(run);
        let mut command = ContainerCommand {
            run: run.clone(),
            folder: working_folder(run, &pod),
            pod,
            words,
            shell,
            input: Vec::new(),
            mode: CommandMode::Ready,
            has_terminal: false,
        };
        Some(self.feed_command(programs, &mut command, &[], true))
    }

    /// Runs a command to its end, for callers to whom its time does not matter.
    pub fn exec(
        &mut self,
        programs: &mut dyn Programs,
        stream: &StreamRequest,
        input: &[u8],
    ) -> Result<ExecEnd, String> {
        let output = self.run_command(programs, stream, input)?;
        Ok(ExecEnd {
            stdout: output.stdout,
            stderr: output.stderr,
            code: output.exit.unwrap_or(0),
            takes: output.takes,
        })
    }

    fn feed_lines(
        &mut self,
        programs: &mut dyn Programs,
        command: &mut ContainerCommand,
        is_all: bool,
    ) -> CommandOutput {
        let mut all = CommandOutput::default();
        let prompt: &[u8] = if command.has_terminal { b"# " } else { b"" };
        if command.input.is_empty() && !is_all {
            all.stdout.extend(prompt);
            return all;
        }
        // A terminal sends carriage returns, and ends input with Ctrl-D.
        while let Some(at) = command.input.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let line: Vec<u8> = command.input.drain(..=at).collect();
            let line = String::from_utf8_lossy(&line).trim().to_string();
            if let Some(code) = leaves(&line) {
                return over(command, all, code);
            }
            self.run_line(programs, command, &line, &mut all);
            all.stdout.extend(prompt);
        }
        let is_left = command.input.first() == Some(&4);
        if is_all || is_left {
            let last = String::from_utf8_lossy(&std::mem::take(&mut command.input)).replace('\u{4}', "");
            let code = self.run_line(programs, command, last.trim(), &mut all);
            return over(command, all, code);
        }
        all
    }

    fn run_line(
        &mut self,
        programs: &mut dyn Programs,
        command: &mut ContainerCommand,
        line: &str,
        all: &mut CommandOutput,
    ) -> i32 {
        let (output, code) = self.within(programs, command, |host, shell, output| {
            let ended = shell.run(host, line, "");
            output.stdout.extend(ended.stdout.into_bytes());
            output.stderr.extend(ended.stderr.into_bytes());
            ended.code
        });
        all.stdout.extend(output.stdout);
        all.stderr.extend(output.stderr);
        all.takes += output.takes;
        code
    }

    /// Does something in the container, and keeps the files that were written and what the shell remembers.
    fn within(
        &mut self,
        programs: &mut dyn Programs,
        command: &mut ContainerCommand,
        work: impl FnOnce(&mut ContainerHost<'_>, &mut Shell, &mut CommandOutput) -> i32,
    ) -> (CommandOutput, i32) {
        let files = ContainerFiles::of(self, programs, &command.run, &command.pod);
        let mut host = ContainerHost {
            cluster: self,
            programs,
            run: &command.run,
            pod: &command.pod,
            files,
            folder: std::mem::take(&mut command.folder),
            variables: BTreeMap::new(),
            takes: Duration::ZERO,
            deadline: None,
            has_terminal: command.has_terminal,
        };
        let mut output = CommandOutput::default();
        let code = work(&mut host, &mut command.shell, &mut output);
        output.takes = host.takes;
        let (files, folder) = (host.files, host.folder);
        command.folder = folder;
        self.keep_files(&command.run, files);
        if command.has_terminal {
            let complaints = with_returns(&std::mem::take(&mut output.stderr));
            output.stdout = with_returns(&output.stdout);
            output.stdout.extend(complaints);
        }
        (output, code)
    }
}

fn call_of(words: &[String], input: &[u8], terminal: bool) -> ExecCall {
    ExecCall { command: words.to_vec(), input: input.to_vec(), terminal }
}

fn no_such_program(run: &ContainerRun, name: &str) -> String {
    let id: String = run.pod_uid.bytes().filter(|byte| *byte != b'-').map(char::from).collect();
    let why = match name.contains('/') {
        true => format!("stat {name}: no such file or directory"),
        false => "executable file not found in $PATH".into(),
    };
    format!(
        "error executing command in container: failed to exec in container: failed to start exec \"{id}{id}\": OCI runtime \
         exec failed: exec failed: unable to start container process: exec: {name:?}: {why}: unknown"
    )
}

fn over(command: &mut ContainerCommand, mut output: CommandOutput, code: i32) -> CommandOutput {
    command.mode = CommandMode::Ended(code);
    output.exit = Some(code);
    output
}

/// The code with which a line leaves the shell, if it does.
fn leaves(line: &str) -> Option<i32> {
    let mut words = line.split_whitespace();
    match (words.next(), words.next()) {
        (Some("exit" | "logout"), code) => Some(code.map_or(0, |code| code.parse().unwrap_or(2))),
        _ => None,
    }
}

/// A terminal goes back to the first column with every line.
fn with_returns(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|byte| if *byte == b'\n' { vec![b'\r', b'\n'] } else { vec![*byte] }).collect()
}

fn environment(run: &ContainerRun) -> BTreeMap<String, String> {
    let own = [
        ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
        ("HOSTNAME", &run.pod),
        ("HOME", "/root"),
        ("KUBERNETES_SERVICE_HOST", "10.96.0.1"),
        ("KUBERNETES_SERVICE_PORT", "443"),
    ];
    let own = own.into_iter().map(|(name, value)| (name.to_string(), value.to_string()));
    own.chain(run.env.iter().cloned()).collect()
}

fn working_folder(run: &ContainerRun, pod: &Stored) -> String {
    let lists = ["spec.containers", "spec.initContainers", "spec.ephemeralContainers"];
    let own = lists.iter().flat_map(|path| json::list(pod, path)).find(|c| json::text(c, "name") == run.name);
    match own.map_or("", |own| json::text(own, "workingDir")) {
        "" => "/".into(),
        folder => folder.into(),
    }
}

/// Whether a command reads its input: only then does it wait until all of it is there.
fn reads_input(words: &[String]) -> bool {
    let Some(name) = words.first() else { return false };
    let is_plain = |word: &&str| !word.starts_with('-') || *word == "-";
    let plain: Vec<&str> = words[1..].iter().map(|word| &**word).filter(is_plain).collect();
    match name.rsplit('/').next().unwrap_or_default() {
        "sh" | "bash" | "ash" => match words.iter().position(|word| word == "-c") {
            Some(at) => words.get(at + 1).is_some_and(|script| script_reads(script)),
            None => plain.is_empty(),
        },
        "cat" | "sort" | "wc" | "head" | "tail" | "uniq" | "base64" | "sha256sum" => {
            plain.is_empty() || plain.contains(&"-")
        }
        "tee" | "tr" | "xargs" | "read" | "nc" | "jq" => true,
        "grep" | "egrep" | "fgrep" | "sed" | "awk" | "cut" => plain.len() < 2,
        "tar" => words.iter().any(|word| word.starts_with("-x") || word.starts_with('x') || word == "--extract"),
        _ => false,
    }
}

/// Whether the first command of a script does.
fn script_reads(script: &str) -> bool {
    let first = script.split(['|', ';', '&', '\n']).next().unwrap_or_default();
    let words = first.split_whitespace().filter(|word| !word.starts_with('>')).map(|word| word.trim_matches('\''));
    let mut words: Vec<String> = words.map(Into::into).collect();
    if let Some(at) = first.split_whitespace().position(|word| word == ">" || word == ">>") {
        words.truncate(at);
    }
    !first.contains('<') && (reads_input(&words) || words.first().is_some_and(|word| word == "while"))
}

impl ContainerHost<'_> {
    /// Runs a program with its arguments: one of ours with its bytes as they are, all others through the shell.
    fn call(&mut self, shell: &mut Shell, words: &[String], input: &[u8], output: &mut CommandOutput) -> i32 {
        let toolbox = self.programs.toolbox(self.run);
        let name = words.first().map_or("", |name| &**name);
        self.variables = shell.variables.clone();
        if let Some(tool) = tools::find(name, toolbox) {
            let mut call = tools::ContainerToolCall { name: short(name), words: &words[1..], input, output };
            return tool(self, &mut call);
        }
        if !tools::has(name, toolbox) {
            let call = call_of(words, input, self.has_terminal);
            return match self.programs.exec(self.cluster, self.run, &call) {
                Some(end) => {
                    output.stdout.extend(end.stdout);
                    output.stderr.extend(end.stderr);
                    self.takes += end.takes;
                    end.code
                }
                None => {
                    output.stderr.extend(format!("{}\n", no_such_program(self.run, name)).into_bytes());
                    126
                }
            };
        }
        let quoted = |word: &String| format!("'{}'", word.replace('\'', "'\\''"));
        let line = words.iter().map(quoted).collect::<Vec<_>>().join(" ");
        let ended = shell.run(self, &line, &String::from_utf8_lossy(input));
        output.stdout.extend(ended.stdout.into_bytes());
        output.stderr.extend(ended.stderr.into_bytes());
        ended.code
    }

    /// A path from the root, without `.` and `..`.
    pub(crate) fn absolute(&self, path: &str) -> String {
        let whole = if path.starts_with('/') { path.to_string() } else { format!("{}/{path}", self.folder) };
        files::normal(&whole)
    }
}

fn short(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

impl Host for ContainerHost<'_> {
    fn run(&mut self, shell: &mut Shell, words: &[String], input: &str) -> Option<Output> {
        let name = words.first()?;
        let toolbox = self.programs.toolbox(self.run);
        self.variables = shell.variables.clone();
        let mut output = CommandOutput::default();
        let code = match tools::find(name, toolbox) {
            Some(tool) => {
                let mut call = tools::ContainerToolCall {
                    name: short(name),
                    words: &words[1..],
                    input: input.as_bytes(),
                    output: &mut output,
                };
                tool(self, &mut call)
            }
            None => {
                let call = call_of(words, input.as_bytes(), self.has_terminal);
                let end = self.programs.exec(self.cluster, self.run, &call)?;
                output.stdout = end.stdout;
                output.stderr = end.stderr;
                self.takes += end.takes;
                end.code
            }
        };
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Some(Output { stdout: text(output.stdout), stderr: text(output.stderr), code })
    }

    fn has_tool(&self, name: &str) -> bool {
        let toolbox = self.programs.toolbox(self.run);
        toolbox != Toolbox::Nothing && tools::has(name, toolbox) || self.programs.has_command(self.run, name)
    }

    fn read_file(&mut self, path: &str) -> Result<String, String> {
        let bytes = self.files.read(&self.absolute(path)).map_err(|why| why.text().to_string())?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn write_file(&mut self, path: &str, text: &str, append: bool) -> Result<(), String> {
        let path = self.absolute(path);
        let written = match append {
            true => self.files.append(&path, text.as_bytes()),
            false => self.files.write(&path, text.as_bytes()),
        };
        written.map_err(|why| why.text().to_string())
    }

    fn now(&self) -> i64 {
        self.cluster.now.after(self.takes).0
    }

    fn wait_until(&mut self, shell: &mut Shell, until: i64) {
        while let Some(due) = shell.next_due().filter(|due| *due <= until) {
            self.takes += Stamp(due).since(Stamp(self.now()));
            shell.run_due(self);
        }
        self.takes += Stamp(until).since(Stamp(self.now()));
    }

    fn deadline(&mut self) -> &mut Option<i64> {
        &mut self.deadline
    }

    fn change_folder(&mut self, path: &str) -> Result<(), String> {
        let folder = self.absolute(if path.is_empty() { "/root" } else { path });
        if !self.files.is_folder(&folder) {
            let is_file = self.files.exists(&folder);
            return Err(if is_file { "Not a directory" } else { "No such file or directory" }.into());
        }
        self.folder = folder;
        Ok(())
    }
}
