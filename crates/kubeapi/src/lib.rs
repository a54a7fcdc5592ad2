//! A cluster for real clients: HTTPS on loopback around [`cluster::Cluster`].
//!
//! What is answered is decided in the crate `cluster`, which knows neither sockets nor clocks. This is how requests get
//! in and answers get out: certificates, tokens, compression, watches and streams, and the wall clock that moves the
//! simulated time.

mod admit;
mod body;
mod certificate;
mod clock;
mod error;
mod host;
mod kubeconfig;
mod listen;
mod manifest;
mod observe;
mod pretty;
mod reply;
mod respond;
mod served;
mod streams;

pub use clock::ServedClock;
pub use error::ApiServeError;
pub use host::ClusterHost;
pub use kubeconfig::kubeconfig;
pub use listen::ApiListener;
pub use manifest::{ManifestError, apply};
pub use observe::ObservabilityListener;
pub use served::{ServedCluster, WatchedCluster};
