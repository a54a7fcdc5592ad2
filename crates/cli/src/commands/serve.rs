//! `serve`: incidents for agents and trainers elsewhere, over HTTP, OpenEnv, ORS and MCP.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::ValueHint;
use doors::session::{Limits, Sessions};
use harness::Referee;
use runner::jobs;
use server::token::Token;
use server::{App, Listener, serve, signals};
use tokio::sync::watch;

use crate::exit::CommandOutcome;
use crate::say;
use crate::serve::handles;
use crate::serve::keep::Keeper;
use crate::serve::offered::{Extras, Offered, settings};

const EXAMPLES: &str = "\
Examples:
  sre-zero serve                                the forty tasks on http://127.0.0.1:8000
  sre-zero serve --tasks TASK --port 0          one task, on a port that is free
  sre-zero serve --pace 10x                     the incident goes on while a client thinks
  sre-zero serve --suite sregym --clients       problems in a cluster, for kubectl and curl as well
  sre-zero serve --rewards                      for training: steps come with their reward
  SRE_ZERO_TOKEN=... sre-zero serve --host 0.0.0.0
                                                for other machines: every client shows the token

  curl -s localhost:8000/episode/reset -d '{\"seed\": 1}'
  curl -s localhost:8000/episode/step -d '{\"session_id\": \"...\", \"action\": \"inspect_logs(cache)\"}'

Spoken here: HTTP sessions (/episode/...), OpenEnv (/ws, /reset, /step), MCP (/mcp); what there is
stands in /openapi.json. An agent that is given /mcp/SESSION can play that one episode and reach
nothing else. No answer names a task or its cause; /tasks does with --show-ids. No answer says what
a step was worth, because that gives the answer away; with --rewards it does, for training.

Every session is an ordinary episode: its record goes to the folder as in `sre-zero run`, and
`sre-zero replay`, `rescore` and the reports read it. Ctrl-C seals what is still going on.";

/// Arguments of `serve`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    offered: Offered,
    /// Where to listen; off this machine only with a token
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: IpAddr,
    /// The port; 0 takes one that is free
    #[arg(long, value_name = "N", default_value_t = 8000)]
    port: u16,
    /// What clients must show as `Authorization: Bearer TOKEN`; better given in the environment
    #[arg(long, value_name = "TOKEN", env = "SRE_ZERO_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// How many sessions at a time
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    max_sessions: u32,
    /// How many different incidents (task and seed) in memory, 250 kB each; sessions beyond rest until they are used again
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    max_incidents: u32,
    /// How many connections at a time; others wait
    #[arg(long, value_name = "N", default_value_t = 12_000, value_parser = clap::value_parser!(u32).range(1..))]
    max_connections: u32,
    /// The longest body or message
    #[arg(long, value_name = "BYTES", default_value_t = 256 * 1024, value_parser = clap::value_parser!(u32).range(1024..))]
    max_bytes: u32,
    /// A session that is idle for so long has given up
    #[arg(long, value_name = "SECONDS", default_value_t = 900, value_parser = clap::value_parser!(u32).range(1..))]
    idle: u32,
    /// A request must arrive within this time
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    read_timeout: u32,
    /// How many threads answer [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Where records are kept
    #[arg(long, value_name = "DIR", default_value = "runs/serve", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    /// Start over: remove what an earlier server left in the folder
    #[arg(long)]
    fresh: bool,
    /// List tasks by their published ids, which name the cause: for experimenters, not for agents
    #[arg(long)]
    show_ids: bool,
    /// Show the reward of each step, for training: the records say so, and no report ranks them
    #[arg(long)]
    rewards: bool,
    /// Serve each problem in a cluster for kubectl and other clients on this machine: the brief says where
    #[arg(long)]
    clients: bool,
}

/// Serves until it is told to stop; then every episode is sealed and kept.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let token = args.token.as_deref().map(Token::new).transpose().map_err(|e| anyhow::anyhow!("--token: {e}"))?;
    if token.is_none() && !args.host.is_loopback() {
        bail!(
            "--host {}: other machines are let in with a token only; set SRE_ZERO_TOKEN, or leave --host out",
            args.host
        );
    }
    if args.clients && !args.host.is_loopback() {
        bail!("--clients: clusters are served on this machine alone; leave --host out");
    }
    let (named, rewards, incidents) = (args.show_ids, args.rewards, args.max_incidents as usize);
    let extras = Extras { named, rewards, incidents, clients: args.clients };
    let offer = args.offered.offer(extras, Some(&args.out))?;
    let keeper = Keeper::open(&args.out, settings(&offer), args.fresh)?;
    let limits = Limits { sessions: args.max_sessions as usize, idle: Duration::from_secs(args.idle.into()) };
    let referee = Referee::new();
    let catalogue = offer.catalogue(&referee);
    let tasks = catalogue.len();
    let sessions = Sessions::new(catalogue, limits, args.offered.pace, keeper.inlet(referee.clone()));
    let sessions = if rewards { sessions.for_trainers(referee.trainer()) } else { sessions };
    let app = App {
        sessions,
        started: Instant::now(),
        token,
        most_bytes: args.max_bytes as usize,
        patience: Duration::from_secs(args.read_timeout.into()),
        idle: limits.idle,
        stuck: keeper.stuck(),
        stopping: watch::Sender::new(false),
    };
    let threads = jobs(args.threads);
    can_start(threads)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?;
    runtime.block_on(listen(args, Arc::new(app), tasks))?;
    // All that still hold the app let go of it here, or the keeper would wait for more.
    runtime.shutdown_timeout(Duration::from_secs(5));
    let kept = keeper.close()?;
    say::note(&format!("{} kept in {}", say::count(kept.episodes, "episode"), args.out.display()));
    Ok(if kept.lost == 0 { CommandOutcome::Fine } else { CommandOutcome::Failed })
}

/// Whether the system gives so many threads. The runtime would panic in the middle of its start if it does not. One after
/// another: a thread that begins when the last memory is gone ends the program.
fn can_start(threads: usize) -> anyhow::Result<()> {
    let (hold, wait) = std::sync::mpsc::channel::<()>();
    let (begun, next) = std::sync::mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let wait = &wait;
    std::thread::scope(|scope| {
        for started in 0..threads {
            let begun = begun.clone();
            let idle = move || {
                let _ = begun.send(());
                drop(wait.lock().map(|wait| wait.recv()));
            };
            if let Err(e) = std::thread::Builder::new().spawn_scoped(scope, idle) {
                drop(hold);
                bail!("--threads {threads}: the system gives only {started} ({e}); choose fewer");
            }
            let _ = next.recv();
        }
        drop(hold);
        Ok(())
    })
}

async fn listen(args: &Args, app: Arc<App>, tasks: usize) -> anyhow::Result<()> {
    let address = SocketAddr::new(args.host, args.port);
    let (connections, warning) = handles::room_for(args.max_connections as usize);
    let listener = Listener::bind(address, connections).await;
    let listener = listener.with_context(|| format!("cannot listen on {address}; choose another --port or --host"))?;
    let stop = signals::stop();
    // For programs that start a server on any port: the first line says where.
    say::print(&format!("http://{}\n", listener.address()?))?;
    say::note(&format!(
        "Serving {}; records go to {}; Ctrl-C ends it and keeps everything.",
        say::count(tasks, "task"),
        args.out.display()
    ));
    if let Some(warning) = warning {
        say::note(&warning);
    }
    serve(app, listener, stop).await;
    Ok(())
}
