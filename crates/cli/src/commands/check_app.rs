//! `check-app`: what is missing before an application of a user's own runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use apps::{AppCatalogue, Site, SiteOptions};
use clap::ValueHint;

use crate::exit::CommandOutcome;
use crate::say;

const EXAMPLES: &str = "\
Examples:
  sre-zero check-app my-shop            reads my-shop/app.toml, my-shop/*.yaml and my-shop/programs/*.toml,
                                        deploys them in memory, lets users come, and says how they fare

A folder with manifests alone is enough to begin with: images of which nothing is known run as a
program that listens on its declared ports. docs/your-own-application.md goes on from there.";

/// Arguments of `check-app`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The folder of the application
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// Names, ids and jitter follow from it
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How many simulated minutes users are there
    #[arg(long, value_name = "N", default_value_t = 10)]
    minutes: i64,
}

/// Says what is missing; fails if something does not run or users do not get what they may expect.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let mut catalogue = AppCatalogue::clone(&AppCatalogue::shipped());
    let name = read(&mut catalogue, &args.folder)?;
    let mut remarks = catalogue.remarks(&name);
    let options = SiteOptions {
        applications: vec![name.clone()],
        seed: args.seed,
        catalogue: Some(Arc::new(catalogue)),
        ..SiteOptions::default()
    };
    let mut site = Site::deploy(&options)?;
    site.advance(site.cluster.now().after_secs(args.minutes.max(1) * 60));
    let mut text = String::new();
    let pods = site.cluster.objects("pods", None).count();
    text.push_str(&format!("{name}: {pods} pods are ready\n"));
    for route in site.routes() {
        let held = if route.held { "held" } else { "MISSED" };
        text.push_str(&format!(
            "{:40} {:7.1}/s {:7.2} % ok  p95 {:7.1} ms  {held} {}\n",
            route.route,
            route.rate,
            100.0 * route.success,
            route.p95_ms,
            route.reason
        ));
    }
    for alert in site.alerts() {
        remarks.push(format!("pages: {}: {}", alert.name, alert.summary));
    }
    for remark in &remarks {
        text.push_str(&format!("note: {remark}\n"));
    }
    say::print(&text)?;
    let is_well = site.routes().iter().all(|route| route.held) && site.alerts().is_empty();
    Ok(if is_well { CommandOutcome::Fine } else { CommandOutcome::Failed })
}

/// Reads the folder of an application into a catalogue; returns the application's name.
pub fn read(catalogue: &mut AppCatalogue, folder: &Path) -> anyhow::Result<String> {
    let name = folder.canonicalize().with_context(|| format!("no folder {}", folder.display()))?;
    let name = name.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut files = Vec::new();
    for place in [folder.to_path_buf(), folder.join("programs")] {
        let Ok(entries) = std::fs::read_dir(&place) else { continue };
        for entry in entries {
            let path = entry?.path();
            let is_read = path.extension().is_some_and(|end| end == "toml" || end == "yaml" || end == "yml");
            if path.is_file() && is_read {
                let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
                let inside = path.strip_prefix(folder).expect("found below it").to_string_lossy().replace('\\', "/");
                files.push((format!("{name}/{}", inside.replace(".yml", ".yaml")), text));
            }
        }
    }
    files.sort();
    catalogue.add(files.iter().map(|(file, text)| (&**file, &**text)))?;
    Ok(name)
}
