//! Tests with the tools of this machine: what a plan says is done, in a bare environment.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::language::fault::Unready;
use crate::language::plan::{BuildPlan, Written};
use crate::language::planner::plan;
use crate::language::recipe::recipe;
use crate::language::sources;
use crate::language::toolchain::Toolchains;
use crate::language::{BOX, PROGRAM};
use crate::model::job;
use crate::model::program::{Program, ProgramKind};
use crate::model::root::FilePath;
use crate::model::tree::Node;
use crate::model::units::Bytes;

/// Builds a source file, runs it on `3 4`, and checks that it says `7`; skips if a tool is missing.
fn check(name: &str, text: &str) -> anyhow::Result<()> {
    check_in(None, name, text)
}

/// The same in the language of this code.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn check_in(language: Option<&str>, name: &str, text: &str) -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let source = dir.path().join(name);
    fs::create_dir_all(source.parent().unwrap_or(dir.path()))?;
    fs::write(&source, text)?;
    let top = Path::new(name)
        .components()
        .next()
        .map_or_else(|| source.clone(), |it| dir.path().join(it));
    if name.ends_with("/run") || name.ends_with("/build") {
        fs::set_permissions(&source, fs::Permissions::from_mode(0o755))?;
    }
    if name == "project/src/main.rs" {
        fs::write(
            dir.path().join("project/Cargo.toml"),
            "[package]\nname = 'sum'\nedition = '2024'\n",
        )?;
    }
    let program = Program {
        name: name.into(),
        path: FilePath::root(top),
        kind: ProgramKind::Generator,
        language: language.map(str::to_owned),
        ..Program::default()
    };
    let recipe = recipe(&program, &sources::read(&program).map_err(anyhow::Error::msg)?)?;
    let plan = match plan(recipe, &Toolchains::default()) {
        Err(Unready::Tool(missing)) => {
            eprintln!("skipped {name}: {missing}");
            return Ok(());
        }
        plan => plan?,
    };
    // Built for batches it is on a single input what it is otherwise.
    let plans = [("place", Some(plan.clone())), ("batches", plan.for_batches())];
    for (place, plan) in plans {
        let place = dir.path().join(place);
        if let Some(plan) = plan {
            build_and_start(name, &plan, &place)?;
        }
    }
    Ok(())
}

fn build_and_start(name: &str, plan: &BuildPlan, place: &Path) -> anyhow::Result<()> {
    lay_out(plan, place)?;
    if let Some(step) = &plan.build {
        let (said, ended) = start(&step.command, place)?;
        anyhow::ensure!(ended, "{name} is not built: {said}");
        let is_made = step.produces.as_ref().is_none_or(|product| place.join(product).is_file());
        anyhow::ensure!(is_made, "{name}: nothing was built: {said}");
    }
    let (said, ended) = start(&plan.start.command(&[], Some(Bytes::mib(512))), place)?;
    anyhow::ensure!(ended && said.trim() == "7", "{name} says {said:?}");
    Ok(())
}

/// Puts the files of a plan in place.
fn lay_out(plan: &BuildPlan, place: &Path) -> std::io::Result<()> {
    for file in &plan.files {
        let Node::File { blob, mode } = &file.node else { continue };
        let path = place.join(&file.name);
        fs::create_dir_all(path.parent().unwrap_or(place))?;
        fs::write(&path, blob.start(u64::MAX)?)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(mode.rights()))?;
    }
    Ok(())
}

/// Starts a command with `3 4` on its standard input; box and program are both `place`.
fn start(command: &job::Command, place: &Path) -> std::io::Result<(String, bool)> {
    let place_text = place.to_string_lossy();
    let here = |text: &str| text.replacen(PROGRAM, &place_text, 1).replacen(BOX, &place_text, 1);
    let argv: Vec<String> = command.argv.iter().map(|it| here(it)).collect();
    let mut child = Command::new(&argv[0])
        .args(&argv[1..])
        .current_dir(place)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .envs(command.env.iter().map(|(name, value)| (name, here(value))))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A compiler does not read.
        let _ = stdin.write_all(b"3 4\n");
    }
    let output = child.wait_with_output()?;
    let said = [output.stdout, output.stderr].concat();
    Ok((String::from_utf8_lossy(&said).into_owned(), output.status.success()))
}

const PYTHON: &str = "print(sum(map(int, input().split())))\n";
const C: &str = "#include <math.h>\n#include <stdio.h>\nint main(void) { int a, b; if (scanf(\"%d %d\", &a, &b) != 2) \
    return 1; printf(\"%d\\n\", (int)floor(a + b + 0.5)); }\n";
const CPP: &str = "#include <bits/stdc++.h>\nint main() { int a, b, c = 0; std::cin >> a >> b; \
    std::thread([&] { c = a + b; }).join(); std::cout << c << std::endl; }\n";
const RUST: &str = "fn main() { let mut s = String::new(); std::io::stdin().read_line(&mut s).unwrap();\n\
    println!(\"{}\", s.split_whitespace().map(|x| x.parse::<i32>().unwrap()).sum::<i32>()); }\n";

#[test]
fn compiled_languages_are_built_and_started() -> anyhow::Result<()> {
    check("sum.c", C)?;
    check("sum.cpp", CPP)?;
    check("3n+1.rs", RUST)?;
    check("project/src/main.rs", RUST)?;
    check(
        "sum.go",
        "package main\nimport \"fmt\"\nfunc main() { var a, b int; fmt.Scan(&a, &b); fmt.Println(a + b) }\n",
    )
}

