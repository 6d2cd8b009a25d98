//! Tools are found on scripted machines.

use std::sync::atomic::Ordering;

use super::*;
use crate::language::tests::scripted::{ARCHIVE, NO_ARCHIVE, NO_PROCESSES, ScriptedMachine};

fn tools(machine: &ScriptedMachine) -> Toolchains {
    Toolchains::new(Box::new(machine.clone()))
}

fn named_tool(machine: &ScriptedMachine, name: &str) -> Lookup {
    tools(machine)
        .search(TOOLS.iter().find(|tool| tool.name() == name).expect("a row of the table"))
}

/// Checks the program and the directories that are visible for it, as `program | dir | version`.
fn check(machine: &ScriptedMachine, name: &str, shown: &str) {
    let result = match named_tool(machine, name) {
        Ok(found) => show_toolchain(&found),
        Err(tried) => {
            let tried: Vec<String> = tried
                .iter()
                .map(|candidate| format!("{}: {}", candidate.program.display(), candidate.fault))
                .collect();
            format!("none: {}", tried.join(", "))
        }
    };
    assert_eq!(result, shown);
}

fn show_toolchain(found: &Toolchain) -> String {
    let visible: Vec<String> =
        found.visible.iter().map(|path| path.display().to_string()).collect();
    format!("{} | {} | {}", found.program.display(), visible.join(" "), found.version)
}

const SHIM: &str = "/home/u/.pyenv/shims/python3";
const PYENV: &str = "/home/u/.pyenv/versions/3.11.7/bin/python3\nCPython 3.11.7\n\
    /home/u/.pyenv/versions/3.11.7\n/home/u/.pyenv/versions/3.11.7\n";
const SYSTEM_PYTHON: &str = "/usr/bin/python3\nCPython 3.11.2\n/usr\n/usr\n";

#[test]
fn python_is_found_behind_a_shim() {
    let machine = ScriptedMachine::default().with_tool(SHIM).with_answer("-I", PYENV);
    let shown = "/home/u/.pyenv/versions/3.11.7/bin/python3 | /home/u/.pyenv/versions/3.11.7 | CPython 3.11.7";
    check(&machine, "python3", shown);
}

#[test]
fn a_shim_without_a_version_is_skipped() {
    let machine = ScriptedMachine::default()
        .with_tool(SHIM)
        .with_tool("/usr/bin/python3")
        .with_answer("-I", SYSTEM_PYTHON);
    check(&machine, "python3", "/usr/bin/python3 |  | CPython 3.11.2");
    let machine = ScriptedMachine::default().with_tool(SHIM);
    check(&machine, "python3", "none: /home/u/.pyenv/shims/python3: exit status: 127");
    check(&ScriptedMachine::default(), "python3", "none: ");
    let machine = ScriptedMachine::default().with_tool(SHIM).with_answer("-I", "hello\n");
    check(
        &machine,
        "python3",
        "none: /home/u/.pyenv/shims/python3: printed something that juror does not understand: \"hello\"",
    );
}

/// Whether a tool exists is unknown then, and no other tool replaces it.
#[test]
fn a_tool_that_the_machine_cannot_start_is_not_missing() {
    let check = |machine: &ScriptedMachine, name: &str, program: &str| {
        check(machine, name, &format!("none: {program}: {NO_PROCESSES}"));
    };
    let python = ScriptedMachine::default().with_tool(SHIM).with_machine_fault("-I");
    let python = python.with_tool("/usr/bin/python3").with_answer("-I", SYSTEM_PYTHON);
    check(&python, "python3", SHIM);
    let machine = ScriptedMachine::default().with_tool("/usr/bin/javac").with_machine_fault("-J");
    let properties = "java.home = /usr/lib/jvm\njava.version = 17\n";
    let machine = machine.with_tool("/usr/bin/java").with_answer("-X", properties);
    check(&machine, "java", "/usr/bin/javac");
    let machine = ScriptedMachine::default().with_tool("/usr/bin/rustc").with_machine_fault("");
    let machine = machine.with_tool("/usr/bin/cargo").with_answer("--version", "cargo 1");
    check(&machine, "cargo", "/usr/bin/cargo");
    let machine =
        ScriptedMachine::default().with_tool("/usr/bin/gcc").with_answer("--version", "gcc 12");
    check(&machine.with_machine_fault("-print"), "gcc", "/usr/bin/gcc");
    for name in ["python3", "/usr/bin/python3"] {
        let tried = find_program(&tools(&python), name).expect_err("nothing starts");
        assert_eq!(tried[0].fault, AskFault::Machine(NO_PROCESSES.to_owned()), "{name}");
    }
}

