//! Recipes that BAPCtools reads, and what it makes of them.

use crate::package::recipe::tests::{check, read_recipe};
use juror_core::recipe::InputSource;

/// A recipe with these lines below `secret`, without line numbers.
fn recipe_with_secret(lines: &str) -> String {
    format!("data:\n  sample: {{data: {{s: gen.py 1}}}}\n  secret:\n{lines}")
}

/// Checks all that follows the sample, and the diagnostics.
fn check_secret(lines: &str, expected: &[&str]) {
    let expected: Vec<&str> =
        ["sample/s: generators/gen.py 1 own"].iter().chain(expected).copied().collect();
    check(&recipe_with_secret(lines), &expected);
}

#[test]
fn seeds_depend_on_commands_with_constants_and_counts_filled_in() {
    // Each case with the text of which BAPCtools computes the seed, and its arguments.
    let check = |entries: &str, expected: &[(&str, &str, &str)]| {
        let (_dir, reading) =
            read_recipe(false, &recipe_with_secret(&format!("    data: {{{entries}}}\n")));
        assert!(reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
        let recipe = reading.recipe.unwrap();
        let commands = recipe.cases.iter().filter_map(|case| match &case.input {
            InputSource::Command(command) => Some((case.name.strip_prefix("secret/")?, command)),
            _ => None,
        });
        let found: Vec<(&str, String, String)> = commands
            .map(|(name, command)| {
                (name, format!("{}{}", command.random_salt, command.line), command.args.join("|"))
            })
            .collect();
        let found: Vec<(&str, &str, &str)> =
            found.iter().map(|(name, text, args)| (*name, &**text, &**args)).collect();
        assert_eq!(found, expected, "{entries}");
    };
    check(
        "a: {generate: 'gen.py {seed} {count}', count: 2}",
        &[("a-1", "gen.py {seed} 1", "{seed}|1"), ("a-2", ":1gen.py {seed} 2", "{seed}|2")],
    );
    check(
        "a: {generate: 'gen.py {count} {seed:3}', count: [7, -3], random_salt: s}",
        &[
            ("a--3", "s:-4gen.py -3 {seed:3}", "-3|{seed:3}"),
            ("a-7", "s:6gen.py 7 {seed:3}", "7|{seed:3}"),
        ],
    );
    check("a: 'gen.py {seed} {{max}}'", &[("a", "gen.py {seed} 10", "{seed}|10")]);
    check("a: ' gen.py {count} {seed}\n'", &[("a", "gen.py 1 {seed}", "1|{seed}")]);
    check("a: 'gen.py {seed} {{nothing}}'", &[("a", "gen.py {seed}", "{seed}")]);
    check(
        "a: {generate: 'gen.py {{max.long}}{count} {seed}', count: 1..=2}",
        &[
            ("a-1", "gen.py 1 0001 {seed}", "1|0001|{seed}"),
            ("a-2", ":1gen.py 1 0002 {seed}", "1|0002|{seed}"),
        ],
    );
    check("a: 'gen.py {{quoted}} {seed}'", &[("a", "gen.py 'a b' {seed}", "a b|{seed}")]);
    check("a: 'gen.py {seed} {name}'", &[("a", "gen.py {seed} {name}", "{seed}|{name}")]);
}

#[test]
fn commands_that_are_equal_after_they_are_filled_in_are_reported() {
    let same = "this is the same command as on line 5, with the same seed";
    let equal = "this is the same command as on line 5: the cases are equal";
    let check = |first: &str, second: &str, expected: &[&str]| {
        let lines = format!("    data:\n      a: {first}\n      b: {second}\n");
        let (_dir, reading) = read_recipe(false, &recipe_with_secret(&lines));
        let messages: Vec<&str> =
            reading.diagnostics.iter().map(|diagnostic| &*diagnostic.message).collect();
        assert_eq!(messages, expected, "{first} {second}");
    };
    check("gen.py {seed} 10", "gen.py {seed} {{max}}", &[same]);
    check("gen.py {seed} 1", "{generate: 'gen.py {seed} {count}', count: 1}", &[same]);
    check("gen.py 10", "gen.py {{max}}", &[equal]);
    check("gen.py 4 1", "gen.py 4 {count}", &[equal]);
    // The name makes them differ.
    check("gen.py {name}", "gen.py {name}", &[]);
    check("gen.py {seed} 1", "{generate: 'gen.py {seed} {count}', count: [2]}", &[]);
}

#[test]
fn a_count_makes_copies_of_any_case() {
    let equal = |spot: &str, count: usize| {
        format!(
            "warning: {spot}: `count` makes {count} equal cases (to make them differ, put `{{seed}}` or `{{count}}` \
             into their command)"
        )
    };
    check_secret(
        "    data: {a: {copy: manual/a, count: 2}}\n",
        &[
            "secret/a-1: copy generators/manual/a own",
            "secret/a-2: copy generators/manual/a own",
            &equal("4:39", 2),
        ],
    );
    check_secret(
        "    data: {a: {in: x, count: [5, 7]}}\n",
        &["secret/a-5: in \"x\\n\" own", "secret/a-7: in \"x\\n\" own", &equal("4:30", 2)],
    );
    check_secret(
        "    data: [a: {in: x, count: 1..=2}]\n",
        &["secret/1-a-1: in \"x\\n\" own", "secret/2-a-2: in \"x\\n\" own", &equal("4:30", 2)],
    );
    // A single case is no copy.
    check_secret("    data: {a: {in: x, count: 1}}\n", &["secret/a-1: in \"x\\n\" own"]);
    check_secret(
        "    data: {a: {copy: manual/a, count: [3]}}\n",
        &["secret/a-3: copy generators/manual/a own"],
    );
    check_secret(
        "    data: {a: {generate: 'gen.py 2{count}', copy: manual/b, count: 2}}\n",
        &[
            "secret/a-1: generators/gen.py 21 generators/manual/b own",
            "secret/a-2: generators/gen.py 22 salt=:1 generators/manual/b own",
        ],
    );
}

#[test]
fn a_case_that_is_included_several_times_appears_once() {
    let of_sample = "secret/g3/s -> sample/s";
    // A diamond, by directories and by cases.
    check_secret(
        "    data:\n      g1: {include: [sample]}\n      g2: {include: [sample]}\n      g3: {include: [g1, g2]}\n",
        &["secret/g1/s -> sample/s", "secret/g2/s -> sample/s", of_sample],
    );
    check_secret("    data: {g3: {include: [sample, sample]}}\n", &[of_sample]);
    check_secret("    data: {g3: {include: [sample/s, sample, s]}}\n", &[of_sample]);
    // What is included is in the directory already.
    check_secret(
        "    include: [a]\n    data: {a: gen.py 2}\n",
        &["secret/a: generators/gen.py 2 own"],
    );
    check_secret(
        "    data:\n      g1: {include: [g2], data: {a: gen.py 2}}\n      g2: {include: [g1/a], data: {b: gen.py 3}}\n"
            .replace("g1/a", "secret/g1/a")
            .as_str(),
        &[
            "secret/g1/a: generators/gen.py 2 own",
            "secret/g2/b: generators/gen.py 3 own",
            "secret/g1/b -> secret/g2/b",
            "secret/g2/a -> secret/g1/a",
        ],
    );
    check_secret(
        "    data:\n    - a: {include: [sample]}\n    - b: {include: [a, sample], data: [{x: gen.py 2}]}\n    \
         - c: {include: [b, a, s]}\n",
        &[
            "secret/2-b/1-x: generators/gen.py 2 own",
            "secret/1-a/s -> sample/s",
            "secret/2-b/s -> sample/s",
            "secret/3-c/1-x -> secret/2-b/1-x",
            "secret/3-c/s -> sample/s",
        ],
    );
    // Another case of the same name is in the way.
    check_secret(
        "    data:\n      g1: {data: {s: gen.py 2}}\n      g2: {include: [sample, g1]}\n",
        &[
            "secret/g1/s: generators/gen.py 2 own",
            "secret/g2/s -> sample/s",
            "6:30: `secret/g2/s` is given twice; first on line 6 (rename one of the two)",
        ],
    );
}

#[test]
fn a_name_that_is_null_is_empty() {
    for null in ["~", "null", "Null", "NULL", ""] {
        check_secret(
            &format!("    data:\n    - {null}: gen.py 2\n    - g: {{data: [{null}: gen.py 3]}}\n"),
            &["secret/1: generators/gen.py 2 own", "secret/1-g/2: generators/gen.py 3 own"],
        );
        check_secret(
            &format!("    data:\n    - {null}: {{data: {{a: gen.py 2}}}}\n"),
            &["secret/1/a: generators/gen.py 2 own"],
        );
    }
    check_secret(
        "    data:\n    - 'null': gen.py 2\n    - \"~\": gen.py 3\n    - ~: gen.py 4\n",
        &[
            "secret/1-null: generators/gen.py 2 own",
            "secret/2: generators/gen.py 4 own",
            "6:7: `~` cannot be the name of a file (letters, digits, `_`, `-` and `.`, with a letter, digit or `_` first)",
        ],
    );
}

#[test]
fn patterns_have_the_syntax_of_python() {
    for pattern in [r"2\s*\Z", r"[[]", r"a{,3}", r"\<", r"(?#x)a", r"(?a)\w", r"(?x) a # (", "{"] {
        check_secret(
            &format!("    data: {{a: {{in: x, match: ['{pattern}']}}}}\n"),
            &[&format!("secret/a: in \"x\\n\" own in~{pattern}")],
        );
    }
    check_secret("    data: {a: {in: x, match: []}}\n", &["secret/a: in \"x\\n\" own"]);
    check_secret(
        "    data: {a: {in: x, match: {in: [], ans: b}}}\n",
        &["secret/a: in \"x\\n\" own ans~b"],
    );
}

#[test]
fn the_last_of_several_inputs_counts() {
    let warning = |name: &str, line: usize, last: &str| {
        format!(
            "warning: {line}:7: `{name}` has several inputs: `{last}` counts (give it one of `generate`, `copy` and `in`)"
        )
    };
    check_secret(
        "    data:\n      a: {copy: manual/a, in: x}\n      b: {generate: gen.py 2, in: x, ans: y}\n      \
         c: {generate: gen.py 3, copy: manual/a}\n      d: {generate: gen.py 4, copy: manual/a, in: x}\n      \
         e: {generate: gen.py 5, copy: manual/b}\n",
        &[
            "secret/a: copy generators/manual/a own .in=\"x\\n\"",
            "secret/b: generators/gen.py 2 own .ans=\"y\\n\" .in=\"x\\n\"",
            "secret/c: generators/gen.py 3 generators/manual/a own",
            "secret/d: generators/gen.py 4 generators/manual/a own .in=\"x\\n\"",
            "secret/e: generators/gen.py 5 generators/manual/b own",
            &warning("a", 5, "in"),
            &warning("b", 6, "in"),
            &warning("c", 7, "copy"),
            &warning("d", 8, "in"),
        ],
    );
}
