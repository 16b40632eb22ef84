//! How long operations take: learned from those that have ended, roughly assumed before.
//!
//! What is learned has two uses: the resources with the longest way ahead go first ([`Paths`]), and an
//! operation is looked at closely when its end is near. What is assumed serves only the first: a wrong order
//! costs little, a late look costs all of the time it is late.

use crate::deployment::{Deployment, Resource};
use crate::model::Model;
use crate::outcome::Action;
use crate::ports::Operation;
use indexmap::IndexMap;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

/// How long the operations on a type have taken in this instance, each kind by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Durations {
    /// Creations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub create: Option<Spread>,
    /// Updates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update: Option<Spread>,
    /// Deletions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete: Option<Spread>,
}

/// The times between which operations have ended, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    /// The shortest of late.
    pub shortest: u64,
    /// The longest of late.
    pub longest: u64,
}

impl Durations {
    /// What is known of one kind of operation.
    pub fn of(&self, operation: Operation) -> Option<Spread> {
        match operation {
            Operation::Create => self.create,
            Operation::Update => self.update,
            Operation::Delete => self.delete,
        }
    }

    /// Takes in that an operation has taken this long.
    pub(crate) fn learn(&mut self, operation: Operation, took: SignedDuration) {
        let millis = u64::try_from(took.as_millis()).unwrap_or_default();
        let span = match operation {
            Operation::Create => &mut self.create,
            Operation::Update => &mut self.update,
            Operation::Delete => &mut self.delete,
        };
        *span = Some(match *span {
            None => Spread {
                shortest: millis,
                longest: millis,
            },
            Some(known) => known.with(millis),
        });
    }
}

impl Spread {
    /// Widens at once; what was exceptional is forgotten slowly.
    fn with(self, millis: u64) -> Spread {
        let shortest = self.shortest + millis.saturating_sub(self.shortest) / 8;
        let longest = self.longest - self.longest.saturating_sub(millis) / 8;
        Spread {
            shortest: shortest.min(millis),
            longest: longest.max(millis),
        }
    }

    fn middle(self) -> u64 {
        self.shortest.midpoint(self.longest)
    }
}

/// The longest way from each resource to the end of the deployment, in milliseconds: its own operation and
/// those that can only begin after it.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    ways: IndexMap<String, Way>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Way {
    whole: u64,
    own: u64,
}

impl Paths {
    /// Resources of the model go in the order of its references; what is to be deleted, in the reverse order of
    /// what was recorded.
    pub(crate) fn of(model: Option<&Model>, deployment: &Deployment) -> Paths {
        let mut ways: IndexMap<String, Way> = deployment
            .lanes()
            .map(|(lane, resource)| {
                let operation = match resource.work.action {
                    Action::Delete => Operation::Delete,
                    Action::Update | Action::Unchanged | Action::Retain => Operation::Update,
                    Action::Create | Action::Replace => Operation::Create,
                };
                let own = expected(deployment, resource, operation);
                (lane.to_owned(), Way { whole: own, own })
            })
            .collect();
        let mut steps = Vec::new();
        let mut follows = |earlier: &str, later: &str| {
            let ends = (ways.get_index_of(earlier), ways.get_index_of(later));
            if let (Some(earlier), Some(later)) = ends {
                steps.push((earlier, later));
            }
        };
        let is_deleted = |resource: &Resource| resource.work.action == Action::Delete;
        for (lane, resource) in deployment.lanes().filter(|(_, resource)| is_deleted(resource)) {
            for name in &resource.depends_on {
                if deployment.lane(name).is_some_and(is_deleted) {
                    follows(lane, name);
                }
            }
        }
        for (name, node) in model.into_iter().flat_map(|model| &model.nodes) {
            for dependency in &node.depends_on {
                follows(dependency, name);
            }
        }
        let own: Vec<u64> = ways.values().map(|way| way.own).collect();
        for (way, whole) in ways.values_mut().zip(longest_ways(&own, &steps)) {
            way.whole = whole;
        }
        Paths { ways }
    }

    /// The way from the beginning of a lane's operation; nothing for a lane that came later.
    pub(crate) fn from(&self, lane: &str) -> u64 {
        self.ways.get(lane).map_or(0, |way| way.whole)
    }

    /// The way from the end of a lane's operation.
    pub(crate) fn after(&self, lane: &str) -> u64 {
        self.ways
            .get(lane)
            .map_or(0, |way| way.whole.saturating_sub(way.own))
    }
}

/// The longest way from each node, of which the own lengths are given, through those that follow it: `steps`
/// are pairs of an earlier and a later one. A cycle, which only a damaged document could have, is left at the
/// nodes' own lengths.
fn longest_ways(own: &[u64], steps: &[(usize, usize)]) -> Vec<u64> {
    let mut ahead = vec![0_usize; own.len()];
    let mut before = vec![Vec::new(); own.len()];
    for (earlier, later) in steps {
        if let (Some(ahead), Some(before)) = (ahead.get_mut(*earlier), before.get_mut(*later)) {
            *ahead += 1;
            before.push(*earlier);
        }
    }
    let mut ways = own.to_vec();
    let ends = ahead.iter().enumerate().filter(|(_, count)| **count == 0);
    let mut ready: Vec<usize> = ends.map(|(node, _)| node).collect();
    while let Some(node) = ready.pop() {
        let way = ways.get(node).copied().unwrap_or_default();
        for earlier in before.get(node).into_iter().flatten() {
            if let (Some(known), Some(own)) = (ways.get_mut(*earlier), own.get(*earlier)) {
                *known = (*known).max(own.saturating_add(way));
            }
            if let Some(count) = ahead.get_mut(*earlier) {
                *count -= 1;
                if *count == 0 {
                    ready.push(*earlier);
                }
            }
        }
    }
    ways
}

