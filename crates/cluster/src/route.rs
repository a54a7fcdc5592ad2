//! Which thing a path names.

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// `/api` or `/apis`: the groups.
    Groups {
        /// Whether the core group is asked for.
        core: bool,
    },
    /// `/apis/apps`.
    Group(String),
    /// `/apis/apps/v1`.
    Version(String, String),
    /// A resource, an object or a part of one.
    Object(ApiTarget),
    /// `/version`, `/healthz`, `/openapi/v3/...`, or a path that no handler knows.
    Other(String),
}

/// The resource, object or part that a path names; what it does not name is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ApiTarget {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) resource: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) subresource: String,
    /// The rest of the path behind `proxy`.
    pub(crate) rest: String,
    /// The old form of a watch: `/api/v1/watch/pods`.
    pub(crate) is_watch: bool,
}

/// Reads a path.
pub(crate) fn parse(path: &str) -> Route {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        ["api"] => Route::Groups { core: true },
        ["apis"] => Route::Groups { core: false },
        ["api", version] => Route::Version(String::new(), (*version).into()),
        ["apis", group] => Route::Group((*group).into()),
        ["apis", group, version] => Route::Version((*group).into(), (*version).into()),
        ["api", version, rest @ ..] => Route::Object(target("", version, rest)),
        ["apis", group, version, rest @ ..] => Route::Object(target(group, version, rest)),
        _ => Route::Other(path.trim_end_matches('/').into()),
    }
}

fn target(group: &str, version: &str, rest: &[&str]) -> ApiTarget {
    let (is_watch, rest) = match rest {
        ["watch", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (namespace, rest) = match rest {
        ["namespaces", _, "status" | "finalize"] => ("", rest),
        ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (*namespace, rest),
        rest => ("", rest),
    };
    let part = |at: usize| rest.get(at).copied().unwrap_or_default().to_string();
    ApiTarget {
        group: group.into(),
        version: version.into(),
        resource: part(0),
        namespace: namespace.into(),
        name: part(1),
        subresource: part(2),
        rest: rest.get(3..).unwrap_or_default().join("/"),
        is_watch,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_things() {
        let check = |path: &str, expect: &str| {
            let Route::Object(t) = parse(path) else { panic!("{path} names an object") };
            let all = [t.group, t.version, t.namespace, t.resource, t.name, t.subresource, t.rest];
            assert_eq!(all.join("|"), expect, "{path}");
        };
        check("/api/v1/pods", "|v1||pods|||");
        check("/api/v1/namespaces", "|v1||namespaces|||");
        check("/api/v1/namespaces/shop", "|v1||namespaces|shop||");
        check("/api/v1/namespaces/shop/status", "|v1||namespaces|shop|status|");
        check("/api/v1/namespaces/shop/pods/a/log", "|v1|shop|pods|a|log|");
        check("/apis/apps/v1/namespaces/shop/deployments/a/scale/", "apps|v1|shop|deployments|a|scale|");
        check("/api/v1/namespaces/shop/services/a:80/proxy/x/y", "|v1|shop|services|a:80|proxy|x/y");
        assert_eq!(parse("/apis/"), Route::Groups { core: false });
        assert_eq!(parse("/version/"), Route::Other("/version".into()));
    }
}
