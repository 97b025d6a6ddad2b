//! The table `[body]`: fields that are added to the body of every request. Owns their way from
//! TOML to JSON; knows no server.
//!
//! Invariant: nothing is changed on the way, and what JSON cannot say is an error.

use serde_json::{Map, Number, Value};

use crate::protocol::extra::OUR_FIELDS;

/// What is wrong with a field, if anything is.
pub(super) fn fault(key: &str, value: &toml::Value) -> Option<String> {
    if key == "model" {
        return Some("is set with the key `model`, not in [body]".to_owned());
    }
    if OUR_FIELDS.contains(&key) {
        return Some("may not stand in [body]: it would replace what is asked".to_owned());
    }
    json(value).err().map(str::to_owned)
}

/// The fields as JSON. Those that are at fault are left out: they are told before.
pub(super) fn read(table: &toml::Table) -> Map<String, Value> {
    let fine = table.iter().filter(|(key, _)| !OUR_FIELDS.contains(&key.as_str()));
    fine.filter_map(|(key, value)| Some((key.clone(), json(value).ok()?))).collect()
}

fn json(value: &toml::Value) -> Result<Value, &'static str> {
    Ok(match value {
        toml::Value::String(text) => text.as_str().into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => Number::from_f64(*number)
            .map(Value::Number)
            .ok_or("holds a number that JSON does not have (nan, inf)")?,
        toml::Value::Boolean(yes) => (*yes).into(),
        toml::Value::Datetime(time) => time.to_string().into(),
        toml::Value::Array(items) => {
            Value::Array(items.iter().map(json).collect::<Result<_, _>>()?)
        }
        toml::Value::Table(table) => Value::Object(
            table
                .iter()
                .map(|(key, value)| Ok((key.clone(), json(value)?)))
                .collect::<Result<_, &'static str>>()?,
        ),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_value_of_toml_becomes_the_same_in_json() {
        let text = "a = 1\nb = 0.5\nc = true\nd = 'x'\ne = [1, 'y', { f = [] }]\n\
                    g = 1979-05-27\n[h.i]\nj = -3\n";
        let table: toml::Table = toml::from_str(text).unwrap();
        let want = json!({
            "a": 1, "b": 0.5, "c": true, "d": "x", "e": [1, "y", { "f": [] }],
            "g": "1979-05-27", "h": { "i": { "j": -3 } },
        });
        assert_eq!(Value::Object(read(&table)), want);
    }
}