#[test]
fn a_virtual_environment_sees_its_base_installation() {
    let answer = "/home/u/p/venv/bin/python3\nCPython 3.12.1\n/home/u/p/venv\n/home/u/uv/3.12\n";
    let machine = ScriptedMachine::default()
        .with_tool("/home/u/p/venv/bin/python3")
        .with_answer("-I", answer)
        .with_link("/home/u/p/venv/bin/python3", "/home/u/uv/3.12/bin/python3.12");
    check(
        &machine,
        "python3",
        "/home/u/p/venv/bin/python3 | /home/u/p/venv /home/u/uv/3.12 | CPython 3.12.1",
    );
}

#[test]
fn a_link_through_etc_is_visible() {
    let machine = ScriptedMachine::default()
        .with_gcc(NO_ARCHIVE)
        .with_link("/usr/bin/gcc", "/etc/alternatives/gcc")
        .with_link("/etc/alternatives/gcc", "/usr/bin/gcc-12");
    check(&machine, "gcc", "/usr/bin/gcc | /etc/alternatives/gcc | gcc 12");
}

#[test]
fn a_script_that_finds_its_home_by_links_starts_there() {
    let machine = ScriptedMachine::default()
        .with_tool("/usr/bin/scalac")
        .with_answer("-version", "Scala 2")
        .with_tool("/usr/share/scala/bin/scalac")
        .with_answer("-version", "Scala 2")
        .with_link("/usr/bin/scalac", "/etc/alternatives/scalac")
        .with_link("/etc/alternatives/scalac", "/usr/share/scala/bin/scalac");
    check(&machine, "scalac", "/usr/share/scala/bin/scalac |  | Scala 2");
}

#[test]
fn an_installation_in_the_home_does_not_expose_the_home() {
    let answer = "/home/u/bin/python3\nCPython 3.9.0\n/home/u\n/home/u\n";
    let machine =
        ScriptedMachine::default().with_tool("/home/u/bin/python3").with_answer("-I", answer);
    let dirs = "/home/u/bin /home/u/lib /home/u/lib64 /home/u/libexec /home/u/include";
    check(&machine, "python3", &format!("/home/u/bin/python3 | {dirs} | CPython 3.9.0"));
}

#[test]
fn a_store_is_visible_as_a_whole() {
    let answer = "/nix/store/a-python/bin/python3\nCPython 3.13.0\n/nix/store/a-python\n/nix/store/a-python\n";
    let machine = ScriptedMachine::default()
        .with_tool("/home/u/.nix-profile/bin/python3")
        .with_answer("-I", answer);
    check(&machine, "python3", "/nix/store/a-python/bin/python3 | /nix/store | CPython 3.13.0");
}

#[test]
fn rust_is_found_behind_rustup_and_in_the_system() {
    let machine = ScriptedMachine::default()
        .with_tool("/home/u/.cargo/bin/rustc")
        .with_answer("--version", "rustc 1.95.0\n")
        .with_answer("--print", "/home/u/.rustup/toolchains/stable\n")
        .with_tool("/home/u/.cargo/bin/cargo")
        .with_tool("/home/u/.rustup/toolchains/stable/bin/cargo")
        .with_answer("--version", "cargo 1.95.0\n");
    let root = "/home/u/.rustup/toolchains/stable";
    check(&machine, "rustc", &format!("{root}/bin/rustc | {root} | rustc 1.95.0"));
    check(&machine, "cargo", &format!("{root}/bin/cargo | {root}/bin/cargo | cargo 1.95.0"));
    let machine = ScriptedMachine::default()
        .with_tool("/usr/bin/rustc")
        .with_answer("--version", "rustc 1.63.0\n")
        .with_answer("--print", "/usr\n");
    check(&machine, "rustc", "/usr/bin/rustc |  | rustc 1.63.0");
}

