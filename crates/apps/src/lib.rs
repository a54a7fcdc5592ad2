//! Applications in a cluster: what containers do, and how requests fare.
//!
//! A container runs a *program*, which is data: where it reads its settings, what it needs to start, what it listens on,
//! what it calls at which addresses, what that costs, and how it words its troubles. Requests enter at load generators
//! that run as pods and follow the configured addresses through DNS, Services, endpoints and policies; each hop fails
//! for its own reason. A [`Fleet`] is all programs of a cluster; a [`Site`] is a cluster with its fleet.
//!
//! This crate does no IO and knows no fault: what breaks is a state of objects, nodes, disks, images, credentials or
//! data, and everything that is seen follows from it.

mod catalogue;
mod change;
mod fleet;
mod ground;
mod happen;
mod ingress;
mod instance;
mod journal;
mod manifest;
mod node;
mod pages;
mod physics;
mod plan;
mod reach;
mod route;
mod scatter;
mod settings;
mod site;
mod spec;
pub mod stores;
mod words;

pub use catalogue::{AppCatalogue, CatalogueError};
pub use change::{RegistryState, SiteChange, SiteChangeError};
pub use fleet::Fleet;
pub use journal::{EdgeFigures, FleetLine};
pub use manifest::ManifestRefusal;
pub use pages::PagingAlert;
pub use site::{RouteStanding, Site, SiteError, SiteOptions};
pub use spec::{ApplicationSpec, ContainerProgram};
