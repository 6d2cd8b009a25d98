//! Runs build plans with the tools of this machine, in an empty environment; no file of a package replaces a tool.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use juror_core::job;
use juror_core::language::command_planner::plan_commands;
use juror_core::language::commands::{BuildCommands, ProgramLanguage};
use juror_core::language::fault::LaunchFault;
use juror_core::language::launch::launch_spec;
use juror_core::language::sources;
use juror_core::language::toolchain::Toolchains;
use juror_core::language::{BOX, PROGRAM};
use juror_core::program::{Program, ProgramKind};
use juror_core::root::FilePath;
use juror_core::tree::Node;
use juror_core::units::Bytes;
use juror_sandbox::sandbox::Machine;

use crate::fixture::{Fixture, write_program};
use crate::wire;

fn find_tools() -> Toolchains {
    Toolchains::new(Box::new(Machine))
}

/// Builds a source file, runs it on `3 4`, and expects `7`. Skips if a tool is missing.
fn check(name: &str, text: &str) -> anyhow::Result<()> {
    check_in(None, name, text)
}

/// `language` is a code.
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
    let recipe = launch_spec(&program, &sources::read(&program).map_err(anyhow::Error::msg)?)?;
    let plan = match plan_commands(recipe, &program.variant, &find_tools()) {
        Err(LaunchFault::Tool(missing)) => {
            eprintln!("skipped {name}: {missing}");
            return Ok(());
        }
        plan => plan?,
    };
    // A program built for batches behaves the same on a single input.
    let plans = [
        ("place", Some(plan.clone())),
        ("batches", plan.for_batches()),
        ("coverage", plan.for_batches_with_coverage()),
    ];
    for (dir_name, plan) in plans {
        let dir_name = dir.path().join(dir_name);
        if let Some(plan) = plan {
            build_and_start(name, &plan, &dir_name)?;
        }
    }
    Ok(())
}

fn build_and_start(name: &str, plan: &BuildCommands, directory: &Path) -> anyhow::Result<()> {
    write_files(plan, directory)?;
    if let Some(step) = &plan.build {
        let (output, ended) = start(&step.command, directory)?;
        anyhow::ensure!(ended, "{name} is not built: {output}");
        let is_made =
            step.produces.as_ref().is_none_or(|product| directory.join(product).is_file());
        anyhow::ensure!(is_made, "{name}: nothing was built: {output}");
    }
    let (output, ended) = start(&plan.start.command(&[], Some(Bytes::mib(512))), directory)?;
    anyhow::ensure!(ended && output.trim() == "7", "{name} says {output:?}");
    Ok(())
}

fn write_files(plan: &BuildCommands, directory: &Path) -> std::io::Result<()> {
    for file in &plan.files {
        let Node::File { blob, mode } = &file.node else { continue };
        let path = directory.join(&file.name);
        fs::create_dir_all(path.parent().unwrap_or(directory))?;
        fs::write(&path, blob.prefix(u64::MAX)?)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(mode.permissions()))?;
    }
    Ok(())
}

