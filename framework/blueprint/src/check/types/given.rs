//! The values that an include gives to the variables of its child.

use super::Types;
use super::expressions::Known;
use crate::template::{Body, Fields};
use crate::{Child, Diagnostic, Kind, Type, Value, VariableType, bind, codes};

impl Types<'_> {
    /// Compares values with the variables that they are for, as far as both are known.
    pub(super) fn given(&mut self, name: &str, child: &Child) {
        let Some(interface) = &child.interface else {
            return;
        };
        for field in child.variables.fields().into_iter().flat_map(Fields::iter) {
            let variable = field.key.as_str();
            let Some(declared) = interface.variables.get(variable) else {
                continue;
            };
            let Some(known) = self.known(&field.value.body) else {
                continue;
            };
            let wanted = match &declared.kind {
                VariableType::Float => Type::NUMBER,
                kind => Type::from(kind),
            };
            let problem = match &known.value {
                Some(value) => {
                    let unfit = bind::acceptable(declared, value, self.blueprint.inline).err();
                    unfit.map(|unfit| (unfit.message, unfit.help))
                }
                None if !wanted.may_be(known.kind) => {
                    let message = format!("must be {}, found {}", declared.kind.noun(), known.kind);
                    Some((message, None))
                }
                None => None,
            };
            if let Some((problem, help)) = problem {
                let message = format!("the variable `{variable}` of the child blueprint `{name}` {problem}");
                let finding = Diagnostic::error(codes::CHILD_VARIABLE_VALUE, field.value.span(), message);
                self.findings.push(finding.help_if(help));
            }
        }
    }

    /// What is known of a scalar. Nothing else can be given: that is reported where it is read.
    fn known(&mut self, body: &Body) -> Option<Known> {
        let value: Value = match body {
            Body::Bool(bool) => Kind::Bool(*bool).into(),
            Body::Number(number) => Kind::Number(number.clone()).into(),
            Body::String(text) => Value::string(text.as_str()),
            Body::Text(_) => return Some(Type::STRING.into()),
            Body::Whole(expression) => return Some(self.expression(expression)),
            Body::Null | Body::List(_) | Body::Map(_) => return None,
        };
        Some(value.into())
    }
}
