//! The smallest input on which a wrong program fails, found by enumeration, and a generator made from a grammar.
//!
//! Both programs are one, which forks for each input: so thousands of inputs take seconds, without a sandbox.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use juror_grammar::compile::parse_grammar;
use juror_grammar::enumerate::SmallInputs;
use juror_grammar::generate::generate;
use juror_grammar::program::Grammar;
use juror_grammar::shape;

/// Bounds of the enumeration.
const WORDS_MAX: usize = 10;
const INPUTS_MAX: usize = 4000;
/// The sizes of the generator, and the number of its inputs of a size.
pub(crate) const SIZE_MAX: u32 = 12;
const SEEDS: u64 = 1000;

/// Prints the number of the first input on which both programs differ.
const MAIN: &str = r#"
static int made(const char *text, size_t length) {
    int fd = memfd_create("x", 0);
    if (length && write(fd, text, length) != (ssize_t)length) abort();
    lseek(fd, 0, SEEK_SET);
    return fd;
}
static std::string ran(int (*program)(), const char *text, size_t length) {
    int in = made(text, length), out = made("", 0), status;
    pid_t child = fork();
    if (child == 0) {
        dup2(in, 0); dup2(out, 1); close(2); alarm(2);
        exit(program());
    }
    waitpid(child, &status, 0);
    std::string written(lseek(out, 0, SEEK_END), 0);
    if (pread(out, &written[0], written.size(), 0) < 0) abort();
    close(in); close(out);
    std::string words = std::to_string(status);
    char *save, *word = strtok_r(&written[0], " \n", &save);
    for (; word; word = strtok_r(0, " \n", &save)) words += std::string(" ") + word;
    return words;
}
int main(int, char **words) {
    // Closed before the first fork: a child that exits would move its position.
    std::vector<std::string> inputs;
    FILE *file = fopen(words[1], "rb");
    for (size_t length; fscanf(file, "%zu", &length) == 1;) {
        fgetc(file);
        inputs.emplace_back(length, 0);
        if (fread(&inputs.back()[0], 1, length, file) != length) abort();
    }
    fclose(file);
    for (size_t number = 0; number < inputs.size(); number++) {
        const char *text = inputs[number].data();
        size_t length = inputs[number].size();
        if (ran(right::main, text, length) != ran(wrong::main, text, length)) {
            printf("%zu\n", number);
            return 0;
        }
    }
    return 0;
}
"#;

pub(crate) fn grammar_of(text: &str) -> Grammar {
    let parsed = parse_grammar(Path::new("input.ctd"), text.as_bytes());
    parsed.grammar.expect("a grammar")
}

pub(crate) fn word_count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// `None` if no input of the list fails. Both sources are in C++.
pub(crate) fn smallest_failing(grammar: &Grammar, right: &str, wrong: &str) -> Option<String> {
    let listed = SmallInputs::new(grammar, 1).take(INPUTS_MAX);
    let listed = listed.filter_map(|small| String::from_utf8(small.text).ok());
    let mut inputs: Vec<String> = listed.filter(|text| word_count(text) <= WORDS_MAX).collect();
    inputs.sort_by_key(|text| (word_count(text), text.len()));
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = |name: &str| dir.path().join(name);
    let mut packed = String::new();
    inputs.iter().for_each(|text| write!(packed, "{}\n{text}", text.len()).expect("a text"));
    fs::write(path("inputs"), packed).expect("a file");
    let names = ["cstring", "string", "sys/mman.h", "sys/wait.h", "unistd.h", "vector"];
    let mut source: String = names.iter().map(|name| format!("#include <{name}>\n")).collect();
    for (name, text) in [("right", right), ("wrong", wrong)] {
        let (includes, rest): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.starts_with("#include"));
        let (includes, rest) = (includes.join("\n"), rest.join("\n"));
        let _ = writeln!(source, "{includes}\nnamespace {name} {{\n{rest}\n}}");
    }
    fs::write(path("both.cpp"), source + MAIN).expect("a file");
    let mut compiler = Command::new("g++");
    compiler.args(["-O1", "-w", "-o"]).args([path("both"), path("both.cpp")]);
    assert!(compiler.status().is_ok_and(|status| status.success()), "both programs build");
    let output = Command::new(path("both")).arg(path("inputs")).output().expect("it runs");
    let number = String::from_utf8_lossy(&output.stdout).trim().parse::<usize>().ok()?;
    inputs.get(number).cloned()
}

/// In C++: the inputs of each size, half of them with small values.
pub(crate) fn generator_source(grammar: &Grammar) -> String {
    let shapes = shape::applicable(grammar);
    let tiny = shapes.iter().find(|shape| shape.name == "tiny").cloned().unwrap_or(shape::RANDOM);
    let mut rows = String::new();
    let mut count = 0;
    for size in 1..=SIZE_MAX {
        for seed in 0..SEEDS {
            let shape = if seed % 2 == 0 { &shape::RANDOM } else { &tiny };
            let text = generate(grammar, &shape.with_count_limit(size), seed).unwrap_or_default();
            let text = String::from_utf8_lossy(&text).into_owned();
            if !text.is_empty() && text.len() < 400 {
                let _ = writeln!(rows, "{{{size}, {text:?}}},");
                count += 1;
            }
        }
    }
    format!(
        "#include <cstdio>\n#include <cstdlib>\n#include <vector>\nstruct Row {{ int size; const char *text; }};\n\
         const Row rows[] = {{\n{rows}}};\nint main(int, char **words) {{\n  int size = atoi(words[1]);\n  \
         std::vector<const char *> of;\n  for (int i = 0; i < {count}; i++) if (rows[i].size == size) of.push_back(rows[i].text);\n  \
         if (of.empty()) of.push_back(rows[0].text);\n  fputs(of[atoi(words[2]) % of.size()], stdout);\n}}\n"
    )
}
