//! A program while it plays: its pipes, its limits, its end.

use std::io::Write;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use harness::Stop;
use harness::record::AgentFault;

use super::group::Group;
use super::output::{self, Allowance, Heard};
use super::room::Room;
use super::{Mode, Program};
use server::fresh_id;

/// How often it is checked whether the run is to stop, or the program is gone.
pub const ROUND: Duration = Duration::from_millis(20);
/// Who has been told that it is over may take so long to leave.
const GRACE: Duration = Duration::from_secs(1);
/// So many lines may be written ahead, beside what the pipe holds.
const AHEAD: usize = 4;
/// What a shell says of a command that it cannot run.
const NO_COMMAND: [i32; 2] = [126, 127];

/// How a program left before the end.
#[derive(Debug, PartialEq, Eq)]
pub enum Left {
    /// It ended by itself, or has closed its output.
    GaveUp,
    /// It failed.
    Failed(AgentFault),
    /// There is no such program.
    NoCommand(i32),
}

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// A line.
    Line(String),
    /// It has left.
    Left(Left),
    /// The run is to stop.
    Stopped,
}

/// A program while it plays. Dropped, it is gone with all its children.
pub struct Running {
    group: Group,
    heard: Receiver<Heard>,
    input: Option<Sender<String>>,
    allowance: Allowance,
    /// When the leader was found to be gone.
    gone: Option<Instant>,
    /// The last, because it is removed when no process works in it any more.
    _room: Room,
}

impl Running {
    /// Starts the program of an episode in a room, with these variables beside the usual ones.
    pub fn start(kind: &Program, room: Room, env: &[(&str, String)], label: &str) -> Result<Running, String> {
        let mut command = command(kind, &room)?;
        command.envs(env.iter().map(|(name, value)| (*name, value)));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(if kind.spec.mode == Mode::Lines { Stdio::piped() } else { Stdio::null() });
        let mut group = Group::start(&mut command, &fresh_id().to_string(), room.path())
            .map_err(|e| format!("cannot start `{}`: {e}", kind.spec.command))?;
        let (to, heard) = sync_channel(AHEAD);
        let (input, waiting) = channel::<String>();
        let allowance = Allowance::new(kind.rules.output);
        let leader = group.leader();
        // These threads end with the pipes; nothing waits for them.
        if let (Some(out), count) = (leader.stdout.take(), allowance.clone()) {
            let (label, tell, mode) = (label.to_string(), kind.tell.clone(), kind.spec.mode);
            thread::spawn(move || match mode {
                Mode::Lines => output::listen(out, &count, &to),
                Mode::Endpoint => output::log(out, &count, &label, &tell),
            });
        }
        if let (Some(err), count) = (leader.stderr.take(), allowance.clone()) {
            let (label, tell) = (label.to_string(), kind.tell.clone());
            thread::spawn(move || output::log(err, &count, &label, &tell));
        }
        if let Some(mut pipe) = leader.stdin.take() {
            thread::spawn(move || {
                // One that does not listen is no reason to wait.
                waiting.iter().try_for_each(|line| pipe.write_all(line.as_bytes()).and_then(|()| pipe.flush()))
            });
        }
        Ok(Running { group, heard, input: Some(input), allowance, gone: None, _room: room })
    }

    /// Tells it something.
    pub fn tell(&self, line: &str) {
        if let Some(input) = &self.input {
            // Who has closed its ears is not told; whether it still plays shows elsewhere.
            let _ = input.send(format!("{line}\n"));
        }
    }

    /// Waits for its next line.
    pub fn next(&mut self, deadline: Instant, stop: &Stop) -> Next {
        loop {
            if stop.is_asked() {
                return Next::Stopped;
            }
            if self.is_flooding() {
                return Next::Left(Left::Failed(AgentFault::Flooded));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.heard.recv_timeout(ROUND.min(left)) {
                Ok(Heard::Line(line)) => return Next::Line(line),
                Ok(Heard::Flooded) => return Next::Left(Left::Failed(AgentFault::Flooded)),
                Ok(Heard::Closed) | Err(RecvTimeoutError::Disconnected) => return Next::Left(self.farewell()),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return Next::Left(Left::Failed(AgentFault::TimedOut));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if self.is_gone() {
                        return Next::Left(self.farewell());
                    }
                }
            }
        }
    }

    /// How it has left, if it has.
    pub fn left(&mut self) -> Option<Left> {
        let status = self.group.status();
        if self.is_flooding() {
            return Some(Left::Failed(AgentFault::Flooded));
        }
        status.map(left)
    }

    /// Lets it leave by itself for a moment, then ends it.
    pub fn dismiss(mut self) {
        self.input = None;
        self.group.wait(GRACE);
        self.group.end();
    }

    fn is_flooding(&self) -> bool {
        self.allowance.is_spent()
    }

    /// Whether the leader is gone and what it wrote has been heard. Children that hold its pipes have no
    /// part in the episode.
    fn is_gone(&mut self) -> bool {
        if self.group.status().is_none() {
            return false;
        }
        match self.gone {
            Some(since) => since.elapsed() > GRACE,
            None => {
                self.group.end();
                self.gone = Some(Instant::now());
                false
            }
        }
    }

    fn farewell(&mut self) -> Left {
        let status = self.group.wait(GRACE);
        // A flood is not read to its end, so its program breaks on the pipe: that is no crash.
        if self.is_flooding() {
            return Left::Failed(AgentFault::Flooded);
        }
        status.map_or(Left::GaveUp, left)
    }
}

fn left(status: ExitStatus) -> Left {
    match status.code() {
        Some(0) => Left::GaveUp,
        Some(code) if NO_COMMAND.contains(&code) => Left::NoCommand(code),
        _ => Left::Failed(AgentFault::Crashed),
    }
}

/// A shell that runs the command: in its room, with a clean environment.
fn command(kind: &Program, room: &Room) -> Result<Command, String> {
    let here = std::env::current_dir().map_err(|e| format!("cannot tell the current folder: {e}"))?;
    let (text, files) = kind.spec.rooted(&here);
    let mut command = match &kind.rules.sandbox {
        Some(sandbox) => sandbox.command(room.path(), &files),
        None => Command::new("/bin/sh"),
    };
    command.arg("-c").arg(text).current_dir(room.path()).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into()));
    command.env("LANG", std::env::var_os("LANG").unwrap_or_else(|| "C.UTF-8".into()));
    command.env("HOME", room.path()).env("TMPDIR", room.path());
    command.envs(kind.rules.env.iter().map(|(name, value)| (name, value)));
    Ok(command)
}
