//! What solved a remembered incident, carried over to another one.

use harness::Example;

use super::deeds::{Decision, Deed, answers_of, cause_of};
use super::seen::Seen;

/// A remembered incident with its solution, ready to be compared.
pub struct Remembered {
    /// What is no symptom.
    pub seen: Seen,
    /// What solved it.
    pub deeds: Vec<Deed>,
    /// What was called the cause.
    pub cause: String,
    /// The same as structured answers.
    pub answers: String,
}

impl Remembered {
    /// Reads an example.
    pub fn of(example: &Example) -> Remembered {
        let deeds = example.solution.iter().filter_map(|call| Deed::of(call)).collect();
        let said = |of: fn(&[String]) -> Option<String>| of(&example.solution).unwrap_or_default();
        let (cause, answers) = (said(cause_of), said(answers_of));
        Remembered { seen: Seen::of_example(example), deeds, cause, answers }
    }

    /// The same deeds on what is here instead of what was there.
    pub fn apply(&self, here: &Seen) -> Decision {
        let (mut cause, mut answers) = (self.cause.clone(), self.answers.clone());
        for (at, name) in self.seen.services.iter().enumerate() {
            if let Some(other) = self.place(at, here) {
                cause = cause.replace(name.as_str(), &here.services[other]);
                answers = renamed(&answers, name, &here.services[other]);
            }
        }
        let deeds: Vec<Deed> = self.deeds.iter().filter_map(|deed| self.deed(deed, here)).collect();
        Decision::of(deeds, cause).exactly(Some(answers))
    }

    /// What kind of deeds they are, without names and numbers: what votes are counted by.
    pub fn kind(&self) -> String {
        let one = |deed: &Deed| match deed {
            Deed::Restart(service) => format!("restart {}", self.seen.find(service).map_or("", |s| self.seen.role(s))),
            Deed::Set(service, key, _) => {
                format!("set {} {key}", self.seen.find(service).map_or("", |s| self.seen.role(s)))
            }
            Deed::Undo(id) => {
                let row = self.seen.rows.iter().find(|row| row.id == *id);
                let what = row.map(|row| (super::seen::role(&row.service), row.setting().map_or("", |(key, _)| key)));
                format!("undo {what:?}")
            }
        };
        self.deeds.iter().map(one).collect::<Vec<_>>().join(" + ")
    }

    fn deed(&self, deed: &Deed, here: &Seen) -> Option<Deed> {
        let name = |service: &str| self.place(self.seen.find(service)?, here);
        match deed {
            Deed::Restart(service) => Some(Deed::Restart(here.services[name(service)?].clone())),
            Deed::Set(service, key, value) => {
                let (there, at) = (self.seen.find(service)?, name(service)?);
                let value = scaled(self.seen.value(there, key), value, here.value(at, key));
                Some(Deed::Set(here.services[at].clone(), key.clone(), value))
            }
            Deed::Undo(id) => {
                let row = self.seen.rows.iter().find(|row| row.id == *id)?;
                let at = name(&row.service)?;
                let own = here.rows.iter().rev().filter(|other| other.service == here.services[at]);
                let key = |row: &crate::exploits::history::HistoryRow| row.setting().map(|(key, _)| key.to_string());
                let mut same = own.clone().filter(|other| key(other) == key(row));
                same.next().or(own.clone().next()).map(|row| Deed::Undo(row.id.clone()))
            }
        }
    }

    /// The service here that stands for one there.
    fn place(&self, there: usize, here: &Seen) -> Option<usize> {
        if self.seen.paged == Some(there) && here.paged.is_some_and(|at| here.role(at) == self.seen.role(there)) {
            return here.paged;
        }
        let same = here.find(&self.seen.services[there]);
        let of_role = || here.by_nearness().into_iter().find(|&at| here.role(at) == self.seen.role(there));
        same.or_else(of_role)
    }
}

/// Structured answers about another service.
fn renamed(answers: &str, from: &str, to: &str) -> String {
    let one = |answer: &str| match answer.trim().strip_prefix(from) {
        Some(rest) if rest.starts_with('/') => format!("{to}{rest}"),
        _ => answer.trim().to_string(),
    };
    answers.split(';').map(one).collect::<Vec<_>>().join("; ")
}

/// A value for here: the one that helped there if the same stands here, else moved by the same factor.
fn scaled(before: Option<&str>, value: &str, now: Option<&str>) -> String {
    let number = |text: &str| text.parse::<f64>().ok().filter(|n| *n > 0.0);
    match (before.and_then(number), number(value), now.and_then(number)) {
        (Some(before), Some(after), Some(now)) if before != now => format!("{:.0}", (now * after / before).max(1.0)),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_move_by_the_factor_that_helped() {
        let check = |before, value, now, expect: &str| assert_eq!(scaled(before, value, now), expect);
        check(Some("5"), "300", Some("5"), "300");
        check(Some("5"), "300", Some("10"), "600");
        check(Some("false"), "true", Some("false"), "true");
        check(None, "300", Some("10"), "300");
    }
}
