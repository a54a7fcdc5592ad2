//! A program beside something that is served: it comes with clients of its own, such as kubectl.

use std::thread;
use std::time::Instant;

use harness::record::AgentFault;
use harness::{EarlyEnd, Handout, Player, Span, Stop, Unfinished};

use super::room::Room;
use super::running::{Left, ROUND, Running};
use super::{Mode, Program, ProgramSpec};

/// Plays an episode that hands something out to its end, or until the run is to stop.
pub(super) fn play(kind: &Program, mut player: Player, stop: &Stop) -> Result<Player, Unfinished> {
    // It speaks to servers, so that what it writes is for the log.
    let spec = ProgramSpec { mode: Mode::Endpoint, ..kind.spec.clone() };
    let program = Program::new(spec, kind.rules.clone(), kind.tell.clone());
    let given = player.handouts().to_vec();
    let mut is_over = || {
        player.pass(Span(0));
        player.is_over() || stop.is_asked()
    };
    let fault = program.beside(&given, &mut is_over).map_err(Unfinished::Broken)?;
    if !player.is_over() {
        if stop.is_asked() {
            return Err(Unfinished::Held(player.steps_taken()));
        }
        player.end(fault.map_or(EarlyEnd::GaveUp, EarlyEnd::ProgramFailed));
    }
    Ok(player)
}

impl Program {
    /// Runs the program in a folder of its own, with what is handed out and nothing else, until it ends or `is_over`.
    /// How it failed, if it did; an error if it cannot be run at all.
    pub fn beside(&self, given: &[Handout], is_over: &mut dyn FnMut() -> bool) -> Result<Option<AgentFault>, String> {
        let unwritable = |e: std::io::Error| format!("cannot make a folder for `{}`: {e}", self.spec.name);
        let room = Room::new().map_err(unwritable)?;
        let mut env = Vec::new();
        for one in given {
            let value = match one.file {
                Some(name) => room.write(name, &one.value).map_err(unwritable)?.to_string_lossy().into_owned(),
                None => one.value.clone(),
            };
            env.push((one.variable, value));
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
