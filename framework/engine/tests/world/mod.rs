//! A world in memory: some resource types, a cloud, a store, a clock, and an engine on them.
#![allow(dead_code, unreachable_pub, reason = "every test file uses another part")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "only tests are built on it"
)]

use formwork_blueprint::Source;
use formwork_engine::fakes::{Fuse, MemorySchemas, MemoryStore, Recorder, Rules, SimCloud, VirtualClock};
use formwork_engine::ports::Clock;
use formwork_engine::{
    Action, Adapters, Advance, Engine, Generation, Goal, Limits, Order, Outcome, Status, Target,
};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::time::Duration;

pub const THING: &str = "Test::Fake::Thing";
pub const AUTO: &str = "Test::Fake::Auto";
pub const INSTANCE: &str = "stack/Blueprint/one";

/// Named by its author.
const THING_SCHEMA: &str = r##"{
  "typeName": "Test::Fake::Thing", "description": "named", "additionalProperties": false,
  "properties": {
    "Name": {"type": "string"}, "Kind": {"type": "string"}, "Value": {"type": "string"}, "Count": {"type": "integer"},
    "Ref": {"type": "string"}, "Refs": {"type": "array", "items": {"type": "string"}}, "Secret": {"type": "string"}, "Arn": {"type": "string"}
  },
  "required": ["Name"], "primaryIdentifier": ["/properties/Name"], "createOnlyProperties": ["/properties/Name", "/properties/Kind"],
  "readOnlyProperties": ["/properties/Arn"], "writeOnlyProperties": ["/properties/Secret"],
  "handlers": {"create": {"permissions": []}, "read": {"permissions": []}, "update": {"permissions": []}, "delete": {"permissions": []}, "list": {"permissions": []}}
}"##;

/// Named by the service.
const AUTO_SCHEMA: &str = r##"{
  "typeName": "Test::Fake::Auto", "description": "unnamed", "additionalProperties": false,
  "properties": {"Id": {"type": "string"}, "Kind": {"type": "string"}, "Value": {"type": "string"}, "Ref": {"type": "string"}, "Arn": {"type": "string"}},
  "primaryIdentifier": ["/properties/Id"], "createOnlyProperties": ["/properties/Kind"], "readOnlyProperties": ["/properties/Id", "/properties/Arn"],
  "handlers": {"create": {"permissions": []}, "read": {"permissions": []}, "update": {"permissions": []}, "delete": {"permissions": []}, "list": {"permissions": []}}
}"##;

/// Named by the service, and no two at once.
pub const SOLO: &str = "Test::Fake::Solo";
/// Identified by the service, yet named by its author, and no two of one name.
pub const TOPIC: &str = "Test::Fake::Topic";
/// No two of one label, which its schema does not say.
pub const LABEL: &str = "Test::Fake::Label";
/// May refuse to change its mode in place.
pub const FUSSY: &str = "Test::Fake::Fussy";
/// Cannot be updated.
pub const FIXED: &str = "Test::Fake::Fixed";
/// Cannot be read.
pub const BLIND: &str = "Test::Fake::Blind";

/// A type that the service identifies by `Id`, with one more string property and more of the schema.
fn service_named(type_name: &str, property: &str, handlers: &[&str], more: &str) -> String {
    let handlers: Vec<String> = handlers
        .iter()
        .map(|name| format!(r#""{name}": {{"permissions": []}}"#))
        .collect();
    format!(
        r#"{{"typeName": "{type_name}", "description": "service-named", "additionalProperties": false,
          "properties": {{"Id": {{"type": "string"}}, "{property}": {{"type": "string"}}, "Kind": {{"type": "string"}},
            "Value": {{"type": "string"}}, "Ref": {{"type": "string"}}, "Arn": {{"type": "string"}}}},
          "primaryIdentifier": ["/properties/Id"], "readOnlyProperties": ["/properties/Id", "/properties/Arn"],
          "handlers": {{{}}}, {more}}}"#,
        handlers.join(", ")
    )
}

const ALL: [&str; 4] = ["create", "read", "update", "delete"];

/// Named by its author, and may refuse to change its mode in place.
const FUSSY_THING_SCHEMA: &str = r##"{
  "typeName": "Test::Fake::FussyThing", "description": "named", "additionalProperties": false,
  "properties": {"Name": {"type": "string"}, "Mode": {"type": "string"}, "Arn": {"type": "string"}},
  "primaryIdentifier": ["/properties/Name"], "createOnlyProperties": ["/properties/Name"],
  "conditionalCreateOnlyProperties": ["/properties/Mode"], "readOnlyProperties": ["/properties/Arn"],
  "handlers": {"create": {"permissions": []}, "read": {"permissions": []}, "update": {"permissions": []}, "delete": {"permissions": []}}
}"##;

