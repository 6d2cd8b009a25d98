//! The command lines that programs get on a scripted machine.

use super::*;
use crate::language::command_planner::plan_commands;
use crate::language::fault::LaunchFault;
use crate::language::launch::launch_spec;
use crate::language::sources::{SourceShape, Sources};
use crate::language::tests::scripted::{ARCHIVE, NO_ARCHIVE, ScriptedMachine};
use crate::language::tool::TOOLS;
use crate::language::toolchain::Toolchains;
use crate::program::{BuildVariant, Program, ProgramKind};
use crate::root::FilePath;
use crate::tree::{FileMode, Node};

fn rustc(machine: ScriptedMachine) -> ScriptedMachine {
    rustc_for("x86_64-unknown-linux-gnu", machine)
}

fn rustc_for(target: &str, machine: ScriptedMachine) -> ScriptedMachine {
    machine
        .with_tool("/h/.cargo/bin/rustc")
        .with_answer("--version", "rustc 1.95")
        .with_answer("--print", &format!("/h/rust\n/h/rust/lib/rustlib/{target}/lib\n"))
}

fn python(machine: ScriptedMachine) -> ScriptedMachine {
    machine
        .with_tool("/h/shims/python3")
        .with_answer("-I", "/h/py/bin/python3\nCPython 3.12\n/h/py\n/h/py\n")
}

fn java(machine: ScriptedMachine) -> ScriptedMachine {
    let settings = "java.home = /h/jdk\njava.version = 21\n";
    machine.with_tool("/h/bin/javac").with_answer("-J-XshowSettings", settings)
}

/// Files as `name=text`; a star before the name is the `x` bit.
fn plan_files(
    machine: ScriptedMachine,
    kind: ProgramKind,
    shape: SourceShape,
    files: &[&str],
) -> Result<BuildCommands, LaunchFault> {
    let files = files.iter().map(|file| {
        let (name, text) = file.split_once('=').unwrap_or((file, "x"));
        let mode = if name.starts_with('*') { FileMode::Executable } else { FileMode::Plain };
        let node = Node::File { blob: text.as_bytes().into(), mode };
        TreeEntry::new(name.trim_start_matches('*'), node)
    });
    let program =
        Program { name: "sub".into(), path: FilePath::root("sub"), kind, ..Program::default() };
    let sources = Sources { shape, files: files.collect(), ..Sources::default() };
    let recipe = launch_spec(&program, &sources)?;
    let mut plan = plan_commands(recipe, &program.variant, &Toolchains::new(Box::new(machine)))?;
    plan.define_macros(&program.definitions());
    Ok(plan)
}

fn shown(command: &Command) -> String {
    let dirs: Vec<String> =
        command.visible.iter().map(|visible| visible.inside.display().to_string()).collect();
    let dirs = if dirs.is_empty() { String::new() } else { format!(" [{}]", dirs.join(" ")) };
    format!("{}{dirs}", command.argv.join(" ")).replace(include_str!("../check.py"), "{check.py}")
}

/// Checks the commands of build and run of a submission, each as `argv [visible]`.
fn check(machine: ScriptedMachine, file: &str, build: &str, run: &str) {
    let plan = plan_files(machine, ProgramKind::Submission, SourceShape::File, &[file]);
    let shown = match &plan {
        Ok(plan) => {
            let build =
                plan.build.as_ref().map_or_else(|| "-".to_owned(), |step| shown(&step.command));
            [build, shown(&plan.start.command(&[], Some(Bytes::mib(512))))]
        }
        Err(fault) => [fault.to_string(), String::new()],
    };
    assert_eq!(shown, [build, run]);
}

#[test]
fn only_the_build_sees_the_compiler() {
    check(
        ScriptedMachine::default().with_gcc(NO_ARCHIVE),
        "a.c",
        "/usr/bin/gcc -x c -std=gnu17 -O2 -pipe -DONLINE_JUDGE -o program a.c -lm",
        "/program/program",
    );
    check(
        ScriptedMachine::default().with_gxx(ARCHIVE),
        "a.cpp",
        "/usr/bin/g++ -x c++ -std=gnu++20 -O2 -pipe -DONLINE_JUDGE -static -o program a.cpp",
        "/program/program",
    );
    check(
        rustc(ScriptedMachine::default().with_gcc(ARCHIVE)),
        "3n+1.rs",
        "/h/rust/bin/rustc --edition=2021 --crate-name=program --crate-type=bin -Copt-level=3 -Ccodegen-units=1 -Cstrip=symbols \
         -Ctarget-feature=+crt-static -Clinker=/usr/bin/gcc -Clink-arg=-fuse-ld=lld \
         -Clink-arg=-B/h/rust/lib/rustlib/x86_64-unknown-linux-gnu/bin/gcc-ld -o program 3n+1.rs [/h/rust]",
        "/program/program",
    );
}

