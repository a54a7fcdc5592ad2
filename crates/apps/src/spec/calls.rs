//! One call, written as a line: `geo geo.Geo/Nearby`, `mongo find miss=memcached`, `kafka publish async x0.5`.

use serde::{Deserialize, Deserializer};

/// A call of an operation at a target.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationCall {
    /// The target's name in the program.
    pub target: String,
    /// The operation there.
    pub operation: String,
    /// Calls per request.
    pub times: f64,
    /// Only for requests that the cache of this target did not answer.
    pub on_miss_of: Option<String>,
    /// Whether the request does not wait for it.
    pub is_async: bool,
    /// Whether the request goes on without it.
    pub is_optional: bool,
}

impl<'de> Deserialize<'de> for OperationCall {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(from)?).map_err(serde::de::Error::custom)
    }
}

impl OperationCall {
    /// Reads a line. The operation may hold spaces, as those of HTTP do; the words behind it are options.
    pub fn parse(line: &str) -> Result<Self, String> {
        let mut words = line.split_whitespace();
        let Some(target) = words.next() else { return Err("a call names a target and an operation".into()) };
        let mut call = Self {
            target: target.into(),
            operation: String::new(),
            times: 1.0,
            on_miss_of: None,
            is_async: false,
            is_optional: false,
        };
        let mut operation: Vec<&str> = Vec::new();
        for word in words {
            let times = word.strip_prefix('x').and_then(|number| number.parse::<f64>().ok());
            match (word, times, word.strip_prefix("miss=")) {
                (_, Some(times), _) => call.times = times,
                (_, _, Some(cache)) => call.on_miss_of = Some(cache.into()),
                ("async", ..) => call.is_async = true,
                ("optional", ..) => call.is_optional = true,
                (word, ..) => operation.push(word),
            }
        }
        call.operation = operation.join(" ");
        match call.operation.is_empty() {
            true => Err(format!("call {line:?} names no operation")),
            false => Ok(call),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_follow_the_operation() {
        let call = OperationCall::parse("mongo find miss=memcached x0.5 optional").expect("well-formed");
        assert_eq!((&*call.target, &*call.operation, call.times), ("mongo", "find", 0.5));
        assert_eq!((call.on_miss_of.as_deref(), call.is_async, call.is_optional), (Some("memcached"), false, true));
        assert_eq!(
            OperationCall::parse("frontend HTTP GET /hotels").expect("well-formed").operation,
            "HTTP GET /hotels"
        );
        assert!(OperationCall::parse("mongo").is_err());
    }
}
