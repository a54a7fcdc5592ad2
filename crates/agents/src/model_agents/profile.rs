//! Profiles: a loop, a prompt and settings under one name. To add one, write its prompt and list it in [`ALL`].

use harness::{Agent, Brief};

use crate::model::Sampling;
use crate::prompts::{self, Prompt};
use harness::unknown_name;

use super::conversation::Conversation;
use super::{AgentOptions, guided, prompting, react, team, tools};

/// Every profile, in the order in which lists show them. A profile has the prompt of its own name.
pub const ALL: &[Profile] = &[
    Profile {
        name: "prompting",
        about: "asks a model with the brief and the latest observation alone",
        settings: Settings::LEFT_OPEN,
        start: prompting::start,
    },
    Profile {
        name: "react",
        about: "asks a model for a thought and an action, with the whole history",
        settings: Settings::LEFT_OPEN,
        start: react::start,
    },
    Profile {
        name: "tools",
        about: "lets a model call the tools natively, with the whole history",
        settings: Settings::LEFT_OPEN,
        start: tools::start,
    },
    Profile {
        name: "guided",
        about: "as react, with a controller that wants an action, evidence before a fix, and a fix before resolution",
        settings: Settings::LEFT_OPEN,
        start: guided::start,
    },
    Profile {
        name: "team",
        about: "as tools, in four roles: one finds out, one mends, one checks, and what did not help is undone",
        settings: Settings::LEFT_OPEN,
        start: team::start,
    },
    Profile {
        name: "open_source",
        about: "published profile for open models: prompting, greedy, short answers",
        settings: Settings { temperature: Some(0.0), max_tokens: Some(512) },
        start: prompting::start,
    },
    Profile {
        name: "open_source_react",
        about: "published profile for open models: react, greedy, short answers",
        settings: Settings { temperature: Some(0.0), max_tokens: Some(768) },
        start: react::start,
    },
    Profile {
        name: "guided_open_source",
        about: "published profile for open models: guided, greedy, short answers",
        settings: Settings { temperature: Some(0.0), max_tokens: Some(768) },
        start: guided::start,
    },
    Profile {
        name: "frontier",
        about: "published profile for strong models: native tools, room to think",
        // Models that reason take no temperature.
        settings: Settings { temperature: None, max_tokens: Some(8192) },
        start: tools::start,
    },
];

/// A way to ask a model.
#[derive(Debug)]
pub struct Profile {
    /// Its name before the `@`.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    settings: Settings,
    pub(super) start: fn(Conversation, &Brief, AgentOptions) -> Box<dyn Agent>,
}

/// Settings that a profile gives, unless the user says otherwise.
#[derive(Debug)]
struct Settings {
    temperature: Option<f64>,
    max_tokens: Option<u32>,
}

impl Settings {
    const LEFT_OPEN: Settings = Settings { temperature: None, max_tokens: None };
}

impl Profile {
    /// Its prompt.
    pub fn prompt(&self) -> &'static Prompt {
        prompts::find(self.name).expect("every profile has the prompt of its name")
    }

    /// Its settings.
    pub fn sampling(&self) -> Sampling {
        let Settings { temperature, max_tokens } = self.settings;
        Sampling { temperature, max_tokens, ..Sampling::default() }
    }
}

/// The profile of that name, or what was probably meant.
pub fn find(name: &str) -> Result<&'static Profile, String> {
    let folded = name.trim().to_ascii_lowercase().replace(['-', ' '], "_");
    ALL.iter().find(|profile| profile.name == folded).ok_or_else(|| {
        let known: Vec<&str> = ALL.iter().map(|profile| profile.name).collect();
        unknown_name("model agent", name, &known, "there are")
    })
}
