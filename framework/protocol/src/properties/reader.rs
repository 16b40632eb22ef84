//! A serde deserializer over a value whose scalars may be text.

use super::error::{DecodeError, Step};
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

/// One value about to be read.
#[derive(Clone, Copy)]
pub(super) enum Reader<'de> {
    Object(&'de Map<String, Value>),
    Array(&'de [Value]),
    Text(&'de str),
    /// Number, boolean or null.
    Plain(&'de Value),
}

impl<'de> Reader<'de> {
    pub(super) fn of(properties: &'de Map<String, Value>) -> Self {
        Reader::Object(properties)
    }

    fn of_value(value: &'de Value) -> Self {
        match value {
            Value::Object(fields) => Reader::Object(fields),
            Value::Array(items) => Reader::Array(items),
            Value::String(text) => Reader::Text(text),
            plain => Reader::Plain(plain),
        }
    }

    /// Calls back with an integer or float, whatever the value is closest to.
    fn visit_number<V: Visitor<'de>>(self, visitor: V, kind: Number) -> Result<V::Value, DecodeError> {
        let text = match self {
            Reader::Text(text) => text.trim().to_owned(),
            Reader::Plain(Value::Number(number)) => number.to_string(),
            _ => return self.deserialize_any(visitor),
        };
        let secret = text.clone();
        let integer = whole(&text);
        let visited = if let (Number::Float, Some(float)) = (kind, finite(&text)) {
            visitor.visit_f64(float)
        } else if let Ok(number) = integer.parse::<u64>() {
            visitor.visit_u64(number)
        } else if let Ok(number) = integer.parse::<i64>() {
            visitor.visit_i64(number)
        } else if let Ok(number) = integer.parse::<u128>() {
            visitor.visit_u128(number)
        } else if let Ok(number) = integer.parse::<i128>() {
            visitor.visit_i128(number)
        } else if let Some(float) = finite(&text) {
            // A fraction where an integer is wanted: the visitor says what it expected.
            return Err(DecodeError::invalid_value(Unexpected::Float(float), &visitor));
        } else {
            return Err(DecodeError::invalid_type(Unexpected::Str(""), &visitor));
        };
        visited.map_err(|error: DecodeError| error.without(&secret))
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Number {
    Integer,
    Float,
}

/// `42.0` is how some tools write 42.
fn whole(text: &str) -> &str {
    match text.split_once('.') {
        Some((integer, zeros)) if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => integer,
        _ => text,
    }
}

fn finite(text: &str) -> Option<f64> {
    // Rust also reads `inf` and `nan`, which no property means.
    text.parse::<f64>().ok().filter(|float| float.is_finite())
}

macro_rules! numbers {
    ($($method:ident => $kind:expr),* $(,)?) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            self.visit_number(visitor, $kind)
        })*
    };
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self {
            Reader::Object(fields) => visitor.visit_map(Fields {
                rest: fields.iter(),
                value: None,
            }),
            Reader::Array(items) => visitor.visit_seq(Items {
                rest: items.iter().enumerate(),
            }),
            Reader::Text(text) => visitor
                .visit_borrowed_str(text)
                .map_err(|error: DecodeError| error.without(text)),
            Reader::Plain(Value::Bool(value)) => visitor.visit_bool(*value),
            Reader::Plain(Value::Number(number)) => match (number.as_u64(), number.as_i64()) {
                (Some(unsigned), _) => visitor.visit_u64(unsigned),
                (None, Some(signed)) => visitor.visit_i64(signed),
                // serde_json's own way keeps every other number exact.
                (None, None) => number
                    .deserialize_any(visitor)
                    .map_err(|error| DecodeError::custom(error).without(&number.to_string())),
            },
            Reader::Plain(_) => visitor.visit_unit(),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self {
            Reader::Text(text) if text.eq_ignore_ascii_case("true") => visitor.visit_bool(true),
            Reader::Text(text) if text.eq_ignore_ascii_case("false") => visitor.visit_bool(false),
            Reader::Text(_) => Err(DecodeError::invalid_value(Unexpected::Str(""), &visitor)),
            other => other.deserialize_any(visitor),
        }
    }

    numbers! {
        deserialize_i8 => Number::Integer, deserialize_i16 => Number::Integer, deserialize_i32 => Number::Integer,
        deserialize_i64 => Number::Integer, deserialize_i128 => Number::Integer, deserialize_u8 => Number::Integer,
        deserialize_u16 => Number::Integer, deserialize_u32 => Number::Integer, deserialize_u64 => Number::Integer,
        deserialize_u128 => Number::Integer, deserialize_f32 => Number::Float, deserialize_f64 => Number::Float,
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        // Events written by hand hold numbers where CloudFormation would have sent text.
        match self {
            Reader::Plain(Value::Number(number)) => visitor.visit_string(number.to_string()),
            Reader::Plain(Value::Bool(value)) => visitor.visit_str(if *value { "true" } else { "false" }),
            other => other.deserialize_any(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self {
            Reader::Plain(Value::Null) => visitor.visit_none(),
            some => visitor.visit_some(some),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match self {
            Reader::Text(text) => visitor.visit_enum(Alternative {
                name: text,
                content: None,
            }),
            Reader::Object(fields) => match fields.iter().next() {
                Some((name, value)) if fields.len() == 1 => visitor
                    .visit_enum(Alternative {
                        name,
                        content: Some(value),
                    })
                    .map_err(|error| error.at(Step::Key(name.clone()))),
                _ => Err(DecodeError::invalid_length(
                    fields.len(),
                    &"an object with one key",
                )),
            },
            other => other.deserialize_any(visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
    }
}

struct Items<'de> {
    rest: std::iter::Enumerate<std::slice::Iter<'de, Value>>,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DecodeError> {
        let Some((index, value)) = self.rest.next() else {
            return Ok(None);
        };
        seed.deserialize(Reader::of_value(value))
            .map(Some)
            .map_err(|error| error.at(Step::Index(index)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Fields<'de> {
    rest: serde_json::map::Iter<'de>,
    value: Option<(&'de String, &'de Value)>,
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, DecodeError> {
        self.value = self.rest.next();
        let Some((name, _)) = self.value else {
            return Ok(None);
        };
        seed.deserialize(Reader::Text(name))
            .map(Some)
            .map_err(|error| error.at(Step::Key(name.clone())))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, DecodeError> {
        let Some((name, value)) = self.value.take() else {
            return Err(DecodeError::custom("a value was read before its key"));
        };
        seed.deserialize(Reader::of_value(value))
            .map_err(|error| error.at(Step::Key(name.clone())))
    }
}

struct Alternative<'de> {
    name: &'de str,
    content: Option<&'de Value>,
}

impl<'de> EnumAccess<'de> for Alternative<'de> {
    type Error = DecodeError;
    type Variant = Content<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Content<'de>), DecodeError> {
        let name: StrDeserializer<'de, DecodeError> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, Content(self.content)))
    }
}

struct Content<'de>(Option<&'de Value>);

impl<'de> VariantAccess<'de> for Content<'de> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        match self.0 {
            None | Some(Value::Null) => Ok(()),
            Some(_) => Err(DecodeError::custom("expected text only, found an object")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, DecodeError> {
        seed.deserialize(self.reader("an object with one key")?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, DecodeError> {
        self.reader("an object with one key")?.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.reader("an object with one key")?.deserialize_any(visitor)
    }
}

impl<'de> Content<'de> {
    fn reader(self, expected: &'static str) -> Result<Reader<'de>, DecodeError> {
        let value = self
            .0
            .ok_or_else(|| DecodeError::invalid_type(Unexpected::Str(""), &expected))?;
        Ok(Reader::of_value(value))
    }
}