#[test]
fn java_comes_from_the_home_of_its_compiler_with_its_settings() {
    let settings = "Property settings:\n    java.home = /opt/jdk\n    java.version = 21.0.1\n";
    let machine = ScriptedMachine::default()
        .with_tool("/usr/bin/java")
        .with_answer("-XshowSettings", "    java.home = /usr/lib/jvm/8\n    java.version = 1.8\n")
        .with_tool("/home/u/.sdkman/bin/javac")
        .with_answer("-J-XshowSettings", settings)
        .with_link("/opt/jdk/conf/net.properties", "/etc/java-21/net.properties")
        .with_link("/opt/jdk/lib/cacerts", "/etc/ssl/certs/java/cacerts");
    check(&machine, "javac", "/opt/jdk/bin/javac | /opt/jdk /etc/java-21 | javac 21.0.1");
    check(&machine, "java", "/opt/jdk/bin/java | /opt/jdk /etc/java-21 | java 21.0.1");
    let machine = ScriptedMachine::default()
        .with_tool("/usr/bin/java")
        .with_answer("-XshowSettings", "    java.home = /usr/lib/jvm/8\n    java.version = 1.8\n");
    check(&machine, "java", "/usr/lib/jvm/8/bin/java |  | java 1.8");
    let machine = machine.without_path("/usr/lib/jvm/8/bin/java");
    check(&machine, "java", "none: /usr/bin/java: has no /usr/lib/jvm/8/bin/java");
}

#[test]
fn node_go_and_perl_report_their_homes() {
    let machine = ScriptedMachine::default()
        .with_tool("/home/u/.nvm/versions/node/v20/bin/node")
        .with_answer("-p", "/home/u/.nvm/versions/node/v20/bin/node\nnode v20.1.0\n/home/u/.nvm/versions/node/v20\n")
        .with_tool("/home/u/go/shims/go")
        .with_answer("env GOROOT", "/opt/go\n")
        .with_answer("env GOVERSION", "go1.24.1\n")
        .with_tool("/usr/bin/perl")
        .with_answer(
            "-MConfig",
            "/usr/bin/perl\nperl 5.36.0\n/usr\n/usr/share/perl/5.36\n/usr/lib/perl/5.36\n",
        );
    let node = "/home/u/.nvm/versions/node/v20";
    check(&machine, "node", &format!("{node}/bin/node | {node} | node v20.1.0"));
    check(&machine, "go", "/opt/go/bin/go | /opt/go | go1.24.1");
    check(&machine, "perl", "/usr/bin/perl |  | perl 5.36.0");
}

#[test]
fn a_compiler_cache_is_skipped() {
    let machine = ScriptedMachine::default()
        .with_tool("/usr/lib/ccache/gcc")
        .with_answer("--version", "gcc 12")
        .with_link("/usr/lib/ccache/gcc", "/usr/bin/ccache")
        .with_gcc(ARCHIVE);
    check(&machine, "gcc", "/usr/bin/gcc |  | gcc 12");
}

#[test]
fn programs_are_linked_statically_if_the_archives_exist() {
    let linking =
        |machine: &ScriptedMachine| named_tool(machine, "gcc").map(|tool| tool.linking).ok();
    assert_eq!(linking(&ScriptedMachine::default().with_gcc(ARCHIVE)), Some(Linking::Static));
    assert_eq!(linking(&ScriptedMachine::default().with_gcc(NO_ARCHIVE)), Some(Linking::Dynamic));
}

/// A machine with tools of the user, and programs that a package has.
fn with_foreign_programs() -> ScriptedMachine {
    let java = "    java.home = /usr/lib/jvm/17\n    java.version = 17\n";
    ScriptedMachine::default()
        .with_tool(SHIM)
        .with_answer("-I", PYENV)
        .with_tool("/home/u/.pyenv/shims/python3.11")
        .with_tool("/home/u/.pyenv/shims/python3.8")
        .with_link(
            "/home/u/.pyenv/versions/3.11.7/bin/python3.11",
            "/home/u/.pyenv/versions/3.11.7/bin/python3",
        )
        .with_tool("/usr/bin/java")
        .with_answer("-XshowSettings", java)
        .with_link("/usr/bin/java", "/usr/lib/jvm/17/bin/java")
        .with_link("/usr/lib/jvm/17/conf", "/etc/java-17")
        .with_tool("/home/u/bin/lua")
        .with_foreign_program("/srv/p/python3")
        .with_foreign_program("/srv/p/bin/python3")
        .with_foreign_program("/srv/p/node")
        .with_foreign_program("/srv/p/perl5.36.0")
        .with_foreign_program("/srv/p/run")
        .with_foreign_program("/usr/bin/python3.11")
        .with_foreign_program("python3")
        .with_foreign_program("bin/python3")
        .with_foreign_program("/usr/../srv/p/python3")
}

