//! kubectl in process: the same commands and the same output as kubectl 1.32, without a process or a socket.
//!
//! A [`Terminal`] is what an operator sits at: an identity, a namespace, a few files and a shell. [`Terminal::run`] runs a
//! command line against a cluster. kubectl reaches the cluster through API requests alone, as the real one does, so it
//! can show nothing that the API does not. Commands that wait (`wait`, `rollout status`, `get -w`) let simulated time
//! pass.

mod client;
mod commands;
mod describe;
mod desk;
mod discovery;
mod dispatch;
mod failure;
mod flags;
mod go;
mod json;
mod kubectl;
mod manifest;
mod openssl;
mod patch;
mod print;
mod ssh;
mod tabs;
mod targets;
mod terminal;
mod url;

pub use shell::Output;
pub use terminal::Terminal;
