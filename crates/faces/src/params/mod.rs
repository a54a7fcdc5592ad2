//! The kinds of parameters that several tools share.

mod causes;
mod named;
mod settings;
mod text;
mod values;

use crate::param::Param;

pub use causes::CAUSES;
pub use named::{ALERT, METRIC, ROUTE, SERVICE_NAME};
pub use settings::{KEY, SETTING};
pub use text::{PROSE, WORDS};
pub(crate) use values::read_level;
pub use values::{CHANGE, LEVEL, Whole};

/// The service, which most tools take first.
pub const SERVICE: Param = Param::needed("service", SERVICE_NAME);
