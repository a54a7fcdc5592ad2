//! Expressions and functions: many small cases behind one `check`.

use terraform::datum::Datum;
use terraform::eval::constant;
use terraform::syntax::{parse, parse_expression};

#[track_caller]
fn check(expression: &str, expected: &str) {
    let made = parse_expression(expression).and_then(|e| constant(&e));
    let shown = match made {
        Ok(value) => value.to_string(),
        Err(error) => format!("error: {}", error.summary),
    };
    assert_eq!(shown, expected, "{expression}");
}

#[test]
fn operators_and_conditions() {
    check("1 + 2 * 3", "7");
    check("(1 + 2) * 3", "9");
    check("7 % 4", "3");
    check("10 / 4", "2.5");
    check("1 / 0", "error: Division by zero");
    check("!true || false", "false");
    check("1 == \"1\"", "false");
    check("false && 1 / 0 > 1", "false");
    check("0.1 + 0.2", "0.3");
    check("true && \"yes\"", "error: Invalid operand");
    check("2 > 1 ? \"a\" : \"b\"", "\"a\"");
    check("true ? 1 : \"b\"", "\"1\"");
    check("true ? [1] : 2", "error: Inconsistent conditional result types");
    check("false ? [][0] : \"fallback\"", "\"fallback\"");
    check("null == null", "true");
    check("-(3)", "-3");
}

#[test]
fn templates() {
    check("\"a-${1 + 1}-b\"", "\"a-2-b\"");
    check("\"${[1, 2]}\"", "[1, 2]");
    check("\"x${[1]}\"", "error: Invalid template interpolation value");
    check("\"%{ if true }yes%{ else }no%{ endif }\"", "\"yes\"");
    check("\"%{ for x in [1, 2] }<${x}>%{ endfor }\"", "\"<1><2>\"");
    check("\"$${literal}\"", "\"${literal}\"");
    check("\"a ${~ \"b\" ~} c\"", "\"abc\"");
}

#[test]
fn heredocs_lose_their_indent() {
    let body =
        parse("main.tf", "a = <<-EOT\n    one\n      two\n    EOT\nb = <<EOT\n  kept\nEOT\n").expect("it parses");
    assert_eq!(constant(body.setting("a").expect("a")), Ok(Datum::text("one\n  two\n")));
    assert_eq!(constant(body.setting("b").expect("b")), Ok(Datum::text("  kept\n")));
}

#[test]
fn loops_and_splats() {
    check("[for x in [1, 2, 3] : x * 2 if x > 1]", "[4, 6]");
    check("{for k, v in {a = 1, b = 2} : v => k}", "{1 = \"a\", 2 = \"b\"}");
    check("{for x in [\"a\", \"b\", \"a\"] : x => 1}", "error: Duplicate object key");
    check("{for x in [\"a\", \"b\", \"a\"] : x => x...}", "{a = [\"a\", \"a\"], b = [\"b\"]}");
    check("[{a = 1}, {a = 2}][*].a", "[1, 2]");
    check("[{a = [1, 2]}].*.a[0]", "[1, 2]");
    check("[{a = [1, 2]}][*].a[0]", "[1]");
    check("{a = 1}.b", "error: Unsupported attribute");
    check("[1, 2][2]", "error: Invalid index");
    check("toset([\"a\"])[0]", "error: Invalid index");
}

#[test]
fn text_functions() {
    check("join(\",\", [\"a\", \"b\"])", "\"a,b\"");
    check("split(\",\", \"a,b\")", "[\"a\", \"b\"]");
    check("format(\"%s-%03d-%.1f-%t\", \"a\", 7, 2.25, true)", "\"a-007-2.2-true\"");
    check("format(\"%s\")", "error: Error in function call");
    check("formatlist(\"%s!\", [\"a\", \"b\"])", "[\"a!\", \"b!\"]");
    check("replace(\"a-b\", \"-\", \"_\")", "\"a_b\"");
    check("replace(\"a1b22\", \"/[0-9]+/\", \"n\")", "\"anbn\"");
    check("regex(\"^([a-z]+)-([0-9]+)$\", \"web-12\")", "[\"web\", \"12\"]");
    check("can(regex(\"^x\", \"y\"))", "false");
    check("substr(\"hello\", 1, 3)", "\"ell\"");
    check("substr(\"hello\", -3, -1)", "\"llo\"");
    check("title(\"hello world\")", "\"Hello World\"");
    check("trimprefix(\"abc\", \"a\")", "\"bc\"");
    check("upper(lower(\"ABC\"))", "\"ABC\"");
    check("strrev(\"abc\")", "\"cba\"");
    check("startswith(\"abc\", \"ab\")", "true");
    check("indent(2, \"a\\nb\")", "\"a\\n  b\"");
}

