//! A worker for tests: `juror worker --stdio` without options, with as many slots as the argument says.

use std::io;

use juror_core::isolation::RequiredIsolation;
use juror_core::language::toolchain::Toolchains;
use juror_remote::message::WorkerFacts;
use juror_remote::serve::serve;
use juror_remote::suite::facts;
use juror_sandbox::executor::local::LocalExecutor;
use juror_sandbox::sandbox::Machine;

fn main() {
    let slots = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let local = LocalExecutor::start(slots, RequiredIsolation::Any).expect("it runs programs");
    let isolation = local.host().isolation();
    let facts = WorkerFacts { isolation, ..facts("here", &local) };
    let tools = Toolchains::new(Box::new(Machine));
    let output = io::stdout();
    serve(facts, &local, &tools, &|_| None, io::stdin(), output, &|| ()).expect("juror sends jobs");
}
