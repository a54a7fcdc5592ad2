//! `openssl req -x509` and `openssl x509`: a certificate is made or looked at.

use std::time::Duration;

use cluster::{ServingCertificate, Stamp};
use shell::{Host, Output};

use crate::desk::Desk;

/// Seconds of a day.
const DAY: u64 = 86_400;

pub(crate) fn run(desk: &mut Desk<'_>, words: &[String], input: &str) -> Output {
    match words.first().map(|word| &**word) {
        Some("req") if words.iter().any(|word| word == "-x509") => made(desk, words),
        Some("x509") => shown(desk, words, input),
        _ => Output::failed(1, "openssl: only `req -x509` and `x509` are at this terminal\n"),
    }
}

/// The word after an option.
fn option<'w>(words: &'w [String], name: &str) -> Option<&'w str> {
    let at = words.iter().position(|word| word == name)?;
    words.get(at + 1).map(|word| &**word)
}

fn made(desk: &mut Desk<'_>, words: &[String]) -> Output {
    let days: u64 = option(words, "-days").and_then(|days| days.parse().ok()).unwrap_or(30);
    let subject = option(words, "-subj").unwrap_or("/CN=localhost");
    let host = subject.rsplit("CN=").next().unwrap_or("localhost").split('/').next().unwrap_or("localhost");
    let from = Stamp::from_secs(Stamp(desk.now()).secs());
    let certificate =
        ServingCertificate { host: host.into(), from, until: from.after(Duration::from_secs(days * DAY)) };
    let key = format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", cluster::base64(host.as_bytes()));
    for (name, text) in [("-keyout", key), ("-out", certificate.pem())] {
        let written = option(words, name).map(|path| desk.write_file(path, &text, false));
        if let Some(Err(why)) = written {
            return Output::failed(1, format!("req: {why}\n"));
        }
    }
    Output::default()
}

fn shown(desk: &mut Desk<'_>, words: &[String], input: &str) -> Output {
    let text = match option(words, "-in") {
        Some(path) => match desk.read_file(path) {
            Ok(text) => text,
            Err(why) => {
                return Output::failed(
                    1,
                    format!("Could not open file or uri for loading certificate from {path}: {why}\n"),
                );
            }
        },
        None => input.to_string(),
    };
    let Some(own) = ServingCertificate::read(&text) else {
        return Output::failed(1, "Could not read certificate\n");
    };
    let wants = |name: &str| words.iter().any(|word| word == name);
    let all = !["-subject", "-dates", "-startdate", "-enddate"].into_iter().any(wants);
    let mut lines = String::new();
    for (shows, line) in [
        (wants("-subject") || all, format!("subject=CN = {}\n", own.host)),
        (wants("-startdate") || wants("-dates") || all, format!("notBefore={}\n", own.from.rfc3339())),
        (wants("-enddate") || wants("-dates") || all, format!("notAfter={}\n", own.until.rfc3339())),
    ] {
        if shows {
            lines.push_str(&line);
        }
    }
    Output::printed(lines)
}