#[test]
fn a_program_named_by_a_script_is_never_queried() {
    let check = |name: &str, expected: &str| {
        let result = match find_program(&tools(&with_foreign_programs()), name) {
            Ok(found) => show_toolchain(&found),
            Err(tried) => format!("none, {} asked", tried.len()),
        };
        assert_eq!(result, expected, "{name}");
    };
    let own = "/home/u/.pyenv/versions/3.11.7/bin/python3 | /home/u/.pyenv/versions/3.11.7 | CPython 3.11.7";
    check("python3", own);
    check("python", own);
    // The version that is behind the wrapper is the tool's own; another one is not.
    check("python3.11", own);
    check("python3.8", "/home/u/.pyenv/shims/python3.8 | /home/u/.pyenv/shims/python3.8 | ");
    check("/usr/bin/python3.11", "/usr/bin/python3.11 |  | ");
    check("/usr/bin/java", "/usr/lib/jvm/17/bin/java | /etc/java-17 | java 17");
    check("lua", "/home/u/bin/lua | /home/u/bin/lua | ");
    check("/home/u/bin/lua", "/home/u/bin/lua | /home/u/bin/lua | ");
    for elsewhere in [
        "/srv/p/python3",
        "/srv/p/bin/python3",
        "/srv/p/node",
        "/srv/p/perl5.36.0",
        "/srv/p/run",
        "/usr/../srv/p/python3",
        "bin/python3",
        "./python3",
        "../python3",
        "/",
        "..",
        "",
    ] {
        check(elsewhere, "none, 0 asked");
    }
}

#[test]
fn a_typed_interpreter_sees_its_installation() {
    let machine =
        with_foreign_programs().with_link("/home/u/venv/bin/python3", "/opt/py/bin/python3.12");
    let check = |typed: &str, expected: &str| {
        assert_eq!(show_toolchain(&toolchain_without_query(&machine, Path::new(typed))), expected);
    };
    check("/home/u/venv/bin/python3", "/home/u/venv/bin/python3 | /home/u/venv /opt/py | ");
    check("/srv/p/python3", "/srv/p/python3 | /srv/p/python3 | ");
}

#[test]
fn tools_are_known_by_their_names() {
    let check = |name: &str, expected: Option<&str>| {
        assert_eq!(known_interpreter(name).map(Tool::name), expected, "{name}");
    };
    check("python3.12", Some("python3"));
    check("/home/u/venv/bin/python", Some("python3"));
    check("pypy3", Some("pypy3"));
    check("pypy3.10", Some("pypy3"));
    check("perl5.36.0", Some("perl"));
    check("a.out", None);
    check("javap", None);
}

#[test]
fn each_tool_is_queried_once() {
    let java = "java.home = /opt/jdk\njava.version = 21\n";
    let machine = ScriptedMachine::default()
        .with_tool("/opt/jdk/bin/javac")
        .with_answer("-J-XshowSettings", java)
        .with_tool("/usr/bin/rustc")
        .with_answer("--", "/usr\n")
        .with_tool("/usr/bin/cargo")
        .with_answer("--version", "cargo 1")
        .with_tool("/usr/bin/python3")
        .with_answer("-I", SYSTEM_PYTHON);
    let check = |names: &[&str], expected: usize| {
        let tools = tools(&machine);
        let before = machine.queries.load(Ordering::Relaxed);
        let search = |name: &str| {
            let row = TOOLS.iter().find(|tool| tool.name() == name).expect("a row of the table");
            assert!(tools.search(row).is_ok() && tools.find_named(name, "run").is_ok(), "{name}");
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                names.iter().for_each(|name| _ = scope.spawn(|| search(name)));
            }
        });
        let asked = machine.queries.load(Ordering::Relaxed) - before;
        assert_eq!(asked, expected, "{names:?}");
    };
    check(&["python3"], 1);
    check(&["java"], 1);
    check(&["javac", "java"], 1);
    check(&["cargo", "rustc"], 3);
}
