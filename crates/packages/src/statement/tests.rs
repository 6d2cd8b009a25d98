//! Tests of the translation of statements.

use std::fs;

use super::*;
use juror_core::program::Constant;
use juror_core::root::FilePath;

fn translate_text(form: StatementForm, text: &str) -> (String, Vec<String>) {
    let dir = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    };
    write("statement/problem", text);
    write("statement/a.png", "foob");
    write("statement/b.pdf", "%PDF");
    write("statement/c.JPG", "foob");
    write("secret.txt", "secret");
    std::os::unix::fs::symlink("/etc/passwd", dir.path().join("statement/out.png"))
        .expect("a link");
    let problem = Problem {
        dir: FilePath::root(dir.path()),
        names: vec![("en".to_owned(), "Sum & more".to_owned())],
        constants: vec![Constant { key: "n".to_owned(), value: "100".to_owned() }],
        ..Problem::default()
    };
    let path = problem.dir.join("statement/problem");
    let statement = Statement { language: "en".to_owned(), form, path };
    let page = render_page(&problem, &[&statement]).expect("a page");
    let (_, body) = page.html.split_once("</dl>\n").expect("facts");
    let body = body.split("</article>").next().unwrap_or_default().to_owned();
    let show = |it: &Diagnostic| {
        let position = it.place.spot.as_ref();
        format!("{}: {}", position.map_or(0, |spot| spot.line), it.message)
    };
    (body, page.remarks.iter().map(show).collect())
}

fn check(form: StatementForm, text: &str, html: &[&str], expected: &[&str]) {
    let (body, remarks) = translate_text(form, text);
    for piece in html {
        assert!(body.contains(piece), "{text}\nlacks {piece}:\n{body}");
    }
    assert_eq!(remarks, expected, "{text}\n{body}");
    for word in ["<script", "javascript:", "onerror=", "root:x", "<iframe"] {
        assert!(!body.to_lowercase().contains(word), "{text}\nhas {word}:\n{body}");
    }
}

#[test]
fn markdown_becomes_html() {
    let check = |text: &str, html: &[&str]| check(StatementForm::Markdown, text, html, &[]);
    check("## Input\n\nTwo *numbers*.", &["<h2>Input</h2>", "<p>Two <em>numbers</em>.</p>"]);
    check("# Sum\n## Input\n", &["<h2>Sum</h2>", "<h3>Input</h3>"]);
    check("| a | b |\n|--:|---|\n| 1 | 2 |\n", &["<table>", "text-align: right\">1</td>"]);
    check("A note[^1].\n\n[^1]: More.\n", &["href=\"#en-1\"", "id=\"en-1\""]);
    check("$1 \\le n$ and $$x^2$$", &["<math><mn>1</mn><mo", "<math display=\"block\"><msup>"]);
    let cases = "$$\\begin{cases} 1 \\\\[4pt] 2 & \\text{if $n$ is even} \\end{cases}$$";
    check(cases, &["<mtext>if", "</mtext><mi>n</mi><mtext>"]);
    check("At most {{n}} of ${{n}}$", &["At most 100 of <math><mn>100</mn>"]);
    check("a {{nextsample}}", &["a "]);
    check("![one](a.png)", &["<img src=\"data:image/png;base64,Zm9vYg==\" alt=\"one\""]);
    check("H<sub>2</sub>O <!-- no --><br>", &["H<sub>2</sub>O <br>"]);
    check("[a](https://a.example/?b=\"c)", &["<a href=\"https://a.example/?b=%22c\">"]);
}

#[test]
fn an_unknown_constant_is_reported() {
    check(StatementForm::Markdown, "a\n\nAt most {{m}}", &["{{m}}"], &["3: unknown constant `m`"]);
    let text = "{{nextsample}} {{m}} {{remainingsamples}}";
    check(StatementForm::Markdown, text, &["{{m}}"], &["1: unknown constant `m`"]);
    check(StatementForm::Markdown, "{{ m }} {{1}} {{ $a_{{x}}$ `{{m}}`", &["{{ m }}"], &[]);
}

