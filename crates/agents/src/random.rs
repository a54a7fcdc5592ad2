//! `random`: throws dice over the eight published actions. It learns nothing, so it marks the floor.
//!
//! Key names are the ones that operators of such services would guess first, and those that it
//! happened to read; nothing here comes from an incident.

use harness::{Agent, AgentKind, Brief, Move, Start, Turn};

use crate::dice::Dice;
use crate::terminal::is_terminal;
use crate::terminal::random::RandomAtTerminal;

/// The kind.
pub struct Random;

impl AgentKind for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn about(&self) -> &'static str {
        "throws dice over the eight actions, every ninth time an invalid one: the floor"
    }

    fn start(&self, brief: &Brief, Start { seed, .. }: Start<'_>) -> Box<dyn Agent> {
        if is_terminal(brief) {
            return Box::new(RandomAtTerminal::new(seed));
        }
        Box::new(RandomAgent { dice: Dice::new(seed), seen: Vec::new(), asked: None })
    }
}

/// So many actions of a hundred are invalid, as in the published baseline.
const INVALID: usize = 11;

/// Keys worth a guess, by a word in the service's name.
const KEYS: &[(&str, &[&str])] = &[
    ("web", &["TIMEOUT_MS", "MAX_WORKERS"]),
    ("data", &["DB_POOL_SIZE", "QUERY_TIMEOUT_MS"]),
    ("cache", &["TTL_SECONDS", "MAX_MEMORY_MB"]),
    ("queue", &["CONSUMER_CONCURRENCY", "RETRY_LIMIT"]),
    ("balancer", &["MAX_CONNECTIONS", "IDLE_TIMEOUT_MS"]),
];
/// Numbers of the size that such keys have: milliseconds are many, everything else is few.
const MANY: &[&str] = &["1000", "2000", "2500", "3000", "5000", "8000", "10000", "20000", "30000"];
const FEW: &[&str] = &["64", "70", "72", "75", "80", "90", "96", "100"];
const CAUSES: &[&str] = &["high load", "a bad deploy", "network trouble", "a slow dependency", "a full disk", "a bug"];
const FIXES: &[&str] = &["restarted it", "changed the configuration", "waited", "scaled it up", "rolled it back"];
const PROSE: &[&str] = &["I would look at the logs first.", "Let me think about this.", "Please fix it.", "???", ""];

struct RandomAgent {
    dice: Dice,
    /// Service, key and value of what was read; a service is an index into the brief's list.
    seen: Vec<(usize, String, String)>,
    /// The service whose configuration was asked for last.
    asked: Option<usize>,
}

impl Agent for RandomAgent {
    fn act(&mut self, turn: &Turn<'_>) -> Move {
        if turn.brief.messages.is_some() {
            return self.letter(&turn.brief.text).into();
        }
        if let Some(service) = self.asked.take() {
            self.remember(service, turn.observation);
        }
        let at = self.dice.below(turn.brief.services.len());
        let service = turn.brief.services.get(at).map_or("", String::as_str);
        let invalid = self.dice.percent(INVALID);
        if invalid { self.invalid(service) } else { self.valid(at, service) }.into()
    }
}

impl RandomAgent {
    /// One of the letters that a question offers; prose where it offers none.
    fn letter(&mut self, question: &str) -> String {
        let letters = letters(question);
        if letters.is_empty() {
            return self.dice.pick(PROSE).to_string();
        }
        letters[self.dice.below(letters.len())].to_string()
    }

    fn valid(&mut self, at: usize, service: &str) -> String {
        match self.dice.below(8) {
            0 => call("inspect_logs", &[service]),
            1 => call("inspect_metrics", &[service]),
            2 => call("check_status", &[service]),
            3 => {
                self.asked = Some(at);
                call("inspect_config", &[service])
            }
            4 => call("restart_service", &[service]),
            5 => self.setting(at, service),
            6 => {
                let (cause, fix) = (self.dice.pick(CAUSES), self.dice.pick(FIXES));
                let text = [service, ": ", cause].concat();
                call("resolve_incident", &[&quoted(&text), &quoted(fix)])
            }
            _ => call("escalate", &[&quoted(self.dice.pick(CAUSES))]),
        }
    }

    fn setting(&mut self, at: usize, service: &str) -> String {
        let read = self.seen.iter().filter(|(of, ..)| *of == at).count();
        let guesses = KEYS.iter().find(|(word, _)| service.contains(word)).map_or(&[][..], |(_, keys)| *keys);
        let n = self.dice.below(read + guesses.len());
        if n < guesses.len() {
            return call("update_config", &[service, guesses[n], number(guesses[n], &mut self.dice)]);
        }
        match self.seen.iter().filter(|(of, ..)| *of == at).nth(n - guesses.len()) {
            Some((_, key, value)) => call("update_config", &[service, key, &other(key, value, &mut self.dice)]),
            // Nothing to go by: a look tells the keys.
            None => call("inspect_config", &[service]),
        }
    }

    fn invalid(&mut self, service: &str) -> String {
        match self.dice.below(5) {
            0 => call("inspect_log", &[service]),
            1 => call("check_status", &[self.dice.pick(&["payments", "search_index", "node-7"])]),
            2 => "restart_service()".to_string(),
            3 => call("update_config", &[service]),
            _ => self.dice.pick(PROSE).to_string(),
        }
    }

    fn remember(&mut self, service: usize, observation: &str) {
        let upper = |word: &str| word.len() > 3 && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
        for line in observation.lines().skip(1) {
            let mut words = line.split_ascii_whitespace();
            let (Some(key), Some(value)) = (words.next(), words.next()) else { continue };
            if upper(key) && !self.seen.iter().any(|(of, known, _)| *of == service && known == key) {
                self.seen.push((service, key.to_string(), value.to_string()));
            }
        }
    }
}

/// The letters that head the choices of a question.
pub(crate) fn letters(question: &str) -> Vec<char> {
    let heads = |letter: &char| question.lines().any(|line| line == format!("Choice {letter}:"));
    ('A'..='J').take_while(heads).collect()
}

/// Another value of the same type, as far as one can see.
fn other(key: &str, value: &str, dice: &mut Dice) -> String {
    match value {
        "true" => "false".to_string(),
        "false" => "true".to_string(),
        _ if value.parse::<u64>().is_ok() => number(key, dice).to_string(),
        _ => value.to_string(),
    }
}

fn number(key: &str, dice: &mut Dice) -> &'static str {
    dice.pick(if key.ends_with("_MS") { MANY } else { FEW })
}

fn quoted(text: &str) -> String {
    ["\"", text, "\""].concat()
}

/// `tool(a, b)` in one allocation: this agent is what benchmarks run.
fn call(tool: &str, args: &[&str]) -> String {
    let mut out = String::with_capacity(tool.len() + 2 + args.iter().map(|a| a.len() + 2).sum::<usize>());
    out.push_str(tool);
    out.push('(');
    for (n, arg) in args.iter().enumerate() {
        out.push_str(if n > 0 { ", " } else { "" });
        out.push_str(arg);
    }
    out.push(')');
    out
}
