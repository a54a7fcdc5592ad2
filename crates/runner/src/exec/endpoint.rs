//! A program that comes to the episode's own endpoint, over MCP or HTTP.

use std::time::Instant;

use harness::record::AgentFault;
use harness::{Brief, Player, Stop, Unfinished};
use serde_json::json;

use super::host::EpisodeHost;
use super::room::Room;
use super::running::{Left, ROUND, Running};
use super::{Program, protocol};

/// Plays an episode to its end, or until the run is to stop.
pub fn play(kind: &Program, player: Player, seed: u64, stop: &Stop) -> Result<Player, Unfinished> {
    let broken = |what: &'static str| {
        move |e: std::io::Error| Unfinished::Broken(format!("cannot {what} `{}`: {e}", kind.spec.name))
    };
    let (brief, label) = (player.brief().clone(), kind.label(&player));
    let host = EpisodeHost::open(player).map_err(broken("open an endpoint for"))?;
    let room = Room::new().map_err(broken("make a folder for"))?;
    let env = furnish(&room, &host, &brief, seed).map_err(broken("write to the folder of"))?;
    let mut program = Running::start(kind, room, &env, &label).map_err(Unfinished::Broken)?;
    let ended = watch(kind, &host, &mut program, stop);
    program.dismiss();
    ended.map_err(Unfinished::Broken)?.ok_or_else(|| Unfinished::Held(host.steps()))
}

/// Puts the brief and a client's configuration into the room; gives the environment that names them.
fn furnish(room: &Room, host: &EpisodeHost, brief: &Brief, seed: u64) -> std::io::Result<Vec<(&'static str, String)>> {
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

/// Waits for the player to be over; nothing if the run is to stop.
fn watch(kind: &Program, host: &EpisodeHost, program: &mut Running, stop: &Stop) -> Result<Option<Player>, String> {
    let end = Instant::now() + kind.rules.episode;
    let (mut steps, mut acted) = (0, Instant::now());
    loop {
        if let Some(player) = host.wait(ROUND) {
            return Ok(Some(player));
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
