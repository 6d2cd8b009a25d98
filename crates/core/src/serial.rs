//! How values are serialized if that differs from their types, such as seconds and texts.
//!
//! A field with `#[serde_as(as = "Seconds")]` is written, read, and described in the schema that way. Types that also
//! travel between programs use `IfIsHumanReadable<Seconds>`: binary formats keep the type's own form.

use parking_lot::Mutex;
use std::any::TypeId;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::marker::PhantomData;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, TryFromFloatSecsError};

use base64::DecodeError;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};
use serde_with::schemars_1::JsonSchemaAs;
use serde_with::{DeserializeAs, FromIntoRef, SerializeAs, TryFromIntoRef};

use crate::blob::Blob;
use crate::units::Bytes;

/// Reads seconds rounded to nanoseconds. `DurationSecondsWithFrac` would cut them off.
pub type Seconds = TryFromIntoRef<FloatSeconds>;
/// Lossy if the path is not UTF-8.
pub type Location = FromIntoRef<LossyPath>;
/// For paths that may not be UTF-8.
pub type PathBytes = FromIntoRef<RawPath>;
pub type Text = FromIntoRef<LossyText>;
/// `null` for 0, which means that it was not measured.
pub type NullIfZero = FromIntoRef<MeasuredBytes>;
pub type Base64 = TryFromIntoRef<Base64Text>;

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct FloatSeconds(f64);

impl From<&Duration> for FloatSeconds {
    fn from(time: &Duration) -> Self {
        Self(time.as_secs_f64())
    }
}

impl TryFrom<FloatSeconds> for Duration {
    type Error = TryFromFloatSecsError;

