//! The world as its instruments show it. Everything here is computed at the time of a look, from the
//! scraped rows; nothing here changes the world.

pub mod alerts;
pub mod baseline;
pub mod health;
pub mod logs;
pub mod metrics;
pub(crate) mod platform;
pub mod registry;
pub(crate) mod template;
pub mod traces;
