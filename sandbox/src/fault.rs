//! Things that go wrong on purpose.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A call of the sandbox's services, for choosing where a fault strikes and for counting calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Call {
    /// Cloud Control `CreateResource`.
    CreateResource,
    /// Cloud Control `UpdateResource`.
    UpdateResource,
    /// Cloud Control `DeleteResource`.
    DeleteResource,
    /// Cloud Control `GetResource`.
    GetResource,
    /// Cloud Control `ListResources`.
    ListResources,
    /// Cloud Control `GetResourceRequestStatus`.
    GetResourceRequestStatus,
    /// Cloud Control `ListResourceRequests`.
    ListResourceRequests,
    /// Cloud Control `CancelResourceRequest`.
    CancelResourceRequest,
    /// CloudFormation `DescribeType`.
    DescribeType,
    /// CloudFormation `ListTypes`.
    ListTypes,
    /// Step Functions `StartExecution`.
    StartExecution,
    /// Step Functions `DescribeExecution`.
    DescribeExecution,
    /// Step Functions `StopExecution`.
    StopExecution,
    /// S3 `GetObject`.
    GetObject,
    /// S3 `HeadObject`.
    HeadObject,
    /// S3 `PutObject`.
    PutObject,
    /// S3 `DeleteObject` and `DeleteObjects`.
    DeleteObject,
    /// S3 `ListObjectsV2`.
    ListObjects,
    /// A response document put to its URL.
    Respond,
}

impl Call {
    /// Every call, in the order of their services.
    pub const ALL: [Call; 19] = [
        Call::CreateResource,
        Call::UpdateResource,
        Call::DeleteResource,
        Call::GetResource,
        Call::ListResources,
        Call::GetResourceRequestStatus,
        Call::ListResourceRequests,
        Call::CancelResourceRequest,
        Call::DescribeType,
        Call::ListTypes,
        Call::StartExecution,
        Call::DescribeExecution,
        Call::StopExecution,
        Call::GetObject,
        Call::HeadObject,
        Call::PutObject,
        Call::DeleteObject,
        Call::ListObjects,
        Call::Respond,
    ];

    /// The name as AWS writes it.
    pub fn name(self) -> &'static str {
        match self {
            Call::CreateResource => "CreateResource",
            Call::UpdateResource => "UpdateResource",
            Call::DeleteResource => "DeleteResource",
            Call::GetResource => "GetResource",
            Call::ListResources => "ListResources",
            Call::GetResourceRequestStatus => "GetResourceRequestStatus",
            Call::ListResourceRequests => "ListResourceRequests",
            Call::CancelResourceRequest => "CancelResourceRequest",
            Call::DescribeType => "DescribeType",
            Call::ListTypes => "ListTypes",
            Call::StartExecution => "StartExecution",
            Call::DescribeExecution => "DescribeExecution",
            Call::StopExecution => "StopExecution",
            Call::GetObject => "GetObject",
            Call::HeadObject => "HeadObject",
            Call::PutObject => "PutObject",
            Call::DeleteObject => "DeleteObject",
            Call::ListObjects => "ListObjects",
            Call::Respond => "Respond",
        }
    }

    /// The call of that name.
    pub fn from_name(name: &str) -> Option<Call> {
        Call::ALL.into_iter().find(|call| call.name() == name)
    }
}

/// What happens instead of, or beside, the usual.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Effect {
    /// A create, update or delete is accepted and then ends FAILED with this handler error code and
    /// message. With `done` the change has taken place all the same (a resource that was created but did
    /// not stabilize).
    Fail {
        /// `AccessDenied`, `NotStabilized`, `Throttling`, ...
        code: String,
        /// The StatusMessage.
        message: String,
        /// Whether the change took place.
        done: bool,
    },
    /// The call is refused with an error of this code.
    Refuse {
        /// `ThrottlingException`, `AccessDeniedException`, ...
        code: String,
        /// The error's message.
        message: String,
    },
    /// The service answers with this HTTP status and nothing useful; nothing is done.
    ServerError(u16),
    /// The call is carried out and its answer is lost on the way.
    LoseResponse,
    /// No answer ever comes, and the connection stays open. With `done` the call is carried out.
    Hang {
        /// Whether the call is carried out.
        done: bool,
    },
    /// The operation is accepted and never ends.
    Stick,
    /// The resource cannot be found by this many GetResource calls after its creation.
    HideFromReads(u32),
    /// The operation takes that much longer.
    Slow(Duration),
}

/// A fault: what happens, on which calls, how often.
///
/// ```
/// use formwork_sandbox::{Call, Fault};
///
/// let once = Fault::fail("NotStabilized", "the role did not settle")
///     .on(Call::CreateResource)
///     .of_type("AWS::IAM::Role")
///     .times(1);
/// assert_eq!(once.left, Some(1));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What happens.
    pub effect: Effect,
    /// Only on this call; on any without.
    pub call: Option<Call>,
    /// Only for this resource type.
    pub type_name: Option<String>,
    /// Only where this text is in the identifier or (for S3) in the key; for a create whose identifier is
    /// not known yet, in the desired state.
    pub text: Option<String>,
    /// How many calls that it could strike are let through first.
    #[serde(default)]
    pub spared: u32,
    /// How many more times; `None` for ever.
    pub left: Option<u32>,
}