#[test]
fn a_run_that_only_warns_makes_nothing() {
    let check = |machine: ScriptedMachine, file: &str, flags: &[&str], expected: Option<&str>| {
        let files = vec![TreeEntry::new(file, Node::plain(b"x".as_slice()))];
        let flags = flags.iter().map(|word| (*word).to_owned()).collect();
        let variant = BuildVariant { flags, ..BuildVariant::default() };
        let program = Program { path: FilePath::root(file), variant, ..Program::default() };
        let sources = Sources { shape: SourceShape::File, files, ..Sources::default() };
        let recipe = launch_spec(&program, &sources).expect("a recipe");
        let toolchains = Toolchains::new(Box::new(machine));
        let plan = plan_commands(recipe, &program.variant, &toolchains).expect("a plan");
        let built = plan.build.clone();
        let found = plan.for_warnings().map(|step| {
            assert_eq!(step.produces, None);
            shown(&step.command).split(" -Wreturn-type").next().unwrap_or_default().to_owned()
        });
        assert_eq!(found.as_deref(), expected, "{file}");
        assert_eq!(plan.build, built);
    };
    let gcc = || ScriptedMachine::default().with_gcc(NO_ARCHIVE);
    let words = "/usr/bin/gcc -x c -std=gnu17 -O2 -pipe -DONLINE_JUDGE";
    check(gcc(), "a.c", &[], Some(&format!("{words} a.c -lm -S")));
    check(gcc(), "a.c", &["-O1", "-DX"], Some(&format!("{words} -O1 -DX a.c -lm -S")));
    check(gcc(), "a.c", &["-fsanitize=address"], None);
    check(rustc(gcc()), "a.rs", &[], None);
}

/// Checks the commands of build and run, and the variables of the run, of a submission that is built like this.
fn check_variant(
    machine: ScriptedMachine,
    file: &str,
    variant: &BuildVariant,
    expected: [&str; 3],
) {
    let files = vec![TreeEntry::new(file, Node::plain(b"x".as_slice()))];
    let program =
        Program { path: FilePath::root(file), variant: variant.clone(), ..Program::default() };
    let sources = Sources { shape: SourceShape::File, files, ..Sources::default() };
    let recipe = launch_spec(&program, &sources).expect("a recipe");
    let plan = plan_commands(recipe, &program.variant, &Toolchains::new(Box::new(machine)));
    let plan = match plan {
        Ok(plan) => plan,
        Err(fault) => return assert_eq!(fault.to_string(), expected[0]),
    };
    let build = plan.build.as_ref().map_or_else(|| "-".to_owned(), |step| shown(&step.command));
    let run = plan.start.command(&[], None);
    let env: Vec<String> = run.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!([build, shown(&run), env.join(" ")], expected);
}

#[test]
fn a_variant_adds_words_to_the_commands() {
    let flags = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let debug = BuildVariant { language: None, debug: true, flags: flags(&["-DX=a b", "-O0"]) };
    let only_flags = BuildVariant { debug: false, ..debug.clone() };
    let only_debug = BuildVariant { flags: Vec::new(), ..debug.clone() };
    let gxx = || ScriptedMachine::default().with_gxx(ARCHIVE);
    let start = "/usr/bin/g++ -x c++ -std=gnu++20 -O2 -pipe -DONLINE_JUDGE";
    let end = "-DX=a b -O0 -o program a.cpp";
    let build = format!("{start} -static {end}");
    check_variant(gxx(), "a.cpp", &only_flags, [&build, "/program/program", ""]);
    let sanitizers =
        "-g -fsanitize=address,undefined -fno-sanitize-recover=all -D_GLIBCXX_DEBUG -DLOCAL";
    let build = format!("{start} {sanitizers} {end}");
    let env = "ASAN_OPTIONS=detect_leaks=0:disable_coredump=0:handle_abort=1:print_legend=0 UBSAN_OPTIONS=print_stacktrace=1";
    check_variant(gxx(), "a.cpp", &debug, [&build, "/program/program", env]);
    let check = "/h/py/bin/python3 -I -S -c {check.py} a.py [/h/py]";
    let run = "/h/py/bin/python3 -X dev /program/a.py [/h/py]";
    let python = || python(ScriptedMachine::default());
    check_variant(python(), "a.py", &only_debug, [check, run, "PYTHONDONTWRITEBYTECODE=1"]);
    let refused = "cannot be built with --flags: Python 3 is not compiled; leave --flags out";
    check_variant(python(), "a.py", &only_flags, [refused, "", ""]);
}

