//! The world as its instruments show it. Everything here is computed at the time of a look, from the
//! scraped rows; nothing here changes the world.

pub mod alerts;
pub mod health;
pub mod logs;
pub mod metrics;
pub mod registry;
mod requests;
pub mod traces;
