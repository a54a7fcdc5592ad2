//! Where an object stands.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Where an object stands. The resource is `pods` or `deployments.apps`; cluster-wide objects have no namespace.
///
/// Keys are compared more often than anything else. Those of what is stored share their resource and namespace, so that only
/// the names need be read.
#[derive(Clone, Debug)]
pub struct ObjectKey {
    /// Plural name and group, as errors write it.
    pub resource: Arc<str>,
    /// Empty for what is not in a namespace.
    pub namespace: Arc<str>,
    /// Unique among its kind in its namespace.
    pub name: Arc<str>,
}

impl ObjectKey {
    /// The key of a resource, a namespace and a name.
    pub fn new(resource: &str, namespace: &str, name: &str) -> Self {
        Self { resource: resource.into(), namespace: namespace.into(), name: name.into() }
    }

    /// Takes over texts that are equal to its own.
    pub(super) fn share(&mut self, resource: &Arc<str>, namespace: Option<&Arc<str>>) {
        assert_eq!(self.resource, *resource, "only equal texts are shared");
        self.resource = resource.clone();
        if let Some(namespace) = namespace {
            assert_eq!(self.namespace, *namespace, "only equal texts are shared");
            self.namespace = namespace.clone();
        }
    }

    fn parts(&self) -> [&Arc<str>; 3] {
        [&self.resource, &self.namespace, &self.name]
    }
}

impl Ord for ObjectKey {
    /// By resource, namespace and name.
    fn cmp(&self, other: &Self) -> Ordering {
        let mut parts = self.parts().into_iter().zip(other.parts());
        let differ = parts.find_map(|(own, other)| {
            let order = if Arc::ptr_eq(own, other) { Ordering::Equal } else { own.cmp(other) };
            order.is_ne().then_some(order)
        });
        differ.unwrap_or(Ordering::Equal)
    }
}

impl PartialOrd for ObjectKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ObjectKey {
    fn eq(&self, other: &Self) -> bool {
        // Names differ most often.
        self.parts().into_iter().zip(other.parts()).rev().all(|(own, other)| Arc::ptr_eq(own, other) || own == other)
    }
}

impl Eq for ObjectKey {}

impl Hash for ObjectKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_ordered_by_their_texts() {
        let check = |one: [&str; 3], two: [&str; 3], expect: Ordering| {
            let key = |[resource, namespace, name]: [&str; 3]| ObjectKey::new(resource, namespace, name);
            let (one, mut two) = (key(one), key(two));
            assert_eq!(one.cmp(&two), expect, "{one:?} {two:?}");
            assert_eq!(one == two, expect.is_eq(), "{one:?} {two:?}");
            if one.resource == two.resource {
                let namespace = (one.namespace == two.namespace).then_some(&one.namespace);
                two.share(&one.resource, namespace);
                assert_eq!(one.cmp(&two), expect, "shared {one:?} {two:?}");
                assert_eq!(two.cmp(&one), expect.reverse(), "shared {one:?} {two:?}");
            }
        };
        check(["pods", "shop", "a"], ["pods", "shop", "a"], Ordering::Equal);
        check(["pods", "shop", "a"], ["pods", "shop", "b"], Ordering::Less);
        check(["pods", "shop", "a"], ["pods", "bank", "b"], Ordering::Greater);
        check(["nodes", "shop", "z"], ["pods", "bank", "b"], Ordering::Less);
    }
}
