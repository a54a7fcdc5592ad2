//! A problem that a thread of its own serves while it is played: what clients do to it are the player's steps.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use harness::record::grade::Parts;
use harness::{AnswerKey, Brief, EarlyEnd, Handout, Key, Playable, Span, Time};
use kubeapi::{ApiListener, ClusterHost, ObservabilityListener, ServedClock, ServedCluster};
use problems::ProblemEpisode;
use record::{EndReason, LiveTimes, ModelTurn, Record, Step};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::handouts::{as_text, handouts};
use crate::live::LiveProblem;
use crate::routes::{Conductor, fresh_id, router};

/// A problem while it is served. Dropped, it is closed.
pub(crate) struct ServedEpisode {
    conductor: Arc<Conductor>,
    brief: Arc<Brief>,
    handouts: Vec<Handout>,
    live: Option<LiveTimes>,
    /// What was done when it was last looked.
    steps: Vec<Step>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread says once it listens.
type Opened = io::Result<(Arc<Conductor>, Vec<Handout>)>;

impl ServedEpisode {
    /// Serves an episode that was set up for clients with a clock of their own.
    pub(crate) fn open(episode: ProblemEpisode) -> io::Result<ServedEpisode> {
        let served = LiveProblem::new(episode);
        let (brief, live) = (Brief::clone(served.episode().brief()), served.about().live);
        let (tell, opened) = channel();
        let (stop, stopped) = oneshot::channel();
        let thread = thread::Builder::new().name("cluster".to_string()).spawn(move || serve(served, &tell, stopped))?;
        let (conductor, handouts) = opened.recv().map_err(io::Error::other)??;
        let brief = Arc::new(Brief { text: format!("{}{}", brief.text, as_text(&handouts)), ..brief });
        let (stop, thread) = (Some(stop), Some(thread));
        Ok(ServedEpisode { conductor, brief, handouts, live, steps: Vec::new(), stop, thread })
    }

    fn refresh(&mut self) {
        let known = self.steps.len();
        let new = self.conductor.with(|problem| problem.steps()[known..].to_vec());
        self.steps.extend(new);
    }
}

/// Serves until it is told to stop.
fn serve(served: LiveProblem, tell: &Sender<Opened>, stopped: oneshot::Receiver<()>) {
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(problem) => return drop(tell.send(Err(problem))),
    };
    runtime.block_on(async {
        match listen(served).await {
            Ok((listener, host, opened)) => {
                let _ = tell.send(Ok(opened));
                listener.serve(host, async { drop(stopped.await) }).await;
            }
            Err(problem) => drop(tell.send(Err(problem))),
        }
    });
    runtime.shutdown_background();
}

async fn listen(served: LiveProblem) -> io::Result<(ApiListener, Arc<ClusterHost>, (Arc<Conductor>, Vec<Handout>))> {
    let listener = ApiListener::bind(0).await.map_err(io::Error::other)?;
    let observability = ObservabilityListener::bind(0).await.map_err(io::Error::other)?;
    let stages = TcpListener::bind(("127.0.0.1", 0)).await?;
    let token = format!("{}{}", fresh_id(), fresh_id());
    let kubeconfig = listener.kubeconfig(&token)?;
    let clock = ServedClock::starting_at(served.cluster().now(), 1.0);
    let handouts = handouts(&served.brief(), kubeconfig.clone(), stages.local_addr()?, &observability)?;
    let host = Arc::new(ClusterHost::of(Box::new(served), clock, token));
    let conductor = Arc::new(Conductor::new(host.clone()).with_kubeconfig(kubeconfig));
    observability.serve(&host);
    tokio::spawn(axum::serve(stages, router(conductor.clone())).into_future());
    Ok((listener, host, (conductor, handouts)))
}

impl Drop for ServedEpisode {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Playable for ServedEpisode {
    fn brief(&self) -> &Arc<Brief> {
        &self.brief
    }

    fn step(&mut self, text: &str, _: Option<ModelTurn>) {
        self.conductor.with(|problem| problem.act(text));
        self.refresh();
    }

    fn steps(&self) -> &[Step] {
        &self.steps
    }

    fn end(&mut self, why: EarlyEnd) {
        self.conductor.with(|problem| problem.end(why));
        self.refresh();
    }

    fn ending(&self) -> Option<EndReason> {
        self.conductor.with(|problem| problem.episode().ending())
    }

    fn finish(self: Box<Self>) -> Record {
        self.conductor.with(|problem| problem.finish(None).clone())
    }

    fn fork(&self) -> Box<dyn Playable> {
        self.conductor.with(|problem| problem.episode().fork())
    }

    fn parts(&self) -> Parts {
        Parts::default()
    }

    fn answer(&self) -> (String, AnswerKey) {
        self.conductor.with(|problem| problem.episode().answer())
    }

    fn shows_rewards(&self) -> bool {
        self.conductor.with(|problem| problem.episode().shows_rewards())
    }

    fn clock(&self) -> (Time, Time) {
        self.conductor.with(|problem| problem.episode().clock())
    }

    /// Time passes by itself here; what clients did meanwhile is taken notice of.
    fn pass(&mut self, span: Span) -> Span {
        self.refresh();
        span
    }

    fn manual(&self, _: usize) -> &'static [Key] {
        &[]
    }

    fn handouts(&self) -> &[Handout] {
        &self.handouts
    }

    fn live(&self) -> Option<LiveTimes> {
        self.live
    }
}
