//! Checks JSON documents against the schema that juror prints.

use serde_json::Value;

use super::record::EventSource;

pub(super) fn check(file: &str, source: &impl EventSource, document: &str) {
    let document: Value = serde_json::from_str(document).expect("a document is JSON");
    let mut schema = Vec::new();
    source.write_schema(&mut schema);
    let root = serde_json::from_slice(&schema).expect("a schema is JSON");
    let found = schema_violations(&root, &root, &document, file);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Returns violations. Panics on keywords that the schemas do not use.
fn schema_violations(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let below = |schema: &Value| schema_violations(root, schema, value, at);
    let fault = |what: &str| vec![format!("{at}: {what}")];
    let mut found = Vec::new();
    for (keyword, rule) in schema.as_object().into_iter().flatten() {
        let some = || rule.as_array().into_iter().flatten();
        let fits = |schema: &&Value| below(schema).is_empty();
        found.extend(match keyword.as_str() {
            "$ref" => {
                let name = rule.as_str().and_then(|name| name.strip_prefix('#'));
                below(name.and_then(|pointer| root.pointer(pointer)).expect("a definition"))
            }
            "type"
                if !rule.as_str().map_or_else(
                    || some().any(|kind| has_type(kind, value)),
                    |_| has_type(rule, value),
                ) =>
            {
                fault(&format!("{value} is no {rule}"))
            }
            "enum" if !some().any(|word| word == value) => {
                fault(&format!("{value} is none of {rule}"))
            }
            // The golden file has a masked version.
            "const" if rule != value => fault(&format!("{value} is not {rule}")),
            "anyOf" if !some().any(|schema| fits(&schema)) => fault("none of the schemas fits"),
            "oneOf" if some().filter(fits).count() != 1 => fault("not one of the schemas fits"),
            "allOf" => some().flat_map(below).collect(),
            "items" => {
                let items = value.as_array().into_iter().flatten().enumerate();
                items
                    .flat_map(|(index, item)| {
                        schema_violations(root, rule, item, &format!("{at}[{index}]"))
                    })
                    .collect()
            }
            "properties" => {
                let keys = value.as_object().into_iter().flatten();
                let one = |(key, value): (&String, &Value)| match rule.get(key) {
                    Some(schema) => schema_violations(root, schema, value, &format!("{at}.{key}")),
                    None => fault(&format!("the key {key} is not told")),
                };
                keys.flat_map(one).collect()
            }
            "required" => {
                let missing =
                    some().filter(|key| value.get(key.as_str().unwrap_or_default()).is_none());
                missing.map(|key| format!("{at}: {key} is missing")).collect()
            }
            "minimum" if value.is_number() && value.as_f64() < rule.as_f64() => fault("too small"),
            "maximum" if value.is_number() && value.as_f64() > rule.as_f64() => fault("too large"),
            // The keyword `properties` below checks all keys.
            "$defs"
            | "$schema"
            | "title"
            | "description"
            | "default"
            | "additionalProperties"
            | "format"
            | "type"
            | "enum"
            | "const"
            | "anyOf"
            | "oneOf"
            | "minimum"
            | "maximum" => Vec::new(),
            other => panic!("{at}: the keyword {other} is not looked at"),
        });
    }
    found
}

fn has_type(type_name: &Value, value: &Value) -> bool {
    match type_name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    }
}
