//! A program that speaks JSON lines: told the brief, it answers with actions, one a line.

use std::time::Instant;

use harness::record::AgentFault;
use harness::{EarlyEnd, Player, Stop, Unfinished};

use super::Program;
use super::protocol::{self, ProgramMessage};
use super::room::Room;
use super::running::{Left, Next, Running};

/// Plays an episode to its end, or until the run is to stop.
pub fn play(kind: &Program, mut player: Player, seed: u64, stop: &Stop) -> Result<Player, Unfinished> {
    let no_room = |e| Unfinished::Broken(format!("cannot make a folder for `{}`: {e}", kind.spec.name));
    let room = Room::new().map_err(no_room)?;
    let started = Running::start(kind, room, &protocol::environment(), &kind.label(&player));
    let mut program = started.map_err(Unfinished::Broken)?;
    program.tell(&protocol::brief(player.brief(), seed));
    let end = Instant::now() + kind.rules.episode;
    while !player.is_over() {
        match next(&mut program, end.min(Instant::now() + kind.rules.action), stop) {
            Next::Stopped => return Err(Unfinished::Held(player.steps_taken())),
            Next::Left(left) => leave(kind, &mut player, left).map_err(Unfinished::Broken)?,
            Next::Line(line) => match protocol::read(&line) {
                ProgramMessage::GiveUp => player.end(EarlyEnd::GaveUp),
                ProgramMessage::Act(text) => {
                    player.step(&text);
                    program.tell(&protocol::observation(&player));
                }
            },
        }
    }
    program.dismiss();
    Ok(player)
}

/// The next line that says something; blank ones gain no time.
fn next(program: &mut Running, deadline: Instant, stop: &Stop) -> Next {
    loop {
        match program.next(deadline, stop) {
            Next::Line(line) if line.trim().is_empty() => {}
            next => return next,
        }
    }
}

/// Ends the episode of a program that has left; one that never came has no episode.
fn leave(kind: &Program, player: &mut Player, left: Left) -> Result<(), String> {
    player.end(match left {
        Left::NoCommand(code) if player.steps_taken() == 0 => return Err(kind.no_command(code)),
        Left::NoCommand(_) => EarlyEnd::ProgramFailed(AgentFault::Crashed),
        Left::Failed(fault) => EarlyEnd::ProgramFailed(fault),
        Left::GaveUp => EarlyEnd::GaveUp,
    });
    Ok(())
}
