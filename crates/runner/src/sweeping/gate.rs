//! A run as a gate: below a bar it fails, and a CI server reads what happened.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueHint;
use record::EpisodeLine;
use report::Summary;

/// Bars that every agent of the run has to reach.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Gates for CI")]
pub struct GateArgs {
    /// End with exit code 1 if an agent's share of successes is lower
    #[arg(long, value_name = "0..1", value_parser = share)]
    pub min_success: Option<f64>,
    /// End with exit code 1 if an agent's marks are lower
    #[arg(long, value_name = "0..100", value_parser = marks)]
    pub min_marks: Option<f64>,
    /// Write a JUnit file: a test suite per agent, a test case per episode
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub junit: Option<PathBuf>,
}

impl GateArgs {
    /// What is below its bar, in words; nothing if the gate opens. An agent of which nothing was measured has not
    /// reached a bar.
    pub fn refusals(&self, summary: &Summary) -> Vec<String> {
        let mut found = Vec::new();
        for one in &summary.agents {
            let name = format!("{} on {}", one.agent, one.suite);
            let metrics = &one.metrics;
            if metrics.episodes == 0 && (self.min_success.is_some() || self.min_marks.is_some()) {
                found.push(format!("{name}: no episode counts"));
                continue;
            }
            let bars = [("success", self.min_success, metrics.success_rate), ("marks", self.min_marks, metrics.marks)];
            for (what, bar, reached) in bars {
                if let Some(bar) = bar.filter(|bar| reached < *bar) {
                    found.push(format!("{name}: {what} {} is below {bar}", shown(reached)));
                }
            }
        }
        found
    }

    /// Writes the JUnit file, if one is wanted.
    pub fn write_junit(&self, lines: &[EpisodeLine]) -> anyhow::Result<()> {
        self.junit.as_deref().map_or(Ok(()), |path| write(path, &junit(lines)))
    }
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("--junit: cannot make {}", folder.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("--junit: cannot write {}", path.display()))
}

/// Cut, not rounded: 0.7999 is not shown as 0.8 beside a bar of 0.8.
fn shown(figure: f64) -> f64 {
    (figure * 1000.0).floor() / 1000.0
}

fn share(text: &str) -> Result<f64, String> {
    within(text, 1.0)
}

fn marks(text: &str) -> Result<f64, String> {
    within(text, 100.0)
}

fn within(text: &str, most: f64) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=most).contains(number));
    number.ok_or_else(|| format!("a number from 0 to {most} is wanted; got `{text}`"))
}

/// Episodes as test cases. One that ended on its provider is skipped: it says nothing of the agent.
fn junit(lines: &[EpisodeLine]) -> String {
    let mut sorted: Vec<&EpisodeLine> = lines.iter().collect();
    sorted.sort_by(|one, other| one.key.cmp(&other.key));
    let mut suites: Vec<(&str, Vec<&EpisodeLine>)> = Vec::new();
    for line in sorted {
        match suites.iter_mut().find(|(agent, _)| *agent == line.score.agent) {
            Some((_, lines)) => lines.push(line),
            None => suites.push((&line.score.agent, vec![line])),
        }
    }
    let suites: String = suites.iter().map(|(agent, lines)| suite(agent, lines)).collect();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n{suites}</testsuites>\n")
}

fn suite(agent: &str, lines: &[&EpisodeLine]) -> String {
    let skipped = lines.iter().filter(|line| !line.score.counts()).count();
    let failed = lines.iter().filter(|line| line.score.counts() && !line.score.success).count();
    let cases: String = lines.iter().map(|line| case(line)).collect();
    format!(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failed}\" errors=\"0\" skipped=\"{skipped}\">\n{cases}  \
         </testsuite>\n",
        escaped(agent),
        lines.len()
    )
}

fn case(line: &EpisodeLine) -> String {
    let score = &line.score;
    let repeat = if score.repeat > 0 { format!(", repeat {}", score.repeat) } else { String::new() };
    let name = escaped(&format!("{}, seed {}{repeat}", score.task, score.seed));
    let head = format!("    <testcase classname=\"{}\" name=\"{name}\"", escaped(&score.suite));
    let why = escaped(&format!(
        "{}: {} steps of {}, reward {:.2}",
        word(&score.failure_mode),
        score.steps,
        score.budget,
        score.reward
    ));
    if !score.counts() {
        format!("{head}>\n      <skipped message=\"the provider failed\"/>\n    </testcase>\n")
    } else if score.success {
        format!("{head}/>\n")
    } else {
        format!("{head}>\n      <failure message=\"{why}\">{}</failure>\n    </testcase>\n", escaped(&line.key))
    }
}

/// The word that an enum has in records.
fn word(value: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

/// Text for an attribute or a body. What XML cannot hold at all becomes a replacement character.
fn escaped(text: &str) -> String {
    let one = |letter: char| match letter {
        '&' => "&amp;".to_string(),
        '<' => "&lt;".to_string(),
        '>' => "&gt;".to_string(),
        '"' => "&quot;".to_string(),
        '\t' | '\n' | '\r' => format!("&#{};", letter as u32),
        letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => '\u{fffd}'.to_string(),
        letter => letter.to_string(),
    };
    text.chars().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(success: f64, episodes: u32) -> Summary {
        let metrics =
            record::grade::Metrics { success_rate: success, marks: success * 90.0, episodes, ..Default::default() };
        let agent = report::AgentSummary {
            agent: "mine".into(),
            suite: "srezero-40".into(),
            metrics,
            by_difficulty: Default::default(),
            by_task: Default::default(),
            skill_above_blind: None,
        };
        Summary { run: Default::default(), agents: vec![agent], blind_ceilings: Default::default() }
    }

    #[test]
    fn a_bar_that_is_not_reached_is_named() {
        let check = |gate: GateArgs, success: f64, episodes: u32, expect: &[&str]| {
            assert_eq!(gate.refusals(&summary(success, episodes)), expect);
        };
        let bar = |success, marks| GateArgs { min_success: success, min_marks: marks, junit: None };
        check(bar(None, None), 0.0, 0, &[]);
        check(bar(Some(0.8), None), 0.8, 10, &[]);
        check(bar(Some(0.8), None), 0.79995, 10, &["mine on srezero-40: success 0.799 is below 0.8"]);
        check(
            bar(Some(0.8), Some(50.0)),
            0.5,
            10,
            &["mine on srezero-40: success 0.5 is below 0.8", "mine on srezero-40: marks 45 is below 50"],
        );
        check(bar(Some(0.0), None), 0.0, 0, &["mine on srezero-40: no episode counts"]);
        for wrong in ["-0.1", "1.1", "NaN", "inf", "", "many"] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn text_of_others_stays_text() {
        assert_eq!(escaped("a<b>&\"c\"\n\u{7}"), "a&lt;b&gt;&amp;&quot;c&quot;&#10;\u{fffd}");
    }
}
