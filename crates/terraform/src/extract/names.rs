//! Names of files, wherever they stand: headings, bold text, comments, info strings.

/// The endings that a reply may bring.
const ENDINGS: &[&str] = &[".tf", ".tfvars", ".tftpl", ".tpl", ".sh", ".json", ".yaml", ".yml"];

/// The last file name in a line of text; configuration files come before others.
pub(super) fn in_line(line: &str) -> Option<String> {
    let names: Vec<String> = words(line).filter_map(file_name).collect();
    let configuration = names.iter().rev().find(|n| n.ends_with(".tf") || n.ends_with(".tfvars"));
    configuration.or(names.last()).cloned()
}

/// All configuration files in a line.
pub(super) fn count_in_line(line: &str) -> usize {
    words(line).filter_map(file_name).filter(|n| n.ends_with(".tf")).count()
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || "`*\"'()[]{}<>|,;:=#!?\u{201c}\u{201d}\u{2018}\u{2019}".contains(c))
}

fn file_name(word: &str) -> Option<String> {
    let word = word
        .trim_matches(|c: char| matches!(c, '.' | '-' | '_' | '~' | '+') && !word.starts_with(".."))
        .trim_start_matches("./");
    let word = word.trim_start_matches('/');
    let stem = ENDINGS.iter().find_map(|e| word.strip_suffix(e))?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let sound = !stem.is_empty()
        && stem.chars().all(plain)
        && !word.contains("..")
        && !word.contains("//")
        && word.len() <= 120;
    sound.then(|| word.to_owned())
}

/// A line that is nothing but a label: a file name with decoration, and perhaps the word `file`.
pub(super) fn label(line: &str) -> Option<String> {
    let name = in_line(line)?;
    let rest = line.replacen(&name, " ", 1);
    let decoration = |c: char| {
        c.is_whitespace()
            || c.is_ascii_punctuation()
            || c.is_ascii_digit()
            || "\u{2500}\u{2550}\u{2501}\u{2014}\u{2013}\u{25b6}\u{2022}\u{1f4c4}\u{1f4c1}".contains(c)
            || !c.is_alphanumeric()
    };
    let words: Vec<String> = rest.split(decoration).filter(|w| !w.is_empty()).map(str::to_lowercase).collect();
    let known = [
        "file",
        "filename",
        "path",
        "name",
        "contents",
        "content",
        "of",
        "the",
        "start",
        "begin",
        "step",
        "terraform",
        "config",
        "code",
        "hcl",
    ];
    words.iter().all(|w| known.contains(&w.as_str())).then_some(name)
}

/// A comment that is a label, as in `# main.tf` or `// file: main.tf` or `/* main.tf */`.
pub(super) fn comment_label(line: &str) -> Option<String> {
    let line = line.trim();
    let comment = line.starts_with('#')
        || line.starts_with("//")
        || line.starts_with("/*")
        || line.starts_with("<!--")
        || line.starts_with("--");
    if comment { label(line) } else { None }
}

/// How many characters of folder all names share, when none of them lies outside it.
pub(super) fn shared_folder<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    let folders: Vec<&str> = names.map(|n| n.rfind('/').map_or("", |at| &n[..=at])).collect();
    let Some(shortest) = folders.iter().min_by_key(|f| f.len()) else { return 0 };
    let shared = folders.iter().all(|f| f.starts_with(shortest));
    // A reply whose only files lie in a module's folder has no root; then nothing is stripped.
    if shared && !shortest.starts_with("modules/") { shortest.len() } else { 0 }
}
