//! Readers take linear work: checked with the worst texts of each format.
//!
//! Work is measured in bytes that a reader allocates, which is the same on every machine. A quadratic reader, such as
//! one that copies a line for each position in it, allocates four times as much for twice the text. Unit tests of
//! `statement::latex`, `package::polygon::xml` and `core::lines` count the steps of searches that allocate nothing.
//! Libraries read YAML, TOML, XML, Markdown and JSON in one pass, and regular expressions without backtracking.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write as _;
use std::io::Cursor;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use juror::grade::settings::LineSettings;
use juror_core::check::compare::compare;
use juror_core::check::options::Options;
use juror_core::event::StampedEvent;
use juror_core::language::essence::{without_spaces_and_comments, without_strings_and_comments};
use juror_core::pattern::Pattern;
use juror_core::root::FilePath;
use juror_grammar::bounds::{Coverage, bounds};
use juror_grammar::compile::parse_grammar;
use juror_packages::package::statements::statements;
use juror_packages::statement::render_page;

use crate::fixture::Fixture;

/// The system's allocator with a count of allocated bytes.
struct CountingAllocator;

static REQUESTED_BYTES: AtomicU64 = AtomicU64::new(0);

// SAFETY: the system does everything.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        REQUESTED_BYTES.fetch_add(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: the caller's promise is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the same.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        REQUESTED_BYTES.fetch_add(size as u64, Ordering::Relaxed);
        // SAFETY: the caller's promise is the same.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The smallest size of a text; the others are two and four times as large.
const BASE_SIZE: usize = 4 << 10;
/// Allowance for messages, of which there are at most a hundred, and for buffers.
const CONSTANT_BYTES: u64 = 512 << 10;
/// The most allocated bytes for each byte of text.
const MAX_BYTES_PER_BYTE: u64 = 4096;

#[test]
fn readers_take_linear_work() {
    let output = crate::sandbox::run_in_own_process("linear::check_all_formats", |_| {});
    let [text, errors] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    assert!(output.status.success(), "{text}{errors}");
}

/// Twice the text may allocate about twice the bytes.
fn check(what: &str, text: impl Fn(usize) -> String, reader: &dyn Fn(&str)) {
    let asked = [1, 2, 4].map(|times| {
        let text = text(times * BASE_SIZE);
        let before = REQUESTED_BYTES.load(Ordering::Relaxed);
        reader(&text);
        REQUESTED_BYTES.load(Ordering::Relaxed) - before
    });
    let [once, twice, four] = asked;
    // The difference leaves out allocations that do not depend on the size.
    let (first, second) = (twice.saturating_sub(once), four.saturating_sub(twice));
    assert!(second <= 3 * first + CONSTANT_BYTES, "{what}: {asked:?} bytes");
    assert!(four <= MAX_BYTES_PER_BYTE * 4 * BASE_SIZE as u64, "{what}: {asked:?} bytes");
}

/// Each text repeats one unit.
fn check_units(format: &str, units: &[&str], around: [&str; 2], reader: &dyn Fn(&str)) {
    for unit in units {
        let text = |size: usize| {
            let inside = unit.repeat(size / unit.len());
            format!("{}{inside}{}", around[0], around[1])
        };
        check(&format!("{format}: {unit:?}"), text, reader);
    }
}

fn numbered_text(
    start: &'static str,
    unit: impl Fn(usize) -> String,
    end: &'static str,
) -> impl Fn(usize) -> String {
    move |size| {
        let mut text = start.to_owned();
        for number in 0.. {
            if text.len() >= size {
                break;
            }
            text += &unit(number);
        }
        text + end
    }
}

/// Reads a package in which the file `name` has the text.
fn package_reader<'a>(fixture: &'a Fixture, name: &'a str) -> impl Fn(&str) + 'a {
    move |text| {
        fixture.write(name, text);
        let directory = name.split('/').next().expect("a directory");
        drop(juror_packages::package::read(&fixture.path(directory)));
    }
}

/// Counts allocations of the whole process, so it must run alone.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn check_all_formats() {
    check_settings();
    check_recipes();
    check_other_packages();
    check_statements();
    check_grammars();
    check_sources();
    check_lines();
    check_outputs();
}

const YAML: [&str; 12] =
    ["[", "{", "- ", "? ", "a: {", "&a ", "*a ", "'", "\"\\n", "a: b\n", "# c\n", "a: |\n  b\n"];

