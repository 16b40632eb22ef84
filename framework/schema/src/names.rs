//! Type names: `aws/lambda/function` is `AWS::Lambda::Function`.

use crate::bundle::{BundledType, bundled_types, contains, count};
use std::collections::HashMap;
use std::sync::OnceLock;

/// A type name that matches none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown resource type `{name}`")]
pub struct UnknownType {
    /// As written.
    pub name: String,
    /// Near names in the author's notation, best first; several exact ones when a short form is ambiguous.
    pub suggestions: Vec<String>,
}

/// What people call a service, and what CloudFormation calls it. Where CloudFormation has two services
/// behind one name, the first that has the resource is meant.
const ALIASES: &[(&str, &[&str])] = &[
    ("eventbridge", &["Events", "Scheduler", "Pipes", "EventSchemas"]),
    ("cloudwatchevents", &["Events"]),
    ("eventbus", &["Events"]),
    ("eventbridgescheduler", &["Scheduler"]),
    ("eventbridgepipes", &["Pipes"]),
    ("sfn", &["StepFunctions"]),
    ("states", &["StepFunctions"]),
    ("cloudwatchlogs", &["Logs"]),
    ("log", &["Logs"]),
    (
        "cloudwatch",
        &["CloudWatch", "Logs", "Events", "Synthetics", "RUM"],
    ),
    ("apigw", &["ApiGateway", "ApiGatewayV2"]),
    ("apigateway", &["ApiGateway", "ApiGatewayV2"]),
    ("httpapi", &["ApiGatewayV2"]),
    ("alb", &["ElasticLoadBalancingV2"]),
    ("nlb", &["ElasticLoadBalancingV2"]),
    ("elb", &["ElasticLoadBalancingV2", "ElasticLoadBalancing"]),
    ("elbv2", &["ElasticLoadBalancingV2"]),
    (
        "elasticloadbalancing",
        &["ElasticLoadBalancingV2", "ElasticLoadBalancing"],
    ),
    ("kafka", &["MSK"]),
    ("elasticsearch", &["OpenSearchService", "Elasticsearch"]),
    ("opensearch", &["OpenSearchService"]),
    ("es", &["OpenSearchService", "Elasticsearch"]),
    ("ddb", &["DynamoDB"]),
    ("dynamo", &["DynamoDB"]),
    ("secrets", &["SecretsManager"]),
    ("secret", &["SecretsManager"]),
    ("parameterstore", &["SSM"]),
    ("systemsmanager", &["SSM"]),
    ("acm", &["CertificateManager"]),
    ("privateca", &["ACMPCA"]),
    ("waf", &["WAFv2", "WAF"]),
    ("emrserverless", &["EMRServerless"]),
    ("elasticmapreduce", &["EMR"]),
    ("firehose", &["KinesisFirehose"]),
    ("datafirehose", &["KinesisFirehose"]),
    ("kinesisdatafirehose", &["KinesisFirehose"]),
    ("quick", &["QuickSight"]),
    ("docdb", &["DocDB"]),
    ("documentdb", &["DocDB"]),
    ("redis", &["ElastiCache", "MemoryDB"]),
    ("aurora", &["RDS"]),
    ("vpc", &["EC2"]),
    ("autoscalinggroup", &["AutoScaling"]),
    ("appautoscaling", &["ApplicationAutoScaling"]),
    ("email", &["SES"]),
    ("cdn", &["CloudFront"]),
    ("r53", &["Route53"]),
    ("containerregistry", &["ECR"]),
    ("fargate", &["ECS"]),
    ("kubernetes", &["EKS"]),
    ("efs", &["EFS"]),
    ("elasticfilesystem", &["EFS"]),
    ("identitystore", &["IdentityStore"]),
    ("iotcore", &["IoT"]),
    ("xray", &["XRay"]),
    ("servicecatalogappregistry", &["ServiceCatalogAppRegistry"]),
    ("cloudmap", &["ServiceDiscovery"]),
    ("mq", &["AmazonMQ"]),
    ("activemq", &["AmazonMQ"]),
    ("msk", &["MSK"]),
    ("prometheus", &["APS"]),
];

/// The CloudFormation type name for a name as people write it: `aws/sqs/queue`, `aws/vpc` (short forms
/// where unique, EC2 first), `AWS::SQS::Queue`, aliases (`aws/eventbridge/rule`). A literal
/// `Org::Service::Resource` that is not bundled is returned as it is: it may be a private or third-party
/// type.
///
/// # Errors
/// With suggestions when nothing matches.
pub fn resolve_type(name: &str) -> Result<String, UnknownType> {
    if contains(name) {
        return Ok(name.to_owned());
    }
    let literal: Vec<&str> = name.split("::").collect();
    let is_literal = literal.len() > 1;
    let parts: Vec<&str> = if is_literal {
        literal
    } else {
        name.split('/').collect()
    };
    let found = match parts.as_slice() {
        [organization, service, resource] => {
            let found = Index::get().full(organization, service, resource);
            found.map(|name| vec![name])
        }
        [organization, resource] if !is_literal => Index::short(organization, resource),
        _ => None,
    };
    match found.as_deref() {
        Some([one]) => Ok((*one).to_owned()),
        Some(several) => Err(UnknownType {
            name: name.to_owned(),
            suggestions: several
                .iter()
                .take(8)
                .map(|name| notation(name, is_literal))
                .collect(),
        }),
        None if is_literal && is_foreign(&parts) => Ok(name.to_owned()),
        None => Err(UnknownType {
            name: name.to_owned(),
            suggestions: suggest(&parts, is_literal),
        }),
    }
}

