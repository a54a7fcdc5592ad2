//! Providers of models: one file each. To add one, copy a file, change its middle, and list it in [`ALL`].
//!
//! Nothing here opens a socket or reads the environment: [`Env`] is handed in, requests and replies
//! are bytes.

mod anthropic;
mod bedrock;
mod calendar;
mod chat;
mod classify;
mod custom;
mod env;
mod gemini;
mod groq;
pub mod limits;
mod lmstudio;
mod ollama;
mod openai;
mod openai_responses;
mod openrouter;
mod parse;
mod reading;
mod rehearsal;
mod sigv4;
#[cfg(test)]
mod tests;
mod vllm;
mod writing;

use crate::model::WireFormat;

pub use env::{Env, dotenv};

/// Every provider, in the order in which tables show them.
pub static ALL: &[&Provider] = &[
    &openai::PROVIDER,
    &openai_responses::PROVIDER,
    &anthropic::PROVIDER,
    &bedrock::PROVIDER,
    &gemini::PROVIDER,
    &openrouter::PROVIDER,
    &groq::PROVIDER,
    &vllm::PROVIDER,
    &ollama::PROVIDER,
    &lmstudio::PROVIDER,
    &custom::PROVIDER,
    &rehearsal::PROVIDER,
];

/// A company or a server that runs models.
pub struct Provider {
    /// Its name before the slash of `provider/model`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// How it is spoken to.
    pub wire: &'static dyn WireFormat,
    /// Where it usually is; empty if that must be said.
    pub base_url: &'static str,
    /// Variables that say where else it is; the first that is set counts.
    pub base_variables: &'static [&'static str],
    /// Where the key comes from.
    pub keys: Keys,
    /// Settings of [`crate::model::Sampling`] that it does not take.
    pub cannot: &'static [&'static str],
    /// A model's name, for help.
    pub example: &'static str,
}

/// Where a key comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// One of these variables must be set.
    Needed(&'static [&'static str]),
    /// One of these variables may be set.
    Optional(&'static [&'static str]),
    /// The usual AWS environment.
    Aws,
}
