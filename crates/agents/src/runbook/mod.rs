//! `runbook`: a fair responder by rules. It sees the brief and the observations, and nothing else.
//!
//! It looks at what paged, follows the hosts that loud lines name, reads the configuration of the
//! most suspicious service, does what the playbook says of such signs, looks whether it helped, takes
//! back what did not, and says what it found.

#[cfg(test)]
mod laws;
mod notebook;
mod playbook;
#[cfg(test)]
mod playbook_tests;
mod reading;
#[cfg(test)]
mod reading_tests;
mod remedy;
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
        let history = brief.tools.iter().any(|tool| tool.name == "list_changes");
        let notebook = Notebook::new(&brief.page, &brief.services);
        Box::new(RunbookAgent {
            notebook,
            history,
            asked: LastAction::Nothing,
            tried: Vec::new(),
            stage: RunbookStage::Looking,
        })
    }
}

/// Signs this strong are acted upon at once.
const SURE: f64 = 4.5;
/// Weaker signs than these are no reason to touch anything.
const WORTH_A_TRY: f64 = 2.0;

/// What the last action asked for.
#[derive(Clone, Copy)]
enum LastAction {
    Nothing,
    LookKind(usize, LookKind),
    History,
}

/// How far it is.
enum RunbookStage {
    Looking,
    /// Something was done; next it looks whether that helped.
    Acted(Idea),
    /// The look at the metrics after the act is on its way.
    Checking(Idea),
}

struct RunbookAgent {
    notebook: Notebook,
    history: bool,
    asked: LastAction,
    tried: Vec<RunbookFix>,
    stage: RunbookStage,
}

impl Agent for RunbookAgent {
    fn act(&mut self, turn: &Turn<'_>) -> Move {
        self.read(turn.observation);
        let next = match std::mem::replace(&mut self.stage, RunbookStage::Looking) {
            RunbookStage::Looking => self.look_or_act(turn),
            RunbookStage::Acted(idea) if turn.steps_left < 2 => idea.remedy.resolve(&turn.brief.page),
            RunbookStage::Acted(idea) => {
                self.stage = RunbookStage::Checking(idea);
                let paged = self.notebook.paged();
                self.ask(paged, LookKind::Metrics)
            }
            RunbookStage::Checking(idea) => self.judge(idea, turn),
        };
        next.into()
    }
}

impl RunbookAgent {
    fn read(&mut self, observation: &str) {
        match std::mem::replace(&mut self.asked, LastAction::Nothing) {
            LastAction::Nothing => {}
            LastAction::LookKind(service, look) => self.notebook.note(service, look, observation),
            LastAction::History => self.notebook.changes = Some(reading::changes(observation)),
        }
    }

    /// Reads on while there are steps for it, unless the signs are clear already.
    fn look_or_act(&mut self, turn: &Turn<'_>) -> String {
        let best = self.best();
        let must = turn.steps_left <= 3;
        let clear = |idea: &Idea| idea.score >= SURE || (must && idea.score >= WORTH_A_TRY);
        if let Some(idea) = best.clone().filter(clear) {
            return self.try_out(idea);
        }
        if turn.steps_left > 2 {
            if self.history && self.notebook.changes.is_none() && turn.step > 1 {
                self.asked = LastAction::History;
                return "list_changes()".to_string();
            }
            if let Some((service, look)) = suspects::next_look(&self.notebook) {
                return self.ask(service, look);
            }
        }
        // Too late to see whether a guess helps: better nothing than that.
        match best {
            Some(idea) if turn.steps_left > 2 => self.try_out(idea),
            _ => give_up(),
        }
    }

    fn best(&self) -> Option<Idea> {
        playbook::ideas(&self.notebook)
            .into_iter()
            .find(|idea| !self.tried.iter().any(|tried| tried.is_like(&idea.remedy)))
    }

    fn try_out(&mut self, idea: Idea) -> String {
        let call = idea.remedy.call();
        self.tried.push(idea.remedy.clone());
        self.stage = RunbookStage::Acted(idea);
        call
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

    /// It helped, or the signs were clear: resolve. Otherwise take it back and think again: even where
    /// no time is left to do better, nothing is left worse.
    fn judge(&mut self, idea: Idea, turn: &Turn<'_>) -> String {
        if idea.score >= SURE || self.helped() {
            return idea.remedy.resolve(&turn.brief.page);
        }
        match idea.remedy.undo() {
            Some(undo) => undo,
            None => self.look_or_act(turn),
        }
    }

    /// Whether what paged is better than it was.
    fn helped(&self) -> bool {
        let page = &self.notebook.page;
        let metrics = self.notebook.sheets[self.notebook.paged()].metrics.iter().flatten();
        let now =
            metrics.into_iter().find(|metric| Some(&metric.name) == page.metric.as_ref()).and_then(|metric| metric.now);
        match (now, page.value) {
            (Some(now), Some(was)) if page.above => now < 0.8 * was,
            (Some(now), Some(was)) => now > 1.2 * was,
            _ => true,
        }
    }
}

fn give_up() -> String {
    "escalate(reason=\"no cause found that the signs would bear out\")".to_string()
}
