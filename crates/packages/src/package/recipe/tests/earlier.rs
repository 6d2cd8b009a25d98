//! Recipes of packages before format 2025-09.

use crate::package::recipe::tests::{check, check_in};

#[test]
fn earlier_versions_have_other_files() {
    let recipe = "data:\n  secret:\n    testdata.yaml: {output_validator_flags: a  b}\n    data:\n      \
         a: {in: x, hint: h, desc: d}\n      b: gen.py 1\n      g: {testdata.yaml: {}}\n      h: {test_group.yaml: {}}\n";
    let cases = [
        "secret/a: in \"x\\n\" own .hint=\"h\\n\" .desc=\"d\\n\" args=[\"a\", \"b\"]",
        "secret/b: generators/gen.py 1 own args=[\"a\", \"b\"]",
        "secret/testdata.yaml: \"output_validator_flags: a  b\\n\"",
        "secret/g/testdata.yaml: \"\"",
        "8:11: unknown key `test_group.yaml` in `secret/h` (in packages before format 2025-09: `testdata.yaml`)",
    ];
    check_in(true, recipe, &cases);
    check(
        recipe,
        &[
            "secret/a: in \"x\\n\" own",
            "secret/b: generators/gen.py 1 own",
            "secret/h/test_group.yaml: \"\"",
            "3:5: unknown key `testdata.yaml` in `secret` (in format 2025-09: `test_group.yaml`)",
            "5:18: unknown key `hint` in `secret/a` (in format 2025-09: `hint` under `yaml`)",
            "5:27: unknown key `desc` in `secret/a` (in format 2025-09: `description` under `yaml`)",
            "7:11: unknown key `testdata.yaml` in `secret/g` (in format 2025-09: `test_group.yaml`)",
        ],
    );
}

#[test]
fn earlier_recipes_have_keys_for_inputs_and_types() {
    check_in(
        true,
        "data:\n  sample:\n    type: directory\n    data:\n      '1':\n      '2':\n  \
         secret:\n    type: directory\n    solution: /submissions/accepted/a.py\n    data:\n      \
         - a: manual/a.in\n      - b: {type: testcase, input: gen.py 1}\n      \
         - c: {type: testcase, input: ./manual/a.in, random_salt: s}\n      - d: manual/b.in\n",
        &[
            "sample/1: copy data/sample/1 own",
            "secret/1-a: copy generators/manual/a ! submissions/accepted/a.py",
            "secret/2-b: generators/gen.py 1 ! submissions/accepted/a.py",
            "secret/3-c: copy generators/manual/a ! submissions/accepted/a.py",
            "6:7: `2` has no input (add data/sample/2.in, or give it one of `generate`, `copy` and `in`)",
            "14:12: generator not found: `manual/b.in` (did you mean `manual/a.in`?)",
        ],
    );
    check(
        "data: {sample: {type: directory, data: {'1': }}, secret: {data: {a: {input: gen.py 1}}}}\n",
        &[
            "1:17: unknown key `type` in `sample` (a directory is what has `data`; remove the line)",
            "1:41: `1` has no input (give it one of `generate`, `copy` and `in`)",
            "1:66: `a` has no input (give it one of `generate`, `copy` and `in`)",
            "1:70: unknown key `input` in `secret/a` (write a command under `generate`, an input under `in`)",
        ],
    );
}

#[test]
fn earlier_versions_have_other_directories() {
    let recipe = "data:\n  secret: {data: {a: gen.py 1}}\n  invalid_inputs: {data: {a: {in: x}}}\n  \
                  invalid_answers: {data: {a: {in: x, ans: ' 0'}}}\n  invalid_outputs: {data: {a: {in: y, ans: z}}}\n  bad: {data: {a: {in: z}}}\n";
    check_in(
        true,
        recipe,
        &[
            "bad/a: in \"z\\n\"",
            "invalid_answers/a: in \"x\\n\" own .ans=\" 0\\n\"",
            "invalid_inputs/a: in \"x\\n\"",
            "invalid_outputs/a: in \"y\\n\" own .ans=\"z\\n\"",
            "secret/a: generators/gen.py 1 own",
        ],
    );
}
