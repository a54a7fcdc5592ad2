//! Command lines and what they print.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, clippy::disallowed_macros)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use shell::{Host, Output, Shell};

/// A host with a clock, a few files and one program.
#[derive(Default)]
struct Desk {
    files: BTreeMap<String, String>,
    now: i64,
    deadline: Option<i64>,
}

impl Host for Desk {
    fn run(&mut self, _: &mut Shell, words: &[String], input: &str) -> Option<Output> {
        match words[0].as_str() {
            "words" => Some(Output::printed(format!("{words:?}\n"))),
            "fail" => Some(Output::failed(3, "no\n")),
            "count" => Some(Output::printed(format!("{}\n", input.len()))),
            _ => None,
        }
    }

    fn has_tool(&self, name: &str) -> bool {
        shell::tools::names().any(|known| known == name)
    }

    fn read_file(&mut self, path: &str) -> Result<String, String> {
        self.files.get(path).cloned().ok_or_else(|| "No such file or directory".into())
    }

    fn write_file(&mut self, path: &str, text: &str, append: bool) -> Result<(), String> {
        let file = self.files.entry(path.into()).or_default();
        if !append {
            file.clear();
        }
        file.push_str(text);
        Ok(())
    }

    fn now(&self) -> i64 {
        self.now
    }

    fn wait_until(&mut self, shell: &mut Shell, until: i64) {
        while let Some(due) = shell.next_due().filter(|due| *due <= until) {
            self.now = self.now.max(due);
            shell.run_due(self);
        }
        self.now = self.now.max(until);
    }

    fn deadline(&mut self) -> &mut Option<i64> {
        &mut self.deadline
    }
}

fn run(line: &str) -> Output {
    Shell::default().run(&mut Desk::default(), line, "")
}

fn check(cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        let output = run(line);
        assert_eq!(output.stdout + &output.stderr, *expected, "{line}");
    }
}

#[test]
fn words_and_quotes() {
    check(&[
        ("words a 'b c' \"d e\" f\\ g", "[\"words\", \"a\", \"b c\", \"d e\", \"f g\"]\n"),
        ("words '' \"\"", "[\"words\", \"\", \"\"]\n"),
        ("A='x  y'; words $A \"$A\" ${A}z", "[\"words\", \"x\", \"y\", \"x  y\", \"x\", \"yz\"]\n"),
        ("words $NONE \"$NONE\"", "[\"words\", \"\"]\n"),
        ("words $(echo a b) \"$(echo a b)\" `echo c`", "[\"words\", \"a\", \"b\", \"a b\", \"c\"]\n"),
        ("A=x words $A; words ${A:-none} ${B:-n}", "[\"words\"]\n[\"words\", \"none\", \"n\"]\n"),
        ("F=a.b.c; echo ${F%.*} ${F%%.*} ${F#*.} ${F##*.} ${#F} ${F/b/X}", "a.b a b.c c 5 a.X.c\n"),
        ("echo $((1 + 2 * 3)) $(( (7 - 1) / 2 ))", "7 3\n"),
        ("echo a{1..3} x{p,q}", "a1 a2 a3 xp xq\n"),
        ("words jsonpath='{.items[*].metadata.name}'", "[\"words\", \"jsonpath={.items[*].metadata.name}\"]\n"),
        ("echo a # b", "a\n"),
        ("echo $'a\\tb'", "a\tb\n"),
    ]);
}

#[test]
fn lists_and_pipes() {
    check(&[
        ("true && echo a || echo b; false && echo c || echo d", "a\nd\n"),
        ("fail; echo $?", "3\nno\n"),
        ("! false && echo ok", "ok\n"),
        ("printf 'a\\nb\\n' | grep b | wc -l", "1\n"),
        ("echo a; (echo b; exit 3); echo $?", "a\nb\n3\n"),
        ("fail 2>/dev/null || echo x 1>&2", "x\n"),
        ("fail 2>&1 | cat", "no\n"),
        ("echo a > f; echo b >> f; cat f; cat < f | wc -l", "a\nb\n2\n"),
        ("cat <<EOF\na $((1+1))\nEOF\necho b", "a 2\nb\n"),
        ("cat <<'EOF' | tr a-z A-Z\na $x\nEOF", "A $X\n"),
        ("cat <<< 'x y'", "x y\n"),
        ("for i in 1 2 3; do if [ $i -eq 2 ]; then continue; fi; echo $i; done", "1\n3\n"),
        ("i=0; while [ $i -lt 3 ]; do i=$((i+1)); done; echo $i", "3\n"),
        ("case web-1 in db*) echo db;; web-?|x) echo web;; esac", "web\n"),
        ("f() { echo $1 $#; }; f a b", "a 2\n"),
        ("sh -c 'echo out; echo err >&2; exit 3'; echo $?", "out\n3\nerr\n"),
        ("nothing", "sh: nothing: command not found\n"),
        ("echo 'a", "sh: unexpected EOF while looking for matching `''\n"),
        ("echo a | ", "sh: syntax error: unexpected end of file\n"),
        ("(sleep 1; echo late) & sleep 2; echo end", "end\nlate\n"),
        ("(sleep 1; echo late) & wait; echo end", "late\nend\n"),
        ("timeout 1 sleep 5; echo $?", "124\n"),
    ]);
}

