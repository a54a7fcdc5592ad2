//! `kubectl annotate`.

use super::Outcome;
use crate::kubectl::Kubectl;

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    super::label::change(call, "annotation")
}
