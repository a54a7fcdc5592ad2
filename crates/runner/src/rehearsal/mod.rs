//! The rehearsal provider on a socket. HTTP is written by hand here because this server must misbehave
//! on purpose: close connections, stop in the middle, promise lengths that are not kept.

mod deliver;
mod http;
mod journal;
mod server;
#[cfg(test)]
mod server_tests;

pub use journal::{Journal, JournalCounts};
pub use server::Server;
