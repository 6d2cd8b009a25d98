//! Commands that change the look of text, and commands without effect.

/// HTML before and after a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextStyle {
    pub open: &'static str,
    pub close: &'static str,
}

const fn tag(open: &'static str, close: &'static str) -> TextStyle {
    TextStyle { open, close }
}

const BOLD: TextStyle = tag("<strong>", "</strong>");
const ITALIC: TextStyle = tag("<em>", "</em>");
const CODE: TextStyle = tag("<code>", "</code>");
const SMALL_CAPS: TextStyle = tag("<span class=\"sc\">", "</span>");
const PLAIN: TextStyle = tag("", "");

/// For a command that changes its argument.
pub(super) fn style_of_argument(name: &str) -> Option<TextStyle> {
    Some(match name {
        "textbf" => BOLD,
        "emph" | "textit" | "textsl" => ITALIC,
        "texttt" | "t" | "code" => CODE,
        "textsc" => SMALL_CAPS,
        "underline" | "uline" => tag("<u>", "</u>"),
        "sout" | "st" => tag("<s>", "</s>"),
        "textsuperscript" => tag("<sup>", "</sup>"),
        "textsubscript" => tag("<sub>", "</sub>"),
        "textrm" | "textsf" | "textmd" | "textup" | "textnormal" | "text" | "mbox" | "hbox"
        | "fbox" | "centerline" => PLAIN,
        _ => return None,
    })
}

/// For a command whose style lasts until the end of its group.
pub(super) fn lasting_style(name: &str) -> Option<TextStyle> {
    Some(match name {
        "bf" | "bfseries" => BOLD,
        "it" | "em" | "sl" | "itshape" | "slshape" => ITALIC,
        "tt" | "ttfamily" => CODE,
        "sc" | "scshape" => SMALL_CAPS,
        "rm" | "rmfamily" | "sf" | "sffamily" | "upshape" | "mdseries" | "normalfont" => PLAIN,
        "tiny" => tag("<span class=\"s1\">", "</span>"),
        "scriptsize" => tag("<span class=\"s2\">", "</span>"),
        "footnotesize" => tag("<span class=\"s3\">", "</span>"),
        "small" => tag("<span class=\"s4\">", "</span>"),
        "normalsize" => tag("<span class=\"s5\">", "</span>"),
        "large" => tag("<span class=\"s6\">", "</span>"),
        "Large" => tag("<span class=\"s7\">", "</span>"),
        "LARGE" => tag("<span class=\"s8\">", "</span>"),
        "huge" => tag("<span class=\"s9\">", "</span>"),
        "Huge" => tag("<span class=\"s10\">", "</span>"),
        _ => return None,
    })
}

/// Commands that show their last argument, and the forms of their arguments (see `LatexScanner::arguments`).
const CONTAINERS: [(&str, &str); 10] = [
    ("multicolumn", "mmm"),
    ("multirow", "omomom"),
    ("textcolor", "omm"),
    ("colorbox", "omm"),
    ("fcolorbox", "ommm"),
    ("framebox", "oom"),
    ("makebox", "oom"),
    ("parbox", "ooomm"),
    ("raisebox", "moom"),
    ("scalebox", "mom"),
];

/// Commands that only move what follows, and the forms of their arguments.
const SPACES: [(&str, &str); 6] =
    [("hspace", "m"), ("hskip", "l"), ("kern", "l"), ("hfill", ""), ("hfil", ""), ("enskip", "")];

/// Commands without an effect on a page, by the forms of their arguments.
const IGNORED: [(&str, &str); 8] = [
    (
        "",
        "noindent centering raggedright raggedleft smallskip medskip bigskip hline maketitle indent protect relax / @ \
         - ! sloppy fussy xspace leavevmode null strut ignorespaces unskip samepage allowbreak nobreak fi frenchspacing",
    ),
    ("o", "pagebreak nopagebreak nolinebreak toprule midrule bottomrule addlinespace"),
    ("m", "vspace cline hhline pagestyle thispagestyle bibliographystyle linespread"),
    ("om", "usepackage captionsetup color rowcolor cellcolor pagecolor"),
    ("opm", "cmidrule"),
    ("mm", "setlength addtolength"),
    ("omomm", "newenvironment renewenvironment"),
    (
        "l",
        "parindent parskip baselineskip itemsep parsep topsep leftmargin tabcolsep arrayrulewidth topskip",
    ),
];

pub(super) fn container_arguments(name: &str) -> Option<&'static str> {
    CONTAINERS.iter().find(|(known, _)| *known == name).map(|(_, forms)| *forms)
}

pub(super) fn space_arguments(name: &str) -> Option<&'static str> {
    SPACES.iter().find(|(known, _)| *known == name).map(|(_, forms)| *forms)
}

/// `None` if the command has an effect on a page.
pub(super) fn ignored_arguments(name: &str) -> Option<&'static str> {
    let has = |names: &str| names.split(' ').any(|known| known == name);
    IGNORED.iter().find(|(_, names)| has(names)).map(|(forms, _)| *forms)
}
