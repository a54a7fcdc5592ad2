//! What a program prints of a call that failed: its own words, with the call and the trouble in them.

use super::{Callee, Trouble};
use crate::spec::Language;

/// A line with the places filled that stand for the call: `{why}`, `{cause}` for the trouble alone,
/// `{operation}`, `{method}`, `{path}`, `{host}`, `{address}` for what was connected to, and `{request}` for what the program
/// was asked itself. The program comes with its language and the operation within which it calls.
pub(crate) fn said(
    program: (Language, &str),
    says: &str,
    told: &str,
    trouble: &Trouble,
    callee: &Callee<'_>,
) -> String {
    let (language, within) = program;
    let (own_method, own_path) = method_and_path(within);
    let (method, path) = method_and_path(callee.operation);
    let place = format!("{}:{}", callee.host, callee.port);
    let address = match trouble {
        Trouble::Refused(address) | Trouble::TimedOut(address) | Trouble::NoPorts(address) => address,
        _ => &place,
    };
    let line = match says.contains("{cause}") {
        true => says.replace("{cause}", &trouble.cause(language, callee)),
        false => says.to_string(),
    };
    line.replace("{why}", told)
        .replace("{operation}", callee.operation)
        .replace("{request}", format!("{own_method} {own_path}").trim_start())
        .replace("{method}", method)
        .replace("{path}", path)
        .replace("{host}", callee.host)
        .replace("{address}", address)
}

/// `GET` and `/hotels` of `hotel.example.com|HTTP GET /hotels`; what is no request over HTTP has no method.
pub(crate) fn method_and_path(operation: &str) -> (&str, &str) {
    let plain = operation.split_once('|').map_or(operation, |(_, plain)| plain);
    plain.strip_prefix("HTTP ").and_then(|request| request.split_once(' ')).unwrap_or(("", plain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::WireProtocol;

    #[test]
    fn lines_name_the_call() {
        let operation = "HTTP GET /api/v1/stations";
        let callee = Callee { host: "ts-station-service", port: 12345, wire: WireProtocol::Http, operation };
        let check = |says: &str, trouble: &Trouble, expect: &str| {
            assert_eq!(said((Language::Java, "HTTP GET /"), says, "why", trouble, &callee), expect)
        };
        check("{method} request for \"http://{host}{path}\": {why}", &Trouble::Late, {
            "GET request for \"http://ts-station-service/api/v1/stations\": why"
        });
        let refused = Trouble::Refused("10.96.0.7:12345".into());
        check("upstream: \"http://{address}{path}\"", &refused, "upstream: \"http://10.96.0.7:12345/api/v1/stations\"");
        check("{address}", &Trouble::Late, "ts-station-service:12345");
        assert_eq!(method_and_path("a.local|HTTP POST /x"), ("POST", "/x"));
        assert_eq!(method_and_path("geo.Geo/Nearby"), ("", "geo.Geo/Nearby"));
    }
}
