//! Tables of commands in formulas that the converter lacks, and what they become.

/// A command, its arguments (see `LatexScanner::arguments`), and what it becomes: `#1` is its first argument of form `m`.
type Replacement = (&'static str, &'static str, &'static str);

/// What has only an effect on the look of a formula, such as its size, is left out.
#[rustfmt::skip]
pub(super) const COMMANDS: [Replacement; 152] = [
    // Other names, and characters.
    ("*", "", ""), ("arrowvert", "", r"\vert "), ("Arrowvert", "", r"\Vert "), ("bracevert", "", r"\vert "),
    ("centerdot", "", r"\cdot "), ("dotsb", "", r"\cdots "), ("dotsm", "", r"\cdots "), ("dotsi", "", r"\cdots "),
    ("dotsc", "", r"\ldots "), ("dotso", "", r"\ldots "), ("hfil", "", r"\quad "), ("hfill", "", r"\quad "),
    ("hfilll", "", r"\quad "), ("iddots", "", "⋰"), ("intop", "", r"\int "), ("ointop", "", r"\oint "),
    ("LaTeX", "", r"\text{LaTeX}"), ("TeX", "", r"\text{TeX}"), ("nobreakspace", "", "~"), ("notChar", "", "⧸"),
    ("nshortmid", "", r"\nmid "), ("nshortparallel", "", r"\nparallel "), ("shortmid", "", r"\mid "),
    ("shortparallel", "", r"\parallel "), ("smallfrown", "", r"\frown "), ("smallsmile", "", r"\smile "),
    ("smallint", "", r"{\textstyle\int}"), ("smallsetminus", "", r"\setminus "), ("strut", "", r"\mathstrut "),
    ("thickapprox", "", r"\approx "), ("thicksim", "", r"\sim "), ("varpropto", "", r"\propto "),
    ("varlimsup", "", r"\overline{\lim}"), ("varliminf", "", r"\underline{\lim}"), ("AA", "", "Å"),
    ("varinjlim", "", r"\underset{\rightarrow}{\lim}"), ("varprojlim", "", r"\underset{\leftarrow}{\lim}"),
    ("hspace*", "", r"\hspace"),
    // Without an effect.
    ("nobreak", "", ""), ("allowbreak", "", ""), ("badbreak", "", ""), ("break", "", ""), ("goodbreak", "", ""),
    ("nonscript", "", ""), ("mit", "", ""), ("oldstyle", "", ""), ("tiny", "", ""), ("Tiny", "", ""),
    ("scriptsize", "", ""), ("footnotesize", "", ""), ("small", "", ""), ("normalsize", "", ""), ("large", "", ""),
    ("Large", "", ""), ("LARGE", "", ""), ("huge", "", ""), ("Huge", "", ""), ("raise", "l", ""), ("lower", "l", ""),
    ("moveleft", "l", ""), ("moveright", "l", ""), ("leftroot", "m", ""), ("uproot", "m", ""), ("label", "m", ""),
    ("require", "m", ""), ("breakAlign", "mm", ""), ("hsize", "l", ""), ("displaylimits", "", ""),
    // Alphabets. Some of bold and slanted letters have no other one than that of ordinary letters.
    ("mathsfit", "m", r"\mathsf{#1}"), ("mathbfsf", "m", r"\mathsf{#1}"), ("mathbfsfit", "m", r"\mathsf{#1}"),
    ("mathbfcal", "m", r"\mathcal{#1}"), ("mathbffrak", "m", r"\mathfrak{#1}"),
    ("mathnormal", "m", "{#1}"), ("symnormal", "m", "{#1}"), ("mathup", "m", r"\mathrm{#1}"),
    ("symup", "m", r"\mathrm{#1}"), ("symrm", "m", r"\mathrm{#1}"), ("symit", "m", r"\mathit{#1}"),
    ("symbb", "m", r"\mathbb{#1}"), ("symcal", "m", r"\mathcal{#1}"), ("symscr", "m", r"\mathscr{#1}"),
    ("symfrak", "m", r"\mathfrak{#1}"), ("symsf", "m", r"\mathsf{#1}"), ("symsfup", "m", r"\mathsf{#1}"),
    ("mathsfup", "m", r"\mathsf{#1}"), ("symtt", "m", r"\mathtt{#1}"), ("mathbfup", "m", r"\mathbf{#1}"),
    ("symbfup", "m", r"\mathbf{#1}"), ("bm", "m", r"\mathbf{#1}"), ("mathbfit", "m", r"\boldsymbol{#1}"),
    ("symbfit", "m", r"\boldsymbol{#1}"), ("pmb", "m", r"\boldsymbol{#1}"), ("symsfit", "m", r"\mathsf{#1}"),
    ("symbfsf", "m", r"\mathsf{#1}"), ("mathbfsfup", "m", r"\mathsf{#1}"), ("symbfsfup", "m", r"\mathsf{#1}"),
    ("symbfsfit", "m", r"\mathsf{#1}"), ("symbfcal", "m", r"\mathcal{#1}"),
    ("symbfscr", "m", r"\mathcal{#1}"), ("mathbfscr", "m", r"\mathcal{#1}"),
    ("symbffrak", "m", r"\mathfrak{#1}"),
    // Boxes and texts.
    ("boxed", "m", r"\begin{array}{|c|}\hline\displaystyle #1\\\hline\end{array}"), ("fbox", "m", r"\boxed{\text{#1}}"),
    ("framebox", "oom", r"\boxed{\text{#1}}"), ("fcolorbox", "mmm", r"\boxed{\text{#3}}"),
    ("colorbox", "mm", r"\text{#2}"), ("makebox", "oom", r"\text{#1}"), ("parbox", "ooomm", r"\text{#2}"),
    ("bbox", "om", "{#1}"), ("smash", "om", "{#1}"), ("llap", "m", "{#1}"), ("rlap", "m", "{#1}"),
    ("vcenter", "m", "{#1}"), ("mmlToken", "mom", r"\text{#2}"), ("textcolor", "mm", r"{\color{#1}#2}"),
    ("tag", "m", r"\qquad(\text{#1})"), ("tag*", "m", r"\qquad\text{#1}"), ("Space", "mmm", r"\hspace{#1}"),
    // Links and notes show their content.
    ("href", "mm", "{#2}"), ("class", "mm", "{#2}"), ("cssId", "mm", "{#2}"), ("style", "mm", "{#2}"),
    ("data", "mm", "{#2}"), ("mathtip", "mm", "{#1}"), ("texttip", "mm", "{#1}"),
    // Structures.
    ("cr", "", r"\\"), ("newline", "", r"\\"), ("substack", "m", r"\begin{subarray}{c}#1\end{subarray}"),
    ("cases", "m", r"\begin{cases}#1\end{cases}"), ("matrix", "m", r"\begin{matrix}#1\end{matrix}"),
    ("pmatrix", "m", r"\begin{pmatrix}#1\end{pmatrix}"), ("array", "m", r"\begin{matrix}#1\end{matrix}"),
    ("eqalign", "m", r"\begin{aligned}#1\end{aligned}"), ("displaylines", "m", r"\begin{gathered}#1\end{gathered}"),
    ("eqalignno", "m", r"\begin{array}{rll}#1\end{array}"), ("leqalignno", "m", r"\begin{array}{rll}#1\end{array}"),
    ("shoveleft", "m", "{#1}"), ("shoveright", "m", "{#1}"), ("pod", "m", r"\quad(#1)"),
    ("mathchoice", "mmmm", "{#1}"), ("skew", "mmm", "#2{#3}"), ("above", "l", r"\over "),
    ("stackbin", "mm", r"\overset{#1}{#2}"), ("overunderset", "mmm", r"\overset{#1}{\underset{#2}{#3}}"),
    ("cancelto", "mm", r"{\cancel{#2}}^{#1}"), ("set", "m", r"\{\,#1\,\}"), ("Set", "m", r"\left\{\,#1\,\right\}"),
    ("Braket", "m", r"\left\langle #1\right\rangle "), ("ketbra", "mm", r"|#1\rangle\langle #2|"),
    ("Ketbra", "mm", r"\left|#1\right\rangle\left\langle #2\right|"), ("ensuremath", "m", "{#1}"),
];

/// Environments with their arguments, the environment that replaces them, and its arguments.
pub(super) const ENVIRONMENTS: [(&str, &str, &str, &str); 16] = [
    ("eqnarray", "", "array", "{rcl}"),
    ("eqnarray*", "", "array", "{rcl}"),
    ("flalign", "", "align", ""),
    ("flalign*", "", "align*", ""),
    ("alignat", "m", "align", ""),
    ("alignat*", "m", "align*", ""),
    ("xalignat", "m", "align", ""),
    ("xalignat*", "m", "align*", ""),
    ("xxalignat", "m", "align*", ""),
    ("alignedat", "om", "aligned", ""),
    ("aligned", "o", "aligned", ""),
    ("gathered", "o", "gathered", ""),
    ("split", "", "aligned", ""),
    ("multline*", "", "gather*", ""),
    ("indentalign", "oom", "align*", ""),
    ("smallmatrix", "", "subarray", "{c}"),
];

/// Commands whose argument is a text, and the converter's name for them.
pub(super) const TEXTS: [(&str, &str); 18] = [
    ("text", "text"),
    ("textnormal", "text"),
    ("textup", "text"),
    ("textmd", "text"),
    ("mbox", "text"),
    ("hbox", "text"),
    ("vbox", "text"),
    ("vtop", "text"),
    ("textrm", "textrm"),
    ("textbf", "textbf"),
    ("textit", "textit"),
    ("textsl", "textit"),
    ("emph", "emph"),
    ("textsf", "textsf"),
    ("texttt", "texttt"),
    ("textsc", "textsc"),
    ("intertext", "text"),
    ("shortintertext", "text"),
];

/// Commands with two arguments, of which the first ends at another command, and what they become.
pub(super) const DIVIDED: [Replacement; 2] =
    [("buildrel", "over", r"\overset{#1}{#2}"), ("root", "of", r"\sqrt[#1]{#2}")];

pub(super) const BEFORE_DELIMITERS: &str = "left right middle big Big bigg Bigg bigl Bigl biggl Biggl bigm Bigm biggm Biggm bigr Bigr biggr Biggr";
