//! CloudFormation: one custom resource of a stack, from its creation to its deletion.

use crate::blueprints::Blueprint;
use crate::check;
use crate::dice::Fault;
use crate::functions::{Account, Function};
use crate::types;
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Deletes that fail before the weather clears.
const PATIENCE: u32 = 3;

/// What happens to a stack.
#[derive(Debug, Clone)]
pub(crate) struct Story {
    /// The first of several is 0.
    pub(crate) number: u64,
    /// How much later than the first it begins.
    pub(crate) begins_after: Duration,
    pub(crate) service_timeout: Duration,
    /// The resource's own `Timeout`.
    pub(crate) timeout: Option<Duration>,
    /// Created with the first, updated to the others.
    pub(crate) blueprints: Vec<Blueprint>,
    /// What there is stays when the stack goes.
    pub(crate) retains: bool,
}

/// A request that was sent.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) kind: &'static str,
    pub(crate) url: String,
    pub(crate) request_id: String,
    pub(crate) physical_id: Option<String>,
    pub(crate) at: Timestamp,
    pub(crate) service_timeout: Duration,
}

/// How a request ended, as CloudFormation sees it.
#[derive(Debug, Clone, PartialEq)]
enum Verdict {
    Success(String),
    Failed(String),
    Silence,
    /// CloudFormation did not wait for the answer.
    Cancelled,
}

/// CloudFormation at work on the stack.
pub(crate) struct Stack {
    account: Arc<Account>,
    story: Story,
    sent: Vec<Sent>,
    request_id: Option<String>,
    /// What is deployed, if the last request has succeeded.
    deployed: Option<Blueprint>,
}

impl Stack {
    pub(crate) fn new(account: Arc<Account>, story: Story) -> Self {
        Stack {
            account,
            story,
            sent: Vec::new(),
            request_id: None,
            deployed: None,
        }
    }

    /// What the deleted stack has left on purpose.
    pub(crate) fn retained(&self) -> Option<&Blueprint> {
        self.deployed.as_ref().filter(|_| self.story.retains)
    }

    /// Whether a resource with this mark is its own, and stays when it goes.
    pub(crate) fn may_leave(&self, mark: &str) -> bool {
        let mut blueprints = self.story.blueprints.iter();
        self.story.retains && blueprints.any(|blueprint| blueprint.owns(mark))
    }

    /// Everything that was asked.
    pub(crate) fn sent(&self) -> &[Sent] {
        &self.sent
    }

    /// Whether something can fail in calm weather: for want of time, because a blueprint takes the name of somebody
    /// else's resource, or because what has to be deleted before it can be replaced is still used by others.
    pub(crate) fn may_fail(&self) -> bool {
        let is_short =
            self.story.timeout.is_some() || self.story.service_timeout < Duration::from_secs(3_600);
        let is_unique = |name: &String| {
            let nodes = self
                .story
                .blueprints
                .iter()
                .flat_map(|blueprint| &blueprint.nodes);
            let mut nodes = nodes.filter(|node| node.name == *name);
            nodes.any(|node| matches!(node.type_name, types::NAMED | types::SOLO))
        };
        let mut nodes = self
            .story
            .blueprints
            .iter()
            .flat_map(|blueprint| &blueprint.nodes);
        is_short
            || nodes.any(|node| {
                let squats = node.is_squatter && node.type_name == types::NAMED;
                squats || node.refers_to.as_ref().is_some_and(is_unique)
            })
    }

    /// From the creation to the deletion.
    pub(crate) async fn live(&mut self) {
        let blueprints = self.story.blueprints.clone();
        let Some((first, updates)) = blueprints.split_first() else {
            return;
        };
        if !self.story.begins_after.is_zero() {
            tokio::time::sleep(self.story.begins_after).await;
        }
        let mut current = first.clone();
        let mut id = match self
            .ask("Create", None, &current, None, Some(Fault::CreateCancelled))
            .await
        {
            Verdict::Success(id) => id,
            Verdict::Failed(id) => return self.delete(&id, &current).await,
            Verdict::Silence | Verdict::Cancelled => return self.delete(&self.invented_id(), &current).await,
        };
        for next in updates {
            let updated = self
                .ask(
                    "Update",
                    Some(&id),
                    next,
                    Some(&current),
                    Some(Fault::UpdateCancelled),
                )
                .await;
            if let Verdict::Success(answered) = &updated {
                if *answered != id {
                    self.account
                        .world
                        .violated("an Update has changed the physical id");
                    id.clone_from(answered);
                }
                current = next.clone();
                continue;
            }
            let mut rolled_back = false;
            for _ in 0..PATIENCE {
                // The old properties as new ones.
                if let Verdict::Success(_) = self.ask("Update", Some(&id), &current, Some(next), None).await {
                    rolled_back = true;
                    break;
                }
            }
            if !rolled_back {
                current = next.clone();
                break;
            }
        }
        self.delete(&id, &current).await;
    }

    async fn delete(&mut self, id: &str, current: &Blueprint) {
        for _ in 0..PATIENCE {
            if let Verdict::Success(_) = self.ask("Delete", Some(id), current, None, None).await {
                return;
            }
        }
        // The weather clears, what is stuck ends, and somebody tries once more.
        let world = &self.account.world;
        world.tell(|| "the weather clears".to_owned());
        world.dice.calm();
        self.account.cloud.end_stuck();
        tokio::time::sleep(Duration::from_secs(60)).await;
        let last = self.ask("Delete", Some(id), current, None, None).await;
        if !matches!(last, Verdict::Success(_)) {
            self.account
                .world
                .violated(format!("the Delete fails without a reason: {last:?}"));
        }
    }

