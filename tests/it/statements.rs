//! `juror statement`: statements as pages.

use std::fs;

use crate::fixture::Fixture;
use crate::golden;

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    let names = "name: {en: Sum, sv: Summa}\n";
    let settings = fixture.read("sum/problem.yaml").replace("name: Sum\n", names);
    fixture.write("sum/problem.yaml", settings);
    fixture.write(
        "sum/statement/problem.en.md",
        "Add two numbers, $1 \\le a, b \\le 10^9$.\n\n{{nextsample}}\n\n## Input\n\n![two](two.svg)\n",
    );
    fixture.write(
        "sum/statement/problem.sv.tex",
        "\\problemname{Summa $a+b$}\nAddera tv\\aa{} tal.\n\\begin{Input}\nTv\\aa{} tal.\n\\end{Input}\n",
    );
    fixture.write("sum/statement/two.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n");
    fixture
}

#[test]
fn a_page_has_the_statement_in_every_language() {
    let fixture = fixture();
    fixture.check("statement sum", 0, &["wrote sum.html (en, sv)"]);
    golden::file::check_snapshot("statement.html", &fixture.read("sum.html"));
    fixture.check("statement sum --language sv -o only.html", 0, &["wrote only.html (sv)"]);
    let page = fixture.read("only.html");
    assert!(page.contains("<html lang=\"sv\">") && !page.contains("Sample input"), "{page}");
    fixture.check("statement sum -o site/", 0, &["wrote site/sum.en.html", "site/sum.sv.html"]);
    assert!(fixture.read("site/sum.sv.html").contains("Exempel på indata 1"));
    fixture.check("statement sum -o - --language en", 0, &["<!DOCTYPE html>", "Sample output 1"]);
}

#[test]
fn samples_show_what_contestants_see() {
    let fixture = fixture();
    let shown = |messages: &[&str]| fixture.check("statement sum -o - --language en", 0, messages);
    fixture.write("sum/data/sample/1.in.statement", "1 <2>\n");
    shown(&["<pre>1 &lt;2&gt; </pre>", "<pre>3 </pre>"]);
    fixture.remove("sum/data/sample/1.in.statement");
    fixture.write("sum/data/sample/1.interaction", "<1 2\n>?\n>!\n<3\n---\n<4\n");
    shown(&[
        "Sample interaction 1",
        "<td><pre>1 2 </pre></td><td></td>",
        "<td></td><td><pre>? ! </pre></td>",
        "Pass 2",
    ]);
    fixture.write("sum/data/sample/1.interaction", "<1\r\n>>\r\n---\r\n<<>\r\n");
    shown(&[
        "<td></td><td><pre>&gt; </pre></td>",
        "Pass 2",
        "<td><pre>&lt;&gt; </pre></td><td></td>",
    ]);
    fixture.remove("sum/data/sample/1.interaction");
    std::os::unix::fs::symlink("/etc/passwd", fixture.path("sum/data/sample/1.in.statement"))
        .expect("a link");
    shown(&["warning: the page cannot show this sample: it is outside of the package"]);
    fixture.remove("sum/data/sample/1.in.statement");
    fixture.write("sum/data/sample/1.in.statement", "1 ".repeat(40_000));
    let why =
        ["cannot show this sample: it has more than 64 KiB", "<p>it has more than 64 KiB</p>"];
    shown(&why);
}

#[test]
fn unsupported_statements_get_a_message_with_a_way_out() {
    let fixture = fixture();
    fixture.check("statement sum --language de", 5, &["no such statement; available: en, sv"]);
    fixture.check("statement sum -o nowhere/a.html", 2, &["cannot write nowhere/a.html", "--out"]);
    fixture.check("statement nothing", 3, &["nothing"]);
    fixture.write("bare/1.in", "1\n");
    fixture.write("bare/1.ans", "1\n");
    fixture.check("statement bare", 3, &["has no statement that juror can show", "add statement/"]);
    fixture.write("sum/statement/problem.en.md", "<video> $\\foo$\n");
    fixture.check(
        "statement sum -o - --language en",
        0,
        &["problem.en.md:1:1", "`<video>` is shown as text", "Unknown command"],
    );
    fs::rename(
        fixture.path("sum/statement/problem.sv.tex"),
        fixture.path("sum/statement/problem.sv.pdf"),
    )
    .expect("a file");
    fixture.check(
        "statement sum --language sv",
        3,
        &["is a PDF, which cannot be converted to a page"],
    );
    let no_pdf = "--out: juror writes no PDF; give a file that ends with .html";
    fixture.check("statement sum --out sum.PDF", 2, &[no_pdf]);
    assert!(!fixture.path("sum.PDF").exists());
    let both = "--out - and --json both write to standard output";
    Fixture::new().check("statement sum --json --out -", 2, &[both]);
}

