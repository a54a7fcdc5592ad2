//! The evaluator beside the real tool, where that is installed: the same values from the same expressions.
//!
//! One call of `terraform console` evaluates all of them; no provider, registry or network is needed.

use std::io::Write;
use std::process::{Command, Stdio};

use terraform::eval::constant;
use terraform::functions::json_text;
use terraform::syntax::parse_expression;

/// Expressions whose values must agree. What fails must fail in both.
fn expressions() -> Vec<String> {
    let mut made: Vec<String> = include_str!("console.txt")
        .lines()
        .filter(|l| !l.trim().is_empty() && !l.starts_with('#'))
        .map(str::to_owned)
        .collect();
    for bits in 0..9 {
        for number in [0, 1, 2, 5, 255] {
            made.push(format!("cidrsubnet(\"10.{bits}.0.0/16\", {bits}, {number})"));
        }
    }
    for n in -3..8 {
        made.push(format!("substr(\"abcdef\", {n}, 2)"));
        made.push(format!("element([\"a\", \"b\", \"c\"], {})", n + 3));
        made.push(format!("format(\"%05d|%-4s|%.2f\", {n}, \"x\", {n} / 7)"));
        made.push(format!("[for i in range(4) : i * {n} if i % 2 == 0]"));
        made.push(format!("{n} >= 2 ? upper(\"yes\") : lower(\"NO\")"));
        made.push(format!("cidrhost(\"10.0.0.0/24\", {n})"));
    }
    made
}

/// What the tool says: one JSON text per expression, or `ERROR`.
fn console(expressions: &[String]) -> Option<Vec<String>> {
    let line = format!(
        "jsonencode([{}])",
        expressions.iter().map(|e| format!("try(jsonencode({e}), \"ERROR\")")).collect::<Vec<_>>().join(", ")
    );
    let mut child = Command::new("terraform")
        .arg("console")
        .current_dir(std::env::temp_dir())
        .env("CHECKPOINT_DISABLE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    writeln!(child.stdin.take()?, "{line}").ok()?;
    let output = child.wait_with_output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let start =
        text.find("\"[").unwrap_or_else(|| panic!("no answer: {text}\n{}", String::from_utf8_lossy(&output.stderr)));
    // The console prints the JSON text as a quoted string; reading it twice gives the list.
    let quoted = text[start..].trim();
    let inner: String = serde_json::from_str(quoted).unwrap_or_else(|e| panic!("{e}: {quoted}"));
    Some(serde_json::from_str(&inner).unwrap_or_else(|e| panic!("{e}: {inner}")))
}

#[test]
fn values_agree_with_the_tool() {
    let expressions = expressions();
    let Some(theirs) = console(&expressions) else {
        println!("skipped: no terraform on PATH");
        return;
    };
    assert_eq!(theirs.len(), expressions.len());
    let mut wrong = String::new();
    for (expression, theirs) in expressions.iter().zip(theirs) {
        let ours = parse_expression(expression)
            .and_then(|e| constant(&e))
            .map_or_else(|_| "ERROR".to_owned(), |v| json_text(&v));
        if ours != theirs {
            wrong += &format!("{expression}\n  ours   {ours}\n  theirs {theirs}\n");
        }
    }
    println!("{} expressions compared", expressions.len());
    assert!(wrong.is_empty(), "they differ:\n{wrong}");
}
