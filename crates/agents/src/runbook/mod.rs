//! `runbook`: a fair responder by rules. It sees the brief and the observations, and nothing else.
//!
//! It lists what fires, reads the lines of the most suspicious services, follows the hosts that loud lines name, does
//! what the handbook says of such signs, looks whether the page is gone, goes on until it is, takes back guesses that
//! did not help, and says what it found.

mod cures;
mod history;
#[cfg(test)]
mod laws;
mod loops;
mod notebook;
mod playbook;
#[cfg(test)]
mod playbook_tests;
mod reading;
#[cfg(test)]
mod reading_tests;
mod remedy;
mod signs;
mod steady;
mod suspects;
mod values;
mod words;

use harness::{Agent, AgentKind, Brief, Move, Start, Turn};

use notebook::{LookKind, Notebook};
use playbook::Idea;
use remedy::RunbookFix;

use crate::terminal::is_terminal;
use crate::terminal::runbook::RunbookAtTerminal;

/// The kind.
pub struct Runbook;

impl AgentKind for Runbook {
    fn name(&self) -> &'static str {
        "runbook"
    }

    fn about(&self) -> &'static str {
        "follows the page, loud lines and odd settings by general rules: an honest strong floor"
    }

    fn start(&self, brief: &Brief, _: Start<'_>) -> Box<dyn Agent> {
        if is_terminal(brief) {
            return Box::new(RunbookAtTerminal::default());
        }
        let has = |name: &str| brief.tools.iter().any(|tool| tool.name == name);
        Box::new(RunbookAgent {
            notebook: Notebook::new(&brief.page, &brief.services),
            has_history: has("list_changes"),
            has_alerts: has("list_alerts"),
            has_search: has("search_logs"),
            fresh: Vec::new(),
            asked: LastAction::Nothing,
            tried: Vec::new(),
            stands: Vec::new(),
            checks: 0,
        })
    }
}

/// Signs this strong are acted upon at once.
const SURE: f64 = 7.0;
/// Signs this strong are believed while a loop dies away.
const NEARLY_SURE: f64 = 6.0;
/// Weaker signs than these are no reason to touch anything.
const WORTH_A_TRY: f64 = 4.0;
/// Signs this strong are of a cause, no matter who else complains.
const CLEAR: f64 = 8.6;
/// An amount that lines this clear speak of is wrong, no matter who set it.
const NO_DOUBT: f64 = 9.0;
/// A sign this sure that was given once is worth looking for again.
const DOUBTED: f64 = 8.4;
/// What goes on is written again within so many minutes.
const AGAIN_MINUTES: u32 = 3;
/// With so many steps left or fewer there is only time to act.
const ROOM_TO_ASK: u32 = 4;
/// A fix shows within so many looks.
const PATIENCE: u32 = 2;
/// What piled up in a loop is gone within so many looks.
const SETTLING: u32 = 2;
/// With so many steps left or fewer an incident whose page is gone is closed.
const LAST_STEPS: u32 = 3;
/// With so many steps left or fewer there is no room to read the lines of every service first.
const ROOM_TO_LOOK: u32 = 8;
/// So often a setting is raised at most.
const TIMES: usize = 3;

/// What the last action asked for.
#[derive(Clone, Copy)]
enum LastAction {
    Nothing,
    LookKind(usize, LookKind),
    History,
    Alerts,
    /// A sign that a service gave once, looked for again.
    Again(usize, &'static str),
}

struct RunbookAgent {
    notebook: Notebook,
    has_history: bool,
    has_alerts: bool,
    has_search: bool,
    /// Services whose lines were read since the last act.
    fresh: Vec<usize>,
    asked: LastAction,
    /// All that was done.
    tried: Vec<RunbookFix>,
    /// What was done and not taken back, with how sure its signs were.
    stands: Vec<Idea>,
    /// How often it was looked for the effect of the last act.
    checks: u32,
}

impl Agent for RunbookAgent {
    fn act(&mut self, turn: &Turn<'_>) -> Move {
        self.read(turn.observation);
        let next = if self.stands.is_empty() { self.look_or_act(turn) } else { self.follow_up(turn) };
        next.into()
    }
}

impl RunbookAgent {
    fn read(&mut self, observation: &str) {
        match std::mem::replace(&mut self.asked, LastAction::Nothing) {
            LastAction::Nothing => {}
            LastAction::LookKind(service, look) => self.notebook.note(service, look, observation),
            LastAction::History => self.notebook.note_history(observation),
            LastAction::Again(service, cause) => self.notebook.note_again(service, cause, observation),
            LastAction::Alerts => self.notebook.alerts = Some(reading::alerts(observation)),
        }
    }

