//! `Custom::Blueprint`: a blueprint's resources as one CloudFormation resource.

mod attributes;
mod identity;
mod preview;
mod properties;
mod resource;

pub use attributes::{Attributes, attributes};
pub use identity::{instance, is_ours, physical_resource_id};
pub use preview::Preview;
pub use properties::{DeletionPolicy, Document, Properties, PropertiesError};
pub use resource::BlueprintResource;
