//! Makes the set that ships, and shows its audit.
//!
//! `cargo run --release -p sre-zero-questions --example skills_set -- tasks/skills` from the project's folder. Questions
//! from the history come from the commits up to a fixed one, so that the same command gives the same bytes.

#![allow(clippy::disallowed_methods, reason = "it writes files")]

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().ok_or("usage: skills_set FOLDER [REPOSITORY]")?;
    let repository = args.next().unwrap_or_else(|| ".".into());
    let made = questions::shipped::make(Path::new(&repository))?;
    std::fs::create_dir_all(&folder)?;
    let write = |name: &str, text: String| std::fs::write(Path::new(&folder).join(name), text);
    write("questions.jsonl", questions::store::write(&made.questions))?;
    write("manifest.json", serde_json::to_string_pretty(&made.manifest)? + "\n")?;
    let audit = questions::audit::audit(&made.questions);
    write("audit.txt", audit.table(usize::MAX))?;
    write("shortcuts.json", serde_json::to_string_pretty(&audit.by_family(&made.questions))? + "\n")?;
    print!("{}", audit.table(6));
    println!("{} questions; left out of the history: {:?}", made.questions.len(), made.dropped);
    Ok(())
}