    /// Reads on while there are steps for it, unless the signs are clear already.
    fn look_or_act(&mut self, turn: &Turn<'_>) -> String {
        if let Some(look) = self.look_behind(turn) {
            return look;
        }
        if let Some(look) = self.look_before_acting(turn) {
            return look;
        }
        let best = self.best();
        let enough = if turn.steps_left <= 4 { WORTH_A_TRY } else { SURE };
        if let Some(idea) = best.clone().filter(|idea| idea.score >= enough) {
            return self.try_out(idea);
        }
        if let Some(look) = self.look_for_it_again(turn) {
            return look;
        }
        if let Some(look) = self.next_look(turn) {
            return look;
        }
        match best {
            Some(idea) if turn.steps_left > 1 => self.try_out(idea),
            _ => give_up(),
        }
    }

    /// Where work piles up, what is loud may be a consequence: the lines of all services are read before anything is done.
    fn look_behind(&mut self, turn: &Turn<'_>) -> Option<String> {
        if turn.steps_left <= ROOM_TO_LOOK || !loops::is_piled_up(&self.notebook) {
            return None;
        }
        match loops::unread(&self.notebook) {
            Some(at) => Some(self.ask(at, LookKind::Logs)),
            None => loops::unknown_setting(&self.notebook).map(|at| self.ask(at, LookKind::Config)),
        }
    }

    /// What fires first, who complains behind the one that is to be treated, and what was changed: a few looks that save
    /// treating a victim.
    fn look_before_acting(&mut self, turn: &Turn<'_>) -> Option<String> {
        if turn.steps_left <= ROOM_TO_ASK {
            return None;
        }
        if self.has_alerts && self.notebook.alerts.is_none() {
            return Some(self.list_alerts());
        }
        let idea = self.best()?;
        if let Some(at) = suspects::surer_unknown(&self.notebook, idea.score) {
            return Some(self.ask(at, LookKind::Config));
        }
        if idea.score < CLEAR
            && let Some(service) = self.notebook.sheets.iter().position(|sheet| sheet.name == idea.remedy.service())
            && let Some(behind) = suspects::unread_behind(&self.notebook, service)
        {
            return Some(self.ask(behind, LookKind::Logs));
        }
        let is_open = self.has_history && self.notebook.changes.is_none();
        let is_amount = idea.remedy.can_be_more() && idea.score < NO_DOUBT;
        (is_open && (is_amount || suspects::blames_a_release(&self.notebook))).then(|| self.list_changes())
    }

    /// A sign that was given once is looked for again: what goes on is still being written.
    fn look_for_it_again(&mut self, turn: &Turn<'_>) -> Option<String> {
        if !self.has_search || turn.steps_left <= ROOM_TO_ASK {
            return None;
        }
        let (at, sign) = self.notebook.doubtful(DOUBTED)?;
        self.asked = LastAction::Again(at, sign.cause);
        let name = &self.notebook.sheets[at].name;
        let words = sign.words[0].replace('"', "\\\"");
        Some(format!("search_logs({name}, level=warn, text=\"{words}\", minutes={AGAIN_MINUTES})"))
    }

    fn list_changes(&mut self) -> String {
        self.asked = LastAction::History;
        "list_changes()".to_string()
    }

    fn next_look(&mut self, turn: &Turn<'_>) -> Option<String> {
        if turn.steps_left <= 2 {
            return None;
        }
        if self.has_alerts && self.notebook.alerts.is_none() {
            return Some(self.list_alerts());
        }
        if let Some(service) = suspects::unknown_setting(&self.notebook) {
            return Some(self.ask(service, LookKind::Config));
        }
        if self.has_history && self.notebook.changes.is_none() && suspects::asks_for_history(&self.notebook) {
            return Some(self.list_changes());
        }
        let (service, look) = suspects::next_look(&self.notebook)?;
        Some(self.ask(service, look))
    }

    /// Something was done. The page is gone: resolve. Other signs are clear, or are still being written: go on. A guess that
    /// did not help is taken back: even where no time is left to do better, nothing is left worse.
    fn follow_up(&mut self, turn: &Turn<'_>) -> String {
        let is_gone = self.checks > 0 && !self.still_pages();
        let is_over = is_gone && (!self.still_fires() || turn.steps_left <= LAST_STEPS);
        if is_over || turn.steps_left <= 1 {
            return self.resolve(turn);
        }
        let settles = is_gone || self.tried.last().is_some_and(RunbookFix::breaks_a_loop);
        if self.checks == 0 || settles && self.checks < SETTLING {
            return self.check();
        }
        if let Some(idea) = self.best().filter(|idea| idea.score >= SURE) {
            return self.try_out(idea);
        }
        if let Some(idea) = self.still_said() {
            return self.try_out(idea);
        }
        if is_gone && !self.another_fires() {
            return self.resolve(turn);
        }
        if let Some(look) = self.look_for_it_again(turn) {
            return look;
        }
        if self.checks >= PATIENCE
            && !is_gone
            && let Some(undo) = self.take_back_a_guess(turn)
        {
            return undo;
        }
        if turn.steps_left <= 2 {
            return self.resolve(turn);
        }
        match self.look_again() {
            Some(look) => look,
            None => self.check(),
        }
    }

