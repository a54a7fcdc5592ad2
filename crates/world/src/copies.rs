//! A world many times over.

use crate::config::KeyType;
use crate::services;
use crate::spec::{AppSpec, ServiceSpec, Spec, SpecText, host};

impl Spec {
    /// This world `n` times over, side by side: copy 3 of `cache` is `cache_3`. Copies share nothing but nodes.
    pub fn copies(&self, n: usize) -> Spec {
        let mut whole = Spec { nodes: self.nodes * n, ..Spec::default() };
        for copy in 1..=n {
            let renamed = |name: &str| format!("{name}_{copy}");
            for service in &self.services {
                let mut copied = ServiceSpec { name: renamed(&service.name), ..service.clone() };
                copied
                    .config
                    .extend(self.hosts_named_by(service).map(|(key, named)| (key, host(&renamed(&named)).into())));
                whole.services.push(copied);
            }
            for app in &self.apps {
                let mut app = AppSpec { name: renamed(&app.name), ..app.clone() };
                for route in &mut app.routes {
                    route.name = renamed(&route.name);
                    route.entry.rename(&renamed);
                }
                whole.apps.push(app);
            }
            whole.tickets.extend(self.tickets.iter().map(|t| match t.split_once('/') {
                Some((owner, rule)) => format!("{}/{rule}", renamed(owner)),
                None => renamed(t),
            }));
        }
        whole
    }

    /// Keys of a service that hold the host name of a service of this world, and that service's name.
    fn hosts_named_by<'s>(&'s self, service: &'s ServiceSpec) -> impl Iterator<Item = (SpecText, String)> + 's {
        let keys = services::of(service).map_or(&[][..], |kind| kind.keys());
        keys.iter().filter(|key| key.takes == KeyType::Host).filter_map(|key| {
            let value = service.config.get(key.name).map_or(key.default, |value| &**value);
            let named = self.services.iter().find(|s| host(&s.name) == value)?;
            Some((key.name.into(), named.name.clone()))
        })
    }
}