/// The bundled names by their plain spelling: `aws/sqs/queue`.
struct Index(HashMap<String, &'static str>);

impl Index {
    fn get() -> &'static Self {
        static INDEX: OnceLock<Index> = OnceLock::new();
        INDEX.get_or_init(|| {
            let mut index = HashMap::with_capacity(count());
            index.extend(Index::parts().map(|(parts, name)| (key(parts), name)));
            Index(index)
        })
    }

    /// The parts of every name, as CloudFormation spells them.
    fn parts() -> impl Iterator<Item = ([&'static str; 3], &'static str)> {
        bundled_types().filter_map(|BundledType { name }| {
            let (organization, rest) = name.split_once("::")?;
            let (service, resource) = rest.split_once("::")?;
            Some(([organization, service, resource], name))
        })
    }

    fn full(&self, organization: &str, service: &str, resource: &str) -> Option<&'static str> {
        let known = plain(service);
        let others = ALIASES
            .iter()
            .filter(|(alias, _)| *alias == known)
            .flat_map(|(_, services)| *services);
        let mut services = std::iter::once(service).chain(others.copied());
        services.find_map(|service| self.0.get(&key([organization, service, resource])).copied())
    }

    fn short(organization: &str, resource: &str) -> Option<Vec<&'static str>> {
        let wanted = (plain(organization), plain(resource));
        let found: Vec<_> = Index::parts()
            .filter(|([organization, _, resource], _)| (plain(organization), plain(resource)) == wanted)
            .map(|(_, name)| name)
            .collect();
        let ec2: Vec<_> = found
            .iter()
            .filter(|name| name.starts_with("AWS::EC2::"))
            .copied()
            .collect();
        match ec2.len() {
            1 => Some(ec2),
            _ => (!found.is_empty()).then_some(found),
        }
    }
}

/// Three proper parts of an organization other than AWS, or of AWS but for a service we have never seen.
fn is_foreign(parts: &[&str]) -> bool {
    let proper =
        |part: &&str| (2..=64).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let known_service = || {
        let given: Vec<String> = parts.iter().take(2).map(|part| plain(part)).collect();
        Index::parts().any(|([organization, service, _], _)| given == [plain(organization), plain(service)])
    };
    // `Org::Service::Resource`, and `Org::Service::Resource::MODULE` of modules.
    matches!(parts.len(), 3 | 4) && parts.iter().all(proper) && !known_service()
}

fn suggest(parts: &[&str], is_literal: bool) -> Vec<String> {
    let (organization, service, resource) = match parts {
        [organization, service, resource, ..] => (plain(organization), Some(plain(service)), plain(resource)),
        [organization, resource] => (plain(organization), None, plain(resource)),
        _ => return Vec::new(),
    };
    let aliased = ALIASES
        .iter()
        .filter(|(alias, _)| Some(*alias) == service.as_deref());
    let services: Vec<String> = aliased
        .flat_map(|(_, services)| *services)
        .map(|service| plain(service))
        .chain(service.clone())
        .collect();
    let mut scored: Vec<(f64, &str)> = Index::parts()
        .map(|(known, name)| {
            let [known_organization, known_service, known_resource] = known.map(plain);
            let of_service = services
                .iter()
                .map(|service| strsim::normalized_damerau_levenshtein(service, &known_service));
            let of_resource = strsim::normalized_damerau_levenshtein(&resource, &known_resource);
            let score = match of_service.reduce(f64::max) {
                Some(of_service) => (of_service + of_resource) / 2.0,
                None => of_resource,
            };
            let stranger = f64::from(u8::from(known_organization != organization));
            (score - 0.2 * stranger, name)
        })
        .filter(|(score, _)| *score >= 0.7)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored
        .into_iter()
        .take(3)
        .map(|(_, name)| notation(name, is_literal))
        .collect()
}

/// The name as the author writes names.
fn notation(name: &str, is_literal: bool) -> String {
    if is_literal {
        name.to_owned()
    } else {
        name.to_lowercase().replace("::", "/")
    }
}

fn key(parts: [&str; 3]) -> String {
    let mut key = String::with_capacity(64);
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            key.push('/');
        }
        push_plain(&mut key, part);
    }
    key
}

fn plain(part: &str) -> String {
    let mut plain = String::with_capacity(part.len());
    push_plain(&mut plain, part);
    plain
}

