//! Labels that judges, graders and people gave to the same items: how far they agree, and where they differ.
//!
//! The file is a table of comma-separated values. Its first line names the columns: `item`, optionally `task`, then one for
//! each grader. An empty field is a missing label, never a disagreement.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::stats::kappa::{Agreement, cohen, fleiss};

/// A file of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelTable {
    /// The graders, in the order of the columns.
    pub graders: Vec<String>,
    /// The items in the order of the file.
    pub rows: Vec<LabelRow>,
}

/// What was said of one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelRow {
    /// The item.
    pub item: String,
    /// The task it belongs to; the item itself if the file has no such column.
    pub task: String,
    /// The label of each grader; nothing where it gave none.
    pub labels: Vec<Option<String>>,
}

/// Why a file of labels cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LabelError {
    /// The columns are not as they must be.
    #[error("the first line must be `item,[task,]GRADER,GRADER,..`, with two graders at least")]
    Columns,
    /// A line has too many or too few fields.
    #[error("line {line} has {found} fields, the first line has {expected}")]
    Fields {
        /// From 1.
        line: usize,
        /// How many it has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
    /// A quote is not closed.
    #[error("line {0}: a quote is not closed")]
    Quote(usize),
}

impl LabelTable {
    /// Reads a file of labels.
    pub fn parse(text: &str) -> Result<LabelTable, LabelError> {
        let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim_end()));
        let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let (number, first) = lines.next().ok_or(LabelError::Columns)?;
        let columns = fields(first).ok_or(LabelError::Quote(number))?;
        let has_task = columns.get(1).is_some_and(|name| name == "task");
        let head = if has_task { 2 } else { 1 };
        if columns.first().is_none_or(|name| name != "item") || columns.len() < head + 2 {
            return Err(LabelError::Columns);
        }
        let mut rows = Vec::new();
        for (line, text) in lines {
            let cells = fields(text).ok_or(LabelError::Quote(line))?;
            if cells.len() != columns.len() {
                return Err(LabelError::Fields { line, found: cells.len(), expected: columns.len() });
            }
            let label = |cell: &String| Some(cell.trim().to_lowercase()).filter(|label| !label.is_empty());
            let (item, task) = (cells[0].clone(), cells[head - 1].clone());
            rows.push(LabelRow { item, task, labels: cells[head..].iter().map(label).collect() });
        }
        Ok(LabelTable { graders: columns[head..].to_vec(), rows })
    }

    /// Cohen's kappa of each two graders, over the items that both labelled.
    pub fn pairs(&self) -> Vec<(&str, &str, Option<Agreement>)> {
        let both = |one: usize, other: usize| -> Vec<(&str, &str)> {
            let rows = self.rows.iter();
            rows.filter_map(|row| Some((row.labels[one].as_deref()?, row.labels[other].as_deref()?))).collect()
        };
        let all = (0..self.graders.len()).flat_map(|one| (one + 1..self.graders.len()).map(move |other| (one, other)));
        all.map(|(one, other)| (&*self.graders[one], &*self.graders[other], cohen(&both(one, other)))).collect()
    }

    /// Fleiss' kappa of all graders together, over the items that all of them labelled.
    pub fn together(&self) -> Option<Agreement> {
        let rows: Vec<Vec<Option<&str>>> =
            self.rows.iter().map(|row| row.labels.iter().map(Option::as_deref).collect()).collect();
        fleiss(&rows)
    }

    /// The tasks on which graders differ: how many items of how many, the most first.
    pub fn differing(&self) -> Vec<(&str, usize, usize)> {
        let mut tasks: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for row in &self.rows {
            let given: Vec<&String> = row.labels.iter().flatten().collect();
            let (differing, all) = tasks.entry(&row.task).or_default();
            *differing += usize::from(given.windows(2).any(|pair| pair[0] != pair[1]));
            *all += 1;
        }
        let mut found: Vec<(&str, usize, usize)> = tasks
            .into_iter()
            .filter(|(_, (differing, _))| *differing > 0)
            .map(|(task, (d, all))| (task, d, all))
            .collect();
        found.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        found
    }
}

/// The fields of a line; a field in double quotes may hold commas, and two quotes are one. `None` if a quote is open.
fn fields(line: &str) -> Option<Vec<String>> {
    let (mut found, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '"' if quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => found.push(std::mem::take(&mut field)),
            other => field.push(other),
        }
    }
    found.push(field);
    (!quoted).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# people and a judge\nitem,task,ann,ben,judge\n1,geo,right,right,right\n2,geo,wrong,Wrong,right\n\
                        3,rate,\"too broad\",right,\n4,rate,right,right,right\n";

    #[test]
    fn a_file_is_read_and_its_gaps_are_no_disagreement() {
        let table = LabelTable::parse(FILE).expect("it is sound");
        assert_eq!(table.graders, ["ann", "ben", "judge"]);
        assert_eq!(table.rows[2].labels, [Some("too broad".to_string()), Some("right".to_string()), None]);
        let pairs = table.pairs();
        assert_eq!(pairs.iter().map(|(_, _, found)| found.map_or(0, |one| one.items)).collect::<Vec<_>>(), [4, 3, 3]);
        assert_eq!(table.together().map(|one| one.items), Some(3));
        assert_eq!(table.differing(), [("geo", 1, 2), ("rate", 1, 2)]);
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        let check = |text: &str, expect: LabelError| assert_eq!(LabelTable::parse(text), Err(expect));
        check("", LabelError::Columns);
        check("item,ann", LabelError::Columns);
        check("item,task,ann", LabelError::Columns);
        check("item,ann,ben\n1,right", LabelError::Fields { line: 2, found: 2, expected: 3 });
        check("item,ann,ben\n1,\"right,wrong", LabelError::Quote(2));
    }
}
