//! What is asked of the generator, checked: a request that cannot be met says what is possible.

use faces::near_hint;
use serde::Serialize;
use world::faults::{self, Family};

use super::topology::{LEAST, MOST, USUALLY_MOST};
use crate::task::Difficulty;

/// What kinds of incidents to generate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GeneratorOptions {
    /// Families of faults, by name.
    pub families: Vec<String>,
    /// The easiest and the hardest that is wanted.
    pub difficulty: (Difficulty, Difficulty),
    /// The fewest and the most services of a world.
    pub services: (usize, usize),
}

impl Default for GeneratorOptions {
    fn default() -> GeneratorOptions {
        GeneratorOptions {
            families: Family::ALL.iter().filter(|f| has_faults(**f)).map(|f| f.text().to_string()).collect(),
            difficulty: (Difficulty::Easy, Difficulty::Hard),
            services: (LEAST, USUALLY_MOST),
        }
    }
}

impl GeneratorOptions {
    /// Reads a request: family names, a band `easy..hard` or one difficulty, a range `3..50` or one number.
    pub fn parse(
        families: &[String],
        difficulty: Option<&str>,
        services: Option<&str>,
    ) -> Result<GeneratorOptions, String> {
        let usual = GeneratorOptions::default();
        Ok(GeneratorOptions {
            families: if families.is_empty() { usual.families } else { read_families(families)? },
            difficulty: difficulty.map_or(Ok(usual.difficulty), read_band)?,
            services: services.map_or(Ok(usual.services), read_range)?,
        })
    }

    /// Whether a task of this difficulty is wanted.
    pub(super) fn wants(&self, difficulty: Difficulty) -> bool {
        (self.difficulty.0..=self.difficulty.1).contains(&difficulty)
    }

    /// The same request gives the same text, another one another.
    pub(super) fn text(&self) -> String {
        let (easiest, hardest) = self.difficulty;
        let (fewest, most) = self.services;
        format!("{}/{}..{}/{fewest}..{most}", self.families.join(","), easiest.text(), hardest.text())
    }
}

fn has_faults(family: Family) -> bool {
    faults::ALL.iter().any(|f| f.family() == family)
}

fn read_families(names: &[String]) -> Result<Vec<String>, String> {
    let known: Vec<&str> = Family::ALL.iter().filter(|f| has_faults(**f)).map(|f| f.text()).collect();
    for name in names {
        if !known.contains(&name.as_str()) {
            let hint = near_hint(name, &known);
            return Err(format!("unknown family `{name}`{hint}; there are {}", known.join(", ")));
        }
    }
    Ok(known.iter().filter(|k| names.iter().any(|n| n == *k)).map(|k| k.to_string()).collect())
}

fn read_band(text: &str) -> Result<(Difficulty, Difficulty), String> {
    let wrong = || format!("difficulty `{text}`: write easy, medium, hard or a band such as easy..medium");
    let one = |name: &str| Difficulty::ALL.into_iter().find(|d| d.text() == name.trim()).ok_or_else(wrong);
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    let band = (one(low)?, one(high)?);
    if band.0 > band.1 {
        return Err(format!("difficulty `{text}`: nothing lies in that band; write {high}..{low}"));
    }
    Ok(band)
}

fn read_range(text: &str) -> Result<(usize, usize), String> {
    let possible = format!("a world has {LEAST} to {MOST} services; write one number or a range such as 5..20");
    let one = |part: &str| part.trim().parse::<usize>().map_err(|_| format!("services `{text}`: {possible}"));
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    let (low, high) = (one(low)?, one(high)?);
    if low > high {
        return Err(format!("services `{text}`: nothing lies in that range; write {high}..{low}"));
    }
    if low < LEAST || high > MOST {
        return Err(format!("services `{text}`: {possible}"));
    }
    Ok((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_impossible_request_says_what_is_possible() {
        let check = |families: &str, difficulty: Option<&str>, services: Option<&str>, expect: &str| {
            let families: Vec<String> = families.split(',').filter(|f| !f.is_empty()).map(Into::into).collect();
            let found = GeneratorOptions::parse(&families, difficulty, services).map_or_else(|e| e, |o| o.text());
            assert!(found.starts_with(expect), "{found}");
        };
        check("crash", Some("medium"), Some("5"), "crash/medium..medium/5..5");
        check("crash,configuration", Some("easy..hard"), Some("3..50"), "configuration,crash/easy..hard/3..50");
        check("crashes", None, None, "unknown family `crashes` (did you mean `crash`?); there are configuration, ");
        check("", Some("hard..easy"), None, "difficulty `hard..easy`: nothing lies in that band; write easy..hard");
        check("", Some("insane"), None, "difficulty `insane`: write easy, medium, hard or a band such as easy..medium");
        check("", None, Some("0"), "services `0`: a world has 3 to 5000 services; write one number or a range");
        check("", None, Some("9..4"), "services `9..4`: nothing lies in that range; write 4..9");
        check("", None, Some("many"), "services `many`: a world has 3 to 5000 services");
    }
}
