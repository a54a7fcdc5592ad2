//! A program beside something that is served: it comes with clients of its own, such as kubectl.

use std::thread;
use std::time::Instant;

use harness::record::AgentFault;

use super::Program;
use super::room::Room;
use super::running::{Left, ROUND, Running};

/// A file for the program: the variable that names it, its name, and what is in it.
pub type BesideFile = (&'static str, &'static str, String);

impl Program {
    /// Runs the program in a folder of its own, with these files and variables and nothing else, until it ends or `is_over`.
    /// How it failed, if it did; an error if it cannot be run at all.
    pub fn beside(
        &self,
        files: &[BesideFile],
        env: &[(&'static str, String)],
        is_over: &dyn Fn() -> bool,
    ) -> Result<Option<AgentFault>, String> {
        let unwritable = |e: std::io::Error| format!("cannot make a folder for `{}`: {e}", self.spec.name);
        let room = Room::new().map_err(unwritable)?;
        let mut env = env.to_vec();
        for (variable, name, text) in files {
            let path = room.write(name, text).map_err(unwritable)?;
            env.push((variable, path.to_string_lossy().into_owned()));
        }
        let end = Instant::now() + self.rules.episode;
        let mut program = Running::start(self, room, &env, &self.spec.name)?;
        let fault = loop {
            match program.left() {
                Some(Left::NoCommand(code)) => return Err(self.no_command(code)),
                Some(Left::Failed(fault)) => break Some(fault),
                Some(Left::GaveUp) => break None,
                None if is_over() => break None,
                None if Instant::now() >= end => break Some(AgentFault::TimedOut),
                None => thread::sleep(ROUND),
            }
        };
        program.dismiss();
        Ok(fault)
    }
}
