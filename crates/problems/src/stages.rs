//! The stages of a problem: a diagnosis, then a mitigation. Either may be switched off.

use std::str::FromStr;

/// Which stages are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stages {
    /// Whether a diagnosis is asked for.
    pub diagnosis: bool,
    /// Whether the problem is to be mitigated.
    pub mitigation: bool,
}

impl Default for Stages {
    fn default() -> Stages {
        Stages { diagnosis: true, mitigation: true }
    }
}

impl FromStr for Stages {
    type Err = String;

    fn from_str(text: &str) -> Result<Stages, String> {
        match text {
            "both" => Ok(Stages::default()),
            "diagnosis" => Ok(Stages { mitigation: false, ..Stages::default() }),
            "mitigation" => Ok(Stages { diagnosis: false, ..Stages::default() }),
            other => Err(format!("there are no stages `{other}`; write both, diagnosis or mitigation")),
        }
    }
}

impl Stages {
    /// What the agent is told of them.
    pub(crate) fn told(self) -> &'static str {
        match (self.diagnosis, self.mitigation) {
            (true, true) => {
                "Find out what is wrong and submit the diagnosis with submit_diagnosis. Then mend it so that it lasts, and say \
                 submit() when you are done. The root cause counts, not the symptom."
            }
            (true, false) => "Find out what is wrong and submit the diagnosis with submit_diagnosis. Do not mend it.",
            (false, _) => "Mend what is wrong so that it lasts, and say submit() when you are done.",
        }
    }
}

impl Stages {
    /// The same for those who submit to a conductor.
    pub(crate) fn told_live(self) -> &'static str {
        match (self.diagnosis, self.mitigation) {
            (true, true) => {
                "Find out what is wrong and submit the diagnosis in words. Then mend it so that it lasts, and submit again, with an \
                 empty text, when you are done. The root cause counts, not the symptom."
            }
            (true, false) => "Find out what is wrong and submit the diagnosis in words. Do not mend it.",
            (false, _) => "Mend what is wrong so that it lasts, and submit an empty text when you are done.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_read() {
        assert_eq!("both".parse(), Ok(Stages::default()));
        assert_eq!("diagnosis".parse::<Stages>().map(|stages| stages.mitigation), Ok(false));
        assert_eq!("mitigation".parse::<Stages>().map(|stages| stages.diagnosis), Ok(false));
        assert!("none".parse::<Stages>().is_err());
    }
}
