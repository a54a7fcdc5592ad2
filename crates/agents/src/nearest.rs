//! Did you mean: the closest known name to one that is not known.

/// `unknown agent `randm`: did you mean `random`?`, or all known names behind `otherwise` where nothing is close.
pub(crate) fn unknown(what: &str, name: &str, known: &[&str], otherwise: &str) -> String {
    let wanted = folded(name);
    let close = known.iter().map(|known| (edits(&wanted, &folded(known)), *known)).min();
    match close {
        Some((far, close)) if far <= (wanted.len() / 3).max(2) => {
            format!("unknown {what} `{name}`: did you mean `{close}`?")
        }
        _ => format!("unknown {what} `{name}`; {otherwise} {}", known.join(", ")),
    }
}

fn folded(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace(['_', ' '], "-")
}

/// Letters to add, remove or replace to get from one name to the other; a part of a name is near it.
fn edits(a: &str, b: &str) -> usize {
    if a.len() >= 3 && b.contains(a) {
        return 1;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
