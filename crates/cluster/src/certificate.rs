//! Certificates, as far as clients look at them: for whom, from when and until when.

use crate::base64;
use crate::time::Stamp;

/// A certificate that a server shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServingCertificate {
    /// The host that it is for.
    pub host: String,
    /// The first moment at which it is valid.
    pub from: Stamp,
    /// The last one.
    pub until: Stamp,
}

const BEGIN: &str = "-----BEGIN CERTIFICATE-----\n";
const END: &str = "-----END CERTIFICATE-----\n";
/// The tags of DER for a sequence, a text and a time.
const SEQUENCE: u8 = 0x30;
const TEXT: u8 = 0x0c;
const TIME: u8 = 0x17;
/// How long a time is: `YYMMDDHHMMSSZ`.
const TIME_LENGTH: usize = 13;

impl ServingCertificate {
    /// The certificate as a file has it. It has the dates and the host of an X.509 certificate, and no key: nothing here signs.
    pub fn pem(&self) -> String {
        let dates =
            sequence(&[part(TIME, short(self.from).as_bytes()), part(TIME, short(self.until).as_bytes())].concat());
        let text = base64::encode(&sequence(&[dates, part(TEXT, self.host.as_bytes())].concat()));
        let lines: Vec<&str> = (0..text.len()).step_by(64).map(|at| &text[at..text.len().min(at + 64)]).collect();
        format!("{BEGIN}{}\n{END}", lines.join("\n"))
    }

    /// Reads the first certificate of a file, also one that a real tool has made; nothing if there is none.
    pub fn read(pem: &str) -> Option<ServingCertificate> {
        let body = pem.split_once(BEGIN.trim_end())?.1.split_once(END.trim_end())?.0;
        let bytes = base64::decode(&body.split_whitespace().collect::<String>())?;
        let times: Vec<Stamp> = bytes.windows(TIME_LENGTH + 2).filter_map(time).collect();
        let [from, until, ..] = times[..] else { return None };
        let at = bytes.windows(2).rposition(|pair| pair[0] == TEXT && usize::from(pair[1]) < 64);
        let host = at.and_then(|at| bytes.get(at + 2..at + 2 + usize::from(bytes[at + 1])));
        Some(ServingCertificate { host: String::from_utf8_lossy(host.unwrap_or_default()).into_owned(), from, until })
    }
}

fn sequence(content: &[u8]) -> Vec<u8> {
    part(SEQUENCE, content)
}

fn part(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).unwrap_or(u8::MAX);
    [&[tag, length], content].concat()
}

/// `YYMMDDHHMMSSZ`.
fn short(time: Stamp) -> String {
    let (year, month, day, hour, minute, second) = time.civil();
    format!("{:02}{month:02}{day:02}{hour:02}{minute:02}{second:02}Z", year % 100)
}

fn time(bytes: &[u8]) -> Option<Stamp> {
    let text = std::str::from_utf8(bytes.get(2..)?).ok()?;
    let is_time = bytes[0] == TIME && usize::from(bytes[1]) == TIME_LENGTH && text.ends_with('Z');
    let part = |from: usize| text.get(from..from + 2);
    let whole = is_time.then(|| {
        Some(format!("20{}-{}-{}T{}:{}:{}Z", part(0)?, part(2)?, part(4)?, part(6)?, part(8)?, part(10)?))
    })??;
    Stamp::parse(&whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_is_read_as_it_was_written() {
        for (host, from, until) in
            [("hotel.example.com", 1_700_000_000, 1_731_536_000), ("a", 1_600_000_000, 1_600_000_001)]
        {
            let own =
                ServingCertificate { host: host.into(), from: Stamp::from_secs(from), until: Stamp::from_secs(until) };
            assert_eq!(ServingCertificate::read(&own.pem()), Some(own.clone()), "{own:?}");
        }
        assert_eq!(
            ServingCertificate::read("-----BEGIN CERTIFICATE-----\nd3Jvbmc=\n-----END CERTIFICATE-----\n"),
            None
        );
    }
}