#[test]
fn rust_links_with_its_own_linker_if_it_has_one() {
    let build = |linker: &str| {
        format!(
            "/h/rust/bin/rustc --edition=2021 --crate-name=program --crate-type=bin -Copt-level=3 -Ccodegen-units=1 \
             -Cstrip=symbols -Clinker=/usr/bin/gcc {linker}-o program a.rs [/h/rust]",
        )
    };
    for target in [
        "x86_64-unknown-linux-gnu",
        "x86_64-unknown-linux-musl",
        "aarch64-unknown-linux-gnu",
        "riscv64gc-unknown-linux-gnu",
        "aarch64-apple-darwin",
        "x86_64-unknown-freebsd",
    ] {
        let machine = rustc_for(target, ScriptedMachine::default().with_gcc(NO_ARCHIVE));
        let dir = format!("/h/rust/lib/rustlib/{target}/bin/gcc-ld");
        let own = format!("-Clink-arg=-fuse-ld=lld -Clink-arg=-B{dir} ");
        check(machine.clone(), "a.rs", &build(&own), "/program/program");
        check(machine.without_path(&dir), "a.rs", &build(""), "/program/program");
    }
}

#[test]
fn the_run_sees_the_interpreter() {
    check(
        python(ScriptedMachine::default()),
        "a.py",
        "/h/py/bin/python3 -I -S -c {check.py} a.py [/h/py]",
        "/h/py/bin/python3 /program/a.py [/h/py]",
    );
    check(
        java(ScriptedMachine::default()),
        "a.java=class A { static void main(String[] a) {} }",
        "/h/jdk/bin/javac -J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1 -J-XX:-UsePerfData -encoding UTF-8 \
         -proc:none -d . a.java [/h/jdk]",
        "/h/jdk/bin/java -XX:+UseSerialGC -XX:-UsePerfData -Xss64m -Xmx512m -Dfile.encoding=UTF-8 -cp \
         /program A [/h/jdk]",
    );
}

/// A submission whose tool is missing is skipped.
#[test]
fn a_tool_that_cannot_start_is_a_fault_and_not_missing() {
    let asked = |machine: ScriptedMachine| {
        let toolchains = Toolchains::new(Box::new(machine));
        let missing =
            toolchains.find_named("python3", "run Python programs").expect_err("no Python");
        crate::judgement::JudgeError::from(missing)
    };
    let python = ScriptedMachine::default().with_tool("/usr/bin/python3");
    assert_eq!(asked(python.clone()).lacks.as_deref(), Some("python3"));
    let error = asked(python.with_machine_fault(""));
    assert_eq!(error.lacks, None);
    assert_eq!(error.again, crate::judgement::Retry::Possible);
    let message =
        "run Python programs: /usr/bin/python3 cannot be asked for its version: no more processes";
    assert_eq!(error.to_string(), message);
}

#[test]
fn a_missing_tool_names_the_package_to_install() {
    let missing = "cannot build C++ programs: g++ not found";
    check(ScriptedMachine::default(), "a.cpp", missing, "");
    let missing = "cannot build Rust programs: gcc not found";
    check(rustc(ScriptedMachine::default()), "a.rs", missing, "");
    let toolchains = Toolchains::new(Box::new(ScriptedMachine::default()));
    let missing = toolchains
        .find(&TOOLS[5], "build Java programs")
        .map_err(crate::judgement::JudgeError::from);
    let found = missing
        .map(|_| String::new())
        .unwrap_or_else(|fault| format!("{fault} ({})", fault.help.clone().unwrap_or_default()));
    let expected = "build Java programs: javac not found (install a Java development kit \
        (Debian: apt-get install default-jdk-headless))";
    assert_eq!(found, expected);
}

