//! Which colour and shape an agent has: the same in every plot, every report and the viewer (`web/looks.js`), as far as there are
//! enough of them.

use std::collections::BTreeSet;

/// The agents that stand in most reports keep theirs.
const KNOWN: [&str; 3] = ["scripted", "runbook", "random"];

/// So many colours are told apart at a glance; the others are for the agents that are left.
const CLEAR: usize = 6;

/// The look of each agent. It follows from the name; where two names would have the same, the one that comes later in the
/// alphabet takes the next that is free.
pub(super) fn looks(names: &[&str]) -> Vec<usize> {
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|at| (KNOWN.iter().position(|known| known == &names[*at]).unwrap_or(KNOWN.len()), names[*at]));
    let mut looks = vec![0; names.len()];
    for at in order {
        let wanted = KNOWN.iter().position(|known| known == &names[at]).unwrap_or_else(|| hash(names[at]) % CLEAR);
        let clear = (0..CLEAR).map(|step| (wanted + step) % CLEAR);
        let free = clear.chain(CLEAR..).find(|look| !taken.contains(look)).unwrap_or(wanted);
        taken.insert(free);
        looks[at] = free;
    }
    looks
}

/// FNV-1a with 32 bits: the same few lines in every language.
fn hash(name: &str) -> usize {
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same cases stand in `tests/browser/looks.test.js`.
    #[test]
    fn a_name_has_its_look_wherever_it_stands() {
        assert_eq!(looks(&["scripted", "runbook", "random"]), [0, 1, 2]);
        assert_eq!(looks(&["random", "scripted"]), [2, 0]);
        // Both want the sixth: the later in the alphabet gives way.
        assert_eq!(looks(&["react@lab/model-1", "lost"]), [0, 5]);
        assert_eq!(
            ["steady", "lost", "react@lab/model-1", "\u{e9}t\u{e9}"].map(|name| hash(name) % CLEAR),
            [1, 5, 5, 1]
        );
    }

    #[test]
    fn no_two_agents_look_the_same() {
        let names: Vec<String> = (0..24).map(|n| format!("agent-{n}")).collect();
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(looks(&all).into_iter().collect::<BTreeSet<usize>>().len(), 24);
        assert!(looks(&all[..6]).iter().all(|look| *look < CLEAR), "six agents have six clear colours");
    }
}
