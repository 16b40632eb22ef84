//! `s3://bucket/key`

/// A place in S3. The key may be empty and stands as it was written: S3 keys are not URL-encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct S3Location {
    pub(crate) bucket: String,
    pub(crate) key: String,
}

impl S3Location {
    /// Reads a location; an error is the problem alone, without the location.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let rest = text
            .strip_prefix("s3://")
            .ok_or("it does not begin with `s3://`")?;
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err("it names no bucket".into());
        }
        // Old buckets may have capitals and underscores, and be longer than today's 63 characters.
        let in_alphabet = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if !(3..=255).contains(&bucket.len()) || !bucket.chars().all(in_alphabet) {
            return Err(format!("`{bucket}` is no bucket name"));
        }
        Ok(S3Location {
            bucket: bucket.to_owned(),
            key: key.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_and_keys_are_told_apart() {
        let cases = [
            ("s3://orders-state", Ok(("orders-state", ""))),
            ("s3://orders-state/", Ok(("orders-state", ""))),
            (
                "s3://a.b-c/one/two three#?%20.yaml",
                Ok(("a.b-c", "one/two three#?%20.yaml")),
            ),
            ("s3:///key", Err("it names no bucket")),
            ("s3://", Err("it names no bucket")),
            ("s3://ab/key", Err("`ab` is no bucket name")),
            ("s3://bucket:80/key", Err("`bucket:80` is no bucket name")),
            ("s3://user@bucket/key", Err("`user@bucket` is no bucket name")),
            ("https://bucket/key", Err("it does not begin with `s3://`")),
            ("S3://bucket/key", Err("it does not begin with `s3://`")),
        ];
        for (text, expected) in cases {
            let found = S3Location::parse(text);
            let found = found.as_ref().map(|at| (at.bucket.as_str(), at.key.as_str()));
            assert_eq!(found.map_err(String::as_str), expected, "{text}");
        }
    }
}
