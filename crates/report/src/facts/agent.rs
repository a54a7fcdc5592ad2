//! What one agent came to, in every figure that the report shows.

use std::collections::BTreeMap;

use record::grade::{Metrics, Score};
use serde::Serialize;

use super::estimates::{estimates, marks_parts};
use super::merge::{AgentEpisodes, FoundEpisode};
use super::questions::QuestionFacts;
use super::reliability::ReliabilityFacts;
use crate::analysis::{Category, Conditional, GroupAnalysis, conditionals, reasons};
use crate::clusters;
use crate::stats;
use crate::stats::{Coverage, Interval, Method};
use crate::tables::Estimate;
use crate::tables::guard::shown;

/// What one agent came to.
#[derive(Clone, Debug, Serialize)]
pub struct AgentFacts {
    /// Its name as it is shown everywhere, unlike all others.
    pub agent: String,
    /// Which of the settings it was played in.
    pub setting: usize,
    /// The model behind it.
    pub model: Option<String>,
    /// One more than the number of agents that are significantly better; `None` if it is not ranked.
    pub rank: Option<u32>,
    /// Why it is not ranked.
    pub refused: Option<String>,
    /// How much of its plan counts.
    pub coverage: Coverage,
    /// Successes among all planned episodes: the floor, if all that is missing had failed.
    pub success_of_planned: f64,
    /// The part of what the blind ceiling leaves over that it reaches; `None` without a ceiling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill_above_blind: Option<f64>,
    /// The published figures and those beyond them, without intervals.
    pub metrics: Metrics,
    /// Figures with intervals, by name; those without a value are left out.
    pub estimates: BTreeMap<&'static str, Estimate>,
    /// How the intervals were made, by name.
    pub methods: BTreeMap<&'static str, Method>,
    /// The marks, part by part.
    pub marks_parts: Vec<(&'static str, f64)>,
    /// By difficulty, family, service.
    pub groups: BTreeMap<&'static str, BTreeMap<String, GroupFacts>>,
    /// By task.
    pub tasks: BTreeMap<String, TaskFacts>,
    /// Simulated minutes from the page to the resolution of each success, sorted.
    pub minutes: Vec<f64>,
    /// Steps by what they did.
    pub steps: StepFacts,
    /// How episodes went, each in the first category that fits.
    pub categories: BTreeMap<Category, u32>,
    /// An episode of each kind of failure, with why it failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<ExampleFacts>,
    /// Where the chain from evidence to success breaks.
    pub conditionals: Vec<Conditional>,
    /// What the records of counted episodes say; `None` without records.
    pub analysis: Option<GroupAnalysis>,
    /// How providers failed, by name.
    pub provider_faults: BTreeMap<String, u32>,
    /// Whether it does it again; `None` if tasks were attempted once.
    pub reliability: Option<ReliabilityFacts>,
    /// What the model used.
    pub usage: Option<UsageFacts>,
    /// Whether it met nothing but problems in a cluster, of which less is measured.
    #[serde(skip)]
    pub in_clusters: bool,
    /// What came of questions; `None` if none was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub questions: Option<QuestionFacts>,
}

/// An episode that stands for others of its kind.
#[derive(Clone, Debug, Serialize)]
pub struct ExampleFacts {
    /// How it went.
    pub category: Category,
    /// The agent by its plain name, as viewers know it.
    pub agent: String,
    /// The task.
    pub task: String,
    /// The seed.
    pub seed: u64,
    /// Why it failed, in sentences.
    pub why: Vec<String>,
}

/// Success within a group of episodes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GroupFacts {
    /// Episodes that count.
    pub counted: u32,
    /// Episodes that do not.
    pub provider_failures: u32,
    /// Successes.
    pub successes: u32,
    /// The success rate; nothing without an episode that counts.
    pub success: Option<Estimate>,
}

/// One task.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TaskFacts {
    /// `easy`, `medium` or `hard`.
    pub difficulty: String,
    /// Episodes that count.
    pub counted: u32,
    /// Successes.
    pub successes: u32,
    /// Episodes that do not count.
    pub provider_failures: u32,
}

