//! The report of small runs: what it says, what it refuses, and what it lets no stranger do.

use expect_test::{expect, expect_file};
use serde_json::Value;

use super::stage::{line, source, troubled};
use super::*;
use crate::facts::AskedRules;

fn report(sources: &[EpisodeSource]) -> Report {
    Report::of(sources, 1).expect("the runs can be put together")
}

fn json(report: &Report) -> Value {
    serde_json::from_str(&report.json()).expect("it is JSON")
}

#[test]
fn the_document_says_this() {
    let report = report(&[source()]);
    expect_file!["snapshots/report.md"].assert_eq(&report.markdown());
    let headline = report.table("headline").expect("there is a headline");
    expect_file!["snapshots/headline.csv"].assert_eq(&tables::csv(headline).replace("\r\n", "\n"));
    expect_file!["snapshots/headline.tex"].assert_eq(&tables::latex(headline));
}

#[test]
fn the_files_of_a_table_can_have_fewer_columns_than_the_page() {
    let mut report = report(&[source()]);
    let page = report.html();
    report.choose("headline", &["agent".into(), "success_rate".into()]).expect("both are there");
    assert_eq!(report.html(), page);
    let text = |report: &Report, path: &str| {
        report.files().into_iter().find(|file| file.path == path).map(|file| file.text).unwrap_or_default()
    };
    let tex = text(&report, "tables/headline.tex");
    assert!(tex.contains("Agent & Success \\\\") && tex.contains("{lr}"), "{tex}");
    assert!(
        text(&report, "tables/headline.csv").starts_with("agent,success_rate,success_rate_low,success_rate_high\r\n")
    );
    let problem = report.choose("headlines", &[]).expect_err("there is none");
    assert!(problem.starts_with("there is no table `headlines`; there are headline, "), "{problem}");
}

/// Of problems in a cluster no evidence, harm or marks are known, so nothing is said of them.
#[test]
fn problems_in_a_cluster_are_told_by_their_stages() {
    let mut run = source();
    run.lines.iter_mut().for_each(|line| line.score.stages = Some(Box::default()));
    let report = report(&[run]);
    let headline: Vec<&str> =
        report.table("headline").expect("there is a headline").columns.iter().map(|column| &*column.name).collect();
    assert!(headline.contains(&"Diagnosed") && headline.contains(&"Success"), "{headline:?}");
    let page = report.html();
    for absent in ["Evidence", "Marks", "sign of the cause", "called over too early", "Harm avoided", "Tool use"] {
        assert!(!page.contains(absent), "{absent}");
    }
    let figures: Vec<&str> = report.figures.iter().map(|figure| figure.id).collect();
    assert_eq!(figures, ["stages", "heatmap", "time", "cost"]);
    assert!(page.contains("Named the cause in "));
}

/// Where links of the grid lead.
const VIEWER: &str = "http://127.0.0.1:7733/#/episodes?";

#[test]
fn the_page_stands_alone() {
    // A cell of the grid may lead to the viewer of the same machine; nothing is asked of it until then.
    let page = report(&[source()]).html().replace(VIEWER, "");
    for outside in ["http://", "https://", "src=", "@import", "url(http"] {
        assert!(!page.contains(outside), "the page asks for something: {outside}");
    }
    assert_eq!(page.matches("<script").count(), 1);
    assert!(page.contains("prefers-color-scheme: dark") && page.contains("@media print"));
    assert!(page.contains("Content-Security-Policy"));
}

#[test]
fn ids_are_unlike_each_other() {
    let page = report(&[source()]).html();
    let mut ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "an id comes twice");
}