fn push_plain(text: &mut String, part: &str) {
    let start = text.len();
    if part.is_ascii() && !part.contains(['-', '_']) {
        text.push_str(part);
        if let Some(added) = text.get_mut(start..) {
            added.make_ascii_lowercase();
        }
        return;
    }
    let counts = part.chars().filter(|character| !matches!(character, '-' | '_'));
    text.extend(counts.flat_map(char::to_lowercase));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_resolved_as_people_write_them() {
        for (name, expected) in [
            ("aws/lambda/function", "AWS::Lambda::Function"),
            ("aws/dynamodb/table", "AWS::DynamoDB::Table"),
            ("aws/dynamo-db/global_table", "AWS::DynamoDB::GlobalTable"),
            ("AWS/SQS/Queue", "AWS::SQS::Queue"),
            ("AWS::SQS::Queue", "AWS::SQS::Queue"),
            ("aws::sqs::queue", "AWS::SQS::Queue"),
            ("aws/vpc", "AWS::EC2::VPC"),
            ("aws/security-group", "AWS::EC2::SecurityGroup"),
            ("aws/log-group", "AWS::Logs::LogGroup"),
            ("aws/eventbridge/rule", "AWS::Events::Rule"),
            ("aws/event-bridge/schedule", "AWS::Scheduler::Schedule"),
            (
                "aws/stepfunctions/state-machine",
                "AWS::StepFunctions::StateMachine",
            ),
            ("aws/sfn/statemachine", "AWS::StepFunctions::StateMachine"),
            ("aws/cloudwatch-logs/log-group", "AWS::Logs::LogGroup"),
            ("aws/cloudwatch/alarm", "AWS::CloudWatch::Alarm"),
            ("aws/api-gateway/rest-api", "AWS::ApiGateway::RestApi"),
            ("aws/api-gateway/api", "AWS::ApiGatewayV2::Api"),
            ("aws/alb/listener", "AWS::ElasticLoadBalancingV2::Listener"),
            (
                "aws/elb/load-balancer",
                "AWS::ElasticLoadBalancingV2::LoadBalancer",
            ),
            ("aws/kafka/cluster", "AWS::MSK::Cluster"),
            ("aws/elasticsearch/domain", "AWS::Elasticsearch::Domain"),
            ("aws/opensearch/domain", "AWS::OpenSearchService::Domain"),
            ("aws/secrets-manager/secret", "AWS::SecretsManager::Secret"),
            (
                "aws/firehose/delivery-stream",
                "AWS::KinesisFirehose::DeliveryStream",
            ),
            ("aws/acm/certificate", "AWS::CertificateManager::Certificate"),
            ("alexa/ask/skill", "Alexa::ASK::Skill"),
            ("Third::Party::Thing", "Third::Party::Thing"),
            ("AWS::Brandnew::Thing", "AWS::Brandnew::Thing"),
        ] {
            assert_eq!(resolve_type(name).as_deref(), Ok(expected), "{name}");
        }
    }

    #[test]
    fn unknown_names_come_with_suggestions_in_the_authors_notation() {
        for (name, first) in [
            ("aws/lambda/fnction", Some("aws/lambda/function")),
            ("aws/lamda/function", Some("aws/lambda/function")),
            ("AWS::Lambda::Fuction", Some("AWS::Lambda::Function")),
            ("aws/sqs/queu", Some("aws/sqs/queue")),
            ("aws/eventbridge/ruel", Some("aws/events/rule")),
            ("aws/vpcc", Some("aws/ec2/vpc")),
            ("nonsense", None),
            ("aws", None),
            ("", None),
            ("aws/zzzzzz/qqqqqq", None),
            ("a::b", None),
        ] {
            let error = resolve_type(name).unwrap_err();
            assert_eq!(error.name, name);
            assert_eq!(
                error.suggestions.first().map(String::as_str),
                first,
                "{name}: {:?}",
                error.suggestions
            );
        }
    }

    #[test]
    fn an_ambiguous_short_form_names_the_candidates() {
        let error = resolve_type("aws/cluster").unwrap_err();
        assert!(error.suggestions.len() > 1);
        assert!(
            error.suggestions.iter().all(|name| name.ends_with("/cluster")),
            "{:?}",
            error.suggestions
        );
        assert_eq!(error.to_string(), "unknown resource type `aws/cluster`");
    }

    #[test]
    fn every_bundled_name_resolves_to_itself() {
        for name in bundled_types().map(|bundled| bundled.name) {
            assert_eq!(resolve_type(name).as_deref(), Ok(name));
            assert_eq!(resolve_type(&notation(name, false)).as_deref(), Ok(name));
        }
    }

    #[test]
    fn every_alias_leads_to_services_that_exist() {
        for (alias, services) in ALIASES {
            assert_eq!(*alias, plain(alias));
            for service in *services {
                let start = format!("AWS::{service}::");
                assert!(
                    bundled_types().any(|bundled| bundled.name.starts_with(&start)),
                    "{alias} {service}"
                );
            }
        }
    }
}
