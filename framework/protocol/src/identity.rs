//! Physical resource ids.

use std::fmt;

/// CloudFormation's limit for a physical resource id.
pub const PHYSICAL_ID_LIMIT_BYTES: usize = 1024;

/// A physical resource id that CloudFormation takes: 1 to 1,024 bytes.
///
/// ```
/// use formwork_protocol::PhysicalResourceId;
/// assert_eq!(PhysicalResourceId::new("bucket/key")?.as_str(), "bucket/key");
/// assert!(PhysicalResourceId::new("").is_err());
/// # Ok::<(), formwork_protocol::PhysicalResourceIdError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PhysicalResourceId(String);

/// A text that cannot be a physical resource id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PhysicalResourceIdError {
    /// There is none.
    #[error("the physical resource id is empty")]
    Empty,
    /// It has this many bytes.
    #[error("the physical resource id has {0} bytes, more than the {PHYSICAL_ID_LIMIT_BYTES} allowed")]
    TooLong(usize),
}

impl PhysicalResourceId {
    /// Checks an id.
    ///
    /// # Errors
    /// When it is empty or has more than 1,024 bytes.
    pub fn new(id: impl Into<String>) -> Result<Self, PhysicalResourceIdError> {
        let id = id.into();
        match id.len() {
            0 => Err(PhysicalResourceIdError::Empty),
            1..=PHYSICAL_ID_LIMIT_BYTES => Ok(PhysicalResourceId(id)),
            bytes => Err(PhysicalResourceIdError::TooLong(bytes)),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, owned.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Display for PhysicalResourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_bytes_and_inclusive() {
        assert!(PhysicalResourceId::new("é".repeat(512)).is_ok());
        assert_eq!(
            PhysicalResourceId::new("é".repeat(513)),
            Err(PhysicalResourceIdError::TooLong(1026))
        );
        assert_eq!(PhysicalResourceId::new(""), Err(PhysicalResourceIdError::Empty));
    }
}
