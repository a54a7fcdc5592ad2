//! Services as people call them.

/// A service that has more names than its own.
#[derive(Clone, Copy, Debug)]
pub struct Component {
    /// Its name in the world.
    pub name: &'static str,
    /// What people call it, separated by `|`.
    pub aliases: &'static str,
}

/// Services with nicknames, of the kinds that records without aliases have. Any other service is known by its own name, with `_`, `-` or a space.
pub const ALL: &[Component] = &[
    Component {
        name: "web_server",
        aliases: "\
            web | web server | webserver | web tier | web app | web node | app | app server | application | \
            application server | frontend | front end | storefront | api server",
    },
    Component {
        name: "database",
        aliases: "\
            database | data base | db | postgres | postgresql | pg | mysql | sql server | datastore | rdbms",
    },
    Component {
        name: "cache",
        aliases: "\
            cache | redis | memcached | memcache | caching layer | cache tier | cache layer",
    },
    Component {
        name: "message_queue",
        aliases: "\
            message queue | queue | mq | broker | message broker | rabbitmq | rabbit | kafka | sqs | job queue | \
            messaging | queueing system | consumer",
    },
    Component {
        name: "load_balancer",
        aliases: "\
            load balancer | loadbalancer | balancer | lb | edge | edge proxy | proxy | reverse proxy | \
            haproxy | nginx | ingress | gateway | elb | alb",
    },
];

/// The service of the catalogue that a service is one of, by the end of its name: `orders_database` is a
/// `database`.
pub fn sort(service: &str) -> Option<&'static str> {
    let is_one = |name: &str| service.strip_suffix(name).is_some_and(|owner| owner.ends_with('_'));
    ALL.iter().map(|component| component.name).find(|name| is_one(name))
}

/// The names that people use for a service.
pub fn names(service: &str) -> Vec<&str> {
    let known = ALL.iter().find(|component| component.name == service);
    let aliases = known.into_iter().flat_map(|component| component.aliases.split('|').map(str::trim));
    std::iter::once(service).chain(aliases).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_service_is_known_by_its_own_name() {
        assert_eq!(names("cart-worker"), ["cart-worker"]);
        assert!(names("database").contains(&"postgres"));
        assert_eq!(sort("orders_message_queue"), Some("message_queue"));
        assert_eq!((sort("database"), sort("orders"), sort("mydatabase")), (None, None, None));
    }
}
