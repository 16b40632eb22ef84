//! Errors as the services name them.

/// An error a service answers with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiError {
    pub(crate) code: String,
    pub(crate) message: String,
}

impl ApiError {
    pub(crate) fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        ApiError {
            code: code.into(),
            message: message.into(),
        }
    }

    pub(crate) fn validation(message: impl Into<String>) -> Self {
        ApiError::new("ValidationException", message)
    }

    /// What the SDKs' shape checks answer with.
    pub(crate) fn constraint(what: &str) -> Self {
        ApiError::validation(format!("1 validation error detected: {what}"))
    }

    /// The modelled exception that a handler error code stands for in a synchronous answer.
    pub(crate) fn of_handler(type_name: &str, handler_code: &str, message: &str, token: &str) -> Self {
        let code = match handler_code {
            "NotFound" => "ResourceNotFoundException".into(),
            "Throttling" => "ThrottlingException".into(),
            "InternalFailure" => "HandlerInternalFailureException".into(),
            "AccessDenied" | "UnauthorizedTaggingOperation" => "AccessDeniedException".into(),
            other => format!("{}Exception", other.trim_end_matches("Exception")),
        };
        let text = format!(
            "{type_name} Handler returned status FAILED: {message} \
             (HandlerErrorCode: {handler_code}, RequestToken: {token})"
        );
        ApiError::new(code, text)
    }

    /// The `__type` of the wire, with the namespace of the layer that answers.
    pub(crate) fn wire_type(&self) -> String {
        let namespace = match self.code.as_str() {
            "ValidationException" => "com.amazon.coral.validate",
            "AccessDeniedException" => "com.amazon.coral.service",
            _ => "com.amazonaws.cloudapiservice",
        };
        format!("{namespace}#{}", self.code)
    }

    /// The HTTP status: 400 in everything recorded, 500 for what the service's model calls its own fault.
    pub(crate) fn status(&self) -> u16 {
        match self.code.as_str() {
            "HandlerFailureException"
            | "HandlerInternalFailureException"
            | "NetworkFailureException"
            | "ServiceInternalErrorException"
            | "ConcurrentModificationException" => 500,
            _ => 400,
        }
    }
}
