//! Which episodes are shown, in which order, and what else there is to choose from.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use harness::grade::columns;
use harness::sweep::EpisodeLine;

use super::ask::{Query, ViewRefusal};

/// An episode with the id of its run.
#[derive(Clone, Copy)]
pub struct EpisodeRow<'a> {
    /// The run.
    pub run: &'a str,
    /// The episode.
    pub line: &'a EpisodeLine,
}

/// Something that episodes are told apart by: its name in a query, and its value.
pub type Facet = (&'static str, fn(&EpisodeRow<'_>) -> String);

/// All that can be filtered by value.
pub const FACETS: &[Facet] = &[
    ("run", |row| row.run.to_string()),
    ("agent", |row| row.line.score.agent.to_string()),
    ("task", |row| row.line.score.task.to_string()),
    ("suite", |row| row.line.score.suite.to_string()),
    ("difficulty", |row| row.line.score.difficulty.to_string()),
    ("split", |row| row.line.score.split.to_string()),
    ("family", |row| row.line.score.family.to_string()),
    ("success", |row| outcome(row.line).to_string()),
    ("end", |row| word(&row.line.score.end)),
    ("failure", |row| row.line.score.failure_mode.name().to_string()),
    ("seed", |row| row.line.score.seed.to_string()),
    ("noise", |row| row.line.noise.to_string()),
    ("tools", |row| row.line.tools.to_string()),
];

/// Facets with more values than this are chosen by typing.
const MOST_CHOICES: usize = 400;

/// Whether an episode was a success; one whose provider failed was neither.
pub fn outcome(line: &EpisodeLine) -> &'static str {
    match (line.score.counts(), line.score.success) {
        (false, _) => "missing",
        (true, true) => "yes",
        (true, false) => "no",
    }
}

/// The word that a value has in files.
pub fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(str::to_string)).unwrap_or_default()
}

/// What is asked for.
#[derive(Default)]
pub struct Filter {
    /// Per facet the values that will do; none means all.
    wanted: Vec<Vec<String>>,
    /// Words that must all occur.
    words: Vec<String>,
}

impl Filter {
    /// Reads it from a query.
    pub fn of(query: &Query) -> Filter {
        let wanted = FACETS.iter().map(|(name, _)| query.all(name).map(str::to_string).collect()).collect();
        let words = query.one("q").unwrap_or_default().split_whitespace().map(str::to_lowercase).collect();
        Filter { wanted, words }
    }

    /// The rows that fit.
    pub fn apply<'a>(&self, rows: &[EpisodeRow<'a>]) -> Vec<EpisodeRow<'a>> {
        rows.iter().filter(|row| self.misses(row).next().is_none() && self.reads(row)).copied().collect()
    }

    /// Per facet its values, each with the number of rows that fit otherwise.
    pub fn choices(&self, rows: &[EpisodeRow<'_>]) -> BTreeMap<&'static str, BTreeMap<String, usize>> {
        let mut counts = vec![BTreeMap::<String, usize>::new(); FACETS.len()];
        for row in rows.iter().filter(|row| self.reads(row)) {
            let mut misses = self.misses(row);
            let (first, second) = (misses.next(), misses.next());
            for (at, (_, value)) in FACETS.iter().enumerate() {
                // A row counts for a facet if nothing but that facet keeps it out.
                if first.is_none() || (first == Some(at) && second.is_none()) {
                    *counts[at].entry(value(row)).or_default() += 1;
                }
            }
        }
        let few = |(at, counts): (usize, BTreeMap<String, usize>)| {
            (counts.len() <= MOST_CHOICES).then_some((FACETS[at].0, counts))
        };
        counts.into_iter().enumerate().filter_map(few).collect()
    }

    /// The facets that keep a row out.
    fn misses<'f>(&'f self, row: &'f EpisodeRow<'_>) -> impl Iterator<Item = usize> + 'f {
        let asked = self.wanted.iter().enumerate().filter(|(_, wanted)| !wanted.is_empty());
        asked.filter(|(at, wanted)| !wanted.contains(&FACETS[*at].1(row))).map(|(at, _)| at)
    }

    fn reads(&self, row: &EpisodeRow<'_>) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let score = &row.line.score;
        let text = [
            row.run,
            &row.line.key,
            &score.suite,
            &score.difficulty,
            &score.split,
            &score.family,
            score.failure_mode.name(),
            &word(&score.end),
            outcome_text(row.line),
        ];
        let text = text.join(" ").to_lowercase();
        self.words.iter().all(|word| text.contains(word))
    }
}

fn outcome_text(line: &EpisodeLine) -> &'static str {
    match outcome(line) {
        "yes" => "success resolved",
        "no" => "failure failed",
        _ => "missing provider",
    }
}

type Order = fn(&EpisodeRow<'_>, &EpisodeRow<'_>) -> Ordering;

