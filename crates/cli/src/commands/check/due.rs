//! Which part of many tasks is due: a suite that takes long is checked in parts, another one each day.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use harness::Task;
use record::{Shard, civil};

use crate::say;

/// A part of the tasks, and the date that chose it, if one did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueShard {
    shard: Shard,
    date: Option<String>,
}

const DAY: u64 = 24 * 60 * 60;

/// Reads `i/n`, or `today/n` for the part that today's date chooses.
pub fn shard(text: &str) -> Result<DueShard, String> {
    let Some(of) = text.strip_prefix("today/") else {
        return Ok(DueShard { shard: text.parse()?, date: None });
    };
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / DAY);
    on_day(days, of)
}

/// The part that is due on a day, counted from 1970 on: the parts take turns.
fn on_day(days: u64, of: &str) -> Result<DueShard, String> {
    let parts: u64 =
        of.parse().ok().filter(|n| *n > 0).ok_or_else(|| format!("today/n takes n from 1 on; got `{of}`"))?;
    let shard = format!("{}/{parts}", days % parts + 1).parse()?;
    let (year, month, day) = civil(days);
    Ok(DueShard { shard, date: Some(format!("{year:04}-{month:02}-{day:02}")) })
}

/// The tasks of a part; says which part it is if the date chose it.
pub fn part(tasks: Vec<Arc<Task>>, due: Option<&DueShard>) -> Vec<Arc<Task>> {
    let Some(DueShard { shard, date }) = due else { return tasks };
    if let Some(date) = date {
        let Shard { index, of } = shard;
        say::note(&format!("on {date} part {index}/{of} is due; --shard {index}/{of} checks the same"));
    }
    tasks.into_iter().enumerate().filter(|(at, _)| shard.has(*at)).map(|(_, task)| task).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_its_day() {
        let due = |day: u64| on_day(day, "25").expect("it is a part");
        assert_eq!(due(0).shard, Shard { index: 1, of: 25 });
        assert_eq!(due(24).shard, Shard { index: 25, of: 25 });
        assert_eq!(due(25).shard, due(0).shard);
        assert_eq!(due(20_772).date.as_deref(), Some("2026-11-15"));
        assert!(on_day(1, "0").is_err() && on_day(1, "x").is_err());
        assert_eq!(shard("3/8"), Ok(DueShard { shard: Shard { index: 3, of: 8 }, date: None }));
        assert!(shard("today/4").is_ok_and(|due| due.date.is_some() && due.shard.of == 4));
    }
}
