//! A program that speaks JSON lines: told the brief, it answers with actions, one a line.

use std::time::Instant;

use harness::record::EndReason;
use harness::{Episode, Played, Stop};

use super::Program;
use super::protocol::{self, Said};
use super::room::Room;
use super::running::{Left, Next, Running};

/// Plays an episode to its end, or until the run is to stop.
pub fn play(kind: &Program, mut episode: Episode, seed: u64, stop: &Stop) -> Played {
    let room = match Room::new() {
        Ok(room) => room,
        Err(e) => return Played::Broken(format!("cannot make a folder for `{}`: {e}", kind.spec.name)),
    };
    let mut program = match Running::start(kind, room, &protocol::environment(), &kind.label(&episode)) {
        Ok(program) => program,
        Err(problem) => return Played::Broken(problem),
    };
    program.tell(&protocol::brief(episode.brief(), seed));
    let end = Instant::now() + kind.rules.episode;
    while !episode.is_over() {
        match next(&mut program, end.min(Instant::now() + kind.rules.action), stop) {
            Next::Stopped => return Played::Held(episode.steps_taken()),
            Next::Left(left) => {
                if let Err(problem) = leave(kind, &mut episode, left) {
                    return Played::Broken(problem);
                }
            }
            Next::Line(line) => match protocol::read(&line) {
                Said::GiveUp => episode.end(EndReason::GaveUp),
                Said::Act(text) => {
                    episode.step(&text);
                    program.tell(&protocol::observation(&episode));
                }
            },
        }
    }
    program.dismiss();
    Played::Whole(Box::new(episode.finish()))
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

/// Ends the episode of a program that has left; one that never came is nobody's episode.
fn leave(kind: &Program, episode: &mut Episode, left: Left) -> Result<(), String> {
    match left {
        Left::NoCommand(code) if episode.steps_taken() == 0 => return Err(kind.no_command(code)),
        Left::NoCommand(_) => episode.end_on_fault(harness::record::AgentFault::Crashed),
        Left::Failed(fault) => episode.end_on_fault(fault),
        Left::GaveUp => episode.end(EndReason::GaveUp),
    }
    Ok(())
}
