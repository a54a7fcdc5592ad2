//! Many environments stepped together, on as many threads as asked for. What comes out does not
//! depend on their number.

use std::sync::{Arc, Mutex, PoisonError};

use super::actions::GymAction;
use super::env::{Gym, GymSetup, StepResult};

/// When an environment that has ended begins anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Autoreset {
    /// In the step after its end, whose action is not looked at.
    NextStep,
    /// In the same step; the last observation is kept apart.
    SameStep,
    /// When it is asked to.
    Disabled,
}

/// What an environment is to do.
#[derive(Clone, Copy, Debug)]
pub enum GymActions<'a> {
    /// Numbered actions.
    Moves(&'a [GymAction]),
    /// Texts.
    Texts(&'a [String]),
}

/// Where the results of all environments go, one behind the other.
pub struct GymBatch<'a> {
    /// The features of the services; empty if they are not wanted.
    pub rows: &'a mut [f32],
    /// The features of the incidents; empty if they are not wanted.
    pub whole: &'a mut [f32],
    /// What can be done next, in the flat numbering; empty if it is not wanted.
    pub mask: &'a mut [u8],
    /// Rewards.
    pub rewards: &'a mut [f64],
    /// Whether the agents ended their episodes.
    pub terminated: &'a mut [bool],
    /// Whether the budgets ended them.
    pub truncated: &'a mut [bool],
}

/// Many environments.
pub struct VectorGym {
    members: Vec<Member>,
    mode: Autoreset,
    threads: usize,
}

/// The last observation of an episode.
#[derive(Default)]
pub struct Last {
    /// The features of the services.
    pub rows: Vec<f32>,
    /// The features of the incident.
    pub whole: Vec<f32>,
    /// The text, where no numbers are kept.
    pub text: String,
    /// Whether the incident was resolved and over.
    pub success: bool,
}

struct Member {
    gym: Gym,
    /// How it ended in the last step, if it did.
    ended: bool,
    /// In the mode that begins anew at once: how things stood at the end.
    last: Last,
    has_last: bool,
    failed: Option<String>,
}

impl VectorGym {
    /// So many environments; the `n`th draws with the seed `seed + n`.
    pub fn new(
        setup: &Arc<GymSetup>,
        count: usize,
        seed: u64,
        mode: Autoreset,
        threads: usize,
    ) -> Result<VectorGym, String> {
        let member = |n: usize| {
            let gym = Gym::new(setup, seed.wrapping_add(n as u64))?;
            Ok(Member { gym, ended: false, last: Last::default(), has_last: false, failed: None })
        };
        let members = (0..count).map(member).collect::<Result<Vec<_>, String>>()?;
        Ok(VectorGym { members, mode, threads: threads.max(1) })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// One of them.
    pub fn gym(&self, at: usize) -> Option<&Gym> {
        self.members.get(at).map(|member| &member.gym)
    }

    /// The last observation of the episode that the last step ended.
    pub fn last(&self, at: usize) -> Option<&Last> {
        self.members.get(at).filter(|member| member.has_last).map(|member| &member.last)
    }

    /// Begins anew with those that are chosen, with these seeds where there are some.
    pub fn reset(&mut self, chosen: &[bool], seeds: &[Option<u64>], batch: &mut GymBatch<'_>) -> Result<(), String> {
        self.each(batch, |at, member, place| {
            if chosen.get(at) == Some(&true) {
                member.renew(seeds.get(at).copied().flatten());
                place.put(&member.gym, StepResult::default());
            }
        });
        self.check()
    }

    /// Lets every environment take its action.
    pub fn step(&mut self, acts: GymActions<'_>, batch: &mut GymBatch<'_>) -> Result<(), String> {
        let mode = self.mode;
        if mode == Autoreset::Disabled && self.members.iter().any(|member| member.ended) {
            return Err(
                "an environment has ended: reset it before the next step, or choose another autoreset mode".into()
            );
        }
        self.each(batch, |at, member, place| {
            let turned = member.turn(mode, acts, at);
            place.put(&member.gym, turned);
        });
        self.check()
    }

    /// Valid actions at random, one for each environment.
    pub fn sample(&mut self) -> Vec<GymAction> {
        let usual = GymAction { tool: 0, service: 0, arg: 0 };
        self.members.iter_mut().map(|member| member.gym.sample().unwrap_or(usual)).collect()
    }

    fn check(&mut self) -> Result<(), String> {
        self.members.iter_mut().find_map(|member| member.failed.take()).map_or(Ok(()), Err)
    }

    /// Does something with every environment and its place in the batch. Threads take the next one when they are done: to
    /// begin anew takes a hundred times as long as a step, so equal shares would not be equal.
    fn each(&mut self, batch: &mut GymBatch<'_>, work: impl Fn(usize, &mut Member, &mut Place<'_>) + Sync) {
        let count = self.members.len().max(1);
        let all = self.members.iter_mut().zip(batch.places(count)).enumerate();
        let threads = self.threads.min(count);
        if threads == 1 {
            return all.for_each(|(at, (member, mut place))| work(at, member, &mut place));
        }
        let all = Mutex::new(all);
        // A panic elsewhere spoils no iterator, and ends all of this when the threads are joined.
        let next = || all.lock().unwrap_or_else(PoisonError::into_inner).next();
        let run = || {
            while let Some((at, (member, mut place))) = next() {
                work(at, member, &mut place);
            }
        };
        std::thread::scope(|scope| {
            (1..threads).for_each(|_| drop(scope.spawn(run)));
            run();
        });
    }
}

