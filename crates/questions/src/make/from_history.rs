//! A set of questions from one repository's history.

use std::collections::BTreeMap;

use world::Seed;

use super::commit::CommitHistory;
use super::filter::{Dropped, FilterRules};
use super::kinds;
use super::negatives::{Candidate, Vectors};
use super::units::{ChangeUnit, units};
use crate::ask::shuffle;
use crate::{Expected, Origin, Provenance, Question, Skill};

/// What to make.
#[derive(Clone, Debug)]
pub struct MakePlan {
    /// Picks everything.
    pub seed: u64,
    /// How many questions of each family.
    pub wanted: Vec<(Skill, usize)>,
    /// Which commits and files are used.
    pub rules: FilterRules,
    /// Files of one commit that may become questions of one family.
    pub per_commit: usize,
    /// Candidates for each question that is kept: more of them are levelled better and take longer.
    pub surplus: usize,
}

impl Default for MakePlan {
    fn default() -> Self {
        let wanted = [Skill::GmcqEasy, Skill::GmcqHard, Skill::ReverseMatch, Skill::MaskedHunk, Skill::NoneOfThese];
        let wanted = wanted.into_iter().map(|skill| (skill, 100)).collect();
        MakePlan { seed: 1, wanted, rules: FilterRules::default(), per_commit: 3, surplus: 4 }
    }
}

/// What was made, and what could not be used.
#[derive(Clone, Debug, Default)]
pub struct MadeSet {
    /// The questions, levelled, their keys spread over the letters.
    pub questions: Vec<Question>,
    /// Commits that were left out, by reason.
    pub dropped: BTreeMap<Dropped, usize>,
}

/// Makes questions. The same history and plan give the same set.
pub fn from_history(history: &CommitHistory, plan: &MakePlan) -> MadeSet {
    let (units, dropped) = units(history, &plan.rules, plan.per_commit);
    let ground = Ground::new(history, units, plan);
    let mut questions = Vec::new();
    for (skill, count) in &plan.wanted {
        let candidates = ground.candidates(*skill, count * plan.surplus.max(1));
        questions.extend(super::level(candidates, *count, plan.seed));
    }
    super::place_keys(&mut questions, plan.seed);
    MadeSet { questions, dropped }
}

/// Everything that the makers of single families look at.
pub(super) struct Ground<'a> {
    pub(super) history: &'a CommitHistory,
    pub(super) plan: &'a MakePlan,
    pub(super) units: Vec<ChangeUnit>,
    /// Word vectors of the changes.
    pub(super) changes: Vectors,
    /// Word vectors of the messages.
    pub(super) messages: Vectors,
    folders: BTreeMap<String, Vec<usize>>,
    places: BTreeMap<String, usize>,
}

impl<'a> Ground<'a> {
    fn new(history: &'a CommitHistory, units: Vec<ChangeUnit>, plan: &'a MakePlan) -> Self {
        let changes = Vectors::of(&units.iter().map(|unit| unit.shown.as_str()).collect::<Vec<_>>());
        let messages = Vectors::of(&units.iter().map(|unit| unit.text.as_str()).collect::<Vec<_>>());
        let mut folders: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, unit) in units.iter().enumerate() {
            folders.entry(unit.folder().into()).or_default().push(at);
        }
        let places = history.commits.iter().enumerate().map(|(at, commit)| (commit.id.clone(), at)).collect();
        Ground { history, plan, units, changes, messages, folders, places }
    }

    fn candidates(&self, skill: Skill, most: usize) -> Vec<Question> {
        let mut order: Vec<usize> = (0..self.units.len()).collect();
        shuffle(&mut order, self.seed(skill), "order");
        let mut found: Vec<Question> = Vec::new();
        // A unit may give several questions, with other wrong options; a second round begins only if one is not enough.
        for round in 0..6 {
            for at in &order {
                if found.len() >= most {
                    return found;
                }
                let seed = self.seed(skill).derive(&format!("{at}/{round}"));
                let Some((text, expected)) = kinds::make(self, skill, *at, round, seed) else { continue };
                let unit = &self.units[*at];
                let short = &self.history.commits[unit.commit].id;
                let id =
                    format!("{}-{}-{}-{at}-{round}", self.history.name, skill.name(), &short[..short.len().min(8)]);
                let question = self.question(id, skill, text, expected, unit.commit);
                if question.flaw().is_none() {
                    found.push(question);
                }
            }
        }
        found
    }

    fn seed(&self, skill: Skill) -> Seed {
        Seed(self.plan.seed).derive(&format!("{}/{}", self.history.name, skill.name()))
    }

    fn question(&self, id: String, skill: Skill, text: String, expected: Expected, commit: usize) -> Question {
        let commit = &self.history.commits[commit];
        let provenance = Provenance {
            origin: Origin::History,
            source: self.history.name.clone(),
            commit: commit.id.clone(),
            patch_id: commit.patch_id.clone(),
            licence: self.history.licence.clone(),
            seed: self.plan.seed,
        };
        let short = commit.id[..commit.id.len().min(12)].to_string();
        let clusters = [("repository".to_string(), self.history.name.clone()), ("commit".to_string(), short)].into();
        Question { id, skill, text, expected, provenance, clusters }
    }

    /// Other units that may stand beside one: all of its folder up to a bound, and some from elsewhere.
    pub(super) fn neighbours(&self, at: usize, seed: Seed) -> Vec<usize> {
        let commit = self.units[at].commit;
        let mut near = self.folders.get(self.units[at].folder()).cloned().unwrap_or_default();
        shuffle(&mut near, seed, "near");
        near.truncate(60);
        let stream = seed.stream("far");
        let far = (0..140).map(|draw| stream.at(draw).below(self.units.len() as u64) as usize);
        let mut all: Vec<usize> =
            near.into_iter().chain(far).filter(|other| self.units[*other].commit != commit).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// How like the place of another unit is.
    pub(super) fn nearness(&self, at: usize, other: usize) -> usize {
        let (one, other) = (&self.units[at], &self.units[other]);
        2 * usize::from(one.folder() == other.folder()) + usize::from(one.ending() == other.ending())
    }

    /// The neighbours as candidates, with what is shown of each and its likeness.
    pub(super) fn pool(
        &'a self,
        at: usize,
        seed: Seed,
        shown: impl Fn(&'a ChangeUnit) -> &'a str,
        likeness: impl Fn(usize) -> f64,
    ) -> Vec<(Candidate<'a>, f64)> {
        let candidate = |other: usize| {
            let unit = &self.units[other];
            (Candidate { group: unit.commit, shown: shown(unit), nearness: self.nearness(at, other) }, likeness(other))
        };
        self.neighbours(at, seed).into_iter().map(candidate).collect()
    }

    /// Where a commit stands in the history.
    pub(super) fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }
}