#[test]
fn a_source_named_like_an_option_is_no_option() {
    let machine = || ScriptedMachine::default().with_gcc(NO_ARCHIVE);
    let build = "/usr/bin/gcc -x c -std=gnu17 -O2 -pipe -DONLINE_JUDGE -o program";
    check(machine(), "-a.c", &format!("{build} ./-a.c -lm"), "/program/program");
    check(machine(), "@a.c", &format!("{build} ./@a.c -lm"), "/program/program");
}

/// Whichever of its files includes testlib.h.
#[test]
fn judge_programs_get_the_exit_code_for_partial_scores() {
    use ProgramKind::{Generator, InputValidator, OutputValidator, Submission};
    let check = |kind: ProgramKind, shape: SourceShape, files: &[&str], expected: &str| {
        let machine = ScriptedMachine::default().with_gxx(NO_ARCHIVE).with_gcc(NO_ARCHIVE);
        let plan = plan_files(machine, kind, shape, files).expect("a plan");
        let build = plan.build.map(|step| step.command.argv).unwrap_or_default();
        let words = build.into_iter().filter(|word| word.starts_with("-DPC_BASE_EXIT_CODE"));
        assert_eq!(words.collect::<Vec<_>>().join(" "), expected, "{kind:?} {files:?}");
    };
    let known = "-DPC_BASE_EXIT_CODE=50";
    let include = "check.cpp=#include \"testlib.h\"";
    check(OutputValidator, SourceShape::File, &[include], known);
    check(OutputValidator, SourceShape::Directory, &[include, "testlib.h"], known);
    check(OutputValidator, SourceShape::Directory, &["a.cc", "lib/b.cpp", "lib/all.h"], known);
    check(
        OutputValidator,
        SourceShape::Directory,
        &["a.cpp=#include \"../common/testlib.h\""],
        known,
    );
    check(InputValidator, SourceShape::Directory, &["v.cxx", "testlib.h"], known);
    check(Generator, SourceShape::File, &["gen.cpp"], known);
    check(OutputValidator, SourceShape::File, &["check.c"], known);
    check(Submission, SourceShape::File, &[include], "");
    check(OutputValidator, SourceShape::Directory, &["*build", "check.cpp"], "");
}

#[test]
fn the_binary_has_a_name_of_its_own() -> Result<(), LaunchFault> {
    let files = ["a.c", "program", "program_/x"];
    let machine = ScriptedMachine::default().with_gcc(NO_ARCHIVE);
    let plan = plan_files(machine, ProgramKind::Submission, SourceShape::Directory, &files)?;
    assert_eq!(shown(&plan.start.command(&[], None)), "/program/program__");
    assert_eq!(plan.build.and_then(|step| step.produces), Some("program__".into()));
    Ok(())
}

/// Checks the additions to the command line of a build for batches, and the files of that build.
fn check_batches(machine: ScriptedMachine, files: &[&str], expected: Option<[&str; 2]>) {
    let shape = match files {
        [_] => SourceShape::File,
        _ => SourceShape::Directory,
    };
    let plan = plan_files(machine, ProgramKind::Submission, shape, files).expect("a plan");
    let batches = plan.for_batches().map(|batches| {
        let is_built = plan.build.as_ref().is_some_and(|step| step.produces.is_some());
        let argv = |plan: &BuildCommands| match &plan.build {
            Some(step) if is_built => step.command.argv.clone(),
            _ => plan.start.command(&[], None).argv,
        };
        let mut added = argv(&batches);
        argv(&plan).iter().for_each(|word| {
            added.remove(added.iter().position(|other| other == word).expect(word));
        });
        let added = added.join(" ");
        let names = batches.files.iter().map(|file| file.name.to_string_lossy());
        let is_java = plan.language.code() == Some("java");
        assert_eq!(batches.start == plan.start, is_built && !is_java);
        assert_eq!(batches.start.for_one(), plan.start);
        [added, names.collect::<Vec<_>>().join(" ")]
    });
    let batches = batches.as_ref().map(|pair| [&*pair[0], &*pair[1]]);
    assert_eq!(batches, expected, "{files:?}");
}

