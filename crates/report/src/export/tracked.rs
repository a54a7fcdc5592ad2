//! A run as trackers of experiments know one: settings, a series over its episodes, and totals. One agent with one model
//! on one suite is one run, in MLflow's files as in those of W&B.

use record::grade::columns;
use record::grade::{Metrics, Score};
use record::{Header, sha256};

use super::{ExportEpisode, ExportError, ExportOrder, Shelf};
use crate::export::entry::ExportGroup;

/// A run, complete.
pub(super) struct TrackedRun {
    /// Drawn from what was run, so that the same run has the same id everywhere.
    pub(super) id: String,
    /// The suite.
    pub(super) suite: String,
    /// The agent.
    pub(super) agent: String,
    /// What was asked for.
    pub(super) settings: Vec<(&'static str, String)>,
    /// What was measured of each episode that counts.
    pub(super) series: Vec<Vec<(&'static str, f64)>>,
    /// What all of it comes to.
    pub(super) totals: Vec<(String, f64)>,
}

/// Writes one run.
pub(super) type WriteRun = fn(&TrackedRun, &mut dyn Shelf) -> Result<(), ExportError>;

/// Gathers episodes until those of another run come. Scores alone are kept.
pub(super) struct Tracker {
    write: WriteRun,
    gathered: Option<Gathered>,
}

struct Gathered {
    group: ExportGroup,
    header: Header,
    scores: Vec<Score>,
}

impl Tracker {
    pub(super) fn new(write: WriteRun) -> Tracker {
        Tracker { write, gathered: None }
    }
}

impl super::Export for Tracker {
    fn add(&mut self, entry: &ExportEpisode, shelf: &mut dyn Shelf) -> Result<(), ExportError> {
        let group = ExportOrder::of(entry.header()).group;
        if self.gathered.as_ref().is_some_and(|gathered| gathered.group != group)
            && let Some(done) = self.gathered.take()
        {
            (self.write)(&done.run(), shelf)?;
        }
        let header = || entry.header().clone();
        let gathered = self.gathered.get_or_insert_with(|| Gathered { group, header: header(), scores: Vec::new() });
        gathered.scores.push(entry.score.clone());
        Ok(())
    }

    fn finish(self: Box<Self>, shelf: &mut dyn Shelf) -> Result<(), ExportError> {
        self.gathered.map_or(Ok(()), |gathered| (self.write)(&gathered.run(), shelf))
    }
}

impl Gathered {
    fn run(&self) -> TrackedRun {
        let counted = self.scores.iter().filter(|score| score.counts());
        let metrics = Metrics::of(&self.scores);
        let mut totals = vec![
            ("episodes".to_owned(), f64::from(metrics.episodes)),
            ("provider_failures".to_owned(), f64::from(metrics.provider_failures)),
            ("coverage".to_owned(), metrics.coverage),
        ];
        let known = |column: &&columns::MetricColumn| Some((column.name.to_owned(), column.of(&metrics)?));
        totals.extend(columns::ALL.iter().filter_map(known));
        if self.header.model.is_some() {
            totals.push(("tokens_in".to_owned(), metrics.usage.input as f64));
            totals.push(("tokens_out".to_owned(), metrics.usage.output as f64));
            totals.extend(metrics.cost_usd.map(|cost| ("cost_usd".to_owned(), cost)));
        }
        let settings = settings(&self.header);
        let identity = settings.iter().map(|(name, value)| format!("{name}={value}\n")).collect::<String>();
        TrackedRun {
            id: sha256(identity.as_bytes())[..32].to_owned(),
            suite: self.header.suite.clone(),
            agent: self.header.agent.clone(),
            settings,
            series: counted.map(measured).collect(),
            totals,
        }
    }
}

fn measured(score: &Score) -> Vec<(&'static str, f64)> {
    let mut values: Vec<(&'static str, f64)> =
        columns::of_episodes().filter_map(|(_, column)| Some((column.name, column.of(score)?))).collect();
    values.extend(score.cost_usd.map(|cost| ("cost_usd", cost)));
    values
}

fn settings(header: &Header) -> Vec<(&'static str, String)> {
    let mut settings = vec![
        ("suite", header.suite.clone()),
        ("agent", header.agent.clone()),
        ("noise", header.noise.to_string()),
        ("tools", header.tools.to_string()),
        ("world_version", header.world_version.to_string()),
        ("suite_version", header.suite_version.to_string()),
    ];
    if let Some(model) = &header.model {
        settings.push(("provider", model.provider.clone()));
        settings.push(("model", model.model.clone()));
        settings.push(("prompt", model.prompt.clone()));
        settings.push(("sampling", super::json(&model.sampling)));
    }
    settings
}
