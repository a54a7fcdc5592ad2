//! Replies in many layouts: the same three files come out of each.

use terraform::extract::{Extraction, ReplyLayout, Unparsed, extract};

const MAIN: &str = "resource \"aws_vpc\" \"main\" {\n  cidr_block = var.vpc_cidr\n  # the main.tf of old had more\n}\n";
const VARIABLES: &str = "variable \"vpc_cidr\" {\n  type = string\n}\n";
const OUTPUTS: &str = "output \"vpc_id\" { value = aws_vpc.main.id }\n";

const FILES: [(&str, &str); 3] = [("main.tf", MAIN), ("variables.tf", VARIABLES), ("outputs.tf", OUTPUTS)];

/// The three files, each written by `one`.
fn each(one: impl Fn(&str, &str) -> String) -> String {
    FILES.iter().map(|(name, text)| one(name, text)).collect()
}

fn numbered(one: impl Fn(usize, &str, &str) -> String) -> String {
    FILES.iter().enumerate().map(|(i, (name, text))| one(i + 1, name, text)).collect()
}

/// The text without a comment in its first line that is its label.
fn unlabelled<'a>(name: &str, text: &'a str) -> &'a str {
    match text.split_once('\n') {
        Some((first, rest)) if first.starts_with(['#', '/']) && first.contains(name) => rest,
        _ => text,
    }
}

#[track_caller]
fn check(layout: &str, reply: &str) {
    match extract(reply) {
        Extraction::Found { files, .. } => {
            let found: Vec<(&str, &str)> = files.iter().map(|(n, t)| (n.as_str(), unlabelled(n, t.trim()))).collect();
            let mut wanted: Vec<(&str, &str)> = FILES.iter().map(|(n, t)| (*n, t.trim())).collect();
            wanted.sort_unstable();
            assert_eq!(found, wanted, "{layout}:\n{reply}");
        }
        Extraction::Unparsed(why) => panic!("{layout}: {why}:\n{reply}"),
    }
}