#[test]
fn a_batch_source_has_a_name_of_its_own() {
    let c = || ScriptedMachine::default().with_gcc(NO_ARCHIVE);
    let wrap = "-Wl,--wrap=main";
    let added = format!("batch.c {wrap}");
    check_batches(c(), &["a.c"], Some([&added, "a.c batch.c"]));
    let renamed = format!("_batch.c {wrap}");
    check_batches(c(), &["a.c", "batch.c"], Some([&renamed, "a.c batch.c _batch.c"]));
    let cpp = ScriptedMachine::default().with_gxx(ARCHIVE);
    check_batches(cpp, &["a.cpp"], Some([&added, "a.cpp batch.c"]));
    let args = format!("-Clink-arg=-O2 -Clink-arg=-fPIC -Clink-arg=batch.c -Clink-arg={wrap}");
    let rust = rustc(ScriptedMachine::default().with_gcc(ARCHIVE));
    check_batches(rust, &["a.rs"], Some([&args, "a.rs batch.c"]));
    let python = || python(ScriptedMachine::default());
    check_batches(python(), &["a.py"], Some(["/program/batch.py", "a.py batch.py"]));
    check_batches(
        python(),
        &["__main__.py", "batch.py"],
        Some(["/program/_batch.py", "__main__.py batch.py _batch.py"]),
    );
    let class = "a.java=class A { static void main(String[] a) {} }";
    check_batches(
        java(ScriptedMachine::default()),
        &[class],
        Some(["batch.java", "a.java batch.java"]),
    );
}

#[test]
fn the_heap_follows_the_memory_limit() -> Result<(), LaunchFault> {
    let file = "a.java=package p; class A { static void main(String[] a) {} }";
    let plan = plan_files(
        java(ScriptedMachine::default()),
        ProgramKind::Submission,
        SourceShape::File,
        &[file],
    )?;
    let heap = |memory: Option<Bytes>| {
        let argv = plan.start.command(&["x".to_owned()], memory).argv;
        assert_eq!(argv[argv.len() - 2..], ["p.A", "x"]);
        argv.into_iter().find(|word| word.starts_with("-Xmx"))
    };
    assert_eq!(heap(Some(Bytes::mib(2048))).as_deref(), Some("-Xmx2048m"));
    assert_eq!(heap(Some(Bytes::mib(128))).as_deref(), Some("-Xmx128m"));
    assert_eq!(heap(Some(Bytes(0))).as_deref(), Some("-Xmx16m"));
    assert_eq!(heap(None), None);
    assert_eq!(plan.start.memory(Some(Bytes::mib(64))), Some(Bytes::mib(320)));
    assert_eq!(plan.start.memory(None), None);
    assert_eq!(plan.start.for_one().memory(Some(Bytes(0))), Some(Bytes::mib(256)));
    let step = plan.build.and_then(|step| step.produces);
    assert_eq!(step, Some("p/A.class".into()));
    Ok(())
}

/// 2025-09, "Other programs": scripts find `python3`, `cc` and `c++`
#[test]
fn scripts_find_python_and_the_compilers_by_name() -> Result<(), LaunchFault> {
    let files = ["*build=#!/bin/sh\n", "v.cpp"];
    let machine = python(ScriptedMachine::default().with_gcc(ARCHIVE).with_gxx(ARCHIVE));
    let plan = plan_files(machine, ProgramKind::OutputValidator, SourceShape::Directory, &files)?;
    let step = plan.build.as_ref().map(|step| shown(&step.command));
    assert_eq!(step.as_deref(), Some("/bin/sh /box/build [/h/py]"));
    let start = plan.start.command(&[], None);
    assert_eq!(shown(&start), "/program/run [/h/py]");
    let path = ("PATH".to_owned(), "/h/py/bin:/usr/local/bin:/usr/bin:/bin".to_owned());
    assert_eq!(start.env, [path]);
    Ok(())
}