fn check_settings() {
    let start = "problem_format_version: 2025-09\nname: x\n";
    for name in ["problem.yaml", "submissions/submissions.yaml", "data/secret/test_group.yaml"] {
        let fixture = Fixture::new();
        let path = format!("sum/{name}");
        let reader = package_reader(&fixture, &path);
        check_units(name, &YAML, ["", ""], &reader);
        check_units(name, &["k: 1, ", "[], ", "*a, "], [start, "a: &a [x]\nb: {"], &reader);
        let line = numbered_text("keys: {", |at| format!("k{at}: 1, "), "}");
        check(&format!("{name}: keys on a line"), line, &reader);
        let anchors =
            numbered_text("a: [", |at| format!("&a{at} [x, *a{}], ", at.saturating_sub(1)), "]");
        check(&format!("{name}: anchors"), anchors, &reader);
        let patterns =
            numbered_text("", |at| format!("'*a*a{{b,{at}}}': {{permitted: [AC]}}\n"), "");
        check(&format!("{name}: patterns"), patterns, &reader);
    }
    let fixture = Fixture::new();
    let reader = package_reader(&fixture, "sum/juror.toml");
    check_units(
        "juror.toml",
        &["a.", "[", "a=1\n", "[[a]]\n", "# c\n", "\"\"\""],
        ["", ""],
        &reader,
    );
    check_units("juror.toml", &["1, ", "'a', ", "{a = 1}, ", "[1], "], ["a = [", "]\n"], &reader);
    check(
        "juror.toml: keys on a line",
        numbered_text("io = {", |at| format!("k{at} = 1, "), "z = 1}\n"),
        &reader,
    );
}

fn check_recipes() {
    let fixture = Fixture::new();
    let reader = |text: &str| {
        fixture.write("sum/generators/generators.yaml", text);
        let [path, directory] = ["sum/generators/generators.yaml", "sum"]
            .map(|path| FilePath::root(fixture.path(path)));
        drop(juror_packages::package::recipe::read(&path, &directory, &[], false));
    };
    check_units("recipe", &YAML, ["data: {secret: {data: ", ""], &reader);
    let start = "data: {secret: {data: {";
    check(
        "recipe: cases",
        numbered_text(start, |at| format!("a{at}: {{in: x}}, "), "}}}"),
        &reader,
    );
    check(
        "recipe: commands",
        numbered_text(start, |at| format!("a{at}: g.py {at}, "), "}}}"),
        &reader,
    );
    check(
        "recipe: groups",
        numbered_text(start, |at| format!("a{at}: {{data: {{b: g.py}}}}, "), "}}}"),
        &reader,
    );
    check(
        "recipe: faults",
        numbered_text(start, |at| format!("a{at}: {{b: 1}}, "), "}}}"),
        &reader,
    );
    let start = "data: {sample: {data: {b: {in: x}}}, secret: {include: [";
    check("recipe: links", numbered_text(start, |_| "sample, ".to_owned(), "]}}"), &reader);
}

const XML: &str = "<problem short-name='x' revision='1'><names><name language='english' value='X'/></names><judging>";

fn check_other_packages() {
    let fixture = Fixture::new();
    let reader = package_reader(&fixture, "polygon/problem.xml");
    check_units(
        "problem.xml",
        &["<a>", "<", "<!--", "<![CDATA[", "<?a?>", "&lt;", "<a b='"],
        ["", ""],
        &reader,
    );
    let units = ["<a/>", "<test/>", "<testset name='t'/>", "x ", "<a b='1'/>"];
    check_units("problem.xml", &units, [XML, "</judging></problem>"], &reader);
    fixture.write("library/sol/correct.cpp", "int main() {}\n");
    fixture.write("common/x.h", "");
    let reader = package_reader(&fixture, "library/info.toml");
    let start = "timelimit = 1.0\n[[tests]]\nname = 'a.in'\nnumber = 1\n";
    check(
        "info.toml: tests",
        numbered_text(start, |at| format!("[[tests]]\nname = 'a{at}.in'\nnumber = 1\n"), ""),
        &reader,
    );
    check("info.toml: keys", numbered_text(start, |at| format!("k{at} = 1\n"), ""), &reader);
    fixture.write("cms/task.yaml", "time_limit: 1\nname: cms\ntitle: x\n");
    fixture.write("cms/gen/generator.sh", "");
    fixture.write("cms/sol/solution.sh", "");
    fixture.write("cms/input/input0.txt", "1\n");
    let reader = package_reader(&fixture, "cms/gen/GEN");
    check_units(
        "GEN",
        &["1 2\n", "#ST: 1\n1\n", "#COPY: a\n", "# a\n", "'a'\n", "a ", "#"],
        ["", ""],
        &reader,
    );
    fixture.write("sinol/in/sinol1a.in", "1\n");
    fixture.write("sinol/prog/sinol.sh", "");
    let reader = package_reader(&fixture, "sinol/config.yml");
    let start = "time_limit: 1000\n";
    check("config.yml: keys", numbered_text(start, |at| format!("k{at}: 1\n"), ""), &reader);
    check(
        "config.yml: scores",
        numbered_text("time_limit: 1000\nscores: {", |at| format!("{at}: 0, "), "}"),
        &reader,
    );
}

