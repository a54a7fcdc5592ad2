//! A program with everything that it starts: one process group, ended as a whole.
//!
//! On Linux also those of its processes are found that left the group: by their ancestors, by the mark
//! in their environment and by the folder that they work in.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The variable whose value marks the processes of one episode.
pub const MARK: &str = "SRE_ZERO_EPISODE";

/// A killed process takes a moment to go.
const MOMENT: Duration = Duration::from_millis(2);
/// So often somebody looks whether more of them have come.
const ROUNDS: u32 = 50;

/// A running program and its children.
pub struct Group {
    child: Child,
    status: Option<ExitStatus>,
    ended: bool,
}

#[derive(Clone)]
struct Signs {
    mark: String,
    room: PathBuf,
}

/// All that run now, by the id of their leader: for a program that must leave at once.
static LIVE: Mutex<BTreeMap<u32, Signs>> = Mutex::new(BTreeMap::new());

fn live() -> MutexGuard<'static, BTreeMap<u32, Signs>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all programs of this process.
pub fn end_all() {
    let all: Vec<(u32, Signs)> = live().iter().map(|(leader, signs)| (*leader, signs.clone())).collect();
    for (leader, signs) in all {
        end(leader, &signs);
    }
}

impl Group {
    /// Starts the command as the leader of a new group. The mark is secret and differs between episodes.
    pub fn start(command: &mut Command, mark: &str, room: &Path) -> io::Result<Group> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        // The lock is held so that nobody misses one that is being started.
        let mut live = live();
        let child = command.env(MARK, mark).spawn()?;
        live.insert(child.id(), Signs { mark: format!("{MARK}={mark}"), room: room.to_path_buf() });
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
        live().remove(&leader);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(unix)]
fn end(leader: u32, signs: &Signs) {
    use nix::sys::signal::{Signal, kill, killpg};
    use nix::unistd::Pid;

    let Ok(group) = i32::try_from(leader) else { return };
    for _ in 0..ROUNDS {
        let others = others(leader, signs);
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
fn end(_: u32, _: &Signs) {}

/// Processes of this episode that are alive, beside the leader.
#[cfg(target_os = "linux")]
fn others(leader: u32, signs: &Signs) -> Vec<i32> {
    let all = processes();
    let mut own = vec![leader as i32];
    // Parents are older, but numbers start again from below: look until nobody comes in.
    loop {
        let more = all.iter().filter(|(pid, parent)| own.contains(parent) && !own.contains(pid));
        let more: Vec<i32> = more.map(|(pid, _)| *pid).collect();
        if more.is_empty() {
            break;
        }
        own.extend(more);
    }
    let bears = |pid: i32| {
        let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let here = std::fs::read_link(format!("/proc/{pid}/cwd"));
        environ.split(|byte| *byte == 0).any(|one| one == signs.mark.as_bytes())
            || here.is_ok_and(|path| path.starts_with(&signs.room))
    };
    let marked = all.iter().map(|(pid, _)| *pid).filter(|pid| !own.contains(pid) && bears(*pid));
    let marked: Vec<i32> = marked.collect();
    let (us, leader) = (std::process::id() as i32, leader as i32);
    own.into_iter().chain(marked).filter(|pid| *pid != leader && *pid != us).collect()
}

#[cfg(all(unix, not(target_os = "linux")))]
fn others(_: u32, _: &Signs) -> Vec<i32> {
    Vec::new()
}

/// Every live process of the machine with its parent; those that are over and unburied do not count.
#[cfg(target_os = "linux")]
fn processes() -> Vec<(i32, i32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    pids.filter_map(|pid| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name, in parentheses, may hold anything.
        let (_, rest) = stat.rsplit_once(')')?;
        let mut fields = rest.split_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        (state != "Z" && state != "X").then_some((pid, parent))
    })
    .collect()
}