    async fn ask(
        &mut self,
        kind: &'static str,
        id: Option<&str>,
        blueprint: &Blueprint,
        before: Option<&Blueprint>,
        cancelled_by: Option<Fault>,
    ) -> Verdict {
        let account = Arc::clone(&self.account);
        let (world, dice) = (&account.world, &account.world.dice);
        // CloudFormation takes its time between two requests.
        tokio::time::sleep(Duration::from_millis(dice.draw(200, 5_000))).await;
        let number = self.sent.len();
        let reused = self
            .request_id
            .clone()
            .filter(|_| kind != "Create" && dice.strikes(Fault::RequestIdReused));
        let request_id =
            reused.unwrap_or_else(|| format!("7bfe2d54-0000-0000-{:04}-{number:012}", self.story.number));
        self.request_id = Some(request_id.clone());
        let place = match self.story.number {
            0 => number.to_string(),
            stack => format!("{stack}-{number}"),
        };
        let url = response_url(&place, world.now());
        let mut event = json!({
            "RequestType": kind,
            "ServiceToken": "arn:aws:lambda:eu-central-1:123456789012:function:on-event",
            "ResponseURL": url,
            "StackId": self.arn(),
            "RequestId": request_id,
            "LogicalResourceId": self.logical_id(),
            "ResourceType": "Custom::Blueprint",
            "ResourceProperties": self.properties(blueprint),
        });
        if let Some(members) = event.as_object_mut() {
            if let Some(before) = before {
                members.insert("OldResourceProperties".into(), self.properties(before));
            }
            if let Some(id) = id {
                members.insert("PhysicalResourceId".into(), json!(id));
            }
        }
        let timeout = self.story.service_timeout;
        self.sent.push(Sent {
            kind,
            url: url.clone(),
            request_id,
            physical_id: id.map(str::to_owned),
            at: world.now(),
            service_timeout: timeout,
        });
        world.tell(|| format!("stack: {kind} {}", blueprint.text().replace('\n', "\\n")));
        account.sink.open(&url);
        account.invoke_later(Function::OnEvent, &event, timeout / 4);
        let patience = match cancelled_by {
            Some(fault) if dice.strikes(fault) => Duration::from_millis(dice.draw(0, 90_000)),
            _ => timeout,
        };
        let answered = tokio::time::timeout(patience, account.sink.answered(&url)).await;
        if kind != "Delete" {
            self.deployed = None;
        }
        let Some(answer) = account.sink.answer(&url).filter(|_| answered.is_ok()) else {
            if patience == timeout {
                world.violated(format!("no answer to the {kind} within its timeout"));
                return Verdict::Silence;
            }
            world.tell(|| format!("stack: the {kind} is not waited for"));
            return Verdict::Cancelled;
        };
        let text = |field: &str| {
            answer
                .body
                .get(field)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let id = text("PhysicalResourceId");
        if text("Status") != "SUCCESS" {
            return Verdict::Failed(id);
        }
        if kind != "Delete" {
            check::deployed(&account, blueprint);
            self.deployed = Some(blueprint.clone());
        }
        Verdict::Success(id)
    }

    /// Two and two resources are in one stack.
    fn arn(&self) -> String {
        format!(
            "arn:aws:cloudformation:eu-central-1:123456789012:stack/shop/5b918d10-cd98-11ea-90d5-{:012x}",
            0x0a9c_d335_4c10_u64 + self.story.number / 2
        )
    }

    fn logical_id(&self) -> &'static str {
        if self.story.number.is_multiple_of(2) {
            "Orders"
        } else {
            "Invoices"
        }
    }

    /// The id of a Create whose answer CloudFormation did not wait for.
    fn invented_id(&self) -> String {
        format!("shop-{}-1A2B3C4D5E6F7", self.logical_id())
    }

    fn properties(&self, blueprint: &Blueprint) -> Value {
        let mut properties = Map::new();
        let mut add = |name: &str, value: Value| properties.insert(name.to_owned(), value);
        add(
            "ServiceToken",
            json!("arn:aws:lambda:eu-central-1:123456789012:function:on-event"),
        );
        add(
            "ServiceTimeout",
            json!(self.story.service_timeout.as_secs().to_string()),
        );
        add("BlueprintBody", json!(blueprint.text()));
        add("Variables", json!({ "password": self.account.world.password }));
        if self.story.retains {
            add("DeletionPolicy", json!("Retain"));
        }
        if let Some(timeout) = self.story.timeout {
            add("Timeout", json!(timeout.as_secs().to_string()));
        }
        Value::Object(properties)
    }
}

fn response_url(place: &str, now: Timestamp) -> String {
    let date = now.strftime("%Y%m%dT%H%M%SZ");
    let signature = crate::world::SIGNATURE;
    format!(
        "https://cloudformation-custom-resource-response-eucentral1.s3.eu-central-1.amazonaws.com/{place}\
         ?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date={date}&X-Amz-SignedHeaders=host&X-Amz-Expires=7200\
         &X-Amz-Signature={signature}"
    )
}
