//! A linear model over sparse marks: logistic regression, trained in a fixed order so that it is the same everywhere.

/// The weights, by the hash of a mark.
pub struct Logistic {
    weights: Vec<f64>,
}

/// How many weights there are; marks that share one are rare.
const ROOM: usize = 1 << 16;
const EPOCHS: usize = 6;
const RATE: f64 = 0.15;
/// What a weight loses each time it is used, so that what was seen once does not decide.
const DECAY: f64 = 1e-4;

impl Logistic {
    /// Learns from examples: the places of their marks, whether they are right, and how much each counts.
    pub fn learn(examples: &[(Vec<usize>, bool, f64)]) -> Logistic {
        let mut model = Logistic { weights: vec![0.0; ROOM] };
        for epoch in 0..EPOCHS {
            let rate = RATE / (1.0 + epoch as f64);
            for (marks, right, counts) in examples {
                let error = f64::from(u8::from(*right)) - chance(model.score(marks));
                for &mark in marks {
                    let weight = &mut model.weights[mark];
                    *weight += rate * (error * counts - DECAY * *weight);
                }
            }
        }
        model
    }

    /// The logarithm of the odds that something with these marks is right.
    pub fn score(&self, marks: &[usize]) -> f64 {
        marks.iter().map(|&mark| self.weights[mark]).sum()
    }
}

/// The places of marks.
pub fn places(marks: &[String]) -> Vec<usize> {
    marks.iter().map(|mark| place(mark)).collect()
}

/// FNV-1a: short, and the same on every machine.
fn place(mark: &str) -> usize {
    let hash = mark.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    (harness::mix(hash) % ROOM as u64) as usize
}

fn chance(score: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-score))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_learns_which_mark_tells() {
        let of = |marks: &[&str]| places(&marks.iter().map(|m| m.to_string()).collect::<Vec<_>>());
        let examples: Vec<_> = (0..200)
            .map(|n| {
                let right = n % 4 == 0;
                let other = if n % 3 == 0 { "even" } else { "odd" };
                (of(&[if right { "signal" } else { "noise" }, other]), right, 1.0)
            })
            .collect();
        let model = Logistic::learn(&examples);
        assert!(model.score(&of(&["signal", "even"])) > 0.0);
        assert!(model.score(&of(&["noise", "even"])) < 0.0);
    }
}
