//! A part of a cluster that clones share until one of them changes it.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A value that costs one counter to clone; the first change after that copies it.
///
/// Clusters are cloned far more often than their clones change everything, so each part is copied only when needed.
#[derive(Debug, Default)]
pub(crate) struct CopyOnWrite<T>(Arc<T>);

impl<T> Clone for CopyOnWrite<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> From<T> for CopyOnWrite<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T> Deref for CopyOnWrite<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for CopyOnWrite<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_parts_the_clones() {
        let mut one = CopyOnWrite::from(vec![1]);
        let other = one.clone();
        assert!(std::ptr::eq(&*one, &*other), "nothing is copied by the clone");
        one.push(2);
        assert_eq!((one.len(), other.len()), (2, 1));
    }
}
