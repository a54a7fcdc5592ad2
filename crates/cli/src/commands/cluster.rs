//! `cluster`: a Kubernetes cluster in memory, for kubectl and other clients.

mod agent;
mod task;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use apps::{AppCatalogue, Site, SiteOptions};
use clap::ValueHint;
use cluster::{Cluster, ClusterOptions, NodeOptions, PlainPrograms, Programs, Stamp};
use exporters::Observatory;
use kubeapi::{ApiListener, ClusterHost, ObservabilityListener, ServedClock, WatchedCluster};
use runner::exec::ExecLimits;
use server::signals;

use super::check_app;
use crate::exit::CommandOutcome;
use crate::say;
use crate::serve::offered;

const EXAMPLES: &str = "\
Examples:
  sre-zero cluster                              two empty nodes; prints the two lines to paste
  sre-zero cluster --nodes 4 --manifest shop/*.yaml
                                                what the files describe is running when it starts
  sre-zero cluster --port 6443 --kubeconfig /tmp/kubeconfig
  sre-zero cluster --app hotel-reservation      an application with its users, running for an hour
  sre-zero cluster --task ID                    a problem for an agent of your own, with SREGym's routes
  sre-zero cluster --suite sregym-lite --agent mine --exec 'sh agent.sh'
                                                a suite for a program, one problem after the other
  sre-zero cluster --speed 10                   controllers and kubelets live ten times faster

  export KUBECONFIG=...                         the line that it prints
  kubectl get pods -A

Everything that kubectl does has its consequence: objects are validated and defaulted, controllers
and the scheduler act on them, kubelets start containers and probe them, and time passes. Nothing is
downloaded and no container runs: programs are simulated. Ctrl-C ends it, and nothing is kept.";

/// Arguments of `cluster`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Names, ids and jitter follow from it
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How many nodes, each with 8 cores and 16 GB
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=5000))]
    nodes: u16,
    /// The port on 127.0.0.1; 0 takes one that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Where to write the kubeconfig [default: a file in the system's folder for temporary files]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    kubeconfig: Option<PathBuf>,
    /// How many seconds pass in the cluster in one second
    #[arg(long, value_name = "X", default_value = "1", value_parser = speed)]
    speed: f64,
    /// Apply these files before the first client comes
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath)]
    manifest: Vec<PathBuf>,
    /// The empty cluster that recorded cases expect: kubelets that start everything at once and run nothing
    #[arg(long, conflicts_with = "nodes")]
    conformance: bool,
    /// An application that is running, with its users, when the first client comes: a name, or a folder of your own
    #[arg(long, value_name = "APP", conflicts_with_all = ["conformance", "manifest"])]
    app: Vec<String>,
    /// Minutes of metrics, logs and traces from before the first client came [default: 60 with --app, 3 with --manifest]
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(i64).range(0..=1440))]
    history: Option<i64>,
    /// The port on 127.0.0.1 for Prometheus, Loki, Jaeger and Alertmanager; 0 takes one that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    observability_port: u16,
    /// A problem of a cluster suite, broken when the first client comes: prints the brief and where to submit
    #[arg(long, value_name = "ID", group = "problem", conflicts_with_all = ["conformance", "manifest", "app", "nodes"])]
    task: Option<String>,
    /// The problems of a cluster suite one after the other, each with a cluster and an agent of its own; needs --exec
    #[arg(long, value_name = "SUITE", group = "problem", requires = "exec",
        conflicts_with_all = ["conformance", "manifest", "app", "nodes"])]
    suite: Option<String>,
    /// With --task: the port on 127.0.0.1 for /submit, /status, /get_app and MCP; 0 takes one that is free
    #[arg(long, value_name = "N", default_value_t = 0, requires = "problem")]
    conductor_port: u16,
    /// With --task: the agent's name in the record
    #[arg(long, value_name = "NAME", default_value = "cluster", requires = "problem", value_parser = offered::name)]
    agent: String,
    /// With --task: where the record is kept
    #[arg(long, value_name = "DIR", default_value = "runs/cluster", requires = "problem", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    /// With --task: run this command as the agent, with a kubeconfig, addresses and the brief in its environment and a folder
    /// of its own; it ends with the problem
    #[arg(long, value_name = "CMD", requires = "problem")]
    exec: Option<String>,
    #[command(flatten)]
    limits: ExecLimits,
    /// With --task: end after the last submission
    #[arg(long, requires = "problem")]
    until_done: bool,
}

fn speed(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('x').parse::<f64>() {
        Ok(speed) if (0.01..=1000.0).contains(&speed) => Ok(speed),
        _ => Err("takes a number from 0.01 to 1000".into()),
    }
}

/// Serves until it is told to stop.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    if let Some(id) = &args.task {
        task::run(args, id)?;
        return Ok(CommandOutcome::Fine);
    }
    if let Some(suite) = &args.suite {
        task::run_suite(args, suite)?;
        return Ok(CommandOutcome::Fine);
    }
    let started = match args.app.is_empty() {
        true => start(args)?,
        false => start_applications(args)?,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(args, started))?;
    Ok(CommandOutcome::Fine)
}

/// A cluster that has reached the present, with what runs in it and what watches it.
struct Started {
    cluster: Cluster,
    programs: Box<dyn Programs + Send>,
    observatory: Observatory,
}

impl Started {
    /// Lets time pass until the first client comes, watched all the while.
    fn at_present(cluster: Cluster, programs: Box<dyn Programs + Send>) -> Self {
        let observatory = Observatory::new(cluster.now());
        let mut started = Self { cluster, programs, observatory };
        started.advance(ServedClock::wall());
        started
    }

    fn advance(&mut self, to: Stamp) {
        let to = to.max(self.cluster.now());
        self.observatory.advance(&mut self.cluster, &mut *self.programs, to);
    }
}

fn minutes_ago(minutes: i64) -> Stamp {
    Stamp(ServedClock::wall().0 - minutes * 60_000_000)
}

/// Manifests are applied this many minutes before the first client comes, so that it finds them running.
const HEAD_START: i64 = 3;
/// An application has run for an hour, and needs up to half an hour to start.
const APP_HISTORY: i64 = 60;
const APP_START: i64 = 30;

fn start(args: &Args) -> anyhow::Result<Started> {
    let minutes = args.history.unwrap_or(if args.manifest.is_empty() { 0 } else { HEAD_START });
    let start = minutes_ago(minutes);
    let nodes = (0..usize::from(args.nodes)).map(|number| NodeOptions::worker(&format!("node-{number}"), number));
    let options = match args.conformance {
        true => ClusterOptions { start, seed: args.seed, ..ClusterOptions::conformance() },
        false => ClusterOptions { start, seed: args.seed, nodes: nodes.collect(), ..ClusterOptions::default() },
    };
    let mut cluster = Cluster::new(&options);
    let mut programs = if args.conformance { PlainPrograms::conformance() } else { PlainPrograms::default() };
    for path in &args.manifest {
        apply(&mut cluster, &mut programs, path).with_context(|| format!("--manifest {}", path.display()))?;
    }
    Ok(Started::at_present(cluster, Box::new(programs)))
}

fn start_applications(args: &Args) -> anyhow::Result<Started> {
    let start = minutes_ago(args.history.unwrap_or(APP_HISTORY) + APP_START);
    let mut catalogue = AppCatalogue::clone(&AppCatalogue::shipped());
    let mut applications = Vec::new();
    for app in &args.app {
        applications.push(match Path::new(app).is_dir() {
            true => check_app::read(&mut catalogue, Path::new(app))?,
            false => app.clone(),
        });
    }
    let options = SiteOptions {
        applications,
        seed: args.seed,
        nodes: usize::from(args.nodes).max(3),
        start,
        catalogue: Some(Arc::new(catalogue)),
        ..SiteOptions::default()
    };
    let Site { cluster, fleet, .. } = Site::deploy(&options)?;
    Ok(Started::at_present(cluster, Box::new(fleet)))
}

fn apply(cluster: &mut Cluster, programs: &mut dyn Programs, path: &Path) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(path)?;
    kubeapi::apply(cluster, programs, &text)?;
    // What one file defines, the next may use.
    let soon = cluster.now().after_secs(1);
    cluster.advance(programs, soon);
    Ok(())
}

async fn serve(args: &Args, mut started: Started) -> anyhow::Result<()> {
    let listener = ApiListener::bind(args.port).await?;
    let observability = ObservabilityListener::bind(args.observability_port).await?;
    let token = token();
    let address = listener.address()?;
    let file = kubeconfig_file(args, address);
    keep_private(&file, &listener.kubeconfig(&token)?).with_context(|| format!("cannot write {}", file.display()))?;
    let clock = ServedClock::new(args.speed);
    started.advance(clock.simulated());
    let stop = signals::stop();
    say::print(&format!("export KUBECONFIG={}\nkubectl get nodes\n", file.display()))?;
    say::note(&format!("The cluster is on https://{address}; Ctrl-C ends it."));
    tell_observability(&observability)?;
    let Started { cluster, programs, observatory } = started;
    let served = WatchedCluster::new(cluster, programs, Some(observatory));
    let host = Arc::new(ClusterHost::of(Box::new(served), clock, token));
    observability.serve(&host);
    listener.serve(host, stop).await;
    if args.kubeconfig.is_none() {
        // A kubeconfig that leads nowhere would only be in the way.
        let _ = std::fs::remove_file(&file);
    }
    Ok(())
}

/// Where the kubeconfig is written.
fn kubeconfig_file(args: &Args, address: SocketAddr) -> PathBuf {
    let own = args.kubeconfig.clone();
    own.unwrap_or_else(|| std::env::temp_dir().join(format!("sre-zero-kubeconfig-{}", address.port())))
}

fn tell_observability(listener: &ObservabilityListener) -> std::io::Result<()> {
    let (shared, own) = listener.addresses()?;
    let own: Vec<String> = own.iter().map(|(server, address)| format!("{} http://{address}", server.name())).collect();
    say::note(&format!(
        "It is watched on http://{shared}/prometheus, /loki, /jaeger and /alertmanager; also {}.",
        own.join(", ")
    ));
    Ok(())
}

fn token() -> String {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).expect("the system gives random numbers");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a file that only its owner reads: it holds a token.
fn keep_private(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}
