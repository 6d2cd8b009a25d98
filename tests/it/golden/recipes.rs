//! Recorded runs of `generate`: recipes with every kind of fault, and data that differs from its recipe.

use std::sync::LazyLock;

use juror_core::event::StampedEvent;
use juror_core::exit_code::ExitCode;

use super::record::{interrupted_events as cut, record};
use crate::fixture::Fixture;
use crate::recipes::{SOLUTION, recipe_fixture};

const FAULTY: &str = "\
solution: submissions/accepted/right.py
solutoin: /submissions/accepted/right.py
gitignore_generated: true
generators:
  tree: [tree.py, tree.h]
data:
  sample:
    include: [secret]
    data:
      '1': {in: 1 2, ans: '3', match: '('}
      '1-a': gne.py 5
  secret:
    include: [sample]
    data:
    - a: {generate: 'gen.py {seed} {seed}'}
    - b: {generate: 'gen.py {seeed}'}
    - c: {generate: gen.py {seed}, count: 1..3}
    - d: {generate: gen.py 5, count: 3}
    - e: {in: x, copy: manual/1}
    - {f: gen.py 1, g: gen.py 2}
  secrets: {data: {}}
  invalid_input:
    data:
      x: gen.py {seed}
      y: gen.py {seed}
      z: {in: '0', descripton: too small}
      u:
";

pub(super) fn recipe_faults() -> Vec<StampedEvent> {
    let fixture = Fixture::new();
    for name in ["gen.py", "tree.py"] {
        fixture.write(
            &format!("sum/generators/{name}"),
            "print(1, 2)
",
        );
    }
    fixture.write(
        "sum/generators/manual/1.in",
        "1 2
",
    );
    let faulty = FAULTY.replace("gen.py {seed}, count", "'gen.py {seed}', count");
    fixture.write("sum/generators/generators.yaml", faulty);
    record(&fixture, "generate @sum --jobs 1", ExitCode::InvalidPackage)
}

/// One test case has other bytes, two are missing, and one is not in the recipe.
fn package_with_changed_data() -> Fixture {
    let data = "data:\n  sample:\n    data:\n      '1': {in: 1 2}\n      '2': {in: 2 2}\n  secret:\n    data:\n      \
                big:\n        data:\n          01-random: gen.sh 7 8\n";
    let fixture = recipe_fixture(&format!("{SOLUTION}{data}"));
    fixture.juror("generate sum").assert().success();
    let more =
        "          02-descending: gen.sh 9 1\n      edges: {data: {01-one-step: gen.sh 1 1}}\n";
    let recipe = format!("{SOLUTION}{data}{more}").replace("gen.sh 7 8", "gen.sh 8 8");
    fixture.write("sum/generators/generators.yaml", recipe);
    fixture.write(
        "sum/data/secret/old.in",
        "5 5
",
    );
    fixture.write(
        "sum/data/secret/old.ans",
        "10
",
    );
    fixture
}

pub(super) fn generate_run() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        record(&package_with_changed_data(), "generate @sum --jobs 1", ExitCode::Success)
    });
    ONCE.clone()
}

pub(super) fn generate_check() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        record(&package_with_changed_data(), "generate @sum --check --jobs 1", ExitCode::Rejected)
    });
    ONCE.clone()
}

pub(super) fn check_of_two_packages() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        let (fixture, good) = (package_with_changed_data(), Fixture::new());
        for name in
            ["problem.yaml", "input_validators/validate/run", "submissions/accepted/right.sh"]
        {
            fixture.write(&format!("plus/{name}"), good.read(&format!("sum/{name}")));
        }
        fixture.make_executable("plus/input_validators/validate/run");
        let recipe = format!(
            "{SOLUTION}data: {{secret: {{data: {{'1': {{in: 1 2}}}}}}}}
"
        );
        fixture.write("plus/generators/generators.yaml", recipe);
        record(&fixture, "generate --check @sum @plus --jobs 1", ExitCode::Rejected)
    });
    ONCE.clone()
}

pub(super) fn interrupted_run() -> Vec<StampedEvent> {
    cut(generate_run(), 16)
}
