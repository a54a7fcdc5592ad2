//! The sweep file: agents x models x suites x seeds x episodes x noise, in TOML.

use std::path::{Path, PathBuf};

use agents::model::Sampling;
use anyhow::{Context, bail};
use harness::read_text;
use serde::Deserialize;

/// What a sweep file says. What it leaves out is taken from the flags or from the defaults.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SweepFile {
    /// Agents.
    pub agents: Vec<String>,
    /// Models, as `provider/model`.
    pub models: Vec<String>,
    /// Files with prompts of the user's own, named from the folder of the sweep file.
    pub prompts: Vec<PathBuf>,
    /// Suites.
    pub suites: Vec<String>,
    /// Seeds, one by one or in a row.
    pub seeds: Option<Seeds>,
    /// Episodes for each agent, task and seed.
    pub episodes: Option<u32>,
    /// Noise dials.
    pub noise: Vec<u8>,
    /// The tools at hand.
    pub tools: Option<String>,
    /// How models are sampled.
    pub sampling: Sampling,
}

/// The seeds of a sweep.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "seeds are a list such as [0, 1, 2], or { first = 0, count = 5 }")]
pub enum Seeds {
    /// These.
    List(Vec<u64>),
    /// So many in a row.
    Row(SweepRow),
}

/// Seeds in a row.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepRow {
    /// The first.
    pub first: u64,
    /// How many.
    pub count: u32,
}

/// Sweeps that are often wanted: name, what it is for, and the file.
pub const PRESETS: &[(&str, &str, &str)] = &[
    ("quick", "ten minutes to see whether everything works", include_str!("../../presets/quick.toml")),
    (
        "paper",
        "what a paper should report: forty tasks, five seeds, three episodes each",
        include_str!("../../presets/paper.toml"),
    ),
];

impl SweepFile {
    /// Reads a file.
    pub fn read(path: &Path) -> anyhow::Result<SweepFile> {
        let text = read_text(path, "read the sweep file", "save it as text in UTF-8")?;
        let mut file = SweepFile::parse(&text).with_context(|| format!("sweep file {}", path.display()))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        file.prompts = file.prompts.iter().map(|prompt| folder.join(prompt)).collect();
        Ok(file)
    }

    /// The preset of that name.
    pub fn preset(name: &str) -> anyhow::Result<SweepFile> {
        match PRESETS.iter().find(|preset| preset.0 == name) {
            Some(preset) => SweepFile::parse(preset.2),
            None => {
                let known: Vec<&str> = PRESETS.iter().map(|preset| preset.0).collect();
                bail!("there is no preset `{name}`; there are {}", known.join(", "))
            }
        }
    }

    fn parse(text: &str) -> anyhow::Result<SweepFile> {
        let file: SweepFile = toml::from_str(text).map_err(|e| anyhow::anyhow!("{}", e.to_string().trim()))?;
        if let Some(Seeds::List(seeds)) = &file.seeds {
            let mut sorted = seeds.clone();
            sorted.sort_unstable();
            sorted.dedup();
            if sorted.len() < seeds.len() || seeds.is_empty() {
                bail!("`seeds` must name at least one seed, and each once; `episodes` repeats them");
            }
        }
        if file.episodes == Some(0) {
            bail!("`episodes` must be at least 1");
        }
        if let Some(noise) = file.noise.iter().find(|noise| **noise > 3) {
            bail!("`noise` is from 0 to 3, not {noise}");
        }
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_sound() {
        for (name, ..) in PRESETS {
            let file = SweepFile::preset(name).expect(name);
            assert!(!file.suites.is_empty() && file.seeds.is_some() && file.agents.is_empty(), "{name}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        let check = |text: &str, expect: &str| {
            let error = SweepFile::parse(text).expect_err(text);
            assert!(format!("{error:#}").contains(expect), "{error:#}");
        };
        check("agent = [\"react\"]", "unknown field `agent`, expected one of `agents`");
        check("seeds = \"all\"", "seeds are a list such as [0, 1, 2]");
        check("seeds = []", "at least one seed");
        check("seeds = [1, 2, 1]", "each once");
        check("episodes = 0", "at least 1");
        check("noise = [4]", "from 0 to 3, not 4");
        check("sampling = { temperatur = 1 }", "unknown field `temperatur`");
    }
}
