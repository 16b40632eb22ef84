//! How a sandbox behaves.

use crate::fault::Fault;
use std::path::PathBuf;
use std::time::Duration;

/// How a sandbox behaves. The default is empty, quick, on any free port, and forgets everything.
#[derive(Debug, Clone)]
pub struct Options {
    /// Keeps everything in this folder, so that a later sandbox goes on where this one stopped.
    pub dir: Option<PathBuf>,
    /// The port on 127.0.0.1; 0 for any that is free.
    pub port: u16,
    /// How long operations take.
    pub latency: Latency,
    /// What goes wrong from the start.
    pub faults: Vec<Fault>,
    /// Reads that look like those of the less tidy services: names in the service's case and ARNs cut to ids
    /// (`propertyTransform`), defaults filled in, arrays whose order has no meaning shuffled, an `aws:` tag,
    /// empty arrays for what is not there, and the artefacts that some services show and then refuse to take
    /// back (WAF, CloudFront, Glue, OpenSearch, S3, Kinesis Video). And a missing log group is answered with
    /// `InvalidRequestException`.
    pub hostile_reads: bool,
    /// Answers a repeated, identical request with the ProgressEvent of the first one, as the documentation
    /// promises, instead of the ClientTokenConflictException that was recorded.
    pub token_replay: bool,
    /// Calls of Cloud Control per second, all together; the rest are throttled.
    pub calls_per_second: Option<u32>,
    /// Operations that run at the same time; the rest are PENDING.
    pub concurrent_operations: Option<usize>,
    /// Asks pollers to come back after this long.
    pub retry_after: Option<Duration>,
    /// Multiplies the waits of state machines; 0 makes them return at once.
    pub time_scale: f64,
    /// Seeds generated identifiers; random without.
    pub seed: Option<u64>,
    /// The account whose cloud this is.
    pub account: String,
    /// The region whose cloud this is.
    pub region: String,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            dir: None,
            port: 0,
            latency: Latency::default(),
            faults: Vec::new(),
            hostile_reads: false,
            token_replay: false,
            calls_per_second: None,
            concurrent_operations: None,
            retry_after: None,
            time_scale: 1.0,
            seed: None,
            account: "123456789012".into(),
            region: "eu-west-1".into(),
        }
    }
}

/// How long a create, update or delete takes. The default is no time at all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Latency(Kind);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Fixed(Duration),
    Realistic(f64),
}

impl Latency {
    /// The same for every operation.
    pub fn fixed(duration: Duration) -> Self {
        Latency(Kind::Fixed(duration))
    }

    /// What each type roughly takes in an account (0.4 to 120 seconds), multiplied by `scale`.
    pub fn realistic(scale: f64) -> Self {
        Latency(Kind::Realistic(scale))
    }

    /// The time one operation on a type takes.
    pub fn of(&self, type_name: &str) -> Duration {
        match self.0 {
            Kind::Fixed(duration) => duration,
            Kind::Realistic(scale) => {
                Duration::try_from_secs_f64(typical_seconds(type_name) * scale).unwrap_or(Duration::ZERO)
            }
        }
    }
}

impl Default for Latency {
    fn default() -> Self {
        Latency::fixed(Duration::ZERO)
    }
}

/// Rough durations; what is not listed takes between 0.4 and 1.5 seconds, always the same for a type.
fn typical_seconds(type_name: &str) -> f64 {
    const SLOW: [(&str, f64); 16] = [
        ("AWS::CloudFront::Distribution", 120.0),
        ("AWS::RDS::DBInstance", 120.0),
        ("AWS::RDS::DBCluster", 90.0),
        ("AWS::EKS::Cluster", 120.0),
        ("AWS::ElastiCache::ReplicationGroup", 120.0),
        ("AWS::OpenSearchService::Domain", 120.0),
        ("AWS::EC2::NatGateway", 90.0),
        ("AWS::ElasticLoadBalancingV2::LoadBalancer", 60.0),
        ("AWS::ECS::Service", 60.0),
        ("AWS::KMS::Key", 20.0),
        ("AWS::IAM::Role", 15.0),
        ("AWS::DynamoDB::Table", 11.0),
        ("AWS::S3::Bucket", 20.0),
        ("AWS::Lambda::Function", 6.0),
        ("AWS::EC2::VPC", 11.0),
        ("AWS::SQS::Queue", 5.5),
    ];
    SLOW.iter().find(|(name, _)| *name == type_name).map_or_else(
        || {
            let sum = type_name
                .bytes()
                .fold(0u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
            0.4 + f64::from(sum % 1_100) / 1_000.0
        },
        |(_, seconds)| *seconds,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn realistic_times_stay_in_their_range_and_scale() {
        for name in ["AWS::RDS::DBInstance", "AWS::Logs::LogGroup", "AWS::X::Y", ""] {
            let seconds = Latency::realistic(1.0).of(name).as_secs_f64();
            assert!((0.4..=120.0).contains(&seconds), "{name}: {seconds}");
        }
        assert_eq!(
            Latency::realistic(0.01).of("AWS::RDS::DBInstance"),
            Duration::from_millis(1200)
        );
        assert_eq!(Latency::default().of("AWS::RDS::DBInstance"), Duration::ZERO);
    }
}
