//! A program with everything that it starts: one process group, ended as a whole.
//!
//! On Linux also those of its processes are found that left the group: by their ancestors, by the mark
//! in their environment and by the folder that they work in. One that has left all of that is ours, once
//! its parents are gone, and ends when no program runs any more.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::strays;

/// The variable whose value marks the processes of one episode.
pub const MARK: &str = "SRE_ZERO_EPISODE";

/// A killed process takes a moment to go.
const MOMENT: Duration = Duration::from_millis(2);
/// How often it is checked whether more of them have come.
const ROUNDS: u32 = 50;

/// A running program and its children.
pub struct Group {
    child: Child,
    status: Option<ExitStatus>,
    ended: bool,
}

/// What the processes of an episode are known by.
#[derive(Clone)]
pub(super) struct ProcessSigns {
    pub mark: String,
    pub room: PathBuf,
}

/// All that run now, by the id of their leader: for a program that must leave at once.
static LIVE: Mutex<BTreeMap<u32, ProcessSigns>> = Mutex::new(BTreeMap::new());

fn live() -> MutexGuard<'static, BTreeMap<u32, ProcessSigns>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all programs of this process.
pub fn end_all() {
    let all: Vec<(u32, ProcessSigns)> = live().iter().map(|(leader, signs)| (*leader, signs.clone())).collect();
    for (leader, signs) in all {
        end(leader, &signs);
    }
    strays::bury(&BTreeMap::<u32, ProcessSigns>::new());
}

impl Group {
    /// Starts the command as the leader of a new group. The mark is secret and differs between episodes.
    pub fn start(command: &mut Command, mark: &str, room: &Path) -> io::Result<Group> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        // The lock is held so that none that is being started is missed.
        let mut live = live();
        strays::adopt();
        let child = command.env(MARK, mark).spawn()?;
        live.insert(child.id(), ProcessSigns { mark: format!("{MARK}={mark}"), room: room.to_path_buf() });
        Ok(Group { child, status: None, ended: false })
    }

    /// The leader, for its pipes.
    pub fn leader(&mut self) -> &mut Child {
        &mut self.child
    }

    /// How the leader ended, if it has.
    pub fn status(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
        }
        self.status
    }

    /// Waits for the leader to end by itself.
    pub fn wait(&mut self, most: Duration) -> Option<ExitStatus> {
        let begin = Instant::now();
        while self.status().is_none() && begin.elapsed() < most {
            thread::sleep(MOMENT);
        }
        self.status
    }

    /// Ends all of it, at once.
    pub fn end(&mut self) {
        if self.ended {
            return;
        }
        self.ended = true;
        let leader = self.child.id();
        let signs = live().get(&leader).cloned();
        if let Some(signs) = signs {
            end(leader, &signs);
        }
        let _ = self.child.kill();
        if self.status.is_none() {
            self.status = self.child.wait().ok();
        }
        let mut live = live();
        live.remove(&leader);
        strays::bury(&live);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(unix)]
fn end(leader: u32, signs: &ProcessSigns) {
    use nix::sys::signal::{Signal, kill, killpg};
    use nix::unistd::Pid;

    let Ok(group) = i32::try_from(leader) else { return };
    for _ in 0..ROUNDS {
        let others = strays::others(leader, signs);
        // It may be empty already.
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        for pid in &others {
            let _ = kill(Pid::from_raw(*pid), Signal::SIGKILL);
        }
        if others.is_empty() {
            return;
        }
        thread::sleep(MOMENT);
    }
}

#[cfg(not(unix))]
fn end(_: u32, _: &ProcessSigns) {}
