//! Many tests at once: p-values adjusted so that a lucky one among many does not count.

/// Holm's adjusted p-values, in the order given: the chance of any false alarm stays below the level.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let mut adjusted = vec![0.0; p.len()];
    let mut floor = 0.0_f64;
    for (rank, &at) in order.iter().enumerate() {
        floor = floor.max((p.len() - rank) as f64 * p[at]).min(1.0);
        adjusted[at] = floor;
    }
    adjusted
}

/// Benjamini and Hochberg's adjusted p-values, in the order given: of all alarms, the share of false
/// ones stays below the level.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let mut adjusted = vec![0.0; p.len()];
    let mut ceiling = 1.0_f64;
    for (rank, &at) in order.iter().enumerate().rev() {
        ceiling = ceiling.min(p.len() as f64 / (rank + 1) as f64 * p[at]);
        adjusted[at] = ceiling;
    }
    adjusted
}

fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&one, &other| p[one].total_cmp(&p[other]));
    order
}
