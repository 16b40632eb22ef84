//! Objects in buckets, with S3's conditional writes.

use jiff::Timestamp;
use md5::{Digest, Md5};
use std::collections::BTreeMap;

use bytes::Bytes;

/// One object.
#[derive(Debug, Clone)]
pub(crate) struct Object {
    pub(crate) body: Bytes,
    /// Quoted, a hash of the content.
    pub(crate) etag: String,
    pub(crate) modified: Timestamp,
    pub(crate) content_type: String,
    /// The writer's own headers, `x-amz-meta-...`. Not kept on disk.
    pub(crate) metadata: Vec<(String, String)>,
}

impl Object {
    pub(crate) fn new(body: Bytes, content_type: Option<String>, modified: Timestamp) -> Self {
        let digest = Md5::digest(&body);
        let etag: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let content_type = content_type.unwrap_or_else(|| "binary/octet-stream".into());
        Object {
            body,
            etag: format!("\"{etag}\""),
            modified,
            content_type,
            metadata: Vec::new(),
        }
    }
}

/// The condition of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Condition {
    None,
    /// `If-None-Match: *`
    Absent,
    /// `If-Match`
    Matches(String),
}

/// Why a write was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    PreconditionFailed,
    NoSuchKey,
}

/// One page of a listing.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) keys: Vec<(String, Object)>,
    pub(crate) prefixes: Vec<String>,
    /// The last name on a page that is not the last one.
    pub(crate) next: Option<String>,
}

/// All objects by bucket and key. Every bucket exists.
#[derive(Debug, Default)]
pub(crate) struct Objects(BTreeMap<String, BTreeMap<String, Object>>);

impl Objects {
    pub(crate) fn get(&self, bucket: &str, key: &str) -> Option<&Object> {
        self.0.get(bucket)?.get(key)
    }

    pub(crate) fn put(
        &mut self,
        bucket: &str,
        key: &str,
        object: Object,
        condition: &Condition,
    ) -> Result<(), Refusal> {
        match (condition, self.get(bucket, key)) {
            (Condition::Absent, Some(_)) => return Err(Refusal::PreconditionFailed),
            (Condition::Matches(_), None) => return Err(Refusal::NoSuchKey),
            (Condition::Matches(etag), Some(found)) if *etag != found.etag && etag != "*" => {
                return Err(Refusal::PreconditionFailed);
            }
            _ => {}
        }
        self.0
            .entry(bucket.to_owned())
            .or_default()
            .insert(key.to_owned(), object);
        Ok(())
    }

    pub(crate) fn delete(&mut self, bucket: &str, key: &str) {
        if let Some(keys) = self.0.get_mut(bucket) {
            keys.remove(key);
            if keys.is_empty() {
                self.0.remove(bucket);
            }
        }
    }

    /// Keys with a prefix after a name, those with the delimiter further on rolled up into prefixes.
    pub(crate) fn list(
        &self,
        bucket: &str,
        prefix: &str,
        delimiter: Option<&str>,
        after: Option<&str>,
        size: usize,
    ) -> Page {
        let mut page = Page::default();
        let Some(keys) = self.0.get(bucket) else {
            return page;
        };
        let mut last = String::new();
        for (key, object) in keys.iter().filter(|(key, _)| key.starts_with(prefix)) {
            let rest = key.strip_prefix(prefix).unwrap_or_default();
            let rolled = delimiter
                .filter(|delimiter| !delimiter.is_empty())
                .and_then(|delimiter| rest.split_once(delimiter).map(|(head, _)| (head, delimiter)))
                .map(|(head, delimiter)| format!("{prefix}{head}{delimiter}"));
            let name = rolled.as_deref().unwrap_or(key);
            if after.is_some_and(|after| name <= after)
                || page.prefixes.last().is_some_and(|seen| seen == name)
            {
                continue;
            }
            if page.keys.len() + page.prefixes.len() >= size {
                page.next = Some(last);
                return page;
            }
            last = name.to_owned();
            match rolled {
                Some(rolled) => page.prefixes.push(rolled),
                None => page.keys.push((key.clone(), object.clone())),
            }
        }
        page
    }

    /// Every object with its bucket and key.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &str, &Object)> {
        self.0.iter().flat_map(|(bucket, keys)| {
            keys.iter()
                .map(move |(key, object)| (bucket.as_str(), key.as_str(), object))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &'static str) -> Object {
        Object::new(Bytes::from_static(text.as_bytes()), None, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn the_etag_is_the_quoted_hash_of_the_content() {
        assert_eq!(object("").etag, "\"d41d8cd98f00b204e9800998ecf8427e\"");
    }

    #[test]
    fn conditions_decide_about_writes() {
        let mut objects = Objects::default();
        let matches = |text: &'static str| Condition::Matches(object(text).etag);
        assert_eq!(
            objects.put("b", "k", object("2"), &matches("1")),
            Err(Refusal::NoSuchKey)
        );
        assert_eq!(objects.put("b", "k", object("1"), &Condition::Absent), Ok(()));
        assert_eq!(
            objects.put("b", "k", object("2"), &Condition::Absent),
            Err(Refusal::PreconditionFailed)
        );
        assert_eq!(
            objects.put("b", "k", object("2"), &matches("0")),
            Err(Refusal::PreconditionFailed)
        );
        assert_eq!(objects.put("b", "k", object("2"), &matches("1")), Ok(()));
        assert_eq!(
            objects.get("b", "k").map(|object| object.body.as_ref()),
            Some(b"2".as_ref())
        );
    }

    #[test]
    fn lists_go_on_where_the_page_before_ended() {
        let mut objects = Objects::default();
        for key in ["a/1", "a/2", "b", "c/x/1", "c/y", "d"] {
            objects.put("b", key, object(""), &Condition::None).unwrap();
        }
        let mut names = Vec::new();
        let mut after = None;
        loop {
            let page = objects.list("b", "", Some("/"), after.as_deref(), 2);
            assert!(page.keys.len() + page.prefixes.len() <= 2);
            names.extend(page.keys.into_iter().map(|(key, _)| key).chain(page.prefixes));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        names.sort();
        assert_eq!(names, ["a/", "b", "c/", "d"]);
        let below = objects.list("b", "c/", None, None, 9);
        assert_eq!(
            below.keys.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(),
            ["c/x/1", "c/y"]
        );
    }
}