#[test]
#[allow(clippy::too_many_lines)]
fn every_layout_gives_the_same_files() {
    let json_text = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let diff = |text: &str| text.lines().map(|l| format!("+{l}\n")).collect::<String>();
    let indented = |text: &str| text.lines().map(|l| format!("   {l}\n")).collect::<String>();
    let layouts: Vec<(&str, String)> = vec![
        ("info string", each(|n, t| format!("```hcl {n}\n{t}```\n"))),
        ("info string with colon", each(|n, t| format!("```hcl:{n}\n{t}```\n"))),
        ("name as info string", each(|n, t| format!("```{n}\n{t}```\n"))),
        ("title in the info string", each(|n, t| format!("```hcl title=\"{n}\"\n{t}```\n"))),
        ("filename in the info string", each(|n, t| format!("```terraform filename={n}\n{t}```\n"))),
        ("pandoc attributes", each(|n, t| format!("```{{.hcl file=\"{n}\"}}\n{t}```\n"))),
        ("heading 1", each(|n, t| format!("# {n}\n\n```hcl\n{t}```\n\n"))),
        ("heading 2", each(|n, t| format!("## {n}\n```hcl\n{t}```\n\n"))),
        ("heading 3", each(|n, t| format!("### {n}\n\n```hcl\n{t}```\n\n"))),
        ("heading 3 with code", each(|n, t| format!("### `{n}`\n\n```hcl\n{t}```\n\n"))),
        ("heading with the word file", each(|n, t| format!("#### File: {n}\n```hcl\n{t}```\n"))),
        ("numbered heading", numbered(|i, n, t| format!("### {i}. {n}\n\n```hcl\n{t}```\n\n"))),
        ("numbered line", numbered(|i, n, t| format!("{i}. `{n}`\n\n```hcl\n{t}```\n\n"))),
        ("numbered line, bold", numbered(|i, n, t| format!("{i}. **{n}**:\n\n```terraform\n{t}```\n\n"))),
        ("bold", each(|n, t| format!("**{n}**\n```hcl\n{t}```\n"))),
        ("bold with colon", each(|n, t| format!("**{n}:**\n```hcl\n{t}```\n"))),
        ("bold code", each(|n, t| format!("**`{n}`**\n\n```hcl\n{t}```\n"))),
        ("code", each(|n, t| format!("`{n}`\n```hcl\n{t}```\n"))),
        ("code with colon", each(|n, t| format!("`{n}`:\n```hcl\n{t}```\n"))),
        ("plain with colon", each(|n, t| format!("{n}:\n```\n{t}```\n"))),
        ("italic", each(|n, t| format!("_{n}_\n```hcl\n{t}```\n"))),
        ("bullet", each(|n, t| format!("- {n}\n\n```hcl\n{t}```\n"))),
        ("sentence", each(|n, t| format!("Here is the `{n}` file:\n\n```hcl\n{t}```\n\n"))),
        ("heading, then a sentence", each(|n, t| format!("## {n}\n\nThis one matters.\n\n```hcl\n{t}```\n\n"))),
        ("hash comment", each(|n, t| format!("```hcl\n# {n}\n{t}```\n"))),
        ("slash comment", each(|n, t| format!("```hcl\n// {n}\n{t}```\n"))).clone(),
        ("block comment", each(|n, t| format!("```hcl\n/* {n} */\n{t}```\n"))),
        ("comment with the word file", each(|n, t| format!("```hcl\n# File: {n}\n{t}```\n"))),
        ("framed comment", each(|n, t| format!("```hcl\n# ---- {n} ----\n{t}```\n"))),
        ("fence tf", each(|n, t| format!("### {n}\n```tf\n{t}```\n"))),
        ("fence without a language", each(|n, t| format!("### {n}\n```\n{t}```\n"))),
        ("tildes", each(|n, t| format!("### {n}\n~~~hcl\n{t}~~~\n"))),
        ("four backticks", each(|n, t| format!("### {n}\n````hcl\n{t}````\n"))),
        ("indented fences", numbered(|i, n, t| format!("{i}. {n}\n\n   ```hcl\n{}   ```\n\n", indented(t)))),
        ("closed on the last line", each(|n, t| format!("### {n}\n```hcl\n{}```\n", t.trim_end()))),
        ("one block, comments between", format!("```hcl\n{}```\n", each(|n, t| format!("# {n}\n{t}\n")))),
        ("one block, framed comments", format!("```hcl\n{}```\n", each(|n, t| format!("# ===== {n} =====\n{t}\n")))),
        (
            "one block, comments with rules",
            format!("```hcl\n{}```\n", each(|n, t| format!("# -----------\n# {n}\n# -----------\n{t}\n"))),
        ),
        ("no labels", each(|_, t| format!("```hcl\n{t}```\n\n"))),
        ("with a folder", each(|n, t| format!("### ./terraform/{n}\n```hcl\n{t}```\n"))),
        ("with an absolute path", each(|n, t| format!("**/srv/project/{n}**\n```hcl\n{t}```\n"))),
        ("markers of equal signs", each(|n, t| format!("=== {n} ===\n{t}\n"))),
        ("markers of dashes", each(|n, t| format!("--- {n} ---\n{t}\n"))),
        ("plain names", each(|n, t| format!("{n}\n{t}\n"))),
        ("plain names with colon", each(|n, t| format!("{n}:\n\n{t}\n"))),
        ("plain comments", each(|n, t| format!("# {n}\n{t}\n"))),
        (
            "JSON map",
            format!(
                "{{{}}}",
                FILES.iter().map(|(n, t)| format!("\"{n}\": \"{}\"", json_text(t))).collect::<Vec<_>>().join(", ")
            ),
        ),
        (
            "JSON map below files",
            format!(
                "{{\"files\": {{{}}}}}",
                FILES.iter().map(|(n, t)| format!("\"{n}\": \"{}\"", json_text(t))).collect::<Vec<_>>().join(", ")
            ),
        ),
        (
            "JSON list",
            format!(
                "[{}]",
                FILES
                    .iter()
                    .map(|(n, t)| format!("{{\"path\": \"{n}\", \"content\": \"{}\"}}", json_text(t)))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        ),
        (
            "JSON in a fence",
            format!(
                "```json\n{{\"files\": [{}]}}\n```",
                FILES
                    .iter()
                    .map(|(n, t)| format!("{{\"name\": \"{n}\", \"code\": \"{}\"}}", json_text(t)))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        ),
        ("file tags", each(|n, t| format!("<file name=\"{n}\">\n{t}</file>\n"))),
        ("file tags with path", each(|n, t| format!("<file path='{n}'>\n```hcl\n{t}```\n</file>\n"))),
        ("tags of names", each(|n, t| format!("<{n}>\n{t}</{n}>\n"))),
        ("shell", format!("```bash\n{}```\n", each(|n, t| format!("cat > {n} <<'EOF'\n{t}EOF\n")))),
        ("shell, other order", each(|n, t| format!("cat << EOF > {n}\n{t}EOF\n"))),
        (
            "diff",
            format!("```diff\n{}```\n", each(|n, t| format!("--- /dev/null\n+++ b/{n}\n@@ -0,0 +1,4 @@\n{}", diff(t)))),
        ),
        (
            "after thoughts",
            format!(
                "<think>\nI could write main.tf so:\n```hcl\nresource \"x\" \"y\" {{}}\n```\n</think>\n{}",
                each(|n, t| format!("### {n}\n```hcl\n{t}```\n"))
            ),
        ),
        ("carriage returns", each(|n, t| format!("### {n}\n```hcl\n{t}```\n")).replace('\n', "\r\n")),
        (
            "a greeting and a goodbye",
            format!(
                "Sure! Here are the files main.tf, variables.tf and outputs.tf.\n\n{}\nRun `terraform init` first.",
                each(|n, t| format!("**{n}**\n\n```hcl\n{t}```\n\n"))
            ),
        ),
        (
            "a command at the end",
            format!(
                "{}```bash\nterraform init\nterraform apply\n```\n",
                each(|n, t| format!("### {n}\n```hcl\n{t}```\n"))
            ),
        ),
    ];
    for (layout, reply) in &layouts {
        let reply = if *layout == "carriage returns" { reply.clone() } else { reply.to_string() };
        check(layout, &reply);
    }
    println!("{} layouts recovered", layouts.len());
    assert!(layouts.len() >= 40);
}

#[track_caller]
fn unparsed(reply: &str, expected: Unparsed) {
    assert_eq!(extract(reply), Extraction::Unparsed(expected), "{reply}");
}

#[test]
fn replies_without_files_are_told_apart() {
    unparsed("", Unparsed::Empty);
    unparsed("  \n\t ", Unparsed::Empty);
    unparsed("I'm sorry, but I can't help with that.", Unparsed::Refused);
    unparsed("You should use a module from the registry.", Unparsed::NoConfiguration);
    unparsed("```python\nprint('main.tf')\n```", Unparsed::NoConfiguration);
    unparsed("{\"answer\": 42}", Unparsed::NoConfiguration);
    unparsed(&"x".repeat(3 << 20), Unparsed::TooLong);
}

#[test]
fn a_cut_off_reply_is_marked() {
    let Extraction::Found { truncated, layout, .. } =
        extract("### main.tf\n```hcl\nresource \"aws_vpc\" \"main\" {\n  cidr")
    else {
        panic!("there is a file");
    };
    assert!(truncated);
    assert_eq!(layout, ReplyLayout::Fences);
}

#[test]
fn a_file_that_comes_twice_is_ambiguous_and_the_last_counts() {
    let twice = "### main.tf\n```hcl\nlocals { a = 1 }\n```\nBetter:\n### main.tf\n```hcl\nlocals { a = 2 }\n```\n";
    let Extraction::Found { files, ambiguous, .. } = extract(twice) else { panic!("there is a file") };
    assert_eq!(ambiguous, ["main.tf"]);
    assert_eq!(files["main.tf"], "locals { a = 2 }\n");
}

#[test]
fn modules_keep_their_folders() {
    let reply = "**main.tf**\n```hcl\nmodule \"net\" { source = \"./modules/net\" }\n```\n**modules/net/main.tf**\n```hcl\nlocals { a = 1 }\n```\n";
    let Extraction::Found { files, .. } = extract(reply) else { panic!("there are files") };
    assert_eq!(files.keys().collect::<Vec<_>>(), ["main.tf", "modules/net/main.tf"]);
}
