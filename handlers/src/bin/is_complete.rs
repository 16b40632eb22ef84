//! The function the waiter invokes: carries a begun request on until it can be answered.

use formwork_handlers::lambda::{Function, run};

fn main() -> Result<(), lambda_runtime::Error> {
    run(Function::IsComplete)
}
