//! One file per command: its arguments with their help, and what it does.

pub mod agents;
pub mod audit;
pub mod check;
pub mod cluster;
pub mod compare;
pub mod completions;
pub mod export;
pub mod generate;
pub mod mcp;
pub mod merge;
pub mod new_task;
pub mod play;
pub mod power;
pub mod prompts;
pub mod rehearse;
pub mod replay;
pub mod report;
pub mod rescore;
pub mod run;
pub mod schema;
pub mod serve;
pub mod show;
pub mod sweep;
pub mod tasks;
pub mod view;
