//! What a blind agent does: deeds, and the words at the end.

use crate::exploits::resolve;

/// One act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Restart a service.
    Restart(String),
    /// Set a key of a service.
    Set(String, String, String),
    /// Take a change back, by its id.
    Undo(String),
}

impl Deed {
    /// The call.
    pub fn call(&self) -> String {
        match self {
            Deed::Restart(service) => format!("restart_service({service})"),
            Deed::Set(service, key, value) => format!("update_config({service}, {key}, {value})"),
            Deed::Undo(id) => format!("rollback_change({id})"),
        }
    }

    /// The deed of a call, if it is one.
    pub fn of(call: &str) -> Option<Deed> {
        let (name, rest) = call.split_once('(')?;
        let inside = rest.trim_end().strip_suffix(')')?;
        let args: Vec<String> = inside.split(',').map(plain).collect();
        match (name.trim(), &args[..]) {
            ("restart_service", [service]) => Some(Deed::Restart(service.clone())),
            ("update_config", [service, key, value]) => Some(Deed::Set(service.clone(), key.clone(), value.clone())),
            ("rollback_change", [id]) => Some(Deed::Undo(id.clone())),
            _ => None,
        }
    }
}

/// An argument without its name and its quotes.
fn plain(arg: &str) -> String {
    let value = match arg.split_once('=') {
        Some((name, value)) if name.trim().bytes().all(|b| b.is_ascii_lowercase() || b == b'_') => value,
        _ => arg,
    };
    value.trim().trim_matches(['"', '\'']).to_string()
}

/// What is done, and what is said of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// The deeds, in order.
    pub deeds: Vec<Deed>,
    /// What is called the cause.
    pub cause: String,
    /// What is called the fix.
    pub fix: String,
    /// The same cause as structured answers, if there are some.
    pub causes: String,
}

impl Decision {
    /// Nothing is done: there is nothing to go by.
    pub fn nothing() -> Decision {
        Decision { cause: "it is not known".to_string(), fix: "nothing was done".to_string(), ..Decision::default() }
    }

    /// These deeds, in words of their own.
    pub fn of(deeds: Vec<Deed>, cause: String) -> Decision {
        let fix = deeds.iter().map(Deed::call).collect::<Vec<_>>().join(", then ");
        Decision { deeds, cause, fix, causes: String::new() }
    }

    /// The same with structured answers.
    pub fn exactly(self, causes: Option<String>) -> Decision {
        Decision { causes: causes.unwrap_or_default(), ..self }
    }

    /// The last call.
    pub fn resolution(&self) -> String {
        let clean = |text: &str| text.replace(['"', '\\', '\n'], " ");
        let call = resolve(&clean(&self.cause), &clean(&self.fix));
        match call.strip_suffix(')') {
            Some(open) if !self.causes.is_empty() => format!("{open}, causes=\"{}\")", clean(&self.causes)),
            _ => call,
        }
    }
}

/// What a solution says is the cause, from its last call.
pub fn cause_of(solution: &[String]) -> Option<String> {
    said(solution, "root_cause=\"")
}

/// The structured answers of a solution.
pub fn answers_of(solution: &[String]) -> Option<String> {
    said(solution, "causes=\"")
}

fn said(solution: &[String], name: &str) -> Option<String> {
    let last = solution.last().filter(|call| call.starts_with("resolve_incident"))?;
    Some(last.split_once(name)?.1.split_once('"')?.0.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeds_are_read_from_calls() {
        let check = |call: &str, expect: Option<&str>| assert_eq!(Deed::of(call).map(|d| d.call()).as_deref(), expect);
        check("restart_service(cache)", Some("restart_service(cache)"));
        check("update_config(service=cache, key=TTL, value=\"5\")", Some("update_config(cache, TTL, 5)"));
        check("rollback_change(4102)", Some("rollback_change(4102)"));
        check("inspect_logs(cache)", None);
        let solution = ["resolve_incident(root_cause=\"the cache, which crashed\", fix=\"restarted it\")".to_string()];
        assert_eq!(cause_of(&solution).as_deref(), Some("the cache, which crashed"));
    }
}