#[test]
fn a_remark_has_its_position_in_the_source() {
    let check = |text: &str, expected: (u32, u32, u32)| {
        let source = StatementText::with_values(
            FilePath::root("p"),
            text.to_owned(),
            &[
                Constant { key: "n".to_owned(), value: "1".repeat(20) },
                Constant { key: "long.name".to_owned(), value: "x\ny".to_owned() },
                Constant { key: "none".to_owned(), value: String::new() },
            ],
        );
        let start = source.text.find('<').expect("a start");
        let end = source.text.find('>').expect("an end") + 1;
        let remark = source.new_remark(start..end, "odd".to_owned(), "").expect("a remark");
        let spot = remark.place.spot.expect("a spot");
        assert_eq!((spot.line, spot.column, spot.width), expected, "{text}");
        assert!(text.lines().any(|line| line == spot.text), "{text}: {}", spot.text);
    };
    check("<b>", (1, 1, 3));
    check("{{n}} <b>", (1, 7, 3));
    check("{{n}}{{long.name}}{{none}}{{m}} <b> {{n}}", (1, 33, 3));
    check("a\n{{long.name}}\n{{n}} <b{{n}}> {{n}}", (3, 7, 8));
    check("{{none}}<{{none}}b>{{none}}", (1, 9, 11));
}

/// A statement of 1 MiB can name an image of 8 MiB 50,000 times.
#[test]
fn the_images_of_a_page_are_bounded() {
    let remark = "1: the image `a` is left out: a statement has 1000 images at most";
    for name in ["a", "none"] {
        let (body, remarks) = translate_text(
            StatementForm::Latex,
            &format!("\\includegraphics{{{name}}}").repeat(1200),
        );
        assert_eq!(body.matches("<img ").count(), if name == "a" { 1000 } else { 0 });
        assert_eq!(
            remarks.last(),
            Some(&remark.replace("`a`", &format!("`{name}`"))),
            "{remarks:?}"
        );
    }
    let dir = tempfile::tempdir().expect("a directory");
    let large = fs::File::create(dir.path().join("a.png")).expect("a file");
    large.set_len(8 << 20).expect("a size");
    let path = FilePath::root(dir.path()).join("problem.en.md");
    let statement = Statement { language: "en".to_owned(), form: StatementForm::Markdown, path };
    let mut images = StatementImages::new(&Problem::default(), &statement);
    let found = (0..7).filter(|_| images.address("a.png").is_ok()).count();
    // In a page, each has a third more.
    assert_eq!(found, 5);
    let refused = images.address("a.png").expect_err("too many bytes");
    assert_eq!(refused, "all images of a statement have 64 MiB at most");
}

#[test]
fn hostile_markdown_is_text() {
    let check = |text: &str, html: &[&str], remarks: &[&str]| {
        check(StatementForm::Markdown, text, html, remarks)
    };
    let script = "`<script>` is shown as text";
    check(
        "a\n\n<script>alert(1)</script>\n",
        &["&lt;script&gt;"],
        &[&format!("3: {script}"), "3: `</script>` is shown as text"][..1],
    );
    check("x <img src=x onerror =alert(1)>", &["&lt;img"], &["1: `<img>` is shown as text"]);
    check("<b onclick=\"x\">b</b>", &["&lt;b onclick"], &["1: `<b>` is shown as text"]);
    check(
        "[a](javascript:alert)",
        &["<p>a</p>"],
        &["1: the link to `javascript:alert` is left out"],
    );
    check("[a](file:///x@y)", &["<p>a</p>"], &["1: the link to `file:///x@y` is left out"]);
    check("<me@example.org>", &["href=\"mailto:me@example.org\""], &[]);
    let image = |name: &str, why: &str| format!("1: the image `{name}` is left out: {why}");
    check("![a](out.png)", &["<em>a</em>"], &[&image("out.png", "it is outside of the package")]);
    check(
        "![a](../secret.txt)",
        &[],
        &[&image("../secret.txt", "a page shows .png, .jpg, .jpeg and .svg")],
    );
    let net = "https://a.example/b.png";
    check(&format!("![a]({net})"), &[], &[&image(net, "No such file or directory (os error 2)")]);
    let formula = "this formula is shown as written:";
    check(
        r"$\foo$",
        &["<code>\\foo</code>"],
        &[&format!("1: {formula} Unknown command \"\\foo\".")],
    );
    check(
        r"$\operatorname{</math><img src=x>}$",
        &["&lt;/math&gt;&lt;img"],
        &[&format!("1: {formula} it makes more than a formula")],
    );
    let deep = "{".repeat(1000) + &"}".repeat(1000);
    check(&format!("${deep}$"), &["<math>"], &[]);
    let long = "x".repeat(3000);
    check(&format!("${long}$"), &[], &[&format!("1: {formula} it has more than 2000 bytes")]);
}

