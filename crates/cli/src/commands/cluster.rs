//! `cluster`: a Kubernetes cluster in memory, for kubectl and other clients.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::ValueHint;
use cluster::{Cluster, ClusterOptions, NodeOptions, PlainPrograms, Programs, Stamp};
use kubeapi::{ApiListener, ClusterHost, ServedClock};
use server::signals;

use crate::exit::CommandOutcome;
use crate::say;

const EXAMPLES: &str = "\
Examples:
  sre-zero cluster                              two empty nodes; prints the two lines to paste
  sre-zero cluster --nodes 4 --manifest shop/*.yaml
                                                what the files describe is running when it starts
  sre-zero cluster --port 6443 --kubeconfig /tmp/kubeconfig
  sre-zero cluster --speed 10                   controllers and kubelets live ten times faster

  export KUBECONFIG=...                         the line that it prints
  kubectl get pods -A

Everything that kubectl does has its consequence: objects are validated and defaulted, controllers and
the scheduler act on them, kubelets start containers and probe them, and time passes. Nothing is
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
    /// An application to start with: not there yet
    #[arg(long, value_name = "APP")]
    app: Option<String>,
    /// A task to start with: not there yet
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
}

fn speed(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('x').parse::<f64>() {
        Ok(speed) if (0.01..=1000.0).contains(&speed) => Ok(speed),
        _ => Err("takes a number from 0.01 to 1000".into()),
    }
}

/// Serves until it is told to stop.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    if let Some((flag, _)) =
        [("--app", &args.app), ("--task", &args.task)].into_iter().find(|(_, given)| given.is_some())
    {
        bail!("{flag} is not there yet: applications come in a later release; describe yours with --manifest FILE");
    }
    let (cluster, programs) = start(args)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(args, cluster, programs))?;
    Ok(CommandOutcome::Fine)
}

/// Manifests are applied this long before the first client comes, so that it finds them running.
const HEAD_START: i64 = 180;

fn start(args: &Args) -> anyhow::Result<(Cluster, PlainPrograms)> {
    let lead = if args.manifest.is_empty() { 0 } else { HEAD_START };
    let start = Stamp(ServedClock::wall().0 - lead * 1_000_000);
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
    Ok((cluster, programs))
}

fn apply(cluster: &mut Cluster, programs: &mut dyn Programs, path: &Path) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(path)?;
    kubeapi::apply(cluster, programs, &text)?;
    // What one file defines, the next may use.
    let soon = cluster.now().after_secs(1);
    cluster.advance(programs, soon);
    Ok(())
}

async fn serve(args: &Args, mut cluster: Cluster, mut programs: PlainPrograms) -> anyhow::Result<()> {
    let listener = ApiListener::bind(args.port).await?;
    let token = token();
    let address = listener.address()?;
    let file = args.kubeconfig.clone();
    let file = file.unwrap_or_else(|| std::env::temp_dir().join(format!("sre-zero-kubeconfig-{}", address.port())));
    keep_private(&file, &listener.kubeconfig(&token)?).with_context(|| format!("cannot write {}", file.display()))?;
    let clock = ServedClock::new(args.speed);
    cluster.advance(&mut programs, clock.simulated().max(cluster.now()));
    say::print(&format!("export KUBECONFIG={}\nkubectl get nodes\n", file.display()))?;
    say::note(&format!("The cluster is on https://{address}; Ctrl-C ends it."));
    let host = Arc::new(ClusterHost::new(cluster, Box::new(programs), clock, token));
    listener.serve(host, signals::stop()).await;
    if args.kubeconfig.is_none() {
        // A kubeconfig that leads nowhere would only be in the way.
        let _ = std::fs::remove_file(&file);
    }
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
