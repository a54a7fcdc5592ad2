//! Reproducible draws: the same seed gives the same task and the same ids.

/// A stream of numbers from a seed (SplitMix64).
#[derive(Debug, Clone)]
pub(crate) struct SeededDraws {
    state: u64,
}

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// One number from a state, well mixed.
pub(crate) fn mix(state: u64) -> u64 {
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A number for a text (FNV-1a).
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

impl SeededDraws {
    pub(crate) fn new(seed: u64, label: &str) -> Self {
        Self { state: mix(seed ^ hash(label)) }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        mix(self.state)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "something must be possible");
        self.next() % n
    }

    /// A number from `from` to `to`, both possible.
    pub(crate) fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.below(to - from + 1)
    }

    /// One of these.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        let at = usize::try_from(self.below(items.len() as u64)).expect("it is below a length");
        &items[at]
    }

    /// Two different ones of these.
    pub(crate) fn two<'a, T: PartialEq>(&mut self, items: &'a [T]) -> (&'a T, &'a T) {
        let first = self.pick(items);
        loop {
            let second = self.pick(items);
            if second != first {
                return (first, second);
            }
        }
    }

    /// Yes with this chance in a hundred.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Puts items in another order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = usize::try_from(self.below(i as u64 + 1)).expect("it is below a length");
            items.swap(i, j);
        }
    }
}
