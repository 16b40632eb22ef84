//! awsQuery: CloudFormation's type registry.

use super::xml::Xml;
use super::{Exchange, Exchanged, exchange, log, lost, respond, unheard};
use crate::cloud::error::ApiError;
use crate::cloud::registry::Registry;
use crate::fault::{Call, Target};
use crate::world::World;
use axum::body::Body;
use axum::http::{Response, StatusCode};
use std::collections::BTreeMap;

const NAMESPACE: &str = "http://cloudformation.amazonaws.com/doc/2010-05-15/";
/// How many types ListTypes answers with at a time.
const PAGE: usize = 100;

pub(super) fn handle(world: &World, request: &Exchanged) -> Response<Body> {
    let form: BTreeMap<String, String> = url::form_urlencoded::parse(&request.body).into_owned().collect();
    let field = |name: &str| form.get(name).map_or("", String::as_str);
    let id = world.state().cloud.uuid();
    let call = match field("Action") {
        "DescribeType" => Call::DescribeType,
        "ListTypes" => Call::ListTypes,
        other => {
            let text = format!(
                "Could not find operation {other} for version {}",
                field("Version")
            );
            return refuse(&ApiError::new("InvalidAction", text), &id);
        }
    };
    // An ARN ends in the name with dashes.
    let from_arn = || {
        field("Arn")
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .replace('-', "::")
    };
    let type_name = if field("TypeName").is_empty() {
        from_arn()
    } else {
        field("TypeName").to_owned()
    };
    let exchange = exchange(
        world,
        Target {
            call,
            type_name: &type_name,
            text: &type_name,
        },
    );
    let response = match &exchange {
        Exchange::Broken(status) => respond(*status, &[], Body::empty()),
        Exchange::Refused(code, message) => refuse(&ApiError::new(code, message), &id),
        Exchange::AnswerLost(loss) => lost(*loss),
        Exchange::Unheard => unheard(),
        Exchange::Normal => {
            let result = match call {
                Call::DescribeType => describe(world, &type_name, &id),
                _ => Ok(list(
                    world,
                    field("Visibility") == "PRIVATE",
                    field("NextToken"),
                    field("Filters.TypeNamePrefix"),
                    &id,
                )),
            };
            match result {
                Ok(body) => respond(
                    StatusCode::OK,
                    &[("content-type", "text/xml"), ("x-amzn-requestid", &id)],
                    body,
                ),
                Err(error) => refuse(&error, &id),
            }
        }
    };
    log(world, call, &type_name, &response);
    response
}

fn describe(world: &World, type_name: &str, id: &str) -> Result<Vec<u8>, ApiError> {
    let mut state = world.state();
    let schema = state.cloud.registry.find(type_name).map_err(|_| {
        let text = format!("The type '{type_name}' cannot be found.");
        ApiError::new("TypeNotFoundException", text)
    })?;
    let registered = state.cloud.registry.registered().get(type_name).cloned();
    let arn = type_arn(world, type_name, registered.is_some());
    let mut xml = Xml::new();
    xml.root("DescribeTypeResponse", NAMESPACE, |xml| {
        xml.within("DescribeTypeResult", |xml| {
            xml.text("Arn", &arn)
                .text("Type", "RESOURCE")
                .text("TypeName", type_name)
                .text("DefaultVersionId", "00000001")
                .text("IsDefaultVersion", "true")
                .text(
                    "Visibility",
                    if registered.is_some() { "PRIVATE" } else { "PUBLIC" },
                )
                .text("ProvisioningType", Registry::provisioning(&schema))
                .text("DeprecatedStatus", "LIVE")
                .text(
                    "Schema",
                    &registered.unwrap_or_else(|| schema.document().to_string()),
                );
        });
        metadata(xml, id);
    });
    Ok(xml.finish())
}

fn list(world: &World, private: bool, after: &str, prefix: &str, id: &str) -> Vec<u8> {
    let names = world.state().cloud.registry.names(private);
    let mut matching = names
        .iter()
        .filter(|name| name.starts_with(prefix) && name.as_str() > after);
    let page: Vec<&String> = matching.by_ref().take(PAGE).collect();
    let more = matching.next().is_some();
    let mut xml = Xml::new();
    xml.root("ListTypesResponse", NAMESPACE, |xml| {
        xml.within("ListTypesResult", |xml| {
            xml.within("TypeSummaries", |xml| {
                for name in &page {
                    xml.within("member", |xml| {
                        xml.text("Type", "RESOURCE")
                            .text("TypeName", name)
                            .text("TypeArn", &type_arn(world, name, private))
                            .text("DefaultVersionId", "00000001");
                    });
                }
            });
            if let (true, Some(last)) = (more, page.last()) {
                xml.text("NextToken", last);
            }
        });
        metadata(xml, id);
    });
    xml.finish()
}

fn type_arn(world: &World, type_name: &str, private: bool) -> String {
    let account = if private {
        world.options.account.as_str()
    } else {
        ""
    };
    let name = type_name.replace("::", "-");
    format!(
        "arn:aws:cloudformation:{}:{account}:type/resource/{name}",
        world.options.region
    )
}

fn metadata(xml: &mut Xml, id: &str) {
    xml.within("ResponseMetadata", |xml| {
        xml.text("RequestId", id);
    });
}

fn refuse(error: &ApiError, id: &str) -> Response<Body> {
    let mut xml = Xml::new();
    xml.root("ErrorResponse", NAMESPACE, |xml| {
        xml.within("Error", |xml| {
            xml.text("Type", "Sender")
                .text("Code", &error.code)
                .text("Message", &error.message);
        });
        xml.text("RequestId", id);
    });
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST);
    respond(
        status,
        &[("content-type", "text/xml"), ("x-amzn-requestid", id)],
        xml.finish(),
    )
}
