//! One maker per family, over a subsystem's decisions.

use world::Seed;

use super::draft::{ChangeDraft, Stand};
use super::{SUBSYSTEMS, Subsystem};
use crate::account::{ChangeAccount, StatedFact};
use crate::localise::PlaceSet;
use crate::make::kinds::NONE;
use crate::masked::{MASK, MaskedRegion};
use crate::{ChoiceSet, Expected, Question, Skill};

type Made = Option<(String, Expected)>;

pub(super) fn make(skill: Skill, subsystem: &Subsystem, seed: Seed) -> Made {
    match skill {
        Skill::GmcqEasy => easy(&ChangeDraft::new(subsystem, 4, seed)),
        Skill::GmcqHard => hard(&ChangeDraft::new(subsystem, 3, seed)),
        Skill::ReverseMatch => reverse_match(&ChangeDraft::new(subsystem, 3, seed)),
        Skill::NoneOfThese => none_of_these(&ChangeDraft::new(subsystem, 4, seed)),
        Skill::MaskedHunk => masked_hunk(&ChangeDraft::new(subsystem, 3, seed)),
        Skill::MaskedChange => masked_change(&ChangeDraft::new(subsystem, 3, seed)),
        Skill::Reverse | Skill::ReverseGrounded => reverse(&ChangeDraft::new(subsystem, 3, seed)),
        Skill::Localise => localise(&ChangeDraft::new(subsystem, 1, seed)),
        Skill::Culprit => culprit(&ChangeDraft::new(subsystem, 4, seed)),
        _ => None,
    }
}

/// What makes two questions the same whatever the names in them.
pub(super) fn gist(question: &Question) -> String {
    let signed = |text: &str| text.lines().filter(|line| line.starts_with(['+', '-'])).collect::<String>();
    let rest = match &question.expected {
        Expected::Choice(choice) => signed(&choice.options[choice.key]),
        Expected::Region(region) => region.lines.concat(),
        Expected::Account(account) => format!("{:?}", account.facts),
        Expected::Places(_) => String::new(),
    };
    let text = if question.text.contains("@@ -") { signed(&question.text) } else { question.text.clone() };
    format!("{text}|{rest}")
}

/// The four combinations of two decisions.
const CORNERS: [[usize; 2]; 4] = [[0, 0], [1, 0], [0, 1], [1, 1]];

/// Requests for forms of the first decisions, in an order that tells nothing.
fn request(draft: &ChangeDraft, forms: &[usize]) -> String {
    let say =
        |(place, form): (usize, &usize)| draft.decision(place).say(*form, draft.draw(place as u64, 2)).to_string();
    let mut said: Vec<String> = forms.iter().enumerate().map(say).collect();
    let turn = draft.draw(20, said.len() as u64) as usize;
    said.rotate_left(turn);
    said.join(" ")
}

/// What stands in the file before and after: the first decisions change to forms, the others keep a drawn form.
fn stands(draft: &ChangeDraft, forms: &[usize]) -> (Vec<Stand>, Vec<Stand>) {
    let rest = |place: usize| Some(draft.draw(30 + place as u64, 2) as usize);
    let before = (0..draft.shown.len()).map(|place| if place < forms.len() { None } else { rest(place) });
    let after = (0..draft.shown.len()).map(|place| forms.get(place).copied().or_else(|| rest(place)));
    (before.collect(), after.collect())
}

fn shown(draft: &ChangeDraft, forms: &[usize]) -> String {
    let (before, after) = stands(draft, forms);
    draft.change(&before, &after).show()
}

/// What an option gets wrong, in the words of the request.
fn broken(draft: &ChangeDraft, wanted: &[usize], forms: &[usize]) -> String {
    let misses = (0..wanted.len()).filter(|place| wanted[*place] != forms[*place]);
    let named = misses.map(|place| {
        format!(
            "{}: {}",
            draft.decision(place).id,
            draft.decision(place).say(wanted[place], draft.draw(place as u64, 2))
        )
    });
    named.collect::<Vec<_>>().join(" ")
}

fn hard(draft: &ChangeDraft) -> Made {
    let key = draft.draw(0, 4) as usize;
    let wanted = CORNERS[key];
    let options = CORNERS.iter().map(|forms| shown(draft, forms)).collect();
    let breaks = CORNERS.iter().map(|forms| broken(draft, &wanted, forms)).collect();
    Some((request(draft, &wanted), Expected::Choice(ChoiceSet { options, key, last_stays: false, breaks })))
}

/// Four changes of one file: four decisions in one form each, or two decisions in both forms.
fn four_changes(draft: &ChangeDraft, from_old: bool) -> [(usize, usize, String); 4] {
    let square = draft.draw(1, 2) == 0;
    [0, 1, 2, 3].map(|at| {
        let (place, form) = if square { (at / 2, at % 2) } else { (at, draft.draw(40 + at as u64, 2) as usize) };
        let rest = |place: usize| Some(draft.draw(30 + place as u64, 2) as usize);
        let mut before: Vec<Stand> = (0..4).map(rest).collect();
        let mut after = before.clone();
        before[place] = if from_old { None } else { Some(1 - form) };
        after[place] = Some(form);
        (place, form, draft.change(&before, &after).show())
    })
}

fn easy(draft: &ChangeDraft) -> Made {
    let changes = four_changes(draft, true);
    let key = draft.draw(0, 4) as usize;
    let (place, form, _) = &changes[key];
    let text = draft.decision(*place).say(*form, draft.draw(2, 2)).to_string();
    let options = changes.iter().map(|(_, _, shown)| shown.clone()).collect();
    Some((text, Expected::Choice(ChoiceSet { options, key, ..Default::default() })))
}

