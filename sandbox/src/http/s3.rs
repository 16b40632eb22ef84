//! S3, path-style: what keeping documents takes, conditional writes above all.

use super::xml::Xml;
use super::{Exchange, Exchanged, exchange, log, lost, respond, unheard};
use crate::fault::{Call, Target};
use crate::storage::{Condition, Object, Refusal};
use crate::world::{World, complain};
use axum::body::Body;
use axum::http::{Method, Response, StatusCode};
use quick_xml::Reader;
use quick_xml::events::Event;
use std::collections::BTreeMap;

const NAMESPACE: &str = "http://s3.amazonaws.com/doc/2006-03-01/";
/// What a writer's own headers begin with.
const METADATA: &str = "x-amz-meta-";

pub(super) fn handle(world: &World, request: &Exchanged) -> Response<Body> {
    let path = request.uri.path().trim_start_matches('/');
    let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
    let key = decode(key);
    let query: BTreeMap<String, String> =
        url::form_urlencoded::parse(request.uri.query().unwrap_or_default().as_bytes())
            .into_owned()
            .collect();
    let call = match (&request.method, key.is_empty()) {
        (&Method::GET, true) if !bucket.is_empty() => Call::ListObjects,
        (&Method::GET, false) => Call::GetObject,
        (&Method::HEAD, false) => Call::HeadObject,
        (&Method::PUT, false) => Call::PutObject,
        (&Method::DELETE, false) => Call::DeleteObject,
        (&Method::POST, true) if query.contains_key("delete") => Call::DeleteObject,
        _ => {
            return error(
                StatusCode::NOT_IMPLEMENTED,
                "NotImplemented",
                "the sandbox has no such operation",
            );
        }
    };
    let exchange = exchange(
        world,
        Target {
            call,
            type_name: bucket,
            text: &key,
        },
    );
    let response = match exchange {
        Exchange::Broken(status) => error(status, "InternalError", "We encountered an internal error."),
        Exchange::Refused(code, message) => error(StatusCode::FORBIDDEN, &code, &message),
        Exchange::Unheard => unheard(),
        Exchange::Normal | Exchange::AnswerLost(_) => {
            let response = match call {
                Call::ListObjects => list(world, bucket, &query),
                Call::PutObject => put(world, bucket, &key, request),
                Call::DeleteObject if key.is_empty() => delete_many(world, bucket, &request.body),
                Call::DeleteObject => match request.header("if-match") {
                    Some(etag) if !matches(world, bucket, &key, etag) => precondition_failed(),
                    _ => {
                        delete(world, bucket, &key);
                        respond(StatusCode::NO_CONTENT, &[], Body::empty())
                    }
                },
                _ => get(world, bucket, &key, request),
            };
            match exchange {
                Exchange::AnswerLost(loss) => lost(loss),
                _ => response,
            }
        }
    };
    log(world, call, bucket, &response);
    response
}

/// Percent-decoding of a path; a plus sign stays one.
fn decode(text: &str) -> String {
    let escaped = text.replace('+', "%2B");
    // As the value of a form field.
    let pair = format!("k={}", escaped.replace('&', "%26"));
    url::form_urlencoded::parse(pair.as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

fn get(world: &World, bucket: &str, key: &str, request: &Exchanged) -> Response<Body> {
    let Some(object) = world.state().objects.get(bucket, key).cloned() else {
        return no_such_key();
    };
    if request
        .header("if-match")
        .is_some_and(|etag| etag != object.etag && etag != "*")
    {
        return precondition_failed();
    }
    let modified = object.modified.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
    let length = object.body.len().to_string();
    let mut headers = vec![
        ("etag", object.etag.as_str()),
        ("last-modified", modified.as_str()),
        ("content-type", object.content_type.as_str()),
        ("accept-ranges", "bytes"),
    ];
    headers.extend(
        object
            .metadata
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str())),
    );
    if request
        .header("if-none-match")
        .is_some_and(|etag| etag == object.etag || etag == "*")
    {
        return respond(StatusCode::NOT_MODIFIED, &headers, Body::empty());
    }
    if request.method == Method::HEAD {
        headers.push(("content-length", length.as_str()));
        return respond(StatusCode::OK, &headers, Body::empty());
    }
    let Some((first, last)) = request
        .header("range")
        .and_then(|range| bounds(range, object.body.len()))
    else {
        return respond(StatusCode::OK, &headers, object.body);
    };
    let range = format!("bytes {first}-{}/{length}", last.saturating_sub(1));
    headers.push(("content-range", &range));
    respond(
        StatusCode::PARTIAL_CONTENT,
        &headers,
        object.body.slice(first..last),
    )
}

/// The first byte and the one after the last of a `Range` header that can be satisfied.
fn bounds(range: &str, length: usize) -> Option<(usize, usize)> {
    let (first, last) = range.strip_prefix("bytes=")?.split_once('-')?;
    if first.is_empty() {
        let count: usize = last.parse().ok()?;
        return (count > 0 && length > 0).then(|| (length.saturating_sub(count), length));
    }
    let first: usize = first.parse().ok()?;
    let last = if last.is_empty() {
        length
    } else {
        last.parse::<usize>().ok()?.saturating_add(1).min(length)
    };
    (first < last).then_some((first, last))
}

