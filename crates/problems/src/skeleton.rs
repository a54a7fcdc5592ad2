//! A commented problem file to start from.

/// The file: a whole problem that is certified as it stands, with a comment on every field.
pub fn problem_skeleton() -> &'static str {
    include_str!("skeleton.toml")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::problem_skeleton;
    use crate::{ClusterProblem, SiteShelf, certify, verdict_on};

    #[test]
    fn it_is_certified_as_it_stands() {
        let problem = Arc::new(ClusterProblem::parse("mine", problem_skeleton()).expect("it is valid"));
        let scene = SiteShelf::default().scene(&problem, 0).expect("it can be set up");
        let failed: Vec<_> = certify(&scene).into_iter().filter(|check| !check.ok).collect();
        assert!(failed.is_empty(), "{failed:?}");
        let is_right = |commands: &[String]| verdict_on(&scene, commands).iter().all(|check| check.ok);
        assert!(problem.file.right.iter().all(|case| is_right(&case.commands)));
        assert!(problem.file.wrong.iter().all(|case| !is_right(&case.commands)));
    }
}
