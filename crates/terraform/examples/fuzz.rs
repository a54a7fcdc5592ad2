//! Feeds the crate with nonsense: `cargo run --release -p sre-zero-terraform --example fuzz [INPUTS REPLIES]`.
//!
//! Inputs are mutations of real configurations and of bits of grammar; each goes through the whole life cycle. A panic ends
//! the program; an input that takes long is printed.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use terraform::extract::{Extraction, extract};
use terraform::generate::{GeneratedTask, generate_any};
use terraform::task::{TerraformTask, published};

const BITS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "${",
    "%{",
    "}",
    "<<EOT\n",
    "<<-EOT\n",
    "\nEOT\n",
    "=",
    "=>",
    "?",
    ":",
    "...",
    ".*",
    "[*]",
    "for",
    "in",
    "if",
    "null",
    "true",
    "1e999",
    "-1",
    "0",
    "count = ",
    "for_each = ",
    "dynamic \"ingress\" {",
    "content {",
    "lifecycle {",
    "depends_on = [",
    "var.",
    "local.",
    "each.key",
    "count.index",
    "module.",
    "data.",
    "aws_vpc.a.id",
    "resource \"aws_vpc\" \"a\" {\n",
    "variable \"a\" {\n",
    "output \"a\" {\n",
    "locals {\n",
    "module \"m\" {\n",
    "jsonencode(",
    "cidrsubnet(",
    "format(\"%s%d\", ",
    "toset(",
    "setproduct(",
    "range(",
    "regex(\"(\", ",
    "try(",
    "merge(",
    "timestamp()",
    "\u{a7}",
    "\u{1f4a5}",
    "\0",
    "\r\n",
    "\t",
    "/*",
    "*/",
    "#",
    "//",
    "9223372036854775808",
    "\"10.0.0.0/33\"",
    "```",
    "```hcl main.tf\n",
    "### outputs.tf\n",
    "<file name=\"main.tf\">",
    "{\"main.tf\": \"",
];

/// SplitMix64.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n.max(1) as u64).expect("it is below a length")
    }
}

fn place(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

/// A few random changes: bits put in, parts cut, copied or swapped.
fn mutate(text: &str, noise: &mut Noise) -> String {
    let mut text = text.to_owned();
    for _ in 0..=noise.below(4) {
        let a = place(&text, noise.below(text.len() + 1));
        let b = place(&text, a + noise.below(40));
        match noise.below(5) {
            0 => text.replace_range(a..b, ""),
            1 => text.insert_str(a, BITS[noise.below(BITS.len())]),
            2 => text.replace_range(a..b, BITS[noise.below(BITS.len())]),
            3 => {
                let copy = text[a..b].to_owned();
                let at = place(&text, noise.below(text.len() + 1));
                text.insert_str(at, &copy);
            }
            _ => {
                let cut = text[a..b].to_owned();
                text.replace_range(a..b, "");
                let at = place(&text, noise.below(text.len() + 1));
                text.insert_str(at, &cut);
            }
        }
    }
    text
}

/// Changes whole words and lines, which mostly keeps the grammar: these inputs reach the later stages.
fn reword(text: &str, noise: &mut Noise) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.')
        .filter(|w| !w.is_empty())
        .map(str::to_owned)
        .collect();
    for _ in 0..=noise.below(3) {
        let at = noise.below(lines.len());
        match noise.below(4) {
            0 if !lines[at].contains(['{', '}', '[', ']']) => drop(lines.remove(at)),
            1 if !lines[at].contains(['{', '}', '[', ']']) => lines.insert(at, lines[at].clone()),
            _ => {
                let own: Vec<&str> = lines[at]
                    .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.')
                    .filter(|w| !w.is_empty())
                    .collect();
                if let Some(old) = own.get(noise.below(own.len())).map(|w| (*w).to_owned()) {
                    let odd = ["null", "true", "-1", "0", "99999", "each.key", "[]", "{}", "timestamp()", "1.5"];
                    let new = if noise.below(3) == 0 {
                        odd[noise.below(odd.len())].to_owned()
                    } else {
                        words[noise.below(words.len())].clone()
                    };
                    lines[at] = lines[at].replacen(&old, &new, 1);
                }
            }
        }
    }
    lines.join("\n") + "\n"
}

fn soup(noise: &mut Noise) -> String {
    (0..noise.below(60)).map(|_| BITS[noise.below(BITS.len())]).collect()
}

fn main() {
    let mut args = std::env::args().skip(1).map(|a| a.parse::<u64>().expect("a number"));
    let (inputs, replies) = (args.next().unwrap_or(500_000), args.next().unwrap_or(200_000));
    let mut noise = Noise(2026);
    let tasks: Vec<TerraformTask> = published();
    let seeds: Vec<GeneratedTask> = (0..60).map(generate_any).collect();
    let mut tally: BTreeMap<String, u64> = BTreeMap::new();
    let mut slowest = Duration::ZERO;
    let begin = Instant::now();
    for i in 0..inputs {
        let made = &seeds[noise.below(seeds.len())];
        let mut files = made.reference();
        let main = match noise.below(8) {
            0 => soup(&mut noise),
            1 | 2 => mutate(&files["main.tf"], &mut noise),
            _ => reword(&files["main.tf"], &mut noise),
        };
        files.insert("main.tf".to_owned(), main);
        let mut start = Instant::now();
        let verdict = made.task.judge_files(&files);
        let mut took = start.elapsed();
        // A busy machine makes anything slow: the input is to blame only if it is slow each time.
        for _ in 0..if took > slowest { 4 } else { 0 } {
            start = Instant::now();
            made.task.judge_files(&files);
            took = took.min(start.elapsed());
        }
        if took > slowest {
            slowest = took;
            println!("input {i}: {took:?}, {} bytes", files["main.tf"].len());
        }
        *tally.entry(verdict.category.map_or("passed", |c| c.name()).to_owned()).or_default() += 1;
    }
    println!("{inputs} inputs in {:?}, slowest {slowest:?}: {tally:?}", begin.elapsed());
    let begin = Instant::now();
    let (mut found, mut slowest) = (0u64, Duration::ZERO);
    for i in 0..replies {
        let made = &seeds[noise.below(seeds.len())];
        let reply = if noise.below(4) == 0 {
            soup(&mut noise)
        } else {
            mutate(&GeneratedTask::reply(&made.reference()), &mut noise)
        };
        let start = Instant::now();
        if matches!(extract(&reply), Extraction::Found { .. }) {
            found += 1;
        }
        if i % 20 == 0 {
            tasks[noise.below(tasks.len())].judge(&reply);
        }
        slowest = slowest.max(start.elapsed());
    }
    println!("{replies} replies in {:?}, slowest {slowest:?}: files found in {found}", begin.elapsed());
}
