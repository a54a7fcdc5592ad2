//! Processes that a program started and that left its group. They can be seen on Linux only; elsewhere
//! there are none to be found.

#[cfg(target_os = "linux")]
pub(super) use linux::{adopt, bury, others};
#[cfg(not(target_os = "linux"))]
pub(super) use nowhere::{adopt, bury, others};

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::fs;
    use std::sync::Once;

    use nix::sys::prctl;
    use nix::sys::signal::{Signal, kill};
    use nix::sys::wait::{WaitPidFlag, waitpid};
    use nix::unistd::Pid;

    use super::super::group::ProcessSigns;

    struct Process {
        pid: i32,
        parent: i32,
        /// Over, and not buried yet.
        dead: bool,
    }

    /// From now on orphans are ours, and not the system's.
    pub fn adopt() {
        static ONCE: Once = Once::new();
        // Where it is not allowed, a stray that bears no sign is lost sight of.
        ONCE.call_once(|| {
            let _ = prctl::set_child_subreaper(true);
        });
    }

    /// Buries orphans that are over. If no program runs, ends those that are not: whose they are is not
    /// known, but they belong to no episode that is still played.
    pub fn bury<T>(leaders: &BTreeMap<u32, T>) {
        let us = std::process::id() as i32;
        let orphans =
            processes().into_iter().filter(|one| one.parent == us && !leaders.contains_key(&(one.pid as u32)));
        for orphan in orphans {
            let pid = Pid::from_raw(orphan.pid);
            let ends = orphan.dead || leaders.is_empty();
            if !orphan.dead && ends {
                let _ = kill(pid, Signal::SIGKILL);
            }
            if ends {
                let flags = if orphan.dead { WaitPidFlag::WNOHANG } else { WaitPidFlag::empty() };
                let _ = waitpid(pid, Some(flags));
            }
        }
    }

    /// Processes of an episode that are alive, beside its leader.
    pub fn others(leader: u32, signs: &ProcessSigns) -> Vec<i32> {
        let all: Vec<Process> = processes().into_iter().filter(|one| !one.dead).collect();
        let (us, leader) = (std::process::id() as i32, leader as i32);
        let mut own = vec![leader];
        // A child may have a smaller number than its parent: look until none is added.
        loop {
            let more = all.iter().filter(|one| own.contains(&one.parent) && !own.contains(&one.pid));
            let more: Vec<i32> = more.map(|one| one.pid).collect();
            if more.is_empty() {
                break;
            }
            own.extend(more);
        }
        let marked = all.iter().map(|one| one.pid).filter(|pid| !own.contains(pid) && bears(*pid, signs));
        let marked: Vec<i32> = marked.collect();
        own.into_iter().chain(marked).filter(|pid| *pid != leader && *pid != us).collect()
    }

    fn bears(pid: i32, signs: &ProcessSigns) -> bool {
        let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let here = fs::read_link(format!("/proc/{pid}/cwd"));
        environ.split(|byte| *byte == 0).any(|one| one == signs.mark.as_bytes())
            || here.is_ok_and(|path| path.starts_with(&signs.room))
    }

    /// Every process of the machine.
    fn processes() -> Vec<Process> {
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
        pids.filter_map(|pid| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            // The name, in parentheses, may hold anything.
            let (_, rest) = stat.rsplit_once(')')?;
            let mut fields = rest.split_whitespace();
            let dead = ["Z", "X"].contains(&fields.next()?);
            Some(Process { pid, parent: fields.next()?.parse().ok()?, dead })
        })
        .collect()
    }
}

#[cfg(not(target_os = "linux"))]
mod nowhere {
    use std::collections::BTreeMap;

    use super::super::group::ProcessSigns;

    pub fn adopt() {}

    pub fn bury<T>(_: &BTreeMap<u32, T>) {}

    #[allow(dead_code, reason = "only Unix has groups to look beside")]
    pub fn others(_: u32, _: &ProcessSigns) -> Vec<i32> {
        Vec::new()
    }
}