#[test]
fn text_tools() {
    check(&[
        ("seq 5 | head -2; seq 5 | tail -n 2; seq 5 | tail -n +4; seq 5 | head -n -3", "1\n2\n4\n5\n4\n5\n1\n2\n"),
        ("printf 'b 2\\na 10\\nc 1\\n' | sort -k2 -n", "c 1\nb 2\na 10\n"),
        ("printf 'b\\na\\nb\\n' | sort | uniq -c", "      1 a\n      2 b\n"),
        ("printf 'b\\na\\nb\\n' | sort -ru", "b\na\n"),
        ("echo a,b,c | cut -d, -f1,3; echo abcdef | cut -c2-4", "a,c\nbcd\n"),
        ("printf 'ERROR x\\ninfo\\nerror y\\n' | grep -ic error", "2\n"),
        ("printf 'a1\\nb2\\n' | grep -oE '[0-9]+'; printf 'a|b\\n' | grep 'a|b'", "1\n2\na|b\n"),
        ("printf 'a\\nb\\nc\\nd\\n' | grep -A1 b; echo x | grep y || echo none", "b\nc\nnone\n"),
        (
            "echo hello | sed 's/l/L/g'; echo ab | sed -E 's/(a)(b)/\\2\\1/'; seq 3 | sed -n 2p; seq 3 | sed 2d",
            "heLLo\nba\n2\n1\n3\n",
        ),
        ("echo 'a b c' | awk '{print $1, $NF}'; echo a:b | awk -F: '{print $2}'", "a c\nb\n"),
        ("printf 'x 1\\ny 2\\nx 3\\n' | awk '{s[$1]+=$2} END {for (k in s) print k, s[k]}'", "x 4\ny 2\n"),
        ("seq 10 | awk 'NR>1 && $1%2==0 {n++; t+=$1} END {printf \"%d %.2f\\n\", n, t/n}'", "5 6.00\n"),
        ("printf 'NAME READY\\na 0/1\\nb 1/1\\n' | awk 'NR>1 {split($2,r,\"/\"); if (r[1]!=r[2]) print $1}'", "a\n"),
        ("echo '{\"b\":1,\"a\":[1,2]}' | jq -c .", "{\"b\":1,\"a\":[1,2]}\n"),
        (
            "echo '{\"items\":[{\"n\":\"x\",\"r\":3},{\"n\":\"y\",\"r\":0}]}' | jq -r '.items[] | select(.r > 1) | .n'",
            "x\n",
        ),
        ("echo '[3,1,2]' | jq -c 'sort, length, add, map(. * 2)'", "[1,2,3]\n3\n6\n[6,2,4]\n"),
        ("echo '{\"a\":{\"x\":1},\"b\":{\"x\":2}}' | jq -r 'to_entries[] | \"\\(.key)=\\(.value.x)\"'", "a=1\nb=2\n"),
        ("echo '{\"a\":null}' | jq -r '.a // \"none\", .b.c, (.a | type)'", "none\nnull\nnull\n"),
        ("echo '{\"a\":1}' | jq '{z: .a, y: 2}'", "{\n  \"z\": 1,\n  \"y\": 2\n}\n"),
        ("echo '\"aGk=\"' | jq -r '@base64d'; echo -n hi | base64; echo aGk= | base64 -d", "hi\naGk=\nhi"),
        ("echo '{\"a\":1}' | jq -c '.b.c = 2 | del(.a)'", "{\"b\":{\"c\":2}}\n"),
        ("echo 'a b' | xargs words; printf 'a\\nb\\n' | xargs -I{} echo x{}", "[\"words\", \"a\", \"b\"]\nxa\nxb\n"),
        ("echo a | tee f | cat; wc -c < f; wc -l f", "a\n2\n1 f\n"),
        (
            "printf 'a\\nb\\n' | paste -sd, ; echo 'a b' | rev; printf 'a b\\nccc d\\n' | column -t",
            "a,b\nb a\na    b\nccc  d\n",
        ),
    ]);
}

#[test]
fn lines_without_an_end_are_stopped() {
    for line in [
        "while true; do echo x; done",
        "f() { f; }; f",
        "awk 'BEGIN { while (1) n++ }'",
        "x=a; for i in $(seq 64); do x=$x$x; done; echo $x",
    ] {
        let output = run(line);
        assert!(output.stdout.len() < 64 << 20, "{line}");
        assert!(output.code != 0 || output.stdout.len() < 1 << 20, "{line}: {}", output.code);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_line_panics(line in "[ a-z0-9$(){}<>|&;'\"\\\\`*?!#=/.,:\\[\\]@~%^+\n-]{0,60}") {
        run(&line);
    }

    #[test]
    fn no_tool_panics(tool in "(grep|sed|awk|jq|sort|cut|tr|head|tail|xargs|uniq|wc|column|paste|base64|printf)", text in "[ -~]{0,30}", input in "[ -~\n]{0,40}") {
        let quoted = text.replace('\'', "x");
        Shell::default().run(&mut Desk::default(), &format!("{tool} '{quoted}'"), &input);
        Shell::default().run(&mut Desk::default(), &format!("{tool} {quoted}"), &input);
    }
}
