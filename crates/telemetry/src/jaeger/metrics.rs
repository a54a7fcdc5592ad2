//! metrics/*: there is no store of metrics behind this server, so only parameters are looked at.

use crate::go::{parse_float, quote};
use crate::http::Params;

use super::params::number_or;
use super::{JaegerResult, Refusal};

const KINDS: [&str; 6] = ["unspecified", "internal", "server", "client", "producer", "consumer"];

pub(super) fn metrics(what: &str, params: &Params) -> JaegerResult {
    if what == "latencies" && parse_float(params.get("quantile")).is_none() {
        return Err(Refusal::parameter(
            "quantile",
            format!("strconv.ParseFloat: parsing {}: invalid syntax", quote(params.get("quantile"))),
        ));
    }
    if what != "minstep" {
        check(params)?;
    }
    Err(Refusal(501, "metrics querying is currently disabled".to_owned()))
}

fn check(params: &Params) -> Result<(), Refusal> {
    if params.get("service").is_empty() {
        return Err(Refusal::parameter("service", "please provide at least one service name"));
    }
    let grouped = params.get("groupByOperation");
    if !matches!(grouped, "" | "true" | "false" | "1" | "0" | "t" | "f" | "T" | "F" | "TRUE" | "FALSE") {
        let why = format!("strconv.ParseBool: parsing {}: invalid syntax", quote(grouped));
        return Err(Refusal::parameter("groupByOperation", why));
    }
    for kind in params.all("spanKind") {
        if !KINDS.contains(&kind) {
            return Err(Refusal::parameter("spanKind", format!("unsupported span kind: '{kind}'")));
        }
    }
    for name in ["endTs", "lookback", "step", "ratePer"] {
        number_or(params, name, 0)?;
    }
    Ok(())
}