#[test]
fn the_subset_of_latex_becomes_html() {
    let check = |text: &str, html: &[&str]| check(StatementForm::Latex, text, html, &[]);
    check("One\nline.\n\nTwo % no\n lines.", &["<p>One line.</p>\n<p>Two lines.</p>"]);
    check(
        r"\textbf{a \emph{b}} {\tt c--d} e--f",
        &["<strong>a <em>b</em></strong> <code>c--d</code> e–f"],
    );
    check(r"\problemyamlname\includegraphics{c}", &["<p>Sum &amp; more<img src=\"data:image/jpeg"]);
    check(
        r"At \url{https://a.example/b%20c} and \href{https://a.example/%2F}{d}. End",
        &["\"https://a.example/b%20c\">", "\"https://a.example/%2F\">d</a>. End"],
    );
    check(
        r"\newcommand{\pair}[2][n]{(#1, #2)}\pair{m} and \pair[a]{b}",
        &["<p>(n, m) and (a, b)</p>"],
    );
    check("{\\bf a\n\nb} c", &["<p><strong>a</strong></p>\n<p><strong>b</strong> c</p>"]);
    check(r"\bf{a} b", &["<strong>a</strong> b"]);
    check("``a'' `b' <<c>> d~e \\ldots{} 5\\% \\_ \\'e", &["“a” ‘b’ «c» d\u{a0}e … 5% _ é"]);
    check(
        r"\begin{Input}x\end{Input}\begin{Output}y\end{Output}",
        &["<h2>Input</h2>\n<p>x</p>", "<h2>Output</h2>\n<p>y</p>"],
    );
    check(r"\section*{A $n$}\subsection{B}", &["<h2>A <math><mi>n</mi></math></h2>", "<h3>B</h3>"]);
    check(
        "\\begin{itemize}\n\\item a\n\\item \\begin{enumerate}\\item b\\end{enumerate}\n\\end{itemize}",
        &["<ul>\n<li>a</li>\n<li><ol>\n<li>b</li>\n</ol>\n</li>\n</ul>"],
    );
    check(
        "\\begin{tabular}{|l|r|}\\hline\na & $\\begin{cases}1&2\\end{cases}$ \\\\ \\hline\n\\multicolumn{2}{c}{b} \\\\\n\\end{tabular}",
        &[
            "<table>\n<tr><td style=\"text-align:left\">a</td><td style=\"text-align:right\"><math>",
            "<td style=\"text-align:left\" colspan=\"2\">b</td></tr>\n</table>",
        ],
    );
    check(
        "\\begin{tabular}{ll}\\multirow{2}{*}{a} & b \\\\ & c\\end{tabular}",
        &[
            "<table class=\"plain\">",
            "rowspan=\"2\">a</td><td style=\"text-align:left\">b</td></tr>\n<tr><td style=\"text-align:left\">c</td>",
        ],
    );
    check(
        "\\begin{verbatim}\n%a{ $\\x\n\\end{verbatim} \\verb|$x_|",
        &["<pre>%a{ $\\x</pre>", "<code>$x_</code>"],
    );
    check(
        "\\begin{figure}[h]\\centering\\includegraphics[width=0.5\\textwidth]{a}\\caption{C}\\label{f}\\end{figure} \\ref{f}",
        &[
            "<img src=\"data:image/png;base64,Zm9vYg==\" alt=\"\" style=\"width:50.0%\">",
            "<figcaption>Figure 1: C</figcaption>\n</figure>\n<p>1</p>",
        ],
    );
    check(
        r"\illustration{0.3}{a.png}{By \href{https://a.example}{me}}",
        &[
            "<figure class=\"illustration\" style=\"width:30.0%\">",
            "By <a href=\"https://a.example\">me</a></figcaption>",
        ],
    );
    check(
        "\\def\\cf{fork\\texttrademark{}}\\newcommand{\\b}[1]{<#1>}\\def\\n{10^5}\\cf \\b{x} $\\n$",
        &["fork™", "<msup><mn>10</mn><mn>5</mn></msup>", "&lt;x&gt;"],
    );
    check(
        r"a\footnote{b} \constant{n} $\constant{n}$",
        &["a<sup>1</sup> 100 <math><mn>100</mn></math>", "<ol class=\"footnotes\">\n<li>b</li>"],
    );
    check(
        r"\epigraph{a}{b}\begin{quote}c\end{quote}\underline{d}\sout{e}\textsc{f}{\Huge g}",
        &["<p>a</p><p>— b</p>", "<blockquote>\n<p>c</p>", "<u>d</u><s>e</s>", "class=\"s10\">g"],
    );
    check(
        "\\[x\\] \\(y\\) $$z$$ \\begin{align*}a&=b\\end{align*}",
        &["<math display=\"block\"><mi>x</mi>"],
    );
}

