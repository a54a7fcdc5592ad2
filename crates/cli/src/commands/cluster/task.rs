//! `cluster --task`: a problem for an agent from outside, with its stages, its record and its verdict.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use conductor::{Conductor, LiveProblem, handouts, router, set_up};
use harness::sweep::{add_challenge, base_settings};
use harness::{EpisodeOptions, Noise, Record, ToolSet};
use kubeapi::{ApiListener, ClusterHost, ObservabilityListener, ServedClock, ServedCluster};
use problems::{ClusterProblem, ProblemChallenge, ProblemEpisode, Stages};
use record::folder::{LiveSteps, RunSettings, SELECTION, record_path};
use record::key;
use server::signals;
use tokio::net::TcpListener;

use super::{Args, agent, keep_private, kubeconfig_file, tell_observability, token};
use crate::pick;
use crate::say;
use crate::serve::keep::keep_all;

/// Minutes of history before the page, unless the arguments say otherwise.
const HISTORY: i64 = 60;

/// How often it is written down for those who look on.
const ONLOOKERS: Duration = Duration::from_secs(1);

/// Clients may ask for so long whether it is over.
const FAREWELL: Duration = Duration::from_secs(2);

/// Serves a problem until its last stage is over or it is told to stop, and keeps the record.
pub(super) fn run(args: &Args, id: &str) -> anyhow::Result<()> {
    let problem = &pick::problem(id)?.with_context(|| {
        format!("there is no problem `{id}`; `sre-zero tasks --suite sregym-all` lists those of clusters")
    })?;
    match play(args, problem)? {
        Some(record) => keep(args, problem, record),
        None => Ok(()),
    }
}

/// Serves the problems of a suite one after the other until it is told to stop; what has a record is not played again.
pub(super) fn run_suite(args: &Args, suite: &str) -> anyhow::Result<()> {
    let names = || problems::suites::ALL.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let all = problems::suites::select(suite);
    let all = all.with_context(|| format!("there is no suite `{suite}` of cluster problems; known are {}", names()))?;
    let has_record = |id: &str| record_path(&args.out, &key(&args.agent, id, args.seed, 0)).exists();
    for problem in all.iter().filter(|problem| !has_record(&problem.id)) {
        // The one in which it was told to stop is played anew the next time.
        if play(args, problem)?.is_some() {
            break;
        }
    }
    Ok(())
}

/// Serves a problem; gives the record if it was told to stop before the end.
fn play(args: &Args, problem: &Arc<ClusterProblem>) -> anyhow::Result<Option<Record>> {
    let scene = set_up(problem, args.seed, args.history.unwrap_or(HISTORY))?;
    let options =
        EpisodeOptions { agent: args.agent.clone(), suite: SELECTION.to_string(), ..EpisodeOptions::default() };
    let episode = ProblemEpisode::start(&Arc::new(scene), Stages::default(), options);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let record = runtime.block_on(serve(args, LiveProblem::new(episode), problem))?;
    runtime.shutdown_background();
    Ok(record)
}

