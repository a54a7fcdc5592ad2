//! Pictures as data.

use expect_test::{Expect, expect};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::sweeping::screen::samples;

/// The picture as text, without blanks at the ends of lines.
fn picture((width, height): (u16, u16), seen: &Snapshot, ui: &Ui) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal that is not there");
    terminal.draw(|frame| draw(frame, seen, ui)).expect("it can always be drawn");
    let buffer = terminal.backend().buffer();
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_string();
    (0..height).map(row).collect::<Vec<_>>().join("\n") + "\n"
}

fn check(size: (u16, u16), seen: &Snapshot, ui: &Ui, expect: Expect) {
    expect.assert_eq(&picture(size, seen, ui));
}

const SMALL: (u16, u16) = (80, 24);
const LARGE: (u16, u16) = (140, 40);

#[test]
fn a_sweep_on_a_small_screen() {
    check(
        SMALL,
        &samples::middle(150),
        &Ui::default(),
        expect![[r#"
             srezero-40: 4 agents x 40 tasks x 1 seed                75 s, about 4 min left
             runs/srezero-40-3f2a
            ██████████████████████▌     45 of 160 episodes, 28 %
             24 played (successes: 19), 20 found finished, 3 running, 1 missing, 1 failed
             101 calls, 3 in flight; 72.0 k tokens in, 3200 out; $1.00
             18 calls failed: 12 rate_limit, 3 timeout, 3 empty_reply
            ┏ Targets (2) ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
            ┃target                        calls answered  failed    mean   tokens     cost┃
            ┃here/calm                        40       38       0  0.32 s   35.7 k    $0.48┃
            ┃here/rough                       61       42      18  1.50 s   39.5 k    $0.53┃
            ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
            ┌ Running (3) ─────────────────────────────────────────────────────────────────┐
            │    2 min  react@here/calm/disk/7                                             │
            │     62 s  react@here/rough/disk/7                                            │
            │      4 s  tools@here/rough/cart/7-r1                                         │
            └──────────────────────────────────────────────────────────────────────────────┘
            ┌ Log ─────────────────────────────────────────────────────────────────────────┐
            │12:02:25 here/rough: rate_limit: 429 too many requests: slow down, or ask for │
            │12:02:26 tools@here/rough/cart/146: budget, reward 0.125, 20 steps            │
            │12:02:27 react@here/calm/disk/147: success, reward 0.750, 6 steps             │
            │12:02:28 here/rough: rate_limit: 429 too many requests: slow down, or ask for │
            │12:02:29 tools@here/rough/cart/149: budget, reward 0.125, 20 steps            │
            └──────────────────────────────────────────────────────────────────────────────┘
             p pause   q stop   Tab next pane   arrows move   Enter detail   ? help
        "#]],
    );
}

#[test]
fn a_sweep_on_a_large_screen() {
    check(
        LARGE,
        &samples::middle(150),
        &Ui { pane: Pane::Log, ..Ui::default() },
        expect![[r#"
             srezero-40: 4 agents x 40 tasks x 1 seed                                                                            75 s, about 4 min left
             runs/srezero-40-3f2a
            ███████████████████████████████████████▍                  45 of 160 episodes, 28 %
             24 played (successes: 19), 20 found finished, 3 running, 1 missing, 1 failed
             101 calls, 3 in flight; 72.0 k tokens in, 3200 out; $1.00
             18 calls failed: 12 rate_limit, 3 timeout, 3 empty_reply
            ┌ Targets (2) ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┐
            │target                       calls answered  failed    mean   tokens     cost failures                  last trouble                      │
            │here/calm                       40       38       0  0.32 s   35.7 k    $0.48                                                             │
            │here/rough                      61       42      18  1.50 s   39.5 k    $0.53 12 rate_limit, 3 timeout, rate_limit: 429 too many requests:│
            └──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
            ┌ Running (3) ────────────────────────────────────────────────┐┏ Log ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
            │    2 min  react@here/calm/disk/7                            │┃12:02:04 here/rough: rate_limit: 429 too many requests: slow down, or ask f┃
            │     62 s  react@here/rough/disk/7                           │┃12:02:05 tools@here/rough/cart/125: budget, reward 0.125, 20 steps         ┃
            │      4 s  tools@here/rough/cart/7-r1                        │┃12:02:06 react@here/calm/disk/126: success, reward 0.750, 6 steps          ┃
            │                                                             │┃12:02:07 here/rough: rate_limit: 429 too many requests: slow down, or ask f┃
            │                                                             │┃12:02:08 tools@here/rough/cart/128: budget, reward 0.125, 20 steps         ┃
            │                                                             │┃12:02:09 react@here/calm/disk/129: success, reward 0.750, 6 steps          ┃
            │                                                             │┃12:02:10 here/rough: rate_limit: 429 too many requests: slow down, or ask f┃
            │                                                             │┃12:02:11 tools@here/rough/cart/131: budget, reward 0.125, 20 steps         ┃
            │                                                             │┃12:02:12 react@here/calm/disk/132: success, reward 0.750, 6 steps          ┃
            │                                                             │┃12:02:13 here/rough: rate_limit: 429 too many requests: slow down, or ask f┃
            │                                                             │┃12:02:14 tools@here/rough/cart/134: budget, reward 0.125, 20 steps         ┃
            │                                                             │┃12:02:15 react@here/calm/disk/135: success, reward 0.750, 6 steps          ┃
            │                                                             │┃12:02:16 here/rough: rate_limit: 429 too many requests: slow down, or ask f┃
            │                                                             │┃12:02:17 tools@here/rough/cart/137: budget, reward 0.125, 20 steps         ┃
            │                                                             │┃12:02:18 react@here/calm/disk/138: success, reward 0.750, 6 steps          ┃
            │                                                             │┃12:02:19 here/rough: rate_limit: 429 too many requests: slow down, or ask f┃
            │                                                             │┃12:02:20 tools@here/rough/cart/140: budget, reward 0.125, 20 steps         ┃
            │                                                             │┃12:02:21 react@here/calm/disk/141: success, reward 0.750, 6 steps          ┃
            │                                                             │┃12:02:22 here/rough: rate_limit: 429 too many requests: slow down, or ask f┃
            │                                                             │┃12:02:23 tools@here/rough/cart/143: budget, reward 0.125, 20 steps         ┃
            │                                                             │┃12:02:24 react@here/calm/disk/144: success, reward 0.750, 6 steps          ┃
            │                                                             │┃12:02:25 here/rough: rate_limit: 429 too many requests: slow down, or ask f┃
            │                                                             │┃12:02:26 tools@here/rough/cart/146: budget, reward 0.125, 20 steps         ┃
            │                                                             │┃12:02:27 react@here/calm/disk/147: success, reward 0.750, 6 steps          ┃
            │                                                             │┃12:02:28 here/rough: rate_limit: 429 too many requests: slow down, or ask f┃
            │                                                             │┃12:02:29 tools@here/rough/cart/149: budget, reward 0.125, 20 steps         ┃
            └─────────────────────────────────────────────────────────────┘┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
             p pause   q stop   Tab next pane   arrows move   Enter detail   ? help
        "#]],
    );
}

#[test]
fn a_target_in_detail() {
    let ui = Ui { over: Overlay::Detail, target: Some("here/rough".to_string()), ..Ui::default() };
    check(
        SMALL,
        &samples::middle(20),
        &ui,
        expect![[r#"
             srezero-40: 4 agents x 40 tasks x 1 seed                75 s, about 4 min left
             r╔ here/rough ══════════════════════════════════════════════════════════════╗
            ██║episodes        12 played, 1 missing, successes: 9                        ║
             2║calls           61, 42 answered, 1 in flight                              ║
             1║from recording  0                                                         ║
             1║latency         1.50 s mean, 2.75 s slowest                               ║
            ┌ ║tokens          37.8 k in (12.6 k cached), 1680 out (336 reasoning)       ║─┐
            │t║cost            $0.5250, $0.0438 per episode                              ║t│
            │h║failed calls    12 rate_limit, 3 timeout, 3 empty_reply                   ║8│
            │h║last trouble    rate_limit: 429 too many requests: slow down              ║3│
            └─║                                                                          ║─┘
            ┌ ║2 episodes running, the oldest first                                      ║─┐
            │ ║     62 s  react@here/rough/disk/7                                        ║ │
            │ ║      4 s  tools@here/rough/cart/7-r1                                     ║ │
            │ ║Log, the newest first                                                     ║ │
            └─║12:00:19 here/rough: rate_limit: 429 too many requests: slow down, or ask ║─┘
            ┌ ║for more; again in 2.0 s                                                  ║─┐
            │1║12:00:17 tools@here/rough/cart/17: budget, reward 0.125, 20 steps         ║ │
            │1║12:00:16 here/rough: rate_limit: 429 too many requests: slow down, or ask ║ │
            │1║for more; again in 2.0 s                                                  ║ │
            │1║12:00:14 tools@here/rough/cart/14: budget, reward 0.125, 20 steps         ║ │
            │1║12:00:13 here/rough: rate_limit: 429 too many requests: slow down, or ask ║ │
            └─╚══════════════════════════════════════════════════════════════════════════╝─┘
             Esc back   up, down another target   p pause   ? help
        "#]],
    );
    check(
        LARGE,
        &samples::middle(20),
        &ui,
        expect![[r#"
             srezero-40: 4 agents x 40 tasks x 1 seed                                                                            75 s, about 4 min left
             r╔ here/rough ══════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════╗
            ██║episodes        12 played, 1 missing, successes: 9                                                                                    ║
             2║calls           61, 42 answered, 1 in flight                                                                                          ║
             1║from recording  0                                                                                                                     ║
             1║latency         1.50 s mean, 2.75 s slowest                                                                                           ║
            ┌ ║tokens          37.8 k in (12.6 k cached), 1680 out (336 reasoning)                                                                   ║─┐
            │t║cost            $0.5250, $0.0438 per episode                                                                                          ║ │
            │h║failed calls    12 rate_limit, 3 timeout, 3 empty_reply                                                                               ║ │
            │h║last trouble    rate_limit: 429 too many requests: slow down                                                                          ║:│
            └─║                                                                                                                                      ║─┘
            ┌ ║2 episodes running, the oldest first                                                                                                  ║─┐
            │ ║     62 s  react@here/rough/disk/7                                                                                                    ║ │
            │ ║      4 s  tools@here/rough/cart/7-r1                                                                                                 ║f│
            │ ║Log, the newest first                                                                                                                 ║ │
            │ ║12:00:19 here/rough: rate_limit: 429 too many requests: slow down, or ask for more; again in 2.0 s                                    ║ │
            │ ║12:00:17 tools@here/rough/cart/17: budget, reward 0.125, 20 steps                                                                     ║f│
            │ ║12:00:16 here/rough: rate_limit: 429 too many requests: slow down, or ask for more; again in 2.0 s                                    ║ │
            │ ║12:00:14 tools@here/rough/cart/14: budget, reward 0.125, 20 steps                                                                     ║ │
            │ ║12:00:13 here/rough: rate_limit: 429 too many requests: slow down, or ask for more; again in 2.0 s                                    ║f│
            │ ║12:00:11 tools@here/rough/cart/11: budget, reward 0.125, 20 steps                                                                     ║ │
            │ ║12:00:10 here/rough: rate_limit: 429 too many requests: slow down, or ask for more; again in 2.0 s                                    ║ │
            │ ║12:00:08 tools@here/rough/cart/8: budget, reward 0.125, 20 steps                                                                      ║f│
            │ ║12:00:07 here/rough: rate_limit: 429 too many requests: slow down, or ask for more; again in 2.0 s                                    ║ │
            │ ║12:00:05 tools@here/rough/cart/5: budget, reward 0.125, 20 steps                                                                      ║ │
            │ ║12:00:04 here/rough: rate_limit: 429 too many requests: slow down, or ask for more; again in 2.0 s                                    ║f│
            │ ║12:00:02 tools@here/rough/cart/2: budget, reward 0.125, 20 steps                                                                      ║ │
            │ ║12:00:01 here/rough: rate_limit: 429 too many requests: slow down, or ask for more; again in 2.0 s                                    ║ │
            │ ║                                                                                                                                      ║f│
            │ ║                                                                                                                                      ║ │
            │ ║                                                                                                                                      ║ │
            │ ║                                                                                                                                      ║f│
            │ ║                                                                                                                                      ║ │
            │ ║                                                                                                                                      ║ │
            │ ║                                                                                                                                      ║ │
            │ ║                                                                                                                                      ║ │
            │ ║                                                                                                                                      ║ │
            │ ║                                                                                                                                      ║ │
            └─╚══════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════╝─┘
             Esc back   up, down another target   p pause   ? help
        "#]],
    );
}

#[test]
fn the_log_scrolled_back_and_aside() {
    let ui = Ui { pane: Pane::Log, log: Some(140), aside: 16, ..Ui::default() };
    check(
        SMALL,
        &samples::middle(150),
        &ui,
        expect![[r#"
             srezero-40: 4 agents x 40 tasks x 1 seed                75 s, about 4 min left
             runs/srezero-40-3f2a
            ██████████████████████▌     45 of 160 episodes, 28 %
             24 played (successes: 19), 20 found finished, 3 running, 1 missing, 1 failed
             101 calls, 3 in flight; 72.0 k tokens in, 3200 out; $1.00
             18 calls failed: 12 rate_limit, 3 timeout, 3 empty_reply
            ┌ Targets (2) ─────────────────────────────────────────────────────────────────┐
            │target                        calls answered  failed    mean   tokens     cost│
            │here/calm                        40       38       0  0.32 s   35.7 k    $0.48│
            │here/rough                       61       42      18  1.50 s   39.5 k    $0.53│
            └──────────────────────────────────────────────────────────────────────────────┘
            ┌ Running (3) ─────────────────────────────────────────────────────────────────┐
            │    2 min  react@here/calm/disk/7                                             │
            │     62 s  react@here/rough/disk/7                                            │
            │      4 s  tools@here/rough/cart/7-r1                                         │
            └──────────────────────────────────────────────────────────────────────────────┘
            ┏ Log (10 newer, End follows) ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
            ┃12:02:15 disk/135: success, reward 0.750, 6 steps                             ┃
            ┃12:02:16 _limit: 429 too many requests: slow down, or ask for more; again in 2┃
            ┃12:02:17 /cart/137: budget, reward 0.125, 20 steps                            ┃
            ┃12:02:18 disk/138: success, reward 0.750, 6 steps                             ┃
            ┃12:02:19 _limit: 429 too many requests: slow down, or ask for more; again in 2┃
            ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
             p pause   q stop   Tab next pane   arrows move   Enter detail   ? help
        "#]],
    );
}

/// "623 of 4000 calls" used to read "623 of 400" at 80 columns.
#[test]
fn caps_and_names_are_whole_on_a_small_screen() {
    let mut seen = samples::middle(150);
    (seen.caps.0.cost, seen.caps.0.tokens, seen.caps.0.calls) = (Some(20.0), Some(3_000_000), Some(4000));
    (seen.caps.1.cost, seen.caps.1.calls) = (12.5, 623);
    let traffic = seen.targets[0].1.clone();
    let long = "rehearsal/llama-4-maverick-17b-128e-instruct-";
    seen.targets = ["one", "two"].map(|end| (format!("{long}{end}"), traffic.clone())).to_vec();
    seen.running = vec![(format!("react@{long}one/cache_latency_degradation/1"), seen.running[0].1)];
    let shown = picture(SMALL, &seen, &Ui::default());
    assert!(shown.contains("latency_degradation/1"), "the task of an episode is told: {shown}");
    assert!(shown.contains(" caps: $12.50 of $20.00, 0 of 3000.0 k tokens, 623 of 4000 calls\n"), "{shown}");
    assert!(shown.contains("instruct-one ") && shown.contains("instruct-two "), "{shown}");
}

#[test]
fn a_run_with_caps_that_is_stopping() {
    let mut seen = samples::middle(2);
    seen.stopping = Some("interrupted with Ctrl-C".to_string());
    seen.caps.0.cost = Some(20.0);
    seen.caps.0.calls = Some(5000);
    (seen.caps.1.cost, seen.caps.1.calls) = (12.5, 1234);
    check(
        LARGE,
        &seen,
        &Ui::default(),
        expect![[r#"
             srezero-40: 4 agents x 40 tasks x 1 seed                                                                                              75 s
             runs/srezero-40-3f2a
            ███████████████████████████████████████▍                  45 of 160 episodes, 28 %
             24 played (successes: 19), 20 found finished, 3 running, 1 missing, 1 failed
             101 calls, 3 in flight; 72.0 k tokens in, 3200 out; $1.00
             18 calls failed: 12 rate_limit, 3 timeout, 3 empty_reply
             caps: $12.50 of $20.00, 1234 of 5000 calls
            ┏ Targets (2) ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
            ┃target                       calls answered  failed    mean   tokens     cost failures                  last trouble                      ┃
            ┃here/calm                       40       38       0  0.32 s   35.7 k    $0.48                                                             ┃
            ┃here/rough                      61       42      18  1.50 s   39.5 k    $0.53 12 rate_limit, 3 timeout, rate_limit: 429 too many requests:┃
            ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
            ┌ Running (3) ────────────────────────────────────────────────┐┌ Log ──────────────────────────────────────────────────────────────────────┐
            │    2 min  react@here/calm/disk/7                            ││12:00:00 react@here/calm/disk/0: success, reward 0.750, 6 steps            │
            │     62 s  react@here/rough/disk/7                           ││12:00:01 here/rough: rate_limit: 429 too many requests: slow down, or ask f│
            │      4 s  tools@here/rough/cart/7-r1                        ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            │                                                             ││                                                                           │
            └─────────────────────────────────────────────────────────────┘└───────────────────────────────────────────────────────────────────────────┘
             Stopping (3 calls in flight; q leaves at once): interrupted with Ctrl-C.
        "#]],
    );
}

#[test]
fn the_question_before_a_pause() {
    check(
        SMALL,
        &samples::middle(5),
        &Ui { over: Overlay::Pause, ..Ui::default() },
        expect![[r#"
             srezero-40: 4 agents x 40 tasks x 1 seed                75 s, about 4 min left
             runs/srezero-40-3f2a
            ██████████████████████▌     45 of 160 episodes, 28 %
             24 played (successes: 19), 20 found finished, 3 running, 1 missing, 1 failed
             101 calls, 3 in flight; 72.0 k tokens in, 3200 out; $1.00
             18 calls failed: 12 rate_limit, 3 timeout, 3 empty_reply
            ┌ Targets (2) ─────────────────────────────────────────────────────────────────┐
            │target                        calls answered  failed    mean   tokens     cost│
            │here/calm                        40       38       0  0.32 s   35.7 k    $0.48│
            │here/╔ Pause ═══════════════════════════════════════════════════════════╗$0.53│
            └─────║Stop before the next step? 3 episodes will be left begun.         ║─────┘
            ┌ Runn║Nothing is lost: the same command goes on where this stopped,     ║─────┐
            │    2║and no answer is paid twice.                                      ║     │
            │     ║                                                                  ║     │
            │     ║y pause    n go on playing                                        ║     │
            └─────╚══════════════════════════════════════════════════════════════════╝─────┘
            ┌ Log ─────────────────────────────────────────────────────────────────────────┐
            │12:00:00 react@here/calm/disk/0: success, reward 0.750, 6 steps               │
            │12:00:01 here/rough: rate_limit: 429 too many requests: slow down, or ask for │
            │12:00:02 tools@here/rough/cart/2: budget, reward 0.125, 20 steps              │
            │12:00:03 react@here/calm/disk/3: success, reward 0.750, 6 steps               │
            │12:00:04 here/rough: rate_limit: 429 too many requests: slow down, or ask for │
            └──────────────────────────────────────────────────────────────────────────────┘
             p pause   q stop   Tab next pane   arrows move   Enter detail   ? help
        "#]],
    );
}

#[test]
fn the_keys() {
    check(
        SMALL,
        &samples::middle(5),
        &Ui { over: Overlay::Help, ..Ui::default() },
        expect![[r#"
             srezero-40: 4 agents x 40 tasks x 1 seed                75 s, about 4 min left
             runs/srezero-40-3f2a
            ██████████████████████▌     45 of 160 episodes, 28 %
             24 played (successes: 19), 20 found finished, 3 running, 1 missing, 1 failed
             101 calls, 3 in flight; 72.0 k tokens in, 3200 out; $1.00
             ╔ Keys ══════════════════════════════════════════════════════════════════════╗
            ┌║ p            pause: stop before the next step; the same command goes on    ║┐
            │║ q, Ctrl-C    the same at once, as an interruption; again leaves at once    ║│
            │║ Tab          the next pane                                                 ║│
            │║ arrows, j, k select a target, move through a list                          ║│
            └║ left, right  move the log sideways                                         ║┘
            ┌║ PgUp, PgDn   by a page                                                     ║┐
            │║ Home, End    the first, the last; the log follows again                    ║│
            │║ Enter        all about the selected target                                 ║│
            │║ Esc          close what lies over the view                                 ║│
            └║ ?            this help                                                     ║┘
            ┌║                                                                            ║┐
            │║ missing: ended on the provider, in no rate. failed: could not be played.   ║│
            │╚════════════════════════════════════════════════════════════════════════════╝│
            │12:00:02 tools@here/rough/cart/2: budget, reward 0.125, 20 steps              │
            │12:00:03 react@here/calm/disk/3: success, reward 0.750, 6 steps               │
            │12:00:04 here/rough: rate_limit: 429 too many requests: slow down, or ask for │
            └──────────────────────────────────────────────────────────────────────────────┘
             p pause   q stop   Tab next pane   arrows move   Enter detail   ? help
        "#]],
    );
}

#[test]
fn a_sweep_that_has_not_begun() {
    check(
        SMALL,
        &Snapshot::default(),
        &Ui::default(),
        expect![[r#"
                                                                                        0 s

                                          0 of 0 episodes, 0 %
             0 played (successes: 0), 0 found finished, 0 running, 0 missing, 0 failed
             0 calls, 0 in flight; 0 tokens in, 0 out; $0.00
             no call failed
            ┏ Targets (0) ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
            ┃no calls yet; agents without a model call no provider                         ┃
            ┃                                                                              ┃
            ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
            ┌ Running (0) ─────────────────────────────────────────────────────────────────┐
            │                                                                              │
            │                                                                              │
            │                                                                              │
            │                                                                              │
            └──────────────────────────────────────────────────────────────────────────────┘
            ┌ Log ─────────────────────────────────────────────────────────────────────────┐
            │                                                                              │
            │                                                                              │
            │                                                                              │
            │                                                                              │
            │                                                                              │
            └──────────────────────────────────────────────────────────────────────────────┘
             p pause   q stop   Tab next pane   arrows move   Enter detail   ? help
        "#]],
    );
}

#[test]
fn a_screen_that_is_too_small() {
    check(
        (30, 4),
        &samples::middle(5),
        &Ui::default(),
        expect![[r#"
        The run goes on. Its view
        needs 40 x 16 characters.


    "#]],
    );
}

#[test]
fn every_size_can_be_drawn() {
    for (width, height) in
        [1, 2, 39, 40, 41, 60, 119, 120, 300].into_iter().flat_map(|w| [1, 15, 16, 17, 24, 90].map(|h| (w, h)))
    {
        for over in [Overlay::Nothing, Overlay::Help, Overlay::Detail, Overlay::Pause] {
            for seen in [samples::middle(150), samples::middle(1), Snapshot::default()] {
                let page = log_rows(Rect::new(0, 0, width, height), &seen);
                let ui = Ui { over, running: 9, log: Some(3), aside: u16::MAX, page, ..Ui::default() };
                let lines = picture((width, height), &seen, &ui).lines().count();
                assert_eq!(lines, usize::from(height));
            }
        }
    }
}