fn check_statements() {
    let fixture = Fixture::new();
    fixture.remove("sum/statement/problem.en.md");
    fixture.write("sum/statement/a.png", "image");
    for ending in ["md", "tex"] {
        let name = format!("sum/statement/problem.en.{ending}");
        let reader = |text: &str| {
            fixture.write(&name, text);
            let problem =
                juror_packages::package::read(&fixture.path("sum")).problem.expect("a problem");
            let all = statements(&problem);
            drop(render_page(&problem, &all.iter().collect::<Vec<_>>()).expect("a page"));
        };
        let units: &[&str] = match ending {
            "md" => &[
                "[",
                "[a](",
                "*a_ ",
                "`",
                "> ",
                "- ",
                "<",
                "<!--",
                "![](a.png) ",
                "![](x.png) ",
                "{{nextsample}}",
                "{{",
                "$a$",
                "|a|\n",
                "[^1] ",
                "\\",
                "<b>",
            ],
            _ => &[
                "{",
                "\\begin{itemize}",
                "\\includegraphics[",
                "\\includegraphics{a}",
                "\\includegraphics{x}",
                "$",
                "%\n",
                "\\textbf{",
                "\\verb|",
                "\\def\\a{x}",
                "\\footnote{a}",
                "\\begin{tabular}{c}a&",
                "}",
                "\\ref{a}",
            ],
        };
        check_units(&name, units, ["", ""], &reader);
        fixture.remove(&name);
    }
    let name = "sum/data/sample/1.interaction";
    fixture.write("sum/statement/problem.en.md", "Text.\n");
    let reader = |text: &str| {
        fixture.write(name, text);
        let problem =
            juror_packages::package::read(&fixture.path("sum")).problem.expect("a problem");
        drop(
            render_page(&problem, &statements(&problem).iter().collect::<Vec<_>>())
                .expect("a page"),
        );
    };
    check_units("transcript", &[">1\n<2\n", "---\n", "\n", ">", "1\n"], ["", ""], &reader);
}

fn check_grammars() {
    let reader = |text: &str| {
        if let Some(grammar) = parse_grammar(Path::new("a.ctd"), text.as_bytes()).grammar {
            drop(bounds(&grammar, Some(&Coverage::new(&grammar))));
        }
    };
    let units = [
        "INT(1,2) ",
        "INT(1,2)\n",
        "(",
        "REP(1) ",
        "STRING(\"a\") ",
        "\"",
        "# a\n",
        "a[1]",
        "FOO(1) ",
        "INT(1 ",
        "é",
        "UNIQUE(a) ",
        "REGEX(\"[a-z]+\") ",
        "INT(1,2,a,",
    ];
    check_units("grammar", &units, ["", ""], &reader);
    check_units("grammar", &["1+", "-", "!", "1==1&&"], ["ASSERT(", "1)"], &reader);
    check("grammar: variables", numbered_text("", |at| format!("INT(1,2,v{at}) "), ""), &reader);
    check(
        "grammar: alternatives",
        numbered_text("REGEX(\"", |at| format!("a{at}|"), "\")"),
        &reader,
    );
}

fn check_sources() {
    for language in ["cpp", "java", "python3", "rust", "haskell"] {
        let reader = |text: &str| {
            drop(without_spaces_and_comments(language, text.as_bytes()));
            drop(without_strings_and_comments(language, text.as_bytes()));
        };
        let units = [
            "{",
            "/*",
            "//\n",
            "'",
            "\"\\",
            "\\\"",
            "#if 1\n",
            "#define A\n",
            "{-",
            "\"a\" ",
            "R\"(",
        ];
        check_units(language, &units, ["", ""], &reader);
        check_units(language, &["\\'/**/"], ["'", ""], &reader);
    }
    let fixture = Fixture::new();
    let reader = package_reader(&fixture, "sum/submissions/accepted/Main.java");
    check_units(
        "source",
        &["package a ", "class A {} ", "public ", "{{a}}", "@EXPECTED_RESULTS@: "],
        ["", ""],
        &reader,
    );
}

fn check_lines() {
    let reader =
        |text: &str| drop(LineSettings::default().parse_line(text.as_bytes(), |_| Ok(None)));
    check_units("line", &["[", "{\"a\":", "\"", "1", "\\u0000", " "], ["", ""], &reader);
    check_units("line", &["{},", "1,"], ["{\"cases\":[", "{}]}"], &reader);
    check("line: keys", numbered_text("{", |at| format!("\"k{at}\":1,"), "\"a\":1}"), &reader);
    let reader = |text: &str| drop(serde_json::from_str::<StampedEvent>(text));
    check_units("report", &["[", "{\"a\":", "\"", "1"], ["", ""], &reader);
    let reader = |text: &str| {
        let _ = Pattern::parse(text).map(|pattern| pattern.matches("accepted/aaaaaaaaaaaaaaaa.py"));
    };
    check_units("pattern", &["{a,b}", "*a", "{a,", "*", "[a]", "?", "{*,**}"], ["", ""], &reader);
}

fn check_outputs() {
    let reader = |text: &str| {
        let mut other = text.replace('1', "2");
        write!(other, " 3").expect("a text");
        let options = Options::parse(&[]).expect("options");
        drop(compare(Cursor::new(text), Cursor::new(other), &options));
    };
    check_units("output", &["1\n", "1 ", "1", "\n", "ab\n", " "], ["", ""], &reader);
}