/// Serves; gives the record if it was not kept meanwhile.
async fn serve(args: &Args, served: LiveProblem, problem: &Arc<ClusterProblem>) -> anyhow::Result<Option<Record>> {
    let listener = ApiListener::bind(args.port).await?;
    let observability = ObservabilityListener::bind(args.observability_port).await?;
    let stages = TcpListener::bind(("127.0.0.1", args.conductor_port)).await;
    let stages = stages.with_context(|| format!("cannot listen on port {}", args.conductor_port))?;
    let token = token();
    let file = kubeconfig_file(args, listener.address()?);
    let kubeconfig = listener.kubeconfig(&token)?;
    keep_private(&file, &kubeconfig).with_context(|| format!("cannot write {}", file.display()))?;
    let clock = ServedClock::starting_at(served.cluster().now(), args.speed);
    let brief = served.brief();
    let host = Arc::new(ClusterHost::of(Box::new(served), clock, token));
    let conductor = Arc::new(Conductor::new(host.clone()));
    tell(&brief, &file, stages.local_addr()?, listener.address()?)?;
    tell_observability(&observability)?;
    let given = handouts(&brief, kubeconfig, stages.local_addr()?, &observability)?;
    let program = agent::program(args)?.map(|program| agent::start(program, given, conductor.clone()));
    observability.serve(&host);
    tokio::spawn(axum::serve(stages, router(conductor.clone())).into_future());
    // The run is there from its beginning on, so that it can be looked at.
    keep_all(&args.out, &settings(problem), Vec::new())?;
    let onlookers = tokio::spawn(show(args.out.clone(), conductor.clone()));
    // How its program failed, if it did; nothing if it was told to stop.
    let over = async {
        tokio::select! {
            () = signals::stop() => Ok(None),
            () = conductor.ended() => Ok(Some(None)),
            left = agent::ended(program) => left.map(Some),
        }
    };
    let (mut kept, mut broken) = (false, None);
    let until = async {
        let over = over.await.unwrap_or_else(|problem| {
            broken = Some(problem);
            None
        });
        if let Some(fault) = over {
            let record = conductor.with(|problem| problem.finish(fault).clone());
            kept = keep(args, problem, record).inspect_err(|error| say::note(&format!("{error:#}"))).is_ok();
            match args.until_done || args.exec.is_some() {
                true => tokio::time::sleep(FAREWELL).await,
                false => signals::stop().await,
            }
        }
    };
    listener.serve(host, until).await;
    onlookers.abort();
    if args.kubeconfig.is_none() {
        let _ = std::fs::remove_file(&file);
    }
    if let Some(problem) = broken {
        bail!(problem);
    }
    Ok((!kept).then(|| conductor.with(|problem| problem.finish(None).clone())))
}

/// Writes down what clients do, for those who look on.
async fn show(out: PathBuf, conductor: Arc<Conductor>) {
    let about = conductor.with(|problem| problem.about());
    let name = key(&about.agent, &about.task, about.seed, 0);
    let mut steps = LiveSteps::begin(&out, &name, &about);
    loop {
        tokio::time::sleep(ONLOOKERS).await;
        conductor.with(|problem| steps.follow(problem.steps()));
    }
}

/// What an agent needs: the brief, and where everything is.
fn tell(brief: &str, kubeconfig: &Path, stages: SocketAddr, api: SocketAddr) -> std::io::Result<()> {
    let (host, port) = (stages.ip(), stages.port());
    say::print(&format!(
        "{brief}\nexport KUBECONFIG={}\nexport API_HOSTNAME={host}\nexport API_PORT={port}\n\
         export MCP_SERVER_URL=http://{stages}\n\n\
         Submit with: curl -s http://{stages}/submit -H 'Content-Type: application/json' -d '{{\"solution\": \"...\"}}'\n",
        kubeconfig.display()
    ))?;
    say::note(&format!(
        "The cluster is on https://{api}; stages are on http://{stages}/status and MCP on http://{stages}/mcp; Ctrl-C ends it."
    ));
    Ok(())
}

/// The settings of the run that a problem is part of.
fn settings(problem: &Arc<ClusterProblem>) -> RunSettings {
    let tools = ToolSet::default();
    let mut settings = base_settings(SELECTION, Noise(0), tools);
    settings.open_ended = true;
    add_challenge(&mut settings, &*ProblemChallenge::again(problem, None), Noise(0), tools);
    settings
}

fn keep(args: &Args, problem: &Arc<ClusterProblem>, record: Record) -> anyhow::Result<()> {
    let told = verdict(&record);
    keep_all(&args.out, &settings(problem), vec![record])?;
    say::note(&format!("{told}; the record is in {}", args.out.display()));
    Ok(())
}

/// The verdict in a line; what was wrong stands in the record, and an agent that reads this is done.
fn verdict(record: &Record) -> String {
    let Some(seal) = record.seal() else { return "not sealed".to_string() };
    let diagnosis = seal.stages.as_ref().and_then(|stages| stages.diagnosis.as_ref());
    let diagnosed = match diagnosis.map(|diagnosis| diagnosis.is_right()) {
        Some(true) => "diagnosis right",
        Some(false) => "diagnosis wrong",
        None => "no diagnosis",
    };
    let missed: Vec<&str> = seal.checks.iter().filter(|check| !check.ok).map(|check| check.name.as_str()).collect();
    match seal.mitigated {
        true => format!("{diagnosed}, mitigated"),
        false if missed.is_empty() => format!("{diagnosed}, not mitigated"),
        false => format!("{diagnosed}, not mitigated ({})", missed.join(", ")),
    }
}
