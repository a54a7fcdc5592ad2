//! Our numbers against those of other programs: `data/reference.json` names them and their versions,
//! `data/make_reference.py` makes it.

use report::stats::bootstrap::Correction;
use report::stats::{self, Clusters, Robust, Scale, Weights, dist};
use serde_json::Value;

/// As near as the issue of trust asks for.
const NEAR: f64 = 1e-9;

fn reference(name: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("data/reference.json")).expect("the reference is JSON");
    all.pointer(name).and_then(Value::as_array).unwrap_or_else(|| panic!("no {name} in the reference")).clone()
}

fn check(what: &str, found: f64, expect: f64) {
    let near = (found - expect).abs() <= NEAR * expect.abs().max(1.0);
    assert!(near, "{what}: {found} is not {expect}");
}

fn float(case: &Value, name: &str) -> f64 {
    case[name].as_f64().unwrap_or_else(|| panic!("no number {name} in {case}"))
}

fn whole(case: &Value, name: &str) -> u32 {
    case[name].as_u64().unwrap_or_else(|| panic!("no whole number {name} in {case}")) as u32
}

fn floats(case: &Value, name: &str) -> Vec<f64> {
    let list = case[name].as_array().unwrap_or_else(|| panic!("no list {name} in {case}"));
    list.iter().map(|value| value.as_f64().expect("a number")).collect()
}

#[test]
fn quantiles_of_distributions() {
    for case in reference("/distributions/normal") {
        check(&case.to_string(), dist::normal_quantile(float(&case, "p")), float(&case, "x"));
    }
    for case in reference("/distributions/student") {
        check(&case.to_string(), dist::student_quantile(float(&case, "p"), float(&case, "df")), float(&case, "x"));
    }
    for case in reference("/distributions/beta") {
        let found = dist::beta_quantile(float(&case, "p"), float(&case, "a"), float(&case, "b"));
        check(&case.to_string(), found, float(&case, "x"));
    }
}

#[test]
fn wilson_and_clopper_pearson() {
    type Make = fn(u64, u64, f64) -> Option<stats::Interval>;
    for (name, make) in [("/wilson", stats::wilson as Make), ("/clopper_pearson", stats::clopper_pearson)] {
        for case in reference(name) {
            let found = make(whole(&case, "hits").into(), whole(&case, "n").into(), float(&case, "level"));
            let found = found.expect("there are trials");
            check(&format!("{name} low {case}"), found.low, float(&case, "low"));
            check(&format!("{name} high {case}"), found.high, float(&case, "high"));
        }
    }
}

/// Newcombe 1998, table I, prints these to four digits.
#[test]
fn published_intervals() {
    let cases = [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)];
    for (hits, n, low, high) in cases {
        let found = stats::wilson(hits, n, 0.95).expect("there are trials");
        let near = (found.low - low).abs() < 5e-5 && (found.high - high).abs() < 5e-5;
        assert!(near, "{hits} of {n}: {found:.4}");
    }
    let exact = stats::clopper_pearson(81, 263, 0.95).expect("there are trials");
    assert!((exact.low - 0.2527).abs() < 5e-5 && (exact.high - 0.3676).abs() < 5e-5, "{exact:.4}");
}

#[test]
fn mcnemar() {
    for case in reference("/mcnemar") {
        let found = stats::McNemar::of(whole(&case, "first"), whole(&case, "second"));
        check(&format!("exact {case}"), found.p_exact, float(&case, "exact"));
        check(&format!("mid-p {case}"), found.p_mid, float(&case, "mid"));
    }
}

#[test]
fn holm_and_benjamini_hochberg() {
    for case in reference("/adjusted") {
        let p = floats(&case, "p");
        for (name, found) in [("holm", stats::holm(&p)), ("benjamini_hochberg", stats::benjamini_hochberg(&p))] {
            let expect = floats(&case, name);
            assert_eq!(found.len(), expect.len());
            found.iter().zip(&expect).for_each(|(found, expect)| check(name, *found, *expect));
        }
    }
}

#[test]
fn pass_at_k_and_pass_all_k() {
    for case in reference("/passes") {
        let (n, hits, k) = (whole(&case, "n"), whole(&case, "hits"), whole(&case, "k"));
        check(&format!("pass@k {case}"), stats::pass_at_k(n, hits, k).expect("enough attempts"), float(&case, "at"));
        check(&format!("pass^k {case}"), stats::pass_all_k(n, hits, k).expect("enough attempts"), float(&case, "all"));
    }
    assert_eq!((stats::pass_at_k(4, 4, 5), stats::pass_all_k(4, 4, 5)), (None, None));
}

#[test]
fn cluster_robust_errors() {
    for case in reference("/robust") {
        let names = case["clusters"].as_array().expect("clusters");
        let names = names.iter().map(|name| name.as_str().expect("a name"));
        let clusters = Clusters::of(names.zip(floats(&case, "values")));
        check("mean", clusters.mean(), float(&case, "mean"));
        for (robust, name) in [(Robust::Cr0, "cr0"), (Robust::Cr1, "cr1"), (Robust::Cr2, "cr2")] {
            check(name, clusters.variance(robust).expect("several clusters"), float(&case, name));
        }
        let (df, bias) = clusters.satterthwaite(0.0).expect("several clusters");
        check("degrees of freedom", df, float(&case, "satterthwaite"));
        check("CR2 has no bias where clusters do not matter", bias, 1.0);
    }
}

#[test]
fn bca_with_the_same_resamples() {
    for case in reference("/bca") {
        let mut resampled = floats(&case, "resampled");
        resampled.sort_by(f64::total_cmp);
        let correction = Correction::of(float(&case, "point"), &resampled, &floats(&case, "jackknife"));
        let (low, high) = correction.ends(&resampled, 0.95).expect("the bias is known");
        check("low", low, float(&case, "low"));
        check("high", high, float(&case, "high"));
    }
}

#[test]
fn cohens_kappa() {
    for case in reference("/kappa") {
        let grades = |name| floats(&case, name).into_iter().map(|grade| grade as i64);
        let grades: Vec<(i64, i64)> = grades("one").zip(grades("other")).collect();
        for (weights, name) in [(Weights::None, "none"), (Weights::Linear, "linear"), (Weights::Quadratic, "quadratic")]
        {
            check(name, stats::cohens_kappa(&grades, weights).expect("grades vary"), float(&case, name));
        }
    }
}

#[test]
fn krippendorffs_alpha() {
    for case in reference("/alpha") {
        let raters = case["raters"].as_array().expect("raters");
        let items = raters[0].as_array().expect("grades").len();
        let items: Vec<Vec<Option<f64>>> =
            (0..items).map(|item| raters.iter().map(|rater| rater[item].as_f64()).collect()).collect();
        for (scale, name) in [(Scale::Nominal, "nominal"), (Scale::Ordinal, "ordinal"), (Scale::Interval, "interval")] {
            check(name, stats::krippendorffs_alpha(&items, scale).expect("grades vary"), float(&case, name));
        }
    }
}