/// What rows can be ordered by.
const ORDERS: &[(&str, Order)] = &[
    ("run", |a, b| a.run.cmp(b.run)),
    ("agent", |a, b| a.line.score.agent.cmp(&b.line.score.agent)),
    ("task", |a, b| a.line.score.task.cmp(&b.line.score.task)),
    ("seed", |a, b| a.line.score.seed.cmp(&b.line.score.seed)),
    ("difficulty", |a, b| hardness(a).cmp(&hardness(b))),
    ("success", |a, b| outcome(a.line).cmp(outcome(b.line))),
    ("steps", |a, b| a.line.score.steps.cmp(&b.line.score.steps)),
    ("end", |a, b| word(&a.line.score.end).cmp(&word(&b.line.score.end))),
    ("failure", |a, b| a.line.score.failure_mode.name().cmp(b.line.score.failure_mode.name())),
];

fn hardness(row: &EpisodeRow<'_>) -> usize {
    ["easy", "medium", "hard"].iter().position(|d| *d == row.line.score.difficulty).unwrap_or(3)
}

fn optional(one: Option<f64>, other: Option<f64>) -> Ordering {
    one.unwrap_or(f64::INFINITY).total_cmp(&other.unwrap_or(f64::INFINITY))
}

/// Puts rows in the order that a query asks for: `sort=reward`, or `sort=-reward` for the other way.
pub fn sort(rows: &mut [EpisodeRow<'_>], query: &Query) -> Result<(), ViewRefusal> {
    let Some(asked) = query.one("sort") else { return Ok(()) };
    let name = asked.trim_start_matches('-');
    let unknown = || ViewRefusal::bad(format!("episodes cannot be ordered by `{name}`"));
    match ORDERS.iter().find(|(order, _)| *order == name) {
        Some((_, order)) => rows.sort_by(order),
        None => {
            let (_, column) = columns::of_episodes().find(|(_, column)| column.name == name).ok_or_else(unknown)?;
            rows.sort_by(|a, b| optional(column.of(&a.line.score), column.of(&b.line.score)));
        }
    }
    if asked.starts_with('-') {
        rows.reverse();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::stage::line;
    use super::*;

    fn lines() -> Vec<EpisodeLine> {
        let mut lines: Vec<EpisodeLine> = (0..6).map(|n| line(if n < 4 { "quick" } else { "slow" }, n)).collect();
        for (at, line) in lines.iter_mut().enumerate() {
            line.score.reward = at as f64 / 10.0;
            line.score.success = at % 2 == 0;
        }
        lines[5].score.difficulty = "brutal".into();
        lines
    }

    fn check(query: &str, expect: &[u64]) {
        let (lines, query) = (lines(), Query::parse(query));
        let rows: Vec<EpisodeRow<'_>> = lines.iter().map(|line| EpisodeRow { run: "nightly", line }).collect();
        let mut found = Filter::of(&query).apply(&rows);
        sort(&mut found, &query).expect("the order is known");
        assert_eq!(found.iter().map(|row| row.line.score.seed).collect::<Vec<_>>(), expect, "{query:?}");
    }

    #[test]
    fn episodes_are_found_by_anything() {
        check("", &[0, 1, 2, 3, 4, 5]);
        check("agent=slow", &[4, 5]);
        check("agent=slow&agent=quick&success=yes", &[0, 2, 4]);
        check("success=no&seed=3", &[3]);
        check("run=other", &[]);
        check("difficulty=brutal", &[5]);
        check("q=SLOW", &[4, 5]);
        check("q=quick failed", &[1, 3]);
        check("q=nightly+brutal", &[5]);
        check("agent=slow&sort=-reward", &[5, 4]);
        check("sort=-seed&success=yes", &[4, 2, 0]);
    }

    #[test]
    fn an_unknown_order_is_refused() {
        let refused = sort(&mut [], &Query::parse("sort=beauty")).expect_err("there is no such order");
        assert_eq!(refused.why, "episodes cannot be ordered by `beauty`");
    }

    #[test]
    fn a_choice_shows_what_choosing_it_would_give() {
        let lines = lines();
        let rows: Vec<EpisodeRow<'_>> = lines.iter().map(|line| EpisodeRow { run: "nightly", line }).collect();
        let choices = Filter::of(&Query::parse("agent=slow&success=yes")).choices(&rows);
        assert_eq!(choices["agent"], BTreeMap::from([("quick".to_string(), 2), ("slow".to_string(), 1)]));
        assert_eq!(choices["success"], BTreeMap::from([("no".to_string(), 1), ("yes".to_string(), 1)]));
        assert_eq!(choices["seed"], BTreeMap::from([("4".to_string(), 1)]));
        for (query, expect) in [("agent=slow", 2), ("agent=slow&success=yes", 1)] {
            assert_eq!(Filter::of(&Query::parse(query)).apply(&rows).len(), expect);
        }
    }
}