#[test]
fn the_latex_of_polygon_becomes_html() {
    let check = |text: &str, html: &[&str]| check(StatementForm::Latex, text, html, &[]);
    check(
        "\\begin{problem}{A $n$}{a.in}{stdout}{1 second}{256 megabytes}\nText.\n\n\\InputFile\nOne.\n\\OutputFile\nTwo.\n\
         \\Interaction\nThree.\n\\Scoring\nFour.\n\\Examples\n\\begin{example}\n\\exmp{1 <2>}{3}%\n\\exmp{4}{5}%\n\
         \\end{example}\n\\Note\nFive.\n\\end{problem}\n",
        &[
            "<p>Text.</p>\n<h2>Input</h2>\n<p>One.</p>\n<h2>Output</h2>\n<p>Two.</p>\n<h2>Interaction</h2>\n<p>Three.</p>\n\
             <h2>Scoring</h2>\n<p>Four.</p>\n<table",
            "1 &lt;2&gt;\n</pre>",
            "Sample output 2",
            "<h2>Note</h2>\n<p>Five.</p>",
        ],
    );
    let missing = "0: the page cannot show this sample: No such file or directory (os error 2)";
    self::check(
        StatementForm::Latex,
        "\\exmpfile{secret}{a.png}",
        &["foob", "No such file"],
        &[missing],
    );
    check("\\newenvironment{x}[5]{\\problemname{#1}}{}a", &["<p>a</p>"]);
    check("\\newcommand{\\Note}{\\section*{N}}\\Note", &["<h2>N</h2>"]);
    // As written in a converted file.
    check("\\newcommand{\\exmpfile}[2]{}a\\exmpfile{secret}{b}", &["<p>a</p>"]);
}

#[test]
fn an_image_that_no_browser_shows_is_replaced_by_another() {
    let image = "<img src=\"data:image/png;base64,Zm9vYg==\"";
    let check = |name: &str, html: &[&str], remarks: &[&str]| {
        check(StatementForm::Latex, &format!("\\includegraphics{{{name}}}"), html, remarks);
    };
    check("a.pdf", &[image], &[]);
    check("a.eps", &[image], &[]);
    check("b", &[], &["1: the image `b` is left out: a page cannot show .pdf"]);
    check("b.pdf", &[], &["1: the image `b.pdf` is left out: a page cannot show .pdf"]);
}

