//! A provider that does everything wrong: a table of modes and a server on loopback that follows it.
//!
//! The name of the model is the name of the mode, so that one sweep can meet all of them. `MODE` treats every request
//! badly; `MODE.once` treats the first try of each request badly and then answers, so that a sweep must come out as if
//! nothing had happened; `clean` is the measure for both.
//!
//! Nothing here sleeps: what must take too long is held until the client leaves.

mod bodies;
mod connections;
mod heads;
mod packed;
mod server;
mod shapes;
mod statuses;
mod tools;
mod wire;

pub use server::HostileProvider;
pub use wire::{After, Good, Wire};

use harness::ProviderFault;

/// A wire format, by the provider that is asked in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    Chat,
    Responses,
    Messages,
    Converse,
    Gemini,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Dialect; 5] =
        [Dialect::Chat, Dialect::Responses, Dialect::Messages, Dialect::Converse, Dialect::Gemini];

    /// The provider that speaks it.
    pub fn provider(self) -> &'static str {
        match self {
            Dialect::Chat => "custom",
            Dialect::Responses => "openai-responses",
            Dialect::Messages => "anthropic",
            Dialect::Converse => "bedrock",
            Dialect::Gemini => "gemini",
        }
    }
}

/// One way to be hostile.
pub struct Mode {
    pub dialect: Dialect,
    pub name: &'static str,
    pub sends: Sends,
    pub means: Means,
}

/// What is sent for a request.
pub enum Sends {
    /// A status with headers, one to a line, and a body.
    Status(u16, &'static str, &'static str),
    /// Status 200 and this JSON text.
    Body(&'static str),
    /// The good answer's JSON, changed.
    Json(fn(&mut serde_json::Value)),
    /// Whatever is made of the good answer.
    Bytes(fn(&Good) -> Wire),
    /// The connection is closed with the request half read.
    Reset,
}

/// What the program must make of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Means {
    /// The answer, as if nothing were odd about it.
    Answer,
    /// An answer, and what is wrong with it is the model's own doing: it counts, and solves nothing.
    Own,
    /// A fault that may pass, with words that name its cause.
    Fault(ProviderFault, &'static str),
    /// A fault for good: one try is enough.
    ForGood(ProviderFault, &'static str),
}

/// A row of a table.
const fn mode(dialect: Dialect, name: &'static str, sends: Sends, means: Means) -> Mode {
    Mode { dialect, name, sends, means }
}

impl Mode {
    /// The model that meets this mode, as the program is told.
    pub fn target(&self) -> String {
        format!("{}/{}", self.dialect.provider(), self.name)
    }

    /// Who asks: tool calls are only made by the agent that has tools.
    pub fn agent(&self) -> &'static str {
        if self.name.starts_with("tool-") { "tools" } else { "react" }
    }

    /// Whether the books have what was asked. A try on a connection that was closed meanwhile is in the books, and the
    /// server never heard of it.
    pub fn agrees(&self, tries: u64, asked: u64) -> bool {
        let unheard = if self.name == "kept-then-closed" { tries / 2 } else { 0 };
        (asked..=asked + unheard).contains(&tries)
    }

    /// Whether the client must run out of time to notice.
    pub fn hangs(&self) -> bool {
        matches!(self.means, Means::Fault(ProviderFault::Timeout, "timeout"))
    }
}

/// The whole table.
pub fn all() -> Vec<&'static Mode> {
    let groups =
        [statuses::MODES, heads::MODES, bodies::MODES, packed::MODES, connections::MODES, shapes::MODES, tools::MODES];
    groups.into_iter().flatten().collect()
}
