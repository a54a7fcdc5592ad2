//! The problems that the program carries.

use std::sync::{Arc, LazyLock};

use crate::problem::ClusterProblem;

/// Names and texts of the repository's problem files, sorted by name.
static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/problems.rs"));

static CARRIED: LazyLock<Vec<Arc<ClusterProblem>>> = LazyLock::new(|| {
    let read = |(id, text): &(&str, &str)| ClusterProblem::parse(id, text).map(Arc::new);
    FILES
        .iter()
        .map(read)
        .collect::<Result<_, _>>()
        .unwrap_or_else(|error| panic!("a shipped problem is invalid: {error}"))
});

/// The problems that the program carries, sorted by id.
pub fn carried() -> &'static [Arc<ClusterProblem>] {
    &CARRIED
}

/// The problem of that id.
pub fn find(id: &str) -> Option<&'static Arc<ClusterProblem>> {
    carried().iter().find(|problem| problem.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_valid() {
        for (id, text) in FILES {
            assert_eq!(ClusterProblem::parse(id, text).err(), None);
        }
        assert!(carried().iter().all(|problem| find(&problem.id).is_some()));
        assert!(find("no-such-problem").is_none());
    }

    #[test]
    fn there_are_enough_cases_of_mitigations() {
        let right: usize = carried().iter().map(|problem| problem.file.right.len()).sum();
        let wrong: usize = carried().iter().map(|problem| problem.file.wrong.len()).sum();
        assert!(right >= 60 && wrong >= 120, "{right} right, {wrong} wrong");
    }
}
