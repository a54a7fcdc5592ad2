//! How far a number lies from another.

/// How far a value lies from another on a logarithmic scale: 1 is a hundredfold, -1 a hundredth.
/// `slack` is the least difference that means something.
pub(super) fn distance(value: f64, from: f64, slack: f64) -> f32 {
    let ratio = (value.abs() + slack) / (from.abs() + slack);
    (ratio.ln() / HUNDREDFOLD).clamp(-1.0, 1.0) as f32
}

const HUNDREDFOLD: f64 = 4.605_170_185_988_092;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_symmetric_and_bounded() {
        assert_eq!(distance(5.0, 5.0, 0.1), 0.0);
        assert_eq!(distance(80.0, 2.0, 0.1), -distance(2.0, 80.0, 0.1));
        assert_eq!(distance(1e12, 0.0, 0.01), 1.0);
    }
}
