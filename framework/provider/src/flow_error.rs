//! Why an invocation ends in an error: so that it is tried again.

use crate::ports::{RequestStoreError, SendError, WaiterError};
use formwork_protocol::{EnvelopeError, ResponseError};

/// An invocation that did not do its part. Lambda or the state machine tries again; no text holds the event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FlowError {
    /// There is no telling whom to answer. Trying again changes nothing.
    #[error(transparent)]
    Unanswerable(#[from] EnvelopeError),
    /// The echoed fields are too long for any answer. Trying again changes nothing.
    #[error(transparent)]
    TooLong(#[from] ResponseError),
    /// The answer is stored but was not delivered; the next attempt only delivers it.
    #[error(transparent)]
    Undelivered(#[from] SendError),
    /// The answer is delivered, but the resource type could not close the request.
    #[error("the request is answered but could not be closed: {0}")]
    Unclosed(String),
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] RequestStoreError),
    /// No waiter could be started for a request that needs one.
    #[error(transparent)]
    Waiter(#[from] WaiterError),
    /// The stored record cannot be understood.
    #[error("the request's record cannot be read: {0}")]
    Record(String),
    /// is_complete was asked about a request nobody recorded.
    #[error("there is no record of the request")]
    NoRecord,
    /// Another invocation is at work on the request. Once it ends, trying again helps.
    #[error("another invocation is at work on the request")]
    Busy,
    /// is_complete was given something it does not know.
    #[error("the input is none that is_complete takes: {0}")]
    Input(&'static str),
}
