//! The viewer: a web application for one person on their own machine. [`ask`] and [`routes`] answer
//! requests as plain functions; [`http`] is the only file that knows of sockets.

mod ask;
mod assets;
mod board;
mod calls;
mod chosen;
mod episode;
mod film;
mod filter;
mod guard;
mod http;
mod human;
mod index;
mod library;
mod live;
mod play;
mod routes;
mod saved;
#[cfg(test)]
mod stage;
#[cfg(test)]
mod tests;
mod tools;

pub use human::{Desk, HumanTurn};

use std::net::SocketAddr;
use std::path::Path;

use harness::ScenarioCache;

/// A person opens a few episodes at a time.
const SCENARIOS_KEPT: usize = 16;

/// All that the viewer knows.
pub struct ViewerState {
    guard: guard::Guard,
    library: library::Library,
    scenarios: ScenarioCache,
    table: play::PlayTable,
    watch: live::RunWatch,
    films: film::FilmShelf,
}

impl ViewerState {
    /// The viewer of a folder, at an address.
    pub fn new(root: &Path, address: SocketAddr, token: Option<&str>) -> anyhow::Result<ViewerState> {
        let app = ViewerState {
            guard: guard::Guard::new(address, token)?,
            library: library::Library::new(root),
            scenarios: ScenarioCache::new(SCENARIOS_KEPT),
            table: play::PlayTable::default(),
            watch: live::RunWatch::default(),
            films: film::FilmShelf::default(),
        };
        app.table.restore(&app.library, &app.scenarios);
        Ok(app)
    }
}

/// Serves the runs of a folder until Ctrl-C; `ready` is told the address, with the token in it. Without a `token` one
/// is drawn.
pub fn serve(root: &Path, address: SocketAddr, token: Option<&str>, ready: impl FnOnce(&str)) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = http::listen(address).await?;
        let app = ViewerState::new(root, listener.address()?, token)?;
        ready(&app.guard.address());
        http::serve(listener, app).await;
        Ok(())
    })
}
