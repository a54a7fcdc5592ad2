//! Distributions, over `libm`: the same bits on every machine and whatever else is in the build. The
//! usual crates take `ln` and `exp` from the platform, whose last bits differ.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// P(Z <= x) of the normal distribution.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// The x with P(Z <= x) = p.
pub fn normal_quantile(p: f64) -> f64 {
    if p > 0.5 {
        // The lower tail has all the digits, the upper one ends at 1.
        return -normal_quantile(1.0 - p);
    }
    if p <= 0.0 {
        return f64::NEG_INFINITY;
    }
    let density = |x: f64| libm::exp(-0.5 * x * x) / libm::sqrt(2.0 * PI);
    solve(normal_cdf, density, p, roughly_normal(p), (-40.0, 0.0))
}

/// P(T <= t) of Student's distribution; the degrees of freedom need not be whole.
pub fn student_cdf(t: f64, df: f64) -> f64 {
    let square = t * t;
    // Near the middle the other tail of the beta function keeps the digits.
    let outside = if square < 1.0 {
        1.0 - beta_cdf(square / (df + square), 0.5, df / 2.0)
    } else {
        beta_cdf(df / (df + square), df / 2.0, 0.5)
    };
    if t < 0.0 { outside / 2.0 } else { 1.0 - outside / 2.0 }
}

/// The t with P(T <= t) = p.
pub fn student_quantile(p: f64, df: f64) -> f64 {
    if p > 0.5 {
        return -student_quantile(1.0 - p, df);
    }
    if p <= 0.0 {
        return f64::NEG_INFINITY;
    }
    let scale = libm::lgamma((df + 1.0) / 2.0) - libm::lgamma(df / 2.0) - 0.5 * libm::log(df * PI);
    let density = |t: f64| libm::exp(scale - (df + 1.0) / 2.0 * libm::log1p(t * t / df));
    let mut low = -1.0;
    while student_cdf(low, df) > p {
        low *= 2.0;
    }
    let start = roughly_normal(p).max(low);
    solve(|t| student_cdf(t, df), density, p, start, (low, 0.0))
}

/// The regularised incomplete beta function: P(X <= x) of the beta distribution.
pub fn beta_cdf(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = libm::exp(a * libm::log(x) + b * libm::log1p(-x) - ln_beta(a, b));
    // The fraction converges fast below the mean.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(x, a, b) / a
    } else {
        1.0 - front * beta_fraction(1.0 - x, b, a) / b
    }
}

/// The x with P(X <= x) = p of the beta distribution.
pub fn beta_quantile(p: f64, a: f64, b: f64) -> f64 {
    if p <= 0.0 || p >= 1.0 {
        return if p <= 0.0 { 0.0 } else { 1.0 };
    }
    let scale = ln_beta(a, b);
    let density = |x: f64| libm::exp((a - 1.0) * libm::log(x) + (b - 1.0) * libm::log1p(-x) - scale);
    solve(|x| beta_cdf(x, a, b), density, p, a / (a + b), (0.0, 1.0))
}

/// P(X <= k) of n throws that hit with probability p.
pub fn binomial_cdf(k: u64, n: u64, p: f64) -> f64 {
    if k >= n { 1.0 } else { beta_cdf(1.0 - p, (n - k) as f64, k as f64 + 1.0) }
}

/// P(X = k) of n throws that hit with probability p, strictly between 0 and 1.
pub fn binomial_pmf(k: u64, n: u64, p: f64) -> f64 {
    let (k, n) = (k as f64, n as f64);
    let ways = libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
    libm::exp(ways + k * libm::log(p) + (n - k) * libm::log1p(-p))
}

fn ln_beta(a: f64, b: f64) -> f64 {
    libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b)
}

/// Lentz's method for the continued fraction of the incomplete beta function.
fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let held = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / held(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in 1..10_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = fraction;
        for term in [even, odd] {
            d = 1.0 / held(1.0 + term * d);
            c = held(1.0 + term / c);
            fraction *= c * d;
        }
        if (fraction - before).abs() <= 1e-16 * fraction.abs() {
            break;
        }
    }
    fraction
}

/// The lower half of the normal quantile to three digits (Abramowitz and Stegun 26.2.23): where to start.
fn roughly_normal(p: f64) -> f64 {
    let t = libm::sqrt(-2.0 * libm::log(p));
    let above = 2.515517 + t * (0.802853 + t * 0.010328);
    let below = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308));
    (above / below - t).min(0.0)
}

/// The place between two others where a rising function reaches `p`: Newton's method, and halving where
/// it would leave the bracket.
fn solve(
    cdf: impl Fn(f64) -> f64,
    density: impl Fn(f64) -> f64,
    p: f64,
    start: f64,
    (mut low, mut high): (f64, f64),
) -> f64 {
    let mut x = start;
    for _ in 0..200 {
        let miss = cdf(x) - p;
        if miss == 0.0 {
            return x;
        }
        if miss < 0.0 {
            low = x
        } else {
            high = x
        }
        let step = x - miss / density(x);
        let next = if step > low && step < high { step } else { 0.5 * (low + high) };
        if (next - x).abs() <= 1e-16 * x.abs() || next <= low || next >= high {
            return next;
        }
        x = next;
    }
    x
}
