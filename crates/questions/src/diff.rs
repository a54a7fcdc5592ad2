//! Unified diffs: files, hunks and lines, read and written.

/// What a change does to one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// The path after the change, or before it if the file is gone.
    pub path: String,
    /// The hunks in order.
    pub hunks: Vec<DiffHunk>,
    /// Whether the file is new, gone, moved or binary: then hunks do not tell all.
    pub is_special: bool,
}

/// A run of changed lines with what stands around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiffHunk {
    /// First line and count before the change.
    pub old: (usize, usize),
    /// First line and count after it.
    pub new: (usize, usize),
    /// The lines with their sign: `+`, `-` or a space.
    pub lines: Vec<String>,
}

impl FileDiff {
    /// The file as a choice shows it: its path, then its hunks.
    pub fn show(&self) -> String {
        let hunks: Vec<String> = self.hunks.iter().map(DiffHunk::show).collect();
        format!("{}\n{}", self.path, hunks.concat())
    }

    /// Lines added and removed.
    pub fn churn(&self) -> usize {
        self.hunks.iter().map(DiffHunk::churn).sum()
    }
}

impl DiffHunk {
    /// A hunk over these lines, its header counted from them.
    pub fn of(start: usize, lines: Vec<String>) -> Self {
        let count = |signs: [char; 2]| lines.iter().filter(|line| line.starts_with(signs)).count();
        let (old, new) = (count([' ', '-']), count([' ', '+']));
        DiffHunk { old: (start, old), new: (start, new), lines }
    }

    /// Header and lines.
    pub fn show(&self) -> String {
        let mut text = format!("@@ -{},{} +{},{} @@\n", self.old.0, self.old.1, self.new.0, self.new.1);
        for line in &self.lines {
            text.push_str(line);
            text.push('\n');
        }
        text
    }

    /// Lines added and removed.
    pub fn churn(&self) -> usize {
        self.lines.iter().filter(|line| line.starts_with(['+', '-'])).count()
    }

    /// Whether the header counts what the hunk holds.
    pub fn adds_up(&self) -> bool {
        let count = |signs: [char; 2]| self.lines.iter().filter(|line| line.starts_with(signs)).count();
        self.old.1 == count([' ', '-']) && self.new.1 == count([' ', '+'])
    }
}

/// Reads a diff as git writes it, or as a choice shows it (a path, then hunks).
pub fn parse(text: &str) -> Vec<FileDiff> {
    let mut files: Vec<FileDiff> = Vec::new();
    let (mut earlier, mut previous) = ("---", "");
    // Lines that the hunk in hand still lacks, old and new.
    let mut missing = (0usize, 0usize);
    for line in text.lines() {
        if missing != (0, 0) && take(line, &mut missing, files.last_mut()) {
            (earlier, previous) = (previous, "");
            continue;
        }
        if let Some(names) = line.strip_prefix("diff --git ") {
            let path = names.rsplit_once(" b/").map_or(names, |(_, path)| path);
            files.push(FileDiff { path: path.into(), ..Default::default() });
        } else if let Some((old, new)) = header(line) {
            missing = (old.1, new.1);
            if files.is_empty() || starts_file(previous, earlier) {
                files.push(FileDiff { path: previous.trim().into(), ..Default::default() });
            }
            let file = files.last_mut().expect("one was pushed if there was none");
            file.hunks.push(DiffHunk { old, new, lines: Vec::new() });
        } else if SPECIAL.iter().any(|start| line.starts_with(start))
            && let Some(file) = files.last_mut()
        {
            file.is_special = true;
        }
        (earlier, previous) = (previous, line);
    }
    files
}

const SPECIAL: [&str; 6] =
    ["new file mode", "deleted file mode", "rename from", "copy from", "Binary files", "GIT binary patch"];

/// A line that is a path by itself, as choices show it: it looks like one, or stands below a rule.
fn starts_file(line: &str, earlier: &str) -> bool {
    let line = line.trim();
    !line.is_empty()
        && !line.starts_with(['+', '-', '@', '\\'])
        && !line.contains(' ')
        && (line.contains(['/', '.']) || earlier == "---")
}

fn take(line: &str, missing: &mut (usize, usize), file: Option<&mut FileDiff>) -> bool {
    let sign = line.chars().next().unwrap_or(' ');
    let (old, new) = match sign {
        ' ' => (1, 1),
        '-' => (1, 0),
        '+' => (0, 1),
        '\\' => return true,
        _ => {
            *missing = (0, 0);
            return false;
        }
    };
    let Some(hunk) = file.and_then(|file| file.hunks.last_mut()) else { return false };
    hunk.lines.push(if line.is_empty() { " ".into() } else { line.into() });
    *missing = (missing.0.saturating_sub(old), missing.1.saturating_sub(new));
    true
}

/// `@@ -1,4 +1,5 @@`, with counts that may be left out.
fn header(line: &str) -> Option<((usize, usize), (usize, usize))> {
    let rest = line.strip_prefix("@@ -")?;
    let (ranges, _) = rest.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    Some((range(old)?, range(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,3 @@ fn x\n one\n-two\n+2\n three\n@@ -9 +9,2 @@\n-nine\n+neuf\n+dix\ndiff --git a/b b/b\nnew file mode 100644\n@@ -0,0 +1 @@\n+x\n";

    #[test]
    fn a_diff_of_git_is_read() {
        let files = parse(TEXT);
        assert_eq!(files.len(), 2);
        assert_eq!((files[0].path.as_str(), files[0].hunks.len(), files[0].churn()), ("src/a.rs", 2, 5));
        assert_eq!(files[0].hunks[1].lines, ["-nine", "+neuf", "+dix"]);
        assert!(files[1].is_special && !files[0].is_special);
        assert!(files.iter().flat_map(|file| &file.hunks).all(DiffHunk::adds_up));
    }

    #[test]
    fn what_is_shown_is_read_back() {
        let files = parse(TEXT);
        let shown: String = files.iter().map(|file| file.show() + "---\n").collect();
        let again = parse(&shown);
        assert_eq!(again.len(), 2);
        assert!(again.iter().zip(&files).all(|(one, other)| one.hunks == other.hunks && one.path == other.path));
    }

    #[test]
    fn a_wrong_header_is_noticed() {
        let files = parse("src/a.rs\n@@ -1,5 +1,5 @@\n one\n-two\n+2\n");
        assert!(!files[0].hunks[0].adds_up());
    }
}
