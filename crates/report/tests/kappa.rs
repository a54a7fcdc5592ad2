//! Kappa and its interval against scikit-learn and statsmodels: `data/make_kappa.py` makes what is compared with.

use report::stats::kappa::{cohen, fleiss};
use serde_json::Value;

/// As near as two ways of adding up the same numbers come.
const NEAR: f64 = 1e-9;

fn cases(name: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("data/kappa.json")).expect("the reference is JSON");
    all[name].as_array().unwrap_or_else(|| panic!("no {name} in the reference")).clone()
}

fn check(what: &str, found: f64, case: &Value) {
    let expect = case[what].as_f64().unwrap_or_else(|| panic!("no {what} in the case"));
    assert!((found - expect).abs() <= NEAR, "{what}: {found} is not {expect}");
}

fn grades(list: &Value) -> Vec<i64> {
    list.as_array().expect("a list").iter().map(|grade| grade.as_i64().expect("a grade")).collect()
}

#[test]
fn cohens_kappa_and_its_interval() {
    for case in cases("cohen") {
        let pairs: Vec<(i64, i64)> = grades(&case["one"]).into_iter().zip(grades(&case["other"])).collect();
        let found = cohen(&pairs).expect("grades vary");
        let (low, high) = found.interval(0.95);
        check("kappa", found.kappa, &case);
        check("error", found.error, &case);
        check("low", low, &case);
        check("high", high, &case);
    }
}

#[test]
fn fleiss_kappa_and_its_error() {
    for case in cases("fleiss") {
        let rows = case["ratings"].as_array().expect("a list");
        let rows: Vec<Vec<Option<i64>>> = rows.iter().map(|row| grades(row).into_iter().map(Some).collect()).collect();
        let found = fleiss(&rows).expect("grades vary");
        check("kappa", found.kappa, &case);
        check("error", found.error, &case);
    }
}
