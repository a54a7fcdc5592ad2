//! Keys as data: what is pressed, what is chosen and wished then.

use expect_test::{Expect, expect};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::*;
use crate::sweeping::screen::samples;

fn pressed(word: &str) -> KeyEvent {
    let code = match word {
        "tab" => KeyCode::Tab,
        "backtab" => KeyCode::BackTab,
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "pgup" => KeyCode::PageUp,
        "pgdn" => KeyCode::PageDown,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "ctrl-c" => return KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL),
        "ctrl-p" => return KeyEvent::new(KeyCode::Char('p'), KeyModifiers::CONTROL),
        word => KeyCode::Char(word.chars().next().expect("a key")),
    };
    KeyEvent::new(code, KeyModifiers::NONE)
}

/// Presses keys over a sweep and tells what differs from the beginning, and all wishes.
fn told(keys: &str, seen: &Snapshot) -> String {
    let mut ui = Ui { page: 10, ..Ui::default() };
    let wishes: Vec<String> = keys
        .split_whitespace()
        .filter_map(|word| ui.key(pressed(word), seen))
        .map(|wish| format!("{wish:?}"))
        .collect();
    let Ui { pane, over, target, running, log, aside, .. } = ui;
    let parts = [
        (pane != Pane::Targets).then(|| format!("in {pane:?}")),
        (over != Overlay::Nothing).then(|| format!("over {over:?}")),
        target.map(|name| format!("target {name}")),
        (running > 0).then(|| format!("running from {running}")),
        log.map(|at| format!("log to {at}")),
        (aside > 0).then(|| format!("aside {aside}")),
        (!wishes.is_empty()).then(|| format!("wishes {}", wishes.join(" "))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn check(keys: &str, expect: Expect) {
    expect.assert_eq(&told(keys, &samples::middle(150)));
}

#[test]
fn panes_follow_one_another() {
    check("tab", expect!["in Running"]);
    check("tab tab", expect!["in Log"]);
    check("tab tab tab", expect![""]);
    check("backtab", expect!["in Log"]);
}

#[test]
fn targets_are_selected_and_opened() {
    check("down", expect!["target here/rough"]);
    check("down down down", expect!["target here/rough"]);
    check("down up", expect!["target here/calm"]);
    check("end", expect!["target here/rough"]);
    check("down enter", expect!["over Detail, target here/rough"]);
    check("enter down", expect!["over Detail, target here/rough"]);
    check("enter esc", expect![""]);
    check("enter q", expect![""]);
    check("tab enter", expect!["in Running"]);
}

#[test]
fn a_selected_target_stays_selected_when_others_appear() {
    let mut seen = samples::middle(0);
    let mut ui = Ui::default();
    ui.key(pressed("down"), &seen);
    let before = (ui.selected(&seen), seen.targets.len());
    seen.targets.insert(0, ("another/one".to_string(), Default::default()));
    assert_eq!((before, ui.selected(&seen)), ((1, 2), 2));
}

#[test]
fn lists_move_within_their_bounds() {
    check("tab down down down down", expect!["in Running, running from 2"]);
    check("tab end up", expect!["in Running, running from 1"]);
    check("tab tab up up", expect!["in Log, log to 148"]);
    check("tab tab up down", expect!["in Log"]);
    check("tab tab pgup", expect!["in Log, log to 140"]);
    check("tab tab pgup pgdn", expect!["in Log"]);
    // Of 150 messages the last 100 are kept, and ten are seen at a time.
    check("tab tab home", expect!["in Log, log to 60"]);
    check("tab tab home up", expect!["in Log, log to 60"]);
    check("tab tab home down", expect!["in Log, log to 61"]);
    check("tab tab home end", expect!["in Log"]);
    check("tab tab right right left", expect!["in Log, aside 16"]);
    check("tab tab left", expect!["in Log"]);
}

#[test]
fn a_pause_is_confirmed_first() {
    check("p", expect!["over Pause"]);
    check("p y", expect!["wishes Pause"]);
    check("p enter", expect!["wishes Pause"]);
    check("p n", expect![""]);
    check("p esc", expect![""]);
    check("p q", expect![""]);
    check("p x", expect!["over Pause"]);
    check("enter p y", expect!["wishes Pause"]);
    check("y", expect![""]);
    check("ctrl-p", expect![""]);
}

#[test]
fn a_run_that_is_stopping_is_not_paused_again() {
    let stopping = Snapshot { stopping: Some("enough".to_string()), ..samples::middle(0) };
    assert_eq!((told("p", &stopping), told("p", &samples::middle(0))), (String::new(), "over Pause".to_string()));
}

#[test]
fn interrupting_is_never_in_the_way() {
    check("q", expect!["wishes Interrupt"]);
    check("q q", expect!["wishes Interrupt Interrupt"]);
    check("ctrl-c", expect!["wishes Interrupt"]);
    check("? ctrl-c", expect!["over Help, wishes Interrupt"]);
    check("p ctrl-c", expect!["over Pause, wishes Interrupt"]);
}

#[test]
fn help_opens_and_closes() {
    check("?", expect!["over Help"]);
    check("? ?", expect![""]);
    check("? esc", expect![""]);
    check("? tab down", expect!["over Help"]);
}

#[test]
fn an_empty_sweep_takes_every_key() {
    let seen = Snapshot::default();
    let keys = "down up enter tab down end home pgdn tab up pgup home end right ? esc tab enter";
    assert_eq!(told(keys, &seen), "aside 16");
}
