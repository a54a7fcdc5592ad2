use std::sync::Arc;

use expect_test::{Expect, expect};
use world::Noise;

use super::Task;
use crate::episode::{Episode, EpisodeOptions};
use crate::scenario::Scenario;
use crate::test_support::{GONE, task};

/// Replaces a part of the test's task and expects the error that this gives.
fn check(old: &str, new: &str, expect: Expect) {
    assert!(GONE.contains(old), "{old}");
    let error = Task::parse("tasks/gone.toml", &GONE.replacen(old, new, 1)).err();
    expect.assert_eq(&error.map_or("no error".to_string(), |e| e.to_string()));
}

/// A task file without what it lists as its fix.
fn without_fix(text: &str) -> String {
    let start = text.find("\nfix = [").expect("it lists a fix");
    let mut depth = 0;
    let end = text[start..].char_indices().find(|(_, c)| {
        depth += i32::from(*c == '[') - i32::from(*c == ']');
        *c == ']' && depth == 0
    });
    format!("{}{}", &text[..start], &text[start + end.expect("the list ends").0 + 1..])
}

/// Files of earlier versions name the tool that shows a fact.
#[test]
fn older_names_of_evidence_are_read() {
    let old = GONE.replace("\"metrics:cache\"", "\"inspect_metrics:cache\"");
    assert_ne!(old, GONE);
    let task = Task::parse("gone.toml", &old).expect("it is valid");
    assert_eq!(task.card().evidence, ["status:cache", "metrics:cache"]);
}

/// What ends an incident is asked of its faults, so a file need not list it: the solution of every shipped task
/// ends it all the same.
#[test]
fn a_fix_that_is_not_listed_follows_from_the_faults() {
    let gone = Task::parse("gone.toml", &without_fix(GONE)).expect("it is valid");
    assert_eq!(gone.card().fix, task().card().fix);
    for source in crate::tasks::embedded().iter().step_by(3) {
        let listed = source.task().expect("it is valid");
        if !source.text().contains("\nfix = [") {
            continue; // It rests on this already.
        }
        if !listed.responders.is_empty() {
            continue; // How far a responder's own change must go back is for the file to say.
        }
        // Where nothing is wrong with a setting and no cure is known for the place, the file has to say what counts.
        let Ok(task) = Task::parse(&source.file, &without_fix(source.text())) else {
            assert!(listed.faults.iter().all(|f| f.fault.cures(&f.args, &listed.plan).is_empty()), "{}", source.id);
            continue;
        };
        let scenario = Arc::new(Scenario::prepare(&Arc::new(task), 0, Noise(0)).expect("it pages"));
        let mut episode = Episode::start(&scenario, EpisodeOptions::default());
        for call in scenario.solution() {
            episode.step(&call);
        }
        let seal = episode.finish().seal().expect("it ended").clone();
        assert!(seal.mitigated, "{}: {:?}", source.id, seal.checks);
    }
}

#[test]
fn a_whole_file_is_a_task() {
    let task = Task::parse("gone.toml", GONE).expect("it is valid");
    let card = task.card();
    assert_eq!(card.evidence, ["status:cache", "metrics:cache"]);
    assert_eq!((card.difficulty.as_str(), card.split.as_str(), card.steps), ("easy", "train", 8));
    assert_eq!(card.digest.len(), 64);
    assert_eq!(task.fault_text(), "crash(service=cache)");
    assert_eq!(super::evidence::look(&task.evidence[0]), "check_status(cache)");
}

