//! A metric of many episodes with its interval, by what the metric is.

use record::grade::Score;
use record::grade::columns::{AppliesTo, MetricColumn, Over};

use super::by::{bounded_figure, clusters, figure, mean, rate, share};
use super::interval::{Interval, LEVEL, Method};

/// A metric with its interval; `None` if it has no value.
pub fn estimate(column: &MetricColumn, scores: &[&Score]) -> Option<Interval> {
    let is_asked = |score: &Score| column.applies == AppliesTo::Incidents && score.question.is_some();
    let measured: Vec<&Score> = scores.iter().copied().filter(|score| score.counts() && !is_asked(score)).collect();
    let found = by_itself(column, &measured)?;
    Some(if column.rests_on_success { no_surer_than_success(found, column, &measured) } else { found })
}

fn by_itself(column: &MetricColumn, scores: &[&Score]) -> Option<Interval> {
    let all = || scores.iter().copied();
    match column.over {
        Over::Rate(holds) => rate(all(), holds),
        Over::Share(value) => share(all(), value),
        Over::Mean(value) => Some(mean(all(), value)?.within(0.0, f64::INFINITY)),
        Over::Figure(of, (low, high)) if low.is_finite() && high.is_finite() => {
            bounded_figure(all(), (low, high), |scores: &[&Score]| of(scores))
        }
        Over::Figure(of, (low, high)) => Some(figure(all(), |scores: &[&Score]| of(scores))?.within(low, high)),
    }
}

/// Where nearly all episodes end alike, their values hardly differ, and an interval made of them alone would be far surer than
/// that of success, which is most of what they are made of. There the interval also holds what the figure would be at the ends of
/// success, if so many episodes had ended the other way.
fn no_surer_than_success(found: Interval, column: &MetricColumn, scores: &[&Score]) -> Interval {
    let success = clusters(scores.iter().copied(), |score| Some(if score.success { 1.0 } else { 0.0 }));
    let (doubt, Some(ends)) = (success.doubt(), success.rate(LEVEL)) else { return found };
    if doubt <= 0.0 {
        return found;
    }
    // The share of the successes that would have failed, and of the failures that would have been successes.
    let fewer = (ends.point - ends.low) / ends.point;
    let more = (ends.high - ends.point) / (1.0 - ends.point);
    let at = |share: f64, success: bool| {
        let turned =
            if share > 0.0 { column.over(&ended(scores, success).iter().collect::<Vec<&Score>>()) } else { None };
        turned.map_or(found.point, |turned| found.point + share * (turned - found.point))
    };
    let low = found.low - doubt * (found.low - at(fewer, false)).max(0.0);
    let high = found.high + doubt * (at(more, true) - found.high).max(0.0);
    let method = if found.method == Method::Constant { ends.method } else { found.method };
    Interval { low, high, method, ..found }
}

/// The same episodes, had all of them ended so.
fn ended(scores: &[&Score], success: bool) -> Vec<Score> {
    let other = |score: &&Score| match score.success == success {
        true => (*score).clone(),
        false => Score { success, reward: if success { 1.0 } else { 0.0 }, ..(*score).clone() },
    };
    scores.iter().map(other).collect()
}