impl Member {
    fn turn(&mut self, mode: Autoreset, acts: GymActions<'_>, at: usize) -> StepResult {
        self.has_last = false;
        if self.ended && mode == Autoreset::NextStep {
            self.renew(None);
            return StepResult::default();
        }
        let turned = match acts {
            GymActions::Moves(moves) => self.gym.play(moves[at]),
            GymActions::Texts(texts) => self.gym.step(&texts[at]),
        };
        self.ended = turned.terminated || turned.truncated;
        if self.ended && mode == Autoreset::SameStep {
            self.last.keep(&self.gym);
            self.has_last = true;
            self.renew(None);
        }
        turned
    }

    fn renew(&mut self, seed: Option<u64>) {
        self.ended = false;
        self.failed = self.gym.reset(seed).err();
    }
}

impl Last {
    fn keep(&mut self, gym: &Gym) {
        self.success = gym.success();
        match gym.observation() {
            Some(observation) => {
                self.rows.clear();
                self.rows.extend_from_slice(observation.rows());
                self.whole.clear();
                self.whole.extend_from_slice(observation.whole());
            }
            None => gym.player().observation().clone_into(&mut self.text),
        }
    }
}

/// The place of one environment in a batch.
struct Place<'a> {
    rows: &'a mut [f32],
    whole: &'a mut [f32],
    mask: &'a mut [u8],
    reward: &'a mut f64,
    terminated: &'a mut bool,
    truncated: &'a mut bool,
}

impl GymBatch<'_> {
    /// Writes down how one environment stands, in a batch for one.
    pub fn put(&mut self, gym: &Gym) {
        self.places(1).iter_mut().for_each(|place| place.put(gym, StepResult::default()));
    }

    fn places(&mut self, count: usize) -> Vec<Place<'_>> {
        let mut rows = Parts::new(self.rows, count);
        let mut whole = Parts::new(self.whole, count);
        let mut mask = Parts::new(self.mask, count);
        let ends = self.terminated.iter_mut().zip(self.truncated.iter_mut());
        let place = |(reward, (terminated, truncated))| Place {
            rows: rows.next(),
            whole: whole.next(),
            mask: mask.next(),
            reward,
            terminated,
            truncated,
        };
        self.rewards.iter_mut().zip(ends).map(place).collect()
    }
}

impl Place<'_> {
    fn put(&mut self, gym: &Gym, turned: StepResult) {
        if let Some(observation) = gym.observation().filter(|_| !self.rows.is_empty()) {
            self.rows.copy_from_slice(observation.rows());
            self.whole.copy_from_slice(observation.whole());
        }
        if !self.mask.is_empty() {
            self.mask.copy_from_slice(gym.mask());
        }
        (*self.reward, *self.terminated, *self.truncated) = (turned.reward, turned.terminated, turned.truncated);
    }
}

/// Equal parts of a slice, one after the other; an empty slice gives empty parts.
struct Parts<'a, T> {
    rest: &'a mut [T],
    width: usize,
}

impl<'a, T> Parts<'a, T> {
    fn new(all: &'a mut [T], count: usize) -> Parts<'a, T> {
        Parts { width: all.len() / count, rest: all }
    }

    fn next(&mut self) -> &'a mut [T] {
        let (part, rest) = std::mem::take(&mut self.rest).split_at_mut(self.width);
        self.rest = rest;
        part
    }
}
