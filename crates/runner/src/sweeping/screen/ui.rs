//! What the person at the terminal chose to see, and what the keys do to it.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::snapshot::Snapshot;

/// What is chosen. Keys change it, drawing only reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ui {
    /// Where the arrows act.
    pub pane: Pane,
    /// What lies over everything else.
    pub over: Overlay,
    /// The target that is selected, by name: new ones appear before and after it.
    pub target: Option<String>,
    /// The first of the running episodes that is shown.
    pub running: usize,
    /// The message after the last one that is shown; without it the view follows the newest.
    pub log: Option<u64>,
    /// Columns by which messages are moved to the left.
    pub aside: u16,
    /// Messages that there is room for.
    pub page: usize,
}

/// A part of the screen where the arrows can act.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// The table of targets.
    #[default]
    Targets,
    /// The episodes being played.
    Running,
    /// The messages.
    Log,
}

/// What lies over everything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlay {
    /// Nothing.
    #[default]
    Nothing,
    /// The keys.
    Help,
    /// All about the selected target.
    Detail,
    /// Whether to pause.
    Pause,
}

/// What the person wants of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScreenAction {
    /// Stop before the next step, as the pause file does.
    Pause,
    /// What Ctrl-C does.
    Interrupt,
}

impl Ui {
    /// What a key does, given what is seen.
    pub fn key(&mut self, key: KeyEvent, seen: &Snapshot) -> Option<ScreenAction> {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return (key.code == KeyCode::Char('c')).then_some(ScreenAction::Interrupt);
        }
        match (self.over, key.code) {
            (Overlay::Pause, code) => return self.answer(code),
            (Overlay::Help | Overlay::Detail, KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q')) => {
                self.over = Overlay::Nothing
            }
            (Overlay::Help, KeyCode::Char('?')) => self.over = Overlay::Nothing,
            (_, KeyCode::Char('?')) => self.over = Overlay::Help,
            (_, KeyCode::Char('p')) if seen.stopping.is_none() => self.over = Overlay::Pause,
            (Overlay::Nothing, KeyCode::Char('q')) => return Some(ScreenAction::Interrupt),
            (Overlay::Nothing, KeyCode::Tab) => self.pane = self.pane.next(),
            (Overlay::Nothing, KeyCode::BackTab) => self.pane = self.pane.next().next(),
            (Overlay::Nothing, KeyCode::Enter) if self.pane == Pane::Targets && !seen.targets.is_empty() => {
                self.over = Overlay::Detail;
            }
            (Overlay::Detail, code) => self.select(code, seen),
            (Overlay::Nothing, code) => match self.pane {
                Pane::Targets => self.select(code, seen),
                Pane::Running => self.running = moved(code, self.running, 0, seen.running.len().saturating_sub(1), 10),
                Pane::Log => self.scroll(code, seen),
            },
            (Overlay::Help, _) => {}
        }
        None
    }

    /// The place of the selected target in the table.
    pub fn selected(&self, seen: &Snapshot) -> usize {
        let name = self.target.as_deref();
        seen.targets.iter().position(|(target, _)| Some(target.as_str()) == name).unwrap_or(0)
    }

    fn answer(&mut self, code: KeyCode) -> Option<ScreenAction> {
        let wish = match code {
            KeyCode::Char('y' | 'Y') | KeyCode::Enter => Some(ScreenAction::Pause),
            KeyCode::Char('n' | 'N' | 'q') | KeyCode::Esc => None,
            _ => return None,
        };
        self.over = Overlay::Nothing;
        wish
    }

    fn select(&mut self, code: KeyCode, seen: &Snapshot) {
        let last = seen.targets.len().saturating_sub(1);
        let at = self.selected(seen);
        let to = moved(code, at, 0, last, 10);
        if to != at {
            self.target = seen.targets.get(to).map(|(name, _)| name.clone());
        }
    }

    fn scroll(&mut self, code: KeyCode, seen: &Snapshot) {
        match code {
            KeyCode::Left => self.aside = self.aside.saturating_sub(ASIDE),
            KeyCode::Right => self.aside = self.aside.saturating_add(ASIDE),
            _ => {
                let (least, most) = (seen.first() as usize + self.page, seen.said as usize);
                let at = self.log.map_or(most, |at| at as usize);
                let to = moved(code, at, least.min(most), most, self.page.max(1));
                self.log = (to < most).then_some(to as u64);
            }
        }
    }
}

/// So many columns the messages move with one key.
const ASIDE: u16 = 16;

impl Pane {
    fn next(self) -> Pane {
        match self {
            Pane::Targets => Pane::Running,
            Pane::Running => Pane::Log,
            Pane::Log => Pane::Targets,
        }
    }
}

fn moved(code: KeyCode, at: usize, least: usize, most: usize, page: usize) -> usize {
    let to = match code {
        KeyCode::Up | KeyCode::Char('k') => at.saturating_sub(1),
        KeyCode::Down | KeyCode::Char('j') => at + 1,
        KeyCode::PageUp => at.saturating_sub(page),
        KeyCode::PageDown => at + page,
        KeyCode::Home => least,
        KeyCode::End => most,
        _ => at,
    };
    to.clamp(least, most)
}

#[cfg(test)]
#[path = "ui_tests.rs"]
mod tests;
