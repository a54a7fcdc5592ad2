//! How many connections the system's limit of file handles leaves room for.

use std::fs;

/// Held back for records, the log, threads and the listener: a server that has connections for all handles keeps nothing.
const OWN: usize = 64;

/// How many connections can be served at a time, and what to say if that is fewer than were asked for.
pub fn room_for(asked: usize) -> (usize, Option<String>) {
    match limit() {
        Some(limit) if limit < asked + OWN => {
            let most = limit.saturating_sub(OWN).max(1);
            let warning = format!(
                "at most {most} connections at a time instead of {asked}: this process may open {limit} files (ulimit -n {} \
                 allows all)",
                asked + OWN
            );
            (most, Some(warning))
        }
        _ => (asked, None),
    }
}

/// The limit of open files, where the system tells it in a file.
fn limit() -> Option<usize> {
    soft(&fs::read_to_string("/proc/self/limits").ok()?)
}

/// The soft limit, in the form of Linux; one that is unlimited is none.
fn soft(limits: &str) -> Option<usize> {
    let row = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    row.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_soft_limit_is_read() {
        let head = "Limit                     Soft Limit           Hard Limit           Units     \n";
        let check = |row: &str, expect: Option<usize>| assert_eq!(soft(&format!("{head}{row}")), expect, "{row}");
        check("Max open files            1024                 524288               files     \n", Some(1024));
        check("Max open files            unlimited            unlimited            files     \n", None);
        check("Max processes             95789                95789                processes \n", None);
    }
}
