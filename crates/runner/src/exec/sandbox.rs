//! Hiding the machine from a program, with bubblewrap: it sees the system's folders, its room and what
//! it is shown, all but the room read-only, and no process but its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use super::room::Room;

/// What programs and their libraries are made of.
const SYSTEM: &[&str] = &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix"];

/// A way to hide the machine.
#[derive(Clone, Debug)]
pub struct Sandbox {
    bwrap: PathBuf,
    shared: Vec<PathBuf>,
}

impl Sandbox {
    /// Finds bubblewrap, and what is to be shown beside the system.
    pub fn find(shared: &[PathBuf]) -> anyhow::Result<Sandbox> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&path).map(|folder| folder.join("bwrap")).find(|file| file.is_file());
        let Some(bwrap) = found else {
            bail!("--exec-sandbox: there is no `bwrap` here; install bubblewrap (Linux), or leave the flag out");
        };
        let shared = shared.iter().map(|path| {
            path.canonicalize().with_context(|| format!("--exec-share {}: there is no such file", path.display()))
        });
        let sandbox = Sandbox { bwrap, shared: shared.collect::<anyhow::Result<_>>()? };
        sandbox.try_out()?;
        Ok(sandbox)
    }

    /// A machine may have bubblewrap and not allow it; then no agent is to blame.
    fn try_out(&self) -> anyhow::Result<()> {
        let room = Room::new().context("cannot make a temporary folder")?;
        let output = self.command(room.path(), &[]).args(["-c", "true"]).output();
        let output = output.with_context(|| format!("cannot start {}", self.bwrap.display()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("--exec-sandbox: bubblewrap does not work here: {}; leave the flag out", said.trim());
        }
        Ok(())
    }

    /// A shell in the sandbox; it still takes its arguments.
    pub fn command(&self, room: &Path, files: &[PathBuf]) -> Command {
        let mut command = Command::new(&self.bwrap);
        // A session of its own has no terminal to type into.
        command.args(["--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]);
        for folder in SYSTEM {
            command.args(["--ro-bind-try", folder, folder]);
        }
        command.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]);
        // What the kernel shows there is the sandbox's own.
        let own = |path: &&PathBuf| !path.starts_with("/proc");
        for path in self.shared.iter().chain(files.iter().filter(own)) {
            command.arg("--ro-bind").args([path, path]);
        }
        command.arg("--bind").args([room, room]).arg("--chdir").arg(room).args(["--", "/bin/sh"]);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_room_can_be_written_to() {
        let sandbox = Sandbox { bwrap: "bwrap".into(), shared: vec!["/srv/model".into()] };
        let command = sandbox.command(Path::new("/tmp/room"), &["/srv/agent.py".into(), "/proc/1/maps".into()]);
        let words: Vec<String> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        let line = words.join(" ");
        assert_eq!(line.matches("--bind ").count(), 1, "{line}");
        assert!(line.contains("--bind /tmp/room /tmp/room --chdir /tmp/room -- /bin/sh"), "{line}");
        assert!(line.contains("--ro-bind /srv/model /srv/model --ro-bind /srv/agent.py /srv/agent.py"), "{line}");
        assert!(!line.contains("/proc/1"), "{line}");
        // What lies over /tmp must be there before what is bound into it.
        assert!(line.find("--tmpfs /tmp") < line.find("--bind /tmp/room"), "{line}");
    }
}
