//! Numbers as they are written to files.

use serde_json::{Number, Value};

/// Rounds every number in a JSON value to six decimals, so that the last bits of a sum do not show.
pub fn rounded(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => round(&number).map_or(Value::Null, Value::Number),
        Value::Array(list) => Value::Array(list.into_iter().map(rounded).collect()),
        Value::Object(map) => Value::Object(map.into_iter().map(|(key, value)| (key, rounded(value))).collect()),
        other => other,
    }
}

fn round(number: &Number) -> Option<Number> {
    let rounded = (number.as_f64()? * 1e6).round() / 1e6;
    // Adding zero turns -0.0 into 0.0.
    Number::from_f64(rounded + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_fractions_are_rounded() {
        let value = json!({ "a": 0.1 + 0.2, "b": [1, -0.0, 2.0 / 3.0], "c": u64::MAX, "d": null, "e": "0.12345678" });
        let expect = json!({ "a": 0.3, "b": [1, 0.0, 0.666667], "c": u64::MAX, "d": null, "e": "0.12345678" });
        assert_eq!(rounded(value), expect);
    }
}
