//! Levelling: of many candidates keep those that leave no shortcut above chance.
//!
//! The audit's own rules tell for every candidate which shortcuts would get it right. Candidates that feed the rule that
//! is furthest above chance are dropped first. This is selection, not repair: no question is changed by it.

use world::Seed;

use crate::ask::shuffle;
use crate::{Expected, Question, audit};

/// How far above chance a rule may stay, as a share.
const TOLERANCE: f64 = 0.012;

/// Keeps `wanted` candidates of one family, in the order of their ids.
pub fn level(mut candidates: Vec<Question>, wanted: usize, seed: u64) -> Vec<Question> {
    shuffle(&mut candidates, Seed(seed), "level");
    let excess = excess(&candidates);
    let kept = keep(&excess, wanted);
    let mut kept: Vec<Question> = kept.into_iter().map(|at| candidates[at].clone()).collect();
    kept.sort_by(|one, other| one.id.cmp(&other.id));
    kept
}

/// For each candidate and rule what it is credited above chance. Letters are left out: keys are placed later.
fn excess(candidates: &[Question]) -> Vec<Vec<f64>> {
    let credits = audit::credits(candidates);
    let above = |(question, credits): (&Question, Vec<f64>)| {
        let chance = match &question.expected {
            Expected::Choice(choice) => choice.chance(),
            Expected::Places(places) => places.chance(),
            _ => 0.0,
        };
        credits.into_iter().skip(audit::LETTERS).map(|credit| credit - chance).collect()
    };
    candidates.iter().zip(credits).map(above).collect()
}

fn keep(excess: &[Vec<f64>], wanted: usize) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..excess.len()).collect();
    let rules = excess.iter().map(Vec::len).max().unwrap_or(0);
    let mut sums: Vec<f64> = (0..rules).map(|rule| excess.iter().filter_map(|of| of.get(rule)).sum()).collect();
    while kept.len() > wanted {
        let count = kept.len() as f64;
        // A little pull towards chance from both sides keeps what is level while the rest is dropped.
        let push = |sum: &f64| (sum / count - TOLERANCE).max(0.0) + 0.02 * sum / count;
        let pressure: Vec<f64> = sums.iter().map(push).collect();
        let harm = |at: &usize| -> f64 { excess[*at].iter().zip(&pressure).map(|(own, weight)| own * weight).sum() };
        let mut order: Vec<(usize, f64)> = kept.iter().enumerate().map(|(place, at)| (place, harm(at))).collect();
        order.sort_by(|one, other| other.1.total_cmp(&one.1));
        // A few at a time while there are many: the pressure hardly moves.
        let batch = (kept.len() / 100).clamp(1, kept.len() - wanted);
        let mut gone: Vec<usize> = order[..batch].iter().map(|(place, _)| *place).collect();
        gone.sort_unstable_by(|one, other| other.cmp(one));
        for place in gone {
            let at = kept.remove(place);
            sums.iter_mut().zip(&excess[at]).for_each(|(sum, own)| *sum -= own);
        }
    }
    kept
}

/// Orders the options of each question so that keys are spread evenly over the letters of each family.
pub fn place_keys(questions: &mut [Question], seed: u64) {
    let mut counters = std::collections::BTreeMap::new();
    for question in questions {
        let Expected::Choice(choice) = &mut question.expected else { continue };
        let pinned = usize::from(choice.last_stays);
        let movable = choice.options.len() - pinned;
        if choice.key >= movable {
            continue;
        }
        let counter: &mut usize = counters.entry((question.skill, movable)).or_default();
        let target = *counter % movable;
        *counter += 1;
        let mut order: Vec<usize> = (0..movable).filter(|at| *at != choice.key).collect();
        shuffle(&mut order, Seed(seed), &format!("place/{}", question.id));
        order.insert(target, choice.key);
        order.extend(movable..choice.options.len());
        choice.options = order.iter().map(|at| choice.options[*at].clone()).collect();
        if !choice.breaks.is_empty() {
            choice.breaks = order.iter().map(|at| choice.breaks[*at].clone()).collect();
        }
        choice.key = target;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::four;

    #[test]
    fn what_feeds_a_shortcut_goes_first() {
        // Rule 0 gets the first half right, rule 1 gets nothing.
        let excess: Vec<Vec<f64>> = (0..100).map(|at| vec![if at < 50 { 0.75 } else { -0.25 }, -0.25]).collect();
        let kept = keep(&excess, 60);
        let fed = kept.iter().filter(|at| **at < 50).count();
        assert_eq!(kept.len(), 60);
        assert!((13..=17).contains(&fed), "a quarter is chance: {fed}");
    }

    #[test]
    fn keys_are_spread_evenly() {
        let mut questions: Vec<Question> = (0..40).map(|at| Question { id: format!("q{at}"), ..four(2) }).collect();
        place_keys(&mut questions, 3);
        let mut counts = [0; 4];
        for question in &questions {
            let choice = question.choice().expect("a choice");
            assert_eq!(choice.options[choice.key], "blue");
            counts[choice.key] += 1;
        }
        assert_eq!(counts, [10, 10, 10, 10]);
    }
}