#[test]
fn a_script_starts_with_the_interpreter_behind_the_wrapper() -> Result<(), LaunchFault> {
    let file = "*sol=#!/usr/bin/env python3\n";
    check(python(ScriptedMachine::default()), file, "-", "/h/py/bin/python3 /program/sol [/h/py]");
    let stranger = || python(ScriptedMachine::default()).with_foreign_program("/srv/p/python3");
    for (line, name) in [
        ("#!/srv/p/python3", "/srv/p/python3"),
        ("#!./python3", "./python3"),
        ("#!/usr/bin/env -S ../p/python3 -u", "../p/python3"),
    ] {
        let condition = "which is not in a directory of the system or of the search path";
        let fault = format!("`sol` needs `{name}`, {condition}; name an installed program");
        check(stranger(), &format!("*sol={line}\n"), &fault, "");
    }
    let run = ["*run=#!/usr/bin/env python3\n"];
    let machine = python(ScriptedMachine::default());
    let plan = plan_files(machine, ProgramKind::InputValidator, SourceShape::Directory, &run)?;
    assert_eq!(shown(&plan.start.command(&[], None)), "/h/py/bin/python3 /program/run [/h/py]");
    check(
        ScriptedMachine::default(),
        "*sol=#!/usr/bin/env lua\n",
        "`sol` needs `lua`, which is not on this machine; install it, or change the file that names it",
        "",
    );
    Ok(())
}

#[test]
fn a_cargo_project_is_built_without_a_network() -> Result<(), LaunchFault> {
    let files = ["Cargo.toml=[package]\nname = 'p'", "src/main.rs"];
    let machine = rustc(ScriptedMachine::default().with_gcc(ARCHIVE))
        .with_tool("/h/.cargo/bin/cargo")
        .with_tool("/h/rust/bin/cargo")
        .with_answer("--version", "cargo 1.95");
    let plan = plan_files(machine, ProgramKind::Submission, SourceShape::Directory, &files)?;
    let step = plan.build.as_ref().map(|step| shown(&step.command)).unwrap_or_default();
    assert_eq!(
        step,
        "/h/rust/bin/cargo build --release --offline --quiet --target-dir target --bin p [/h/rust]"
    );
    assert_eq!(shown(&plan.start.command(&[], None)), "/program/target/release/p");
    assert_eq!(plan.tools, ["gcc 12", "rustc 1.95", "cargo 1.95"]);
    Ok(())
}

#[test]
fn a_batch_of_c_tells_its_coverage() {
    let check = |machine: ScriptedMachine, file: &str, expected: Option<&str>| {
        let plan = plan_files(machine, ProgramKind::Submission, SourceShape::File, &[file]);
        let plan = plan.expect("a plan").for_batches_with_coverage();
        let last = plan.and_then(|plan| plan.build?.command.argv.pop());
        assert_eq!(last.as_deref(), expected, "{file}");
    };
    let flag = Some("-fsanitize-coverage=trace-pc,trace-cmp");
    check(ScriptedMachine::default().with_gcc(NO_ARCHIVE), "a.c", flag);
    check(ScriptedMachine::default().with_gxx(ARCHIVE), "a.cpp", flag);
}

/// Go ignores a `go.mod` in the directory for temporary files. The sandbox gives every run one of its own.
#[test]
fn a_build_has_another_directory_for_temporary_files() {
    let check = |machine: ScriptedMachine, kind: ProgramKind, files: &[&str]| {
        let plan = plan_files(machine, kind, SourceShape::Directory, files).expect("a plan");
        let env = plan.build.expect("a build").command.env;
        let is_temporary = |(name, value): &(String, String)| name == "TMPDIR" || value == "/box";
        assert!(!env.iter().any(is_temporary), "{env:?}");
    };
    let go =
        || ScriptedMachine::default().with_tool("/usr/bin/go").with_answer("env", "/usr/lib/go");
    check(go(), ProgramKind::Submission, &["a.go=func main() {}", "go.mod"]);
    check(go(), ProgramKind::Submission, &["a.go=func main() {}"]);
    check(java(ScriptedMachine::default()), ProgramKind::Submission, &["A.java=class A {}"]);
    check(python(ScriptedMachine::default()), ProgramKind::Submission, &["a.py"]);
    check(ScriptedMachine::default().with_gcc(ARCHIVE), ProgramKind::Submission, &["a.c"]);
    check(ScriptedMachine::default(), ProgramKind::InputValidator, &["*build=#!/bin/sh\n"]);
}
