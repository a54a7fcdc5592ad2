//! Agents that are programs of their own: a command per episode, in an empty folder, with a clean
//! environment and hard limits. It speaks JSON lines on its standard input and output, or comes to the
//! episode's own endpoint, or brings clients of its own to a problem in a cluster.

mod args;
mod beside;
mod endpoint;
mod group;
mod host;
mod lines;
mod output;
mod protocol;
mod room;
mod running;
mod sandbox;
mod spec;
mod strays;

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use harness::{Agent, AgentKind, Brief, Move, Player, Start, Stop, Turn, Unfinished};

pub use args::{ExecArgs, ExecLimits};
pub use group::end_all;
pub use sandbox::Sandbox;
pub use spec::{Mode, ProgramSpec};

/// Where a line for the run's log goes.
pub type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// What all programs of a run are held to.
#[derive(Clone, Debug)]
pub struct Rules {
    /// How long one action may take.
    pub action: Duration,
    /// How long an episode may take.
    pub episode: Duration,
    /// How many bytes it may write in an episode.
    pub output: u64,
    /// What it gets of the user's environment.
    pub env: Vec<(String, OsString)>,
    /// What hides the file system from it, if anything does.
    pub sandbox: Option<Sandbox>,
}

/// A kind of agent that is a program.
pub struct Program {
    spec: ProgramSpec,
    rules: Arc<Rules>,
    about: String,
    tell: Tell,
}

impl Program {
    /// One that is started anew for each episode; `tell` gets what it writes to its standard error.
    pub fn new(spec: ProgramSpec, rules: Arc<Rules>, tell: Tell) -> Program {
        let about = format!("runs `{}`", spec.command);
        Program { spec, rules, about, tell }
    }

    /// What the log calls an episode: its record has the same incident.
    fn label(&self, player: &Player) -> String {
        format!("{}/{}", self.spec.name, player.brief().incident)
    }

    /// What is wrong if the shell found no program. That is the user's mistake and no agent's failure.
    fn no_command(&self, code: i32) -> String {
        format!(
            "the shell cannot run `{}` (exit {code}; its words are in the log): name it by its whole path, or make it \
             executable; it runs in a folder of its own",
            self.spec.command
        )
    }
}

impl AgentKind for Program {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn about(&self) -> &str {
        &self.about
    }

    fn start(&self, _: &Brief, _: Start<'_>) -> Box<dyn Agent> {
        Box::new(Elsewhere)
    }

    fn flags(&self) -> Option<String> {
        let flag = match self.spec.mode {
            Mode::Lines => "--exec",
            Mode::Endpoint => "--exec-mcp",
        };
        let value = format!("{}={}", self.spec.name, self.spec.command);
        Some(format!("{flag} '{}'", value.replace('\'', "'\\''")))
    }

    /// A problem in a cluster is served for its kubectl.
    fn brings_clients(&self) -> bool {
        self.spec.mode == Mode::Lines
    }

    fn play(&self, player: Player, start: Start<'_>, stop: &Stop) -> Result<Player, Unfinished> {
        match self.spec.mode {
            Mode::Lines if !player.handouts().is_empty() => beside::play(self, player, stop),
            Mode::Lines => lines::play(self, player, start.seed, stop),
            Mode::Endpoint => endpoint::play(self, player, start.seed, stop),
        }
    }
}

/// A program plays by itself; a caller that asks this instead gets nothing.
struct Elsewhere;

impl Agent for Elsewhere {
    fn act(&mut self, _: &Turn<'_>) -> Move {
        Move::GiveUp
    }
}
