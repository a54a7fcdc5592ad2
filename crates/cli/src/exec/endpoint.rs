//! A program that comes to the episode's own endpoint, over MCP or HTTP.

use std::time::Instant;

use harness::record::AgentFault;
use harness::{Brief, Episode, Played, Record, Stop};
use serde_json::json;

use super::host::Host;
use super::room::Room;
use super::running::{Left, ROUND, Running};
use super::{Program, protocol};

/// Plays an episode to its end, or until the run is to stop.
pub fn play(kind: &Program, episode: Episode, seed: u64, stop: &Stop) -> Played {
    match try_play(kind, episode, seed, stop) {
        Ok(played) => played,
        Err(problem) => Played::Broken(problem),
    }
}

fn try_play(kind: &Program, episode: Episode, seed: u64, stop: &Stop) -> Result<Played, String> {
    let brief = episode.brief().clone();
    let label = kind.label(&episode);
    let host = Host::open(episode).map_err(|e| format!("cannot open an endpoint for `{}`: {e}", kind.spec.name))?;
    let room = Room::new().map_err(|e| format!("cannot make a folder for `{}`: {e}", kind.spec.name))?;
    let env = furnish(&room, &host, &brief, seed)
        .map_err(|e| format!("cannot write to the folder of `{}`: {e}", kind.spec.name))?;
    let mut program = Running::start(kind, room, &env, &label)?;
    let ended = watch(kind, &host, &mut program, stop);
    program.dismiss();
    match ended? {
        Some(record) => Ok(Played::Whole(Box::new(record))),
        None => Ok(Played::Held(host.steps())),
    }
}

/// Puts the brief and a client's configuration into the room; gives the environment that names them.
fn furnish(room: &Room, host: &Host, brief: &Brief, seed: u64) -> std::io::Result<Vec<(&'static str, String)>> {
    let config = json!({ "mcpServers": { "incident": { "type": "http", "url": host.mcp_url() } } });
    let files = [
        ("SRE_ZERO_BRIEF", room.write("brief.txt", &brief.text)?),
        ("SRE_ZERO_BRIEF_JSON", room.write("brief.json", &protocol::brief(brief, seed))?),
        ("SRE_ZERO_MCP_CONFIG", room.write("mcp.json", &format!("{config:#}\n"))?),
    ];
    let mut env = protocol::environment();
    env.extend(host.environment());
    env.extend(files.map(|(name, path)| (name, path.to_string_lossy().into_owned())));
    Ok(env)
}

/// Waits for the record; nothing if the run is to stop.
fn watch(kind: &Program, host: &Host, program: &mut Running, stop: &Stop) -> Result<Option<Record>, String> {
    let end = Instant::now() + kind.rules.episode;
    let (mut steps, mut acted) = (0, Instant::now());
    loop {
        if let Some(record) = host.wait(ROUND) {
            return Ok(Some(record));
        }
        if stop.is_asked() {
            return Ok(None);
        }
        let (taken, now) = (host.steps(), Instant::now());
        if taken != steps {
            (steps, acted) = (taken, now);
        }
        match program.left() {
            Some(Left::NoCommand(code)) if taken == 0 => return Err(kind.no_command(code)),
            Some(Left::NoCommand(_)) => host.end(Some(AgentFault::Crashed)),
            Some(Left::Failed(fault)) => host.end(Some(fault)),
            Some(Left::GaveUp) => host.end(None),
            None if now >= end || now >= acted + kind.rules.action => host.end(Some(AgentFault::TimedOut)),
            None => {}
        }
    }
}
