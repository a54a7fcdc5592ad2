//! A record as a person reads it: the page, each step with its time and reward, the end, the verdict.

use std::fmt::Write;

use harness::grade::Score;
use harness::record::{Check, EndReason, Event, Header, LifecycleVerdict, Seal, StageScore, Step};
use harness::{Record, Span, Time};

/// The whole story of an episode.
pub fn text(record: &Record) -> String {
    let mut out = String::new();
    let onset = record.seal().map_or(0, |seal| seal.onset);
    let is_question = record.header().is_some_and(|header| header.task.question.is_some());
    let is_problem = record.header().is_some_and(|header| header.task.problem.is_some());
    for event in &record.events {
        let lines = match event {
            Event::Started(header) if is_question => started(header),
            // Its text is long, and no page.
            Event::Paged { .. } if is_question => continue,
            Event::Started(header) => format!("{}\n{}  onset", started(header), Time(onset)),
            Event::Paged { time, brief } => format!("{}  page: {}", Time(*time), page(brief)),
            Event::Stepped(step) => stepped(step, is_problem),
            Event::Ended { time, reason, fault, .. } => {
                let fault = fault.map_or(String::new(), |fault| format!(" ({})", fault.name().replace('_', " ")));
                format!("{}  end: {}{fault}", Time(*time), ended(*reason))
            }
            Event::Sealed(seal) => verified(seal),
        };
        writeln!(out, "{}", lines.trim_end()).expect("a string takes everything");
    }
    out
}

/// The score of an episode, line by line.
pub fn score(score: &Score) -> String {
    if let Some(stages) = &score.stages {
        return stage_rows(stages, score);
    }
    let minutes = score.minutes_to_resolution.map_or("-".to_string(), |m| format!("{m:.1} simulated minutes"));
    let avoided = score.harm_avoided.map_or("-".to_string(), |share| format!("{:.0} %", share * 100.0 + 0.0));
    let wrong = format!("{} (on a distractor: {})", score.wrong_remediations, score.distractor_remediations);
    let rows = [
        ("reward", format!("{:.3}", score.reward)),
        ("resolved", yes(score.success).to_string()),
        ("evidence seen", format!("{:.0} %", score.evidence_coverage * 100.0)),
        ("root cause named", yes(score.root_cause_identified).to_string()),
        ("right remediation", yes(score.correct_remediation).to_string()),
        ("wrong remediations", wrong),
        ("invalid actions", score.invalid_actions.to_string()),
        ("steps", format!("{} of {}", score.steps, score.budget)),
        ("time to resolution", minutes),
        ("harm avoided", avoided),
    ];
    lined_up(&rows)
}

fn stage_rows(stages: &StageScore, score: &Score) -> String {
    let minutes = |after: Option<f64>| after.map_or("-".to_string(), |m| format!("{m:.1} simulated minutes"));
    let rows = [
        ("diagnosed", stages.diagnosed.map_or("-", yes).to_string()),
        ("mitigated", yes(stages.mitigated).to_string()),
        ("time to diagnosis", minutes(stages.minutes_to_diagnosis)),
        ("time to mitigation", minutes(stages.minutes_to_mitigation)),
        ("invalid actions", score.invalid_actions.to_string()),
        ("steps", format!("{} of {}", score.steps, score.budget)),
    ];
    lined_up(&rows)
}

fn yes(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}

fn lined_up(rows: &[(&str, String)]) -> String {
    rows.iter().map(|(name, value)| format!("  {name:<20}{value}\n")).collect()
}

/// The parts of the verdict, each with what was found.
pub fn verified(seal: &Seal) -> String {
    if let Some(verdict) = &seal.question {
        let right = if verdict.correct { "right" } else { "not right" };
        let remarks: String =
            verdict.remarks.iter().map(|remark| format!("          {}\n", one_line(remark))).collect();
        return format!(
            "          graded: {}, {right}, {:.2} points\n{remarks}{}",
            verdict.reading.name(),
            verdict.score,
            verdict.lifecycle.as_ref().map_or(String::new(), stages)
        );
    }
    let verdict = if seal.mitigated { "mitigated" } else { "not mitigated" };
    let mut out = format!("{}  verified: {verdict}\n", Time(seal.verified));
    for check in &seal.checks {
        let mark = if check.ok { "ok " } else { "BAD" };
        writeln!(out, "          {mark} {:<11} {}", check.name, one_line(&check.found))
            .expect("a string takes everything");
    }
    out
}

/// The stages of a configuration's life cycle, then the requirements that do not hold.
fn stages(lifecycle: &LifecycleVerdict) -> String {
    let broken = lifecycle.requirements.iter().filter(|requirement| !requirement.ok);
    let line = |check: &Check| {
        let mark = if check.ok { "ok " } else { "BAD" };
        format!("          {mark} {:<12} {}", check.name, one_line(&check.found)).trim_end().to_string() + "\n"
    };
    lifecycle.stages.iter().chain(broken).map(line).collect()
}

fn started(header: &Header) -> String {
    let what = format!("{}  task {}  seed {}  agent {}", header.incident, header.task.id, header.seed, header.agent);
    match header.task.problem {
        // There is one terminal, whatever set of tools a run asks for.
        Some(_) => format!("{what}  noise {}", header.noise),
        None => format!("{what}  tools {}  noise {}", header.tools, header.noise),
    }
}

/// The brief's line on the page without the time that stands before it, or the alerts that fire in a cluster.
fn page(brief: &str) -> String {
    if let Some(line) = brief.lines().find_map(|line| line.strip_prefix("PAGE ")) {
        return line.split_once(' ').map_or(line, |(_, text)| text).to_string();
    }
    let firing = brief.lines().skip_while(|line| *line != "Firing alerts:").skip(1);
    let alerts: Vec<&str> = firing.map_while(|line| line.strip_prefix("  ")).collect();
    if alerts.is_empty() { "no alert is firing".to_string() } else { alerts.join("; ") }
}

/// A step; the reward beside it where steps are rewarded, which those in a cluster are not.
fn stepped(step: &Step, is_problem: bool) -> String {
    let (time, took) = (Time(step.time), Span(step.took));
    let what = one_line(step.call.as_deref().unwrap_or(&step.text));
    let reward = if is_problem { String::new() } else { format!("  {:+.3}", step.reward + 0.0) };
    let mut out = format!("{time}  {:>2}{reward}  {what}  ({took})\n", step.index);
    if let Some(why) = &step.invalid {
        writeln!(out, "                      invalid: {}", one_line(why)).expect("a string takes everything");
    }
    out
}

/// Agents may write anything; a timeline has one line for it.
fn one_line(text: &str) -> String {
    const MOST: usize = 180;
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST).collect();
    if text.chars().nth(MOST).is_some() { line + "..." } else { line }
}

/// Why an episode ended, in words.
pub fn ended(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Resolved => "the agent said that it is resolved",
        EndReason::Answered => "the question was answered",
        EndReason::Escalated => "the agent handed over",
        EndReason::GaveUp => "the agent gave up",
        EndReason::BudgetSpent => "no step was left",
        EndReason::ProviderFailed => "the agent's provider failed",
    }
}
