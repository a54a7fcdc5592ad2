//! Kubernetes as a plain value: objects, API, admission, controllers, scheduler, kubelets and network.
//!
//! A [`Cluster`] does no IO, reads no clock and holds no threads. It is handed requests ([`Cluster::call`]) and time
//! ([`Cluster::advance`]), and answers as the real thing would: the same seed and the same calls give the same bytes.
//! What happens inside containers is asked of [`Programs`].

mod access;
mod admission;
mod agenda;
pub mod api;
mod base64;
mod bootstrap;
mod certificate;
mod chance;
mod cluster;
mod controllers;
mod copy_on_write;
mod cron;
mod events;
pub mod exec;
pub mod json;
mod jsonpatch;
mod kubelet;
mod manager;
mod meta;
pub mod network;
mod program;
mod quantity;
mod request;
pub mod resource;
mod route;
mod scheduler;
mod schema;
mod select;
mod status;
mod store;
mod time;
mod write_json;
mod writer;
pub mod yaml;

pub use base64::{decode as from_base64, encode as base64};
pub use certificate::ServingCertificate;
pub use cluster::{Cluster, ClusterOptions, NodeOptions};
pub use cron::CronSchedule;
pub use program::{
    CallFigures, ContainerExit, ContainerRun, ExecCall, ExecEnd, HttpAnswer, HttpAsk, Launch, LogRecord, PlainPrograms,
    PortAnswer, ProbeAnswer, ProbeCheck, Programs, Pull, ResourceUse, ReviewAnswer, Toolbox, answer_http,
};
pub use quantity::Quantity;
pub use status::{ApiError, FieldError};
pub use store::{ObjectKey, StoreChange, Stored};
pub use time::{Stamp, age, human};