fn culprit(draft: &ChangeDraft) -> Made {
    let changes = four_changes(draft, false);
    let key = draft.draw(0, 4) as usize;
    let (place, form, _) = &changes[key];
    let text = draft.decision(*place).hurt(*form).to_string();
    let options = changes.iter().map(|(_, _, shown)| shown.clone()).collect();
    Some((text, Expected::Choice(ChoiceSet { options, key, ..Default::default() })))
}

fn reverse_match(draft: &ChangeDraft) -> Made {
    let key = draft.draw(0, 4) as usize;
    let options = CORNERS.iter().map(|forms| request(draft, forms)).collect();
    Some((shown(draft, &CORNERS[key]), Expected::Choice(ChoiceSet { options, key, ..Default::default() })))
}

/// Four of the eight combinations of three decisions, no two of which differ in one alone; the request is for one of
/// them, or in one of five for one of the others.
fn none_of_these(draft: &ChangeDraft) -> Made {
    let odd = draft.draw(1, 2) as usize;
    let forms = |at: usize| [at & 1, at >> 1, (at & 1) ^ (at >> 1) ^ odd];
    let key = draft.draw(0, 5) as usize;
    let wanted = if key < 4 {
        forms(key)
    } else {
        let mut near = forms(draft.draw(3, 4) as usize);
        near[draft.draw(4, 3) as usize] ^= 1;
        near
    };
    let mut options: Vec<String> = (0..4).map(|at| shown(draft, &forms(at))).collect();
    options.push(NONE.into());
    let breaks = (0..4).map(|at| broken(draft, &wanted, &forms(at))).chain([String::new()]).collect();
    Some((request(draft, &wanted), Expected::Choice(ChoiceSet { options, key, last_stays: true, breaks })))
}

/// The second decision's hunk is masked; the third one's forms are offered beside it.
fn masked_hunk(draft: &ChangeDraft) -> Made {
    let key = draft.draw(0, 4) as usize;
    let hunk = |at: usize| {
        let (place, form) = (1 + at / 2, at % 2);
        [draft.signed('-', place, None), draft.signed('+', place, Some(form))].concat().join("\n")
    };
    let visible = draft.draw(5, 2) as usize;
    let said = [(0, visible), (1 + key / 2, key % 2)];
    let text: Vec<&str> =
        said.iter().map(|(place, form)| draft.decision(*place).say(*form, draft.draw(*place as u64, 2))).collect();
    let mut lines = draft.context(&draft.subsystem.top);
    lines.extend(draft.signed('-', 0, None));
    lines.extend(draft.signed('+', 0, Some(visible)));
    lines.push(MASK.into());
    lines.extend(draft.context(&draft.subsystem.bottom));
    let text = format!("{}\n\n{}\n@@ @@\n{}", text.join(" "), draft.path(draft.subsystem), lines.join("\n"));
    let options = (0..4).map(hunk).collect();
    Some((text, Expected::Choice(ChoiceSet { options, key, ..Default::default() })))
}

/// Three decisions change side by side; the file says which forms there are, the request which are wanted.
fn masked_change(draft: &ChangeDraft) -> Made {
    let forms: Vec<usize> = (0..3).map(|place| draft.draw(50 + place, 2) as usize).collect();
    let mut above = draft.context(&draft.subsystem.top);
    for place in 0..3 {
        let (first, second) = (draft.draw(60 + place as u64, 2) as usize, draft.comment());
        let written = |form: usize| {
            draft.decision(place).form(form).split('\n').map(str::trim).collect::<Vec<_>>().join(" then ")
        };
        above.push(format!(" {second} possible: `{}` or `{}`", written(first), written(1 - first)));
    }
    above.extend((0..3).flat_map(|place| draft.signed('-', place, None)));
    let lines: Vec<String> = (0..3).flat_map(|place| draft.signed('+', place, Some(forms[place]))).collect();
    let below = draft.context(&draft.subsystem.bottom);
    let body = [above.join("\n"), MASK.into(), below.join("\n")].join("\n");
    let text = format!("{}\n\n{}\n@@ @@\n{body}", request(draft, &forms), draft.path(draft.subsystem));
    Some((text, Expected::Region(MaskedRegion { above, lines, below })))
}

fn reverse(draft: &ChangeDraft) -> Made {
    let forms = CORNERS[draft.draw(0, 4) as usize];
    let fact = |place: usize| {
        let (decision, form) = (draft.decision(place), forms[place]);
        // Short words and figures stand in many sentences: only plain words count as a denial.
        let against = decision.fact(1 - form).iter().filter(|word| word.len() > 4 && !word.contains(' ')).cloned();
        let groups = vec![decision.topic.clone(), decision.fact(form).to_vec()];
        StatedFact { groups, against: against.collect() }
    };
    let account = ChangeAccount { facts: (0..2).map(fact).collect(), reference: request(draft, &forms) };
    Some((shown(draft, &forms), Expected::Account(account)))
}

/// All files of one service: what must change follows from what is asked, not from a name.
fn localise(draft: &ChangeDraft) -> Made {
    let form = draft.draw(0, 2) as usize;
    let (first, decision) = (draft.draw(1, 2), draft.decision(0));
    let text = format!("{} {}", decision.say(form, first), decision.say(form, first + 1));
    let mut tree: Vec<String> = SUBSYSTEMS.iter().map(|subsystem| draft.path(subsystem)).collect();
    tree.sort();
    let files = vec![draft.path(draft.subsystem)];
    Some((format!("For {}: {text}", draft.service), Expected::Places(PlaceSet { tree, files })))
}
