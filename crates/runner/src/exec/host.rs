//! The endpoint of one episode: the server's code, with one session in it and nothing else to be had.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use doors::session::{Limits, Pace, Session, SessionId, Sessions};
use harness::catalogue::{Catalogue, CatalogueSettings};
use harness::record::AgentFault;
use harness::{Noise, Player, Referee, ToolSet};
use tokio::sync::{oneshot, watch};

use server::token::Token;
use server::{App, Listener, fresh_id, serve};

/// A session for as long as the program lives.
const NEVER: Duration = Duration::from_secs(u32::MAX as u64);
const MOST_BYTES: usize = 256 * 1024;
const PATIENCE: Duration = Duration::from_secs(30);
const CONNECTIONS: usize = 64;

/// The endpoint of an episode, on this machine, on a port of its own. Dropped, it is closed.
pub struct EpisodeHost {
    app: Arc<App>,
    id: SessionId,
    token: String,
    address: SocketAddr,
    over: Receiver<Player>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl EpisodeHost {
    /// Opens it.
    pub fn open(player: Player) -> io::Result<EpisodeHost> {
        let (keep, over) = channel();
        let (id, token) = (fresh_id(), format!("{}{}", fresh_id(), fresh_id()));
        let limits = Limits { sessions: 1, idle: NEVER };
        let keep = Box::new(move |player| drop(keep.send(player)));
        let sessions = Sessions::new(nothing(player.brief().toolset), limits, Pace::PER_ACTION, keep);
        sessions.adopt(id, player, Duration::ZERO).map_err(io::Error::other)?;
        let app = Arc::new(App {
            sessions,
            started: Instant::now(),
            token: Some(Token::new(&token).map_err(io::Error::other)?),
            most_bytes: MOST_BYTES,
            patience: PATIENCE,
            idle: NEVER,
            stuck: Arc::default(),
            stopping: watch::Sender::new(false),
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0)), CONNECTIONS))?;
        let address = listener.address()?;
        let (stop, stopped) = oneshot::channel();
        let served = app.clone();
        let thread = thread::Builder::new().name("episode".to_string()).spawn(move || {
            runtime.block_on(serve(served, listener, async move { drop(stopped.await) }));
        })?;
        Ok(EpisodeHost { app, id, token, address, over, stop: Some(stop), thread: Some(thread) })
    }

    /// Where the episode is played over MCP; a client with this address may.
    pub fn mcp_url(&self) -> String {
        format!("http://{}/mcp/{}", self.address, self.id)
    }

    /// Where to find it, for a program's environment.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        vec![
            ("SRE_ZERO_MCP_URL", self.mcp_url()),
            ("SRE_ZERO_HTTP_URL", format!("http://{}", self.address)),
            ("SRE_ZERO_SESSION", self.id.to_string()),
            ("SRE_ZERO_TOKEN", self.token.clone()),
        ]
    }

    /// How many steps were taken.
    pub fn steps(&self) -> u32 {
        let view = self.app.sessions.with(self.id, self.app.now(), |session| session.view());
        view.ok().and_then(Result::ok).map_or(0, |view| view.step)
    }

    /// The player, if it is over before so much time has passed.
    pub fn wait(&self, most: Duration) -> Option<Player> {
        self.over.recv_timeout(most).ok()
    }

    /// Ends the episode: it was given up, or the program failed. What ended before stays as it is.
    pub fn end(&self, fault: Option<AgentFault>) {
        let end = |session: &mut Session| match fault {
            Some(fault) => session.fail(fault),
            None => session.end(),
        };
        // Without a session it was closed, and is sealed.
        let _ = self.app.sessions.with(self.id, self.app.now(), end);
    }
}

impl Drop for EpisodeHost {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A catalogue with no task in it: no other episode begins here.
fn nothing(tools: ToolSet) -> Catalogue {
    let settings = CatalogueSettings {
        suite: String::new(),
        tools,
        noise: Noise(0),
        agent: String::new(),
        named: false,
        rewards: false,
        incidents: 0,
        clients: false,
        plan: None,
    };
    Catalogue::new(Vec::new(), 0, settings, &Referee::new())
}
