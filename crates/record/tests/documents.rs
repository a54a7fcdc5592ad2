//! The documents say what the code says. `UPDATE_DOCS=1 cargo test -p sre-zero-record --test documents` writes them.

use std::fs;

use record::grade::columns;

const METRICS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/metrics.md");
const BEGIN: &str = "<!-- the table of all metrics, written by a test -->\n";
const END: &str = "<!-- end of the table -->\n";

#[test]
fn the_table_of_metrics_is_up_to_date() {
    let text = fs::read_to_string(METRICS).expect("the document is there");
    let (before, rest) = text.split_once(BEGIN).expect("the table has a beginning");
    let (table, after) = rest.split_once(END).expect("the table has an end");
    let expect = columns::document();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(METRICS, format!("{before}{BEGIN}{expect}{END}{after}")).expect("the document can be written");
        return;
    }
    assert_eq!(table, expect, "run with UPDATE_DOCS=1");
}