#[test]
fn collection_functions() {
    check("length([1, 2])", "2");
    check("merge({a = 1}, {b = 2, a = 3})", "{a = 3, b = 2}");
    check("lookup({a = 1}, \"b\", 0)", "0");
    check("element([\"a\", \"b\"], 3)", "\"b\"");
    check("concat([1], [2])", "[1, 2]");
    check("flatten([[1, [2]], 3])", "[1, 2, 3]");
    check("distinct([\"a\", \"b\", \"a\"])", "[\"a\", \"b\"]");
    check("sort([\"b\", \"a\"])", "[\"a\", \"b\"]");
    check("zipmap([\"a\", \"b\"], [1, 2])", "{a = 1, b = 2}");
    check("range(3)", "[0, 1, 2]");
    check("range(1, 8, 3)", "[1, 4, 7]");
    check("range(100000)", "error: Error in function call");
    check("slice([1, 2, 3], 1, 3)", "[2, 3]");
    check("setproduct([\"a\"], [1, 2])", "[[\"a\", 1], [\"a\", 2]]");
    check("setsubtract([1, 2], [2])", "[1]");
    check("coalesce(null, \"\", \"x\")", "\"x\"");
    check("one([])", "null");
    check("compact([\"a\", \"\", \"b\"])", "[\"a\", \"b\"]");
    check("chunklist([1, 2, 3], 2)", "[[1, 2], [3]]");
    check("transpose({a = [\"x\"], b = [\"x\"]})", "{x = [\"a\", \"b\"]}");
    check("try([][0], \"none\")", "\"none\"");
    check("alltrue([true, \"true\"])", "true");
    check("keys({b = 1, a = 2})", "[\"a\", \"b\"]");
    check("tolist([1, \"a\"])", "[\"1\", \"a\"]");
}

#[test]
fn numbers_encodings_and_hashes() {
    check("max(1, 5, 3)", "5");
    check("ceil(1.2) + floor(1.8)", "3");
    check("pow(2, 10)", "1024");
    check("log(8, 2)", "3");
    check("parseint(\"ff\", 16)", "255");
    check("signum(-4)", "-1");
    check("jsonencode({b = [1, true, null], a = \"<x>\"})", r#""{\"a\":\"\\u003cx\\u003e\",\"b\":[1,true,null]}""#);
    check("jsondecode(\"{\\\"a\\\": [1]}\").a[0]", "1");
    check("base64encode(\"hello\")", "\"aGVsbG8=\"");
    check("base64decode(\"aGVsbG8=\")", "\"hello\"");
    check("urlencode(\"a b&c\")", "\"a+b%26c\"");
    check("md5(\"hello\")", "\"5d41402abc4b2a76b9719d911017c592\"");
    check("sha1(\"hello\")", "\"aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d\"");
    check("sha256(\"\")", "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"");
    check("csvdecode(\"a,b\\n1,2\")[0].b", "\"2\"");
    check("yamlencode({a = [1]})", "\"\\\"a\\\":\\n- 1\\n\"");
}

#[test]
fn address_functions() {
    check("cidrsubnet(\"10.0.0.0/16\", 8, 2)", "\"10.0.2.0/24\"");
    check("cidrsubnet(\"10.0.0.0/16\", 8, 256)", "error: Error in function call");
    check("cidrhost(\"10.0.1.0/24\", 5)", "\"10.0.1.5\"");
    check("cidrhost(\"10.0.1.0/24\", -1)", "\"10.0.1.255\"");
    check("cidrnetmask(\"10.0.0.0/12\")", "\"255.240.0.0\"");
    check("cidrsubnets(\"10.1.0.0/16\", 4, 4, 8)", "[\"10.1.0.0/20\", \"10.1.16.0/20\", \"10.1.32.0/24\"]");
    check("cidrsubnet(\"2001:db8::/32\", 16, 1)", "\"2001:db8:1::/48\"");
}

#[test]
fn dates() {
    check("formatdate(\"YYYY-MM-DD\", \"2024-02-29T10:20:30Z\")", "\"2024-02-29\"");
    check("timeadd(\"2024-02-28T23:00:00Z\", \"2h\")", "\"2024-02-29T01:00:00Z\"");
    check("formatdate(\"EEEE, DD MMM YYYY hh:mm\", \"2026-11-15T14:15:00Z\")", "\"Sunday, 15 Nov 2026 14:15\"");
    check("timestamp()", "(known after apply)");
    check("length(timestamp()) > 0", "(known after apply)");
}

#[test]
fn mistakes_end_in_an_error() {
    check("nosuch(1)", "error: Call to unknown function");
    check("upper()", "error: Not enough function arguments");
    check("upper(\"a\", \"b\")", "error: Too many function arguments");
    check("var.x", "error: Variables not allowed");
    check("format(\"%999999999d\", 1)", "error: Error in function call");
    check("setproduct(range(1000), range(1000), range(1000))", "error: Error in function call");
    let deep = format!("a = {}1{}\n", "[".repeat(100_000), "]".repeat(100_000));
    assert!(parse("main.tf", &deep).is_err());
    let many = format!("a = 1{}\n", " + 1".repeat(10_000));
    assert!(parse("main.tf", &many).is_err());
    assert!(parse("main.tf", &"x".repeat(600_000)).is_err());
}

#[test]
fn every_function_of_the_table_answers_nonsense_without_a_panic() {
    let nonsense = [
        "",
        "null",
        "\"\"",
        "-1",
        "[]",
        "{}",
        "[[]], \"x\"",
        "\"a\", -5, 7",
        "{}, \"\", []",
        "\"%d\", \"x\"",
        "1, 2, 3, 4",
    ];
    for name in terraform::functions::names() {
        for args in nonsense {
            let expr = parse_expression(&format!("{name}({args})")).expect("it parses");
            let _ = constant(&expr);
        }
    }
}
