//! A plan as scripts read it (docs/plan.md).

use formwork_engine::{Change, Plan, PropertyChange, Sequence, Shown};
use serde_json::{Value, json};

/// The plan of an instance.
pub fn json(instance: &str, plan: &Plan) -> Value {
    let summary = plan.summary();
    json!({
        "instance": instance,
        "summary": {
            "create": summary.create,
            "update": summary.update,
            "replace": summary.replace,
            "delete": summary.delete,
            "retain": summary.retain,
            "unchanged": summary.unchanged,
            "uncertain": summary.uncertain,
        },
        "resources": plan.changes.iter().map(change).collect::<Vec<_>>(),
    })
}

fn change(change: &Change) -> Value {
    let sequence = change.sequence.map(|sequence| match sequence {
        Sequence::CreateFirst => "create-first",
        Sequence::DeleteFirst => "delete-first",
    });
    json!({
        "name": change.name,
        "type": change.type_name,
        "identifier": change.identifier,
        "action": change.action.to_string(),
        "certain": change.certain,
        "sequence": sequence,
        "replacesIfRefused": change.replaces_if_refused,
        "reasons": change.reasons.iter().map(|reason| json!({
            "pointer": reason.pointer,
            "message": reason.message,
        })).collect::<Vec<_>>(),
        "properties": change.properties.iter().map(property).collect::<Vec<_>>(),
        "after": change.after,
        "notes": change.notes.iter().map(|note| json!({
            "code": note.code(),
            "message": note.to_string(),
        })).collect::<Vec<_>>(),
        "problem": change.problem,
    })
}

fn property(property: &PropertyChange) -> Value {
    json!({
        "pointer": property.pointer,
        "before": property.before.as_ref().map(Shown::to_json),
        "after": property.after.as_ref().map(Shown::to_json),
        "replaces": property.replaces,
        "drifted": property.drifted,
    })
}
