//! `man`: manual pages, made from the same tables as `--help`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueHint;

use crate::exit::CommandOutcome;
use crate::say;

const EXAMPLES: &str = "\
Examples:
  sre-zero man ~/.local/share/man/man1      then: man sre-zero, man sre-zero-run";

/// Arguments of `man`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The folder to write the pages into
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
}

/// Writes a page for the program and one for each command.
pub fn run(args: &Args, program: &clap::Command) -> anyhow::Result<CommandOutcome> {
    fs::create_dir_all(&args.folder).with_context(|| format!("cannot make {}", args.folder.display()))?;
    let mut pages = 0;
    // The head of a page is one line, and the versions of `--version` are four.
    write(program.clone().version(env!("CARGO_PKG_VERSION")), &args.folder)?;
    for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
        // The parser wants text that lives as long as the program.
        let name: &'static str = format!("{}-{}", program.get_name(), command.get_name()).leak();
        write(command.clone().name(name), &args.folder)?;
        pages += 1;
    }
    say::note(&format!("{} in {}", say::count(pages + 1, "page"), args.folder.display()));
    Ok(CommandOutcome::Fine)
}

fn write(command: clap::Command, folder: &Path) -> anyhow::Result<()> {
    let path = folder.join(format!("{}.1", command.get_name()));
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))
}
