//! The prompts of model agents: text files with a version, carried by the program.
//!
//! A change of a prompt changes results, so that a record names prompt and version. To add one, write
//! a file in `prompts/` and list it in [`ALL`].

/// Every prompt file, in the order in which lists show them.
pub const ALL: &[Prompt] = &[
    Prompt::new(include_str!("../prompts/prompting.md")),
    Prompt::new(include_str!("../prompts/react.md")),
    Prompt::new(include_str!("../prompts/tools.md")),
    Prompt::new(include_str!("../prompts/guided.md")),
    Prompt::new(include_str!("../prompts/guided_notices.md")),
    Prompt::new(include_str!("../prompts/team.md")),
    Prompt::new(include_str!("../prompts/open_source.md")),
    Prompt::new(include_str!("../prompts/open_source_react.md")),
    Prompt::new(include_str!("../prompts/guided_open_source.md")),
    Prompt::new(include_str!("../prompts/frontier.md")),
];

/// A prompt, as its file has it: a few fields, a line of dashes, and the text.
#[derive(Clone, Copy, Debug)]
pub struct Prompt {
    file: &'static str,
}

impl Prompt {
    const fn new(file: &'static str) -> Prompt {
        Prompt { file }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.field("name: ")
    }

    /// Its version; it grows with every change of the text.
    pub fn version(&self) -> &'static str {
        self.field("version: ")
    }

    /// What it is for, in one line.
    pub fn about(&self) -> &'static str {
        self.field("about: ")
    }

    /// The text that the model gets.
    pub fn text(&self) -> &'static str {
        self.file.split_once("\n---\n").map_or("", |(_, text)| text.trim())
    }

    /// The SHA-256 of the text.
    pub fn digest(&self) -> String {
        harness::sha256(self.text().as_bytes())
    }

    /// Name and version, as records have them: `react v1`.
    pub fn label(&self) -> String {
        format!("{} v{}", self.name(), self.version())
    }

    /// A part of the text under a heading `## name`.
    pub(crate) fn section(&self, name: &str) -> &'static str {
        let heading = format!("## {name}\n");
        let (_, rest) = self.text().split_once(&heading).unwrap_or_default();
        rest.split("\n## ").next().unwrap_or_default().trim()
    }

    fn field(&self, name: &str) -> &'static str {
        let head = self.file.split_once("\n---\n").map_or("", |(head, _)| head);
        head.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default()
    }
}

/// The prompt of that name, or which there are.
pub fn find(name: &str) -> Result<&'static Prompt, String> {
    ALL.iter().find(|prompt| prompt.name() == name).ok_or_else(|| {
        let known: Vec<&str> = ALL.iter().map(Prompt::name).collect();
        harness::unknown_name("prompt", name, &known, "there are")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A changed text gets a new version, and its new digest here.
    #[test]
    fn a_version_has_one_text() {
        let shown: String = ALL.iter().map(|p| format!("{} {}\n", p.label(), &p.digest()[..16])).collect();
        expect_test::expect![[r#"
            prompting v1 53de184fa83c0149
            react v1 5bd1e585ecd69316
            tools v1 8b4711115ed34522
            guided v1 0f552ce19b4fe748
            guided_notices v1 825b7096afe6b58b
            team v1 101adb879a95a383
            open_source v1 0eed419be615f664
            open_source_react v1 60b48f0f8e257ce8
            guided_open_source v1 06747228a6984f38
            frontier v1 93478cea16dbfb21
        "#]]
        .assert_eq(&shown);
    }

    #[test]
    fn every_file_is_whole() {
        for prompt in ALL {
            assert!(find(prompt.name()).is_ok_and(|found| found.file == prompt.file), "{}", prompt.name());
            assert!(prompt.version().parse::<u32>().is_ok_and(|version| version > 0), "{}", prompt.name());
            assert!(!prompt.about().is_empty() && prompt.text().len() > 100, "{}", prompt.name());
        }
        assert!(find("nothing at all").is_err_and(|problem| problem.contains("there are prompting, react")));
    }

    #[test]
    fn notices_are_found_by_their_heading() {
        let notices = find("guided_notices").expect("it is listed");
        for name in ["malformed", "evidence", "fix", "several"] {
            assert!(notices.section(name).len() > 40, "{name}");
            assert!(!notices.section(name).contains("## "), "{name}");
        }
        assert_eq!(notices.section("nothing"), "");
    }
}