fn expected(deployment: &Deployment, resource: &Resource, operation: Operation) -> u64 {
    deployment
        .durations
        .get(&resource.type_name)
        .and_then(|durations| durations.of(operation))
        .map_or_else(|| assumed(&resource.type_name, operation), Spread::middle)
}

/// What an operation takes if nothing else is known.
const USUAL_SECONDS: u64 = 5;

/// Types whose creation takes much longer than the others', in seconds: orders of magnitude, for deciding who
/// goes first until something better is known.
const SLOW: &[(&str, u64)] = &[
    ("AWS::ACMPCA::CertificateAuthority", 60),
    ("AWS::AmazonMQ::Broker", 900),
    ("AWS::AutoScaling::AutoScalingGroup", 60),
    ("AWS::Batch::ComputeEnvironment", 60),
    ("AWS::CertificateManager::Certificate", 120),
    ("AWS::CloudFront::Distribution", 240),
    ("AWS::DAX::Cluster", 480),
    ("AWS::DMS::ReplicationInstance", 480),
    ("AWS::DirectoryService::MicrosoftAD", 1_800),
    ("AWS::DocDB::DBCluster", 120),
    ("AWS::DocDB::DBInstance", 480),
    ("AWS::DynamoDB::GlobalTable", 30),
    ("AWS::DynamoDB::Table", 15),
    ("AWS::EC2::ClientVpnEndpoint", 60),
    ("AWS::EC2::EIP", 15),
    ("AWS::EC2::Instance", 45),
    ("AWS::EC2::InternetGateway", 15),
    ("AWS::EC2::NatGateway", 120),
    ("AWS::EC2::TransitGateway", 120),
    ("AWS::EC2::TransitGatewayAttachment", 90),
    ("AWS::EC2::VPCEndpoint", 75),
    ("AWS::EC2::VPNConnection", 240),
    ("AWS::ECS::Service", 120),
    ("AWS::EFS::MountTarget", 90),
    ("AWS::EKS::Addon", 60),
    ("AWS::EKS::Cluster", 600),
    ("AWS::EKS::FargateProfile", 120),
    ("AWS::EKS::Nodegroup", 180),
    ("AWS::EMR::Cluster", 480),
    ("AWS::ElastiCache::CacheCluster", 420),
    ("AWS::ElastiCache::ReplicationGroup", 600),
    ("AWS::ElastiCache::ServerlessCache", 120),
    ("AWS::ElasticBeanstalk::Environment", 240),
    ("AWS::ElasticLoadBalancingV2::LoadBalancer", 150),
    ("AWS::FSx::FileSystem", 1_200),
    ("AWS::GlobalAccelerator::Accelerator", 60),
    ("AWS::IAM::InstanceProfile", 120),
    ("AWS::IAM::Role", 15),
    ("AWS::KinesisFirehose::DeliveryStream", 60),
    ("AWS::MSK::Cluster", 1_500),
    ("AWS::MSK::ServerlessCluster", 180),
    ("AWS::MemoryDB::Cluster", 600),
    ("AWS::Neptune::DBCluster", 120),
    ("AWS::Neptune::DBInstance", 480),
    ("AWS::OpenSearchServerless::Collection", 240),
    ("AWS::OpenSearchService::Domain", 1_200),
    ("AWS::RDS::DBCluster", 120),
    ("AWS::RDS::DBInstance", 420),
    ("AWS::RDS::DBProxy", 240),
    ("AWS::Redshift::Cluster", 240),
    ("AWS::RedshiftServerless::Workgroup", 120),
    ("AWS::Route53::HostedZone", 45),
    ("AWS::Route53::RecordSet", 45),
    ("AWS::S3::Bucket", 20),
    ("AWS::SageMaker::Domain", 240),
    ("AWS::SageMaker::Endpoint", 240),
    ("AWS::ServiceDiscovery::PrivateDnsNamespace", 60),
    ("AWS::Transfer::Server", 120),
];

fn assumed(type_name: &str, operation: Operation) -> u64 {
    let listed = SLOW
        .binary_search_by_key(&type_name, |(name, _)| name)
        .ok()
        .and_then(|index| SLOW.get(index))
        .map_or(USUAL_SECONDS, |(_, seconds)| *seconds);
    let seconds = match operation {
        Operation::Create => listed,
        // Most updates find nothing to do, or change something that needs no waiting for.
        Operation::Update => USUAL_SECONDS.min(listed),
        Operation::Delete => listed / 2 + 1,
    };
    seconds * 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_way_goes_through_the_slowest_followers() {
        let [vpc, subnet, database, role] = [0, 1, 2, 3];
        let steps = [(vpc, subnet), (vpc, role), (subnet, database)];
        assert_eq!(longest_ways(&[10, 5, 400, 15], &steps), [415, 405, 400, 15]);
    }

    #[test]
    fn a_circle_ends() {
        assert_eq!(longest_ways(&[1, 2], &[(0, 1), (1, 0)]), [1, 2]);
    }

    #[test]
    fn a_span_widens_at_once_and_narrows_slowly() {
        let mut durations = Durations::default();
        for seconds in [10, 20, 5] {
            durations.learn(Operation::Create, SignedDuration::from_secs(seconds));
        }
        let span = durations.of(Operation::Create).unwrap();
        assert_eq!((span.shortest, span.longest), (5_000, 18_125));
        assert_eq!(durations.of(Operation::Delete), None);
    }

    #[test]
    fn the_table_can_be_searched() {
        assert!(SLOW.is_sorted_by_key(|(name, _)| name));
        assert_eq!(assumed("AWS::EKS::Cluster", Operation::Create), 600_000);
        assert_eq!(assumed("AWS::SNS::Topic", Operation::Create), 5_000);
    }
}
