//! A digest of numbers: not one to trust an enemy with, but one that tells two courses of events apart.

/// A digest with one more row.
pub(crate) fn with_row(chain: u64, row: &[f32]) -> u64 {
    // Four chains side by side: none has to wait for the others.
    let (eights, rest) = row.as_chunks::<8>();
    let mut lanes = [1, 2, 3, 4].map(|lane: u64| chain.wrapping_add(lane));
    for cells in eights {
        for (lane, chain) in lanes.iter_mut().enumerate() {
            *chain = mixed(*chain, bits(cells[2 * lane]) << 32 | bits(cells[2 * lane + 1]));
        }
    }
    rest.iter().fold(lanes.into_iter().fold(chain, mixed), |chain, cell| with_cell(chain, *cell))
}

/// A digest with one more sample.
pub(crate) fn with_cell(chain: u64, cell: f32) -> u64 {
    mixed(chain, bits(cell))
}

fn bits(cell: f32) -> u64 {
    u64::from(cell.to_bits())
}

/// The same with exact numbers.
pub(crate) fn with_numbers(chain: u64, numbers: &[f64]) -> u64 {
    numbers.iter().fold(chain, |chain, number| mixed(chain, number.to_bits()))
}

fn mixed(chain: u64, word: u64) -> u64 {
    (chain ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}
