//! An episode as exports read it: its record, checked to be whole, with its score.

use record::grade::{Score, Unscorable};
use record::{EndReason, Event, Header, Seal, Step};
use record::{ProviderFault, Record};

/// An episode to be exported.
pub struct ExportEpisode {
    record: Record,
    header: Header,
    /// What it came to.
    pub score: Score,
    /// The digest of its record.
    pub digest: String,
}

/// Where an episode stands in an export: by agent and suite, then by task, seed and repetition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExportOrder {
    /// The episodes that belong together.
    pub group: ExportGroup,
    task: String,
    seed: u64,
    repeat: u32,
}

/// Episodes that belong together: one agent with one model on one suite.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExportGroup {
    /// The suite.
    pub suite: String,
    /// The agent.
    pub agent: String,
    /// The model and how it was asked, as text.
    model: String,
    versions: (u32, u32),
}

impl ExportOrder {
    /// The place of the episode with this header.
    pub fn of(header: &Header) -> ExportOrder {
        let group = ExportGroup {
            suite: header.suite.clone(),
            agent: header.agent.clone(),
            model: header.model.as_ref().map(super::json).unwrap_or_default(),
            versions: (header.world_version, header.suite_version),
        };
        ExportOrder { group, task: header.task.id.clone(), seed: header.seed, repeat: header.repeat }
    }
}

impl ExportEpisode {
    /// Reads a record; `digest` is that of its text.
    pub fn of(record: Record, digest: String) -> Result<ExportEpisode, Unscorable> {
        let score = record.score()?;
        let header = record.header().ok_or(Unscorable::NoHeader)?.clone();
        Ok(ExportEpisode { record, header, score, digest })
    }

    /// What was run.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// `agent/task/seed`.
    pub fn key(&self) -> String {
        record::key(&self.header.agent, &self.header.task.id, self.header.seed, self.header.repeat)
    }

    /// What the agent did.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.record.steps()
    }

    /// What the agent was told at the start, and when.
    pub fn page(&self) -> (u64, &str) {
        let paged = |event: &'_ Event| matches!(event, Event::Paged { .. });
        match self.record.events.iter().find(|event| paged(event)) {
            Some(Event::Paged { time, brief }) => (*time, brief),
            _ => (self.seal().map_or(0, |seal| seal.paged), ""),
        }
    }

    /// When it ended.
    pub fn ended(&self) -> u64 {
        let ended = |event: &Event| if let Event::Ended { time, .. } = event { Some(*time) } else { None };
        self.record.events.iter().find_map(ended).unwrap_or_default()
    }

    /// What really happened.
    pub fn seal(&self) -> Option<&Seal> {
        self.record.seal()
    }

    /// How the provider failed, if that ended the episode.
    pub fn failure(&self) -> Option<&'static str> {
        let failed = self.score.end == EndReason::ProviderFailed;
        failed.then(|| self.record.cause().map_or("unknown", ProviderFault::name))
    }
}