#[test]
fn a_provider_that_failed_is_not_the_agents_failure() {
    let report = report(&[troubled()]);
    let value = json(&report);
    let flaky = value["agents"].as_array().and_then(|all| all.iter().find(|agent| agent["agent"] == "react@lab/flaky"));
    let flaky = flaky.expect("it is shown");
    assert_eq!(flaky["coverage"]["share"], 0.4);
    assert_eq!(flaky["rank"], Value::Null);
    assert_eq!(flaky["metrics"]["success_rate"], 1.0);
    assert_eq!(flaky["success_of_planned"], 0.4);
    assert_eq!(flaky["provider_faults"]["rate_limit"], 6);
    let page = report.html();
    assert!(page.contains("40.0\u{a0}%") && page.contains("not ranked"));
    expect![[r#"
        Only steady is ranked.
        react@lab/flaky is not ranked: only 4 of 10 planned episodes count (its provider failed in 6): a coverage of 40 % is below 90 %, and what is left may not be a fair sample."#]]
    .assert_eq(&summary::verdicts(&report.facts).join("\n"));
}

#[test]
fn an_episode_that_comes_twice_is_refused() {
    let again = EpisodeSource { name: "runs/copy".into(), ..source() };
    let clash = Report::of(&[source(), again], 1).err().expect("they cannot be put together");
    expect!["the episode steady/cache-cold/0 is in runs/sample and again in runs/copy: give only one of them, or play the second with other seeds (`--seed`) or under another agent's name"]
        .assert_eq(&clash.to_string());
    let empty = Report::of(&[EpisodeSource { name: "runs/new".into(), ..EpisodeSource::default() }], 1)
        .err()
        .expect("nothing to report");
    expect!["there is no finished episode in runs/new; give the folder of a run, such as runs/RUN"]
        .assert_eq(&empty.to_string());
}

#[test]
fn other_rules_are_not_pooled() {
    let mut other = EpisodeSource { name: "runs/later".into(), ..source() };
    other.lines.iter_mut().for_each(|line| (line.world_version, line.noise) = (2, 3));
    let report = report(&[source(), other]);
    let names: Vec<&str> = report.facts.agents.iter().map(|agent| agent.agent.as_str()).collect();
    expect![[r#"
        [
            "steady · world 1, noise 0",
            "hasty@lab/model-1 · world 1, noise 0",
            "lost · world 1, noise 0",
            "steady · world 2, noise 3",
            "hasty@lab/model-1 · world 2, noise 3",
            "lost · world 2, noise 3",
        ]
    "#]]
    .assert_debug_eq(&names);
    assert!(report.facts.agents.iter().all(|agent| agent.coverage.counted == 8), "each stands on its own episodes");
    let within = |name: &str| name.ends_with("noise 0");
    assert!(report.facts.contests.iter().all(|contest| within(&contest.better) == within(&contest.worse)));
}

#[test]
fn what_a_task_needs_splits_no_run() {
    let mut run = source();
    for line in run.lines.iter_mut().filter(|line| line.score.task == "cache-cold") {
        (line.noise, line.tools) = (3, "full".into());
    }
    run.asked = Some(AskedRules { noise: 0, tools: "classic".into() });
    let report = report(&[run]);
    assert_eq!(report.facts.settings.len(), 1);
    assert!(report.facts.agents.iter().all(|agent| agent.coverage.share == 1.0 && agent.rank.is_some()));
    let told: Vec<String> = summary::ran(&report.facts.settings[0]).into_iter().map(|(_, value)| value).collect();
    expect!["0 (3 where a task needs it)"].assert_eq(&told[6]);
    expect!["classic (full where a task needs it)"].assert_eq(&told[7]);
}

/// Who was shown rewards trained: it stands apart, is not ranked, and the report says why.
#[test]
fn episodes_with_rewards_are_not_ranked_beside_others() {
    let mut run = source();
    let trained = run.lines[0].score.agent.clone();
    for line in run.lines.iter_mut().filter(|line| line.score.agent == trained) {
        line.score.rewards = true;
    }
    let report = report(&[run]);
    assert_eq!(report.facts.settings.len(), 2);
    for agent in &report.facts.agents {
        let was_shown = agent.agent.contains(&*trained);
        assert_eq!(agent.rank.is_none(), was_shown, "{}", agent.agent);
        assert_eq!(agent.refused.as_ref().is_some_and(|why| why.contains("shown rewards")), was_shown);
    }
    assert!(report.facts.contests.iter().all(|one| !one.better.contains(&*trained) && !one.worse.contains(&*trained)));
    assert!(report.markdown().contains("it was shown rewards"), "the report says so");
}

#[test]
fn a_damaged_line_is_told_and_left_out() {
    let damaged = vec!["line 2 of episodes.jsonl: <script>".to_string(), "a/b/0: its record is missing".to_string()];
    let source = EpisodeSource { damaged, unproven: 1, ..source() };
    let page = report(&[source]).html();
    assert!(page.contains("Damaged lines, left out: 2") && page.contains("1 have no record"));
}

#[test]
fn a_stranger_stays_text_in_every_file() {
    let names = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "=HYPERLINK(\"http://evil\")\u{202e}\u{0}\u{1b}[31m",
        "</title></svg><svg onload=alert(1)>",
        "\\input{/etc/passwd} %$#&_{}~^",
        "| a | [x](javascript:alert(1)) `b` ![i](http://evil/i.png)",
        "]]>--><!--",
    ];
    let mut hostile = EpisodeSource { name: names[0].into(), ..EpisodeSource::default() };
    for name in names {
        let mut line = line(name, (name, name, name), 0, true);
        line.score.suite = names[1].into();
        line.score.component = name.into();
        line.score.model = Some(name.into());
        line.tools = name.into();
        hostile.lines.push(line);
    }
    hostile.lines.push(line(&"y".repeat(1 << 20), ("t", "f", "easy"), 0, false));
    hostile.damaged.push(names[0].into());
    for file in report(&[hostile]).files() {
        check_harmless(&file);
    }
}

fn check_harmless(file: &ReportFile) {
    let ReportFile { path, text } = file;
    assert!(text.len() < 4 << 20, "{path} is {} bytes", text.len());
    let hidden = |c: char| (c.is_control() && !"\n\r".contains(c)) || ('\u{202a}'..='\u{202e}').contains(&c);
    assert!(!text.contains(hidden), "{path} holds what cannot be seen");
    if path.ends_with(".html") || path.ends_with(".svg") || path.ends_with(".md") {
        for tag in ["<script>alert", "<img", "<svg onload", "<!--", "</title></svg>"] {
            assert!(!text.contains(tag), "{path} holds {tag}");
        }
    }
    if path.ends_with(".html") {
        assert_eq!(text.matches("<script").count(), 1, "one script of our own");
        let links = text.split("href=\"").skip(1);
        let ours = |link: &str| link.starts_with(['#', 't', 'p']) || link.starts_with(VIEWER);
        assert!(links.clone().all(ours), "{path}: a link leads elsewhere");
        assert!(!text.contains("href=\"javascript"), "{path}");
    }
    if path.ends_with(".md") {
        // A bracket after a backslash is a bracket, no link.
        let links = text.replace("\\]", "");
        assert!(!links.contains("](javascript") && !links.contains("](http"), "{path} holds a link");
        assert!(!text.contains("://evil"), "{path} holds an address");
    }
    if path.ends_with(".csv") {
        let formula =
            |line: &str| line.split(',').any(|cell| cell.trim_start_matches('"').starts_with(['=', '@', '+']));
        assert!(!text.lines().any(formula), "{path} holds a formula");
    }
    if path.ends_with(".tex") {
        assert!(!text.contains("\\input{") && !text.contains("%$#"), "{path} holds a command");
    }
}
