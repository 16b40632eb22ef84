//! What references mean while an input is evaluated.

use formwork_blueprint::{Reference, Root, Scope, Value};
use indexmap::IndexMap;

/// Variables are known, everything else only after deploying.
pub(crate) struct BeforeDeploy {
    pub(crate) variables: IndexMap<String, Value>,
}

impl Scope for BeforeDeploy {
    fn resolve(&self, reference: &Reference) -> Result<Value, String> {
        match &reference.root {
            Root::Variable(name) => match self.variables.get(name) {
                Some(value) => value.at(&reference.path),
                None => Err("it has no value".to_owned()),
            },
            _ => Ok(Value::unknown()),
        }
    }
}

/// Every reference stands for a text that tells it from all others.
pub(crate) struct Echo;

impl Scope for Echo {
    fn resolve(&self, reference: &Reference) -> Result<Value, String> {
        Ok(Value::string(format!("<{reference}>")))
    }
}
