//! The search values of filters: each operator takes its own.

use super::Types;
use crate::template::Body;
use crate::{DataSource, Diagnostic, Operator, Type, codes};

impl Types<'_> {
    /// Compares a filter's search value with what its operator takes, as far as it is known.
    pub(super) fn search(&mut self, name: &str, data_source: &DataSource) {
        let filter = &data_source.filter;
        let (operator, _) = filter.operator.positive();
        let wanted = match operator {
            Operator::Equals => Type::SCALAR.or(Type::LIST),
            Operator::In => Type::LIST,
            Operator::Contains => Type::SCALAR,
            _ => Type::STRING,
        };
        let Some(found) = self.written(&filter.search.body) else {
            return;
        };
        let span = filter.search.span();
        if !wanted.may_be(found) {
            let message = format!(
                "the filter of `{name}` searches by `{}`, which takes {wanted}, found {found}",
                filter.operator
            );
            let help = if wanted == Type::LIST {
                Some("put it in a list: `[...]`")
            } else if found == Type::LIST {
                match operator {
                    Operator::Contains => Some("search one value; `in` compares a field with several"),
                    _ => Some("search one value"),
                }
            } else {
                // Quotes around a substitution change nothing.
                let written = !matches!(filter.search.body, Body::Whole(_));
                written.then_some("put it in quotes")
            };
            let finding = Diagnostic::error(codes::SEARCH_TYPE, span, message);
            self.findings.push(finding.help_if(help.map(str::to_owned)));
            return;
        }
        if let Body::List(items) = &filter.search.body {
            let mut first: Option<Type> = None;
            for item in items {
                let Some(kind) = self.written(&item.body) else {
                    continue;
                };
                match first {
                    Some(first) if !first.may_be(kind) => {
                        let message = format!(
                            "the filter of `{name}` searches a list of several types: {first}, then {kind}"
                        );
                        let finding = Diagnostic::error(codes::SEARCH_TYPE, item.span(), message);
                        self.findings.push(finding.help("make all of them of one type"));
                        return;
                    }
                    Some(first_kind) if first_kind.is_only(kind) => {}
                    _ => first = Some(kind),
                }
            }
        }
    }

    /// The type of a search value, if it can be one: what cannot is reported where it is read.
    fn written(&mut self, body: &Body) -> Option<Type> {
        match body {
            Body::List(_) => Some(Type::LIST),
            Body::Null | Body::Map(_) => None,
            Body::Text(_) => Some(Type::STRING),
            Body::Whole(expression) => Some(self.expression(expression).kind),
            scalar => Some(self.literal(scalar).kind),
        }
    }
}
