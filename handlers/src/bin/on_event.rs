//! The function CloudFormation invokes: takes a custom resource request and begins to carry it out.

use formwork_handlers::lambda::{Function, run};

fn main() -> Result<(), lambda_runtime::Error> {
    run(Function::OnEvent)
}
