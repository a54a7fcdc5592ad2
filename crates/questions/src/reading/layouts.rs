//! Reply layouts, as models write them: tests of reading a choice among four.

use super::{ChoiceReading, choice};
use crate::reply::{AnswerReading, ModelReply};

const SHOWN: [&str; 4] = [
    "+ timeout = 30",
    "+ timeout = 45 # and a comment that makes this longer",
    "+ retries = 3 # with a long tail of words",
    "+ retries = 9",
];

#[track_caller]
fn check(reply: &str, letter: char) {
    let place = (letter as u8 - b'A') as usize;
    assert_eq!(choice(ModelReply::from(reply), &SHOWN), ChoiceReading::Place(place), "{reply}");
}

#[track_caller]
fn unread(reply: &str) {
    let reading = choice(ModelReply::from(reply), &SHOWN);
    assert_eq!(reading, ChoiceReading::None(AnswerReading::Unparsed), "{reply}");
}

/// Those that the published splitter loses or misreads.
#[test]
fn layouts_that_the_published_splitter_loses() {
    check("The answer is D.", 'D');
    check("I think it's B", 'B');
    check("b", 'B');
    check("After comparing, D is right", 'D');
    check("Answer: The correct patch is C.", 'C');
    check("Choice A breaks the contract, so the best one is C", 'C');
    check("Answer: B. Wait, that opens the port to everyone.\nAnswer: C", 'C');
    check("I first thought the answer is A, but on reflection the answer is D.", 'D');
}

#[test]
fn bare_letters() {
    for reply in [
        "B",
        "B.",
        "B\n",
        "  B  ",
        "(B)",
        "[B]",
        "{B}",
        "**B**",
        "*B*",
        "`B`",
        "\"B\"",
        "'B'",
        "B)",
        "B:",
        "__B__",
        "***B***",
        "```\nB\n```",
        "(b)",
        "b.",
        "**b**",
        "Ｂ",
        "Ⓑ",
        "🅱",
        "> B",
        "# B",
        "- B",
        "| B |",
    ] {
        check(reply, 'B');
    }
}

#[test]
fn labelled_letters() {
    for reply in [
        "Choice B",
        "Option B",
        "choice b",
        "Patch B",
        "Choice B:",
        "**Choice B**",
        "Option (B)",
        "Letter B",
        "option b.",
        "Option 2",
        "Choice #2",
        "The second option.",
        "Choice B is correct.",
        "Option B is the best and safest.",
    ] {
        check(reply, 'B');
    }
}

#[test]
fn answers_with_a_cue() {
    for reply in [
        "Answer: C",
        "answer: c",
        "**Answer:** C",
        "**Answer: C**",
        "Answer: **C**",
        "Answer - C",
        "Answer = C",
        "Answer is C",
        "The correct answer is C.",
        "The correct option is C.",
        "The right choice is C!",
        "My answer: C",
        "My answer is (C).",
        "Final answer: C",
        "**Final Answer**: C",
        "## Final answer\n\nC",
        "Final answer -> C",
        "#### C",
        "\\boxed{C}",
        "$\\boxed{\\text{C}}$",
        "\\(\\boxed{C}\\)",
        "<answer>C</answer>",
        "<answer>\nC\n</answer>",
        "{\"answer\": \"C\"}",
        "```json\n{\n  \"answer\": \"C\"\n}\n```",
        "{\"choice\":\"C\"}",
        "I choose C.",
        "I would pick C",
        "I'd go with C.",
        "I'll go with option C",
        "I select choice C because it is the safest.",
        "My vote goes to C.",
        "It's C.",
        "It must be C.",
        "Therefore, C.",
        "So the answer must be C",
        "Thus C",
        "Respuesta: C",
        "Antwort: C",
        "Réponse : C",
        "答案：C",
        "答案是C",
        "Ответ: C",
        "Conclusion: C",
        "The best patch is C, since it keeps the port closed.",
        "Correct choice: C",
        "Best option: C",
        "Answer:\n\nC",
        "Answer: choice C",
        "ANSWER: C",
        "The answer would be C",
        "I believe the answer is C",
        "I'd say C",
        "The safest one is C.",
        "Selected option: C",
    ] {
        check(reply, 'C');
    }
}

#[test]
fn reasoning_before_and_after() {
    check("Choice A opens the port. Choice B forgets the tag. Choice C is fine but slow. The answer is D.", 'D');
    check("A: wrong range\nB: wrong port\nC: fits all three\nD: no tag\n\nC", 'C');
    check("B\n\nThe other choices each change the limit.", 'B');
    check("B. It keeps the limit, while A drops it.", 'B');
    check("B) because the others break the limit", 'B');
    check("D - the only one with a bounded queue", 'D');
    check("<think>Maybe A. No: the answer is B.</think>\nC", 'C');
    check("Maybe A. The answer is A?</think>\n\nD", 'D');
    check("Let me think. A is wrong. B is wrong. D is wrong.", 'C');
    check("Not A, and not B. The one that remains is C", 'C');
    check("I prefer C rather than A.", 'C');
    check("C is the only one that satisfies every requirement; A does not.", 'C');
    check("Option D fixes the leak without touching the limit.", 'D');
    check("A is correct.", 'A');
    check("The answer is A", 'A');
    check("Answer: A, because a change of the range is needed.", 'A');
    check("Comparing the four:\n- A: no\n- B: no\n- C: no\n- D: yes\n\n**D**", 'D');
    check("+ retries = 9", 'D');
    check("The right one is:\n+ timeout = 45 # and a comment that makes this longer", 'B');
}

#[test]
fn what_says_nothing_or_too_much_stays_unparsed() {
    for reply in [
        "",
        "   \n",
        "E",
        "The answer is E.",
        "A or B",
        "The answer is A or B.",
        "Either A or C could work.",
        "I think all are fine.",
        "A change of this kind is a risk.",
        "Choice A is right. Choice B is right.",
        "None of them.",
        "?",
        "42",
        "The answer depends on a setting.",
        "```\n```",
    ] {
        unread(reply);
    }
}

#[test]
fn a_cut_reply_counts_only_if_it_had_answered() {
    let cut = |text| choice(ModelReply { text, cut: true }, &SHOWN);
    assert_eq!(cut("B"), ChoiceReading::Place(1));
    assert_eq!(cut("The answer is B. The others"), ChoiceReading::Place(1));
    assert_eq!(cut("Choice A breaks the"), ChoiceReading::None(AnswerReading::Truncated));
    assert_eq!(cut("B is right about the port, but"), ChoiceReading::None(AnswerReading::Truncated));
}