fn put(world: &World, bucket: &str, key: &str, request: &Exchanged) -> Response<Body> {
    let condition = match (request.header("if-none-match"), request.header("if-match")) {
        (Some("*"), None) => Condition::Absent,
        (None, Some(etag)) => Condition::Matches(etag.to_owned()),
        (None, None) => Condition::None,
        _ => {
            return error(
                StatusCode::NOT_IMPLEMENTED,
                "NotImplemented",
                "no such condition for a PUT",
            );
        }
    };
    let kind = request.header("content-type").map(String::from);
    let mut object = Object::new(request.body.clone(), kind, world.now());
    object.metadata = request
        .headers
        .iter()
        .filter(|(name, _)| name.as_str().starts_with(METADATA))
        .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())))
        .collect();
    let mut state = world.state();
    match state.objects.put(bucket, key, object.clone(), &condition) {
        Err(Refusal::PreconditionFailed) => precondition_failed(),
        Err(Refusal::NoSuchKey) => no_such_key(),
        Ok(()) => {
            if let Some(disk) = &world.disk {
                complain(disk.write_object(bucket, key, &object));
            }
            respond(StatusCode::OK, &[("etag", &object.etag)], Body::empty())
        }
    }
}

/// What is not there hinders no removal.
fn matches(world: &World, bucket: &str, key: &str, etag: &str) -> bool {
    let state = world.state();
    let found = state.objects.get(bucket, key);
    found.is_none_or(|object| object.etag == etag || etag == "*")
}

fn delete(world: &World, bucket: &str, key: &str) {
    let mut state = world.state();
    state.objects.delete(bucket, key);
    if let Some(disk) = &world.disk {
        complain(disk.delete_object(bucket, key));
    }
}

fn delete_many(world: &World, bucket: &str, body: &[u8]) -> Response<Body> {
    let Some(keys) = keys_to_delete(body) else {
        return error(
            StatusCode::BAD_REQUEST,
            "MalformedXML",
            "The XML you provided was not well-formed",
        );
    };
    keys.iter().for_each(|key| delete(world, bucket, key));
    let mut xml = Xml::new();
    xml.root("DeleteResult", NAMESPACE, |xml| {
        for key in &keys {
            xml.within("Deleted", |xml| {
                xml.text("Key", key);
            });
        }
    });
    respond(
        StatusCode::OK,
        &[("content-type", "application/xml")],
        xml.finish(),
    )
}

fn keys_to_delete(body: &[u8]) -> Option<Vec<String>> {
    let text = std::str::from_utf8(body).ok()?;
    let mut reader = Reader::from_str(text);
    let (mut keys, mut key) = (Vec::new(), None::<String>);
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) if tag.name().as_ref() == "Key" => key = Some(String::new()),
            Event::Text(part) => {
                if let Some(key) = key.as_mut() {
                    key.push_str(&part);
                }
            }
            Event::GeneralRef(reference) => {
                if let Some(key) = key.as_mut() {
                    match reference.resolve_char_ref().ok()? {
                        Some(letter) => key.push(letter),
                        None => key.push_str(quick_xml::escape::resolve_predefined_entity(&reference)?),
                    }
                }
            }
            Event::End(tag) if tag.name().as_ref() == "Key" => keys.extend(key.take()),
            Event::Eof => return Some(keys),
            _ => {}
        }
    }
}

fn list(world: &World, bucket: &str, query: &BTreeMap<String, String>) -> Response<Body> {
    let field = |name: &str| query.get(name).map(String::as_str);
    let prefix = field("prefix").unwrap_or_default();
    let after = field("continuation-token").or(field("start-after"));
    let size = field("max-keys")
        .and_then(|text| text.parse().ok())
        .unwrap_or(1000)
        .min(1000);
    let page = world
        .state()
        .objects
        .list(bucket, prefix, field("delimiter"), after, size);
    let mut xml = Xml::new();
    xml.root("ListBucketResult", NAMESPACE, |xml| {
        xml.text("Name", bucket)
            .text("Prefix", prefix)
            .text("KeyCount", &(page.keys.len() + page.prefixes.len()).to_string())
            .text("MaxKeys", &size.to_string())
            .text("IsTruncated", if page.next.is_some() { "true" } else { "false" });
        if let Some(next) = &page.next {
            xml.text("NextContinuationToken", next);
        }
        for (key, object) in &page.keys {
            xml.within("Contents", |xml| {
                xml.text("Key", key)
                    .text(
                        "LastModified",
                        &object.modified.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string(),
                    )
                    .text("ETag", &object.etag)
                    .text("Size", &object.body.len().to_string())
                    .text("StorageClass", "STANDARD");
            });
        }
        for prefix in &page.prefixes {
            xml.within("CommonPrefixes", |xml| {
                xml.text("Prefix", prefix);
            });
        }
    });
    respond(
        StatusCode::OK,
        &[("content-type", "application/xml")],
        xml.finish(),
    )
}

fn no_such_key() -> Response<Body> {
    error(
        StatusCode::NOT_FOUND,
        "NoSuchKey",
        "The specified key does not exist.",
    )
}

fn precondition_failed() -> Response<Body> {
    let text = "At least one of the pre-conditions you specified did not hold";
    error(StatusCode::PRECONDITION_FAILED, "PreconditionFailed", text)
}

fn error(status: StatusCode, code: &str, message: &str) -> Response<Body> {
    let mut xml = Xml::new();
    xml.within("Error", |xml| {
        xml.text("Code", code).text("Message", message);
    });
    respond(status, &[("content-type", "application/xml")], xml.finish())
}
