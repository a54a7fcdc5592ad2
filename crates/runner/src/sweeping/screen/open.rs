//! The terminal: taken when the view opens, given back on every way out.

use std::io::{self, BufWriter, IsTerminal, Stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use harness::{Stop, StopReason};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};

use super::About;
use super::draw::{draw, log_rows};
use super::snapshot::Snapshot;
use super::ui::{ScreenAction, Ui};
use crate::say;
use crate::sweeping::live::Live;
use crate::sweeping::pause::{interrupt, leave};

/// The view is drawn once in this time.
const FRAME: Duration = Duration::from_millis(100);

/// Whether this program has the terminal now.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// A full-screen view that is open. It draws to standard error, so that results can go elsewhere.
pub struct Screen {
    live: Live,
    /// Doubts that were told before it opened.
    doubts: usize,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Whether this build has a full-screen view.
pub fn check() -> anyhow::Result<()> {
    Ok(())
}

/// Gives the terminal back, if this program has it, and tells what was kept back meanwhile.
pub fn restore() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        // A terminal that is gone needs nothing back.
        let _ = disable_raw_mode();
        let _ = execute!(io::stderr(), LeaveAlternateScreen, Show);
        say::release();
    }
}

impl Screen {
    /// Opens it; without a terminal that is told, and the run goes on without.
    pub fn open(live: &Live, stop: &Stop, about: About) -> Option<Screen> {
        if !io::stderr().is_terminal() || !io::stdin().is_terminal() {
            say::note("no full-screen view: standard input and error are not a terminal; going on without it");
            return None;
        }
        let terminal = match take() {
            Ok(terminal) => terminal,
            Err(why) => {
                restore();
                say::note(&format!("no full-screen view: {why}; going on without it"));
                return None;
            }
        };
        let over = Arc::new(AtomicBool::new(false));
        let view = View { live: live.clone(), stop: stop.clone(), about, over: over.clone() };
        let thread = thread::spawn(move || {
            let _back = Back;
            if let Err(why) = view.run(terminal) {
                restore();
                say::note(&format!("the full-screen view is gone: {why}; the run goes on"));
            }
        });
        let doubts = live.look().doubts.len();
        Some(Screen { live: live.clone(), doubts, over, thread: Some(thread) })
    }

    /// Gives the terminal back.
    pub fn close(self) {}
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // Whatever became of the view was told by its thread.
        let _ = self.thread.take().map(JoinHandle::join);
        restore();
        // A thread that panicked while looking has told more than this would.
        if !thread::panicking()
            && let Some(text) = self.live.look().doubted(self.doubts)
        {
            say::note(&text);
        }
    }
}

/// Gives the terminal back even if the view panics. The sweep goes on then.
struct Back;

impl Drop for Back {
    fn drop(&mut self) {
        restore();
        if thread::panicking() {
            say::note("the full-screen view is gone; the run goes on");
        }
    }
}

type Face = Terminal<CrosstermBackend<BufWriter<Stderr>>>;

fn take() -> io::Result<Face> {
    TAKEN.store(true, Ordering::SeqCst);
    say::hold();
    enable_raw_mode()?;
    execute!(io::stderr(), EnterAlternateScreen)?;
    Terminal::new(CrosstermBackend::new(BufWriter::new(io::stderr())))
}

struct View {
    live: Live,
    stop: Stop,
    about: About,
    over: Arc<AtomicBool>,
}

impl View {
    fn run(&self, mut terminal: Face) -> io::Result<()> {
        let mut ui = Ui::default();
        while !self.over.load(Ordering::Relaxed) {
            let (now, seen) = (Instant::now(), self.look());
            ui.page = log_rows(terminal.size()?.into(), &seen);
            terminal.draw(|frame| draw(frame, &seen, &ui))?;
            self.keys(&mut ui, &seen, now + FRAME)?;
        }
        Ok(())
    }

    fn look(&self) -> Snapshot {
        let seen = Snapshot::of(&self.live.look(), Instant::now());
        seen.with(&self.about, self.stop.why().map(ToString::to_string).as_deref(), say::last_held())
    }

    /// Keys are heard until the next frame is due.
    fn keys(&self, ui: &mut Ui, seen: &Snapshot, until: Instant) -> io::Result<()> {
        loop {
            let wait = until.saturating_duration_since(Instant::now());
            if wait.is_zero() || !event::poll(wait)? {
                return Ok(());
            }
            if let Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
            {
                match ui.key(key, seen) {
                    Some(ScreenAction::Pause) => self.stop.ask(StopReason::Paused),
                    // The view says so while the run is stopping, whatever the reason.
                    Some(ScreenAction::Interrupt) if self.stop.is_asked() => leave(),
                    Some(ScreenAction::Interrupt) => interrupt(&self.stop),
                    None => {}
                }
            }
        }
    }
}
