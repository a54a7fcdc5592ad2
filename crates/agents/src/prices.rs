//! What tokens cost. Our table says of when it is and where to check it; a user's table is laid over it.

use std::path::Path;

use harness::Usage;
use serde::Deserialize;

/// The table that the program carries.
const SHIPPED: &str = include_str!("../prices.toml");

/// The price of a model's tokens, in US dollars per million.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// Of a token read.
    pub input: f64,
    /// Of a token written, reasoning included.
    pub output: f64,
    /// Of a token read from the provider's cache.
    pub cached: f64,
}

impl Price {
    /// What so many tokens cost, in US dollars.
    pub fn cost(&self, usage: Usage) -> f64 {
        let cached = usage.cached.min(usage.input);
        let fresh = (usage.input - cached) as f64 * self.input;
        (fresh + cached as f64 * self.cached + usage.output as f64 * self.output) / 1e6
    }
}

/// A table of prices.
#[derive(Clone, Debug, PartialEq)]
pub struct Prices {
    /// Tables, from the one that counts most.
    tables: Vec<PriceTable>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceTable {
    date: String,
    price: Vec<PriceEntry>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceEntry {
    provider: String,
    model: String,
    input: f64,
    output: f64,
    cached: Option<f64>,
}

impl Default for Prices {
    fn default() -> Prices {
        Prices::shipped()
    }
}

impl Prices {
    /// The prices that the program carries.
    pub fn shipped() -> Prices {
        Prices { tables: vec![table(SHIPPED).expect("our own table is in order")] }
    }

    /// The same, with a user's table laid over it. `file` is its name, for errors.
    pub fn with(mut self, text: &str, file: &Path) -> Result<Prices, String> {
        let own = table(text).map_err(|problem| format!("price table {}: {problem}", file.display()))?;
        self.tables.insert(0, own);
        Ok(self)
    }

    /// The price of a model, if it is known.
    pub fn find(&self, provider: &str, model: &str) -> Option<Price> {
        self.tables.iter().find_map(|table| table.find(provider, model))
    }

    /// The date of the table that counts most.
    pub fn date(&self) -> &str {
        self.tables.first().map_or("", |table| &table.date)
    }
}

impl PriceTable {
    fn find(&self, provider: &str, model: &str) -> Option<Price> {
        // Both interfaces of one company have one price.
        let provider = provider.strip_suffix("-responses").unwrap_or(provider);
        let fits = |entry: &&PriceEntry| entry.provider == provider && is_like(model, &entry.model);
        // A name without a star fits one model only, which is as telling as it gets.
        let telling = |entry: &&PriceEntry| (!entry.model.contains('*'), entry.model.len());
        let PriceEntry { input, output, cached, .. } = *self.price.iter().filter(fits).max_by_key(telling)?;
        Some(Price { input, output, cached: cached.unwrap_or(input) })
    }
}

fn table(text: &str) -> Result<PriceTable, String> {
    let table: PriceTable = toml::from_str(text).map_err(|e| e.to_string().trim().to_string())?;
    let wrong = |entry: &&PriceEntry| {
        let numbers = [entry.input, entry.output, entry.cached.unwrap_or(0.0)];
        !numbers.iter().all(|number| number.is_finite() && *number >= 0.0)
    };
    match table.price.iter().find(wrong) {
        Some(entry) => Err(format!("{}/{}: a price is a number from 0", entry.provider, entry.model)),
        None => Ok(table),
    }
}

/// Whether a name fits a pattern in which `*` stands for anything.
fn is_like(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((start, rest)) => {
            let Some(tail) = name.strip_prefix(start) else { return false };
            tail.char_indices().map(|(at, _)| at).chain([tail.len()]).any(|at| is_like(&tail[at..], rest))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "date = \"2030-01-01\"\n\
        [[price]]\nprovider = \"openai\"\nmodel = \"gpt-5\"\ninput = 1.0\noutput = 2.0\n\
        [[price]]\nprovider = \"vllm\"\nmodel = \"*\"\ninput = 0.1\noutput = 0.2\ncached = 0.0\n";

    fn own() -> Prices {
        Prices::shipped().with(OWN, Path::new("prices.toml")).expect("a sound table")
    }

    #[test]
    fn the_most_telling_entry_counts_and_what_is_unknown_has_no_price() {
        let check = |prices: &Prices, provider: &str, model: &str, expect: Option<f64>| {
            assert_eq!(prices.find(provider, model).map(|price| price.input), expect, "{provider}/{model}");
        };
        let ours = Prices::shipped();
        check(&ours, "openai", "gpt-5", Some(1.25));
        check(&ours, "openai-responses", "gpt-5", Some(1.25));
        check(&ours, "openai", "gpt-5-2025-08-07", Some(1.25));
        check(&ours, "openai", "gpt-5-mini-2025-08-07", Some(0.25));
        check(&ours, "openai", "gpt-5-imagined", None);
        check(&ours, "anthropic", "claude-opus-4-1-20250805", Some(15.0));
        check(&ours, "anthropic", "claude-opus-4-6", Some(5.0));
        check(&ours, "bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", Some(3.0));
        check(&ours, "gemini", "gemini-2.5-flash-lite", Some(0.1));
        check(&ours, "groq", "gpt-5", None);
        check(&ours, "rehearsal", "anything", Some(0.0));
        check(&ours, "ollama", "qwen3:8b", None);
        check(&own(), "openai", "gpt-5", Some(1.0));
        check(&own(), "openai", "gpt-5-nano", Some(0.05));
        check(&own(), "vllm", "Qwen/Qwen3-8B", Some(0.1));
    }

    #[test]
    fn cached_input_has_its_own_price_and_reasoning_is_output() {
        let check = |model: &str, usage: Usage, expect: f64| {
            let cost = Prices::shipped().find("openai", model).expect("it is listed").cost(usage);
            assert!((cost - expect).abs() < 1e-12, "{model}: {cost}");
        };
        let usage = Usage { input: 1_000_000, output: 100_000, reasoning: 60_000, cached: 400_000 };
        check("gpt-5", usage, 0.6 * 1.25 + 0.4 * 0.125 + 0.1 * 10.0);
        check("gpt-5", Usage::default(), 0.0);
        check("gpt-5", Usage { input: 10, cached: 20, ..Usage::default() }, 10.0 * 0.125 / 1e6);
    }

    #[test]
    fn a_wrong_table_is_refused_by_name() {
        let check = |text: &str, expect: &str| {
            let problem = Prices::shipped().with(text, Path::new("mine.toml")).expect_err("refused");
            assert!(problem.starts_with("price table mine.toml: ") && problem.contains(expect), "{problem}");
        };
        check("", "missing field `date`");
        check("date = \"x\"\n[[price]]\nprovider = \"openai\"\n", "missing field");
        check(&OWN.replace("input = 1.0", "input = -1.0"), "openai/gpt-5: a price is a number from 0");
        check(&OWN.replace("input = 1.0", "inptu = 1.0"), "unknown field `inptu`");
    }
}
