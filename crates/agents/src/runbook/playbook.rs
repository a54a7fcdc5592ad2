//! What helps against what: remedies by the kind of sign, never by the incident.

use super::cures;
use super::history;
use super::loops;
use super::notebook::{Notebook, tier};
use super::reading::{LogLevel, LogRow, SettingRow};
use super::remedy::{Death, RunbookFix};
use super::values;
use super::words::{names_value, shared, telling};

/// A remedy and how well the signs speak for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Idea {
    /// How well the signs speak for it.
    pub score: f64,
    /// What to do.
    pub remedy: RunbookFix,
}

/// All remedies that something speaks for, the best first.
pub fn ideas(notebook: &Notebook) -> Vec<Idea> {
    let services = 0..notebook.sheets.len();
    let mut all: Vec<Idea> =
        services.flat_map(|at| restart(notebook, at).into_iter().chain(settings(notebook, at))).collect();
    // The handbook knows better than words that merely sound alike.
    let known: Vec<Idea> = (0..notebook.sheets.len()).flat_map(|at| cures::of(notebook, at)).collect();
    all.extend((0..notebook.sheets.len()).filter_map(|at| cures::slow_build(notebook, at)));
    all.retain(|idea| !known.iter().any(|own| own.remedy.is_like(&idea.remedy)));
    all.extend(known);
    all.extend(loops::of(notebook));
    all.sort_by(|a, b| b.score.total_cmp(&a.score));
    all
}

/// What is not in the handbook is a guess, however well it sounds.
const GUESS: f64 = 4.4;

/// What dead things write.
const DEAD: &[(&str, Death)] = &[
    ("out of memory", Death::Leak),
    ("heap nearly full", Death::Leak),
    ("gave up respawning", Death::Workers),
    ("worker", Death::Workers),
    ("", Death::Process),
];
/// The last words of a process.
pub const LAST_WORDS: &[&str] =
    &["not running", "terminated by signal", "exited with", "killed:", "gave up respawning"];

/// A dead process, dead workers and a leak are restarted.
fn restart(notebook: &Notebook, at: usize) -> Option<Idea> {
    let sheet = &notebook.sheets[at];
    let idea =
        |score: f64, why: Death| Some(Idea { score, remedy: RunbookFix::Restart { service: sheet.name.clone(), why } });
    if sheet.status.as_ref().is_some_and(|status| status.dead) {
        return idea(10.0, Death::Process);
    }
    let dying = |line: &&LogRow| LAST_WORDS.iter().any(|words| line.text.contains(words));
    if let Some(line) = notebook.own_lines(at).find(dying) {
        let why = DEAD.iter().find(|(words, _)| line.text.contains(words)).map_or(Death::Process, |(_, why)| *why);
        // A leak that came with a build comes back with it.
        let is_of_a_build = why == Death::Leak && history::shortly_before(notebook, at, "deploy").is_some();
        return if is_of_a_build { None } else { idea(8.0, why) };
    }
    let short = sheet.status.iter().flat_map(|status| &status.notes).any(|note| is_short(note));
    if short { idea(5.0, Death::Workers) } else { None }
}

/// `17 of 80 workers answer`: fewer than nine in ten.
fn is_short(note: &str) -> bool {
    let mut words = note.split(' ');
    let (left, of, right) = (words.next(), words.next(), words.next());
    let count = |word: Option<&str>| word.and_then(|word| word.parse::<f64>().ok());
    match (count(left), of, count(right)) {
        (Some(up), Some("of"), Some(all)) => note.contains("worker") && up < 0.9 * all,
        _ => false,
    }
}

fn settings(notebook: &Notebook, at: usize) -> Vec<Idea> {
    let read = notebook.sheets[at].config.iter().flatten();
    read.filter_map(|setting| idea(notebook, at, setting)).collect()
}

fn idea(notebook: &Notebook, at: usize, setting: &SettingRow) -> Option<Idea> {
    let service = &notebook.sheets[at].name;
    let own: Vec<&LogRow> = notebook.own_lines(at).collect();
    let all: Vec<&LogRow> = notebook.sheets[at].logs.iter().flatten().chain(notebook.blames(at)).collect();
    let off = off_state(setting);
    let is_switch = matches!(setting.value.as_str(), "true" | "false");
    if is_switch && off == 0.0 {
        return None;
    }
    let change = notebook
        .changes
        .iter()
        .flatten()
        .find(|c| c.service == *service && c.key == setting.key && c.to == setting.value);
    let to = change.map(|c| c.from.clone()).or_else(|| values::better(notebook, at, setting, &all))?;
    let is_name = setting.value.parse::<f64>().is_err() && !is_switch;
    let signs = lines_speak(setting, &all) + metrics_speak(notebook, at, setting);
    let score = signs + off + f64::from(u8::from(is_name)) * 2.0;
    let score = if is_victim(notebook, at, &own) { score * 0.6 } else { score }.min(GUESS);
    let remedy = RunbookFix::Set {
        service: service.clone(),
        key: setting.key.clone(),
        from: setting.value.clone(),
        to,
        change: change.map(|c| c.id.clone()),
    };
    Some(Idea { score, remedy })
}

/// A switch in a position in which one would not expect it. A credential that is not valid is never right.
fn off_state(setting: &SettingRow) -> f64 {
    let has = |word: &str| setting.key.contains(word);
    match setting.value.as_str() {
        "false" if has("VALID") => 3.0,
        "false" if has("ENABLED") || has("USE_") || has("INDEX") => 1.5,
        "true" if has("MAINTENANCE") || has("READ_ONLY") || has("DISABLE") || has("STICKY") || has("DEBUG") => 1.5,
        _ => 0.0,
    }
}

/// The line that speaks loudest for a key: it names the value, or the same things.
fn lines_speak(setting: &SettingRow, lines: &[&LogRow]) -> f64 {
    let (key, about) = (telling(&setting.key), telling(&setting.about));
    let one = |line: &&LogRow| {
        let words = telling(&line.text);
        let loud = if line.level == LogLevel::Error { 1.0 } else { 0.8 };
        let value = if names_value(&line.text, &setting.value) { 2.5 } else { 0.0 };
        let named = shared(&key, &words).min(2) as f64 + 0.4 * shared(&about, &words).min(3) as f64;
        loud * (value + named)
    };
    lines.iter().map(one).fold(0.0, f64::max)
}

/// The unusual metric that speaks loudest for a key.
fn metrics_speak(notebook: &Notebook, at: usize, setting: &SettingRow) -> f64 {
    let (key, about) = (telling(&setting.key), telling(&setting.about));
    let one = |name: &&str| {
        let words = telling(name);
        0.8 * shared(&key, &words).min(2) as f64 + 0.4 * shared(&about, &words).min(2) as f64
    };
    notebook.unusual(at).iter().map(one).fold(0.0, f64::max)
}

/// Whether a service only waits for one behind it that is in trouble, or was not looked at yet.
fn is_victim(notebook: &Notebook, at: usize, own: &[&LogRow]) -> bool {
    const WAITING: &[&str] = &["busy", "waiting", "wait ", "behind", "overloaded", "slow", "backlog"];
    let waits = own.iter().any(|line| WAITING.iter().any(|word| line.text.contains(word)));
    let depth = tier(&notebook.sheets[at].name);
    let open = |other: usize| {
        let sheet = &notebook.sheets[other];
        tier(&sheet.name) > depth
            && sheet.logs.as_ref().is_none_or(|lines| lines.iter().any(|l| l.level == LogLevel::Error))
    };
    waits && (0..notebook.sheets.len()).any(open)
}
