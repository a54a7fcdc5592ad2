//! An agent that is a program, beside a served problem: a kubeconfig, addresses and a brief, a folder of its own, and nothing else.

use std::sync::Arc;

use anyhow::anyhow;
use conductor::Conductor;
use harness::Handout;
use record::AgentFault;
use runner::exec::{Mode, Program, ProgramSpec};
use tokio::task::JoinHandle;

use super::Args;
use crate::say;

/// How the program left: how it failed, if it did, or why it could not be run.
pub(super) type Departure = JoinHandle<Result<Option<AgentFault>, String>>;

/// The program that the arguments name.
pub(super) fn program(args: &Args) -> anyhow::Result<Option<Program>> {
    let Some(command) = &args.exec else { return Ok(None) };
    let spec = ProgramSpec::named(&format!("{}={command}", args.agent), Mode::Endpoint).map_err(|e| anyhow!(e))?;
    Ok(Some(Program::new(spec, args.limits.rules()?, Arc::new(say::note))))
}

/// Starts it. It submits as any other client; it is over when the last stage is.
pub(super) fn start(program: Program, handouts: Vec<Handout>, conductor: Arc<Conductor>) -> Departure {
    tokio::task::spawn_blocking(move || {
        program.beside(&handouts, &mut || conductor.with(|problem| problem.stage()) == "done")
    })
}

/// Waits for the program to end; for ever if there is none.
pub(super) async fn ended(program: Option<Departure>) -> Result<Option<AgentFault>, String> {
    match program {
        Some(program) => program.await.unwrap_or_else(|_| Err("the program could not be watched".to_string())),
        None => std::future::pending().await,
    }
}
