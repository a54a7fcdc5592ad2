//! Proves which draw of a situation is played, for all tasks that the program carries and the first seeds, and writes the list
//! that they are read from: `cargo run --release -p sre-zero-harness --example proved`. A change of the world, of a task or of how
//! situations are drawn wants it anew.

// Like the tests it is a referee: it may see tasks, and prints.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, clippy::disallowed_macros)]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, io, thread};

use harness::proved::{self, ProvedDraw, SEEDS_PROVED};
use harness::{Task, tasks};

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> io::Result<()> {
    let carried: Vec<Arc<Task>> =
        tasks::embedded().iter().map(|source| source.task().expect("the tasks that are carried are sound")).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done: Vec<(usize, Vec<Option<ProvedDraw>>)> = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = carried.get(at) else { return done };
            println!("{} of {}: {}", at + 1, carried.len(), task.id);
            done.push((at, (0..SEEDS_PROVED).map(|seed| proved::prove(task, seed)).collect()));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let found: Vec<(usize, Vec<Option<ProvedDraw>>)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("nothing panics")).collect()
    });
    let drawn = found.iter().flat_map(|(_, draws)| draws).flatten();
    let (first, all) = (drawn.filter(|draw| draw.number == 0).count(), carried.len() * SEEDS_PROVED as usize);
    println!("{first} of {all} incidents are their first draw");
    let list = proved::list(found.into_iter().map(|(at, draws)| (&*carried[at], draws)).collect());
    fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/situation/proved.bin"), list)
}