/// Every type's schema.
pub fn schemas() -> Vec<String> {
    let kind = r#""createOnlyProperties": ["/properties/Kind"]"#;
    vec![
        THING_SCHEMA.to_owned(),
        AUTO_SCHEMA.to_owned(),
        FUSSY_THING_SCHEMA.to_owned(),
        service_named(
            SOLO,
            "Name",
            &ALL,
            &format!(r#"{kind}, "replacementStrategy": "delete_then_create""#),
        ),
        service_named(
            TOPIC,
            "TopicName",
            &ALL,
            r#""createOnlyProperties": ["/properties/Kind", "/properties/TopicName"]"#,
        ),
        service_named(LABEL, "Label", &ALL, kind),
        service_named(
            FUSSY,
            "Mode",
            &ALL,
            &format!(r#"{kind}, "conditionalCreateOnlyProperties": ["/properties/Mode"]"#),
        ),
        service_named(FIXED, "Name", &["create", "read", "delete"], kind),
        service_named(BLIND, "Name", &["create", "update", "delete"], kind),
    ]
}

pub struct World {
    pub clock: VirtualClock,
    pub fuse: Arc<Fuse>,
    pub store: Arc<MemoryStore>,
    pub cloud: Arc<SimCloud>,
    pub recorder: Arc<Recorder>,
    pub timeout: SignedDuration,
}

impl World {
    pub fn new() -> Self {
        World::with_latency(Duration::from_secs(1))
    }

    pub fn with_latency(latency: Duration) -> Self {
        let clock = VirtualClock::starting_at("2026-01-01T00:00:00Z".parse().unwrap());
        let fuse = Arc::new(Fuse::default());
        let cloud = SimCloud::with_fuse(clock.clone(), fuse.clone());
        for author_named in [THING, "Test::Fake::FussyThing"] {
            cloud.define(
                author_named,
                Rules {
                    identifier: Some("Name".into()),
                    write_only: vec!["Secret".into()],
                    latency,
                    ..Rules::default()
                },
            );
        }
        for service_named in [AUTO, SOLO, TOPIC, LABEL, FUSSY, FIXED, BLIND] {
            cloud.define(
                service_named,
                Rules {
                    unique: match service_named {
                        TOPIC => Some("TopicName".into()),
                        LABEL => Some("Label".into()),
                        SOLO => Some("Name".into()),
                        _ => None,
                    },
                    latency,
                    ..Rules::default()
                },
            );
        }
        World {
            store: Arc::new(MemoryStore::with_fuse(fuse.clone())),
            cloud: Arc::new(cloud),
            recorder: Arc::default(),
            timeout: SignedDuration::from_secs(3_000),
            clock,
            fuse,
        }
    }

    /// A new process.
    pub fn engine(&self) -> Engine {
        self.engine_with(Limits {
            requests_per_second: 1_000,
            ..Limits::default()
        })
    }

    pub fn engine_with(&self, limits: Limits) -> Engine {
        let adapters = Adapters {
            cloud: self.cloud.clone(),
            store: self.store.clone(),
            schemas: Arc::new(MemorySchemas::parse(schemas().iter().map(String::as_str)).unwrap()),
            clock: Arc::new(self.clock.clone()),
            observer: self.recorder.clone(),
        };
        Engine::new(adapters, limits)
    }

    pub fn order(&self, cause: &str, goal: Goal) -> Order {
        let deadline = self.clock.now().checked_add(self.timeout).unwrap();
        Order {
            cause: cause.into(),
            issued: None,
            deadline,
            salt: "5a17".into(),
            goal,
        }
    }

    pub fn soon(&self, seconds: i64) -> Timestamp {
        self.clock
            .now()
            .checked_add(SignedDuration::from_secs(seconds))
            .unwrap()
    }

    pub async fn carry_out(&self, cause: &str, goal: Goal) -> Outcome {
        let engine = self.engine();
        let generation = engine.begin(INSTANCE, self.order(cause, goal)).await.unwrap();
        self.finish(&engine, generation).await
    }

    pub async fn finish(&self, engine: &Engine, generation: Generation) -> Outcome {
        self.follow(engine, generation)
            .await
            .expect("nobody supersedes it")
    }

    /// Carries a generation on to its end; `None` if another took over.
    pub async fn follow(&self, engine: &Engine, generation: Generation) -> Option<Outcome> {
        for _ in 0..1_000 {
            match engine.advance(INSTANCE, generation, self.soon(30)).await.unwrap() {
                Advance::Again { after } => self.clock.sleep(after).await,
                Advance::Done(outcome) => return Some(outcome),
                Advance::Superseded => return None,
            }
        }
        panic!("never ends: {:?}", engine.load(INSTANCE).await.unwrap());
    }

    pub async fn deploy(&self, cause: &str, text: &str) -> Outcome {
        self.carry_out(cause, Goal::Deploy(target(text))).await
    }

    /// Deploys, and delivers the outcome.
    pub async fn deploy_and_settle(&self, cause: &str, text: &str) -> Outcome {
        let outcome = self.deploy(cause, text).await;
        self.settle().await;
        outcome
    }

    pub async fn settle(&self) {
        let engine = self.engine();
        let generation = engine.load(INSTANCE).await.unwrap().unwrap().generation;
        engine.settle(INSTANCE, generation).await.unwrap();
    }

    pub async fn destroy(&self, cause: &str) -> Outcome {
        self.carry_out(cause, Goal::Destroy { retain: false }).await
    }

    /// Names of everything in the cloud.
    pub fn ids(&self) -> Vec<String> {
        self.cloud.resources().into_iter().map(|(_, id, _)| id).collect()
    }
}

pub fn target(text: &str) -> Target {
    Target::new(Source::new("orders.yaml", text))
}

/// A blueprint of things: `name: properties` with `${}` references, and exports.
pub fn blueprint(resources: &[(&str, &str, &str)], exports: &[(&str, &str)]) -> String {
    let mut text = String::from(
        "version: 2023-04-20\nvariables:\n  password:\n    type: string\n    secret: true\n    default: unset\nresources:\n",
    );
    for (name, kind, spec) in resources {
        text += &format!("  {name}:\n    type: \"{kind}\"\n    spec: {spec}\n");
    }
    if !exports.is_empty() {
        text += "exports:\n";
    }
    for (name, field) in exports {
        text += &format!("  {name}:\n    type: string\n    field: {field}\n");
    }
    text
}

pub fn report(outcome: &Outcome) -> Vec<(&str, Action, Status)> {
    outcome
        .resources
        .iter()
        .map(|report| (report.name.as_str(), report.action, report.status))
        .collect()
}
