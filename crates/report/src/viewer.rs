//! Addresses in the viewer: from a figure to the episodes behind it.

/// Where the viewer listens if it is not told otherwise.
const VIEWER: &str = "http://127.0.0.1:7733/";

/// The list of episodes that have all of this: names of filters, and their values.
pub(crate) fn episodes(filters: &[(&str, &str)]) -> String {
    let pairs: Vec<String> = filters.iter().map(|(name, value)| format!("{name}={}", plain(value))).collect();
    format!("{VIEWER}#/episodes?{}", pairs.join("&"))
}

/// Text as a part of an address.
fn plain(text: &str) -> String {
    let kept = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    text.bytes().map(|byte| if kept(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