#[test]
fn interpreted_languages_are_started() -> anyhow::Result<()> {
    check("sum.py", PYTHON)?;
    check("sum.sh", "read a b\necho $((a + b))\n")?;
    check("sum.pm", "my ($a, $b) = split ' ', <STDIN>; print $a + $b, \"\\n\";\n")?;
    check(
        "sum.js",
        "const s = require('fs').readFileSync(0, 'utf8').split(' ').map(Number); console.log(s[0] + s[1]);\n",
    )
}

#[test]
fn further_languages_are_built_and_started() -> anyhow::Result<()> {
    for (name, text) in [
        (
            "sum.cs",
            "using System; using System.Linq; using System.Numerics; class P { static void Main() { \
            Console.WriteLine(new BigInteger(Console.ReadLine().Split().Select(int.Parse).Sum())); } }\n",
        ),
        ("sum.d", "import std; void main() { readln.split.to!(int[]).sum.writeln; }\n"),
        ("sum.hs", "main = getLine >>= print . sum . map read . words\n"),
        ("sum.kt", "fun main() { println(readLine()!!.split(\" \").map { it.toInt() }.sum()) }\n"),
        ("sum.lua", "local a, b = io.read('n', 'n') print(a + b)\n"),
        (
            "sum.ml",
            "let () = let words = Str.split (Str.regexp \" \") (read_line ()) in\n\
            print_int (List.fold_left (fun sum word -> sum + int_of_string word) 0 words)\n",
        ),
        (
            "sum.nim",
            "import strutils, sequtils, math\necho stdin.readLine.split.map(parseInt).sum\n",
        ),
        ("sum.pas", "program sum; var a, b: integer; begin read(a, b); writeln(a + b) end.\n"),
        ("sum.php", "<?php echo array_sum(explode(' ', fgets(STDIN))), \"\\n\";\n"),
        ("sum.R", "cat(sum(scan(file('stdin'), quiet = TRUE)))\n"),
        ("sum.rb", "puts gets.split.sum(&:to_i)\n"),
        (
            "sum.scala",
            "object Sum extends App { println(io.StdIn.readLine.split(\" \").map(_.toInt).sum) }\n",
        ),
        ("sum.swift", "print(readLine()!.split(separator: \" \").map { Int($0)! }.reduce(0, +))\n"),
        (
            "sum.ts",
            "import * as fs from 'fs'; const s: number[] = fs.readFileSync(0, 'utf8').split(' ').map(Number);\n\
            console.log(s[0] + s[1]);\n",
        ),
    ] {
        check(name, text)?;
    }
    check_in(Some("pypy3"), "sum.py", PYTHON)
}

/// A fault of the source is one of the build, or of the run if nothing is built.
#[test]
fn a_fault_of_the_source_is_found() -> anyhow::Result<()> {
    const BUILD: &str = "is not built";
    const RUN: &str = "says";
    for (name, language, text, fails) in [
        ("bad.R", None, "cat(\n", RUN),
        ("bad.kt", None, "fun main() { val a: Int = \"x\" }\n", BUILD),
        ("bad.py", Some("pypy3"), "print(\n", RUN),
        ("bad.scala", None, "object Bad extends App { val a: Int = \"x\" }\n", BUILD),
        ("bad.swift", None, "let a: Int = \"x\"\n", BUILD),
        ("bad.ts", None, "const a: number = 'x';\n", BUILD),
    ] {
        // What is skipped has no fault.
        let Err(fault) = check_in(language, name, text) else { continue };
        anyhow::ensure!(fault.to_string().contains(fails), "{fault}");
    }
    Ok(())
}

#[test]
fn java_is_built_and_started_from_a_file_of_any_name() -> anyhow::Result<()> {
    check(
        "solution.java",
        "package a.b; import java.util.*; public class Sum { public static void main(String[] x) { \
         Scanner s = new Scanner(System.in); System.out.println(s.nextInt() + s.nextInt()); } }\n",
    )
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn scripts_are_run_with_python_and_the_compilers_at_hand() -> anyhow::Result<()> {
    // A script that asks for what is not there is a fault of the script, elsewhere.
    if let Err(missing) = Toolchains::default().named("python3", "run scripts") {
        eprintln!("skipped: {missing}");
        return Ok(());
    }
    check("generator/run", &format!("#!/usr/bin/env python3\n{PYTHON}"))?;
    check(
        "generator/build",
        &format!(
            "#!/bin/sh\nset -e\ncat > s.c <<'END'\n{C}END\ncc -o run s.c -lm\npython3 -c 'print(1)'\n"
        ),
    )
}

/// A tail of the machine's own loader and libraries: what starts here is told apart from what cannot.
#[test]
fn this_very_test_is_a_ready_executable() -> anyhow::Result<()> {
    let program = Program {
        name: "self".into(),
        path: FilePath::root(std::env::current_exe()?),
        kind: ProgramKind::Submission,
        ..Program::default()
    };
    let recipe = recipe(&program, &sources::read(&program).map_err(anyhow::Error::msg)?)?;
    let plan = plan(recipe, &Toolchains::default())?;
    assert_eq!(plan.written, Written::Executable);
    let argv = plan.start.command(&["--list".to_owned()], None).argv;
    assert!(argv[0].starts_with(PROGRAM) && argv[1..] == ["--list"], "{argv:?}");
    Ok(())
}
