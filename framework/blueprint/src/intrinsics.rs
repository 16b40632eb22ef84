//! CloudFormation's intrinsic functions, and what a blueprint has instead of each.

/// What to write instead of an intrinsic function, by its name without `Fn::` or `!`; `None` if it is none.
pub(crate) fn instead(name: &str) -> Option<&'static str> {
    Some(match name {
        "Ref" => "write `${resources.name}` or `${variables.name}`",
        "GetAtt" => "write `${resources.name.state.field}`",
        "Sub" | "Join" => "any string may hold substitutions: write `${variables.name}-queue`",
        "Select" => "pick an item with an index: `${resources.name.state.list[0]}`",
        "If" | "And" | "Or" | "Not" | "Equals" | "Condition" => {
            "version 2023-04-20 has no conditions: put what is not always wanted into a blueprint of its own"
        }
        "ImportValue" => "give the value in a variable",
        "FindInMap" | "Transform" => "a blueprint has no mappings and macros: give the value in a variable",
        "Split" | "Base64" | "Cidr" | "GetAZs" | "Length" | "ToJsonString" | "ForEach" => {
            "there is no such function: compute the value outside, and give it in a variable"
        }
        _ => return None,
    })
}

/// What to write instead of a pseudo parameter such as `AWS::Region`.
pub(crate) const PSEUDO_PARAMETER: &str =
    "declare a variable, and give it the value where the blueprint is deployed";
