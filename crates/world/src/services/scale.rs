//! What a service has of its kind where its spec says nothing else, and multiples of it.

use super::find;
use crate::spec::ServiceSpec;

impl ServiceSpec {
    /// A physical parameter: its own, or that of its kind.
    pub fn param(&self, name: &str) -> f64 {
        let usual = || find(&self.kind)?.params().iter().find(|p| p.0 == name).map(|p| p.1);
        self.params.get(name).copied().or_else(usual).unwrap_or(1.0)
    }

    /// Multiplies a number that is set.
    pub fn scale_setting(&mut self, key: &'static str, by: f64) {
        let usual = || find(&self.kind)?.keys().iter().find(|k| k.name == key).map(|k| k.default.into());
        let set = self.config.get(key).cloned().or_else(usual).and_then(|text| text.parse::<f64>().ok());
        if let Some(number) = set {
            self.config.insert(key.into(), ((number * by).round() as i64).to_string().into());
        }
    }

    /// Multiplies a physical parameter.
    pub fn scale_param(&mut self, name: &'static str, by: f64) {
        self.set_param(name, self.param(name) * by);
    }
}
