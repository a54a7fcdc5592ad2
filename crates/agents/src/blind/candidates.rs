//! Everything that could be done about an incident, each deed with the marks that a model can learn from: what is
//! set, how odd it is, who changed it when, and what the page says. No mark is a symptom.

use super::deeds::Deed;
use super::norms::Norms;
use super::seen::{Seen, role, seconds};
use crate::exploits::history::HistoryRow;

/// Something that could be done.
pub struct Candidate {
    /// What is done.
    pub deed: Deed,
    /// What it is about, as words that are the same in all incidents.
    pub marks: Vec<String>,
}

/// All that could be done, as far as it was read.
pub fn candidates(seen: &Seen, norms: &Norms) -> Vec<Candidate> {
    let (size, rule) = (norms.size(seen), seen.rule());
    let mut all = Vec::new();
    for at in 0..seen.services.len() {
        let mut marks = vec![format!("restart {}", seen.role(at))];
        place(&mut marks, seen, at);
        all.push(finished(Deed::Restart(seen.services[at].clone()), marks, &rule));
        for (key, now) in seen.config[at].iter().flatten() {
            all.extend(setting(seen, norms, at, key, now, size).map(|(deed, marks)| finished(deed, marks, &rule)));
        }
    }
    for (back, row) in seen.rows.iter().rev().enumerate() {
        all.push(finished(Deed::Undo(row.id.clone()), change(seen, row, back), &rule));
    }
    all
}

/// Each mark alone, and the first together with what the page says.
fn finished(deed: Deed, mut marks: Vec<String>, rule: &str) -> Candidate {
    let first = marks.first().cloned().unwrap_or_default();
    marks.push(format!("{first} | {rule}"));
    marks.extend(rule.split_ascii_whitespace().map(|word| format!("{first} | {word}")));
    Candidate { deed, marks }
}

fn place(marks: &mut Vec<String>, seen: &Seen, at: usize) {
    let first = marks.first().cloned().unwrap_or_default();
    let is_paged = seen.paged == Some(at);
    marks.push(format!("paged {is_paged}"));
    marks.push(format!("{first} paged {is_paged}"));
    let changed = seen.rows.iter().filter(|row| row.service == seen.services[at]).count();
    marks.push(format!("{first} changed {}", changed.min(3)));
}

fn setting(seen: &Seen, norms: &Norms, at: usize, key: &str, now: &str, size: f64) -> Option<(Deed, Vec<String>)> {
    let norm = norms.of(&seen.services[at], key)?;
    let usual = norm.usual(size, now).filter(|usual| usual != now)?;
    let mut marks = vec![format!("set {} {key}", seen.role(at))];
    place(&mut marks, seen, at);
    let first = marks[0].clone();
    match (norm.oddness(now, size), norm.offset(now)) {
        (Some(odd), Some(offset)) => {
            marks.push(format!("odd {:.0}", odd.clamp(-12.0, 12.0)));
            marks.push(format!("{first} odd {:.0}", odd.clamp(-12.0, 12.0)));
            marks.push(format!("{first} offset {:.1}", offset.clamp(-6.0, 6.0)));
        }
        _ => marks.push(format!("{first} is {now}")),
    }
    marks.push(format!("odds {:.0}", norm.odds(now, size)));
    let last = seen.rows.iter().rev().find(|row| {
        row.service == seen.services[at] && row.setting().is_some_and(|(own, value)| own == key && value == now)
    });
    marks.push(format!("pushed {}", last.is_some()));
    if let Some(row) = last {
        marks.push(format!("{first} pushed"));
        marks.push(moved(row));
    }
    Some((Deed::Set(seen.services[at].clone(), key.to_string(), usual), marks))
}

fn change(seen: &Seen, row: &HistoryRow, back: usize) -> Vec<String> {
    let key = row.setting().map(|(key, _)| key);
    let mut marks = vec![format!("undo {} {}", role(&row.service), key.unwrap_or("other"))];
    if let Some(at) = seen.find(&row.service) {
        place(&mut marks, seen, at);
        let real = key.zip(seen.config[at].as_ref()).map(|(key, own)| own.iter().any(|(other, _)| other == key));
        marks.push(format!("undo real {real:?}"));
    }
    marks.push(format!("undo back {}", back.min(6)));
    marks.push(format!("undo author {}", row.author));
    marks.push(format!("undo second {}", row.time.rsplit(':').next().unwrap_or("")));
    if let (Some(page), Some(then)) = (seen.clock(), seconds(&row.time)) {
        let minutes = (page - then).rem_euclid(86_400) / 60;
        marks.push(format!("undo minutes {}", if minutes < 8 { minutes } else { 8 + minutes / 20 }));
    }
    let words: Vec<&str> = row.text.split_ascii_whitespace().take(2).collect();
    marks.push(format!("undo words {}", words.join(" ")));
    marks.push(moved(row));
    marks
}

/// By how much a push moved a number, in steps of about a doubling.
fn moved(row: &HistoryRow) -> String {
    let number = |text: &str| text.parse::<f64>().ok().filter(|n| *n > 0.0);
    let factor = row.push().and_then(|(_, from, to)| Some(number(to)? / number(from)?));
    factor.map_or_else(|| "moved".to_string(), |f| format!("moved {:.0}", libm::log2(f).clamp(-6.0, 6.0)))
}