#[test]
fn a_pdf_next_to_other_statements_gets_a_warning() {
    let fixture = fixture();
    fixture.write("sum/statement/problem.fr.pdf", "%PDF");
    let expected = [
        "wrote sum.html (en, sv)",
        "is a PDF, which cannot be converted to a page",
        "problem.fr.pdf",
    ];
    fixture.check("statement sum", 0, &expected);
}

#[test]
fn polygon_statements_are_shown_in_each_language() {
    let fixture = Fixture::new();
    fixture.write(
        "p/problem.xml",
        "<problem short-name=\"sum\"><names><name language=\"english\" value=\"Sum\"/>\
         <name language=\"russian\" value=\"Сумма\"/></names><statements>\
         <statement language=\"english\" path=\"statements/english/problem.tex\" type=\"application/x-tex\"/>\
         <statement language=\"english\" path=\"statements/.html/english/problem.html\" type=\"text/html\"/>\
         <statement language=\"english\" path=\"statements/.pdf/english/problem.pdf\" type=\"application/pdf\"/>\
         <statement language=\"german\" path=\"../secret.tex\" type=\"application/x-tex\"/>\
         <statement language=\"french\" path=\"statements/.pdf/french/problem.pdf\" type=\"application/pdf\"/>\
         </statements><judging run-count=\"1\"><testset name=\"tests\"><time-limit>2000</time-limit>\
         <memory-limit>268435456</memory-limit><test-count>0</test-count>\
         <input-path-pattern>tests/%02d</input-path-pattern>\
         <answer-path-pattern>tests/%02d.a</answer-path-pattern><tests/></testset></judging></problem>",
    );
    fixture.write("secret.tex", "secret");
    let english = "p/statements/english";
    fixture.write(
        &format!("{english}/problem.tex"),
        "\\begin{problem}{The sum}{}{}{2 seconds}{}\nAdd $a$ and $b$.\n\\includegraphics{two.png}\n\
         \\InputFile\nTwo numbers.\n\\Example\n\\begin{example}\n\\exmpfile{example.01}{example.01.a}%\n\
         \\end{example}\n\\end{problem}\n",
    );
    fixture.write(&format!("{english}/two.png"), "png");
    fixture.write(&format!("{english}/example.01"), "1 2\n");
    fixture.write(&format!("{english}/example.01.a"), "3\n");
    fixture.write("p/statements/.html/english/problem.html", "<script>");
    fixture.write("p/statements/.pdf/english/problem.pdf", "%PDF");
    fixture.write("p/statements/.pdf/french/problem.pdf", "%PDF");
    let russian = "p/statement-sections/russian";
    for (name, text) in [
        ("legend.tex", "Сложите числа."),
        ("input.tex", "Два числа."),
        ("notes.tex", "Легко."),
        ("example.01", "5 8\n"),
        ("example.01.a", "13\n"),
    ] {
        fixture.write(&format!("{russian}/{name}"), text);
    }
    let expected = [
        "it is outside of the package",
        "wrote p.html (de, en, ru)",
        "is a PDF, which cannot be converted to a page",
        "french/problem.pdf",
    ];
    fixture.check("statement p", 0, &expected);
    let page = fixture.read("p.html");
    for piece in [
        "<h1>The sum</h1>",
        "<dt>Time limit</dt><dd>2 s</dd>",
        "src=\"data:image/png;base64,cG5n\"",
        "<h2>Input</h2>\n<p>Two numbers.</p>",
        "<pre>1 2\n</pre>",
        "<article lang=\"ru\" id=\"ru\" dir=\"auto\">\n<h1>Сумма</h1>",
        "<p>Сложите числа.</p>\n<h2>Входные данные</h2>\n<p>Два числа.</p>",
        "<pre>13\n</pre>",
        "<h2>Замечание</h2>\n<p>Легко.</p>",
    ] {
        assert!(page.contains(piece), "{piece}\n{page}");
    }
    assert!(!page.contains("secret") && !page.contains("<script"), "{page}");
    // Polygon's own page and PDF, and files for judges, are left out.
    fixture.check(
        "statement p --language fr",
        3,
        &["is a PDF, which cannot be converted to a page"],
    );
}

#[test]
fn a_statement_needs_no_complete_package() {
    let fixture = fixture();
    for part in ["data", "submissions", "input_validators"] {
        fs::remove_dir_all(fixture.path(&format!("sum/{part}"))).expect("a directory");
    }
    fixture.check("statement sum", 0, &["wrote sum.html"]);
}
