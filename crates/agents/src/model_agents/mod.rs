//! Agents with a model behind them: how it is asked, and what is made of its answers.
//!
//! Each loop is one file; a [`Profile`] puts a loop, a prompt and settings together under a name. A
//! loop gets a [`Conversation`] and never a socket, so that tests hand it a model that reads from a list.

mod conversation;
mod guided;
mod history;
mod own_profile;
mod procedure;
mod profile;
mod prompting;
mod question;
mod react;
mod team;
#[cfg(test)]
mod tests;
mod tools;

use std::sync::Arc;

use harness::{Agent, AgentKind, Brief, ExchangeLog, ModelCard, Start};

use crate::model::{LanguageModel, Sampling, Target};
use crate::prices::{Price, Prices};

use conversation::Conversation;
pub use own_profile::OwnProfile;
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
    about: String,
    /// What the model is told.
    system: String,
    /// Whether that is the user's own: then it stands before what a question brings along, too.
    is_own: bool,
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
    let (card, price) = card(target, &sampling, options, profile.prompt().label(), prices)?;
    let (name, about) = (format!("{}@{target}", profile.name), profile.about.to_string());
    let system = profile.prompt().text().to_string();
    Ok(ModelAgent { name, about, system, is_own: false, profile, card, sampling, price, options, connect })
}

/// The agent of a profile from a file, asking a target. What `sampling` and `options` leave open, the file decides.
pub fn own_model_agent(
    own: &OwnProfile,
    target: &Target,
    sampling: Sampling,
    options: AgentOptions,
    prices: &Prices,
    connect: Connect,
) -> Result<ModelAgent, String> {
    let sampling = sampling.or(&own.sampling);
    let options = AgentOptions { history: options.history.or(own.history) };
    let (card, price) = card(target, &sampling, options, own.label(), prices)?;
    let (name, about, system) = (format!("{}@{target}", own.name), own.about.clone(), own.text.clone());
    Ok(ModelAgent { name, about, system, is_own: true, profile: own.base, card, sampling, price, options, connect })
}

/// What records say of the model and how it is asked, and its price.
fn card(
    target: &Target,
    sampling: &Sampling,
    options: AgentOptions,
    prompt: String,
    prices: &Prices,
) -> Result<(ModelCard, Option<Price>), String> {
    target.check(sampling)?;
    let mut settings = sampling.to_map();
    if let Some(history) = options.history {
        settings.insert("history".into(), history.into());
    }
    let (provider, model) = (target.provider.clone(), target.model.clone());
    let price = prices.find(&provider, &model);
    Ok((ModelCard { provider, model, prompt, sampling: settings }, price))
}

impl AgentKind for ModelAgent {
    fn name(&self) -> &str {
        &self.name
    }

    fn about(&self) -> &str {
        &self.about
    }

    fn start(&self, brief: &Brief, start: Start<'_>) -> Box<dyn Agent> {
        let model = (self.connect)(start.exchanges);
        let open = |system: String| Conversation::new(model, system, self.sampling.clone(), self.price, brief);
        match &brief.messages {
            Some(messages) if self.is_own => {
                question::start(open(format!("{}\n\n{}", self.system, messages.system)), messages)
            }
            Some(messages) => question::start(open(messages.system.clone()), messages),
            None => (self.profile.start)(open(self.system.clone()), brief, self.options),
        }
    }

    fn model(&self) -> Option<ModelCard> {
        Some(self.card.clone())
    }
}
