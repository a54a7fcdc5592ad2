//! Agents with a model behind them: how it is asked, and what is made of its answers.
//!
//! Each loop is one file; a [`Profile`] puts a loop, a prompt and settings together under a name. A
//! loop gets a [`Conversation`] and never a socket, so that tests hand it a model that reads from a list.

mod conversation;
mod guided;
mod history;
mod procedure;
mod profile;
mod prompting;
mod question;
mod react;
#[cfg(test)]
mod tests;
mod tools;

use std::sync::Arc;

use harness::{Agent, AgentKind, Brief, ExchangeLog, ModelCard, Start};

use crate::model::{LanguageModel, Sampling, Target};
use crate::prices::{Price, Prices};

use conversation::Conversation;
pub use profile::{ALL, Profile, find};

/// Connects an episode to its model; the log is where the exchanges are written down.
pub type Connect = Arc<dyn Fn(ExchangeLog) -> Box<dyn LanguageModel> + Send + Sync>;

/// What can be said of an agent beside its model and its settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgentOptions {
    /// How many of the latest exchanges are shown to the model again; all of them if `None`.
    pub history: Option<usize>,
}

/// A kind of agent: a profile that asks a model.
pub struct ModelAgent {
    name: String,
    profile: &'static Profile,
    card: ModelCard,
    sampling: Sampling,
    price: Option<Price>,
    options: AgentOptions,
    connect: Connect,
}

/// The agent of a profile, asking a target. What `sampling` leaves open, the profile decides.
pub fn model_agent(
    profile: &str,
    target: &Target,
    sampling: Sampling,
    options: AgentOptions,
    prices: &Prices,
    connect: Connect,
) -> Result<ModelAgent, String> {
    let profile = find(profile)?;
    let sampling = sampling.or(&profile.sampling());
    target.check(&sampling)?;
    let mut settings = sampling.to_map();
    if let Some(history) = options.history {
        settings.insert("history".into(), history.into());
    }
    let card = ModelCard {
        provider: target.provider.clone(),
        model: target.model.clone(),
        prompt: profile.prompt().label(),
        sampling: settings,
    };
    let (name, price) = (format!("{}@{target}", profile.name), prices.find(&target.provider, &target.model));
    Ok(ModelAgent { name, profile, card, sampling, price, options, connect })
}

impl AgentKind for ModelAgent {
    fn name(&self) -> &str {
        &self.name
    }

    fn about(&self) -> &str {
        self.profile.about
    }

    fn start(&self, brief: &Brief, start: Start<'_>) -> Box<dyn Agent> {
        let model = (self.connect)(start.exchanges);
        if let Some(messages) = &brief.messages {
            let conversation =
                Conversation::new(model, messages.system.clone(), self.sampling.clone(), self.price, brief);
            return question::start(conversation, messages);
        }
        let conversation = Conversation::new(
            model,
            self.profile.prompt().text().to_string(),
            self.sampling.clone(),
            self.price,
            brief,
        );
        (self.profile.start)(conversation, brief, self.options)
    }

    fn model(&self) -> Option<ModelCard> {
        Some(self.card.clone())
    }
}