    /// Whether a service whose lines were not read since the last act still complains: something else is broken, too.
    fn another_fires(&self) -> bool {
        self.has_search
            && (0..self.notebook.sheets.len())
                .any(|at| !self.fresh.contains(&at) && suspects::is_alerted(&self.notebook, at))
    }

    /// What lines call for that were written after the last act: more of the same, too, if that was too little.
    fn still_said(&self) -> Option<Idea> {
        let is_open = |idea: &Idea| {
            let before = self.tried.iter().filter(|tried| tried.is_like(&idea.remedy));
            // How much is done at once stays as the loop was broken with.
            if before.clone().any(RunbookFix::breaks_a_loop) {
                return false;
            }
            before.count() < if idea.remedy.can_be_more() { TIMES } else { 1 }
        };
        let fresh = self.fresh.iter().flat_map(|at| cures::of(&self.notebook, *at));
        // Behind a broken loop its consequences die away: only what is nearly sure is a cause.
        let enough = if self.tried.iter().any(RunbookFix::breaks_a_loop) { NEARLY_SURE } else { 0.0 };
        fresh.filter(|idea| idea.score >= enough && is_open(idea)).max_by(|a, b| a.score.total_cmp(&b.score))
    }

    /// Reads what a service has written since the last act: first those that alerts are about.
    fn look_again(&mut self) -> Option<String> {
        if !self.has_search {
            return None;
        }
        let waiting = |at: &usize| !self.fresh.contains(at);
        if let Some(at) = suspects::unknown_setting(&self.notebook) {
            return Some(self.ask(at, LookKind::Config));
        }
        let next = (0..self.notebook.sheets.len()).filter(waiting).max_by(|a, b| {
            let of = |at: usize| suspects::alerted(&self.notebook, at);
            of(*a).total_cmp(&of(*b)).then(b.cmp(a))
        })?;
        self.fresh.push(next);
        self.asked = LastAction::LookKind(next, LookKind::Logs);
        Some(format!("search_logs({}, level=warn, minutes=1)", self.notebook.sheets[next].name))
    }

    fn take_back_a_guess(&mut self, turn: &Turn<'_>) -> Option<String> {
        let guess = self.stands.last().filter(|idea| idea.score < SURE)?;
        let undo = guess.remedy.undo().filter(|_| turn.steps_left > 1)?;
        self.stands.pop();
        self.checks = 0;
        Some(undo)
    }

    fn resolve(&self, turn: &Turn<'_>) -> String {
        let mut done = self.stands.clone();
        done.sort_by(|a, b| b.score.total_cmp(&a.score));
        let done: Vec<RunbookFix> = done.into_iter().map(|idea| idea.remedy).collect();
        RunbookFix::resolve(&done, &turn.brief.page)
    }

    fn best(&self) -> Option<Idea> {
        let is_new = |idea: &Idea| !self.tried.iter().any(|tried| tried.is_like(&idea.remedy));
        playbook::ideas(&self.notebook).into_iter().find(is_new)
    }

    fn try_out(&mut self, idea: Idea) -> String {
        let call = idea.remedy.call();
        self.tried.push(idea.remedy.clone());
        if let RunbookFix::Set { service, key, to, .. } | RunbookFix::Ease { service, key, to, .. } = &idea.remedy {
            self.notebook.set(service, key, to);
        }
        if idea.remedy.breaks_a_loop() {
            self.notebook.forget_lines();
        }
        self.stands.retain(|earlier| !earlier.remedy.is_like(&idea.remedy));
        self.stands.push(idea);
        self.checks = 0;
        self.fresh.clear();
        call
    }

    /// Looks whether it helped.
    fn check(&mut self) -> String {
        self.checks += 1;
        if self.has_alerts {
            return self.list_alerts();
        }
        let paged = self.notebook.paged();
        self.ask(paged, LookKind::Metrics)
    }

    fn list_alerts(&mut self) -> String {
        self.asked = LastAction::Alerts;
        "list_alerts()".to_string()
    }

    fn ask(&mut self, service: usize, look: LookKind) -> String {
        self.asked = LastAction::LookKind(service, look);
        let tool = match look {
            LookKind::Logs => "inspect_logs",
            LookKind::Config => "inspect_config",
            LookKind::Metrics => "inspect_metrics",
            LookKind::Status => "check_status",
        };
        format!("{tool}({})", self.notebook.sheets[service].name)
    }

    /// Whether an alert of a service still fires, page or ticket; routes take longer to recover.
    fn still_fires(&self) -> bool {
        let is_service = |owner: &str| self.notebook.sheets.iter().any(|sheet| sheet.name == owner);
        self.notebook.alerts.iter().flatten().any(|alert| alert.firing && is_service(&alert.owner))
    }

    /// Whether what paged goes on, as far as can be seen.
    fn still_pages(&self) -> bool {
        match &self.notebook.alerts {
            Some(alerts) => alerts.iter().any(|alert| alert.pages && alert.firing),
            None => !self.notebook.unusual(self.notebook.paged()).is_empty(),
        }
    }
}

fn give_up() -> String {
    "escalate(reason=\"no cause found that the signs would bear out\")".to_string()
}
