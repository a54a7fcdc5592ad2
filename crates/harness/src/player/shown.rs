//! One step as its player saw it: the record's step without what it was worth.

use std::collections::BTreeMap;

use crate::record::Step;

/// What a player did and was shown.
///
/// ```compile_fail,E0599
/// fn peek(player: &harness::Player) -> f64 { player.shown().map(|step| step.reward()).sum() }
/// ```
/// ```compile_fail,E0616
/// fn peek(player: &harness::Player) -> bool { player.shown().any(|step| step.step.fixed) }
/// ```
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    step: &'a Step,
}

impl<'a> Shown<'a> {
    pub(super) fn new(step: &'a Step) -> Shown<'a> {
        Shown { step }
    }

    /// Which step it was, from 1.
    pub fn index(self) -> u32 {
        self.step.index
    }

    /// What the player wrote, to the letter.
    pub fn text(self) -> &'a str {
        &self.step.text
    }

    /// The call it was understood as; nothing if it was invalid.
    pub fn call(self) -> Option<&'a str> {
        self.step.call.as_deref()
    }

    /// The tool's name; empty if it was invalid.
    pub fn tool(self) -> &'a str {
        &self.step.tool
    }

    /// The tool's arguments by name.
    pub fn args(self) -> &'a BTreeMap<String, String> {
        &self.step.args
    }

    /// The answer.
    pub fn observation(self) -> &'a str {
        &self.step.observation
    }

    /// Why it was invalid, if it was.
    pub fn invalid(self) -> Option<&'a str> {
        self.step.invalid.as_deref()
    }
}