/// Standard input is `3 4`. `place` is both box and program directory.
fn start(command: &job::Command, directory: &Path) -> std::io::Result<(String, bool)> {
    let place_text = directory.to_string_lossy();
    let here = |text: &str| text.replacen(PROGRAM, &place_text, 1).replacen(BOX, &place_text, 1);
    let argv: Vec<String> = command.argv.iter().map(|word| here(word)).collect();
    let mut child = Command::new(&argv[0])
        .args(&argv[1..])
        .current_dir(directory)
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
    let printed = [output.stdout, output.stderr].concat();
    Ok((String::from_utf8_lossy(&printed).into_owned(), output.status.success()))
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

/// A faulty source fails its build, or its run if nothing is built.
#[test]
fn a_faulty_source_fails_its_build_or_run() -> anyhow::Result<()> {
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
        // A skipped language has no fault.
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
fn scripts_find_python_and_compilers() -> anyhow::Result<()> {
    // Without Python, the script itself would fail.
    if let Err(missing) = find_tools().find_named("python3", "run scripts") {
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

/// An executable of this machine needs no build.
#[test]
fn an_executable_needs_no_build() -> anyhow::Result<()> {
    let program = Program {
        name: "self".into(),
        path: FilePath::root(std::env::current_exe()?),
        kind: ProgramKind::Submission,
        ..Program::default()
    };
    let recipe = launch_spec(&program, &sources::read(&program).map_err(anyhow::Error::msg)?)?;
    let plan = plan_commands(recipe, &program.variant, &find_tools())?;
    assert_eq!(plan.language, ProgramLanguage::Executable);
    let argv = plan.start.command(&["--list".to_owned()], None).argv;
    assert!(argv[0].starts_with(PROGRAM) && argv[1..] == ["--list"], "{argv:?}");
    Ok(())
}

/// Files that try to replace tools or choose their versions. A program that starts leaves a mark.
fn write_traps(fixture: &Fixture) {
    let mark = fixture.path("STARTED").display().to_string();
    let program = format!("#!/bin/sh\necho \"$0\" >> {mark}\necho 3\n");
    for name in [
        "python3",
        "python",
        "python3.12",
        "pypy3",
        "node",
        "java",
        "javac",
        "perl",
        "bash",
        "sh",
        "env",
        "gcc",
        "g++",
        "rustc",
        "cargo",
        "go",
        "less",
        "uname",
        "bin/python3",
        "evil/bin/rustc",
        "evil/bin/python3",
        "pyenv",
        "rustup",
    ] {
        let path = fixture.path(&format!("sum/{name}"));
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        write_program(&path, &program);
    }
    let python = format!("open({mark:?}, 'a').write(__file__)\n");
    let module = |name: &str| fixture.write(&format!("sum/{name}"), &python);
    ["platform.py", "sys.py", "sitecustomize.py", "usercustomize.py", "encodings/__init__.py"]
        .into_iter()
        .for_each(module);
    let evil = fixture.path("sum/evil").display().to_string();
    let node = format!("require('fs').appendFileSync({mark:?}, 'node')\n");
    for (name, text) in [
        ("rust-toolchain.toml", format!("[toolchain]\npath = {evil:?}\n")),
        ("rust-toolchain", format!("[toolchain]\npath = {evil:?}\n")),
        (".python-version", "../../evil\n".to_owned()),
        (".tool-versions", format!("python path:{evil}\nnodejs path:{evil}\nrust path:{evil}\n")),
        (
            "mise.toml",
            format!("[tools]\npython = 'path:{evil}'\n[hooks]\nenter = 'touch {mark}'\n"),
        ),
        ("pyvenv.cfg", format!("home = {evil}/bin\n")),
        ("go.mod", "module x\ngo 9.99.9\ntoolchain go9.99.9\n".to_owned()),
        ("Config.pm", format!("open(F, '>>', '{mark}'); print F 'perl'; 1;\n")),
        ("path.js", node.clone()),
        ("package.json", "{\"type\": \"module\", \"main\": \"path.js\"}\n".to_owned()),
        (".cargo/config.toml", format!("[build]\nrustc-wrapper = '{evil}/bin/rustc'\n")),
        (".hotspotrc", "PrintVMOptions\n".to_owned()),
    ] {
        fixture.write(&format!("sum/{name}"), text);
    }
}

#[test]
fn no_file_of_a_package_is_started_outside_of_the_sandbox() {
    let fixture = Fixture::new();
    write_traps(&fixture);
    let package = fixture.path("sum");
    let script = |name: &str, line: &str| {
        let path = format!("sum/submissions/accepted/{name}");
        write_program(
            &fixture.path(&path),
            &format!("{line}\nimport sys\nread -r a b; echo $((a + b))\n"),
        );
    };
    fixture.write("sum/submissions/accepted/a.py", "print(sum(map(int, input().split())))\n");
    script("absolute", &format!("#!{}/python3", package.display()));
    script("installed", &format!("#!{}/evil/bin/python3", package.display()));
    script("winding", &format!("#!/usr/..{}/python3", package.display()));
    script("relative", "#!./python3");
    script("split", "#!/usr/bin/env -S ./python3 -u");
    script("version", "#!/usr/bin/env python3.12");
    script("other_env", &format!("#!{}/env python3", package.display()));
    let path = wire::search_path().to_str().expect("a search path");
    let juror = |arguments: &str, code: &[i32]| {
        let mut command = fixture.juror(arguments);
        command.current_dir(&package).env("PATH", format!(":.:bin:evil/bin::{path}:"));
        let output = command.output().expect("juror runs");
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.code().is_some_and(|it| code.contains(&it)), "{arguments}: {text}");
        let started = fs::read_to_string(fixture.path("STARTED")).unwrap_or_default();
        assert_eq!(started, "", "{arguments}: {text}");
        text
    };
    // A submission without its interpreter is not judged.
    for name in ["absolute", "installed", "winding", "relative", "split"] {
        let text = juror(&format!("judge . submissions/accepted/{name}"), &[2]);
        assert!(
            text.contains("which is not in a directory of the system or of the search path"),
            "{text}"
        );
    }
    for name in ["a.py", "version", "other_env"] {
        juror(&format!("judge . submissions/accepted/{name}"), &[0, 1, 2, 3, 4]);
    }
    juror("judge . submissions/accepted/a.py submissions/accepted/absolute --executor local", &[2]);
    // A command starts in the sandbox, where it finds no file of the package.
    for command in ["./python3", "bin/python3", "./java -version", "./env python3"] {
        juror(&format!("judge . -- {command}"), &[0, 1, 2]);
    }
    juror("judge . --executor local -- ./python3", &[0, 1, 2, 3, 4]);
    fixture.write(
        "sum/input_validators/other/run",
        format!("#!{}/perl\nexit 42;\n", package.display()),
    );
    fixture.make_executable("sum/input_validators/other/run");
    juror("verify .", &[3]);
}

#[test]
fn tools_are_found_even_if_sigchld_is_ignored() {
    let fixture = Fixture::new();
    let juror = fixture.std_juror("judge sum sum/submissions/accepted/right.sh");
    let mut bash = Command::new("bash");
    bash.args(["-c", "trap '' CHLD; exec \"$@\"", "bash"]).arg(juror.get_program());
    bash.args(juror.get_args()).current_dir(fixture.root());
    bash.envs(juror.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = bash.output().expect("bash runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("AC"), "{text}");
}
