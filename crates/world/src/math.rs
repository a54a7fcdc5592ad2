//! Logarithm and exponential for the tick's inner loop: plain arithmetic, so the same bits on every
//! machine, at a third of the cost of the exact ones. Relative error below 1e-9, which is far below
//! what the model knows.

/// The natural logarithm of a positive, finite number.
#[inline]
pub fn ln(x: f64) -> f64 {
    // x = m * 2^e with m between sqrt(1/2) and sqrt(2); ln m by the series of artanh.
    let bits = x.to_bits();
    let shifted = bits.wrapping_sub(0x3fe6_a09e_667f_3bcd);
    let e = (shifted as i64 >> 52) as f64;
    let m = f64::from_bits(bits.wrapping_sub(shifted & 0xfff0_0000_0000_0000));
    let t = (m - 1.0) / (m + 1.0);
    let (t2, t4) = (t * t, t * t * (t * t));
    // In pairs, so that few of the sums wait for one another.
    let far = (1.0 / 5.0 + t2 * (1.0 / 7.0)) + t4 * (1.0 / 9.0 + t2 * (1.0 / 11.0));
    let series = (1.0 + t2 * (1.0 / 3.0)) + t4 * far;
    e * std::f64::consts::LN_2 + 2.0 * t * series
}

/// The logarithm of a positive number by its leading bits: never too much, and at most [`MOST_ABOVE`] too little.
#[inline]
pub fn least_ln(x: f64) -> f64 {
    const PER_BIT: f64 = std::f64::consts::LN_2 / (1u64 << 52) as f64;
    x.to_bits().wrapping_sub(1.0f64.to_bits()) as i64 as f64 * PER_BIT
}

/// By how much a logarithm is at most above what its leading bits say.
pub const MOST_ABOVE: f64 = 0.0597;

/// e to the power of `x`; 0 far below and huge far above what a latency can be.
#[inline]
pub fn exp(x: f64) -> f64 {
    // Added to it, a number loses its fraction, and what is left stands in the lowest bits.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    let x = x.clamp(-700.0, 700.0);
    let whole = x * std::f64::consts::LOG2_E + WHOLE;
    let r = x - (whole - WHOLE) * std::f64::consts::LN_2;
    let (r2, r4) = (r * r, r * r * (r * r));
    let far = (1.0 / 24.0 + r * (1.0 / 120.0)) + r2 * (1.0 / 720.0 + r * (1.0 / 5040.0));
    let series = (1.0 + r) + r2 * (0.5 + r * (1.0 / 6.0)) + r4 * (far + r4 * (1.0 / 40_320.0));
    series * f64::from_bits(whole.to_bits().wrapping_add(1023) << 52)
}

/// `base` to the power of `power`, for a base that is not negative.
#[inline]
pub fn pow(base: f64, power: f64) -> f64 {
    if base > 0.0 { exp(power * ln(base)) } else { f64::from(u8::from(power == 0.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_agree_with_the_exact_functions() {
        let draws = crate::Seed(1).stream("math");
        for i in 0..20_000 {
            let x = libm::exp(draws.at(i).between(-60.0, 60.0));
            assert!((ln(x) - libm::log(x)).abs() < 1e-9 * libm::log(x).abs().max(1.0), "ln {x}");
            let short = ln(x) - least_ln(x);
            assert!((-1e-9..MOST_ABOVE).contains(&short), "by the leading bits of {x}: {short}");
            let y = draws.at(i + 1_000_000).between(-80.0, 80.0);
            assert!((exp(y) / libm::exp(y) - 1.0).abs() < 1e-9, "exp {y}");
            let (base, power) =
                (draws.at(i + 2_000_000).between(0.001, 20.0), draws.at(i + 3_000_000).between(0.0, 9.0));
            assert!((pow(base, power) / libm::pow(base, power) - 1.0).abs() < 1e-8, "{base} to the {power}");
        }
        assert_eq!(ln(1.0), 0.0);
        assert_eq!(exp(0.0), 1.0);
        assert_eq!((pow(0.0, 0.6), pow(0.0, 0.0), pow(1.0, 7.0)), (0.0, 1.0, 1.0));
        assert!(exp(-1e9) < 1e-300 && exp(1e9).is_finite());
    }
}