#[test]
fn unknown_latex_is_reported_with_its_line() {
    let check = |text: &str, html: &[&str], remarks: &[&str]| {
        check(StatementForm::Latex, text, html, remarks)
    };
    check(
        "a\n\n\\foo{b} \\foo c",
        &["<p>b c</p>"],
        &["3: `\\foo` is unknown; it is left out, but its text is kept"],
    );
    check(
        "\\begin{foo}a\\end{foo}",
        &["<p>a</p>"],
        &["1: the environment `foo` is unknown; its text is kept"],
    );
    for (text, what) in [
        ("a } b", "}"),
        ("a { b", "{"),
        ("a $ b", "$"),
        ("\\end{x}", "\\end{x}"),
        ("\\begin{x}", "\\begin{x}"),
    ] {
        check(text, &[], &[&format!("1: `{what}` is left out: it has no match")]);
    }
    check("\\item", &[], &["1: `\\item` is outside a list"]);
    check(
        "\\def\\x#1;{[#1]}a\\x b",
        &["<p>ab</p>"],
        &["1: the macro \\x has a pattern, so it is left out"],
    );
    check(
        "\\includegraphics{none}",
        &[],
        &["1: the image `none` is left out: there is no none.png, .jpg, .jpeg or .svg"],
    );
    check(
        "\\includegraphics{b.gif}",
        &[],
        &["1: the image `b.gif` is left out: a page shows .png, .jpg, .jpeg and .svg"],
    );
    check(
        "\\href{javascript:x}{<script>}",
        &["&lt;script&gt;"],
        &["1: the link to `javascript:x` is left out"],
    );
    let deep = "{".repeat(5000) + &"}".repeat(5000);
    check(&deep, &[], &["1: groups are nested too deeply here; the rest is left out"]);
    check(
        "\\def\\a{\\a\\a}\\a",
        &[],
        &[
            "1: groups are nested too deeply here; the rest is left out",
            "1: macros make more than 1 MiB of text; the rest is left out",
        ],
    );
}

/// With time in the square of the text, each of these takes as long as all other tests together.
#[test]
fn a_statement_takes_linear_time() {
    const SIZE: usize = 100 << 10;
    let check = |form: StatementForm, unit: &str, expected: &str| {
        let (body, _) = translate_text(form, &unit.repeat(SIZE / unit.len()));
        assert!(body.contains(expected), "{unit}: {}", &body[..body.len().min(200)]);
    };
    for (unit, expected) in [
        ("{a", "a"),
        ("$a", "a"),
        ("\\(a", "a"),
        ("\\verb|a", "a"),
        ("\\begin{itemize}a", "a"),
        ("\\includegraphics[a", "a"),
        ("\\textbf{a", "a"),
        ("\\item[a", "a"),
        ("\\begin{tabular}[a", "a"),
    ] {
        check(StatementForm::Latex, unit, expected);
    }
    for unit in ["{{nextsample}}", "{{remainingsamples}}a", "{{a}}", "{{", "[a](b", "![", "<a "] {
        check(StatementForm::Markdown, unit, "");
    }
    let body = "#1".repeat(20_000);
    let macros = format!("\\newcommand{{\\a}}[1]{{{body}}}{}", "\\a{xxxxxxxxxx}".repeat(5000));
    let remark = "1: macros make more than 1 MiB of text; the rest is left out";
    assert_eq!(translate_text(StatementForm::Latex, &macros).1, [remark]);
}

/// Any text becomes a page; nothing hangs, and nothing in it becomes a tag.
#[test]
fn any_text_becomes_a_page() {
    let pieces = [
        "\\begin{tabular}{",
        "}",
        "{",
        "&",
        "\\\\",
        "$",
        "\\item",
        "\\end{itemize}",
        "%",
        "\\",
        "é",
        "[",
        "\\verb",
        "<",
    ];
    for first in pieces {
        for second in pieces {
            let text = format!("{first}{second}a{first}");
            for form in [StatementForm::Latex, StatementForm::Markdown] {
                let (body, _) = translate_text(form, &text);
                assert!(!body.contains("<script"), "{text}");
            }
        }
    }
}
