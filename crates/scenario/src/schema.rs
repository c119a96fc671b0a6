//! JSON Schema of a scenario's inputs, from its description.

use serde_json::{Map, Value as Json, json};

use crate::{Description, Field, Range, Type};

/// The JSON Schema (draft 2020-12) of what a scenario or record takes.
///
/// A quantity is text with a unit or `{"value", "unit"}`; an object is a registry path or its
/// fields.
pub fn schema(description: &Description) -> Json {
    let mut root = object(description);
    root.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    root.insert("title".into(), json!(description.name));
    Json::Object(root)
}

fn object(description: &Description) -> Map<String, Json> {
    let fields = description.fields.iter();
    let properties: Map<String, Json> = fields.map(|field| (field.name.into(), property(field))).collect();
    let required: Vec<&str> =
        description.fields.iter().filter(|field| field.default.is_none()).map(|field| field.name).collect();
    let mut root = Map::new();
    root.insert("description".into(), json!(description.doc.summary()));
    root.insert("type".into(), json!("object"));
    root.insert("properties".into(), Json::Object(properties));
    root.insert("required".into(), json!(required));
    root.insert("additionalProperties".into(), json!(false));
    root
}

fn property(field: &Field) -> Json {
    let mut schema = of_type(&field.value, &field.range);
    give_examples(&mut schema, field.shown_unit().text());
    if let Json::Object(schema) = &mut schema {
        schema.insert("description".into(), json!(field.doc.summary()));
        if let Some(default) = field.default {
            schema.insert("default".into(), serde_json::to_value(default()).unwrap_or(Json::Null));
        }
    }
    schema
}

fn of_type(value: &Type, range: &Range) -> Json {
    match value {
        Type::Count | Type::Integer => or_reference(number("integer", range)),
        Type::Number => or_reference(number("number", range)),
        Type::Flag => json!({"type": "boolean"}),
        Type::Text => json!({"type": "string"}),
        Type::Quantity(dimension) => json!({
            "anyOf": [
                {"type": "string", "pattern": "^@|[0-9]", "examples": [format!("1 {}", dimension.unit)]},
                {
                    "type": "object",
                    "properties": {"value": {"type": "number"}, "unit": {"type": "string"}},
                    "required": ["value", "unit"],
                    "additionalProperties": false,
                },
            ],
        }),
        Type::Optional(inner) => json!({"anyOf": [of_type(inner, range), {"type": "null"}]}),
        Type::List(inner) => {
            json!({"type": "array", "items": of_type(inner, range), "minItems": u8::from(range.nonempty)})
        }
        Type::Map(inner) => json!({
            "type": "object",
            "additionalProperties": of_type(inner, range),
            "minProperties": u8::from(range.nonempty),
        }),
        Type::Object(description) => json!({
            "description": format!("{}: a registry path, `{{\"ref\": path}}` or its fields", description().name),
            "anyOf": [
                {"type": "string"},
                {"type": "object", "properties": {"ref": {"type": "string"}}, "required": ["ref"]},
                {"type": "object", "properties": {"type": {"type": "string"}, "fields": {"type": "object"}},
                 "required": ["type", "fields"]},
            ],
        }),
    }
}

/// Puts the unit in which a field is shown into the examples of its quantities.
fn give_examples(schema: &mut Json, unit: &str) {
    match schema {
        Json::Object(map) => {
            if map.contains_key("examples") {
                map.insert("examples".into(), json!([format!("1 {unit}")]));
            }
            map.values_mut().for_each(|inner| give_examples(inner, unit));
        }
        Json::Array(items) => items.iter_mut().for_each(|inner| give_examples(inner, unit)),
        _ => {}
    }
}

/// A plain value may stand in the registry too: `"@Models.Language.GPT3.layers"`.
fn or_reference(plain: Json) -> Json {
    json!({"anyOf": [plain, {"type": "string", "pattern": "^@"}]})
}

fn number(name: &str, range: &Range) -> Json {
    let mut schema = Map::new();
    schema.insert("type".into(), json!(name));
    if let Some(bound) = range.lower {
        let key = if bound.inclusive { "minimum" } else { "exclusiveMinimum" };
        schema.insert(key.into(), json!(bound.at));
    }
    if let Some(bound) = range.upper {
        let key = if bound.inclusive { "maximum" } else { "exclusiveMaximum" };
        schema.insert(key.into(), json!(bound.at));
    }
    Json::Object(schema)
}
