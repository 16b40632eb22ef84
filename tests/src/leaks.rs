//! What must not be found where people look: secrets, response URLs, signatures.

/// A text that must stay out of sight, and what it is.
#[derive(Debug, Clone)]
pub struct Secret {
    /// What the text is, for the message: the text itself is not shown.
    pub what: &'static str,
    /// The text.
    pub text: String,
}

impl Secret {
    /// A secret text.
    #[must_use]
    pub fn new(what: &'static str, text: impl Into<String>) -> Self {
        Secret {
            what,
            text: text.into(),
        }
    }

    /// The parts of a response URL that must not be seen: all of it, and each of its query values, so
    /// that a signature is found wherever it went.
    #[must_use]
    pub fn of_url(url: &str) -> Vec<Self> {
        let mut secrets = vec![Secret::new("the ResponseURL", url)];
        let signature = url
            .split(['?', '&'])
            .find_map(|part| part.strip_prefix("X-Amz-Signature="));
        secrets.extend(signature.map(|value| Secret::new("the signature of the ResponseURL", value)));
        secrets.push(Secret::new("a signed URL", "X-Amz-Signature"));
        secrets
    }
}

/// Where which secrets were found: `place` is what the texts are.
#[must_use]
pub fn find(
    place: &str,
    texts: impl IntoIterator<Item = impl AsRef<str>>,
    secrets: &[Secret],
) -> Vec<String> {
    let mut found = Vec::new();
    for (number, text) in texts.into_iter().enumerate() {
        for secret in secrets {
            if text.as_ref().contains(&secret.text) {
                found.push(format!("{} is in {place}, text {number}", secret.what));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_found_whole_and_in_part() {
        let secrets = Secret::of_url("http://sink/a/b?X-Amz-Expires=7200&X-Amz-Signature=0badcafe");
        assert_eq!(find("a log", ["all is well"], &secrets), Vec::<String>::new());
        for leak in [
            "PUT http://sink/a/b?X-Amz-Expires=7200&X-Amz-Signature=0badcafe",
            "sig 0badcafe",
            "X-Amz-Signature=..",
        ] {
            assert!(
                !find("a log", ["all is well", leak], &secrets).is_empty(),
                "{leak}"
            );
        }
    }
}
