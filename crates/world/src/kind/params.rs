//! The physical parameters of a service.

use std::ops::Index;

/// Values for all parameters of a kind.
#[derive(Clone, Debug)]
pub struct Params {
    /// Names and usual values, in the kind's order.
    usual: &'static [(&'static str, f64)],
    values: Vec<f64>,
}

impl Params {
    /// The usual ones of a kind.
    pub(crate) fn usual(usual: &'static [(&'static str, f64)]) -> Params {
        Params { usual, values: usual.iter().map(|(_, value)| *value).collect() }
    }

    /// The value of a parameter, if the kind has it.
    pub fn get(&self, name: &str) -> Option<&f64> {
        self.place(name).map(|at| &self.values[at])
    }

    /// Sets a parameter; says whether the kind has it.
    pub(crate) fn set(&mut self, name: &str, value: f64) -> bool {
        let place = self.place(name);
        place.into_iter().for_each(|at| self.values[at] = value);
        place.is_some()
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.usual.iter().position(|(known, _)| *known == name)
    }
}

impl Index<&str> for Params {
    type Output = f64;

    fn index(&self, name: &str) -> &f64 {
        self.get(name).unwrap_or_else(|| panic!("`{name}` is a parameter of the kind"))
    }
}
