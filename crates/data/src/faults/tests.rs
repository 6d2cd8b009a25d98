//! Tests of mutants.

use std::collections::BTreeSet;
use std::path::Path;

use walkdir::WalkDir;

use super::*;

fn mutants_of(language: &str, text: &str) -> Vec<Mutant> {
    mutants(language, &[SourceText { name: "a".into(), text: text.to_owned() }])
}

/// Each expected line has the texts before and after.
fn check(language: &str, operator: Operator, text: &str, expected: &[&str]) {
    let all = mutants_of(language, text).into_iter().filter(|mutant| mutant.operator == operator);
    let shown: Vec<String> =
        all.map(|mutant| format!("{} → {}", mutant.before, mutant.after)).collect();
    assert_eq!(shown, expected, "{language}, {operator:?}: {text}");
}

/// The accepted sources of two packages, with their languages.
fn sources() -> Vec<(&'static str, PathBuf)> {
    let problems = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems");
    let is_wanted = |path: &Path| {
        ["game1/", "coinrow/"].iter().any(|name| path.to_string_lossy().contains(name))
    };
    let files = WalkDir::new(problems)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.unwrap().into_path());
    let accepted = files.filter(|path| {
        path.parent().is_some_and(|dir| dir.ends_with("accepted") && is_wanted(path))
    });
    let known = accepted.filter_map(|path| {
        let language = match path.extension()?.to_str()? {
            "c" => "c",
            "cpp" => "cpp",
            "java" => "java",
            "py" => "python3",
            "rs" => "rust",
            _ => return None,
        };
        Some((language, path))
    });
    known.collect()
}

#[test]
fn a_mutant_differs_in_one_place_and_is_well_formed() {
    let mut seen = BTreeSet::new();
    for (language, path) in sources() {
        let text = std::fs::read_to_string(&path).unwrap();
        let all = mutants_of(language, &text);
        assert!(all.len() >= 30, "{}: {}", path.display(), all.len());
        let syntax = Syntax::of(language).unwrap();
        let before = syntax_errors(&parse(syntax, &text).unwrap());
        let (mut ids, mut texts) = (BTreeSet::new(), BTreeSet::new());
        for mutant in &all {
            let changed = mutant.apply(&text);
            assert_eq!(text[mutant.range.clone()], mutant.before);
            let length = text.len() - mutant.before.len() + mutant.after.len();
            assert_eq!(changed.len(), length);
            assert_ne!(changed, text);
            // For some mutants: parse the changed text from scratch.
            if ids.len() % 5 == 0 {
                let again = parse(syntax, &changed).unwrap();
                assert_eq!(syntax_errors(&again), before, "{} {}", path.display(), mutant.id);
            }
            assert!(ids.insert(mutant.id.clone()), "{} {}", path.display(), mutant.id);
            assert!(texts.insert(changed), "{} {}", path.display(), mutant.id);
            seen.insert((language, mutant.operator));
        }
        assert_eq!(all, mutants_of(language, &text));
    }
    for operator in Operator::ALL {
        let languages = seen.iter().filter(|(_, other)| *other == operator).count();
        assert!(languages >= 2, "{operator:?} was in {languages} of the languages");
    }
}

#[test]
fn comparisons_and_arithmetic_are_mutated() {
    let check = |language, text, ror: &[&str], aor: &[&str]| {
        check(language, Operator::Ror, text, ror);
        check(language, Operator::Aor, text, aor);
    };
    check("cpp", "void f() { x(a < b); }", &["< → <=", "< → >"], &[]);
    check("c", "void f() { x(a + b); }", &[], &["+ → -"]);
    check("rust", "fn f() { x(a != b, -c) }", &["!= → ==", "!= → <", "!= → >"], &["-c → c"]);
    check(
        "python3",
        "x(a == b, c // d)",
        &["== → !=", "== → <=", "== → >="],
        &["// → /", "// → *"],
    );
    check("java", "class A { void f() { a += b; } }", &[], &["+= → -=", "+= → ="]);
    check("cpp", "void f() { std::cout << a; x(1 << n); }", &[], &[" <<  →  >> "]);
}

#[test]
fn tie_breaking_comparisons_are_recognized() {
    let check = |language, text| check(language, Operator::Tie, text, &["< → <="]);
    check("cpp", "int f() { return a < b ? a : b; }");
    check("cpp", "int f() { if (a < b) a = b; }");
    check("cpp", "void f() { sort(v.begin(), v.end(), [](int a, int b) { return a < b; }); }");
    check("rust", "fn f() { if a < b { a = b; } }");
    check("python3", "x = a if a < b else b");
    check("java", "class A { int f() { return a < b ? a : b; } }");
}

#[test]
fn numbers_indices_and_sizes_are_mutated() {
    check("c", Operator::Off1, "int f() { return g(7u); }", &["7u → 8u", "7u → 6u"]);
    check(
        "rust",
        Operator::Off1,
        "fn f() { g(1_000i64) }",
        &["1_000i64 → 1001i64", "1_000i64 → 999i64"],
    );
    check(
        "cpp",
        Operator::Off1,
        "int f() { return 1.5 + 0x10 + a[i]; }",
        &["i → i + 1", "i → i - 1"],
    );
    check("python3", Operator::Off1, "x(a[i], b[j:])", &["i → i + 1", "i → i - 1"]);
    check("c", Operator::Arr, "int a[100];", &["100 → 99", "100 → 50"]);
    check(
        "cpp",
        Operator::Arr,
        "#define N 1005\nconst int M = 64;",
        &["1005 → 1004", "1005 → 502", "64 → 63", "64 → 32"],
    );
    check("rust", Operator::Arr, "fn f() { let a = vec![0; n]; }", &["n → (n) - 1", "n → (n) / 2"]);
    check("python3", Operator::Arr, "a = [0] * n", &["n → (n - 1)", "n → (n // 2)"]);
    check(
        "java",
        Operator::Arr,
        "class A { int[] a = new int[n]; }",
        &["n → (n) - 1", "n → (n) / 2"],
    );
    check(
        "cpp",
        Operator::Init,
        "void f() { int best = a[0]; long low = 1000000000; }",
        &["a[0] → 0", "1000000000 → 0", "1000000000 → 1000"],
    );
    check("cpp", Operator::Memo, "void f() { memset(m, -1, sizeof m); }", &["-1 → 0"]);
}

