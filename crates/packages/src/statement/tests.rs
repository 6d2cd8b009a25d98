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
    let show = |diagnostic: &Diagnostic| {
        let position = diagnostic.place.spot.as_ref();
        format!("{}: {}", position.map_or(0, |spot| spot.line), diagnostic.message)
    };
    (body, page.diagnostics.iter().map(show).collect())
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
        &["<p><code>\\foo</code>b <code>\\foo</code> c</p>"],
        &["3: `\\foo` is unknown; it is shown as written"],
    );
    check(
        "\\begin{foo}a\\end{foo}",
        &["<p><code>\\begin{foo}</code>a<code>\\end{foo}</code></p>"],
        &["1: the environment `foo` is unknown; its text is kept"],
    );
    for (text, what) in [
        ("a } b", "}"),
        ("a { b", "{"),
        ("a $ b", "$"),
        ("\\end{x}", "\\end{x}"),
        ("\\begin{x}", "\\begin{x}"),
    ] {
        let source = format!("<code>{what}</code>");
        check(text, &[&source], &[&format!("1: `{what}` is shown as written: it has no match")]);
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

/// What a reader sees of a LaTeX statement without samples, in one line.
fn visible_text(text: &str) -> (String, Vec<String>) {
    let (body, remarks) = translate_text(StatementForm::Latex, text);
    let tags: String =
        body.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
    let shown = ["&amp;", "&lt;", "&gt;", "&#39;", "&quot;"].iter().zip("&<>'\"".chars());
    let shown = shown.fold(tags, |text, (name, c)| text.replace(name, &c.to_string()));
    (shown.split_whitespace().collect::<Vec<_>>().join(" "), remarks)
}

#[test]
fn nothing_in_latex_vanishes_or_becomes_junk() {
    let check = |text: &str, expected: &str| {
        let (shown, remarks) = visible_text(text);
        assert_eq!(shown, expected, "{text}: {remarks:?}");
        assert_eq!(remarks, [""; 0], "{text}");
    };
    // Accents without a letter.
    check(r"10\^{}5 \texttt{2\^{}n} host/\~{}user x\^{ }y \'{}", "10^5 2^n host/~user x^y ´");
    check(r"\'{\i} \^\j \v{s}\c{}", "í ĵ š¸");
    // Rows of tables.
    check("\\begin{tabular}{ll}1&2\\\\[2pt]3&4\\\\*5&6\\\\ [1ex]7&8\\end{tabular}", "12 34 56 78");
    check(
        "\\begin{tabular}{l}1\\\\[-0.5\\baselineskip]2\\\\*[1 em plus 2pt]3\\end{tabular}",
        "1 2 3",
    );
    check("\\begin{tabular}{l}[1, 2]\\\\ [3, 4]\\\\{}[5]\\end{tabular}", "[1, 2] [3, 4] [5]");
    check(r"\begin{tabular*}{5cm}[t]{ll} a & b \\ \end{tabular*}", "ab");
    check(r"\begin{tabular}[t]{*{2}{c|}@{}r} \cmidrule(lr){1-2} a & b & c \end{tabular}", "abc");
    check(r"\begin{tabular}{l} \toprule[2pt] a \\ \hline \hhline{-} b \end{tabular}", "a b");
    check(r"\begin{tabular}{ll} \multirow[t]{2}{*}[3pt]{a} & b \\ & c \end{tabular}", "ab c");
    check(
        r"\begin{tabular}{ll} \multicolumn{2}{c}{a} b \tabularnewline c & d\end{tabular}",
        "ab cd",
    );
    check("one\\\\*two\\\\[2pt]three\\newline four\\linebreak[4]five", "one two three four five");
    check(
        "\\begin{center}5\\% a\\end{center} \\begin{itemize}\\item 10\\%\\end{itemize}",
        "5% a 10%",
    );
    // Text that is no LaTeX.
    check(
        "\\begin{center}\\begin{verbatim}%\\end{center}\\end{verbatim}\\end{center}",
        "%\\end{center}",
    );
    check("\\begin{verbatim}%\\end{verbatim}\\begin{lstlisting}a %\\end{lstlisting}", "% a %");
    check(
        r"\lstinline|x_y| \lstinline[language=C]!%! \lstinline{a_b} \verb*|c| \Verb+d+",
        "x_y % a_b c d",
    );
    check(
        r"\mintinline{cpp}|a%b| \path|c:\d| \url|https://a.example/%7e|",
        "a%b c:\\d https://a.example/%7e",
    );
    check("\\begin{verbatim}[1, 2]\n\\end{verbatim}", "[1, 2]");
    check(
        "\\begin{minted}[linenos]{cpp}\na\n\\end{minted}\\begin{Verbatim}[x=y]\n%b\n\\end{Verbatim}",
        "a %b",
    );
    // Lengths, counters and stars.
    check("z\\vskip 2pt w\\hspace*{1cm}x\\hskip 1em plus 2pt minus 1fil y", "z w x y");
    check("\\parindent=0pt \\parskip 2pt plus 1pt a\\setlength\\parskip{0pt}\\vspace*{-2ex}", "a");
    check("{\\tt*} {\\bf* a} \\textbf*b", "* * a *b");
    check("\\setcounter{page}{3}\\pagestyle{empty}\\thispagestyle{plain}a\\pagebreak[4]", "a");
    // Options and arguments.
    check("\\begin{minipage}[t][3cm][c]{5cm}a\\end{minipage}", "a");
    check("\\begin{wrapfigure}[12]{r}[0pt]{5cm}a\\end{wrapfigure}", "a");
    check("\\begin{itemize}\\item[{[a]}] b\\end{itemize}a\\footnote[3]{c}", "[a] b a1 c");
    check(
        r"\href[page=1]{https://a.example}{b} \textcolor[rgb]{1,0,0}{c} \makebox[2cm][r]{d}",
        "b c d",
    );
    check(r"\ensuremath{x} \raisebox{1ex}[0pt]{a} \parbox[t]{5cm}{b} \fbox{c}", "x a b c");
    // Macros.
    check(r"\def\a#1#2{#2#1}\a bc \newcommand*{\b}[2][\#2]{#1 #2}\b{x} \b[y]{z}", "cb #2 x y z");
    check(r"\let\e=\emph \e{a} \DeclareMathOperator{\lcm}{lcm} $\lcm$", "a lcm");
    check(r"\newcommand{\p}[2][n]{#1, #2} \p{m} $\p{x}$ $\p[y]{x}$", "n, m n,x y,x");
    check(r"\providecommand{\emp}{a}\providecommand{\emp}{b}\emp", "a");
    // Formulas with lines.
    check("$$a = 1 \\\\ [2pt] b = 2$$ $c \\\\ d$", "a=1b=2 cd");
}

/// 2025-09, "LaTeX environment and supported subset": what is not understood is shown as written, with a warning
#[test]
fn what_cannot_be_shown_has_a_warning_with_its_line() {
    for text in [
        r"\foo",
        r"\foo{a}",
        r"\foo[x]{a}{b}",
        r"\foo*{a}",
        r"\'{\textbf{a}}",
        r"\^{\alpha}",
        r"\ref{none}",
        r"\eqref{none}",
        r"\constant{none}",
        r"\setcounter{enumx}{y}",
        r"\setcounter{equation}{4}",
        r"\verb|a",
        r"\lstinline",
        r"\lstinline[a]{x",
        r"\addtocounter{enumi}{2}",
        r"\input{a}",
        r"\cite{a}",
        r"\symbol{92}",
        r"\char92",
        r"\leq",
        r"\iftrue a \else b \fi",
        r"\iffalse a",
        r"\begin{comment} a",
        r"\begin{foo}[a]{b}\end{foo}",
        r"\begin{tikzpicture}\draw (0,0);\end{tikzpicture}",
        r"\begin{longtable}{l}a\end{longtable}",
        r"\begin{tabular}{l@{ to }l}a&b\end{tabular}",
        r"\begin{tabular}{*{2}{*{2}{l}}}a\end{tabular}",
        r"\begin{tabular}{ll}\multirow{2}{*}{a}&b\\x&c\end{tabular}",
        r"\begin{enumerate}[Step 1]\item a\end{enumerate}",
        r"\begin{enumerate}[resume]\item a\end{enumerate}",
        r"\renewcommand{\labelenumi}{(\alph{enumi})}",
        r"\begin{lstlisting}[caption={a}]b\end{lstlisting}",
        r"\def\x#1;{a}\x",
        r"$\text{\'{\textbf{a}}}$",
        r"$\text{\foo}$",
        r"$\def\a{\a}\a$",
        r"$\ref{a}$",
        r"$a \char65$",
        r"$\def\x#1;{}\x$",
        r"$\begin{matrix}{a & b}\end{matrix}$",
        r"$\begin{matrix}\left(a & b\right)\end{matrix}$",
        r"$\begin{matrix}{a \\ b}\end{matrix}$",
        r"$\begin{matrix}\hat & b\end{matrix}$",
        r"$$a_ \\ b$$",
        r"$\begin{matrix}\frac{a} & b\end{matrix}$",
        r"$\begin{matrix}a^\hline b\end{matrix}$",
        r"\newtheorem{a}{b}",
    ] {
        let (shown, remarks) = visible_text(&format!("first\n\nsecond {text}"));
        let is_told = remarks.iter().any(|remark| remark.starts_with("3: "));
        assert!(is_told, "{text} is shown as {shown}: {remarks:?}");
    }
}

#[test]
fn comments_are_never_shown() {
    let check = |text: &str, expected: &str| {
        assert_eq!(visible_text(text), (expected.to_owned(), Vec::new()), "{text}");
    };
    check("a\\begin{comment}\n{ $b\n\\end{comment}c", "ac");
    check("a \\iffalse b \\ifx c \\fi d \\item } \\fi e", "a e");
    check("a \\iffalse b \\iff \\else c\\fi", "a c");
    check("\\begin{itemize}\\iffalse\\item a\\fi\\item b\\end{itemize}", "b");
    check("\\begin{tabular}{l}a \\iffalse & b \\\\ c\\fi\\end{tabular}", "a");
    check("\\textbf\\iffalse a\\fi{b} $x % y\n z\\iffalse y\\fi$", "b xz");
    check(
        "\\begin{verbatim}\n\\iffalse a\\fi\n\\end{verbatim}\\verb|%\\iffalse|",
        "\\iffalse a\\fi %\\iffalse",
    );
}

#[test]
fn numbers_are_those_of_latex() {
    let check = |text: &str, html: &[&str]| check(StatementForm::Latex, text, html, &[]);
    let list = |option: &str, items: &str| {
        format!("\\begin{{enumerate}}{option}{items}\\end{{enumerate}}")
    };
    check(&list("\\setcounter{enumi}{3}", "\\item d"), &["<ol>\n<li value=\"4\">d</li>"]);
    check(
        &list("", "\\item a\\setcounter{enumi}{7}\\item b"),
        &["<li>a</li>\n<li value=\"8\">b</li>"],
    );
    check(
        &list("[start=4, label=(\\alph*), nosep]", "\\item d"),
        &["<ol start=\"4\" type=\"a\">\n<li>d"],
    );
    check(&list("[(i)]", "\\item d"), &["<ol type=\"i\">"]);
    check(
        &list("[1.]", "\\item[x] d \\item e"),
        &["<li class=\"labelled\"><strong>x</strong> d</li>\n<li>e"],
    );
    check(&list("\\itemsep0pt text", "\\item a"), &["<p>text</p>", "<li>a</li>"]);
    // References may stand before the labels, and labels in comments are none.
    let figure = "\\begin{figure}\\caption{C}\\label{f}\\end{figure}";
    let comment = figure.replace("{f}", "{e}");
    check(
        &format!("see \\ref{{f}}, %{comment}\n\\iffalse{comment}\\fi{figure}"),
        &["see 1,", "Figure 1: C"],
    );
    check(
        "\\begin{equation}x\\label{a}\\end{equation}\\begin{equation}y\\end{equation} by \\eqref{a}",
        &["<mtext>(2)</mtext>", "<a href=\"#a\">(1)</a>"],
    );
}

#[test]
fn formulas_become_what_the_converter_knows() {
    let check = |formula: &str, expected: &str| {
        let translated = math::FormulaTranslator::new().translate(formula, false);
        let mathml = translated.unwrap_or_else(|reason| panic!("{formula}: {reason}"));
        assert!(mathml.contains(expected), "{formula}\nlacks {expected}:\n{mathml}");
    };
    check(r"\text{a_b & c^{} #1 $x$ d}", "<mtext>a_b");
    check(
        r"\text{if $n_1$ is \textbf{a_b} ``c''}",
        "</mtext><msub><mi>n</mi><mn>1</mn></msub><mtext>",
    );
    check(r"\mbox{10\^{}5, \'e, \%}", "10ˆ5,");
    check(r"\sum_{\substack{i<n\\j<m}} a", "</mtr><mtr>");
    check(r"\left< b \middle> c\right>", "<mo>⟨</mo>");
    check(r"\pmatrix{1 & 2\cr 3 & 4\cr}", "<mtd><mn>4</mn></mtd>");
    check(r"f = \cases{1 & a \cr 2 & b}", "<mo>{</mo>");
    check(r"\alpha\allowbreak b\mskip18mu c", "<mi>α</mi><mi>b</mi>");
    check(r"\root 3 \of {x+1}", "<mroot>");
    check(r"\buildrel \rm def \over =", "<mover>");
    check(r"\newcommand{\f}[2][n]{#1_{#2}} \f{a} \f[m]{b}", "<msub><mi>m</mi><mi>b</mi></msub>");
    check(r"\mathbfcal{A}\mathsfit{b1}", "<mi>𝖻𝟣</mi>");
    check(r"\boxed{x} \tag{1}", "<mtext>1");
    check(r"\begin{array}{*{2}{c|}@{}p{3cm}} a & b & c \end{array}", "<mi>c</mi>");
    check(
        r"\begin{alignedat}{2} a &= b \\[2pt] [c] &= d \end{alignedat}",
        "<mo stretchy=\"false\">[</mo>",
    );
    check(r"a \\ b", "<mspace width=\"1em\"");
    check(r"\raise.5ex\hbox{a $x$} \hspace*{1em} \large y", "<mi>y</mi>");
    check(r"\verb|a_%|", "a_%");
    check(r"\begin{cases}\displaystyle a & b\\ c \over d & e\end{cases}", "<mfrac><mi>c</mi>");
    check(r"\begin{matrix}\color{red} a & b\\\frac{\textstyle c}{d} & e\end{matrix}", "<mi>e</mi>");
}

/// 2025-09, "LaTeX environment and supported subset": a formula with one of the 14 commands of MathJax that `docs/statements.md` lists is shown as written, with a warning
#[test]
fn formulas_have_the_commands_of_mathjax() {
    let mut formula = "";
    let mut missing = Vec::new();
    for line in include_str!("mathjax.txt").lines().filter(|line| !line.starts_with("# ")) {
        if !line.starts_with("  ") {
            formula = line;
            continue;
        }
        for name in line.split_whitespace() {
            let mut translator = math::FormulaTranslator::new();
            if translator.translate(&formula.replace("NAME", name), true).is_err() {
                missing.push(name);
            }
        }
    }
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/statements.md");
    let page = fs::read_to_string(page).expect("the page");
    let (_, list) =
        page.split_once("Commands of MathJax that juror does not set: ").expect("a list");
    let (list, _) = list.split_once(".\n").expect("an end");
    let listed: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    assert_eq!(missing, listed);
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

/// The converter would end juror if the argument of a command were in another cell.
#[test]
fn any_formula_is_set_or_shown_as_written() {
    let pieces = [
        "{",
        "}",
        "&",
        "\\\\",
        "\\hat",
        "\\frac{a}",
        "^",
        "\\left(",
        "\\right)",
        "\\sqrt",
        "\\over",
        "\\color{red}",
        "\\displaystyle",
        "\\hline",
        "\\text{",
        "\\cases{",
        "\\begin{matrix}",
        "\\end{matrix}",
        "\\notag",
        "\\tag",
        "\\boxed{",
        "\\%",
        "\\not",
        "[",
        "é",
    ];
    for first in pieces {
        for second in pieces {
            let cells = format!("\\begin{{matrix}}a {first} {second}& b\\\\ c\\end{{matrix}}");
            let lines = format!("a {first} \\\\ {second} b");
            for formula in [cells, lines] {
                drop(math::FormulaTranslator::new().translate(&formula, true));
            }
        }
    }
}