/// Steps of the episodes that count, by what they did.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct StepFacts {
    /// All of them.
    pub all: u32,
    /// Looked at something.
    pub looks: u32,
    /// Brought the fix nearer.
    pub right_changes: u32,
    /// Changed something else.
    pub wrong_changes: u32,
    /// Took back a wrong change.
    pub undone: u32,
    /// Resolved or escalated.
    pub closings: u32,
    /// Were no valid action.
    pub invalid: u32,
}

/// What a model used in the episodes that count.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct UsageFacts {
    /// Calls of the model per episode.
    pub calls: f64,
    /// Tokens read per episode.
    pub input_tokens: f64,
    /// Tokens written per episode.
    pub output_tokens: f64,
    /// US dollars per episode; `None` if the price is not known for all.
    pub cost_usd: Option<Estimate>,
    /// US dollars per success.
    pub cost_per_success: Option<f64>,
    /// US dollars in all, with the episodes that do not count.
    pub cost_in_all: Option<f64>,
}

impl From<Interval> for Estimate {
    /// Where all values are the same there is no spread, and so no interval.
    fn from(found: Interval) -> Estimate {
        let interval = (found.method != Method::Constant).then_some((found.low, found.high));
        Estimate { value: found.point, interval }
    }
}

impl AgentFacts {
    pub(super) fn of(entry: &AgentEpisodes<'_>, name: String) -> AgentFacts {
        let scores: Vec<&Score> = entry.lines.iter().map(|line| &line.score).collect();
        let counted: Vec<&Score> = scores.iter().copied().filter(|score| score.counts()).collect();
        let coverage = Coverage::of(scores.iter().copied(), entry.planned);
        let successes = counted.iter().filter(|score| score.success).count() as f64;
        let metrics = Metrics::of(scores.iter().copied());
        let in_clusters = clusters::is_all(scores.iter().copied());
        let found = estimates(&counted);
        AgentFacts {
            agent: name,
            setting: entry.setting,
            model: scores.iter().find_map(|score| score.model.as_deref()).map(shown),
            rank: None,
            refused: None,
            success_of_planned: if coverage.planned > 0 { successes / f64::from(coverage.planned) } else { 0.0 },
            coverage,
            marks_parts: if in_clusters { Vec::new() } else { marks_parts(&metrics) },
            methods: found.iter().map(|(name, interval)| (*name, interval.method)).collect(),
            estimates: found.into_iter().map(|(name, interval)| (name, interval.into())).collect(),
            groups: BTreeMap::from([
                ("difficulty", groups(&scores, |score| &score.difficulty)),
                ("family", groups(&scores, |score| &score.family)),
                ("service", groups(&scores, |score| &score.component)),
            ]),
            tasks: tasks(&scores),
            minutes: minutes(&counted),
            steps: steps(&counted),
            categories: categories(&scores),
            examples: entry.examples.iter().map(example).collect(),
            conditionals: conditionals(scores.iter().copied()),
            analysis: analysis(entry).filter(|_| !in_clusters),
            in_clusters,
            provider_faults: provider_faults(&scores),
            reliability: ReliabilityFacts::of(&counted),
            usage: usage(&scores, &counted),
            skill_above_blind: None,
            questions: QuestionFacts::of(&scores),
            metrics,
        }
    }

    /// A figure with its interval.
    pub fn estimate(&self, name: &str) -> Option<Estimate> {
        self.estimates.get(name).copied()
    }

    /// Whether it may be compared with others.
    pub fn is_ranked(&self) -> bool {
        self.rank.is_some()
    }
}

fn groups(scores: &[&Score], group: impl Fn(&Score) -> &str) -> BTreeMap<String, GroupFacts> {
    let mut found: BTreeMap<&str, Vec<&Score>> = BTreeMap::new();
    for score in scores {
        found.entry(group(score)).or_default().push(score);
    }
    let facts = |scores: Vec<&Score>| {
        let counted: Vec<&Score> = scores.iter().copied().filter(|score| score.counts()).collect();
        GroupFacts {
            counted: counted.len() as u32,
            provider_failures: (scores.len() - counted.len()) as u32,
            successes: counted.iter().filter(|score| score.success).count() as u32,
            success: stats::rate(counted.iter().copied(), |score| score.success).map(Estimate::from),
        }
    };
    found.into_iter().map(|(name, scores)| (shown(name), facts(scores))).collect()
}

