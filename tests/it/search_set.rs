//! The set of `benches/search.rs`: each wrong program is wrong on its own input, which the grammar accepts.

#[path = "../../benches/search/set.rs"]
mod set;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use juror_grammar::compile::parse_grammar;
use juror_grammar::validate::accepts;
use set::{FailingInput, SearchProblem, read_problems};

/// Large inputs are for programs that are too slow, or need them: `cargo bench --bench search -- --check` runs these.
#[test]
fn each_wrong_program_differs_from_the_right_one_on_its_input() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let problems = read_problems();
    let count: usize = problems.iter().map(|it| it.wrong.len()).sum();
    assert!(count >= 60, "{count} wrong programs");
    for problem in &problems {
        let parsed = parse_grammar(Path::new("input.ctd"), problem.grammar.as_bytes());
        let grammar = parsed.grammar.unwrap_or_else(|| panic!("{}: the grammar", problem.name));
        let small: Vec<(usize, &str)> = problem
            .wrong
            .iter()
            .enumerate()
            .filter_map(|(index, wrong)| match &wrong.failing {
                FailingInput::Text(text) => Some((index, &**text)),
                FailingInput::Script(script) => {
                    assert!(script.contains("print"), "{}: {}", problem.name, wrong.name);
                    None
                }
            })
            .collect();
        if small.is_empty() {
            continue;
        }
        let program = build(dir.path(), problem);
        for (index, input) in small {
            let wrong = &problem.wrong[index];
            let title = format!("{}/{}", problem.name, wrong.name);
            assert!(accepts(&grammar, input.as_bytes()), "{title}: the grammar refuses its input");
            let right = run(Command::new(&program).arg("right"), input);
            let output = if wrong.language == "cpp" {
                run(Command::new(&program).arg(&wrong.name), input)
            } else {
                assert_eq!(wrong.language, "py", "{title}: this test runs no other language");
                run(Command::new("python3").args(["-c", &wrong.source]), input)
            };
            assert!(!right.is_empty(), "{title}: the right program writes nothing");
            assert_ne!(right, output, "{title}");
        }
    }
}

/// All programs of a problem in C++ as one, which is quicker: its argument says which of them runs.
fn build(dir: &Path, problem: &SearchProblem) -> std::path::PathBuf {
    let wrong = problem.wrong.iter().filter(|program| program.language == "cpp");
    let sources = std::iter::once(("right", &problem.right))
        .chain(wrong.map(|wrong| (&*wrong.name, &wrong.source)));
    let (mut includes, mut programs, mut calls) = (String::new(), String::new(), String::new());
    for (index, (name, source)) in sources.enumerate() {
        let (own, rest): (Vec<&str>, Vec<&str>) =
            source.lines().partition(|line| line.starts_with("#include"));
        includes += &(own.join("\n") + "\n");
        programs += &format!("namespace program_{index} {{\n{}\n}}\n", rest.join("\n"));
        calls +=
            &format!("    if (!strcmp(words[1], \"{name}\")) return program_{index}::main();\n");
    }
    let source = dir.join(format!("{}.cpp", problem.name));
    let text = format!(
        "#include <cstring>\n{includes}{programs}int main(int, char **words) {{\n{calls}    return 9;\n}}\n"
    );
    fs::write(&source, text).expect("a file");
    let program = dir.join(&problem.name);
    let status = Command::new("g++").arg("-w").arg("-o").arg(&program).arg(&source).status();
    assert!(status.is_ok_and(|it| it.success()), "{} does not build", problem.name);
    program
}

fn run(command: &mut Command, input: &str) -> Vec<u8> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a program");
    let mut pipe = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut pipe, input.as_bytes()).expect("the program reads");
    drop(pipe);
    child.wait_with_output().expect("a program").stdout
}