#[test]
fn names_are_checked() {
    check(
        "id = \"gone\"",
        "id = \"Gone\"",
        expect!["task file tasks/gone.toml: id: takes small letters, digits and `_`; got `Gone`"],
    );
    check(
        "id = \"gone\"",
        "id = \"gone_too\"",
        expect!["task file tasks/gone.toml: id: `gone_too` differs from the file's name; rename one of them"],
    );
    check("steps = 8", "steps = 0", expect!["task file tasks/gone.toml: steps: takes 1 to 100; got 0"]);
    check(
        "[\"srezero-40\"]",
        "[\"srezero-4\"]",
        expect!["task file tasks/gone.toml: suites: unknown suite `srezero-4`: did you mean `srezero-40`?"],
    );
    check(
        "kind = \"crash\"",
        "kind = \"crsh\"",
        expect!["task file tasks/gone.toml: [[fault]] 1: unknown fault `crsh`: did you mean `crash`?"],
    );
    check(
        "kind = \"crash\"",
        "kind = \"leak\"",
        expect!["task file tasks/gone.toml: [[fault]] 1: unknown fault `leak`: did you mean `bad_build_leak`?"],
    );
    check(
        "kind = \"crash\"\n",
        "",
        expect![[r#"task file tasks/gone.toml: [[fault]] 1: it needs a `kind`, such as kind = "crash""#]],
    );
    check(
        "service = \"cache\"",
        "service = \"cahce\"",
        expect!["task file tasks/gone.toml: [[fault]] 1: unknown service `cahce`: did you mean `cache`?"],
    );
    check(
        "service = \"cache\"",
        "service = \"cache\"\nserver = 1",
        expect![
            "task file tasks/gone.toml: [[fault]] 1: unknown argument of `crash` `server`; known are service, after_s"
        ],
    );
    check(
        "service = \"cache\"",
        "service = \"cache\"\nafter_s = \"soon\"",
        expect!["task file tasks/gone.toml: [[fault]] 1: after_s: takes 0 to 3600 seconds; got `soon`"],
    );
    check(
        "service = \"web_server\"",
        "service = \"web\"",
        expect!["task file tasks/gone.toml: [[decoy]] 1: unknown service `web`: did you mean `web_server`?"],
    );
    check(
        "component = \"cache\"",
        "component = \"cash\"",
        expect!["task file tasks/gone.toml: diagnosis.component: unknown service `cash`: did you mean `cache`?"],
    );
    check(
        "[\"crash\"]",
        "[\"crush\"]",
        expect!["task file tasks/gone.toml: diagnosis.concepts: unknown concept `crush`: did you mean `crash`?"],
    );
    check("[\"crash\"]", "[]", expect!["task file tasks/gone.toml: diagnosis.concepts: needs at least one"]);
    check(
        "[\"web_server\"]",
        "[\"webserver\"]",
        expect![
            "task file tasks/gone.toml: grading.distractors 1: unknown service `webserver`: did you mean `web_server`?"
        ],
    );
}

#[test]
fn evidence_and_fixes_are_checked() {
    check(
        "metrics:cache",
        "metric:cache",
        expect![
            "task file tasks/gone.toml: grading.evidence 2: unknown kind of fact `metric`: did you mean `metrics`?"
        ],
    );
    check(
        "metrics:cache",
        "restart_service:cache",
        expect![
            "task file tasks/gone.toml: grading.evidence 2: unknown kind of fact `restart_service`; known are metrics, logs, status, config, dependency, change, alert, trace"
        ],
    );
    check(
        "metrics:cache",
        "metrics",
        expect![
            "task file tasks/gone.toml: grading.evidence 2: `metrics` should be written as kind:service, such as metrics:cache, or config:service:KEY"
        ],
    );
    check(
        "metrics:cache",
        "logs:cache:TTL_SECONDS",
        expect![
            "task file tasks/gone.toml: grading.evidence 2: `logs:cache:TTL_SECONDS`: only config has a key, and only metrics have a series"
        ],
    );
    check(
        "metrics:cache",
        "config:cache:TTL",
        expect![
            "task file tasks/gone.toml: grading.evidence 2: unknown configuration key of cache `TTL`: did you mean `TTL_SECONDS`?"
        ],
    );
    check(
        "{ restart = \"cache\" }",
        "{ restart = \"cash\" }",
        expect!["task file tasks/gone.toml: grading.fix 1: unknown service `cash`: did you mean `cache`?"],
    );
    check(
        "{ restart = \"cache\" }",
        "{ config = \"cache.TTL_SECONDS\", is = \"> 3\" }",
        expect!["task file tasks/gone.toml: grading.fix 1: `> 3` should be `>= n`, `<= n` or `= value`"],
    );
    check(
        "{ restart = \"cache\" }",
        "{ config = \"cache.TTL_SECONDS\", is = \">= ten\" }",
        expect![
            "task file tasks/gone.toml: grading.fix 1: TTL_SECONDS takes seconds, a whole number from 1 to 86400; got `ten`"
        ],
    );
    check(
        "{ restart = \"cache\" }",
        "{ config = \"web_server.USE_CACHE\", is = \">= 1\" }",
        expect![
            "task file tasks/gone.toml: grading.fix 1: `>= 1`: USE_CACHE takes true or false, so it compares with `= value` only"
        ],
    );
    check(
        "{ restart = \"cache\" }",
        "{ config = \"TTL_SECONDS\", is = \">= 1\" }",
        expect!["task file tasks/gone.toml: grading.fix 1: `TTL_SECONDS` should be written as service.KEY"],
    );
    check(
        "{ restart = \"cache\" }",
        "{ reboot = \"cache\" }",
        expect![[r#"
            task file tasks/gone.toml: TOML parse error at line 25, column 7
               |
            25 | fix = [{ reboot = "cache" }]
               |       ^^^^^^^^^^^^^^^^^^^^^^
            a fix is written { restart = "service" }, { config = "service.KEY", is = ">= n" } or { rolled_back = "service" }"#]],
    );
}

#[test]
fn the_world_and_the_solution_are_checked() {
    check(
        "[[decoy]]",
        "[world]\nbase = \"bank\"\n[[decoy]]",
        expect!["task file tasks/gone.toml: world.base: unknown world `bank`; known are shop, inline"],
    );
    check(
        "[[decoy]]",
        "[world]\nload = { chekout = 2.0 }\n[[decoy]]",
        expect!["task file tasks/gone.toml: world.load: unknown route `chekout`: did you mean `checkout`?"],
    );
    check(
        "[[decoy]]",
        "[world]\nconfig = { \"cache.TTL\" = 3 }\n[[decoy]]",
        expect![
            "task file tasks/gone.toml: world: service `cache`: no configuration key `TTL`; known are TTL_SECONDS, MAX_MEMORY_MB, COMPRESSION_ENABLED, AUTH_TOKEN_VALID"
        ],
    );
    check(
        "[[decoy]]",
        "[world]\nconfig = { \"cache.TTL_SECONDS\" = \"ten\" }\n[[decoy]]",
        expect![
            "task file tasks/gone.toml: world: service `cache`: TTL_SECONDS takes seconds, a whole number from 1 to 86400; got `ten`"
        ],
    );
    check(
        "[[decoy]]",
        "[world]\nparams = { \"cache.colour\" = 3 }\n[[decoy]]",
        expect![
            "task file tasks/gone.toml: world: service `cache`: no parameter `colour`; known are working_set_mb, reuse_s, warm_s, ops_per_s, skew, loader_patience_s, swelling, tokens, former_host, renews, keys, zipf"
        ],
    );
    check(
        "[[decoy]]",
        "[world]\ntickets = [\"cash/down\"]\n[[decoy]]",
        expect!["task file tasks/gone.toml: world: ticket `cash/down`: there is no service `cash` in this world"],
    );
    check(
        "\"check_status(cache)\",",
        "\"check_status(cash)\",",
        expect![
            "task file tasks/gone.toml: solution.calls 1: `check_status(cash)`: there is no service `cash`; the services are load_balancer, web_server, cache, database, message_queue"
        ],
    );
    check(
        "\"check_status(cache)\",",
        "\"check_status(cache)\",".repeat(6).as_str(),
        expect!["task file tasks/gone.toml: solution.calls: 9 calls, but the budget is 8 steps"],
    );
    check(
        "    \"resolve_incident",
        "    # \"resolve_incident",
        expect![[
            r#"task file tasks/gone.toml: solution.calls: the last call must be resolve_incident(root_cause="...", fix="...")"#
        ]],
    );
}

#[test]
fn numbers_have_bounds() {
    check(
        "minutes_before = 25",
        "minutes_before = 99999999999",
        expect!["task file tasks/gone.toml: [[decoy]] 1: minutes_before: takes 1 to 360; got 99999999999"],
    );
    check(
        "service = \"cache\"",
        "service = \"cache\"\nafter_s = 99999999999999999",
        expect!["task file tasks/gone.toml: [[fault]] 1: after_s: takes 0 to 3600 seconds; got `99999999999999999`"],
    );
    check(
        "[[decoy]]",
        "[world]\nload = { checkout = 0 }\n[[decoy]]",
        expect!["task file tasks/gone.toml: world.load: `checkout` takes a number above 0; got 0"],
    );
    check(
        "[[decoy]]",
        "[world]\nparams = { \"database.cores\" = nan }\n[[decoy]]",
        expect!["task file tasks/gone.toml: world.params: `database.cores` takes a number above 0; got NaN"],
    );
}

#[test]
fn what_is_no_task_file_says_where() {
    check(
        "difficulty = \"easy\"",
        "difficulty = \"trivial\"",
        expect![[r#"
        task file tasks/gone.toml: TOML parse error at line 4, column 14
          |
        4 | difficulty = "trivial"
          |              ^^^^^^^^^
        unknown variant `trivial`, expected one of `easy`, `medium`, `hard`"#]],
    );
    check(
        "difficulty",
        "dificulty",
        expect![[r#"
            task file tasks/gone.toml: TOML parse error at line 4, column 1
              |
            4 | dificulty = "easy"
              | ^^^^^^^^^
            unknown field `dificulty`, expected one of `id`, `title`, `difficulty`, `split`, `suites`, `steps`, `noise`, `tools`, `measured`, `world`, `fault`, `decoy`, `responder`, `diagnosis`, `grading`, `solution`"#]],
    );
    check(
        "steps = 8",
        "steps = many",
        expect![[r#"
        task file tasks/gone.toml: TOML parse error at line 7, column 9
          |
        7 | steps = many
          |         ^^^^
        string values must be quoted, expected literal string"#]],
    );
}

/// The graders read records alone, so they keep a catalogue of what people call services; kinds say the same.
#[test]
fn graders_and_kinds_use_the_same_names() {
    for component in record::grade::components::ALL {
        let kind = world::services::ALL.iter().find(|kind| kind.title() == component.name);
        let kind = kind.unwrap_or_else(|| panic!("{} is what a kind is called", component.name));
        let aliases: Vec<&str> = component.aliases.split('|').map(str::trim).collect();
        assert_eq!(aliases, kind.aliases(), "{}", component.name);
    }
}
