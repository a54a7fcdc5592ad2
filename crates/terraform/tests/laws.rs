//! Laws that hold for all values.

use proptest::prelude::*;
use terraform::datum::Datum;
use terraform::eval::constant;
use terraform::extract::{Extraction, extract};
use terraform::functions::{Cidr, json, json_text};
use terraform::generate::{GeneratedTask, generate_any};
use terraform::policy::wildcard;
use terraform::syntax::parse_expression;

fn datum() -> impl Strategy<Value = Datum> {
    let leaf = prop_oneof![
        Just(Datum::Null),
        any::<bool>().prop_map(Datum::Bool),
        (-1_000_000i32..1_000_000).prop_map(|n| Datum::Number(f64::from(n))),
        "[ -~\u{e9}\n\t]{0,12}".prop_map(Datum::Text),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Datum::List),
            prop::collection::btree_map("[a-z]{1,4}", inner, 0..4).prop_map(Datum::Map),
        ]
    })
}

fn eval(text: &str) -> Datum {
    parse_expression(text).and_then(|e| constant(&e)).unwrap_or_else(|e| panic!("{text}: {e}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn json_is_read_back(value in datum()) {
        prop_assert_eq!(json(&json_text(&value)), Ok(value));
    }

    #[test]
    fn an_order_is_an_order(a in datum(), b in datum(), c in datum()) {
        prop_assert_eq!(a.order(&b), b.order(&a).reverse());
        if a.order(&b).is_le() && b.order(&c).is_le() {
            prop_assert!(a.order(&c).is_le());
        }
    }

    #[test]
    fn subnets_lie_within_and_apart(net in 0u8..=255, bits in 1u8..=8, first in 0u8..=255, second in 0u8..=255) {
        let (first, second) = (first % (1 << bits.min(7)), second % (1 << bits.min(7)));
        let range = format!("10.{net}.0.0/16");
        let subnet = |n: u8| eval(&format!("cidrsubnet({range:?}, {bits}, {n})")).as_text().map(|t| Cidr::parse(t).expect("a range")).expect("a text");
        let (a, b) = (subnet(first), subnet(second));
        prop_assert!(Cidr::parse(&range).expect("a range").contains(a));
        prop_assert_eq!(a.overlaps(b), first == second);
    }

    #[test]
    fn a_text_matches_itself_and_its_prefix_with_a_star(text in "[a-z:/]{0,12}", cut in 0usize..12) {
        prop_assert!(wildcard(&text, &text));
        let pattern = text[..cut.min(text.len())].to_owned() + "*";
        prop_assert!(wildcard(&pattern, &text));
    }

    #[test]
    fn what_is_written_as_a_reply_is_read_from_it(seed in 0u64..100_000) {
        let files = generate_any(seed).reference();
        match extract(&GeneratedTask::reply(&files)) {
            Extraction::Found { files: found, ambiguous, truncated, .. } => {
                prop_assert_eq!(found, files);
                prop_assert!(ambiguous.is_empty() && !truncated);
            }
            Extraction::Unparsed(why) => prop_assert!(false, "{}", why),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Two mutants together break what either breaks, or an earlier stage; never nothing.
    #[test]
    fn mutants_compose(seed in 0u64..100_000, first in 0usize..20, second in 0usize..20, style in 0u64..1000) {
        let made = generate_any(seed);
        let pick = |n: usize| &made.mutants()[n % made.mutants().len()];
        if let Some(files) = made.rewrite(&[pick(first), pick(second)], style) {
            prop_assert!(!made.task.judge_files(&files).passed, "{} {} {}", made.task.id, pick(first).name, pick(second).name);
        }
    }
}
