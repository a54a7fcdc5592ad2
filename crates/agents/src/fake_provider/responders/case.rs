//! An incident, read back from a conversation: the brief, and what was observed since.

use harness::{Brief, ToolDoc, ToolSet};

use crate::fake_provider::prompt::IncomingPrompt;

/// What a conversation tells of an incident.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The brief, as far as its text tells it.
    pub brief: Brief,
    /// What was observed, in order. Without history this is the latest observation alone.
    pub observations: Vec<String>,
    /// Whether the observations are all that there were.
    pub whole: bool,
}

impl Case {
    /// Reads the first brief in a conversation. What follows it in the same message is the latest
    /// observation of an agent that keeps no history; otherwise every later message is one.
    pub fn read(prompt: &IncomingPrompt) -> Option<Case> {
        let said: Vec<&str> = prompt.said_by_user().collect();
        let found = said.iter().enumerate().find_map(|(at, text)| Some((at + 1, brief(text)?)));
        let (at, (brief, rest)) = found.or_else(|| Some((0, brief(&prompt.system)?)))?;
        let later = &said[at..];
        if later.is_empty() && prompt.answers() == 0 {
            let latest = Some(bare(rest)).filter(|rest| !rest.is_empty());
            return Some(Case { brief, observations: latest.into_iter().map(str::to_string).collect(), whole: false });
        }
        Some(Case { brief, observations: later.iter().map(|text| bare(text).to_string()).collect(), whole: true })
    }
}

/// An observation without the word that some prompts put before it.
fn bare(text: &str) -> &str {
    let text = text.trim_start();
    text.strip_prefix("Observation:").unwrap_or(text).trim()
}

/// The brief in a text, and what stands behind it.
fn brief(text: &str) -> Option<(Brief, &str)> {
    let start = text.find(": you are on call")?;
    let start = text[..start].rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let end = end_of_tools(text, start)?;
    let (own, rest) = (&text[start..end], &text[end..]);
    let line = |prefix: &str| own.lines().find_map(|line| line.strip_prefix(prefix));
    // `PAGE 12:13:15 cache/down: ...`
    let page = line("PAGE ")?.split_once(' ')?.1.to_string();
    let services: Vec<String> = line("Services: ")?.trim_end_matches('.').split(", ").map(str::to_string).collect();
    let steps = own.split_once(" actions,")?.0.rsplit(' ').next()?.parse().ok()?;
    let tools = tools(own, &services);
    let has_all = |set: &&ToolSet| tools.iter().all(|tool| set.find(tool.name).is_some());
    let toolset = ToolSet::ALL.iter().copied().find(|set| has_all(&set)).unwrap_or(ToolSet::FULL);
    let incident = own.split_once(": ")?.0.to_string();
    Some((Brief { incident, text: own.to_string(), page, services, tools, steps, toolset, messages: None }, rest))
}

/// Where the list of tools ends, which ends the brief.
fn end_of_tools(text: &str, start: usize) -> Option<usize> {
    const OPENING: &str = "Actions:\n";
    let mut end = start + text[start..].find(OPENING)? + OPENING.len();
    while text[end..].starts_with("- ") {
        end += text[end..].find('\n').map_or(text.len() - end, |at| at + 1);
    }
    Some(end)
}

fn tools(text: &str, services: &[String]) -> Vec<ToolDoc> {
    let named = |line: &str| ToolSet::FULL.find(line.strip_prefix("- ")?.split_once('(')?.0);
    text.lines().filter_map(named).map(|tool| ToolDoc::of(tool, services)).collect()
}