#[test]
fn compared_numbers_become_floats() {
    let check = |language: &str, text: &str, expected: &[&str]| {
        check(language, Operator::Type, text, expected);
    };
    let float = "a[i] < a[j] → (float) (a[i]) < (float) (a[j])";
    check("cpp", "void f() { while (i < n && j < n) if (a[i] < a[j]) g(); }", &[float]);
    check("cpp", "bool f() { return x > y; }", &["x > y → (float) (x) > (float) (y)"]);
    check("cpp", "bool f() { return x > 0 || x == y; }", &[]);
    let cast = "a - b <= c → ((a - b) as f32) <= ((c) as f32)";
    check("rust", "fn f() { if a - b <= c { g() } }", &[cast]);
    check(
        "java",
        "class A { void f() { if (p.x >= y) g(); } }",
        &["p.x >= y → (float) (p.x) >= (float) (y)"],
    );
    check("python3", "if a < b: g()", &[]);
}

#[test]
fn loops_and_resets_are_mutated() {
    let turn = "void f() { for (int i = a; i < n; i++) g(i); }";
    check(
        "cpp",
        Operator::Loop,
        turn,
        &["a → a - 1", "a → a + 1", "n → n - 1", "n → n + 1", "i++ → i += 2", "++ → --"],
    );
    check(
        "rust",
        Operator::Loop,
        "fn f() { for i in (a..n).rev() { g(i) } }",
        &[
            "(a..n).rev() → ((a..n).rev()).into_iter().skip(1)",
            "(a..n).rev() → (a..n)",
            "a → a + 1",
            ".. → ..=",
            "n → n - 1",
            "n → n + 1",
        ],
    );
    check("python3", Operator::Loop, "for x in xs: g(x)", &["xs → xs[1:]", "xs → xs[:-1]"]);
    let cleared = "int main() { while (t--) { int sum = 0; v.clear(); total = 0; } }";
    check("cpp", Operator::Reset, cleared, &[" → static ", "v.clear(); → ;", "total = 0; → ;"]);
    let hoisted = "for t in range(n):\n    a = []\n    g(a)\n";
    check(
        "python3",
        Operator::Reset,
        hoisted,
        &["for t in range(n):\n    a = [] → a = []\nfor t in range(n):\n    pass", "a = [] → pass"],
    );
}

#[test]
fn dead_code_is_not_mutated() {
    let check = |language: &str, text: &str| assert_eq!(mutants_of(language, text), [], "{text}");
    check("cpp", "// a < b\n/* a + 1 */\n#include <a>\n#if 0\nint a[100];\n#endif\n");
    check("cpp", "#ifdef LOCAL\nint a[100];\n#endif\n#ifndef ONLINE_JUDGE\nint b[100];\n#endif\n");
    check("c", "static_assert(1 < 2);\nchar *a = \"1 < 2\";");
    check("rust", "use a::b;\n#[cfg(test)]\nmod tests { fn f() { g(1) } }\n");
    check("python3", "'''1 < 2'''\nimport a\nassert 1 < 2\n");
    check("java", "package a;\nimport b;\n// 1 < 2\n");
    check("haskell", "main = print 1");
}

#[test]
fn sources_with_syntax_errors_have_mutants() {
    let text =
        "#define rep(i, n) for (int i = 0; i < n; i++)\nint main() { rep(i, n) { g(a[i] + 1); } }";
    assert!(mutants_of("cpp", text).len() >= 5);
    assert!(mutants_of("cpp", "int main( {{{ 1 < 2").iter().all(|mutant| !mutant.id.is_empty()));
}

#[test]
fn fixed_arguments_are_not_swapped() {
    check("python3", Operator::Swaparg, "f(*a, **b)\n", &[]);
    check("python3", Operator::Swaparg, "f(a, b)\n", &["a, b → b, a"]);
    check("rust", Operator::Swaparg, "fn f() { let a = [x; 2]; }", &[]);
}

/// Many lines, and deep expressions: a file that a program wrote.
#[test]
fn huge_sources_have_a_sample_of_mutants() {
    let python = Syntax::of("python3").expect("a syntax");
    let of = |text: &str| valid_edits(python, text, 1 << 14).len();
    let lines = "x = 1 < 2 + 3\n".repeat(300);
    let all = of(&lines);
    assert!((500..2000).contains(&all), "{all}");
    let one = of(&format!("def f():\n{}", lines.replace("x =", "    x =")));
    assert!((2..20).contains(&one), "{one}");
    let deep = format!("x = {}1{}\n", "(".repeat(800), ")".repeat(800));
    assert!(of(&deep) < 20);
}

#[test]
fn whole_lines_are_shown() {
    let text = "one\ntwo\nthree";
    for (from, to, expected) in
        [(0, 1, "one"), (5, 6, "two"), (5, 9, "two\nthree"), (13, 13, "three")]
    {
        assert_eq!(whole_lines(text, from..to), expected, "{from} {to}");
    }
}