impl Fault {
    /// A fault with this effect, on every call, for ever.
    pub fn new(effect: Effect) -> Self {
        Fault {
            effect,
            call: None,
            type_name: None,
            text: None,
            spared: 0,
            left: None,
        }
    }

    /// An operation that ends FAILED without having changed anything.
    pub fn fail(code: &str, message: &str) -> Self {
        Fault::new(Effect::Fail {
            code: code.into(),
            message: message.into(),
            done: false,
        })
    }

    /// A call refused at once.
    pub fn refuse(code: &str, message: &str) -> Self {
        Fault::new(Effect::Refuse {
            code: code.into(),
            message: message.into(),
        })
    }

    /// Limits the fault to one call.
    #[must_use]
    pub fn on(mut self, call: Call) -> Self {
        self.call = Some(call);
        self
    }

    /// Limits the fault to one resource type.
    #[must_use]
    pub fn of_type(mut self, type_name: &str) -> Self {
        self.type_name = Some(type_name.into());
        self
    }

    /// Limits the fault to resources or keys with this text.
    #[must_use]
    pub fn with_text(mut self, text: &str) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Lets this many calls through before the fault strikes.
    #[must_use]
    pub fn after(mut self, calls: u32) -> Self {
        self.spared = calls;
        self
    }

    /// Limits how often the fault strikes.
    #[must_use]
    pub fn times(mut self, times: u32) -> Self {
        self.left = Some(times);
        self
    }

    fn strikes(&self, at: &Target<'_>) -> bool {
        self.left != Some(0)
            && self.call.is_none_or(|call| call == at.call)
            && self.type_name.as_deref().is_none_or(|name| name == at.type_name)
            && self.text.as_deref().is_none_or(|text| at.text.contains(text))
    }
}

/// A call about to be carried out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) call: Call,
    pub(crate) type_name: &'a str,
    pub(crate) text: &'a str,
}

/// The faults waiting to strike.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Fault>);

impl Faults {
    pub(crate) fn new(faults: Vec<Fault>) -> Self {
        Faults(faults)
    }

    pub(crate) fn add(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&Fault) -> bool) {
        self.0.retain(keep);
    }

    /// Takes the first fault that strikes here and counts it.
    pub(crate) fn take(&mut self, at: Target<'_>, wanted: impl Fn(&Effect) -> bool) -> Option<Effect> {
        let fault = self
            .0
            .iter_mut()
            .filter(|fault| wanted(&fault.effect) && fault.strikes(&at))
            .find_map(|fault| {
                let spared = fault.spared > 0;
                fault.spared = fault.spared.saturating_sub(1);
                (!spared).then_some(fault)
            })?;
        if let Some(left) = fault.left.as_mut() {
            *left = left.saturating_sub(1);
        }
        Some(fault.effect.clone())
    }
}

impl Effect {
    /// Effects on the exchange itself, whatever the service.
    pub(crate) fn on_exchange(&self) -> bool {
        matches!(
            self,
            Effect::Refuse { .. } | Effect::ServerError(_) | Effect::LoseResponse | Effect::Hang { .. }
        )
    }

    /// Effects on an asynchronous operation.
    pub(crate) fn on_operation(&self) -> bool {
        matches!(
            self,
            Effect::Fail { .. } | Effect::Stick | Effect::Slow(_) | Effect::HideFromReads(_)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strikes_only_where_it_is_meant_and_as_often() {
        let fault = Fault::fail("X", "y")
            .on(Call::CreateResource)
            .of_type("A::B::C")
            .with_text("orders")
            .times(1);
        let mut faults = Faults::new(vec![fault]);
        let hit = Target {
            call: Call::CreateResource,
            type_name: "A::B::C",
            text: "my-orders",
        };
        assert!(
            faults
                .take(
                    Target {
                        call: Call::DeleteResource,
                        ..hit
                    },
                    Effect::on_operation
                )
                .is_none()
        );
        assert!(
            faults
                .take(
                    Target {
                        type_name: "A::B::D",
                        ..hit
                    },
                    Effect::on_operation
                )
                .is_none()
        );
        assert!(
            faults
                .take(Target { text: "other", ..hit }, Effect::on_operation)
                .is_none()
        );
        assert!(faults.take(hit, Effect::on_exchange).is_none());
        assert!(faults.take(hit, Effect::on_operation).is_some());
        assert!(faults.take(hit, Effect::on_operation).is_none());
    }

    #[test]
    fn strikes_after_those_it_spares() {
        let at = Target {
            call: Call::GetObject,
            type_name: "bucket",
            text: "key",
        };
        let mut faults = Faults::new(vec![Fault::new(Effect::LoseResponse).after(2).times(1)]);
        let struck: Vec<bool> = (0..4)
            .map(|_| faults.take(at, Effect::on_exchange).is_some())
            .collect();
        assert_eq!(struck, [false, false, true, false]);
    }

    #[test]
    fn names_of_calls_read_back() {
        for call in Call::ALL {
            assert_eq!(Call::from_name(call.name()), Some(call));
        }
    }
}