fn tasks(scores: &[&Score]) -> BTreeMap<String, TaskFacts> {
    let mut found: BTreeMap<&str, TaskFacts> = BTreeMap::new();
    for score in scores {
        let task = found.entry(&score.task).or_default();
        if task.difficulty.is_empty() {
            task.difficulty = shown(&score.difficulty);
        }
        task.counted += u32::from(score.counts());
        task.provider_failures += u32::from(!score.counts());
        task.successes += u32::from(score.counts() && score.success);
    }
    found.into_iter().map(|(name, facts)| (shown(name), facts)).collect()
}

fn minutes(counted: &[&Score]) -> Vec<f64> {
    let mut minutes: Vec<f64> = counted.iter().filter_map(|score| score.minutes_to_resolution).collect();
    minutes.sort_by(f64::total_cmp);
    minutes
}

fn steps(counted: &[&Score]) -> StepFacts {
    use record::EndReason;
    let mut sum = StepFacts::default();
    for score in counted {
        let closed = u32::from(matches!(score.end, EndReason::Resolved | EndReason::Escalated));
        let changes = score.right_remediations + score.wrong_remediations + score.undone_remediations;
        sum.all += score.steps;
        sum.right_changes += score.right_remediations;
        sum.wrong_changes += score.wrong_remediations;
        sum.undone += score.undone_remediations;
        sum.invalid += score.invalid_actions;
        sum.closings += closed;
        sum.looks += score.steps.saturating_sub(changes + score.invalid_actions + closed);
    }
    sum
}

fn categories(scores: &[&Score]) -> BTreeMap<Category, u32> {
    let mut found = BTreeMap::new();
    for score in scores {
        *found.entry(Category::of(score)).or_default() += 1;
    }
    found
}

fn example((category, (line, autopsy)): (&Category, &FoundEpisode<'_>)) -> ExampleFacts {
    let score = &line.score;
    ExampleFacts {
        category: *category,
        agent: score.agent.to_string(),
        task: shown(&score.task),
        seed: score.seed,
        why: reasons(score, *autopsy),
    }
}

fn analysis(entry: &AgentEpisodes<'_>) -> Option<GroupAnalysis> {
    let mut tally = GroupAnalysis::default();
    entry.autopsies.iter().for_each(|autopsy| tally.add(autopsy));
    (tally.episodes > 0).then_some(tally)
}

fn provider_faults(scores: &[&Score]) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    for score in scores.iter().filter(|score| !score.counts()) {
        *found.entry(shown(&score.ending.word)).or_default() += 1;
    }
    found
}

fn usage(scores: &[&Score], counted: &[&Score]) -> Option<UsageFacts> {
    if counted.iter().all(|score| score.usage.is_none() && score.cost_usd.is_none()) {
        return None;
    }
    let n = counted.len() as f64;
    let mean = |value: fn(&Score) -> f64| counted.iter().map(|score| value(score)).sum::<f64>() / n;
    let priced = counted.iter().all(|score| score.cost_usd.is_some());
    let cost = priced.then(|| stats::mean(counted.iter().copied(), |score| score.cost_usd)).flatten();
    let spent: f64 = counted.iter().filter_map(|score| score.cost_usd).sum();
    let successes = counted.iter().filter(|score| score.success).count();
    Some(UsageFacts {
        calls: mean(|score| f64::from(score.model_calls)),
        input_tokens: mean(|score| score.usage.map_or(0.0, |usage| usage.input as f64)),
        output_tokens: mean(|score| score.usage.map_or(0.0, |usage| usage.output as f64)),
        cost_usd: cost.map(|found| found.within(0.0, f64::INFINITY).into()),
        cost_per_success: (priced && successes > 0).then(|| spent / successes as f64),
        cost_in_all: priced.then(|| scores.iter().filter_map(|score| score.cost_usd).sum()),
    })
}
