//! An object as it is stored: a JSON tree, the longest list of which may be written out only when it is read.

use std::any::Any;
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

/// An object as it is stored: a JSON tree that is never changed in place.
///
/// Reading it gives the whole tree. Addresses behind a Service are written at every step of every pod, and hardly any of
/// these versions is ever read; so their list is kept as what it is made of until then.
#[derive(Clone, Debug)]
pub struct Stored(Arc<Tree>);

#[derive(Debug)]
enum Tree {
    Whole(Value),
    Short { head: Value, list: Box<dyn LongList>, whole: OnceLock<Value> },
}

/// The part of an object that is written out when it is read.
pub(crate) trait LongList: Any + Debug + Send + Sync {
    /// Adds the list to the rest of its object.
    fn write_out(&self, object: &mut Value);
}

impl Stored {
    /// An object without its list; reading the object adds it.
    pub(crate) fn short(head: Value, list: impl LongList) -> Self {
        Self(Arc::new(Tree::Short { head, list: Box::new(list), whole: OnceLock::new() }))
    }

    /// The object, maybe without its list: for who reads only metadata.
    pub(crate) fn head(&self) -> &Value {
        match &*self.0 {
            Tree::Whole(whole) => whole,
            Tree::Short { head, .. } => head,
        }
    }

    /// What the list is made of, if it is one of these.
    pub(crate) fn list<T: LongList>(&self) -> Option<&T> {
        match &*self.0 {
            Tree::Whole(_) => None,
            Tree::Short { list, .. } => (&**list as &dyn Any).downcast_ref(),
        }
    }

    /// Whether both are the same version of the same object. Equal objects may be told apart.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The same number for the same version, as long as one of its copies lives.
    pub(crate) fn identity(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }
}

impl From<Value> for Stored {
    fn from(whole: Value) -> Self {
        Self(Arc::new(Tree::Whole(whole)))
    }
}

impl Deref for Stored {
    type Target = Value;

    fn deref(&self) -> &Value {
        match &*self.0 {
            Tree::Whole(whole) => whole,
            Tree::Short { head, list, whole } => whole.get_or_init(|| {
                let mut object = head.clone();
                list.write_out(&mut object);
                object
            }),
        }
    }
}

impl AsRef<Value> for Stored {
    fn as_ref(&self) -> &Value {
        self
    }
}

impl PartialEq for Stored {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || **self == **other
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug)]
    struct Names(Vec<&'static str>);

    impl LongList for Names {
        fn write_out(&self, object: &mut Value) {
            object["names"] = json!(self.0);
        }
    }

    #[test]
    fn a_list_is_there_when_it_is_read() {
        let stored = Stored::short(json!({"kind": "Roll"}), Names(vec!["a", "b"]));
        assert_eq!(stored.head(), &json!({"kind": "Roll"}));
        assert_eq!(stored.list::<Names>().map(|names| names.0.len()), Some(2));
        assert_eq!(*stored, json!({"kind": "Roll", "names": ["a", "b"]}));
        let whole = Stored::from(json!({"kind": "Roll", "names": ["a", "b"]}));
        assert_eq!(stored, whole);
        assert!(!stored.is_same(&whole) && stored.is_same(&stored.clone()));
        assert!(whole.list::<Names>().is_none() && whole.head() == &*whole);
    }
}
