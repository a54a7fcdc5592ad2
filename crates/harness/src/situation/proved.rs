//! Draws that were proved ahead. Which draw of a situation is the first that is fit to be played depends on nothing but the task, the
//! seed and the world, so for the tasks that the program carries it is written down under the first seeds, and a new
//! incident costs no proof. A test proves samples of the list again; `cargo run --release -p sre-zero-harness --example proved`
//! writes it anew.

use std::sync::Arc;

use world::Noise;

use super::{MILDNESS, search};
use crate::stop::Stop;
use crate::task::Task;

/// Under so many seeds, from 0 on, draws are proved ahead.
pub const SEEDS_PROVED: u64 = 2048;

/// The list: for each task the first half of the SHA-256 of its file, the noise that it was proved under, and a byte for each seed.
static LIST: &[u8] = include_bytes!("proved.bin");

const DIGEST: usize = 32;
const ENTRY: usize = DIGEST + 1 + SEEDS_PROVED as usize;

/// What stands for an incident whose situation is as it is written: it is found anew.
const NONE: u8 = u8::MAX;

/// A draw that is fit to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProvedDraw {
    /// Its number.
    pub number: u32,
    /// Which of the severities that are tried is felt.
    pub mildness: usize,
}

impl ProvedDraw {
    fn byte(self) -> u8 {
        u8::try_from(self.number as usize * MILDNESS.len() + self.mildness).expect("draws are few")
    }

    fn of_byte(byte: u8) -> Option<ProvedDraw> {
        let (number, mildness) = (u32::from(byte) / MILDNESS.len() as u32, usize::from(byte) % MILDNESS.len());
        (byte != NONE).then_some(ProvedDraw { number, mildness })
    }
}

/// The draw of a task that was proved ahead, if it was.
pub(super) fn draw(task: &Task, seed: u64, noise: Noise) -> Option<ProvedDraw> {
    let at = usize::try_from(seed).ok().filter(|_| seed < SEEDS_PROVED)?;
    let entry = entry(task, noise)?;
    ProvedDraw::of_byte(entry[DIGEST + 1 + at])
}

/// What the list has of a task under a noise.
fn entry(task: &Task, noise: Noise) -> Option<&'static [u8]> {
    let digest = task.digest.as_bytes().get(..DIGEST)?;
    let entries = LIST.len() / ENTRY;
    let entry = |at: usize| &LIST[at * ENTRY..(at + 1) * ENTRY];
    let (mut from, mut to) = (0, entries);
    while from < to {
        let middle = usize::midpoint(from, to);
        match entry(middle)[..DIGEST].cmp(digest) {
            std::cmp::Ordering::Less => from = middle + 1,
            std::cmp::Ordering::Greater => to = middle,
            std::cmp::Ordering::Equal => return (entry(middle)[DIGEST] == noise.0).then(|| entry(middle)),
        }
    }
    None
}

/// The list as it should be, proved now, for tasks of which `draws` says the draw under each seed.
pub fn list(mut tasks: Vec<(&Task, Vec<Option<ProvedDraw>>)>) -> Vec<u8> {
    tasks.sort_by(|(a, _), (b, _)| a.digest.cmp(&b.digest));
    let mut list = Vec::with_capacity(tasks.len() * ENTRY);
    for (task, draws) in tasks {
        assert_eq!(draws.len() as u64, SEEDS_PROVED, "every seed has a draw");
        list.extend_from_slice(&task.digest.as_bytes()[..DIGEST]);
        list.push(task.noise.0);
        list.extend(draws.into_iter().map(|draw| draw.map_or(NONE, ProvedDraw::byte)));
    }
    list
}

/// Proves the draw of a task under a seed anew: nothing where the situation is as it is written.
pub fn prove(task: &Arc<Task>, seed: u64) -> Option<ProvedDraw> {
    search(task, seed, task.noise, &Stop::default()).expect("the tasks that are carried page").1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seeds of each task that are proved again: others for each task.
    const SAMPLES: u64 = 3;

    #[test]
    fn the_list_is_what_would_be_proved_now() {
        let again = "write the list anew: `cargo run --release -p sre-zero-harness --example proved`";
        let sources = crate::tasks::embedded();
        assert_eq!(LIST.len(), sources.len() * ENTRY, "every task that is carried has an entry; {again}");
        for (at, source) in sources.iter().enumerate() {
            let task = source.task().expect("the tasks that are carried are sound");
            for n in 0..SAMPLES {
                let seed = crate::mix(at as u64 * SAMPLES + n) % SEEDS_PROVED;
                assert_eq!(draw(&task, seed, task.noise), prove(&task, seed), "{} under seed {seed}; {again}", task.id);
            }
        }
    }

    #[test]
    fn other_noise_other_seeds_and_other_tasks_are_not_listed() {
        let source = &crate::tasks::embedded()[0];
        let task = source.task().expect("the tasks that are carried are sound");
        assert!(entry(&task, task.noise).is_some());
        assert_eq!(draw(&task, 0, Noise(task.noise.0 + 1)), None);
        assert_eq!(draw(&task, SEEDS_PROVED, task.noise), None);
        let own = Task::parse(&source.file, &format!("{}\n# My own.\n", source.text())).expect("it is sound as well");
        assert_eq!(draw(&own, 0, own.noise), None);
    }
}
