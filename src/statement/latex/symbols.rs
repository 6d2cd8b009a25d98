//! Commands that change the look of text, and commands without effect.

/// HTML before and after a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub open: &'static str,
    pub close: &'static str,
}

const fn tag(open: &'static str, close: &'static str) -> Style {
    Style { open, close }
}

const BOLD: Style = tag("<strong>", "</strong>");
const ITALIC: Style = tag("<em>", "</em>");
const CODE: Style = tag("<code>", "</code>");
const SMALL_CAPS: Style = tag("<span class=\"sc\">", "</span>");
const PLAIN: Style = tag("", "");

/// For a command that changes its argument.
pub(super) fn style(name: &str) -> Option<Style> {
    Some(match name {
        "textbf" => BOLD,
        "emph" | "textit" | "textsl" => ITALIC,
        "texttt" | "t" | "lstinline" => CODE,
        "textsc" => SMALL_CAPS,
        "underline" | "uline" => tag("<u>", "</u>"),
        "sout" | "st" => tag("<s>", "</s>"),
        "textsuperscript" => tag("<sup>", "</sup>"),
        "textsubscript" => tag("<sub>", "</sub>"),
        "textrm" | "textsf" | "textmd" | "textup" | "textnormal" | "text" | "mbox" | "hbox" => {
            PLAIN
        }
        _ => return None,
    })
}

/// For a command whose style lasts until the end of its group.
pub(super) fn switch(name: &str) -> Option<Style> {
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

/// `None` if the command has an effect on a page.
pub(super) fn is_nothing(name: &str) -> Option<usize> {
    Some(match name {
        "noindent" | "centering" | "raggedright" | "raggedleft" | "smallskip" | "medskip"
        | "bigskip" | "newpage" | "clearpage" | "pagebreak" | "hfill" | "vfill" | "hline"
        | "toprule" | "midrule" | "bottomrule" | "maketitle" | "indent" | "protect" | "relax"
        | "/" | "@" | "-" | "!" => 0,
        "vspace" | "hspace" | "vskip" | "label" | "cline" | "cmidrule" | "pagestyle"
        | "thispagestyle" | "usepackage" | "captionsetup" => 1,
        "setlength" | "addtolength" => 2,
        _ => return None,
    })
}