    fn try_from(seconds: FloatSeconds) -> Result<Self, Self::Error> {
        Self::try_from_secs_f64(seconds.0)
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct LossyPath(String);

impl From<&PathBuf> for LossyPath {
    fn from(path: &PathBuf) -> Self {
        Self(path.to_string_lossy().into_owned())
    }
}

impl From<LossyPath> for PathBuf {
    fn from(path: LossyPath) -> Self {
        path.0.into()
    }
}

#[derive(Serialize, Deserialize)]
pub struct RawPath(Vec<u8>);

impl From<&PathBuf> for RawPath {
    fn from(path: &PathBuf) -> Self {
        Self(path.as_os_str().as_bytes().to_vec())
    }
}

impl From<RawPath> for PathBuf {
    fn from(path: RawPath) -> Self {
        OsString::from_vec(path.0).into()
    }
}

/// If `lossy`, some bytes were not UTF-8; U+FFFD replaces them.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Text")]
pub struct LossyText {
    /// What was written.
    text: String,
    /// Whether bytes that are not UTF-8 were replaced by U+FFFD.
    lossy: bool,
}

impl From<&Vec<u8>> for LossyText {
    fn from(bytes: &Vec<u8>) -> Self {
        let text = String::from_utf8_lossy(bytes);
        Self { lossy: matches!(text, Cow::Owned(_)), text: text.into_owned() }
    }
}

/// A replaced byte is read as a byte that is not UTF-8.
impl From<LossyText> for Vec<u8> {
    fn from(LossyText { text, lossy }: LossyText) -> Self {
        if !lossy {
            return text.into_bytes();
        }
        let pieces: Vec<&[u8]> = text.split('\u{fffd}').map(str::as_bytes).collect();
        pieces.join(&0xff)
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct MeasuredBytes(Option<Bytes>);

impl From<&Bytes> for MeasuredBytes {
    fn from(bytes: &Bytes) -> Self {
        Self(Some(*bytes).filter(|bytes| bytes.0 > 0))
    }
}

impl From<MeasuredBytes> for Bytes {
    fn from(bytes: MeasuredBytes) -> Self {
        bytes.0.unwrap_or_default()
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Base64Text(String);

impl TryFrom<&Blob> for Base64Text {
    type Error = io::Error;

    fn try_from(blob: &Blob) -> io::Result<Self> {
        Ok(Self(BASE64_STANDARD.encode(blob.read()?)))
    }
}

impl TryFrom<Base64Text> for Blob {
    type Error = DecodeError;

    fn try_from(text: Base64Text) -> Result<Self, DecodeError> {
        BASE64_STANDARD.decode(text.0).map(Self::from)
    }
}

/// For a flattened field that is an `Option<T>`, or a `T` whose variants have different keys. The object gets all keys
/// of a `T`; those without a value are `null` or an empty list.
pub struct EveryKey<T>(PhantomData<T>);

impl<T: JsonSchema + 'static, V: Serialize> SerializeAs<V> for EveryKey<T> {
    fn serialize_as<S: Serializer>(value: &V, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rest = Map::clone(&absent_keys::<T>());
        if let Value::Object(present) = serde_json::to_value(value).map_err(S::Error::custom)? {
            rest.retain(|key, _| !present.contains_key(key));
        }
        OrderedKeys { value, rest }.serialize(serializer)
    }
}

impl<'de, T: JsonSchema + 'static, V: DeserializeOwned> DeserializeAs<'de, V> for EveryKey<T> {
    fn deserialize_as<D: Deserializer<'de>>(deserializer: D) -> Result<V, D::Error> {
        let absent = absent_keys::<T>();
        // The map also has the object's other keys.
        let mut keys = Map::deserialize(deserializer)?;
        keys.retain(|key, _| absent.contains_key(key));
        let is_absent = keys.iter().all(|(key, value)| absent.get(key) == Some(value));
        let value = if is_absent { Value::Null } else { Value::Object(keys) };
        V::deserialize(value).map_err(D::Error::custom)
    }
}

impl<T: JsonSchema, V> JsonSchemaAs<V> for EveryKey<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("EveryKeyOf{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        for (key, schemas) in schemas_of_keys::<T>(generator) {
            let mut any = schemas;
            if !any.iter().any(is_list) {
                any.push(json!({ "type": "null" }));
            }
            properties.insert(key, json!({ "anyOf": any }));
        }
        let required: Vec<&String> = properties.keys().collect();
        json_schema!({ "type": "object", "required": required, "properties": properties })
    }
}

/// First the keys that the value has, then the rest.
#[derive(Serialize)]
struct OrderedKeys<'a, V> {
    #[serde(flatten)]
    value: &'a V,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

type AbsentKeys = Arc<Map<String, Value>>;

/// All keys of a `T`, with the values that they have if they do not apply.
fn absent_keys<T: JsonSchema + 'static>() -> AbsentKeys {
    static KNOWN: LazyLock<Mutex<HashMap<TypeId, AbsentKeys>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock();
    let keys = || {
        let schemas = schemas_of_keys::<T>(&mut SchemaGenerator::default()).into_iter();
        let value =
            |schemas: &[Value]| if schemas.iter().any(is_list) { json!([]) } else { Value::Null };
        Arc::new(schemas.map(|(key, schemas)| (key, value(&schemas))).collect())
    };
    Arc::clone(known.entry(TypeId::of::<T>()).or_insert_with(keys))
}

fn is_list(schema: &Value) -> bool {
    let choices = schema["anyOf"].as_array();
    schema["type"] == "array" || choices.is_some_and(|choices| choices.iter().all(is_list))
}

/// Each key of a `T` with its schemas: one, or one for each variant.
fn schemas_of_keys<T: JsonSchema>(generator: &mut SchemaGenerator) -> HashMap<String, Vec<Value>> {
    let schema = Value::from(T::json_schema(generator));
    let variants = schema["oneOf"].as_array().into_iter().flatten();
    let shapes = variants.chain([&schema]).filter_map(|shape| shape["properties"].as_object());
    let mut keys: HashMap<String, Vec<Value>> = HashMap::new();
    for (key, schema) in shapes.flatten() {
        keys.entry(key.clone()).or_default().push(schema.clone());
    }
    keys
}
