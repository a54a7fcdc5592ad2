//! Which program, spoken to how, under which name.

use std::path::{Path, PathBuf};

/// How a program plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// JSON lines on its standard input and output.
    Lines,
    /// It comes to the episode's own MCP or HTTP endpoint.
    Endpoint,
}

/// A program that is an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSpec {
    /// The agent's name in records.
    pub name: String,
    /// The command, for a shell.
    pub command: String,
    /// How it plays.
    pub mode: Mode,
}

impl ProgramSpec {
    /// What `--agents` says, if that is a program: `exec:CMD` or `exec-mcp:CMD`.
    pub fn of_agent(text: &str) -> Option<Result<ProgramSpec, String>> {
        let (prefix, mode, command) = match (text.strip_prefix("exec:"), text.strip_prefix("exec-mcp:")) {
            (Some(command), _) => ("exec", Mode::Lines, command.trim()),
            (None, Some(command)) => ("exec-mcp", Mode::Endpoint, command.trim()),
            (None, None) => return None,
        };
        if command.is_empty() {
            return Some(Err(format!("the agent `{prefix}:` has no command; write `{prefix}:COMMAND`")));
        }
        // A few letters of the command itself: two commands must not pass for one agent.
        let name = format!("{prefix}-{}-{}", stem(command), &harness::sha256(command.as_bytes())[..6]);
        Some(Ok(ProgramSpec { name, command: command.to_string(), mode }))
    }

    /// `NAME=CMD`.
    pub fn named(text: &str, mode: Mode) -> Result<ProgramSpec, String> {
        let (name, command) = text.split_once('=').unwrap_or((text, ""));
        let (name, command) = (name.trim(), command.trim());
        if command.is_empty() {
            return Err(format!("{text}: it takes a name and a command: NAME=COMMAND"));
        }
        let good = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.len() > 64 || name.starts_with('.') || !name.chars().all(good) {
            return Err(format!("{text}: a name has up to 64 letters, digits, -, _ and ., and starts with no dot"));
        }
        Ok(ProgramSpec { name: name.to_string(), command: command.to_string(), mode })
    }

    /// The command as it is run, and the files that it names. The program works in a folder of its own,
    /// so files are named from the root.
    pub fn rooted(&self, here: &Path) -> (String, Vec<PathBuf>) {
        let mut files = Vec::new();
        let words = self.command.split(' ').enumerate().map(|(at, word)| match file(here, at, word) {
            Some(path) => {
                let text = path.to_string_lossy().into_owned();
                files.push(path);
                text
            }
            None => word.to_string(),
        });
        let command = words.collect::<Vec<_>>().join(" ");
        (command, files)
    }
}

/// The file that a plain word of a command names. A first word without a slash is looked up in PATH.
fn file(here: &Path, at: usize, word: &str) -> Option<PathBuf> {
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_-+./@:".contains(c));
    let named = !word.is_empty() && !word.starts_with('-') && plain(word) && (at > 0 || word.contains('/'));
    let path = named.then(|| here.join(word)).filter(|path| path.is_file())?;
    // Links stay: an interpreter finds its packages by the name that it was called by.
    let path = std::path::absolute(path).ok()?;
    path.to_str().is_some_and(plain).then_some(path)
}

/// What a command is about: its first word that is no interpreter and no option.
fn stem(command: &str) -> String {
    const INTERPRETERS: &[&str] = &["sh", "bash", "env", "python", "python3", "node", "uv", "run", "exec"];
    let base = |word: &str| {
        let name = word.rsplit('/').next().unwrap_or_default();
        let name = name.split('.').next().unwrap_or_default();
        let good: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).take(24).collect();
        good
    };
    let words = || command.split_whitespace().filter(|word| !word.starts_with('-')).map(base);
    let said = words().find(|name| !name.is_empty() && !INTERPRETERS.contains(&name.as_str()));
    said.or_else(|| words().next()).filter(|name| !name.is_empty()).unwrap_or_else(|| "command".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_that_are_programs_are_told_from_others() {
        let check = |text: &str, expect: Option<(&str, Mode)>| {
            let spec = ProgramSpec::of_agent(text).map(|spec| spec.expect(text));
            let found = spec.as_ref().map(|spec| (&spec.name[..spec.name.len() - 7], spec.mode));
            assert_eq!(found, expect, "{text}");
        };
        check("random", None);
        check("exec:python3 my/agent.py --fast", Some(("exec-agent", Mode::Lines)));
        check("exec-mcp:claude -p hello", Some(("exec-mcp-claude", Mode::Endpoint)));
        check("exec:sh", Some(("exec-sh", Mode::Lines)));
        check("exec:'$(x)'", Some(("exec-x", Mode::Lines)));
        assert!(ProgramSpec::of_agent("exec: ").expect("it is one").is_err());
    }

    #[test]
    fn names_become_parts_of_paths() {
        let check = |text: &str, expect: Option<&str>| {
            let spec = ProgramSpec::named(text, Mode::Lines);
            assert_eq!(spec.as_ref().ok().map(|spec| spec.name.as_str()), expect, "{spec:?}");
        };
        check("mine=./agent a=b", Some("mine"));
        for wrong in ["mine", "=cmd", "../up=cmd", ".x=cmd", "a@b=cmd", "a b=cmd", "mine="] {
            check(wrong, None);
        }
    }

    #[test]
    fn files_of_a_command_are_named_from_the_root() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).canonicalize().expect("it is there");
        let root = here.to_str().expect("it is text");
        let check = |command: &str, expect: &str, files: usize| {
            let spec = ProgramSpec { name: "x".to_string(), command: command.to_string(), mode: Mode::Lines };
            let (rooted, found) = spec.rooted(&here);
            assert_eq!((rooted.replace(root, "HERE"), found.len()), (expect.to_string(), files));
        };
        check("python3 src/lib.rs -v", "python3 HERE/src/lib.rs -v", 1);
        check("./src/lib.rs", "HERE/src/lib.rs", 1);
        check("Cargo.toml", "Cargo.toml", 0);
        check("cat 'Cargo.toml' nothing.here src", "cat 'Cargo.toml' nothing.here src", 0);
    }

    #[cfg(unix)]
    #[test]
    fn links_keep_their_names() {
        let room = super::super::room::Room::new().expect("it can be made");
        let file = room.write("python", "").expect("it can be written");
        std::os::unix::fs::symlink(file, room.path().join("link")).expect("it can be made");
        let spec = ProgramSpec { name: "x".to_string(), command: "./link x".to_string(), mode: Mode::Lines };
        assert_eq!(spec.rooted(room.path()).0, format!("{}/link x", room.path().display()));
    }
}
